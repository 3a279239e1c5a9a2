"""The query of a log search: terms, `AND`, `OR` and `"phrases"`, widened by the lexicon.

`OR` binds tighter than `AND`, and terms that stand side by side are alternatives: `a b AND "c d"` asks for records
that have `c d` and one of `a`, `b`. Decides which terms are searched and says so in `searched.terms`. Widening joins
equals only. When a query of one term finds nothing as written, `loosened` reads a phrase as its words and
`active=50/50` as the fields `active=50` and `total=50`, and says that it did. Protocol: section 2.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from superbizagent.contract.errors import UsageError
from superbizagent.rules.lexicon import concepts_in, widen

_TOKEN = re.compile(r'"([^"]*)"|(\S+)')
_RATIO = re.compile(r"([A-Za-z_][A-Za-z0-9_.]{0,40})[=:](\d{1,12})/(\d{1,12})")
_PLAIN = re.compile(r"[A-Za-z0-9_]+(?:[-.][A-Za-z0-9_]+)*|[\u3400-\u9fff]+|[^\s\w]*\w[^\s]*")
_MOST_TERMS = 200
_TOTALS = ("total", "max", "maximum", "limit", "size")


class LogTerms(NamedTuple):
    """The groups to search (every group must have one of its terms) and what each written term was widened to."""

    groups: list[list[str]]
    widened: dict[str, list[str]]
    notes: list[str]
    written: tuple[str, ...] = ()


def read_query(query: str | None) -> LogTerms:
    """The terms of a query; no groups for no query.

    Raises:
        UsageError: the query has too many terms, or an operator without a term.
    """
    groups: list[list[str]] = [[]]
    for phrase, word in _TOKEN.findall(query or ""):
        if word == "AND":
            if not groups[-1]:
                raise UsageError("`AND` needs a term on both sides")
            groups.append([])
        elif word != "OR":
            term = (phrase or word).strip()
            if term:
                groups[-1].append(term)
    if len(groups) > 1 and not groups[-1]:
        raise UsageError("`AND` needs a term on both sides")
    written = [group for group in groups if group]
    if sum(len(group) for group in written) > _MOST_TERMS:
        raise UsageError(f"the query has more than {_MOST_TERMS} terms")
    widened: dict[str, list[str]] = {}
    if len(written) == 1 and len(written[0]) > 1 and '"' not in (query or ""):
        written[0].extend(_phrases(written[0]))
    wide = [_unique([form for term in group for form in _forms(term, widened)]) for group in written]
    return LogTerms(wide, widened, [], tuple(term for group in written for term in group))


def loosened(terms: LogTerms) -> LogTerms | None:
    """A query of one term read more loosely, with a note that says how; None when there is nothing to loosen."""
    if len(terms.written) != 1:
        return None
    term = terms.written[0]
    parts = _parts(term)
    if parts == [term]:
        return None
    first, *rest = parts
    groups = [[first], rest] if _RATIO.fullmatch(term) else [_unique(parts)]
    note = f"no record has `{term}` as written; its parts were searched, the records with most of them first"
    return LogTerms(groups, {**terms.widened, term: parts}, [*terms.notes, note])


def _forms(term: str, widened: dict[str, list[str]]) -> list[str]:
    """The term, what equals it, and the equals of the concepts inside a run of Chinese that is no term of its own."""
    forms = _unique([term, *widen(term)])
    if len(forms) == 1 and any("\u3400" <= character <= "\u9fff" for character in term):
        found = concepts_in(term)
        forms = _unique([term, *(form for hit in found for form in hit.concept.forms)])
    if len(forms) > 1:
        widened[term] = forms[1:]
    return forms


def _phrases(words: Sequence[str]) -> list[str]:
    """Neighbouring words that the lexicon knows together: `connection pool` in `connection pool exhausted`."""
    text = " ".join(words)
    return [text[hit.start : hit.end] for hit in concepts_in(text) if " " in text[hit.start : hit.end]]


def _parts(term: str) -> list[str]:
    ratio = _RATIO.fullmatch(term)
    if ratio is not None:
        name, used, total = ratio.groups()
        return [f"{name}={used}", *(f"{label}={total}" for label in _TOTALS)]
    words = _PLAIN.findall(term)
    return words if len(words) > 1 else [term]


def _unique(terms: Sequence[str]) -> list[str]:
    return list({term.lower(): term for term in reversed(terms)}.values())[::-1]
