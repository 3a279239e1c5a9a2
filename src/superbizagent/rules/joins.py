"""Joins: what an ellipsis puts side by side, and where that says what the text does not.

Decides: whether a cut between two parts of an excerpt gives the end of the first what belongs to something else in the
text: a key or noun the value of another one (`latency … 30ms`), a number another one's unit or noun (`3 … rows`), the
inside of one quoted field the inside of another, a subject the field of a later subject (`pool=A … active=3`).
Refuses: to read grammar, and to look further than the words directly at the cut and the fields in the gap. What is told
with its own label, and a sentence of its own, may be joined to anything. Beside the fields of the text the work is
bounded for a cut. Protocol: section 6.1, step 4.
"""

import re
from enum import Enum
from typing import NamedTuple

from superbizagent.rules.edges import cuts_token, turned_round_by
from superbizagent.rules.fields import Field, FieldIndex
from superbizagent.rules.normal_form import NormalText
from superbizagent.rules.readings import Form
from superbizagent.rules.tokens import (
    TOKEN,
    Kind,
    is_cjk,
    is_date,
    is_numeric,
    is_word,
    kind_of,
    split_number,
    splits_token,
    token_end,
    token_start,
)
from superbizagent.rules.wordlists import AMBIGUOUS_STATES, COUNTERS_ZH, FUNCTION_WORDS, LEVELS, STATES, UNITS, UNITS_ZH

_LONGEST_GAP = 4_096
"""Characters of a gap that are searched for its labels, from its end."""
_LONGEST_LABEL = 64
_COMPARATORS = ("<", ">", "<=", ">=", "!=")


class Cut(NamedTuple):
    """Two parts of an excerpt where they stand in a text; what is between `left_end` and `right` is left out."""

    left: int
    left_end: int
    right: int
    right_end: int


def misleads(cut: Cut, form: Form) -> bool:
    """Whether the cut joins what does not belong together in the text."""
    plain = form.text.plain
    end = token_end(plain, cut.left_end) if cuts_token(form.text, cut.left_end) else cut.left_end
    if end >= cut.right:
        return False
    cut = cut._replace(left_end=end)
    if _takes_negation(plain, end, cut.right):
        return True
    if _label_to_value(cut, form.text) or _number_to_noun(cut, plain) or _passes_same_label(cut, plain):
        return True
    return _BINDING.search(plain, end, cut.right) is not None and _field_to_field(cut, plain, form.fields)


_CLAUSE_ENDS = ',;.。)]}"|'


def _takes_negation(plain: str, end: int, right: int) -> bool:
    """Whether the cut is made directly behind a negation or, before a number, a comparator: it turns round the rest."""
    word = turned_round_by(plain, end)
    if word is None or plain[end] in _CLAUSE_ENDS:
        return False
    return word not in _COMPARATORS or plain[right].isdigit()


# --- a label before the cut, a value behind it ------------------------------------------------------------------


class _Sort(Enum):
    """What sort of value stands at a place: only like values are taken for one another."""

    NUMBER = "number"
    TIME = "time"
    NAME = "name"
    STATE = "state"


class _Value(NamedTuple):
    """A value in a text: `start` is where it is led in (a quote, a copula), `end` where its token ends."""

    sort: _Sort
    start: int
    end: int


_COPULAS = "is|was|are|were|at|of|to|has|had|reached|about|as"
_COPULAS_ZH = "达到|为|是|达|共|约|仅|有|在"
_LEAD = re.compile(rf"[ \"'(\[{{:=<>~]{{0,4}}(?:(?:{_COPULAS}) |{_COPULAS_ZH})?[\"'(\[<>=~]{{0,3}}")
_LED = re.compile(rf"(?:(?<![0-9a-z_])(?:{_COPULAS}) |{_COPULAS_ZH})?[ \"'(\[{{:=<>~]{{0,4}}$")
_NAMES = re.compile(r"[0-9_.\-:/@\\]")
_NO_SUBJECTS = FUNCTION_WORDS - {"is", "was", "are", "were", "has", "had"}
_RATIO = re.compile("[0-9]{1,12}/[0-9]{1,12}")
_BREAK = re.compile(r"[;|。、]|[!?] |,(?![0-9])|(?<![0-9]),|[.:] | (?:and|but|while|or|then) |且|而|但|和|与")
_SENTENCE_END = re.compile(r"(?:[.!?] |[;。])$")
_STATE_FORMS = {form for row in (*STATES, *LEVELS) for form in row} - AMBIGUOUS_STATES | {"up"}
_STATE_WORDS = frozenset(form for form in _STATE_FORMS if form.isascii())
_STATE_WORDS_ZH = tuple(sorted(form for form in _STATE_FORMS if not form.isascii()))


