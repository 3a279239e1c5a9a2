"""The normal form: what is formatting in a text, and what is left of it when the formatting is gone.

Decides: that white space, letter case, full-width and other compatibility forms, quotes, dashes, colours, zero-width
characters, Markdown, entities, escapes and Chinese variants change nothing. Where two readings are possible (an entity
that may be meant as it stands, `30,000`, `90 %`, a wrapped ` - ` that looks like a list mark) both are tried: a reading
never rewrites the text. Refuses: to fold superscripts, subscripts, fractions, circled digits, bidirectional marks,
brackets and the characters of identifiers; they are content. The tables are pinned (Unicode 3.2 as every Python has it,
and one table of Chinese variants), so that a text has the same normal form today and in a year. Time and memory are
linear in the text. Protocol: section 6.1, step 1.
"""

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from html.entities import html5
from importlib import resources
from itertools import accumulate
from unicodedata import ucd_3_2_0

from superbizagent.rules.tokens import COLON_AFTER_CJK, JOINERS, OUTER_APOSTROPHE, SPACE_AT_CJK, is_cjk, is_word
from superbizagent.rules.wordlists import LIST_WORDS, UNITS

NORMAL_FORM_VERSION = "normal.2+unicode-3.2+opencc-1.4.2"

# Marks for the commas of `30,000` while a text is folded: surely thousands, or a list as well. No text has them: the
# fold below takes them out of whatever comes in.
THOUSANDS = "\ue000"
EITHER = "\ue001"
# Commas between groups of digits inside an identifier, a date or a range: no other reading, and no place for a cut.
INNER = "\ue003"
# And for the space that stood between a number and its unit.
JOINT = "\ue002"

_BRACKETING = ',;=()[]{}|"'
_LONGEST_FOR_ITALICS = 65_536


# --- characters -------------------------------------------------------------------------------------------------

_WHITE = "\t\v\x0c\x1c\x1d\x1e\x1f\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_LINE_ENDS = "\r\x85\u2028\u2029"
_ZERO_WIDTH = "\u00ad\u200b\u200c\u200d\u2060\ufeff\ufe0e\ufe0f"
_DOUBLE_QUOTES = "“”„‟«»「」『』〝〞〟＂"
_SINGLE_QUOTES = "‘’‚‛‹›＇"
_DASHES = "‐‑‒–—―−﹘﹣－"
_SIGNS = {"≥": ">=", "≧": ">=", "⩾": ">=", "≤": "<=", "≦": "<=", "⩽": "<=", "≠": "!=", "⋯": "…"}
_FORMS = frozenset(
    f"<{tag}>" for tag in "wide narrow small vertical noBreak font initial medial final isolated square compat".split()
)
"""Tags of compatibility forms that are formatting. `<super>`, `<sub>`, `<fraction>` and `<circle>` are content."""


class _Fold(dict[int, str | int | None]):
    """Character by character: what `str.translate` puts in its place. Filled as characters are met."""

    def __missing__(self, code: int) -> str | int | None:
        self[code] = folded = _fold_character(chr(code))
        return folded


def _fold_character(character: str) -> str | int | None:
    if character in _WHITE:
        return " "
    if character in _LINE_ENDS:
        return "\n"
    if character in _ZERO_WIDTH:
        return None
    if character in _DOUBLE_QUOTES:
        return '"'
    if character in _SINGLE_QUOTES:
        return "'"
    if character in _DASHES:
        return "-"
    if character in _SIGNS:
        return _SIGNS[character]
    if character in (THOUSANDS, EITHER, JOINT, INNER):
        return "\ufffd"
    if character in "Σς":  # its lower case depends on its place
        return "σ"
    plain = _decomposed(character)
    if is_cjk(plain[0]):
        variants = _chinese_variants()
        plain = "".join(variants.get(part, part) for part in plain)
    return plain


