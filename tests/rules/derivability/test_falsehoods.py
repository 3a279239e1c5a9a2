"""The judge against a maker of falsehoods over recorded texts of many programs: none may pass."""

import itertools
import re
from pathlib import Path

import pytest

from superbizagent.contract.vocabulary import Outcome
from tests.rules.derivability.falsehoods import KINDS, Case, falsehoods
from tests.rules.derivability.world import DATA, judged, rows

ENOUGH = 2000
SOAK = 20_000
_ROLES = [
    ("cart-service called pay-service", ["WARN cart-service called pay-service and got 502"]),
    ("db-one replaced db-two", ["INFO failover: db-one replaced db-two"]),
    ("lock-a blocked lock-b", ["WARN lock-a blocked lock-b for 30s"]),
]


def recorded_claims() -> list[Case]:
    """Right claims that repeat what a line of a recorded log says: its fields, or its message."""
    out: list[Case] = []
    for path in sorted(Path(DATA / "incidents").rglob("*.log")) + sorted(Path(DATA / "logs").rglob("*.log")):
        seen: set[str] = set()
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            shape = re.sub(r"\d+", "#", line)
            if shape in seen or len(line) > 400 or not re.match(r"\S+ .*[a-z]{4,} [a-z]{2,}", line):
                continue
            seen.add(shape)
            fields = re.findall(r"\b[a-z]{4,}=\d+\b", line)
            out.append((", ".join(fields) if fields else line.rpartition(" - ")[2][:90], [line]))
    return out


def right_claims() -> list[Case]:
    """Every claim that the judge supports: from the rows, the recorded logs, and some with two roles."""
    claims = [(row["claim"], row["texts"]) for row in rows("right.jsonl")] + recorded_claims() + _ROLES
    return [(claim, texts) for claim, texts in claims if judged(claim, *texts).outcome is Outcome.SUPPORTED]


def passed(count: int, seed: int) -> list[tuple[str, str, list[str]]]:
    made = itertools.islice(falsehoods(right_claims(), seed), count)
    return [case for case in made if judged(case[1], *case[2]).outcome is Outcome.SUPPORTED]


def test_no_falsehood_made_from_a_right_claim_passes() -> None:
    assert not passed(ENOUGH, seed=1)


def test_every_kind_of_falsehood_is_made() -> None:
    made = itertools.islice(falsehoods(right_claims(), seed=2), ENOUGH)
    assert {kind for kind, _claim, _texts in made} == set(KINDS)


@pytest.mark.soak
def test_no_falsehood_of_a_large_run_passes() -> None:
    assert not passed(SOAK, seed=3)
