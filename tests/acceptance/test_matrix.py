"""The acceptance matrix, run through each door: the Python function and the command line."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from superbizagent.contract.vocabulary import Verdict
from tests.cli.run import sba

HERE = Path(__file__).parent
INCIDENT = HERE / "incident"
MATRIX = yaml.safe_load((HERE / "matrix.yaml").read_text(encoding="utf-8"))
CASES: list[dict[str, Any]] = MATRIX["cases"]


def script_of(case: dict[str, Any], ids: dict[str, int]) -> dict[str, Any]:
    """The scripted Executor's script for a case; `ids` are those of calls that were made before."""
    calls = [{"key": key, **MATRIX["tools"][key]} for key in case.get("calls", [])]
    output = json.dumps(case["output"], ensure_ascii=False)
    for key, number in ids.items():
        output = output.replace(f'"$id:{key}"', str(number)).replace(f"$id:{key}", str(number))
    return {"calls": calls, "output": json.loads(output)}


def question_of(case: dict[str, Any]) -> str:
    return str(case.get("question", MATRIX["question"]))


def check_result(case: dict[str, Any], result: dict[str, Any]) -> None:
    """Compare the printed JSON result with what the case expects."""
    expect, gate = case["expect"], result["gatekeeper_result"]
    assert gate["severity"] == expect["severity"]
    assert {failure["rule"] for failure in gate["failed_rules"]} == set(expect["rules"])
    verdicts = {claim["claim_id"]: claim["verdict"] for claim in result["claims"]}
    if "verdicts" in expect:
        assert verdicts == expect["verdicts"]
    assert result["verdict"] == expect["effective"]
    if "answered" in expect:
        assert result["answered"] == expect["answered"]
    assert set(expect.get("warnings", [])) <= {warning["code"] for warning in gate["warnings"]}
    assert set(expect.get("evaluation_warnings", [])) <= {warning["code"] for warning in result["warnings"]}
    for claim_id, code in expect.get("reasons", {}).items():
        reasons = next(claim["reasons"] for claim in result["claims"] if claim["claim_id"] == claim_id)
        assert code in {reason["code"] for reason in reasons}
    statuses = dict(zip(case.get("calls", []), [i["evidence_status"] for i in result["invocations"]], strict=True))
    for key, status in expect.get("evidence_status", {}).items():
        assert statuses[key] == status
    for words in case.get("says", []):
        assert words in result["answer"]
    for words in case.get("never", []):
        assert words not in result["answer"]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
async def test_matrix_through_python(case: dict[str, Any]) -> None:
    from tests.acceptance.python_door import ask

    check_result(case, await ask(case))


@pytest.mark.parametrize(
    "case", [case for case in CASES if "cli" in case.get("doors", ["python", "cli"])], ids=lambda case: case["id"]
)
def test_matrix_through_the_command_line(case: dict[str, Any], tmp_path: Path) -> None:
    ids: dict[str, int] = {}
    if "before" in case:
        before = {"calls": [case["before"]], "output": {"claims": []}}
        result, _ = run_cli(script_of(before, {}), "an earlier question", tmp_path)
        ids["before"] = result["invocations"][0]["id"]
    result, code = run_cli(script_of(case, ids), question_of(case), tmp_path)
    check_result(case, result)
    assert code == (0 if case["expect"]["effective"] == Verdict.PASS.value else 1)


def run_cli(script: dict[str, Any], question: str, place: Path) -> tuple[dict[str, Any], int]:
    """Run `sba diagnose --json` with the scripted engine, in a process of its own."""
    file = place / "script.json"
    file.write_text(json.dumps(script, ensure_ascii=False), encoding="utf-8")
    scripted = {"SBA_ENGINE": "scripted", "SBA_ENGINE_SCRIPT": str(file)}
    done = sba(place, "diagnose", "--json", question, INCIDENT, environment_of=scripted)
    assert done.returncode in (0, 1), done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result, done.returncode
