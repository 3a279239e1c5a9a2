"""The vectors that pin the protocol, each through the function behind `sba check`."""

import json
from pathlib import Path
from typing import Any

import pytest

from superbizagent.cli.case_check import check_case, read_case

VECTORS = Path(__file__).parent / "data" / "vectors"


def rows(name: str) -> list[dict[str, Any]]:
    lines = (VECTORS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def one_of(got: str, wanted: str | list[str]) -> bool:
    return got in wanted if isinstance(wanted, list) else got == wanted


@pytest.mark.parametrize("row", rows("gatekeeper") + rows("derivability"), ids=lambda row: row["id"])
def test_vector_gives_what_it_expects(row: dict[str, Any]) -> None:
    expect, result = row["expect"], check_case(read_case(json.dumps(row["case"])))
    gate = result["gatekeeper_result"]
    claims = {claim["claim_id"]: claim for claim in result["claims"]}
    if "severity" in expect:
        assert one_of(gate["severity"], expect["severity"]), gate["failed_rules"]
    if "failed_rules" in expect:
        assert {failure["rule"] for failure in gate["failed_rules"]} == set(expect["failed_rules"])
    for claim_id, verdict in expect.get("verdicts", {}).items():
        assert one_of(claims[claim_id]["verdict"], verdict), claims[claim_id]["reasons"]
    for claim_id, codes in expect.get("reasons", {}).items():
        assert set(codes) <= {reason["code"] for reason in claims[claim_id]["reasons"]}
    if "effective_verdict" in expect:
        assert one_of(result["effective_verdict"], expect["effective_verdict"])
    assert set(expect.get("warnings", [])) <= {warning["code"] for warning in gate["warnings"]}
    if "match" in expect:
        assert gate["checked_bindings"][0]["match"] == expect["match"]
