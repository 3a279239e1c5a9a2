"""Tokens: where words, numbers and identifiers begin and end.

Decides: what one token is, and whether a place in a text lies inside one. A token is a run of letters, digits and `_`,
joined by inner `. - : / @ + \\ '`, with its sign and `%`; a Chinese or Japanese character is a token of its own.
Refuses: to depend on the Unicode tables of the Python that runs it; the classes of characters are ranges written here.
Every pattern is linear in its input. Protocol: section 6.1, step 1.
"""

import re
from enum import Enum
from itertools import pairwise

_WORD = (
    "0-9A-Za-z_\u00aa\u00b0\u00b2\u00b3\u00b5\u00b9\u00ba\u00bc-\u00be\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u037d"
    "\u037f-\u0386\u0388-\u060b\u060d-\u061a\u0620-\u180d\u180f-\u1fff\u2070-\u209f\u2100-\u218f\u2460-\u24ff"
    "\u2776-\u2793\u2c00-\u2dff\ua000-\ud7ff\ufb00-\ufdff\ufe70-\ufefe\U00010000-\U0001efff"
)
"""Letters, marks and digits of all scripts but the CJK ones. Superscripts, fractions and circled digits are among them:
`10⁹` is one token, so that `10` is no part of it that may be cut out."""

_CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3040-\u30ff\u3105-\u312f\u31a0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
JOINERS = frozenset(".-:/@+\\'")
_JOIN = r"(?:'|[.\-:/@+\\]{1,4})"
_LONGEST_JOIN = 4

CJK_CHARACTER = re.compile(f"[{_CJK}]")
WORD_CHARACTER = re.compile(f"[{_WORD}]")
TOKEN = re.compile(
    rf"(?:(?<![{_WORD}.\-:/@+\\'])[-+.](?=[0-9]))?[{_WORD}]+(?:{_JOIN}[{_WORD}]+)*[%‰]?|[{_CJK}]",
)
SPACE_AT_CJK = re.compile(f"(?<=[{_CJK}]) | (?=[{_CJK}])")
OUTER_APOSTROPHE = re.compile(f"(?<![{_WORD}])'|'(?![{_WORD}])")
COLON_AFTER_CJK = re.compile(f"(?<=[{_CJK}]): ")

_ASCII_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_DIGITS = frozenset("0123456789")

_NUMBER = re.compile(r"([-+.]?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:e[-+]?[0-9]{1,3})?)((?:[a-zA-Zμ°]{1,12}(?:/s)?)|[%‰])?")
_DATE = re.compile(
    r"[0-9]{2,4}[-/.][0-9]{1,2}(?:[-/.][0-9]{1,4})?(?:[tT_:-]?[0-9]{1,2}(?::[0-9]{0,2}){0,2}(?:\.[0-9]{0,9})?)?"
    r"(?:[zZ]|[-+][0-9]{2}:?[0-9]{0,2})?|[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:\.[0-9]{0,9})?[zZ]?"
)
_NUMERIC = re.compile(r"[-+.]?v?[0-9]+(?:[.\-:/+,tT]+[0-9]+)*(?:[zZ]|[%‰]|[a-zμ°]{1,3}(?:/s)?)?")
_DURATION = re.compile(r"[-+.]?[0-9]{1,9}[a-z]{1,2}(?:[0-9]{1,9}[a-z]{1,2}){1,4}")
_LONGEST_NUMERIC = 80
_LONGEST_WALK = 4096
"""A token longer than this is looked at no further."""


class Kind(Enum):
    """What a token is for the comparison of facts."""

    NUMBER = "number"
    NUMERIC = "numeric"
    """A time, date, duration, address, ratio or version: digits and joiners."""
    IDENTIFIER = "identifier"
    WORD = "word"


def is_word(character: str) -> bool:
    """Whether the character is part of words: a letter, digit or `_`, and no CJK character."""
    return character in _ASCII_WORD or (character > "\x7f" and WORD_CHARACTER.match(character) is not None)


def is_cjk(character: str) -> bool:
    """Whether the character is a token of its own."""
    return character > "\u2e7f" and CJK_CHARACTER.match(character) is not None


