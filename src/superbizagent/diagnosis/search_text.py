"""What was searched, in sentences: of which source, over which window, how many records, and what that proves.

Decides: how a recorded call is told. Refuses: to tell *nothing found*, *could not be asked* and *cut* as one another,
or any of them as health. Protocol: sections 2 and 8.
"""

from collections.abc import Sequence

from superbizagent.contract.evidence import Searched, Window
from superbizagent.contract.tools import LOOKUP_KNOWLEDGE
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.diagnosis.answer_text import Wording, shown
from superbizagent.diagnosis.source_words import said_by_source
from superbizagent.rules.allowed import Search

_MOST_TERMS = 8
_INDENT = "  "
_UNAVAILABLE = "unavailable: "
_NOT_SHOWN = ("the query was read as", _UNAVAILABLE)


def common_window(searches: Sequence[Search], wording: Wording) -> str:
    """The window that every search with a window shares, in words; empty when they differ or have none."""
    windows = {_window(one.window, wording) for search in searches for one in search.searched} - {""}
    return windows.pop() if len(windows) == 1 else ""


def search_lines(searches: Sequence[Search], wording: Wording, *, with_window: bool = True) -> list[str]:
    """The sentences about the calls, for each source that was asked: what came back, then what was asked for.

    Calls of one tool that came to the same are told once, with all their numbers.
    """
    told: dict[tuple[str, ...], tuple[Search, Searched | None, list[int]]] = {}
    for search in searches:
        asked_of: list[Searched | None] = [*search.searched] or [None]
        for one in asked_of:
            lines = _lines(search, one, [search.invocation_id], wording, with_window=with_window)
            plain = _lines(search, one, [], wording, with_window=with_window) if one is not None else lines
            told.setdefault(tuple(plain), (search, one, []))[2].append(search.invocation_id)
    return [
        line
        for search, one, ids in told.values()
        for line in _lines(search, one, ids, wording, with_window=with_window)
    ]


def _lines(
    search: Search, one: Searched | None, ids: Sequence[int], wording: Wording, *, with_window: bool
) -> list[str]:
    lines = [_result(search, one, ids, wording, with_window=with_window)]
    if one is None:
        return lines
    query = _query(one, wording)
    if query:
        lines.append(_INDENT + wording.say("search", "query", query=query))
    told = [note for note in one.notes if not note.startswith(_NOT_SHOWN)]
    if told and search.tool_name != LOOKUP_KNOWLEDGE:
        notes = wording.say("search", "between").join(shown(said_by_source(note, wording.lang), 200) for note in told)
        lines.append(_INDENT + wording.say("search", "notes", notes=notes))
    return lines


def _result(
    search: Search, one: Searched | None, ids: Sequence[int], wording: Wording, *, with_window: bool = True
) -> str:
    call = _call(search, one, ids, wording, with_window=with_window)
    if _is_down(search, one):
        error = shown(_error(search, one, wording), 200)
        if one is None and error:
            return wording.say("search", "no_source", call=call, error=error)
        return wording.say("search", "unavailable" if error else "unavailable_plain", call=call, error=error)
    if one is None:
        return wording.say("search", "skill", call=call)
    if not one.returned and not one.records_matched:
        if one.records_searched is None:
            return wording.say("search", "no_evidence_unknown", call=call)
        return wording.say("search", "no_evidence", call=call, n=f"{one.records_searched:,}")
    return wording.say(
        "search",
        "ok",
        call=call,
        looked=_count("looked", one.records_searched, wording),
        matched=_count("matched", one.records_matched, wording),
        returned=_returned(one, wording),
    )


def _is_down(search: Search, one: Searched | None) -> bool:
    """Whether this source of the call could not be asked: of several, only the one that says so."""
    if one is None:
        return search.status is EvidenceStatus.UNAVAILABLE
    says_so = any(note.startswith(_UNAVAILABLE) for note in one.notes)
    several = len(search.searched) > 1
    return says_so or (search.status is EvidenceStatus.UNAVAILABLE and not several)


def _error(search: Search, one: Searched | None, wording: Wording) -> str:
    """Why a source could not be asked, in the answer's language."""
    said = (
        next((note.removeprefix(_UNAVAILABLE) for note in one.notes if note.startswith(_UNAVAILABLE)), "")
        if one
        else ""
    )
    error = said or (search.error or "")
    if one is not None:
        error = error.removeprefix(f"{one.source}: ")
    return said_by_source(error, wording.lang) if error else ""


def _count(key: str, number: int | None, wording: Wording) -> str:
    return wording.say("search", f"{key}_unknown") if number is None else wording.say("search", key, n=f"{number:,}")


def _returned(one: Searched, wording: Wording) -> str:
    if not one.truncated:
        return wording.say("search", "returned", n=f"{one.returned:,}")
    kept = shown(said_by_source(one.kept, wording.lang), 160) or wording.say("search", "kept_default")
    if one.records_matched is None:
        return wording.say("search", "truncated_unknown", n=f"{one.returned:,}", kept=kept)
    return wording.say("search", "truncated", n=f"{one.returned:,}", matched=f"{one.records_matched:,}", kept=kept)


def _call(search: Search, one: Searched | None, ids: Sequence[int], wording: Wording, *, with_window: bool) -> str:
    numbers = wording.say("search", "and").join(str(number) for number in ids)
    where = {"tool": search.tool_name, "id": numbers}
    if one is None:
        return wording.say("search", "call_plain", **where)
    source = shown(said_by_source(one.source, wording.lang, quote=False), 120)
    call = wording.say("search", "calls" if len(ids) > 1 else "call", **where, source=source)
    details = [
        wording.say("search", "filter", name=_filter_name(name, wording), value=shown(value, 80))
        for name, value in one.filters.items()
    ]
    window = _window(one.window, wording) if with_window else ""
    details += [window] if window else []
    details += [wording.say("search", "unknown_entity", name=f"`{shown(name, 80)}`") for name in one.unknown_entities]
    if not details:
        return call
    return wording.say("search", "with", call=call, details=wording.say("search", "and").join(details))


def _filter_name(name: str, wording: Wording) -> str:
    return wording.say("filters", name) if wording.has("filters", name) else shown(name, 40)


def _query(one: Searched, wording: Wording) -> str:
    """The query, shortened: a widened query may have dozens of terms."""
    terms = [term.strip() for group in one.query.split(" AND ") for term in group.split(" OR ") if term.strip()]
    if not terms:
        return ""
    if len(terms) <= _MOST_TERMS:
        return shown(one.query, 200)
    first = ", ".join(shown(term, 40) for term in terms[:_MOST_TERMS])
    return wording.say("search", "many_terms", terms=first, n=len(terms) - _MOST_TERMS)


def _window(window: Window, wording: Wording) -> str:
    since = wording.time(window.since) if window.since is not None else None
    until = wording.time(window.until) if window.until is not None else None
    if since is not None and until is not None:
        return wording.say("search", "window", since=since, until=until)
    if since is not None:
        return wording.say("search", "since", since=since)
    return wording.say("search", "until", until=until) if until is not None else ""