def _decomposed(character: str, depth: int = 0) -> str:
    """The character without its compatibility form; itself where the form is content."""
    fields = ucd_3_2_0.decomposition(character).split()
    if not fields or depth > 4:
        return character
    tag = fields.pop(0) if fields[0].startswith("<") else ""
    if tag and tag not in _FORMS:
        return character
    parts = [chr(int(field, 16)) for field in fields]
    if not tag:
        # A canonical pair (é) stays composed; a single (Å the unit, a compatibility ideograph) is its equal.
        return _decomposed(parts[0], depth + 1) if len(parts) == 1 else character
    plain = "".join(_decomposed(part, depth + 1) for part in parts)
    wide = tag in ("<wide>", "<narrow>", "<font>", "<small>", "<vertical>")
    if (not wide and any(part in "0123456789 " for part in plain)) or character == "№":
        return character  # ⒈ ⑴ ㍘ would give a number another digit; a lone accent is none with a space; № is no "no"
    return plain.replace("‐", "-")


@lru_cache(maxsize=1)
def _chinese_variants() -> dict[str, str]:
    table = resources.files("superbizagent.rules").joinpath("data", "chinese_variants.tsv").read_text(encoding="utf-8")
    rows = [line.partition("\t") for line in table.splitlines() if line and not line.startswith("#")]
    return {traditional: simplified for traditional, _, simplified in rows}


class _Lower(dict[int, str | int]):
    """Lower case by the pinned tables, one character for one: places in a text stay what they are."""

    def __missing__(self, code: int) -> str | int:
        character = chr(code)
        cased = ucd_3_2_0.category(character) in ("Lu", "Lt")
        lower = character.lower() if cased else character
        self[code] = lower = lower if len(lower) == 1 else character
        return lower


_FOLD = _Fold(
    {code: code for code in range(128)} | {ord(white): " " for white in "\t\v\x0c\x1c\x1d\x1e\x1f"} | {13: "\n"}
)
_LOWER = _Lower()
_COLOUR = re.compile(r"\x1b\[[0-9;:]{0,32}[mK]")
_COMBINED = re.compile("[A-Za-z\u00c0-\u024f\u0370-\u04ff\u3040-\u30ff][\u0300-\u036f\u3099\u309a]{1,4}")
_LISTED = re.compile("(?<=[0-9])，(?=[0-9])")
"""A Chinese comma between numbers parts them: no comma of thousands."""
_DOTS = re.compile(r"\.{3,}")


def fold(text: str) -> str:
    """`text` without colours and zero-width characters, each character in its plain form; case and lines are kept."""
    if "\x1b" in text:
        text = _COLOUR.sub("", text)
    if not text.isascii():
        if "，" in text:
            text = _LISTED.sub(", ", text)
        text = text.translate(_FOLD)
        text = _COMBINED.sub(lambda found: ucd_3_2_0.normalize("NFC", found[0]), text)
    elif "\r" in text:
        text = text.replace("\r", "\n")
    return _DOTS.sub("…", text) if "..." in text else text


# --- escapes and entities ---------------------------------------------------------------------------------------

_ENTITY = re.compile(r"&(?:#([0-9]{1,7})|#[xX]([0-9A-Fa-f]{1,6})|([A-Za-z][A-Za-z0-9]{1,31}));")
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt])|u([0-9A-Fa-f]{4})(?:\\u([dD][c-fC-F][0-9A-Fa-f]{2}))?)')
_SHORT_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_MOST_CODE = 0x10FFFF


def decodings(text: str) -> list[str]:
    """`text` as it stands, then with its HTML entities, its JSON escapes, and both decoded; each different one once."""
    readings = [text]
    if "&" in text and ";" in text:
        readings.append(_ENTITY.sub(_entity, text))
    if "\\" in text:
        readings.extend([_ESCAPE.sub(_escape, reading) for reading in readings])
    return list(dict.fromkeys(readings))


def _entity(found: re.Match[str]) -> str:
    decimal, hexadecimal, name = found.groups()
    if name is not None:
        return html5.get(f"{name};", found[0])
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    return chr(code) if 0 < code <= _MOST_CODE and not 0xD800 <= code <= 0xDFFF else found[0]


def _escape(found: re.Match[str]) -> str:
    short, high, low = found.groups()
    if short is not None:
        return _SHORT_ESCAPES[short]
    code = int(high, 16)
    if 0xD800 <= code < 0xDC00 and low is not None:
        return chr(0x10000 + ((code - 0xD800) << 10) + (int(low, 16) - 0xDC00))
    if low is not None or 0xD800 <= code <= 0xDFFF:
        return found[0]
    return chr(code)


# --- Markdown ---------------------------------------------------------------------------------------------------


