"""What was searched, in sentences: of which source, over which window, how many records, and what that proves.

Decides: how a recorded call is told. Refuses: to tell *nothing found*, *could not be asked* and *cut* as one another,
or any of them as health. Protocol: sections 2 and 8.
"""

from collections.abc import Sequence

from superbizagent.contract.evidence import Searched, Window
from superbizagent.contract.tools import LOOKUP_KNOWLEDGE
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.diagnosis.answer_text import Wording, shown
from superbizagent.rules.allowed import Search

_MOST_TERMS = 8
_INDENT = "  "
_ABOUT_THE_QUERY = "the query was read as"


def common_window(searches: Sequence[Search], wording: Wording) -> str:
    """The window that every search with a window shares, in words; empty when they differ or have none."""
    windows = {_window(one.window, wording) for search in searches for one in search.searched} - {""}
    return windows.pop() if len(windows) == 1 else ""


def search_lines(search: Search, wording: Wording, *, with_window: bool = True) -> list[str]:
    """The sentences about one call, for each source that it asked: what came back, then what it asked for."""
    if not search.searched:
        return [_result(search, None, wording)]
    lines: list[str] = []
    for one in search.searched:
        lines.append(_result(search, one, wording, with_window=with_window))
        query = _query(one, wording)
        if query:
            lines.append(_INDENT + wording.say("search", "query", query=query))
        told = [note for note in one.notes if not note.startswith(_ABOUT_THE_QUERY)]
        if told and search.tool_name != LOOKUP_KNOWLEDGE:
            notes = "; ".join(shown(note, 200) for note in told)
            lines.append(_INDENT + wording.say("search", "notes", notes=notes))
    return lines


def _result(search: Search, one: Searched | None, wording: Wording, *, with_window: bool = True) -> str:
    call = _call(search, one, wording, with_window=with_window)
    if search.status is EvidenceStatus.UNAVAILABLE:
        error = shown(search.error or "", 200)
        if one is None and error:
            return wording.say("search", "no_source", call=call, error=error)
        return wording.say("search", "unavailable" if error else "unavailable_plain", call=call, error=error)
    if one is None:
        return wording.say("search", "skill", call=call)
    if not one.returned:
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


def _count(key: str, number: int | None, wording: Wording) -> str:
    return wording.say("search", f"{key}_unknown") if number is None else wording.say("search", key, n=f"{number:,}")


def _returned(one: Searched, wording: Wording) -> str:
    if not one.truncated:
        return wording.say("search", "returned", n=f"{one.returned:,}")
    known = wording.has("kept", one.kept)
    kept = wording.say("kept", one.kept) if known else shown(one.kept, 120) or wording.say("search", "kept_default")
    if one.records_matched is None:
        return wording.say("search", "truncated_unknown", n=f"{one.returned:,}", kept=kept)
    return wording.say("search", "truncated", n=f"{one.returned:,}", matched=f"{one.records_matched:,}", kept=kept)


def _call(search: Search, one: Searched | None, wording: Wording, *, with_window: bool) -> str:
    where = {"tool": search.tool_name, "id": search.invocation_id}
    if one is None:
        return wording.say("search", "call_plain", **where)
    call = wording.say("search", "call", **where, source=shown(one.source, 120))
    details = [wording.say("search", "filter", name=shown(k, 40), value=shown(v, 80)) for k, v in one.filters.items()]
    window = _window(one.window, wording) if with_window else ""
    details += [window] if window else []
    details += [wording.say("search", "unknown_entity", name=f"`{shown(name, 80)}`") for name in one.unknown_entities]
    if not details:
        return call
    return wording.say("search", "with", call=call, details=wording.say("search", "and").join(details))


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