def _label_to_value(cut: Cut, text: NormalText) -> bool:
    """Whether a label whose own value the gap leaves out gets a like value that has another label there."""
    plain = text.plain
    label = _label_before(plain[max(cut.left, cut.left_end - _LONGEST_LABEL) : cut.left_end])
    if not label or is_numeric(label):
        return False
    own, other = _value_at(text, cut.left_end), _value_at(text, cut.right)
    if other is not None and _key_to_value(cut, plain, label, other):
        return True
    if own is None or other is None or own.sort is not other.sort or own.end > cut.right:
        return False
    gap = plain[max(own.end, cut.right - _LONGEST_GAP) : cut.right]
    other_label = _label_before(gap[-_LONGEST_LABEL:])
    if own.sort in (_Sort.STATE, _Sort.NAME) and (label in _NO_SUBJECTS or other_label in _NO_SUBJECTS):
        return False
    if _BREAK.search(gap) is not None:
        return bool(other_label) or not (_SENTENCE_END.search(gap) and _has_own_noun(plain, other.end, cut.right_end))
    if own.sort is not _Sort.NUMBER or not _is_noun(label):
        return False
    has_unit = not plain[other.end - 1].isdigit()
    cased = text.cased[max(own.end, cut.right - _LONGEST_LABEL) : cut.right]
    is_cell = other_label in _STATE_WORDS and not has_unit and _label_before(cased).istitle()  # `Running 25` in a table
    return _is_noun(other_label) and other_label not in _NO_SUBJECTS and not is_cell


_KEY_ENDS = re.compile(r"[\"')\]]{0,2}(?::(?=[ \"])|=(?![=>~]))")
_KEY_BEFORE = re.compile(r"([\w.-]{1,60})[\"')\]]{0,2}(?:: ?|=)[\"'(\[]{0,2}$")
_VALUE_ENDS = re.compile(r"[\"')\]]{0,2}(?:$|[,;|)\]}]| - [\w.-]{1,60}[:=])")


def _key_to_value(cut: Cut, plain: str, label: str, other: _Value) -> bool:
    """Whether a key is cut off before its colon and gets the value behind another colon: ` - User: a - IP: b`."""
    behind = _KEY_ENDS.match(plain, cut.left_end)
    if behind is None or label in _STATE_WORDS or _VALUE_ENDS.match(plain, other.end) is None:
        return False
    key = _KEY_BEFORE.search(plain, max(behind.end(), cut.right - _LONGEST_LABEL), cut.right)
    return key is not None and key[1].isalnum()


def _label_before(plain: str) -> str:
    """The token at the end, behind which a value would stand: `latency` of `latency was (`; empty where none does."""
    led = _LED.search(plain, max(0, len(plain) - 24))
    before = plain if led is None else plain[: led.start()]
    return _token_before(before, len(before)) or _token_before(plain, len(plain))


def _token_before(plain: str, place: int) -> str:
    """The token that ends at the place; empty where none does."""
    if place <= 0 or not (is_word(plain[place - 1]) or is_cjk(plain[place - 1]) or plain[place - 1] in "%‰"):
        return ""
    return plain[place - 1] if is_cjk(plain[place - 1]) else plain[token_start(plain, place) : place]


def _is_noun(token: str) -> bool:
    return token != "" and (token.isalpha() or is_cjk(token))


def _value_at(text: NormalText, place: int) -> _Value | None:
    """The number, address, name or state that stands directly at the place; None where none does."""
    lead = _LEAD.match(text.plain, place)
    start = place if lead is None else lead.end()
    if text.plain.startswith(_STATE_WORDS_ZH, start):
        return _Value(_Sort.STATE, place, start + 1)
    token = TOKEN.match(text.plain, start)
    if token is None or is_cjk(token[0]) or text.plain[token.end() : token.end() + 1] in ("=", ":"):
        return None
    kind = kind_of(token[0], text.cased[token.start() : token.end()])
    if kind is Kind.NUMBER or _RATIO.fullmatch(token[0]) is not None:
        return _Value(_Sort.NUMBER, place, token.end())
    if kind is Kind.WORD:
        return _Value(_Sort.STATE, place, token.end()) if token[0] in _STATE_WORDS else None
    if is_date(token[0]):
        return _Value(_Sort.TIME, place, token.end())
    return _Value(_Sort.NAME, place, token.end()) if _NAMES.search(token[0]) is not None else None


def _has_own_noun(plain: str, place: int, end: int) -> bool:
    """Whether a word follows the value within its part: `30 requests failed` is told with its own label."""
    found = TOKEN.match(plain, place + 1 if plain.startswith(" ", place) else place)
    return found is not None and found.end() <= end and not found[0][0].isdigit()


# --- a number before the cut, a noun or unit behind it ----------------------------------------------------------

