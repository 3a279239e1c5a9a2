"""The layout of a record: where its header ends, where threads and loggers stand, and where an excerpt lies in it.

Decides: the spans of headers and excerpts. Refuses: to place an excerpt whose wording is not found. Protocol:
sections 3, 6.1 and 7.3.
"""

import re

_THREAD = re.compile(r"\[[^\]\n]{1,200}\]")
_SERVICE = re.compile(r"^\[ ?[a-z][a-z0-9-]{1,60}-(?:service|api|server|gateway|app) ?\]$")
_LEADING = re.compile(r"(?:\[[^\]\n]{1,100}\] ?){2,6}")
_LOGGER = re.compile(r"(?<![\w.])[a-z][\w]*(?:\.[A-Za-z_$][\w$]*){1,12}(?= {1,3}[-:] )")
_ELLIPSIS = re.compile(r"\[?(?:\u2026|\.{3})\]?")
LONGEST_HEAD = 300
_ERLANG = re.compile(r"\[[a-z]{4,8}\] <[\d.]{3,30}> ")
WRITER = re.compile(
    r"\b(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL) +\[?([A-Za-z][\w.-]{0,80})\]?"
    r"(?: \[[^\]]{0,80}\])? - "
)


def head_end(text: str) -> int:
    """Where `… LEVEL writer - ` ends, and the message begins."""
    found = WRITER.search(text, 0, LONGEST_HEAD) or _ERLANG.search(text, 0, LONGEST_HEAD)
    return found.end() if found is not None else 0


def headers(text: str) -> list[tuple[int, int]]:
    """Where a thread or a logger stands before the message."""
    logger = _LOGGER.search(text)
    end = logger.end() if logger is not None else 0
    spans = [logger.span()] if logger is not None else []
    limit = end or (text.find(" - ") if " - " in text[:400] else 0)
    spans.extend(
        found.span() for found in _THREAD.finditer(text, 0, max(limit, 0)) if not _SERVICE.search(found.group())
    )
    leading = _LEADING.match(text)
    if leading is not None and leading.end():
        spans.append(leading.span())
    return spans


def locate(text: str, excerpt: str) -> list[tuple[int, int]]:
    """Where the excerpt stands in the text: one span, or one a part; empty when the wording is not found."""
    excerpt = excerpt.strip().strip('"') if excerpt not in text else excerpt
    start = text.find(excerpt)
    if start >= 0 and excerpt:
        return [(start, start + len(excerpt))]
    squeezed, places = _squeeze(text)
    spans: list[tuple[int, int]] = []
    position = 0
    parts = [part for part in _ELLIPSIS.split(excerpt) if part.strip()]
    for part in parts:
        wanted, _places = _squeeze(part)
        found = squeezed.find(wanted, position)
        if found < 0 or not wanted:
            return _locate_fields(text, excerpt)
        spans.append((places[found], places[found + len(wanted) - 1] + 1))
        position = found + len(wanted)
    return spans


def _squeeze(text: str) -> tuple[str, list[int]]:
    characters, places = [], []
    for place, character in enumerate(text):
        if not character.isspace() and character not in "*`":
            lowered = character.lower()
            characters.append(lowered if len(lowered) == 1 else character)
            places.append(place)
    return "".join(characters), places


def _locate_fields(text: str, excerpt: str) -> list[tuple[int, int]]:
    """An excerpt of fields in another order: the place of each."""
    spans = []
    for field in re.split(r"[,;\s]+", excerpt):
        start = text.find(field)
        if not field or "=" not in field or start < 0:
            return []
        spans.append((start, start + len(field)))
    return spans
