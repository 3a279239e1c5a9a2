"""Settings: one TOML file plus environment variables, checked at the start.

Gathers what each part owns (the store's place, the question's budget, the reader's zone) and refuses unknown keys and
wrong values with one sentence each. The environment wins over the file: `SBA_STORE__PATH=…`, `SBA_ZONE=Asia/Shanghai`.
The file is `config.toml` in the user's configuration folder, or whatever `SBA_CONFIG` names.
"""

import os
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import platformdirs
from pydantic import BaseModel, Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from superbizagent.contract.errors import UsageError
from superbizagent.diagnosis.budget import DEFAULT_CALLS, DEFAULT_ROUNDS, DEFAULT_SECONDS
from superbizagent.store.config import StoreSettings


class BudgetSettings(BaseModel, extra="forbid"):
    """What one question may use."""

    rounds: int = Field(DEFAULT_ROUNDS, ge=1, le=100)
    calls: int = Field(DEFAULT_CALLS, ge=1, le=1000)
    seconds: float = Field(DEFAULT_SECONDS, gt=0, le=3600)


class Settings(BaseSettings):
    """Everything that can be set. `zone` is the reader's, an IANA name; `log_zone` that of stamps without one."""

    model_config = SettingsConfigDict(env_prefix="SBA_", env_nested_delimiter="__", extra="forbid")

    store: StoreSettings = StoreSettings()
    budget: BudgetSettings = BudgetSettings()
    engine: Literal["extractive", "scripted"] = "extractive"
    engine_script: Path | None = None
    zone: str = Field(default_factory=lambda: machine_zone())  # noqa: PLW0108 - defined further down
    log_zone: str | None = None

    @field_validator("zone", "log_zone")
    @classmethod
    def _known_zone(cls, zone: str | None) -> str | None:
        if zone is not None and not is_zone(zone):
            raise ValueError(f"{zone!r} is no time zone; name one as in `Asia/Shanghai` or `UTC`")
        return zone

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=config_file())


def config_file() -> Path:
    """Where the settings file is, whether or not it exists."""
    named = os.environ.get("SBA_CONFIG")
    return Path(named) if named else platformdirs.user_config_path("superbizagent") / "config.toml"


def load_settings() -> Settings:
    """The settings in force.

    Raises:
        UsageError: the file cannot be read, or a setting is unknown or wrong; the message names it.
    """
    file = config_file()
    if file.exists() and not file.is_file():
        raise UsageError(f"the settings {file} are no regular file", "Set SBA_CONFIG to a TOML file.")
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"setting `{name}`: {first['msg']}", f"See {config_file()} and the SBA_* variables.") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"the settings cannot be read: {error}", f"See {config_file()}.") from None


def is_zone(name: str) -> bool:
    """Whether the machine knows a time zone of this name."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def machine_zone() -> str:
    """The machine's own zone as an IANA name; UTC when it does not say."""
    named = os.environ.get("TZ", "").lstrip(":")
    if named and is_zone(named):
        return named
    try:
        target = str(Path("/etc/localtime").readlink())
    except OSError:
        return "UTC"
    name = target.partition("zoneinfo/")[2]
    return name if name and is_zone(name) else "UTC"
