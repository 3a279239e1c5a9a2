"""The incident folder: a directory that holds what a tool would have answered, as the real system wrote it.

Decides which files of a folder are alerts, logs, runbooks and skills, and opens the sources over them. A plain folder
and files that were named one by one are opened in the same way. It refuses what a stranger could hide in a folder:
documents without end, links that lead out of it, devices; each ends in a sentence. Protocol: section 11.
"""

import asyncio
import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import NamedTuple

from superbizagent.contract.errors import UnreadableInput
from superbizagent.contract.plan import EntityRole
from superbizagent.ports import AlertSource, LogSource
from superbizagent.rules.timestamps import rfc3339
from superbizagent.sources.alert_files import AlertFiles
from superbizagent.sources.incident_yaml import Case, read_manifest
from superbizagent.sources.log_files import LogFile, LogFiles
from superbizagent.sources.regular_files import Found, FoundFile, find_files, left_out, one_file, printable, read_text

MAX_DOCUMENT = 4 << 20
_MAX_DOCUMENTS = 2_000
_ALERT_NAMES = ("alerts*.json", "alertmanager*.json")
_DOCUMENT_ENDS = (".md", ".markdown", ".txt")
_NO_LOG_ENDS = (".md", ".markdown", ".yaml", ".yml", ".html", ".png", ".jpg", ".svg", ".pdf")


class TextFile(NamedTuple):
    """A document of the folder: its name relative to the folder, and its text."""

    name: str
    text: str


@dataclass(frozen=True)
class Incident:
    """An opened folder. `at` is its "now", aware; `notes` are sentences that a person should see."""

    name: str
    title: str
    at: datetime
    services: list[str]
    cases: list[Case]
    alert_sources: list[AlertSource]
    log_sources: list[LogSource]
    runbooks: list[TextFile]
    skills: list[TextFile]
    metrics: list[str]
    notes: list[str] = field(default_factory=list)
    keep: object = field(default=None, repr=False)

    async def known_entities(self) -> dict[EntityRole, frozenset[str]]:
        """What the folder's sources know by name, with the services that `incident.yaml` names."""
        known: dict[EntityRole, set[str]] = {role: set() for role in EntityRole}
        known[EntityRole.SERVICE].update(self.services)
        found = [await source.known_entities() for source in self.alert_sources]
        found += [await source.known_entities() for source in self.log_sources]
        for names_by_role in found:
            for role, names in names_by_role.items():
                known[role] |= names
        return {role: frozenset(names) for role, names in known.items() if names}


async def open_incident(path: Path, *, now: datetime, zone: tzinfo | None = None) -> Incident:
    """Open an incident folder, or a plain folder of logs. A folder without an `at` is read through once.

    `now` is the moment to take when neither the folder nor its records give one; `zone` is the configured zone of
    stamps without one (the folder's own `zone` goes first). Raises `UnreadableInput` when it or `incident.yaml`
    cannot be read.
    """
    return await asyncio.to_thread(_open_folder, path, now, zone)


def _open_folder(path: Path, now: datetime, zone: tzinfo | None) -> Incident:
    shown = printable(str(path))
    if not path.is_dir():
        raise UnreadableInput(
            f"{shown} is no folder" if path.exists() else f"{shown} does not exist",
            hint="Name an incident folder, a folder or files of logs, or - for standard input.",
        )
    return open_found(printable(path.resolve().name), find_files(path), now=now, zone=zone)


async def open_logs(
    paths: Sequence[Path], *, now: datetime, zone: tzinfo | None = None, service: str | None = None
) -> Incident:
    """Open files and folders that were named one by one; `service` is what the caller says all records are of.

    One folder is opened as an incident folder. Raises `UnreadableInput` as `open_incident` does.
    """
    return await asyncio.to_thread(_open_paths, paths, now, zone, service)


def _open_paths(paths: Sequence[Path], now: datetime, zone: tzinfo | None, service: str | None) -> Incident:
    if len(paths) == 1 and (paths[0].is_dir() or not paths[0].exists()):
        return _open_folder(paths[0], now, zone)
    found: list[FoundFile] = []
    notes: list[str] = []
    for path in paths:
        if path.is_dir():
            inside = find_files(path)
            found += [file._replace(name=f"{printable(path.name)}/{file.name}") for file in inside.files]
            notes += inside.notes
        else:
            found.append(one_file(path))
    name = found[0].name if len(found) == 1 else f"{len(found)} files"
    return open_found(name, Found(found, notes), now=now, zone=zone, service=service)


