"""Audit: what a re-check says about a sealed session when one thing in its rows was changed."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from superbizagent.contract.errors import UnreadableInput
from superbizagent.contract.evidence import EvidenceRef, RetrievalDetails
from superbizagent.contract.json_text import read_json, write_json
from superbizagent.contract.records import DiagnosisSession
from superbizagent.contract.vocabulary import SessionStatus, Verdict
from superbizagent.diagnosis.audit import (
    Recheck,
    RecheckReport,
    cited_rows,
    export_session,
    read_export,
    recheck,
)
from superbizagent.diagnosis.verifier import evaluate
from superbizagent.store.config import StoreSettings
from superbizagent.store.memory import MemoryStore
from superbizagent.store.seal import seal_holds
from superbizagent.store.sqlite import SqlStore, open_store
from tests.builders import binding, claim, output
from tests.diagnosis.recorded_world import NOW, POOL, SESSION, SaidTool, StillClock, logs, opened, recorder

Store = SqlStore | MemoryStore
EXCERPT = "total=50, active=50, idle=0, waiting=199"


@pytest.fixture(params=["sql", "memory"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    running = await (await opened()).get_session(SESSION)
    assert running is not None
    made: Store = (
        MemoryStore() if request.param == "memory" else await open_store(StoreSettings(path=tmp_path / "s.db"))
    )
    await made.open_session(running)
    yield made
    await made.close()


async def sealed(store: Any, *ids: int, session_id: str = SESSION) -> DiagnosisSession:
    """A session with one recorded call that its Executor cites (or the calls `ids`), judged and sealed."""
    session = await store.get_session(session_id)
    own = await recorder(store, SaidTool(logs(POOL, "other \ud800 line"))).call("k", "query_logs", {"limit": 2**40})
    cites = [binding(source_invocation_id=number, raw_path="$.logs[0]") for number in ids or (own.id,)]
    stated = output(claim(*cites, text=f"BluePool-1 reports {EXCERPT}"))
    session = session.model_copy(update={"executor_output": write_json(stated)})
    rows = await cited_rows(session, store)
    evaluation = evaluate(session.executor_output, rows, session.id, session.question)
    result: DiagnosisSession = await store.seal_session(
        session.model_copy(
            update={
                "status": SessionStatus.FINISHED,
                "answer": "Yes",
                "verdict": evaluation.effective_verdict,
                "severity": evaluation.gatekeeper_result.severity.value,
                "self_evaluation": {"verifier_evaluation": evaluation.model_dump(mode="json")},
                "finished_at": StillClock().now(),
            }
        )
    )
    return result


async def checked(store: Any, session: DiagnosisSession, **changes: Any) -> RecheckReport:
    """A re-check of the stored session with its columns changed."""
    stored = await store.get_session(session.id)
    return recheck(stored.model_copy(update=changes), await cited_rows(stored, store))


def with_evaluation(session: DiagnosisSession, **changes: Any) -> dict[str, Any]:
    assert session.self_evaluation is not None
    return {"self_evaluation": {"verifier_evaluation": {**session.self_evaluation["verifier_evaluation"], **changes}}}


async def test_untouched_session_is_the_same(store: Store) -> None:
    session = await sealed(store)
    assert await checked(store, session) == RecheckReport(SESSION, Recheck.SAME, ())


async def test_changed_output_and_changed_refs_differ_and_name_the_call(store: Store) -> None:
    session = await sealed(store)
    (row,) = await cited_rows(session, store)
    details = row.retrieval_details
    assert details is not None
    forged = RetrievalDetails(**{**dict(details), "evidence_refs": [EvidenceRef(raw_path="$.logs[0]", text="x")]})
    for changes in (
        {"output": row.output.replace("active=50", "active=51")},
        {"output": "{"},
        {"output": "[" * 100_000},
        {"output": "[]"},
        {"retrieval_details": forged},
    ):
        report = recheck(session, [row.model_copy(update=changes)])
        assert report.outcome is Recheck.DIFFERS
        assert any(f"invocation {row.id} " in difference for difference in report.differences)


async def test_refs_of_another_extractor_differ_by_version(store: Store) -> None:
    session = await sealed(store)
    (row,) = await cited_rows(session, store)
    details = row.retrieval_details
    assert details is not None
    assert details.evidence_refs is not None
    refs = [*details.evidence_refs[:1], EvidenceRef(raw_path="$.logs[1]", text="as it was once")]
    older = details.model_copy(update={"evidence_refs": refs, "extractor_version": "refs.0"})
    assert recheck(session, [row.model_copy(update={"retrieval_details": older})]).outcome is Recheck.DIFFERS_BY_VERSION
    same_version = details.model_copy(update={"evidence_refs": refs})
    assert recheck(session, [row.model_copy(update={"retrieval_details": same_version})]).outcome is Recheck.DIFFERS


async def test_other_result_under_other_rules_differs_by_version_and_names_both(store: Store) -> None:
    session = await sealed(store)
    changes = with_evaluation(session, rules_version="gate.0", answered="unsure")
    report = await checked(store, session, **changes)
    assert report.outcome is Recheck.DIFFERS_BY_VERSION
    assert "`answered`" in report.differences[0]
    assert "gate.0" in report.differences[-1]


async def test_same_result_under_other_rules_is_the_same(store: Store) -> None:
    session = await sealed(store)
    report = await checked(store, session, **with_evaluation(session, rules_version="gate.0"))
    assert report.outcome is Recheck.SAME


@pytest.mark.parametrize("key", ["verdict", "effective_verdict", "claims", "gatekeeper_result", "tool_trace_summary"])
async def test_changed_evaluation_differs_and_names_what(store: Store, key: str) -> None:
    session = await sealed(store)
    report = await checked(store, session, **with_evaluation(session, **{key: None}))
    assert report.outcome is Recheck.DIFFERS
    assert any(f"`{key}`" in difference for difference in report.differences)


async def test_column_that_says_something_else_than_its_evaluation_differs(store: Store) -> None:
    session = await sealed(store)
    other = Verdict.REJECT if session.verdict is not Verdict.REJECT else Verdict.PASS
    assert (await checked(store, session, verdict=other)).outcome is Recheck.DIFFERS
    assert (await checked(store, session, severity="other")).outcome is Recheck.DIFFERS


async def test_changed_executor_output_differs(store: Store) -> None:
    session = await sealed(store)
    assert session.executor_output is not None
    forged = session.executor_output.replace("active=50", "active=60")
    assert (await checked(store, session, executor_output=forged)).outcome is Recheck.DIFFERS


@pytest.mark.parametrize(
    "evaluation",
    [
        None,
        [],
        "x",
        {},
        {"gatekeeper_result": []},
        {"gatekeeper_result": {"checked_bindings": [1, {"failed_rules": 1}]}},
    ],
)
@pytest.mark.parametrize("status", [SessionStatus.FINISHED, SessionStatus.DIED])
async def test_evaluation_that_is_none_differs_and_breaks_nothing(
    store: Store, evaluation: Any, status: SessionStatus
) -> None:
    session = await sealed(store)
    changes = {"self_evaluation": {"verifier_evaluation": evaluation}, "status": status}
    assert (await checked(store, session, **changes)).outcome is Recheck.DIFFERS


async def test_session_that_died_is_the_same_and_says_why(store: Store) -> None:
    session = await store.get_session(SESSION)
    assert session is not None
    evaluation = evaluate(None, [], SESSION, None, errors=["the disk was full"])
    died = session.model_copy(
        update={
            "status": SessionStatus.DIED,
            "verdict": evaluation.effective_verdict,
            "severity": evaluation.gatekeeper_result.severity.value,
            "self_evaluation": {"verifier_evaluation": evaluation.model_dump(mode="json")},
        }
    )
    assert (await checked(store, await store.seal_session(died))).outcome is Recheck.SAME


async def cites_elsewhere(store: Any) -> DiagnosisSession:
    """A sealed session whose claim cites a call of another sealed session."""
    first = await store.get_session(SESSION)
    await store.open_session(first.model_copy(update={"id": "s-other"}))
    foreign = await store.record_invocation(
        (await recorder(await opened(), SaidTool(logs(POOL + " secretly"))).call("f", "query_logs", {})).model_copy(
            update={"session_id": "s-other"}
        )
    )
    await store.seal_session(first.model_copy(update={"id": "s-other", "status": SessionStatus.FINISHED}))
    return await sealed(store, foreign.id)


async def test_citation_of_another_session_stays_the_same_after_that_session_is_deleted(store: Store) -> None:
    session = await cites_elsewhere(store)
    assert session.verdict is Verdict.REJECT
    assert (await checked(store, session)).outcome is Recheck.SAME
    await store.delete_session("s-other", "asked to", NOW)
    assert (await checked(store, session)).outcome is Recheck.SAME


async def exported(store: Any, session: DiagnosisSession) -> tuple[str, Any]:
    """The text of an export, and what it holds."""
    text = write_json(export_session(session, await cited_rows(session, store)), indent=2)
    return text, read_json(text)


async def test_export_holds_on_its_own(store: Store) -> None:
    text, value = await exported(store, await sealed(store))
    session, own, others = read_export(value)
    assert text.encode()
    assert seal_holds(session, own)
    assert recheck(session, [*own, *others]).outcome is Recheck.SAME


async def test_export_tells_nothing_of_another_session(store: Store) -> None:
    text, value = await exported(store, await cites_elsewhere(store))
    session, own, others = read_export(value)
    assert "secretly" not in text
    assert "s-other" not in text
    assert seal_holds(session, own)
    assert recheck(session, [*own, *others]).outcome is Recheck.SAME


@pytest.mark.parametrize(
    ("where", "key", "change"),
    [
        ("session", "answer", "No"),
        ("session", "question", "?"),
        ("session", "seal_no", 9),
        ("session", "previous_seal", "f"),
        ("session", "finished_at", "2026-12-01T00:00:00Z"),
        ("invocation", "output", "{}"),
        ("invocation", "output_summary", "none"),
        ("invocation", "id", 99),
        ("invocation", "retrieval_details", None),
        ("invocation", "arguments", {"limit": 2**40 + 1}),
    ],
)
async def test_export_with_one_value_changed_does_not_hold(store: Store, where: str, key: str, change: Any) -> None:
    _, value = await exported(store, await sealed(store))
    (value["session"] if where == "session" else value["invocations"][0])[key] = change
    session, own, _ = read_export(value)
    assert not seal_holds(session, own)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "x",
        {},
        {"version": "export.1"},
        {"version": "export.9", "session": {}},
        {"version": "export.1", "session": []},
        {"version": "export.1", "session": {}, "invocations": 3},
    ],
)
def test_what_is_no_export_is_a_sentence(value: Any) -> None:
    with pytest.raises(UnreadableInput):
        read_export(value)


async def test_export_with_a_list_that_is_none_is_a_sentence(store: Store) -> None:
    _, value = await exported(store, await sealed(store))
    for change in ({"invocations": {"a": 1}}, {"invocations": [1]}, {"cited_elsewhere": 3}):
        with pytest.raises(UnreadableInput):
            read_export({**value, **change})
