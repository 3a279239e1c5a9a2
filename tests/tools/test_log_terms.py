"""How a log query is read, widened and loosened."""

import pytest

from superbizagent.contract.errors import UsageError
from superbizagent.tools.log_terms import loosened, narrowed, read_query


def test_no_query_has_no_groups() -> None:
    assert read_query(None).groups == []
    assert read_query("  ").groups == []


def test_terms_side_by_side_are_alternatives() -> None:
    assert read_query("qwe rty").groups == [["qwe", "rty"]]


def test_or_binds_tighter_than_and() -> None:
    assert read_query('qwe OR rty AND "u i" zxc').groups == [["qwe", "rty"], ["u i", "zxc"]]


@pytest.mark.parametrize("query", ["AND x", "x AND", "x AND AND y", " ".join(f"t{n}" for n in range(201))])
def test_query_that_cannot_be_read_is_a_sentence(query: str) -> None:
    with pytest.raises(UsageError):
        read_query(query)


def test_terms_are_widened_by_equals_and_the_widening_is_said() -> None:
    terms = read_query("连接池")
    assert "connection pool" in [form.lower() for form in terms.groups[0]]
    assert "connection pool" in [form.lower() for form in terms.widened["连接池"]]


def test_words_that_the_lexicon_knows_together_are_searched_together_too() -> None:
    assert "connection pool" in read_query("connection pool").groups[0]


def test_phrase_is_loosened_to_its_words_and_that_is_said() -> None:
    loose = loosened(read_query('"request timed out after 30000ms"'))
    assert loose is not None
    assert {"request", "timed", "30000ms"} <= set(loose.groups[0])
    assert "after" not in loose.groups[0]
    assert ["30000ms"] in loose.bearing
    assert loose.notes


def test_ratio_is_loosened_to_its_two_fields() -> None:
    loose = loosened(read_query("active=50/50"))
    assert loose is not None
    assert loose.groups[0] == ["active=50"]
    assert "total=50" in loose.groups[1]
    assert loose.widened["active=50/50"]


def test_single_words_have_nothing_to_loosen() -> None:
    assert loosened(read_query("qwertz OR zuiop")) is None


def test_words_without_operator_are_ranked_by_how_many_a_record_has() -> None:
    assert read_query("qwe rty").bearing == [["qwe"], ["rty"]]
    assert read_query("qwe OR rty").bearing == []


def test_mixed_operators_are_said_as_they_were_read() -> None:
    assert read_query("qwe OR rty AND zxc").notes == ["the query was read as (qwe OR rty) AND (zxc)"]


def test_not_is_refused_instead_of_searched() -> None:
    with pytest.raises(UsageError, match="NOT"):
        read_query("error NOT timeout")


def test_typographic_quotes_make_a_phrase() -> None:
    assert read_query("“disk is on fire”").groups == [["disk is on fire"]]


def test_concept_is_narrowed_to_the_words_of_records_and_that_is_said() -> None:
    narrow = narrowed(read_query("数据库连接池"))
    assert narrow is not None
    assert "hikaripool" in narrow.groups[0]
    assert narrow.notes
    assert "hikaripool" in narrow.widened["数据库连接池"]


def test_query_with_operators_is_not_narrowed() -> None:
    assert narrowed(read_query("数据库连接池 OR 线程池")) is None
