"""Does the excerpt match the recorded text? The heart of the Gatekeeper, as one ordered list of steps:

    0  comparable   the excerpt says something specific; else `excerpt_comparable` fails, alone
    1  normal form  both sides without formatting; every reading is tried, none rewrites the text (`readings`)
    2  containment  the tokens stand together in the text, whole, and the cut turns nothing round
    3  fields       nothing but `key=value`, each in the text with the same key and value, in any order
    4  ellipsis     the parts around `…` are contained, in order, and no negation stands in a gap
    5  facts        a foreign, changed or missing fact fails `excerpt_matches`; the facts agree but the wording does
                    not: `excerpt_verbatim` fails

Decides: how an excerpt matches, or which one rule fails and why. Refuses: similarity. A changed digit scores 0.99 and
an honest cut 0.7, so there is no threshold here. No excerpt is ever compiled into a regular expression. The work is
near linear in excerpt and text; where a bound is hit (occurrences, parts, tokens) the excerpt fails. Protocol: section
6.1.
"""

import re
from bisect import bisect_right
from enum import IntEnum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from superbizagent.contract.vocabulary import Match, Rule
from superbizagent.rules.disagreement import disagreement
from superbizagent.rules.edges import (
    begins_value,
    cuts_token,
    may_begin,
    may_stop_inside,
    parts_key_from_value,
    parts_number_from_unit,
    turned_round_by,
)
from superbizagent.rules.fields import Field, Outcome, only_fields, states_same_object
from superbizagent.rules.joins import Cut, misleads
from superbizagent.rules.normal_form import NORMAL_FORM_VERSION, NormalText
from superbizagent.rules.readings import Decoding, Form, Readings, forms_of
from superbizagent.rules.tokens import TOKEN, is_cjk, is_date, is_identifier, is_numeric, splits_token, token_start
from superbizagent.rules.wordlists import FUNCTION_WORDS, FUNCTION_WORDS_ZH, GENERIC_WORDS, GENERIC_WORDS_ZH

EXCERPT_RULES_VERSION = f"excerpt.2+{NORMAL_FORM_VERSION}"
"""Changes whenever the same excerpt and text would compare differently."""

_FEWEST_TOKENS = 3
_SHORTEST_IDENTIFIER = 12
_SHORTEST_CUT_PART = 3
_MOST_PARTS = 64
_MOST_OCCURRENCES = 20_000
_MOST_WORK = 20_000_000
"""Characters of an excerpt that are compared in vain: occurrences that do not hold x length of the excerpt."""
_MOST_DRESS = 64
"""How many times longer than the excerpt a text may be and still be nothing but the excerpt, dressed up."""
_LONGEST_MESSAGE = 300
_SMALL_TEXT = 16_384


class Comparison(NamedTuple):
    """What came of it. `match` is set exactly when nothing failed; `message` is one sentence for a person."""

    match: Match | None
    failed: Rule | None
    message: str


def compare(excerpt: str, text: str) -> Comparison:
    """Take `excerpt` through the steps against `text`, the system-side text of the cited ref."""
    if _stands_plainly(excerpt, text):
        return _matches(Match.EXACT)
    quoted, recorded = Readings(excerpt, quoted=True), _recorded(text)
    if not _is_comparable(quoted) and not _is_whole(quoted, recorded):
        return _fails(Rule.EXCERPT_COMPARABLE, "the excerpt says too little to be compared with the recorded text")
    found = _contain(quoted, recorded)
    if found.standing is Standing.ABSENT:
        return _compare_fields(quoted, recorded) or _compare_parts(quoted, recorded) or _compare_facts(quoted, recorded)
    if found.standing is Standing.UNTRIED:
        return _fails(Rule.EXCERPT_MATCHES, "the excerpt has more places in the recorded text than can be tried")
    if found.standing is Standing.TURNED_ROUND:
        return _fails(Rule.EXCERPT_MATCHES, f"the excerpt is cut out behind `{found.word}` and leaves it out")
    if found.standing is Standing.KEY_ALONE:
        return _fails(Rule.EXCERPT_VERBATIM, "the excerpt is cut off between a key and its value")
    return _matches(Match.EXACT if excerpt.strip() in text else Match.NORMALISED)


