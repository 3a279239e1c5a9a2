"""Hostile input: nothing raises, nothing takes more than a moment, nothing passes."""

import time

import pytest

from superbizagent.contract.vocabulary import Outcome
from tests.rules.derivability.world import judged

RECORD = "ERROR cart-service order 88101 failed: card declined after 30001ms"
SECONDS = 2.0
CLAIMS = {
    "one megabyte": "a b " * 250_000, "long digits": "order " + "9" * 5000 + " failed", "brackets": "(" * 900,
    "colons": "a:" * 450, "commas": "1," * 450, "negations": "没有" * 450, "nots": "not " * 240, "nul": "\x00 failed \ud800",
    "names": "a-1 " * 240, "dashes": "a-" * 450, "slashes": "/" * 900, "empty": "", "space": " \n\t ", "marks": "!?.;:",
    "numbers": "active 50 " * 90,
}  # fmt: skip
TEXTS = {
    "long": RECORD * 5000, "digits": "x=" + "9" * 20_000, "brackets": "[" * 20_000, "quotes": '"' * 20_000,
    "headers": "x-a: " * 4000, "said": "user " * 4000, "fields": "active=50 " * 2000, "url": "http://" * 2800,
    "surrogates": "\ud800" * 2000, "escapes": "\\n" * 8000,
}  # fmt: skip


@pytest.mark.parametrize("name", CLAIMS)
def test_hostile_claim_is_judged_quickly_and_does_not_pass(name: str) -> None:
    started = time.process_time()
    judgement = judged(CLAIMS[name], RECORD)
    assert time.process_time() - started < SECONDS
    assert judgement.outcome is not Outcome.SUPPORTED or name == "nul"


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_record_is_read_quickly(name: str) -> None:
    started = time.process_time()
    judgement = judged("order 77 crashed", TEXTS[name])
    assert time.process_time() - started < SECONDS
    assert judgement.outcome is not Outcome.SUPPORTED


def test_digits_beyond_decimal_precision_are_compared_as_names() -> None:
    claim, record = "id 123456789012345678901234567891 failed", "ERROR id 123456789012345678901234567890 failed"
    assert judged(claim, record).outcome is not Outcome.SUPPORTED
    assert judged(claim, record.replace("90 f", "91 f")).outcome is Outcome.SUPPORTED


def test_claim_of_a_megabyte_says_why_it_is_undetermined() -> None:
    judgement = judged("a " * 500_000, RECORD)
    assert judgement.outcome is Outcome.UNDETERMINED
    assert "longer than" in judgement.reasons[0].message


def test_same_claim_and_records_give_the_same_judgement() -> None:
    assert judged("order 88101 failed", RECORD) == judged("order 88101 failed", RECORD)
