"""The normal form: what is formatting and what is content, one character at a time."""

import pytest

from superbizagent.rules.normal_form import (
    Lines,
    decodings,
    fold,
    lowered,
    mark_thousands,
    normal_text,
    spaced,
    without_inline_marks,
    without_line_marks,
    without_outer_mark,
)
from superbizagent.rules.readings import Reading, Readings


def plain(text: str) -> str:
    return Reading(fold(text)).standing.text.plain


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Ａ１，（ｘ）", "a1,(x)"),
        ("ﬁle 𝐱 ㎳", "file x ms"),
        ("a\u00a0b\u3000c\u2009d\te\n\nf", "a b c d e f"),
        ("a\u200bb\u2060c\ufeffd\u00ade", "abcde"),
        ("“a” „b‟ «c» 「d」", '"a""b""c""d"'),
        ("‘a’ ‚b‛ don’t", '"a""b"don\'t'),
        ("a–b — c −5 x‑y", "a-b - c -5 x-y"),
        ("≥ 5 ≤ 6 ≠ 7", ">=5 <=6 !=7"),
        ("a... b…… c⋯", "a… b… c…"),
        ("e\u0301 Å", "é å"),
        ("a , b ; c = d ( e ) | f", "a,b;c=d(e)|f"),
        ('{"k" : "v", "n": 5}', '{"k":"v","n":5}'),
        ("資料庫連線池洩漏，著", "资料库连线池泄漏,着"),
        ("池 A 有 5 个", "池a有5个"),
        ("\x1b[1;31mred\x1b[0m \x1b[Kx", "red x"),
        ("İ Σ ς", "i̇ σ σ".replace("i̇", "İ")),
    ],
)
def test_formatting_is_folded(text: str, form: str) -> None:
    assert plain(text) == form


@pytest.mark.parametrize(
    "character", [*"⁹₂½①⑴⒈™ª№㍘<>[]{}()", "\u202e", "\u200e", "\u2067", "\x00", "\x1b", "\ud800", "*", "~", "、", "。"]
)
def test_content_is_kept(character: str) -> None:
    assert character in plain(f"a{character}b")


def test_private_marks_of_a_text_cannot_be_mistaken_for_ours() -> None:
    assert plain("1\ue000500 1\ue001500 5\ue002ms") == "1\ufffd500 1\ufffd500 5\ufffdms"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("100M 100m 5 Mb 5 MB 5 kB", "100M 100m 5 Mb 5 MB 5 kB"),
        ("5Mi 5mi 5 GiB 5MS 5Ms 5GHz", "5mi 5mi 5 giB 5ms 5Ms 5ghz"),
        ("Mb MB M pod-M Messages 5 Messages", "mb mb m pod-m messages 5 messages"),
    ],
)
def test_only_the_m_and_b_of_units_keep_their_case(text: str, form: str) -> None:
    assert lowered(text) == form


def test_lower_case_keeps_every_character_at_its_place() -> None:
    text = "İSTANBUL ΣΑΣ Straße ǅ 100MB"
    assert len(lowered(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "thousands"),
    [
        ("waiting=1,500", [9]),
        ("took 1,500,000ms", [6, 10]),
        ("codes 200,404", []),
        ("ports 80,443", []),
        ("took 200,404ms", [8]),
        ("n=150,404", [5]),
        ("at 10:14:28,411", []),
        ("1, 500", []),
        ("1,50 1,5000 0,500 x1,500", []),
    ],
)
def test_thousands_are_told_from_lists(text: str, thousands: list[int]) -> None:
    assert sorted(normal_text(spaced(mark_thousands(text))).thousands) == thousands


def test_thousands_and_units_are_read_both_ways() -> None:
    reading = Reading("codes 200,404 in 1,500 ms")
    assert reading.standing.text.plain == "codes 200,404 in 1,500 ms"
    assert reading.joined.text.plain == "codes 200,404 in 1,500ms"
    assert reading.grouped.text.plain == "codes 200404 in 1500ms"
    assert reading.facts.text.plain == "codes 200,404 in 1500ms"
    assert reading.joined.text.joints == {22}


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("plain", []),
        ("a &amp; b", ["a & b"]),
        ("&#39;x&#x27; &bogus; &lt", ["'x' &bogus; &lt"]),
        ('\\"a\\" \\u003e \\n', ['"a" > \n']),
        ("\\ud83d\\ude00 \\ud83d \\x", ["😀 \\ud83d \\x"]),
        ("\\&quot;", ['\\"', '\\&quot;', '"']),
        ("&#0; &#55296; &#1114112;", []),
    ],
)  # fmt: skip
def test_entities_and_escapes_are_read_as_they_stand_and_decoded(text: str, decoded: list[str]) -> None:
    assert decodings(text) == list(dict.fromkeys([text, *decoded]))


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("**a** and *b* and `c`", "a and b and c"),
        ("__a__ and _b_ but x_y_z", "a and b but x_y_z"),
        ("SELECT * FROM t WHERE a*b*c", "SELECT * FROM t WHERE a*b*c"),
        ("*.log and *.gz", "*.log and *.gz"),
        ("kafka\\_password \\*", "kafka_password *"),
        ("**a * b**", "a * b"),
        ("** a **", "** a **"),
        ("中**粗**文", "中粗文"),
    ],
)
def test_inline_markdown_is_taken_off(text: str, stripped: str) -> None:
    assert without_inline_marks(text, quoted=True) == stripped


def test_an_identifier_of_a_record_keeps_its_underscores() -> None:
    assert without_inline_marks("__init__ _x_ _two words_", quoted=False) == "__init__ _x_ two words"


@pytest.mark.parametrize(
    ("text", "quotes", "lists", "stripped"),
    [
        ("> a\n> b", Lines.ALL, Lines.NONE, "a\nb"),
        ("> a\n> b", Lines.FIRST, Lines.NONE, "a\n> b"),
        ("> 90% of a", Lines.ALL, Lines.NONE, "> 90% of a"),
        ("> = 90", Lines.ALL, Lines.NONE, "> = 90"),
        (">> a", Lines.ALL, Lines.NONE, "a"),
        ("- a\n- b", Lines.ALL, Lines.ALL, "a\nb"),
        ("- a\n- b", Lines.ALL, Lines.FIRST, "a\n- b"),
        ("> * a", Lines.ALL, Lines.ALL, "a"),
        ("-5 a", Lines.ALL, Lines.ALL, "-5 a"),
        ("1. a", Lines.ALL, Lines.ALL, "1. a"),
        ("```log\na\n```", Lines.ALL, Lines.NONE, "a"),
    ],
)
def test_marks_of_lines_are_taken_off(text: str, quotes: Lines, lists: Lines, stripped: str) -> None:
    assert without_line_marks(text, quotes, lists) == stripped


def test_one_mark_around_the_whole_is_taken_off() -> None:
    assert without_outer_mark("**a: - **b** c**") == "a: - **b** c"
    assert without_outer_mark("* a *") == "* a *"
    assert without_outer_mark("**") == "**"


def test_an_excerpt_is_undressed_of_quotes_and_a_sentence_mark() -> None:
    forms = [form.plain for form in Readings("“It is full.”", quoted=True).plainest.standing.undressed()]
    assert forms == ['"it is full."', "it is full.", "it is full"]


def test_a_text_of_no_formatting_has_one_reading() -> None:
    assert len(list(Readings("total=50, active=50", quoted=True))) == 1