def is_contained(excerpt: str, text: str) -> bool:
    """Whether steps 1 and 2 alone find the excerpt in the text: to name another ref that holds it."""
    if _stands_plainly(excerpt, text):
        return True
    return _contain(Readings(excerpt, quoted=True), _recorded(text)).standing is Standing.FREE


def _matches(match: Match) -> Comparison:
    return Comparison(match, None, "")


def _fails(rule: Rule, message: str) -> Comparison:
    shown = message if len(message) <= _LONGEST_MESSAGE else f"{message[: _LONGEST_MESSAGE - 1]}…"
    return Comparison(None, rule, shown)


# --- step 0: comparable -----------------------------------------------------------------------------------------

_PAIR = re.compile(r"[^\s=<>!~:,;]=[\"']?[^\s=>~\"']|[\"']:[\"']?[^\s\"']")
_GENERIC_ZH = re.compile("|".join(sorted(GENERIC_WORDS_ZH, key=len, reverse=True)))
_NOT_SIMPLE = re.compile("[^\x20-\x7e\t\n\u4e00-\u9fff，。；：、（）]|[\\\\&]")


def _is_comparable(excerpt: Readings) -> bool:
    """At least three tokens, one `key=value` or one long identifier; and not only words that fit anything."""
    if "\\" not in excerpt.raw and "&" not in excerpt.raw and _is_plainly_comparable(excerpt.standing.text.plain):
        return True
    text = excerpt.plainest.standing.text
    found = list(TOKEN.finditer(text.plain))
    if all(_is_generic(token[0]) for token in found if not is_cjk(token[0])):
        rest = _GENERIC_ZH.sub("", "".join(token[0] for token in found if is_cjk(token[0])))
        if all(character in FUNCTION_WORDS_ZH for character in rest):
            return False
    if len(found) >= _FEWEST_TOKENS or _PAIR.search(text.plain) is not None:
        return True
    return any(_is_long_identifier(token[0], text.cased[token.start() : token.end()]) for token in found)


def _is_plainly_comparable(excerpt: str) -> bool:
    """The short way through step 0, for characters that are what they seem; False means that the long way decides."""
    if _NOT_SIMPLE.search(excerpt) is not None:
        return False
    tokens = TOKEN.findall(excerpt.lower())
    says = any(token < "\x7f" and not _is_generic(token.strip("_")) for token in tokens)
    return says and len(tokens) >= _FEWEST_TOKENS


def _is_generic(token: str) -> bool:
    return token in GENERIC_WORDS or token in FUNCTION_WORDS


def _is_long_identifier(token: str, cased: str) -> bool:
    named = is_identifier(cased) or any(character.isupper() for character in cased)
    return named and len(token) >= _SHORTEST_IDENTIFIER and not is_date(token)


def _is_whole(excerpt: Readings, text: Readings) -> bool:
    """Whether the excerpt is the whole text in some reading, and says anything at all."""
    if len(text.raw) > _MOST_DRESS * (len(excerpt.raw) + 1):
        return False
    return any(
        undressed.plain == own.text.plain and TOKEN.search(own.text.plain) is not None
        for reading in excerpt
        for own_reading in text
        for dressed, own in forms_of(reading, own_reading)
        for undressed in dressed.undressed()
    )


# --- step 1: normal form ----------------------------------------------------------------------------------------


def _recorded(text: str) -> Readings:
    """The readings of a recorded text; kept for the next binding that cites it."""
    return _small_recorded(text) if len(text) <= _SMALL_TEXT else _large_recorded(text)


@lru_cache(maxsize=512)
def _small_recorded(text: str) -> Readings:
    return Readings(text, quoted=False)


