"""How an Executor's output is read, whatever it looks like."""

import json
from typing import Any

import pytest

from superbizagent.contract.vocabulary import WarningCode
from superbizagent.rules.executor_output import ReadOutput, read_output
from tests.builders import binding, claim, output


def codes(read: ReadOutput) -> list[WarningCode]:
    return [warning.code for warning in read.warnings]


@pytest.mark.parametrize(
    "text",
    [
        "OUTPUT",
        "```json\nOUTPUT\n```",
        "Here you are: OUTPUT and that is all.",
        'I thought {"plan": 1} first.\nOUTPUT',
        '{"thought": "braces } in { strings"}\nOUTPUT',
        "[OUTPUT]",
        "use {name as given; OUTPUT",
    ],
    ids=["bare", "fence", "words", "two objects", "braces in strings", "in a list", "unclosed prose brace"],
)
def test_object_in_text_is_found(text: str) -> None:
    read = read_output(text.replace("OUTPUT", json.dumps(output())))
    assert [claim.claim_id for claim in read.claims] == ["c1"]
    assert not read.problems


@pytest.mark.parametrize(
    "text", ["", "no json here", "[1, 2]", "{" * 100_000, "[" * 100_000, '{"claims": ' + "[" * 100_000]
)
def test_text_without_an_object_is_one_problem(text: str) -> None:
    read = read_output(text)
    assert not read.claims
    assert len(read.problems) == 1


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ('{"claims": [], "claims": [C]}', "claims"),
        ('{"claims": [C], "claims": []}', "claims"),
        ('{"claims": [{"text": "one", "text": "two"}]}', "text"),
        ('{"claims": [C], "next_steps": [{"target": "a", "target": "a"}]}', "target"),
        ('{"claims": [C], "other": {"x": 1, "\\u0078": 2}}', "x"),
        ('words ```json\n{"claims": [C], "claims": [C]}\n```', "claims"),
    ],
)
def test_key_that_stands_twice_is_a_problem_and_the_rest_is_read(written: str, key: str) -> None:
    read = read_output(written.replace("C", json.dumps(output()["claims"][0])))
    assert [problem.message for problem in read.problems if "twice" in problem.message] == [
        f"the key `{key}` stands twice in one object: the later one hides the earlier"
    ]


def test_key_that_stands_twice_in_another_object_than_the_output_is_no_problem() -> None:
    assert not read_output('{"a": 1, "a": 2} and then ' + json.dumps(output())).problems


def test_key_that_stands_twice_before_the_cut_is_a_problem_too() -> None:
    whole = '{"claims": [], ' + json.dumps(output())[1:]
    read = read_output(whole[: whole.rindex("]")])
    assert any("twice" in problem.message for problem in read.problems)
    assert any("cut off" in problem.message for problem in read.problems)


def test_cut_off_output_is_read_as_far_as_its_complete_bindings() -> None:
    whole = json.dumps(output(claim(binding(), binding(raw_path="$.logs[1]")), claim(claim_id="c2")))
    for length in range(len(whole)):
        read = read_output(whole[:length])
        assert read.problems
        complete = whole[:length].count("}")
        assert sum(len(claim.bindings) for claim in read.claims) == min(complete, 2) + (complete > 3)


def test_binding_that_was_cut_is_not_read() -> None:
    whole = json.dumps(output())
    read = read_output(whole[: whole.index(', "evidence_excerpt"')])
    assert not read.claims


def test_nesting_beyond_reach_in_one_field_is_a_problem_and_no_crash() -> None:
    whole = json.dumps(output())[:-1] + ', "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    assert read_output(whole).problems


def test_number_of_thousands_of_digits_names_no_invocation() -> None:
    text = json.dumps(output()).replace('"source_invocation_id": 2', '"source_invocation_id": ' + "9" * 5000)
    named = read_output(text).claims[0].bindings[0].invocation_id
    assert named is not None
    assert named.number is None
    assert not named.malformed


def test_forbidden_and_unknown_keys_are_dropped_with_a_warning() -> None:
    read = read_output(output(claim(binding(note=1), mood="sad"), diagnosis_summary="all lost", extra=1))
    assert codes(read) == [
        WarningCode.FORBIDDEN_FIELD_DROPPED,
        WarningCode.UNKNOWN_KEY_DROPPED,
        WarningCode.UNKNOWN_KEY_DROPPED,
        WarningCode.UNKNOWN_KEY_DROPPED,
    ]


@pytest.mark.parametrize("ids", [("c1", "c1"), (None, "c2"), ("", "a"), (1, 2)])
def test_claim_ids_missing_or_repeated_are_given_by_position(ids: tuple[Any, Any]) -> None:
    read = read_output(output(*(claim(claim_id=claim_id) for claim_id in ids)))
    assert [claim.claim_id for claim in read.claims] == ["c1", "c2"]
    assert WarningCode.CLAIM_ID_REASSIGNED in codes(read)


def test_claim_ids_of_its_own_are_kept() -> None:
    read = read_output(output(claim(claim_id="x"), claim(claim_id="y")))
    assert [claim.claim_id for claim in read.claims] == ["x", "y"]


def test_status_that_cannot_be_read_is_no_hypothesis() -> None:
    assert not read_output(output(claim(status="maybe"))).claims[0].is_hypothesis
