"""Where the store is: the store's own part of the settings."""

from pathlib import Path

import platformdirs
from pydantic import BaseModel, Field


def default_path() -> Path:
    """The database file in the user's data folder."""
    return platformdirs.user_data_path("superbizagent") / "sba.db"


class StoreSettings(BaseModel, extra="forbid"):
    """`path` is the SQLite file; `busy_seconds` how long a write waits for another process's write."""

    path: Path = Field(default_factory=default_path)
    busy_seconds: float = Field(5.0, ge=0, le=600)