_UNIT = "|".join(sorted(map(re.escape, (*UNITS, *UNITS_ZH, *COUNTERS_ZH)), key=len, reverse=True))
_COUNTED = re.compile(
    rf"(?<![0-9a-zA-Z_.\-:/@+\\])[-+]?[0-9]{{1,24}}(?:[.,][0-9]{{1,24}})?(?: ?(?:{_UNIT}))? ?$", re.IGNORECASE
)
_WORD_AHEAD = re.compile(r"[^\W\d_][\w.\-]{0,80}")
_COUNTER_AHEAD = re.compile("|".join(COUNTERS_ZH))


def _number_to_noun(cut: Cut, plain: str) -> bool:
    """Whether a number loses its own noun to the gap and gets that of another number; or a counter has none."""
    gap = plain[max(cut.left_end, cut.right - _LONGEST_LABEL) : cut.right]
    if not gap or not _begins_word(plain, cut.right) or _COUNTED.search(gap) is None:
        return False
    if _COUNTER_AHEAD.match(plain, cut.right) is not None and "0" <= gap[-1] <= "9":
        return True
    left = plain[max(cut.left, cut.left_end - _LONGEST_LABEL) : cut.left_end]
    behind = cut.left_end + 1 if plain.startswith(" ", cut.left_end) else cut.left_end
    return _COUNTED.search(left) is not None and _begins_word(plain, behind)


def _begins_word(plain: str, place: int) -> bool:
    """Whether a word begins at the place that is no key."""
    word = _WORD_AHEAD.match(plain, place)
    return word is not None and plain[word.end() : word.end() + 1] not in ("=", ":")


# --- the same label on the way ----------------------------------------------------------------------------------

_LABELLED = re.compile(
    r"[\"']?([a-zA-Z_][\w.\-]{0,60})([\"']?[=:][\"']?|: | )([^\s\"',;|()\[\]{}]{1,80})"
    r"|([\u4e00-\u9fff]{1,6})(:?)(-?[0-9][0-9.,]{0,40})"
)
_MOST_LABELS = 16
"""A gap that has the label oftener is taken to have another value of it."""


def _passes_same_label(cut: Cut, plain: str) -> bool:
    """Whether the part behind the cut begins with a labelled value of which the gap has another: of something else."""
    found = _LABELLED.match(plain, cut.right, min(cut.right_end, cut.right + 200))
    if found is None:
        return False
    label, binds, value = found.group(1, 2, 3) if found[1] is not None else found.group(4, 5, 6)
    is_field = "=" in binds or '"' in binds
    if not is_field and split_number(value.rstrip(".,")) is None:
        return False
    lead, tries = label + binds, _MOST_LABELS
    place = plain.find(lead, max(cut.left_end, cut.right - _LONGEST_GAP), cut.right)
    while place >= 0 and tries > 0:
        behind = place + len(lead)
        is_value = plain[behind].isdigit() or plain[behind] == "-" or (is_field and plain[behind] != " ")
        is_same = plain.startswith(value, behind) and not splits_token(plain, behind + len(value))
        if is_value and not is_same and not _in_word(plain, place):
            apart = binds != " " or _BREAK.search(plain, behind, cut.right) is not None
            return apart and not _has_label(plain, cut, label)
        tries -= 1
        place = plain.find(lead, place + 1, cut.right)
    return place >= 0


def _in_word(plain: str, place: int) -> bool:
    return place > 0 and is_word(plain[place - 1]) and is_word(plain[place])


def _has_label(plain: str, cut: Cut, label: str) -> bool:
    place = plain.find(label, cut.left, cut.left_end)
    return place >= 0 and not _in_word(plain, place)


# --- fields -----------------------------------------------------------------------------------------------------

_BINDING = re.compile("[=:]")


def _field_to_field(cut: Cut, plain: str, fields: FieldIndex) -> bool:
    """Whether a value whose key the gap leaves out is joined to something that it does not belong to."""
    field = fields.around(cut.right)
    if field is None or field.start < cut.left_end or _is_prose(field, plain):
        return False
    if cut.right <= field.begins:
        return True
    own: Field | None = fields.around(cut.left_end)
    if own is not None and own.begins <= cut.left_end < own.end:
        return True
    return bool(fields.values(_token_before(plain, cut.left_end)))


def _is_prose(field: Field, plain: str) -> bool:
    """Whether the colon of a field is one of a sentence: `failed: Pool - full`; `, server: a,` is none."""
    if plain[field.begins - 1] != " " and not (plain[field.begins - 1] == ":" and is_cjk(plain[field.begins - 2])):
        return False
    leads = field.start == 0 or plain[field.start - 1] in ",;|{([。、"
    ends = field.end >= len(plain) or plain[field.end] in ",;|})]。、"
    return " " in field.key or not (leads and ends)