def tokens_of(text: str) -> list[str]:
    """The tokens of a normal form, in order."""
    return TOKEN.findall(text)


def splits_token(text: str, place: int) -> bool:
    """Whether the place between `text[place - 1]` and `text[place]` lies inside a token. Constant time."""
    if place <= 0 or place >= len(text):
        return False
    before, behind = text[place - 1], text[place]
    if behind in "%‰":
        return is_word(before)
    word_before, word_behind = is_word(before), is_word(behind)
    if word_before and word_behind:
        return True
    left = place
    while left > 0 and place - left <= _LONGEST_JOIN and text[left - 1] in JOINERS:
        left -= 1
    right = place
    while right < len(text) and right - place <= _LONGEST_JOIN and text[right] in JOINERS:
        right += 1
    run = text[left:right]
    if not run or right == len(text) or not is_word(text[right]):
        return False
    if left == 0 or not is_word(text[left - 1]):
        return left == place - 1 and run in ("-", "+", ".") and text[right] in _DIGITS
    return len(run) == 1 or (len(run) <= _LONGEST_JOIN and "'" not in run)


def token_start(text: str, place: int) -> int:
    """Where the token begins that the place lies inside or at the end of; `place` when there is none."""
    start = place
    while (
        place - start < _LONGEST_WALK
        and start > 0
        and (splits_token(text, start) or (start == place and is_word(text[start - 1])))
    ):
        start -= 1
    return start


def token_end(text: str, place: int) -> int:
    """Where the token ends that the place lies inside of or begins; `place` when there is none."""
    end = place
    while (
        end - place < _LONGEST_WALK
        and end < len(text)
        and (splits_token(text, end) or (end == place and is_word(text[end])))
    ):
        end += 1
    return end


def begins_class_name(cased: str, place: int) -> bool:
    """Whether the last part of a dotted class name begins here: lower-case packages, a capital in the last part.

    Hosts, versions and addresses have no such part.
    """
    if place < 2 or cased[place - 1] != ".":
        return False
    start = place - 1
    while start > 0 and place - start < 256 and (cased[start - 1] in ".$" or cased[start - 1] in _ASCII_WORD):
        start -= 1
    if start > 0 and (cased[start - 1] in JOINERS or is_word(cased[start - 1])):
        return False
    packages = cased[start : place - 1].split(".")
    if not all(part.isidentifier() and part == part.lower() for part in packages):
        return False
    end = place
    while end < len(cased) and end - place < 256 and cased[end] in _ASCII_WORD:
        end += 1
    name = cased[place:end]
    return name[:1].isalpha() and name != name.lower() and not splits_token(cased, end)


def split_number(token: str) -> tuple[str, str] | None:
    """Number and unit of a token such as `-5`, `91%`, `30001ms`; None when it is no number."""
    found = _NUMBER.fullmatch(token) if len(token) <= _LONGEST_NUMERIC else None
    return None if found is None else (found[1], found[2] or "")


def is_numeric(token: str) -> bool:
    """Whether the token is a number, address, time, date, duration, ratio or version: no part may be cut off."""
    if len(token) > _LONGEST_NUMERIC:
        return False
    forms = (_NUMERIC, _NUMBER, _DURATION, _DATE)
    return any(form.fullmatch(token) is not None for form in forms)


def is_date(token: str) -> bool:
    """Whether the token is a date or a time of day, whole or cut."""
    return len(token) <= _LONGEST_NUMERIC and _DATE.fullmatch(token) is not None


def is_identifier(cased: str) -> bool:
    """Whether a token, in its own letter case, names something: a digit, an inner joiner or `_`, an inner capital."""
    if any(
        character in _DIGITS or (character in JOINERS and character != "'") or character == "_" for character in cased
    ):
        return True
    return any(a.islower() and b.isupper() for a, b in pairwise(cased))


def kind_of(token: str, cased: str) -> Kind:
    """The kind of a token, from its normal form and its own letter case."""
    if split_number(token) is not None:
        return Kind.NUMBER
    if is_numeric(token):
        return Kind.NUMERIC
    return Kind.IDENTIFIER if is_identifier(cased) else Kind.WORD
