"""The query of a log search: terms, `AND`, `OR` and `"phrases"`, widened by the lexicon.

`OR` binds tighter than `AND`, and terms that stand side by side are alternatives: `a b AND "c d"` asks for records
that have `c d` and one of `a`, `b`; words without any operator are ranked by how many of them a record has. Decides
which terms are searched and says so in `searched.terms`. Widening joins equals only. When a plain query finds nothing
as written, `narrowed` takes the words by which records speak of the same (a connection pool by the name of its
product), and `loosened` reads one phrase as its words and `active=50/50` as the fields `active=50` and `total=50`; each
says that it did. Protocol: section 2.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from superbizagent.contract.errors import UsageError
from superbizagent.rules.bearing import search_terms
from superbizagent.rules.lexicon import concepts_in, widen

_TOKEN = re.compile(r'"([^"]*)"|(\S+)')
_RATIO = re.compile(r"([A-Za-z_][A-Za-z0-9_.]{0,40})[=:](\d{1,12})/(\d{1,12})")
_PLAIN = re.compile(r"[A-Za-z0-9_]+(?:[-.][A-Za-z0-9_]+)*|[\u3400-\u9fff]+|[^\s\w]*\w[^\s]*")
_QUOTES = str.maketrans("“”„「」『』", '"""""""')
# Words that say nothing alone: with one of them most records would match.
_LIGHT = frozenset(
    "a after an and are as at be by for from has have in is it no not of on or out the to was with".split()
)
_LONGEST_NOTE = 500
_MOST_TERMS = 200
_TOTALS = ("total", "max", "maximum", "limit", "size")


class LogTerms(NamedTuple):
    """The groups to search (every group must have one of its terms) and what each written term was widened to.

    A record need have none of the `bearing` groups: the more it has, the better it matches. `plain` says that the query
    was written without operators.
    """

    groups: list[list[str]]
    widened: dict[str, list[str]]
    notes: list[str]
    written: tuple[str, ...] = ()
    bearing: Sequence[Sequence[str]] = ()
    plain: bool = False


def read_query(query: str | None) -> LogTerms:
    """The terms of a query; no groups for no query.

    Raises:
        UsageError: the query has too many terms, or an operator without a term.
    """
    groups, operators = _groups((query or "").translate(_QUOTES))
    written = tuple(term for group in groups for term in group)
    widened: dict[str, list[str]] = {}
    plain = not operators and len(groups) == 1
    if plain and len(written) > 1:
        groups[0].extend(_phrases(groups[0]))
    by_term = [[_forms(term, widened) for term in group] for group in groups]
    wide = [_unique([form for forms in group for form in forms]) for group in by_term]
    notes = []
    if {"AND", "OR"} <= operators:
        read = " AND ".join("(" + " OR ".join(group) + ")" for group in groups)
        notes.append(f"the query was read as {read}"[:_LONGEST_NOTE])
    return LogTerms(wide, widened, notes, written, by_term[0] if plain and len(written) > 1 else [], plain)


def _groups(query: str) -> tuple[list[list[str]], set[str]]:
    """The written terms by group, and which operators stand in the query; a phrase beside other terms counts as one."""
    groups: list[list[str]] = [[]]
    operators: set[str] = set()
    phrases = 0
    for phrase, word in _TOKEN.findall(query):
        if word == "AND":
            operators.add(word)
            if not groups[-1]:
                raise UsageError("`AND` needs a term on both sides")
            groups.append([])
        elif word == "OR":
            operators.add(word)
        elif word == "NOT":
            raise UsageError('a query has terms, `AND`, `OR` and "phrases"; it has no `NOT`')
        elif term := (phrase or word).strip():
            phrases += bool(phrase)
            groups[-1].append(term)
    if len(groups) > 1 and not groups[-1]:
        raise UsageError("`AND` needs a term on both sides")
    written = [group for group in groups if group]
    count = sum(len(group) for group in written)
    if count > _MOST_TERMS:
        raise UsageError(f"the query has more than {_MOST_TERMS} terms")
    if phrases and count > 1:
        operators.add("phrase")
    return written, operators


def narrowed(terms: LogTerms) -> LogTerms | None:
    """A plain query by the words in which records speak of its concepts, with a note; None when there are none."""
    if not terms.plain or not terms.groups:
        return None
    words = terms.groups[0]
    hits = {term: _whole_concepts(term) for term in terms.written}
    found = {term: _unique([form for one in ids for form in search_terms(one)]) for term, ids in hits.items()}
    forms = _unique([*words, *(form for narrow in found.values() for form in narrow)])
    if forms == words:
        return None
    widened = {**terms.widened, **{term: narrow for term, narrow in found.items() if narrow}}
    by_concept = [[*search_terms(one)] for ids in hits.values() for one in ids]
    note = "no record has the terms as written; the words by which records speak of the same were searched"
    return terms._replace(
        groups=[forms], widened=widened, notes=[*terms.notes, note], bearing=[*terms.bearing, *by_concept]
    )


def _whole_concepts(term: str) -> list[str]:
    """The concepts that a term consists of; none when something of it is left over."""
    hits = concepts_in(term)
    covered = {place for hit in hits for place in range(hit.start, hit.end)}
    left = [mark for place, mark in enumerate(term) if place not in covered and not mark.isspace()]
    return [] if left else list(dict.fromkeys(hit.concept.id for hit in hits))


def loosened(terms: LogTerms) -> LogTerms | None:
    """A query of one term read more loosely, with a note that says how; None when there is nothing to loosen."""
    if len(terms.written) != 1:
        return None
    term = terms.written[0]
    parts = _parts(term)
    if parts == [term]:
        return None
    first, *rest = parts
    ratio = _RATIO.fullmatch(term) is not None
    words = _unique([part for part in parts if part.lower() not in _LIGHT] or parts)
    groups = [[first], rest] if ratio else [words]
    note = f"no record has `{term}` as written; its parts were searched, the records with most of them first"
    bearing = [] if ratio else [[word] for word in words]
    return LogTerms(groups, {**terms.widened, term: parts}, [*terms.notes, note], terms.written, bearing)


def _forms(term: str, widened: dict[str, list[str]]) -> list[str]:
    """The term and what equals it."""
    forms = _unique([term, *widen(term)])
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
