"""Quotations: the record's own words are accounted for, and nothing is let through by quoting."""

import pytest

from superbizagent.contract.vocabulary import EvidenceKind, Outcome
from superbizagent.rules.judging import Proof, judge

FULL = "ERROR uploads - upload 77 not stored: [Errno 28] No space left on device, 98.83% full (current=98.828125)"


def outcome(claim: str, record: str, excerpt: str | None = None) -> Outcome:
    proof = Proof(excerpt or record, record, EvidenceKind.INCIDENT, "query_logs", 1, "$.logs[0]")
    return judge(claim, None, [proof]).outcome


@pytest.mark.parametrize(
    "claim",
    [
        'uploads logged "[Errno 28] No space left on device, 98.83% full"',
        "uploads 记录了“No space left on device, 98.83% full (current=98.828125)”",
        'uploads logged "No space left on device, 98.83% full (current=98.828125)"',
    ],
)
def test_verbatim_quotation_is_supported(claim: str) -> None:
    assert outcome(claim, FULL) is Outcome.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "record"),
    [
        ('uploads logged "upload 78 not stored: [Errno 28]"', FULL),
        ('payments logged "upload 77 not stored: [Errno 28]"', FULL),
        (
            'uploads logged "the certificate has expired today"',
            "INFO uploads - if the certificate has expired today, renew it",
        ),
        ('uploads logged "a leak was detected here"', "INFO uploads - not a leak was detected here"),
        ('uploads logged "the disk failed at noon"', "WARN uploads - perhaps the disk failed at noon"),
        ('uploads logged "all orders were lost"', 'INFO uploads - user-agent="all orders were lost"'),
        ('uploads crashed because "upload 77 not stored: [Errno 28]"', FULL),
        ('the root cause is "No space left on device"', FULL),
        ('uploads logged "磁盘已经写满了"', "INFO uploads - 演练：假设磁盘已经写满了"),
    ],
)
def test_quotation_never_lets_a_false_statement_through(claim: str, record: str) -> None:
    assert outcome(claim, record) is not Outcome.SUPPORTED


def test_quotation_outside_the_excerpt_supports_nothing() -> None:
    assert outcome('uploads logged "No space left on device"', FULL, "upload 77 not stored") is not Outcome.SUPPORTED
