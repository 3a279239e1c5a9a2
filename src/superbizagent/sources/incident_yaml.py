"""`incident.yaml` of an incident folder: title, now, services, evaluation cases.

Decides what the file says, read as data and nothing more. It refuses aliases, tags, deep nesting, large files and
values of a wrong type, each with one sentence that names the key. Protocol: section 11.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import yaml

from superbizagent.contract.errors import UnreadableInput
from superbizagent.rules.timestamps import read_stamp
from superbizagent.sources.regular_files import FoundFile, read_text

MAX_YAML = 1 << 20
_MAX_DEPTH = 40


class Case(NamedTuple):
    """One evaluation case: a question and what its answer must and must not say (section 11)."""

    id: str
    question: str
    lang: str
    verdict: str
    cites: list[dict[str, str]]
    never: list[str]


@dataclass
class Manifest:
    """What `incident.yaml` says; `services` are names with the patterns of their log files, often none."""

    title: str = ""
    at: datetime | None = None
    zone: tzinfo | None = None
    services: dict[str, list[str]] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)


class _PlainLoader(yaml.SafeLoader):
    """YAML as data: no aliases (they make a small file endless), and no deep nesting."""

    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise yaml.YAMLError("it is nested too deeply")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def read_manifest(files: Sequence[FoundFile]) -> Manifest:
    """The manifest of a folder; an empty one when there is none. Raises `UnreadableInput` when it cannot be read."""
    if not files:
        return Manifest()
    file = files[0]
    text = read_text(file, MAX_YAML)
    try:
        # The loader is a SafeLoader that reads less.
        value = yaml.load(text, Loader=_PlainLoader)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise UnreadableInput(f"{file.name} cannot be read as YAML: {_first_line(error)}") from error
    if value is None:
        return Manifest()
    if not isinstance(value, Mapping):
        raise UnreadableInput(f"{file.name} must hold keys and values (title, at, services, cases)")
    return Manifest(
        title=_string(file, value, "title"),
        at=_at(file, value.get("at")),
        zone=_zone(file, value.get("zone")),
        services=_services(file, value.get("services")),
        cases=_cases(file, value.get("cases")),
    )


def _first_line(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error)
    mark = getattr(error, "problem_mark", None)
    return str(problem).split("\n", 1)[0][:200] + (f" (line {mark.line + 1})" if mark is not None else "")


def _wrong(file: FoundFile, what: str) -> UnreadableInput:
    return UnreadableInput(f"{file.name}: {what}")


def _string(file: FoundFile, value: Mapping[Any, Any], key: str) -> str:
    text = value.get(key)
    if text is None:
        return ""
    if not isinstance(text, str | int | float):
        raise _wrong(file, f"`{key}` must be text")
    return str(text)


def _at(file: FoundFile, value: Any) -> datetime | None:
    if value is None:
        return None
    if isinstance(value, datetime):
        return value if value.tzinfo is not None else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    stamp = read_stamp(value, zone=UTC) if isinstance(value, str) else None
    if stamp is None:
        raise _wrong(file, "`at` must be a time such as 2026-11-30T23:11:05Z")
    return stamp.when


def _zone(file: FoundFile, value: Any) -> tzinfo | None:
    if value is None:
        return None
    try:
        return ZoneInfo(value)
    except (KeyError, ValueError, TypeError, OSError) as error:
        raise _wrong(file, "`zone` must be a time zone such as Asia/Shanghai") from error


def _services(file: FoundFile, value: Any) -> dict[str, list[str]]:
    """`services` as names with the patterns of their files: a list of names, or names with one or more patterns."""
    if value is None:
        return {}
    if isinstance(value, str):
        value = [value]
    if isinstance(value, Sequence):
        rows = [(row.get("name"), row.get("logs")) if isinstance(row, Mapping) else (row, None) for row in value]
    elif isinstance(value, Mapping):
        rows = [(name, row.get("logs") if isinstance(row, Mapping) else row) for name, row in value.items()]
    else:
        raise _wrong(file, "`services` must be a list of names")
    services: dict[str, list[str]] = {}
    for name, patterns in rows:
        texts = [patterns] if isinstance(patterns, str) else patterns or []
        if not isinstance(name, str) or not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
            raise _wrong(file, "`services` must be a list of names, each with the names of its log files if need be")
        services[name] = texts
    return services


def _cases(file: FoundFile, value: Any) -> list[Case]:
    if value is None:
        return []
    if not isinstance(value, list):
        raise _wrong(file, "`cases` must be a list")
    return [_case(file, number, case) for number, case in enumerate(value)]


def _case(file: FoundFile, number: int, case: Any) -> Case:
    where = f"case {number + 1}"
    if not isinstance(case, Mapping):
        raise _wrong(file, f"{where} must hold keys and values")
    question = case.get("question")
    if not isinstance(question, str) or not question.strip():
        raise _wrong(file, f"{where} has no `question`")
    cites = case.get("cites") or []
    never = case.get("never") or []
    if not isinstance(cites, list) or not all(isinstance(cite, Mapping) and "pattern" in cite for cite in cites):
        raise _wrong(file, f"{where}: `cites` must be a list of {{tool, pattern}}")
    if not isinstance(never, list) or not all(isinstance(one, str) for one in never):
        raise _wrong(file, f"{where}: `never` must be a list of patterns")
    return Case(
        id=str(case.get("id") or number + 1),
        question=question,
        lang=str(case.get("lang") or "en"),
        verdict=str(case.get("verdict") or "PASS"),
        cites=[{str(key): str(text) for key, text in cite.items()} for cite in cites],
        never=list(never),
    )
