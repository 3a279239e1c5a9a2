"""The extractive engine end to end: real sources, tools, recorder, Verifier and Composer over invented worlds."""

from pathlib import Path

import pytest

from superbizagent.bootstrap import demo_names, demo_path
from superbizagent.contract.vocabulary import Answered, ClaimType, GateStatus, Outcome, Verdict
from superbizagent.diagnosis.run import Diagnosis
from superbizagent.sources.incident_folder import open_incident
from tests.agents.worlds import AT, ask, busy_world, quiet_world

EVALS = sorted(path.parent for path in (Path(__file__).parents[2] / "evals").glob("*/incident.yaml"))
DEMOS = [demo_path(name) for name in demo_names()]


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return busy_world(tmp_path_factory.mktemp("busy"))


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return quiet_world(tmp_path_factory.mktemp("quiet"))


def proven(diagnosis: Diagnosis) -> str:
    """The texts of what passed."""
    return "\n".join(claim.text for claim in diagnosis.evaluation.claims if claim.verdict is Verdict.PASS)


# question, what a proven statement says, how the answer begins
ANSWERED = [
    ("Was GreenPool-2 exhausted?", "total=20, active=20, idle=0", "Yes"),
    ("Was the connection pool of ingest-service exhausted?", "total=20, active=20, idle=0", "Yes"),
    ("Is GreenPool-2 exhausted right now?", "PoolSaturated is firing", "Yes"),
    ("ingest-service 的连接池耗尽了吗？", "total=20, active=20, idle=0", "是"),
    ("Did ingest-service run out of memory?", "OutOfMemoryError: Metaspace", "Yes"),
    ("Why did batch 7741 fail?", "batch 7741 failed: connection to 10.9.0.4:3306 timed out", ""),
    ("批次 7741 为什么失败？", "batch 7741 failed: connection to 10.9.0.4:3306 timed out", ""),
    ("Has the certificate expired for geo-api?", "certificate has expired", "Yes"),
    ("geo-api 的证书过期了吗？", "certificate has expired", "是"),
    ("Is the disk of store-7 full?", "No space left on device", "Yes"),
    ("store-7 的磁盘写满了吗？", "No space left on device", "是"),
    ("订单 90017 为什么扣款失败？", "订单 90017 扣款失败：连接 10.9.0.8:6379 被拒绝", ""),
    ("Did ingest-service time out between 10:15 and 10:20?", "timed out", "Yes"),
    ("When did ingest-service start?", "2026-07-08T10:01:02.114Z", ""),
    ("How many connections of GreenPool-2 are idle?", "idle=", ""),
    ("Which alerts are firing?", "PoolSaturated is firing for ingest-service", ""),
    ("哪些告警在触发？", "PoolSaturated", ""),
    ("Is PoolSaturated firing?", "PoolSaturated is firing", "Yes"),
    ("Is CertificateExpiring firing?", "CertificateExpiring is pending", "No"),
]


@pytest.mark.parametrize(("text", "statement", "begins"), ANSWERED)
async def test_question_with_evidence_is_answered_and_proven(
    busy: Path, text: str, statement: str, begins: str
) -> None:
    diagnosis = await ask(busy, text)
    assert diagnosis.evaluation.effective_verdict is Verdict.PASS, diagnosis.answer
    assert diagnosis.evaluation.answered is Answered.YES
    assert statement in proven(diagnosis)
    assert diagnosis.answer.startswith(begins)


UNPROVEN = [
    "Did ingest-service run out of heap memory?",
    "Did geo-api answer 500?",
    "Is kafka rebalancing?",
    "Was there a deadlock?",
    "数据库里有死锁吗？",
    "Did a leak exhaust GreenPool-2?",
    "GreenPool-2 耗尽是连接泄漏导致的吗？",
    "Did ingest-service time out between 10:00 and 10:10?",
    "Is geo-apy down?",
    "Is the disk of web full?",
    "web 的连接池耗尽了吗？",
    "Is the disk of store-7 full right now?",
]


@pytest.mark.parametrize("text", UNPROVEN)
async def test_question_without_evidence_is_not_confirmed(busy: Path, text: str) -> None:
    diagnosis = await ask(busy, text)
    assert diagnosis.evaluation.effective_verdict is Verdict.LOW_CONFID, diagnosis.answer
    assert diagnosis.answer.startswith(("Cannot confirm", "无法确认"))
    assert "healthy" not in diagnosis.answer