@lru_cache(maxsize=2)
def _large_recorded(text: str) -> Readings:
    return Readings(text, quoted=False)


# --- step 2: containment ----------------------------------------------------------------------------------------


class Standing(IntEnum):
    """How an excerpt stands in a text. The best of all places counts, and the worst of all decodings of the text."""

    ABSENT = 0
    FREE = 1
    KEY_ALONE = 2
    TURNED_ROUND = 3
    UNTRIED = 4


class Found(NamedTuple):
    """A standing, with the negation or comparator that turns it round."""

    standing: Standing
    word: str = ""


_ABSENT = Found(Standing.ABSENT)
_FREE = Found(Standing.FREE)


def _contain(excerpt: Readings, text: Readings) -> Found:
    """Whether the excerpt's tokens stand together in the text.

    A text that is decoded (`\\u003e 90`) may show a comparator that it hides as it stands: every decoding has a say.
    """
    return max((_contain_in(excerpt, decoding) for decoding in text.decoded()), key=_standing)


def _standing(found: Found) -> Standing:
    return found.standing


def _contain_in(excerpt: Readings, text: Decoding) -> Found:
    failed = _ABSENT
    for own in text:
        for reading in excerpt:
            for dressed, form in forms_of(reading, own):
                for undressed in dressed.undressed():
                    found = _find(undressed.plain, form.text)
                    if found.standing is Standing.FREE:
                        return found
                    if found.standing > failed.standing:
                        failed = found
    return _FREE if _begins_as_quoted(excerpt, text) else failed


def _begins_as_quoted(excerpt: Readings, text: Decoding) -> bool:
    """Whether the excerpt is a block quote of the beginning of the text, which begins with a number."""
    for decoding in excerpt.decoded():
        reading = decoding.behind_quote_mark
        if reading is None:
            continue
        for own in text:
            for dressed, form in forms_of(reading, own):
                plain = dressed.text.plain
                if form.text.plain.startswith(plain) and not cuts_token(form.text, len(plain)):
                    return True
    return False


