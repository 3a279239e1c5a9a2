"""What a text bears on, and the tables behind it."""

from importlib import resources

import pytest

from superbizagent.rules.asking_words import word_set
from superbizagent.rules.bearing import asked_phrases, bears_on, kind_of, says, search_terms


def rows(name: str) -> list[tuple[str, list[str]]]:
    text = resources.files("superbizagent.rules").joinpath("data", name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(key, ids.split()) for key, _, ids in (line.partition("\t") for line in lines)]


@pytest.mark.parametrize("name", ["bearings.tsv", "asking.tsv"])
def test_table_has_each_phrase_once_in_lower_case_with_concepts(name: str) -> None:
    keys = [key for key, _ in rows(name)]
    assert sorted(set(keys)) == sorted(keys)
    assert all(key == key.lower().strip() and ids for key, ids in rows(name))


def test_asked_concept_can_be_met_by_some_record() -> None:
    met = {concept.lstrip("?") for _, ids in rows("bearings.tsv") for concept in ids}
    for _, ids in rows("asking.tsv"):
        for concept in ids:
            known = kind_of(concept) != "literal" or concept in met or concept in word_set("literal_thing")
            assert known or search_terms(concept), concept


@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("BluePool-1 (HikariPool) stats", {"connection_pool", "database_connection_pool"}),
        ("HighMemoryUsage firing", {"memory_usage", "memory"}),
        ("java.lang.OutOfMemoryError: Java heap space", {"out_of_memory", "heap", "memory"}),
        ("FATAL: sorry, too many clients already", {"connection_refused", "postgresql"}),
        ("[Errno 28] No space left on device", {"no_space_left", "disk"}),
        ("磁盘写满", {"no_space_left", "disk"}),
        ("订单 7 失败：连接被拒绝", {"fail", "connection_refused"}),
    ],
)
def test_record_bears_on_what_a_reader_finds_it_by(text: str, concepts: set[str]) -> None:
    assert concepts <= bears_on(text)


@pytest.mark.parametrize(
    ("text", "concept"),
    [
        ("java.lang.OutOfMemoryError: Metaspace", "heap"),
        ("OOM command not allowed when used memory > 'maxmemory'", "heap"),
        ("thread pool of 8", "database_connection_pool"),
        ("retention of topic orders", "no_space_left"),
    ],
)
def test_record_bears_on_nothing_narrower_than_it_says(text: str, concept: str) -> None:
    assert concept not in bears_on(text)


def test_speaking_of_a_thing_is_not_saying_it() -> None:
    record = "host=bank.example notAfter=Nov 28 09:00:00 2026 GMT"
    assert "expired" in bears_on(record)
    assert "expired" not in says(record)


def test_words_of_a_phrase_may_stand_apart() -> None:
    found = asked_phrases("Is PostgreSQL refusing all new connections?")
    assert [phrase.concepts for phrase in found] == [frozenset({"connection_refused"})]
    assert asked_phrases("They refuse. After a long pause and much talk the connections came back") == []
