"""Edges: where an excerpt may be cut without turning the meaning of the text round.

Decides: whether a place in a normal form stands directly behind a negation or a comparator, whether it lies between a
key and its value or a number and its unit, and where the negations of a text are. Refuses: to read grammar; only what
stands directly at the place counts. Constant time for a place, linear for a text. Protocol: section 6.1, steps 2 to 4.
"""

import re
from bisect import bisect_left

from superbizagent.rules.normal_form import NormalText
from superbizagent.rules.tokens import (
    JOINERS,
    begins_class_name,
    is_cjk,
    is_numeric,
    is_word,
    splits_token,
    token_end,
    token_start,
)
from superbizagent.rules.wordlists import (
    NEGATING_PHRASES,
    NEGATING_PHRASES_ZH,
    NEGATIONS,
    NEGATIONS_ZH,
    NOT_NEGATIONS_ZH,
    UNITS,
    UNITS_ZH,
)

_SKIPPED = frozenset(" \"'([{*_`~")
_MOST_SKIPPED = 8
_LONGEST_WORD = 24
_LONGEST_TAG = 100
_LONGEST_PHRASE_ZH = max(len(phrase) for phrase in NEGATING_PHRASES_ZH)
_VALUE_QUOTES = "\"'"


_SCALE_AHEAD = re.compile(
    r" ?(?:%|(?:percent|pct|percentage|thousand|million|billion|trillion)(?![0-9A-Za-z_]))|[万亿千百]|个百分点"
)


def cuts_token(text: NormalText, place: int) -> bool:
    """Whether the place lies inside a token, inside one number with thousands, or before what scales it (`12 万`)."""
    plain = text.plain
    if splits_token(plain, place):
        return place not in text.joints or _SCALE_AHEAD.match(plain, place) is not None
    digit = place - 2 if plain[place - 1 : place] == " " else place - 1
    if digit >= 0 and "0" <= plain[digit] <= "9" and _SCALE_AHEAD.match(plain, place) is not None:
        return True
    return bool(text.thousands) and (place in text.thousands or place - 1 in text.thousands)


def scale_behind(plain: str, place: int) -> str:
    """What scales the number that ends at the place: `万` of `12 万`, `million` of `1.2 million`; else empty."""
    found = _SCALE_AHEAD.match(plain, place)
    return "" if found is None else found[0].strip()


def may_stop_inside(text: NormalText, place: int) -> bool:
    """Whether an excerpt with a mark may stop inside this token: a word or identifier, no number, address or time.

    Nor inside a number that is a part of its own (a port, `-12`), nor inside a negation.
    """
    plain = text.plain
    start, end = token_start(plain, place), token_end(plain, place)
    if start == end or is_numeric(plain[start:end]) or place in text.thousands or place - 1 in text.thousands:
        return False
    if turned_round_by(plain, end) is not None:
        return False
    left, right = place, place
    while left > start and "0" <= plain[left - 1] <= "9":
        left -= 1
    while right < end and "0" <= plain[right] <= "9":
        right += 1
    splits_digits = left < place < right
    return not (splits_digits and not _is_letter(plain, left - 1) and not _is_letter(plain, right))


def _is_letter(plain: str, place: int) -> bool:
    return 0 <= place < len(plain) and is_word(plain[place])


def may_begin(text: NormalText, place: int) -> bool:
    """Whether a token begins here: also the last part of a dotted class name, but no rest of an arrow or operator."""
    if cuts_token(text, place) and not begins_class_name(text.cased, place):
        return False
    plain = text.plain
    if 0 < place < len(plain) and plain[place] in ">=":
        before = plain[place - 1]
        if plain[place] == "=":
            return before not in "<>!"
        return before not in "-=" and not _ends_tag(plain, place)
    return True


def turned_round_by(plain: str, place: int) -> str | None:
    """The negation or comparator directly before the place; None when there is none.

    White space, opening brackets and quotes between the two do not matter.
    """
    end = place
    while end > 0 and place - end < _MOST_SKIPPED and plain[end - 1] in _SKIPPED:
        end -= 1
    if end == 0:
        return None
    last = plain[end - 1]
    if last in "<>=":
        return _comparator(plain, end, attached=end == place)
    if last == "!":
        return _exclamation(plain, end, place)
    if is_cjk(last):
        tail = plain[max(0, end - _LONGEST_PHRASE_ZH) : end]
        phrase = next((phrase for phrase in NEGATING_PHRASES_ZH if tail.endswith(phrase)), None)
        return phrase or (last if last in NEGATIONS_ZH else None)
    if is_word(last):
        return _negating_word(plain, end)
    return None


def _comparator(plain: str, end: int, *, attached: bool) -> str | None:
    last, before = plain[end - 1], plain[end - 2 : end - 1]
    if last == "=":
        return before + last if before in ("<", ">", "!") and before else None
    if last == ">":
        is_arrow = before in ("-", "=") and before != ""
        return None if is_arrow or _ends_tag(plain, end - 1) else last
    return None if attached and _begins_tag(plain, end - 1) else last


