"""Builders: folders of log files, opened as a source."""

from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from superbizagent.contract.evidence import Window
from superbizagent.ports import LogQuery, Page
from superbizagent.sources.log_files import PATIENCE, LogFile, LogFiles
from superbizagent.sources.regular_files import find_files

DATA = Path(__file__).parents[1] / "data"
AT = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)


def written(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return folder


def opened(
    folder: Path, *, zone: tzinfo | None = None, service: str | None = None, patience: float = PATIENCE
) -> LogFiles:
    """All files of a folder as one source."""
    found = find_files(folder)
    files = [LogFile(file, service) for file in found.files]
    return LogFiles("logs", files, zone=zone, before=AT, notes=found.notes, patience=patience)


async def asked(
    folder: Path,
    *terms: str,
    zone: tzinfo | None = None,
    since: str | None = None,
    until: str | None = None,
    **query: Any,
) -> Page:
    """The answer to a query of one group of terms."""
    window = Window(since=_moment(since), until=_moment(until))
    groups = [list(terms)] if terms else []
    return await opened(folder, zone=zone).query_logs(LogQuery(groups=groups, window=window, **query))


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
