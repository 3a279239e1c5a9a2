"""Tokens: what is one, and where a text may be cut."""

import pytest

from superbizagent.rules.edges import may_begin, turned_round_by
from superbizagent.rules.normal_form import NormalText
from superbizagent.rules.tokens import (
    Kind,
    begins_class_name,
    is_date,
    is_identifier,
    is_numeric,
    kind_of,
    split_number,
    splits_token,
    token_end,
    token_start,
    tokens_of,
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("total=50, active=50", ["total", "50", "active", "50"]),
        ("10.244.1.36:8080 GET http://shop:80/cart", ["10.244.1.36:8080", "GET", "http://shop:80/cart"]),
        ("delta -5 and +12% of rack-7", ["delta", "-5", "and", "+12%", "of", "rack-7"]),
        ("range 3-5", ["range", "3-5"]),
        ("couldn't read 'maxmemory'", ["couldn't", "read", "maxmemory"]),
        ("连接池50/50", ["连", "接", "池", "50/50"]),
        ("10⁹ rows, 2½ full", ["10⁹", "rows", "2½", "full"]),
        ("{'level':'error'}", ["level", "error"]),
        ("a…b std::vector x--y", ["a", "b", "std::vector", "x--y"]),
        ("C:\\data\\jobs", ["C:\\data\\jobs"]),
        ("load .5 now", ["load", ".5", "now"]),
        ("\u202eactive", ["active"]),
        ("café ΔT Ωmega", ["café", "ΔT", "Ωmega"]),
    ],
)
def test_tokens_are_runs_with_inner_joiners_and_sign(text: str, tokens: list[str]) -> None:
    assert tokens_of(text) == tokens


@pytest.mark.parametrize(
    "text",
    ["rack-7", "http://x:80", "-5", "91%", "don't", "a::b", "10⁹", "x_y", "1.5", "user@host", "a/b", ".5"],
)
def test_every_place_inside_a_token_splits_it(text: str) -> None:
    padded = f"a, {text} b"
    inside = range(3, 3 + len(text))
    assert [place for place in range(len(padded) + 1) if splits_token(padded, place) and place > 2] == list(inside)[1:]
    assert all(
        token_start(padded, place) == 3 and token_end(padded, place) == 3 + len(text) for place in list(inside)[1:]
    )


@pytest.mark.parametrize("text", ["连接池", "a=b", "x (y", "a…b", "'a':'b'", "5 %", "a - b", "中a"])
def test_no_place_between_tokens_splits_one(text: str) -> None:
    edges = [place for place in range(1, len(text)) if not splits_token(text, place)]
    assert edges == list(range(1, len(text)))


def test_the_last_part_of_a_dotted_class_name_is_a_token_too() -> None:
    text = "java.sql.SQLException at v1.Pod, db.prod.example.com, 2.14.3, Foo.Bar, a.B.run, x-y.Prod"
    begins = {
        text[place:].split(",", maxsplit=1)[0].split(maxsplit=1)[0]
        for place in range(len(text))
        if begins_class_name(text, place)
    }
    assert begins == {"SQLException", "Pod"}


@pytest.mark.parametrize(
    ("token", "number"),
    [("50", ("50", "")), ("-5", ("-5", "")), ("91%", ("91", "%")), ("30001ms", ("30001", "ms")), ("4.2e+00", ("4.2e+00", "")),
     ("rack-7", None), ("2.14.3", None), ("50/50", None), ("x50", None), ("1" * 200, None)],
)  # fmt: skip
def test_a_number_has_a_unit(token: str, number: tuple[str, str] | None) -> None:
    assert split_number(token) == number


@pytest.mark.parametrize(
    "token", ["10.244.1.36:80", "23:10:19.078", "2026-11-30t23:10:19z", "50/50", "v2.14.3", "2d21h", "3%"]
)
def test_addresses_times_ratios_versions_and_durations_are_numeric(token: str) -> None:
    assert is_numeric(token)


@pytest.mark.parametrize("token", ["7c67c65579-lqf4r", "bluepool-1", "x9", "sha256:95c4", "host-7:80"])
def test_identifiers_with_digits_are_not_numeric(token: str) -> None:
    assert not is_numeric(token)
    assert kind_of(token, token) is Kind.IDENTIFIER


def test_dates_are_dates_also_when_they_are_cut() -> None:
    assert all(
        map(is_date, ["2026-11-30", "2026-11-30T23:10:19.078Z", "2026-11-3", "23:10", "2026/11/30", "2026-11-30T23:1"])
    )
    assert not any(map(is_date, ["bluepool-1", "1.2.3.4.5", "7"]))


def test_words_of_one_case_are_no_identifiers() -> None:
    assert not any(map(is_identifier, ["error", "ERROR", "Connection", "couldn't"]))
    assert all(map(is_identifier, ["HikariPool", "order-service", "x_y", "db1"]))


@pytest.mark.parametrize(
    ("before", "word"),
    [
        ("is not ", "not"), ("no ", "no"), ("couldn't ", "couldn't"), ("unable to ", "unable to"), ('not "', "not"), ("not (", "not"),
        ("> ", ">"), (">=", ">="), ("!=", "!="), ("< ", "<"), ("x !", "!"), ("未", "未"), ("没有", "没有"), ("无法", "无法"),
        ("-> ", None), ("=> ", None), ("<none> ", None), ("<13>", None), ("<", None), ("done! ", None), ("!!", None), ("x=", None),
        ("knot ", None), ("node/not-", None), ("note ", None), ("", None), ("tag: ", None), ("failed ", None),
    ],
)  # fmt: skip
def test_negations_and_comparators_turn_round_what_follows(before: str, word: str | None) -> None:
    plain = f"{before}ready>" if before == "<" else f"{before}ready"
    assert turned_round_by(plain, len(before)) == word


@pytest.mark.parametrize(
    ("text", "place", "begins"), [("a -> 90", 3, False), ("a > 90", 2, True), ("a >= 90", 3, False), ("a=90", 1, True)]
)
def test_no_excerpt_begins_inside_an_operator(text: str, place: int, begins: bool) -> None:
    assert may_begin(NormalText(text, text), place) is begins
