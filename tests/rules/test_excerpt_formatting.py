"""Properties: a change of formatting keeps an excerpt what it is.

From every kind of record an excerpt is cut at the edges of tokens, dressed up in a way that section 6.1 lists, and must
still match. The cuts and the changes are made here, without the code under test.
"""

import html
import json
import os
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from superbizagent.contract.vocabulary import Match
from superbizagent.rules.excerpt import compare
from tests.rules.records import RECORDS

Draw = Callable[[st.SearchStrategy[Any]], Any]
Change = Callable[[Draw, str], str]
EXAMPLES = settings(
    max_examples=1_000 if os.environ.get("SBA_SOAK") else 200,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)

TOKEN = re.compile(
    r"(?<![\w.\-:/@+\\'])[-+][0-9][\w.\-:/@+\\']*%?|[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+(?:[.\-:/@+\\']+[^\W\u4e00-\u9fff]+)*%?"
)
TURNS = re.compile(
    r"(?:\b(?:not|no|never|without|cannot|nor|neither|to)|n't|[未没不无非有要]|[<>!=]=?|[≥≤！])[\s\"'(\[{*`]*$",
    re.IGNORECASE,
)


@st.composite
def cuts(draw: Draw, needed: str = "") -> tuple[str, str]:
    """A recorded text and a comparable excerpt of it, cut at the edges of tokens and turning nothing round.

    The excerpt has something that the pattern `needed` finds.
    """
    text = draw(st.sampled_from([record for record in RECORDS.values() if re.search(needed, record)]))
    spans = [found.span() for found in TOKEN.finditer(text)]
    wanted = draw(st.sampled_from([found.span() for found in re.finditer(needed, text)]))
    before = [index for index, span in enumerate(spans) if span[0] <= wanted[0]] or [0]
    first = draw(st.integers(max(0, before[-1] - 12), before[-1]))
    behind = next((index for index, span in enumerate(spans) if span[1] >= wanted[1]), len(spans) - 1)
    last = draw(st.integers(behind, min(len(spans) - 1, behind + 12)))
    start, end = spans[first][0], spans[last][1]
    assume(not TURNS.search(text[:start]))
    assume(not re.match(r"[\"']?[=:]", text[end:]) and text[end : end + 1] not in ("%", "_", "\\"))
    assume(not re.match(r" %|,[0-9]{3}", text[end:]) and not re.search(r"[0-9],$|[\\@/*_`]$", text[:start]))
    excerpt = text[start:end]
    assume(len(set(TOKEN.findall(excerpt.lower())) - GENERIC) >= 3 and len(TOKEN.findall(excerpt)) >= 3)
    assume(not re.search(r"\\[nu]", text[max(0, start - 7) : end + 7]))
    return excerpt, text


GENERIC = set(
    "error warning warn failed timeout alert status success info log the a of is in on to from at 错 误 警 告 请 求 個 个 請 中 的".split()
)


class Everywhere:
    """Replace some of the matches of a pattern, at least the first."""

    def __init__(self, pattern: str, new: str | Callable[[re.Match[str]], str]) -> None:
        self.needed = pattern
        self._new = new

    def __call__(self, draw: Draw, excerpt: str) -> str:
        found = list(re.finditer(self.needed, excerpt))
        assume(found)
        chosen = {0} | {index for index in range(len(found)) if draw(st.booleans())}
        out, end = "", 0
        for index, match in enumerate(found):
            changed = match.expand(self._new) if isinstance(self._new, str) else self._new(match)
            out += excerpt[end : match.start()] + (changed if index in chosen else match[0])
            end = match.end()
        return out + excerpt[end:]


def around(*pairs: tuple[str, str]) -> Change:
    """Put one of the pairs around the whole."""

    def change(draw: Draw, excerpt: str) -> str:
        left, right = draw(st.sampled_from(pairs))
        return f"{left}{excerpt}{right}"

    return change


def around_a_word(*marks: str) -> Change:
    """Put a mark around some words that stand between spaces."""
    mark = re.compile(r"(?<![^\s(=,])[^\W_][^\W_]*(?![^\s),=.])")

    def change(draw: Draw, excerpt: str) -> str:
        words = list(mark.finditer(excerpt))
        assume(words and not set("*_`") & set(excerpt))
        word = draw(st.sampled_from(words))
        chosen = draw(st.sampled_from(marks))
        return f"{excerpt[: word.start()]}{chosen}{word[0]}{chosen}{excerpt[word.end() :]}"

    return change


def letter_case(draw: Draw, excerpt: str) -> str:
    """Another letter case, but for the letters that a unit may have."""
    change = draw(st.sampled_from((str.upper, str.lower, str.title, str.swapcase)))
    unit = re.compile(r"\b(?:[0-9.,]+ ?[A-Za-z]{1,3}|[A-Za-z]{0,2}[mMbB][A-Za-z]{0,2})\b|\\.")
    kept = [found.span() for found in unit.finditer(excerpt)]
    out, end = "", 0
    for start, stop in kept:
        out, end = f"{out}{change(excerpt[end:start])}{excerpt[start:stop]}", stop
    return f"{out}{change(excerpt[end:])}"


def full_width(draw: Draw, excerpt: str) -> str:
    pattern = draw(st.sampled_from(("[!-~]", "[0-9]", "[A-Za-z]", "[,;:=()|]")))
    return Everywhere(pattern, lambda found: chr(ord(found[0]) + 0xFEE0))(draw, excerpt)


def zero_width(draw: Draw, excerpt: str) -> str:
    out = excerpt
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(out)))
        out = out[:place] + draw(st.sampled_from("\u200b\u200c\u200d\u2060\ufeff")) + out[place:]
    return out


