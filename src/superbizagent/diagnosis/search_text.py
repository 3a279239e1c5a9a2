"""What was searched, in sentences: of which source, over which window, how many records, and what that proves.

Decides: how a recorded call is told. Refuses: to tell *nothing found*, *could not be asked* and *cut* as one another,
or any of them as health. Protocol: sections 2 and 8.
"""

from superbizagent.contract.evidence import Searched, Window
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.diagnosis.answer_text import Wording, shown
from superbizagent.rules.allowed import Search

_MOST_TERMS = 8


def search_lines(search: Search, wording: Wording) -> list[str]:
    """The sentences about one call: one for each source that it asked."""
    if not search.searched:
        return [_line(search, None, wording)]
    return [_line(search, one, wording) for one in search.searched]


def _line(search: Search, one: Searched | None, wording: Wording) -> str:
    call = _call(search, one, wording)
    if search.status is EvidenceStatus.UNAVAILABLE:
        error = shown(search.error or "", 200)
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
    kept = shown(one.kept, 120) or wording.say("search", "kept_default")
    if one.records_matched is None:
        return wording.say("search", "truncated_unknown", n=f"{one.returned:,}", kept=kept)
    return wording.say("search", "truncated", n=f"{one.returned:,}", matched=f"{one.records_matched:,}", kept=kept)


def _call(search: Search, one: Searched | None, wording: Wording) -> str:
    details = _details(one, wording) if one is not None else []
    if not details:
        return wording.say("search", "call_plain", tool=search.tool_name, id=search.invocation_id)
    joined = ("，" if wording.lang.value == "zh" else ", ").join(details)
    return wording.say("search", "call", tool=search.tool_name, id=search.invocation_id, details=joined)


def _details(one: Searched, wording: Wording) -> list[str]:
    details = [wording.say("search", "source", source=shown(one.source, 120))]
    query = _query(one, wording)
    if query:
        details.append(wording.say("search", "query", query=query))
    details += [wording.say("search", "filter", name=shown(k, 40), value=shown(v, 80)) for k, v in one.filters.items()]
    window = _window(one.window, wording)
    if window:
        details.append(window)
    details += [wording.say("search", "unknown_entity", name=f"`{shown(name, 80)}`") for name in one.unknown_entities]
    return details


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