def _ends_tag(plain: str, place: int) -> bool:
    """Whether the `>` at the place closes a `<tag>`: nothing but the tag between two tight angle brackets."""
    start = plain.rfind("<", max(0, place - _LONGEST_TAG), place)
    return 0 <= start < place - 1 and _is_tag(plain[start + 1 : place])


def _begins_tag(plain: str, place: int) -> bool:
    end = plain.find(">", place, place + _LONGEST_TAG)
    return end > place + 1 and _is_tag(plain[place + 1 : end])


def _is_tag(inside: str) -> bool:
    tight = inside[0] not in " =" and inside[-1] not in " -="
    return tight and "<" not in inside and ">" not in inside and (" " not in inside or "=" in inside)


def _exclamation(plain: str, end: int, place: int) -> str | None:
    """`!ready` negates; `Done! ready`, `!!tag` and `done!ready` do not."""
    start = end
    while start > 0 and end - start <= 2 and plain[start - 1] == "!":
        start -= 1
    alone = end - start == 1 and end == place
    return "!" if alone and (start == 0 or not (is_word(plain[start - 1]) or is_cjk(plain[start - 1]))) else None


def _negating_word(plain: str, end: int) -> str | None:
    word = _word_before(plain, end)
    start = end - len(word)
    if start > 0 and plain[start - 1] in JOINERS and splits_token(plain, start):
        return None
    if word in NEGATIONS or word.endswith("n't"):
        return word
    if start > 1 and plain[start - 1] == " ":
        first = _word_before(plain, start - 1)
        if (first, word) in NEGATING_PHRASES:
            return f"{first} {word}"
    return None


def _word_before(plain: str, end: int) -> str:
    start = end
    while start > 0 and end - start < _LONGEST_WORD and (plain[start - 1] == "'" or is_word(plain[start - 1])):
        start -= 1
    return plain[start:end].lstrip("'")


def parts_key_from_value(plain: str, place: int) -> bool:
    """Whether the place lies between a key and its value: `key=value`, `"key": value`. A colon in prose is no key."""
    if place <= 0 or place >= len(plain):
        return False
    before, behind = plain[place - 1], plain[place]
    if behind == "=":
        is_key = is_word(before) or is_cjk(before) or before in "\"')]"
        return is_key and plain[place + 1 : place + 2] not in ("=", ">", "~", "")
    if before == "=":
        return place > 1 and plain[place - 2] not in "=<>!~" and behind != "="
    if behind == ":":
        return before in _VALUE_QUOTES and place + 1 < len(plain)
    if before == ":":
        return place > 1 and plain[place - 2] in _VALUE_QUOTES
    if behind in _VALUE_QUOTES and plain[place + 1 : place + 2] == ":":
        return is_word(before) or is_cjk(before)
    return behind in _VALUE_QUOTES and plain[place + 1 : place + 2] == "=" and is_word(before)


def begins_value(plain: str, place: int) -> bool:
    """Whether a value begins here, its key before the place; also behind the value's opening quote."""
    if place > 1 and plain[place - 1] in _VALUE_QUOTES and parts_key_from_value(plain, place - 1):
        return True
    return parts_key_from_value(plain, place)


_UNIT_AHEAD = re.compile(
    rf" ?(?:{'|'.join(sorted(map(re.escape, UNITS), key=len, reverse=True))})(?![0-9A-Za-z_])|{'|'.join(UNITS_ZH)}"
)


def parts_number_from_unit(plain: str, place: int) -> bool:
    """Whether the place lies between a number and its unit, with or without their space."""
    end = place - 1 if place > 0 and plain[place - 1 : place] == " " else place
    is_number = end > 0 and "0" <= plain[end - 1] <= "9"
    return is_number and _UNIT_AHEAD.match(plain, end) is not None


_NEGATION = re.compile(
    r"(?<![0-9A-Za-z_.\-:/@+\\'])(?:"
    + "|".join(sorted(NEGATIONS, key=len, reverse=True))
    + r"|[a-z]{2,8}n't)(?![0-9A-Za-z_]|[.\-:/@+\\'][0-9A-Za-z_])|(?:"
    + "|".join(NOT_NEGATIONS_ZH)
    + ")|["
    + "".join(sorted(NEGATIONS_ZH))
    + "]"
)


class Negations:
    """The negations of a normal form, in order."""

    def __init__(self, plain: str) -> None:
        found = [place for place in _NEGATION.finditer(plain) if place[0] not in NOT_NEGATIONS_ZH]
        self._starts = [place.start() for place in found]
        self._words = [place[0] for place in found]

    def first_in(self, start: int, end: int) -> str | None:
        """The first negation that begins between two places; None when there is none."""
        index = bisect_left(self._starts, start)
        return self._words[index] if index < len(self._starts) and self._starts[index] < end else None