def _find(excerpt: str, text: NormalText) -> Found:
    """The best standing of the excerpt at any of its places; untried where there are too many of them."""
    best, place = _ABSENT, text.plain.find(excerpt) if excerpt else -1
    tries = min(_MOST_OCCURRENCES, _MOST_WORK // (len(excerpt) + 1))
    while place >= 0:
        found = _standing_at(text, place, place + len(excerpt))
        if found.standing is Standing.FREE:
            return found
        best = max(best, found, key=_standing)
        tries -= 1
        if tries < 0:
            return Found(Standing.UNTRIED)
        place = text.plain.find(excerpt, place + 1)
    return best


def _standing_at(text: NormalText, start: int, end: int) -> Found:
    if not may_begin(text, start) or cuts_token(text, end):
        return _ABSENT
    word = turned_round_by(text.plain, start)
    if word is not None:
        return Found(Standing.TURNED_ROUND, word)
    return Found(Standing.KEY_ALONE) if parts_key_from_value(text.plain, end) else _FREE


_WINDOW = 40
_TO_BE_READ_TWICE = re.compile("[^\x20-\x7e\t\n\u4e00-\u9fff，。；、]|[\\\\&<>!`*無沒]|[,，]$")
_TO_BE_READ_TWICE_BEHIND = re.compile("[^\x20-\x7e\t\n\u4e00-\u9fff，。；、]|[\\\\&<>!`*]|[,，][0-9]|\\s*[\"'=:%]")
_SCALES = re.compile("\\s*(?:[万亿千百个萬億]|p(?:ct|ercent)|[mbtr]{1,2}illion|thousand)", re.IGNORECASE)
_PLAIN_ENDS = re.compile('[0-9A-Za-z\u4e00-\u9fff(\\[{"](?:.*[0-9A-Za-z\u4e00-\u9fff)\\]}.;,%"])?', re.DOTALL)


def _stands_plainly(excerpt: str, text: str) -> bool:
    """The short way through steps 0 to 2: a plain substring whose surroundings hold nothing to be read twice.

    It answers True only where the long way answers `exact`; False means that the long way decides.
    """
    if excerpt == text:
        return TOKEN.search(text) is not None
    excerpt = excerpt.strip()
    place = text.find(excerpt)
    end = place + len(excerpt)
    if place < 0 or _PLAIN_ENDS.fullmatch(excerpt) is None or splits_token(text, place) or splits_token(text, end):
        return False
    before = text[max(0, place - _WINDOW) : place]
    if _SCALES.match(text, end) is not None or (before.rstrip()[-1:].isdigit() and _SCALES.match(excerpt) is not None):
        return False
    if excerpt[-1] == "," and text[end : end + 1].isdigit():
        return False
    if _TO_BE_READ_TWICE.search(before) is not None or _TO_BE_READ_TWICE_BEHIND.match(text, end) is not None:
        return False
    words_before = " ".join(before.lower().split())
    return turned_round_by(words_before, len(words_before)) is None and _is_plainly_comparable(excerpt)


# --- step 3: fields ---------------------------------------------------------------------------------------------


def _compare_fields(excerpt: Readings, text: Readings) -> Comparison | None:
    """A match by fields, a failure where fields are denied or ambiguous; None where this step does not decide."""
    result: Comparison | None = None
    for reading in excerpt:
        for own in text:
            for dressed, form in forms_of(reading, own):
                for undressed in dressed.undressed():
                    compared = _compare_form_fields(undressed, form)
                    if compared is not None and compared.failed is not None:
                        return compared
                    result = result or compared
    return result


def _compare_form_fields(excerpt: NormalText, text: Form) -> Comparison | None:
    if states_same_object(excerpt.plain, text.text.plain):
        return _matches(Match.FIELDS)
    wanted: list[Field] | None = only_fields(excerpt)
    if wanted is None:
        return None
    outcome, word = text.fields.compare(wanted)
    match outcome:
        case Outcome.STAND:
            return _matches(Match.FIELDS)
        case Outcome.NEGATED:
            return _fails(Rule.EXCERPT_MATCHES, f"a field of the excerpt stands behind `{word}` in the recorded text")
        case Outcome.SEVERAL:
            return _fails(
                Rule.EXCERPT_MATCHES, f"{word} has several values in the recorded text; the fields stand apart"
            )
        case Outcome.DIFFER:
            return None


# --- step 4: ellipsis -------------------------------------------------------------------------------------------

_ELLIPSIS = re.compile(r"\[…+\]|\(…+\)|…+")
_SEPARATORS = " ,;|"
_PUNCTUATION = ":.()[]{}\"' "
"""A part of nothing else between two marks stands for what is left out on either side of it."""


class _Part(NamedTuple):
    """One part of an elided excerpt: `first` and `cut` say whether it begins the excerpt and stops at a mark."""

    plain: str
    first: bool
    cut: bool


class _Place(NamedTuple):
    """Where a part stands: `gap` is where the gap behind it begins, at the start of a token that it stops inside."""

    start: int
    end: int
    gap: int


def _compare_parts(excerpt: Readings, text: Readings) -> Comparison | None:
    """A match by parts; None where the excerpt has no ellipsis or its parts do not stand so in the text."""
    if not any("…" in reading.standing.text.plain for reading in excerpt):
        return None
    # As with containment, a decoding of the text that shows a negation in a gap has a say.
    found = [_standing_of_parts(excerpt, decoding) for decoding in text.decoded()]
    return _matches(Match.ELIDED) if max(found) is Standing.FREE else None


def _standing_of_parts(excerpt: Readings, text: Decoding) -> Standing:
    standing = Standing.ABSENT
    for own in text:
        for reading in excerpt:
            for dressed, form in forms_of(reading, own):
                for undressed in dressed.undressed():
                    parts = _parts_of(undressed.plain)
                    found = _follow(parts, form) if parts else Standing.ABSENT
                    if found is Standing.FREE:
                        return found
                    standing = max(standing, found)
    return standing


def _parts_of(plain: str) -> list[_Part]:
    """The parts around the ellipses; empty where there is no ellipsis, nothing beside it, or too many parts."""
    pieces = [piece.strip(_SEPARATORS) for piece in _ELLIPSIS.split(plain, _MOST_PARTS + 1)]
    told = [index for index, piece in enumerate(pieces) if piece]
    told = [index for index in told if index in (told[0], told[-1]) or pieces[index].strip(_PUNCTUATION)]
    if not 1 < len(pieces) <= _MOST_PARTS or not told:
        return []
    parts = [_Part(pieces[index], index == told[0], index < len(pieces) - 1) for index in told]
    joined = any(_joins(left.plain, right.plain) for left, right in pairwise(parts))
    return [] if joined else parts


_LONGEST_KEY = 80
_KEY_AT_END = re.compile(r"(?:^|[,;{(\[])[ ]?[\"']?[\w.-]{1,60}[\"']?[ ]?:$")


def _joins(left: str, right: str) -> bool:
    """Whether an ellipsis would give a key, or what a colon leads in, a value that stands elsewhere."""
    if left.endswith("=") or _KEY_AT_END.search(left[-_LONGEST_KEY:]) is not None:
        return True
    first = TOKEN.search(right)
    return left.endswith(":") and first is not None and (is_numeric(first[0]) or first[0] == right)


def _follow(parts: list[_Part], form: Form) -> Standing:
    """Whether the parts stand in the text in order, with no negation in a gap.

    For each place of a part only the last place of the part before it matters: its gap is the smallest.
    """
    ends: list[_Place] = [_Place(0, 0, 0)]
    budget, denied = _MOST_OCCURRENCES, False
    for part in parts:
        reached: list[_Place] = []
        place = form.text.plain.find(part.plain, ends[0].end)
        while place >= 0 and budget > 0:
            budget -= 1
            end = place + len(part.plain)
            if _may_stand(part, form.text, place, end):
                before = ends[bisect_right(ends, place, key=lambda each: each.end) - 1]
                in_gap = None if part.first else form.negations.first_in(before.gap, place)
                if not part.first and misleads(Cut(before.start, before.end, place, end), form):
                    denied = True
                elif in_gap is None and turned_round_by(form.text.plain, place) is None:
                    cut = cuts_token(form.text, end)
                    reached.append(_Place(place, end, token_start(form.text.plain, end) if cut else end))
                else:
                    denied = True
            place = form.text.plain.find(part.plain, place + 1)
        if not reached:
            return Standing.TURNED_ROUND if denied else Standing.ABSENT
        ends = reached
    return Standing.FREE


def _may_stand(part: _Part, text: NormalText, start: int, end: int) -> bool:
    """Whether a part may begin and end here."""
    plain = text.plain
    if not may_begin(text, start) or parts_key_from_value(plain, end):
        return False
    if not part.first and (begins_value(plain, start) or parts_number_from_unit(plain, start)):
        return False
    if not part.cut:
        return not cuts_token(text, end)
    if parts_number_from_unit(plain, end):
        return False
    return not cuts_token(text, end) or (len(part.plain) >= _SHORTEST_CUT_PART and may_stop_inside(text, end))


# --- step 5: facts ----------------------------------------------------------------------------------------------


def _compare_facts(excerpt: Readings, text: Readings) -> Comparison:
    """Never a match: the facts agree and only the wording does not, or a fact is not the text's."""
    problem = ""
    for own in text.decoded():
        for quoted in excerpt.decoded():
            found = disagreement(quoted.plainest.facts, own.plainest.facts, own.plainest.list_numbers)
            if found is None:
                return _fails(Rule.EXCERPT_VERBATIM, "the facts agree, but the words are not the recorded text's own")
            problem = problem or found
    return _fails(Rule.EXCERPT_MATCHES, problem)
