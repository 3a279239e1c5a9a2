"""Fields: the `key=value` and `key: value` pairs of a text, and the objects of JSON.

Decides: which pairs a normal form states, and whether an excerpt that consists of nothing but pairs states pairs of the
text. Refuses: to join a key to a value that stands elsewhere, to choose between several values of one key, and to read
nested structures in any way but as JSON. Linear in the text: keys, values and their number are bounded. Protocol:
section 6.1, step 3.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from superbizagent.rules.edges import turned_round_by
from superbizagent.rules.normal_form import NormalText
from superbizagent.rules.tokens import splits_token

_MOST_FIELDS = 100_000
"""A text with more is not compared field by field."""
_LONGEST_VALUE = 512
_LONGEST_QUOTED = 8192
_MOST_OBJECTS = 8

_KEY = re.compile(
    r"(?:\"([^\"=:,;{}\[\]()]{1,80})\"|'([^'\"=:,;{}\[\]()]{1,80})'|([^\s\"'=:,;|{}\[\]()<>!]{1,80}))(?==|:)"
)
_BINDS = re.compile(r"=(?![=>~])|(?<=[\"']):|:(?=[\"'{\[])|: |(?<=[\u3040-\uffef]):")
_LONGEST_KEY = 80
_KEY_ENDS = str.maketrans(dict.fromkeys(" \"'=:,;|{}[]()<>!", "\n"))
_SEPARATORS = re.compile(r"[\s,;|&{}\[\]()]*")
_BARE = re.compile(rf"[^\s,;|\"(){{}}\[\]]{{1,{_LONGEST_VALUE}}}(?![^\s,;|\"(){{}}\[\]])")
_BETWEEN = re.compile(r"[\s,]*")
_VALUE_ENDS = re.compile(r"[.。!:]*(?:$|[,;|&)\]}]| - )")


class Field(NamedTuple):
    """One pair: its key begins at `start`, its value at `begins`, its quotes left out, and all of it ends at `end`."""

    key: str
    value: str
    start: int
    end: int
    begins: int


class Outcome(Enum):
    """What the fields of an excerpt are to a text."""

    STAND = "stand"
    NEGATED = "negated"
    SEVERAL = "several"
    DIFFER = "differ"


class Found(NamedTuple):
    """`word` is the negation, or the key that has several values."""

    outcome: Outcome
    word: str = ""


def fields_of(text: NormalText) -> list[Field]:
    """The fields of a normal form, in order; the first `_MOST_FIELDS`."""
    out: list[Field] = []
    plain = text.plain
    for binds in _BINDS.finditer(plain):
        key = _key_before(plain, binds.start())
        field = None if key is None else _field_at(text, *key, binds)
        if field is not None:
            out.append(field)
            if len(out) == _MOST_FIELDS:
                break
    return out


def _key_before(plain: str, place: int) -> tuple[str, int] | None:
    """The key that ends at the place and where it begins."""
    first = max(0, place - _LONGEST_KEY)
    quote = plain[place - 1 : place]
    if quote in ("'", '"') and quote:
        start = plain.rfind(quote, first, place - 1)
        return (plain[start + 1 : place - 1], start) if 0 <= start < place - 2 else None
    name = plain[first:place].translate(_KEY_ENDS).rpartition("\n")[2]
    return (name, place - len(name)) if 0 < len(name) < _LONGEST_KEY else None


def key_of_value(plain: str, start: int) -> str:
    """The key whose value begins at the place, without its quotes; empty where there is none."""
    place = start - 1 if start > 1 and plain[start - 1] in "\"'" else start
    before = plain[max(0, place - 2) : place]
    if before.endswith(": ") and place == start:
        end = place - 2
    elif before.endswith("=") or (before.endswith(":") and (place < start or before[0] in "\"'")):
        end = place - 1
    else:
        return ""
    key = _key_before(plain, end)
    return "" if key is None else key[0]


def only_fields(excerpt: NormalText) -> list[Field] | None:
    """The fields of an excerpt that holds nothing but fields and separators; None when anything else is left over."""
    out: list[Field] = []
    plain = excerpt.plain
    position = _behind_separators(plain, 0)
    while position < len(plain):
        key = _KEY.match(plain, position)
        binds = None if key is None else _BINDS.match(plain, key.end())
        if key is None or binds is None or len(out) == _MOST_FIELDS:
            return None
        field = _field_at(excerpt, key[1] or key[2] or key[3], key.start(), binds)
        if field is None:
            return None
        out.append(field)
        position = _behind_separators(plain, field.end)
    return out or None


def _behind_separators(plain: str, position: int) -> int:
    found = _SEPARATORS.match(plain, position)
    return position if found is None else found.end()


def _field_at(text: NormalText, name: str, start: int, binds: re.Match[str]) -> Field | None:
    """The field of the key that begins at `start`; None when it has no value of its own (a `{`, a `[`, the end).

    Behind a colon without quotes a value is one word that ends before a separator: else it is prose.
    """
    plain, place = text.plain, binds.end()
    if splits_token(plain, start) or place >= len(plain):
        return None
    quote = plain[place]
    if quote in "\"'":
        end = _closing_quote(plain, place)
        return None if end is None else Field(name, plain[place + 1 : end].strip(), start, end + 1, place + 1)
    end = _bare_end(text, place)
    if end == place or (binds[0] != "=" and _VALUE_ENDS.match(plain, end) is None):
        return None
    value = plain[place:end].rstrip(".。!:")
    return Field(name, value, start, place + len(value), place) if value else None


def _bare_end(text: NormalText, place: int) -> int:
    """Where a value without quotes ends; the commas of one number are part of it."""
    end = place
    while True:
        bare = _BARE.match(text.plain, end)
        end = end if bare is None else bare.end()
        if bare is None or end not in text.thousands:
            return end
        end += 1


def _closing_quote(plain: str, place: int) -> int | None:
    quote = plain[place]
    end = plain.find(quote, place + 1, place + _LONGEST_QUOTED)
    while end > 0 and plain[end - 1] == "\\":
        end = plain.find(quote, end + 1, place + _LONGEST_QUOTED)
    return end if end > 0 else None


class FieldIndex:
    """The fields of one text by key."""

    def __init__(self, text: NormalText) -> None:
        self._plain = text.plain
        self._fields = fields_of(text)
        self._places: dict[tuple[str, str], list[int]] = {}
        self._values: dict[str, set[str]] = {}
        for index, field in enumerate(self._fields):
            self._places.setdefault((field.key, field.value), []).append(index)
            self._values.setdefault(field.key, set()).add(field.value)

    def all(self) -> list[Field]:
        """The fields in order."""
        return self._fields

    def values(self, key: str) -> set[str]:
        """The values that the text gives the key."""
        return self._values.get(key, set())

    def around(self, place: int) -> Field | None:
        """The field inside or at whose value the place lies, its quotes included; None when there is none."""
        index = bisect_right(self._starts, place) - 1
        if index < 0:
            return None
        field = self._fields[index]
        return field if field.begins - 1 <= place < field.end else None

    @cached_property
    def _starts(self) -> list[int]:
        return [field.start for field in self._fields]

    def keys_of(self, value: str) -> set[str]:
        """The keys to which the text gives the value."""
        return self._keys_by_value.get(value, set())

    @cached_property
    def _keys_by_value(self) -> dict[str, set[str]]:
        keys: dict[str, set[str]] = {}
        for field in self._fields:
            keys.setdefault(field.value, set()).add(field.key)
        return keys

    def compare(self, wanted: Sequence[Field]) -> Found:
        """Whether every wanted field stands in the text, with one value only and not behind a negation."""
        several = ""
        if len(self._fields) == _MOST_FIELDS:
            return Found(Outcome.DIFFER)
        for field in wanted:
            places = self._places.get((field.key, field.value))
            if places is None:
                return Found(Outcome.DIFFER)
            words = [turned_round_by(self._plain, self._fields[index].start) for index in places]
            if all(words):
                return Found(Outcome.NEGATED, str(words[0]))
            if len(self.values(field.key)) > 1:
                several = several or field.key
        if several and not self._stand_together(wanted):
            return Found(Outcome.SEVERAL, several)
        return Found(Outcome.STAND)

    def _stand_together(self, wanted: Sequence[Field]) -> bool:
        """Whether the fields follow one another in the text as they do in the excerpt, nothing else between them."""
        pairs = [(field.key, field.value) for field in wanted]
        return any(
            [(field.key, field.value) for field in self._fields[first : first + len(pairs)]] == pairs
            and all(self._adjoin(index) for index in range(first, first + len(pairs) - 1))
            and turned_round_by(self._plain, self._fields[first].start) is None
            for first in self._places.get(pairs[0], ())[:64]
        )

    def _adjoin(self, index: int) -> bool:
        end, start = self._fields[index].end, self._fields[index + 1].start
        return _BETWEEN.fullmatch(self._plain, end, max(end, start)) is not None


# --- JSON -------------------------------------------------------------------------------------------------------


class _Repeated(ValueError):
    """A key stands twice in one object."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Repeated
    return value