def quoted_lines(draw: Draw, excerpt: str) -> str:
    """A block quote, wrapped: never before a number, where `>` is a comparison."""
    assume(not re.match(r"\W*[0-9]", excerpt))
    wrapped = (
        Everywhere(r" (?=[A-Za-z\[(])", "\n> ")(draw, excerpt) if draw(st.booleans()) and " " in excerpt else excerpt
    )
    return f"> {wrapped}"


def entities(draw: Draw, excerpt: str) -> str:
    assume(re.search("[\"'<>&]", excerpt))
    return html.escape(excerpt)


def escapes(draw: Draw, excerpt: str) -> str:
    dumped = json.dumps(excerpt, ensure_ascii=draw(st.booleans()))[1:-1]
    assume(dumped != excerpt)
    return dumped


def thousands(draw: Draw, excerpt: str) -> str:
    return Everywhere(
        r"(?<![\w.,\-:/@+\\#$])(?<![:@] )(?<!Nov )(?<!rocess )[1-9][0-9]{3,6}(?! [0-9]{2}:)(?=[a-z]{0,2}(?:[\s);]|$))",
        lambda found: f"{int(found[0]):,}",
    )(draw, excerpt)


VARIANTS = str.maketrans("数据库连接尽请问时达务单误过触续复处则应该", "數據庫連接盡請問時達務單誤過觸續復處則應該")

CHANGES: dict[str, Change] = {
    "runs of white space": Everywhere(" +", lambda found: " \t  "),
    "line wraps": Everywhere(" +", "\n   "),
    "no-break spaces": Everywhere(" ", "\u00a0"),
    "thin spaces": Everywhere(" ", "\u2009\u202f"),
    "zero-width characters": zero_width,
    "space added beside separators": Everywhere(r"[,;=()\[\]{}|\"](?!\s)", r" \g<0> "),
    "space dropped beside separators": Everywhere(r"(?<=[,;=()\[\]{}|\"]) | (?=[,;=()\[\]{}|\"])", ""),
    "space behind the colon of a quoted key": Everywhere(r"(?<=\"): ?", ":  "),
    "letter case": letter_case,
    "full-width characters": full_width,
    "mathematical letters": Everywhere("[a-z]", lambda found: chr(ord(found[0]) - 97 + 0x1D41A)),
    "ligatures": Everywhere("fi|fl", lambda found: {"fi": "ﬁ", "fl": "ﬂ"}[found[0]]),
    "double quotes": Everywhere('"', "”"),
    "single quotes": Everywhere("'", "’"),
    "dashes": Everywhere("-", lambda found: "–"),
    "no-break hyphens": Everywhere("-", "\u2011"),
    "minus signs": Everywhere(r"(?<![\w.])-(?=[0-9])", "−"),
    "comparators": Everywhere(">=|≥", lambda found: "≥" if found[0] == ">=" else ">="),
    "quotes around the whole": around(("“", "”"), ('"', '"'), ("'", "'"), ("「", "」")),
    "a sentence mark at the end": around(("", "."), ("", "。"), ("", "!")),
    "bold around the whole": around(("**", "**"), ("__", "__"), ("***", "***")),
    "backticks around the whole": around(("`", "`"), ("```\n", "\n```"), ("```log\n", "\n```")),
    "bold, italics, backticks": around_a_word("**", "*", "`", "_", "__"),
    "block quotes": quoted_lines,
    "list marks": around(("- ", ""), ("* ", ""), ("• ", ""), ("+ ", "")),
    "colours": Everywhere(r"\b[a-z]+\b", "\x1b[1;31m\\g<0>\x1b[0m"),
    "HTML entities": entities,
    "JSON escapes": escapes,
    "Chinese variants": lambda draw, excerpt: excerpt.translate(VARIANTS),
    "space before a unit": Everywhere(r"(?<![\w.\-:/@+\\])([-+]?[0-9.]+)(%|ms|MB|Mi|kB|m|s)(?![\w/%.\-:])", r"\1 \2"),
    "no space before a unit": Everywhere(r"(?<![\w.\-:/@+\\])([0-9.,]+) (%|ms|MB|kB|s)(?![\w/])", r"\1\2"),
    "thousands": thousands,
}


@pytest.mark.parametrize("kind", CHANGES)
@EXAMPLES
@given(data=st.data())
def test_an_excerpt_with_other_formatting_matches(kind: str, data: st.DataObject) -> None:
    excerpt, text = data.draw(cuts(getattr(CHANGES[kind], "needed", "")))
    dressed = CHANGES[kind](data.draw, excerpt)
    assume(len(TOKEN.findall(dressed)) >= 3 or kind != "no space before a unit")
    assert compare(dressed, text).failed is None, (dressed, text, compare(dressed, text).message)


@EXAMPLES
@given(cut=cuts())
def test_an_excerpt_as_it_stands_matches_exactly(cut: tuple[str, str]) -> None:
    excerpt, text = cut
    assert compare(excerpt, text).match is Match.EXACT


@EXAMPLES
@given(data=st.data())
def test_several_changes_of_formatting_at_once_match(data: st.DataObject) -> None:
    excerpt, text = data.draw(cuts())
    inner = data.draw(st.sampled_from(("line wraps", "no-break spaces", "zero-width characters", "letter case")))
    outer = data.draw(
        st.sampled_from(("quotes around the whole", "block quotes", "list marks", "a sentence mark at the end"))
    )
    dressed = CHANGES[outer](data.draw, CHANGES[inner](data.draw, excerpt))
    assert compare(dressed, text).failed is None, (dressed, text, compare(dressed, text).message)
