"""Brings a database to the newest version with Alembic, on a connection that already holds the write lock.

Imported only when a database is not at the newest version: Alembic costs start-up time.
"""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection

from superbizagent.contract.errors import StoreFailed


def configuration(connection: Connection | None = None) -> Config:
    """Alembic's configuration; the migrations are part of the package."""
    config = Config()
    # The option is a format: a `%` in the path stands for itself only when it is doubled.
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def newest_version() -> str:
    """The head of the migrations."""
    return str(ScriptDirectory.from_config(configuration()).get_current_head())


def upgrade(connection: Connection, version: str | None) -> None:
    """Migrate from `version` to the newest.

    Raises:
        StoreFailed: the database is of a version that this product does not know.
    """
    if version is not None:
        try:
            known = ScriptDirectory.from_config(configuration()).get_revision(version) is not None
        except CommandError:
            known = False
        if not known:
            raise StoreFailed(
                f"the store is of a newer version ({version}) than this product knows",
                "Upgrade the product, or set store.path to another place.",
            )
    command.upgrade(configuration(connection), "head")