def _number(digits: str) -> str:
    return digits


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_number, parse_float=_number, parse_constant=_number)


def states_same_object(excerpt: str, text: str) -> bool:
    """Whether the excerpt is a JSON object each of whose members stands, under the same path, in one of the text's."""
    if not (excerpt.startswith("{") and excerpt.endswith("}")):
        return False
    try:
        wanted = _DECODER.decode(excerpt)
        return any(_is_part(wanted, recorded) for recorded in objects_of(text))
    except (ValueError, RecursionError):
        return False


@lru_cache(maxsize=16)
def objects_of(text: str) -> tuple[Mapping[str, Any], ...]:
    """The outermost JSON objects in a text, the first `_MOST_OBJECTS`, none that stands behind a negation."""
    found: list[Mapping[str, Any]] = []
    position = text.find("{")
    for _ in range(_MOST_OBJECTS):
        if position < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position + 1
        else:
            if turned_round_by(text, position) is None:
                found.append(value)
        position = text.find("{", end)
    return tuple(found)


def _is_part(wanted: Any, recorded: Any) -> bool:
    if isinstance(wanted, dict) and isinstance(recorded, dict):
        return bool(wanted) and all(key in recorded and _is_part(value, recorded[key]) for key, value in wanted.items())
    return bool(wanted == recorded)