class Lines(Enum):
    """Which lines may begin with a mark: a wrapped ` - ` or ` > ` looks like one."""

    NONE = "none"
    FIRST = "first"
    ALL = "all"


_DEEPEST_QUOTE = 8
_LIST_MARKS = "-*+•‣▪◦·"
_CODE = re.compile(r"`{1,3}([^`]+)`{1,3}")
_STRONG = re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])((?:[^*]|(?<=\s)\*(?=\s))*[^\s*])\1(?![\w*])", re.ASCII)
_ITALICS = re.compile(r"(?<![\w_])(_{1,2})(?=[^\s_])([^\n]{0,200}?[^\s_])\1(?![\w_])", re.ASCII)
_MARKDOWN_ESCAPE = re.compile(r"\\([_*\[\]()#+\-.!`~>|])")


def without_inline_marks(folded: str, *, quoted: bool) -> str:
    """`folded` without bold, italics, backticks and Markdown's own escapes.

    In a recorded text (`quoted` is false) `_x_` is italics only around several words: an identifier keeps its
    underscores.
    """
    if "`" in folded:
        folded = _CODE.sub(r"\1", folded)
    if "*" in folded:
        folded = _STRONG.sub(r"\2", folded)
    if "_" in folded and len(folded) <= _LONGEST_FOR_ITALICS:
        folded = _ITALICS.sub(lambda found: found[2] if quoted or " " in found[2] else found[0], folded)
    if "\\" in folded:
        folded = _MARKDOWN_ESCAPE.sub(r"\1", folded)
    return folded


def without_outer_mark(folded: str) -> str:
    """`folded` without one pair of bold, italics or backticks around the whole, whatever marks stand inside."""
    whole = folded.strip()
    mark = whole[: len(whole) - len(whole.lstrip(whole[:1]))] if whole[:1] in ("*", "_", "`") and whole else ""
    inner = whole[len(mark) : len(whole) - len(mark)]
    is_pair = 0 < len(mark) <= 3 and whole.endswith(mark) and inner.strip() == inner != ""
    return inner if is_pair else folded


def has_line_marks(folded: str) -> bool:
    """Whether a line of `folded` begins with what may be a mark."""
    return _LINE_MARK.search(folded) is not None


def without_line_marks(folded: str, quotes: Lines, lists: Lines, *, numbers: bool = False) -> str:
    """`folded` without block quotes, code fences and list marks at the beginnings of its lines.

    A `>` before a number is a comparison and stays, unless `numbers` is set.
    """
    lines: list[str] = []
    for line in folded.split("\n"):
        place, end = _skip_space(line, 0), len(line)
        if line.startswith("```", place) and "`" not in line[place:].lstrip("`"):
            continue
        depth = 0
        while (
            place < end
            and line[place] == ">"
            and depth < _DEEPEST_QUOTE
            and (quotes is Lines.ALL or (quotes is Lines.FIRST and not lines))
        ):
            behind = _skip_space(line, place + 1)
            if not numbers and _NUMBER_AHEAD.match(line, behind):
                break
            place, depth = behind, depth + 1
        may_list = lists is Lines.ALL or (lists is Lines.FIRST and not lines)
        if may_list and place + 1 < end and line[place] in _LIST_MARKS and line[place + 1] in " \t":
            place = _skip_space(line, place + 1)
        lines.append(line[place:])
    return "\n".join(lines)


_LINE_MARK = re.compile(rf"(?:^|\n)[ \t]*[>`*_{re.escape(_LIST_MARKS)}]")
_NUMBER_AHEAD = re.compile(r"[=]? ?['\"]?[-+.$~]?[0-9]")
_SPACES = re.compile(r"[ \t]*")


def _skip_space(line: str, place: int) -> int:
    found = _SPACES.match(line, place)
    return place if found is None else found.end()


# --- the compared form ------------------------------------------------------------------------------------------

