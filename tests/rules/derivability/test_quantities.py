"""Quantities: what is read, and how a claimed value fits a recorded one. One oddity each."""

from decimal import Decimal

import pytest

from superbizagent.rules.quantities import Family, Fit, Quantity, Relation, base_values, compare, is_ambiguous, read_at


def read(text: str) -> Quantity:
    found = read_at(text, 0)
    assert found is not None
    return found[0]


@pytest.mark.parametrize(
    ("text", "value", "family"),
    [
        ("30001ms", "30.001", Family.TIME), ("15 minutes", "900", Family.TIME), ("1m30s", "90", Family.TIME),
        ("42 秒", "42", Family.TIME), ("1.5GiB", "1610612736", Family.BYTES), ("1.5 GB", "1500000000", Family.BYTES),
        ("8kB", "8192", Family.BYTES), ("91 %", "91", Family.PERCENT), ("4.2e+00", "4.2", Family.COUNT),
        ("1.2万", "12000", Family.COUNT), ("3亿", "300000000", Family.COUNT), ("12k", "12000", Family.COUNT),
        ("4.6 per second", "4.6", Family.RATE), ("6 percentage points", "6", Family.POINTS), ("-5", "-5", Family.COUNT),
        ("300,000", "300000", Family.COUNT),
    ],
)  # fmt: skip
def test_quantity_is_read_in_base_units(text: str, value: str, family: Family) -> None:
    quantity = read(text)
    assert base_values(quantity)[0] == Decimal(value)
    assert quantity.family is family


@pytest.mark.parametrize(
    ("claimed", "relation", "recorded", "fit"),
    [
        ("30 s", Relation.IS, "30000ms", Fit.HOLDS), ("30 s", Relation.IS, "30001ms", Fit.ROUNDS),
        ("30 s", Relation.ABOUT, "30001ms", Fit.HOLDS), ("30001 s", Relation.IS, "30001ms", Fit.DIFFERS),
        ("1536 MiB", Relation.IS, "1.5GiB", Fit.HOLDS), ("1.5 GB", Relation.IS, "1.5GiB", Fit.DIFFERS),
        ("4.61", Relation.IS, "4.607142857142857", Fit.HOLDS), ("4.62", Relation.IS, "4.607142857142857", Fit.ROUNDS),
        ("199", Relation.IS, "200", Fit.DIFFERS), ("90%", Relation.OVER, "91%", Fit.HOLDS),
        ("91%", Relation.OVER, "91%", Fit.DIFFERS), ("95%", Relation.UNDER, "91%", Fit.HOLDS),
        ("199", Relation.AT_MOST, "199", Fit.HOLDS), ("200", Relation.AT_LEAST, "199", Fit.DIFFERS),
        ("50", Relation.ABOUT, "60", Fit.DIFFERS), ("91%", Relation.IS, "91", Fit.INCOMPARABLE),
        ("250 ms", Relation.IS, "250", Fit.INCOMPARABLE), ("5 MB", Relation.IS, "5s", Fit.INCOMPARABLE),
    ],
)  # fmt: skip
def test_recorded_value_fits_as_it_should(claimed: str, relation: Relation, recorded: str, fit: Fit) -> None:
    assert compare(read(claimed), relation, read(recorded)) is fit


def test_ratio_is_a_percentage_only_where_the_record_calls_it_one() -> None:
    assert compare(read("91%"), Relation.IS, read("0.91"), as_ratio=True) is Fit.HOLDS
    assert compare(read("91%"), Relation.IS, read("0.91")) is Fit.INCOMPARABLE


def test_thousands_and_decimal_comma_are_both_tried() -> None:
    assert is_ambiguous(read("30,000"))
    assert not is_ambiguous(read("30,5"))


def test_comma_behind_a_number_is_no_part_of_it() -> None:
    assert read("199, idle").text == "199"