def open_found(
    name: str, found: Found, *, now: datetime, zone: tzinfo | None, service: str | None = None, keep: object = None
) -> Incident:
    """The sources over files that were found. Blocking. `keep` is held as long as the incident is."""
    by_part = _parts(found.files)
    manifest = read_manifest(by_part["incident"])
    notes = list(found.notes)
    logs = LogFiles(
        f"logs of {name}",
        [LogFile(file, service or _service_of(file, manifest.services)) for file in by_part["logs"]],
        zone=manifest.zone or zone,
        assumed_zone=(manifest.at or now).tzinfo or UTC,
        before=manifest.at or now,
        notes=found.notes,
    )
    return Incident(
        name=name,
        title=manifest.title or name,
        at=manifest.at or _at_of(logs, now, notes),
        services=list(manifest.services),
        cases=manifest.cases,
        alert_sources=[AlertFiles(f"alerts of {name}", by_part["alerts"])] if by_part["alerts"] else [],
        log_sources=[logs] if by_part["logs"] else [],
        runbooks=_documents(by_part["runbooks"], notes),
        skills=_documents(by_part["skills"], notes),
        metrics=[file.name for file in by_part["metrics"]],
        notes=notes,
        keep=keep,
    )


def _at_of(logs: LogFiles, now: datetime, notes: list[str]) -> datetime:
    """The newest record's time, else the caller's now."""
    newest = logs.newest()
    if newest is None:
        return now
    notes.append(f"no time was given: the newest record's time, {rfc3339(newest)}, is taken as now")
    return newest


def _parts(files: Sequence[FoundFile]) -> dict[str, list[FoundFile]]:
    """Which part of an incident folder each file is."""
    has_manifest = any(file.name in ("incident.yaml", "incident.yml") for file in files)
    parts: dict[str, list[FoundFile]] = {
        part: [] for part in ("incident", "alerts", "logs", "metrics", "runbooks", "skills", "other")
    }
    for file in files:
        parts[_part_of(file.name, has_manifest=has_manifest)].append(file)
    return parts


def _part_of(name: str, *, has_manifest: bool) -> str:
    folder, _, rest = name.rpartition("/")
    top = folder.split("/")[0]
    if name in ("incident.yaml", "incident.yml"):
        return "incident"
    if not folder and any(fnmatch.fnmatchcase(name, pattern) for pattern in _ALERT_NAMES):
        return "alerts"
    if top == "skills":
        return "skills" if rest == "SKILL.md" else "other"
    if top == "metrics" and rest.endswith(".json"):
        return "metrics"
    if top == "runbooks":
        return "runbooks" if rest.lower().endswith(_DOCUMENT_ENDS) else "other"
    if top == "logs":
        return "logs"
    if has_manifest or rest.lower().endswith(_NO_LOG_ENDS):
        return "other"
    return "logs"


def _documents(files: Sequence[FoundFile], notes: list[str]) -> list[TextFile]:
    documents = []
    for file in files[:_MAX_DOCUMENTS]:
        try:
            documents.append(TextFile(file.name, read_text(file, MAX_DOCUMENT)))
        except UnreadableInput as error:
            notes.append(str(error))
    if len(files) > _MAX_DOCUMENTS:
        notes.append(left_out(f"more than {_MAX_DOCUMENTS} documents", [file.name for file in files[_MAX_DOCUMENTS:]]))
    return documents


def _service_of(file: FoundFile, services: Mapping[str, Sequence[str]]) -> str | None:
    """The one service of `incident.yaml` that the file belongs to: named by a pattern, or the only one there is."""
    named = [
        service
        for service, patterns in services.items()
        if any(fnmatch.fnmatchcase(file.name, one) or fnmatch.fnmatchcase(file.name, f"logs/{one}") for one in patterns)
    ]
    if len(named) == 1:
        return named[0]
    only = list(services)
    return only[0] if len(only) == 1 and not services[only[0]] else None