@pytest.mark.parametrize("text", ["What is wrong?", "出了什么问题？", "Is desk healthy?", "Are there errors?"])
async def test_quiet_world_is_not_told_to_be_healthy(quiet: Path, text: str) -> None:
    diagnosis = await ask(quiet, text)
    assert diagnosis.evaluation.effective_verdict is Verdict.LOW_CONFID
    assert proven(diagnosis) == ""
    assert not any(word in diagnosis.answer for word in ("healthy", "健康", "一切正常", "all is well"))


async def test_sweep_tells_alerts_with_their_records_other_errors_and_guidance(busy: Path) -> None:
    diagnosis = await ask(busy, "What is wrong?")
    text = proven(diagnosis)
    assert diagnosis.evaluation.effective_verdict is Verdict.PASS, diagnosis.answer
    for part in ("PoolSaturated is firing", "total=20, active=20", "certificate has expired", "The runbook"):
        assert part in text
    assert diagnosis.answer.index("Alerts") < diagnosis.answer.index("Findings") < diagnosis.answer.index("Guidance")
    assert "SYSTEM" not in text


async def test_unknown_service_is_named_first_with_the_near_one(busy: Path) -> None:
    answer = (await ask(busy, "Is geo-apy down?")).answer
    assert (
        answer.splitlines()[0] == "Cannot confirm: no source knows `geo-apy`, and no record that was searched names it."
    )
    assert "A service with a similar name is known: `geo-api`." in answer


async def test_answer_is_in_the_readers_zone(busy: Path) -> None:
    answer = (await ask(busy, "Is PoolSaturated firing?", zone="Asia/Shanghai")).answer
    assert "+08:00" in answer
    assert "+00:00" not in answer


async def test_greeting_makes_no_call(busy: Path) -> None:
    diagnosis = await ask(busy, "你好")
    assert diagnosis.invocations == []
    assert diagnosis.answer.startswith("我根据告警")


async def test_narrow_question_gets_at_most_two_claims(busy: Path) -> None:
    for text, _, _ in ANSWERED:
        if "alerts" not in text and "告警" not in text:
            assert len((await ask(busy, text)).evaluation.claims) <= 2


# --- an Executor's own claims never fail its judge --------------------------------------------------------------

PROBES = [
    "What is wrong?",
    "出了什么问题？",
    "Which alerts are firing?",
    "有哪些告警？",
    "Are there any errors?",
    "有没有超时？",
    "Is the connection pool exhausted?",
    "连接池耗尽了吗？",
    "Did anything run out of memory?",
    "磁盘满了吗？",
    "Why did it fail?",
    "为什么失败？",
    "What should I check when a connection is refused?",
    "证书过期怎么处理？",
    "When did it start?",
    "How many connections are idle?",
]


def assert_own_claims_hold(diagnosis: Diagnosis) -> None:
    evaluation = diagnosis.evaluation
    texts = {
        (row.id, ref.raw_path): ref.text
        for row in diagnosis.invocations
        for ref in (row.retrieval_details.evidence_refs if row.retrieval_details else None) or []
    }
    for claim in evaluation.claims:
        if claim.claim_type == ClaimType.NEGATIVE_OBSERVATION.value:
            assert claim.verdict is Verdict.LOW_CONFID
        else:
            assert claim.outcome is Outcome.SUPPORTED, (claim.text, claim.reasons)
            assert claim.verdict is Verdict.PASS, (claim.text, claim.reasons)
    for binding in evaluation.gatekeeper_result.checked_bindings:
        if binding.raw_path and isinstance(binding.source_invocation_id, int):
            parts = (binding.evidence_excerpt or "").split(" … ")
            assert all(part in texts[binding.source_invocation_id, binding.raw_path] for part in parts)
    assert not evaluation.warnings
    absent = all(claim.claim_type == ClaimType.NEGATIVE_OBSERVATION.value for claim in evaluation.claims)
    assert absent or evaluation.gatekeeper_result.status is GateStatus.PASS


@pytest.mark.parametrize("folder", [*DEMOS, *EVALS], ids=lambda path: path.name)
async def test_executors_own_claims_never_fail_its_judge(folder: Path) -> None:
    cases = (await open_incident(folder, now=AT)).cases
    for text in [*(case.question for case in cases), *PROBES]:
        assert_own_claims_hold(await ask(folder, text))


@pytest.mark.parametrize("text", [*PROBES, *(text for text, _, _ in ANSWERED), *UNPROVEN])
async def test_executors_own_claims_hold_in_a_world_of_many_programs(busy: Path, text: str) -> None:
    assert_own_claims_hold(await ask(busy, text))
