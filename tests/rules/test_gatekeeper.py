"""One test a rule and a condition: the valid world with one thing changed."""

from typing import Any

import pytest

from superbizagent.contract.results import GatekeeperResult
from superbizagent.contract.vocabulary import GateStatus, Match, Rule, Severity
from superbizagent.diagnosis.verifier import evaluate
from superbizagent.diagnosis.verifier_input import prepare
from superbizagent.rules.gatekeeper import check
from tests.builders import POOL_STATS, SESSION, binding, claim, invocation, output, world

LEGACY = {"source_invocation_id": ...}
CASES: list[tuple[str, Any, set[Rule], Severity]] = [
    ("valid", output(), set(), Severity.NONE),
    ("id as digits", output(claim(binding(source_invocation_id="002"))), set(), Severity.NONE),
    ("no output", None, {Rule.OUTPUT_COMPLETE, Rule.CLAIMS_PRESENT}, Severity.LOW_CONFID),
    ("no claims key", output(claims=...), {Rule.CLAIMS_PRESENT}, Severity.LOW_CONFID),
    ("claims are a number", output(claims=7), {Rule.OUTPUT_COMPLETE, Rule.CLAIMS_PRESENT}, Severity.LOW_CONFID),
    ("foreign schema", output(schema_version="executor.v9"), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("blank text", output(claim(text="  ")), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("unknown type", output(claim(claim_type="verdict")), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("no status", output(claim(status=...)), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("claim is a list", output(claim(), claims=[claim(), []]), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("next steps are text", output(next_steps="look"), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("no bindings", output(claim(evidence_bindings=[])), {Rule.BINDINGS_PRESENT}, Severity.LOW_CONFID),
    ("hypothesis without bindings", output(claim(evidence_bindings=[], status="unconfirmed")), set(), Severity.NONE),
    ("fraction as id", output(claim(binding(source_invocation_id=2.0))), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("boolean as id", output(claim(binding(source_invocation_id=True))), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("list as id", output(claim(binding(source_invocation_id=[2]))), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("word as id", output(claim(binding(source_invocation_id="call_2"))), {Rule.INVOCATION_EXISTS}, Severity.REJECT),
    ("id beyond 64 bits", output(claim(binding(source_invocation_id=2**64 + 2))), {Rule.INVOCATION_EXISTS}, Severity.REJECT),
    ("other digits as id", output(claim(binding(source_invocation_id="２"))), {Rule.INVOCATION_EXISTS}, Severity.REJECT),
    ("id never recorded", output(claim(binding(source_invocation_id=77))), {Rule.INVOCATION_EXISTS}, Severity.REJECT),
    ("another session's", output(claim(binding(source_invocation_id=9))), {Rule.INVOCATION_IN_SESSION}, Severity.REJECT),
    ("another tool", output(claim(binding(tool_name="query_metrics"))), {Rule.TOOL_MATCHES}, Severity.REJECT),
    ("no tool", output(claim(binding(tool_name=...))), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("legacy ids", output(claim(binding(**LEGACY, source_invocation_ids=[2, 3]))), {Rule.INVOCATION_ID_SINGULAR}, Severity.LOW_CONFID),
    (
        "legacy id never recorded",
        output(claim(binding(**LEGACY, source_invocation_ids=[2, 88]))),
        {Rule.INVOCATION_ID_SINGULAR, Rule.INVOCATION_EXISTS},
        Severity.REJECT,
    ),
    (
        "legacy ids are no list",
        output(claim(binding(**LEGACY, source_invocation_ids="2"))),
        {Rule.INVOCATION_ID_SINGULAR, Rule.OUTPUT_COMPLETE},
        Severity.LOW_CONFID,
    ),
    ("singular wins over legacy", output(claim(binding(source_invocation_ids=[88]))), set(), Severity.NONE),
    ("no id, two candidates", output(claim(binding(source_invocation_id=...))), {Rule.INVOCATION_ID_PRESENT}, Severity.LOW_CONFID),
    (
        "no id, no path, no excerpt",
        output(claim({"tool_name": "query_logs"})),
        {Rule.INVOCATION_ID_PRESENT, Rule.RAW_PATH_PRESENT, Rule.EXCERPT_COMPARABLE},
        Severity.LOW_CONFID,
    ),
    ("no path", output(claim(binding(raw_path=""))), {Rule.RAW_PATH_PRESENT}, Severity.LOW_CONFID),
    ("path is a number", output(claim(binding(raw_path=0))), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("path beyond the refs", output(claim(binding(raw_path="$.logs[2]"))), {Rule.RAW_PATH_RECORDED}, Severity.REJECT),
    ("path with a space", output(claim(binding(raw_path=" $.logs[0]"))), {Rule.RAW_PATH_RECORDED}, Severity.REJECT),
    ("negative index", output(claim(binding(raw_path="$.logs[-1]"))), {Rule.RAW_PATH_RECORDED}, Severity.REJECT),
    ("no excerpt", output(claim(binding(evidence_excerpt=None))), {Rule.EXCERPT_COMPARABLE}, Severity.LOW_CONFID),
    ("excerpt is a number", output(claim(binding(evidence_excerpt=50))), {Rule.OUTPUT_COMPLETE}, Severity.LOW_CONFID),
    ("excerpt says nothing", output(claim(binding(evidence_excerpt="error"))), {Rule.EXCERPT_COMPARABLE}, Severity.LOW_CONFID),
    (
        "a digit changed",
        output(claim(binding(evidence_excerpt="total=50, active=51, idle=0"))),
        {Rule.EXCERPT_MATCHES},
        Severity.REJECT,
    ),
    (
        "a paraphrase",
        output(claim(binding(evidence_excerpt="BluePool-1 timed out with total=50, active=50, idle=0 and waiting=199"))),
        {Rule.EXCERPT_VERBATIM},
        Severity.LOW_CONFID,
    ),
    (
        "an absence that cites an empty search",
        output(claim(binding(source_invocation_id=3, raw_path=None, evidence_excerpt=None),
                     text="No error of BluePool-1 was found", claim_type="negative_observation")),
        {Rule.ABSENCE_IS_NOT_PROOF},
        Severity.LOW_CONFID,
    ),
]  # fmt: skip


def gate(raw: Any, rows: list[Any] | None = None) -> GatekeeperResult:
    """The Gatekeeper's result over the valid world."""
    return evaluate(raw, world() if rows is None else rows, SESSION).gatekeeper_result


@pytest.mark.parametrize(("raw", "rules", "severity"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_one_thing_changed_fails_exactly_its_rules(raw: Any, rules: set[Rule], severity: Severity) -> None:
    result = gate(raw)
    assert {failure.rule for failure in result.failed_rules} == rules
    assert result.severity is severity
    assert (result.status is GateStatus.PASS) == (severity is Severity.NONE)


def test_skill_cited_is_neither_citable_nor_recorded() -> None:
    skill = invocation(4, tool_name="read_skill").model_copy(update={"retrieval_details": None})
    result = gate(output(claim(binding(tool_name="read_skill", source_invocation_id=4))), [*world(), skill])
    assert {failure.rule for failure in result.failed_rules} == {Rule.TOOL_IS_CITABLE, Rule.REFS_RECORDED}


def test_every_rule_has_a_case() -> None:
    covered = {rule for _, _, rules, _ in CASES for rule in rules} | {Rule.TOOL_IS_CITABLE, Rule.REFS_RECORDED}
    assert covered == set(Rule)


def test_valid_binding_carries_text_and_match() -> None:
    checked = gate(output()).checked_bindings[0]
    assert (checked.text, checked.match, checked.severity) == (POOL_STATS, Match.EXACT, Severity.NONE)


def test_other_sessions_text_stands_nowhere_in_the_result() -> None:
    result = gate(output(claim(binding(source_invocation_id=9, evidence_excerpt="card 4111 declined"), text="x y z")))
    shown = result.model_dump(mode="json")
    shown["checked_bindings"][0].pop("evidence_excerpt")
    assert "4111" not in str(shown)
    assert "s-other" not in str(shown)


def test_excerpt_of_another_ref_is_rejected_and_its_path_named() -> None:
    rows = [invocation(2, POOL_STATS, POOL_STATS.replace("199", "187"))]
    result = gate(output(claim(binding(evidence_excerpt="total=50, active=50, idle=0, waiting=187"))), rows)
    assert [failure.rule for failure in result.failed_rules] == [Rule.EXCERPT_MATCHES]
    assert "$.logs[1]" in result.failed_rules[0].message


def test_path_recorded_twice_names_nothing() -> None:
    row = invocation(2, POOL_STATS)
    details = row.retrieval_details
    assert details is not None
    assert details.evidence_refs is not None
    twice = details.model_copy(update={"evidence_refs": [*details.evidence_refs, *details.evidence_refs]})
    result = gate(output(), [row.model_copy(update={"retrieval_details": twice})])
    assert [failure.rule for failure in result.failed_rules] == [Rule.RAW_PATH_RECORDED]


def test_row_of_an_outside_tool_is_checked_by_its_own_collection() -> None:
    row = invocation(2, POOL_STATS, tool_name="query_series", collection="series")
    details = row.retrieval_details
    assert details is not None
    row = row.model_copy(update={"retrieval_details": details.model_copy(update={"collection": "series"})})
    result = gate(output(claim(binding(tool_name="query_series", raw_path="$.series[0]"))), [row])
    assert result.severity is Severity.NONE


def test_unknown_tool_without_collection_is_not_citable() -> None:
    row = invocation(2, POOL_STATS, tool_name="query_series", collection="series")
    result = gate(output(claim(binding(tool_name="query_series", raw_path="$.series[0]"))), [row])
    assert Rule.TOOL_IS_CITABLE in {failure.rule for failure in result.failed_rules}


def test_check_that_could_not_run_is_a_failure() -> None:
    read = prepare(output(), world())
    result = check(read, {row.id: row for row in world()}, SESSION, errors=["the store could not be read"])
    assert (result.status, result.severity) == (GateStatus.FAIL, Severity.LOW_CONFID)
    assert result.errors == ["the store could not be read"]


def test_auto_fill_with_one_candidate_fills_and_warns() -> None:
    rows = [row for row in world() if row.id != 3]
    result = gate(output(claim(binding(source_invocation_id=None))), rows)
    assert result.severity is Severity.NONE
    assert [warning.code.value for warning in result.warnings] == ["invocation_id_auto_filled"]
    assert result.checked_bindings[0].auto_filled


@pytest.mark.parametrize("change", [{"tool_name": None}, {"source_invocation_ids": [2]}, {"source_invocation_id": 2.5}])
def test_auto_fill_never_touches_a_binding_that_says_something_else(change: dict[str, Any]) -> None:
    rows = [row for row in world() if row.id != 3]
    result = gate(output(claim(binding(**{"source_invocation_id": None, **change}))), rows)
    assert not result.checked_bindings[0].auto_filled
    assert result.severity is not Severity.NONE


def test_same_inputs_give_the_same_bytes() -> None:
    assert gate(output()).model_dump_json() == gate(output()).model_dump_json()


@pytest.mark.parametrize("value", [None, 0, 1.5, True, "x", [], {}, [[]], {"a": None}, "９", 10**40, "\ud800"])
@pytest.mark.parametrize(
    "key", ["tool_name", "source_invocation_id", "source_invocation_ids", "raw_path", "evidence_excerpt"]
)
def test_any_value_anywhere_in_a_binding_never_raises_and_never_passes_unchecked(key: str, value: Any) -> None:
    result = gate(output(claim(binding(**{key: value}))))
    passed = result.severity is Severity.NONE
    assert passed == (key == "source_invocation_ids")


@pytest.mark.parametrize("value", [None, 0, True, "x", [], {}, [None], "\ud800"])
@pytest.mark.parametrize("key", ["claim_id", "text", "claim_type", "status", "evidence_bindings"])
def test_any_value_anywhere_in_a_claim_never_raises(key: str, value: Any) -> None:
    assert gate(output(claim(**{key: value}))).status in GateStatus