_UNIT_WORDS = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_COMMA = f"[,{THOUSANDS}{EITHER}{INNER}]"
SPACED_UNIT = re.compile(
    rf"(?<![\w.\-:/@+\\'])([-+.]?[0-9]{{1,24}}(?:{_COMMA}[0-9]{{1,3}}){{0,8}}(?:\.[0-9]{{1,24}})?) "
    rf"(?=(?:{_UNIT_WORDS})(?![\w%]|[.\-:/@+\\']\w))",
    re.IGNORECASE | re.ASCII,
)
_GROUPED = re.compile(r"(?<![\w.,])([-+]?)([1-9][0-9]{0,2}(?:,[0-9]{3})+)(?![0-9]|,[0-9])", re.ASCII)
_NUMBER_ENDS = re.compile(
    rf"(?:\.[0-9]{{1,24}})?(?:%|‰| ?(?:{_UNIT_WORDS}))?(?:/(?:s|sec|min|h))?(?![\w%‰#]|[.\-:/@+\\']{{1,4}}\w)",
    re.IGNORECASE | re.ASCII,
)
_CLOCK_BEFORE = re.compile("[0-9]:[0-9]")
_UNIT_BEHIND = re.compile(rf" ?(?:{_UNIT_WORDS})(?![\w])", re.IGNORECASE | re.ASCII)
_CASED_UNIT = re.compile(
    r"(?<![0-9A-Za-z_])[0-9]{1,20}(?:[.,][0-9]{1,20})? ?(?=[A-Za-z]{0,5}[MB])([A-Za-z]{1,6}(?:/[sS])?)(?![0-9A-Za-z_])",
)
_BYTES_AND_BITS = re.compile(r"[kmgtpe]?i?b(?:/?s|ps)?", re.IGNORECASE)
_MEGA_OR_MILLI = re.compile(r"m(?:|b|bps|b/s|w|v|a|hz|ah|cpu|j|pa)|(?-i:Ms)", re.IGNORECASE)


_NO_CUT = re.compile(f"[{THOUSANDS}{INNER}]")


@dataclass(frozen=True, eq=False)
class NormalText:
    """One reading of a text in normal form.

    `plain` is what is compared; `cased` has the same length and keeps the letter case; `thousands` are the places of
    commas in `plain` that stand inside one number, `joints` the places between a number and a unit that a space parted.
    """

    plain: str
    cased: str
    thousands: frozenset[int] = frozenset()
    joints: frozenset[int] = frozenset()

    def cut(self, start: int, end: int) -> "NormalText":
        """The part between two places without white space at its ends; for excerpts, whose thousands do not matter."""
        while start < end and self.plain[start] == " ":
            start += 1
        while start < end and self.plain[end - 1] == " ":
            end -= 1
        return NormalText(self.plain[start:end], self.cased[start:end])


def normal_text(cased: str) -> NormalText:
    """The compared form of a text that was folded and spaced, with its thousands and joints marked."""
    joints: frozenset[int] = frozenset()
    if JOINT in cased:
        parts = cased.split(JOINT)
        joints = frozenset(accumulate(len(part) for part in parts[:-1]))
        cased = "".join(parts)
    thousands: frozenset[int] = frozenset()
    if THOUSANDS in cased or INNER in cased:
        thousands = frozenset(found.start() for found in _NO_CUT.finditer(cased))
    cased = cased.replace(THOUSANDS, ",").replace(EITHER, ",").replace(INNER, ",")
    return NormalText(lowered(cased), cased, thousands, joints)


def spaced(folded: str) -> str:
    """One space for white space and line ends, none beside brackets, separators, `=`, quotes and CJK characters.

    Quotes of all families are one; an apostrophe inside a word is none.
    """
    text = " ".join(folded.split())
    if "'" in text:
        text = OUTER_APOSTROPHE.sub('"', text)
    for mark in _BRACKETING:
        if mark in text:
            text = text.replace(f" {mark}", mark).replace(f"{mark} ", mark)
    text = text.replace('": ', '":')
    if not text.isascii():
        text = COLON_AFTER_CJK.sub(":", SPACE_AT_CJK.sub("", text))
    return text


def lowered(cased: str) -> str:
    """Lower case; m/M and b/B of units keep theirs (100m and 100M, Mb and MB differ; Mi and mi do not)."""
    lower = cased.lower() if cased.isascii() else cased.translate(_LOWER)
    if "M" not in cased and "B" not in cased:
        return lower
    kept = [(found.start(1), _unit_case(found[1])) for found in _CASED_UNIT.finditer(cased)]
    parts: list[str] = []
    end = 0
    for start, unit in kept:
        if unit:
            parts += [lower[end:start], unit]
            end = start + len(unit)
    return "".join([*parts, lower[end:]]) if parts else lower


def _unit_case(unit: str) -> str:
    """The unit with the letter case that it means; empty where its case means nothing."""
    bytes_or_bits = _BYTES_AND_BITS.fullmatch(unit) is not None
    if not bytes_or_bits and _MEGA_OR_MILLI.fullmatch(unit) is None:
        return ""
    kept = "".join(letter if letter == "M" or (letter == "B" and bytes_or_bits) else letter.lower() for letter in unit)
    return kept if len(unit) < 2 or unit[1] not in "iI" else "m" + kept[1:] if kept[0] == "M" else kept


_LEADING_UNIT = re.compile(r"[A-Za-z]{1,6}(?:/[sS])?(?![0-9A-Za-z_])")


def with_leading_unit(text: NormalText) -> NormalText | None:
    """An excerpt that may begin with the unit of a number, its letter case kept; None when it does not."""
    found = _LEADING_UNIT.match(text.cased)
    unit = _unit_case(found[0]) if found is not None else ""
    return NormalText(unit + text.plain[len(unit) :], text.cased) if unit and not text.plain.startswith(unit) else None


def mark_thousands(folded: str) -> str:
    """`folded` with the commas of `30,000` marked; those of `codes 200,404` as a list that may be a number too.

    Only a free-standing number, with its sign and unit, has two readings: `2,026-11-30` is no `2026-11-30`.
    """

    def mark(found: re.Match[str]) -> str:
        groups = found[2].split(",")
        if _CLOCK_BEFORE.match(folded, max(0, found.start() - 2)) is not None:
            return found[0]  # milliseconds behind a time
        if not _stands_free(folded, found) or _is_name(folded, found):
            return found[1] + INNER.join(groups)
        before = folded[max(0, found.start() - 24) : found.start()].rstrip(" :='\"")
        word = before.replace("=", " ").replace(":", " ").rpartition(" ")[2].lower()
        is_list = word in LIST_WORDS or any(word.endswith(listed) for listed in LIST_WORDS if is_cjk(listed[0]))
        unkeyed = not before.endswith("=") and folded[found.start() - 1 : found.start()] not in ("=", '"')
        codes = unkeyed and all(100 <= int(group) <= 599 for group in groups)
        has_unit = _UNIT_BEHIND.match(folded, found.end()) is not None
        either = is_list or (codes and not has_unit)
        return found[1] + (EITHER if either else THOUSANDS).join(groups)

    return _GROUPED.sub(mark, folded) if "," in folded else folded


_NAME_BEFORE = re.compile(
    r"(?:(?:^|[^A-Za-z])(?i:id|pid|tid|uid|gid|pgid|order|invoice|process|ticket|year)|[a-z](?:Id|ID)|订单号?|进程号?|编号|单号|工单)"
    r"[\"'\])]{0,2} ?[#:=]? ?[\"'\[(]{0,2}$",
)
_YEAR = re.compile("1,9[0-9]{2}|2,0[0-9]{2}")
_DATE_BEFORE = re.compile(
    r"(?:\b(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?(?: [0-9]{1,2})?|:[0-9]{2}),? ?$",
    re.IGNORECASE | re.ASCII,
)
_DATE_BEHIND = re.compile(" ?年| [0-9]{1,2}:[0-9]{2}")


def _is_name(folded: str, found: re.Match[str]) -> bool:
    """Whether a number with commas names something or is a year: `pid=4,021`, `30 Nov 2,026`, `1,234 号`."""
    before = folded[max(0, found.start() - 24) : found.start()]
    if _NAME_BEFORE.search(before) is not None or folded.startswith(("号", " 号"), found.end()):
        return True
    is_year = _YEAR.fullmatch(found[2]) is not None
    return is_year and (_DATE_BEFORE.search(before) is not None or _DATE_BEHIND.match(folded, found.end()) is not None)


def _stands_free(folded: str, found: re.Match[str]) -> bool:
    """Whether a number with commas is a token of its own: no part of an identifier, date, range, version or path."""
    place = found.start()
    before, further = folded[max(0, place - 1) : place], folded[max(0, place - 2) : max(0, place - 1)]
    if before == ":":
        is_free = further == '"' or is_cjk(further)
    elif before == "'":
        is_free = not is_word(further)
    else:
        is_free = before not in JOINERS and before != "#" and not is_word(before)
    return is_free and _NUMBER_ENDS.match(folded, found.end()) is not None
