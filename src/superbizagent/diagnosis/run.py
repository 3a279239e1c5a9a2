"""One diagnosis, from the question to the answer, as one function that reads as the picture does.

    question ─ Planner ─ plan ─ Executor ─┬─ tool ─ recorder ─ tool_invocation + evidence_refs ─┐
                                          └───────────── persisted form back ◄──────────────────┘
               Executor output (claims + bindings)
                 ─ Verifier input hook: parse, legacy, auto-fill, load cited rows, Gatekeeper
                 ─ Verifier: deterministic judge ─ claim verdicts ─ effective verdict
                 ─ Composer: allowed material ─ answer ─ everything persisted and sealed

Decides the order, and that everything is persisted, also for a run that dies. Refuses: any other way to an answer.
Protocol: sections 3 to 9.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from superbizagent.contract.errors import SbaError, StoreFailed
from superbizagent.contract.json_text import write_json
from superbizagent.contract.plan import EntityRole, Plan, Question
from superbizagent.contract.records import DiagnosisSession, ToolInvocation
from superbizagent.contract.results import VerifierEvaluation
from superbizagent.contract.vocabulary import SessionStatus
from superbizagent.diagnosis.budget import QuestionBudget, out_of_time
from superbizagent.diagnosis.composer import compose
from superbizagent.diagnosis.recorder import ToolInvocationRecorder
from superbizagent.diagnosis.verifier import evaluate
from superbizagent.diagnosis.verifier_input import cited_ids, prepare
from superbizagent.ports import Clock, Event, EventSink, Executor, Planner, RecordStore, Tool
from superbizagent.rules.masking import Masker

SIGN_OF_LIFE = 15.0
"""Seconds between two signs of life of a running session: several of them to a lease, so that one may be missed."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a diagnosis is made of; chosen in one place, handed in."""

    store: RecordStore
    tools: Mapping[str, Tool]
    entities: Mapping[EntityRole, frozenset[str]]
    planner: Planner
    executor: Executor
    clock: Clock
    budget: QuestionBudget
    budget_seconds: float


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What came out: the sealed session, its plan and evaluation, its recorded calls, and the answer."""

    session: DiagnosisSession
    plan: Plan
    evaluation: VerifierEvaluation
    invocations: Sequence[ToolInvocation]
    answer: str


async def ignore_event(_: Event) -> None:
    """An event sink for callers that want none."""


async def diagnose(question: Question, session_id: str, parts: Parts, emit: EventSink = ignore_event) -> Diagnosis:
    """Answer one question.

    Everything is persisted on the way: afterwards the store holds the session, each tool call, and the evaluation,
    and the session is sealed. A run that dies (an error, a cancellation) leaves a session that says so.

    Raises:
        SbaError: the work could not be done; the store says why, too.
    """
    masker = Masker()
    question = question.model_copy(update={"text": masker.mask(question.text)})
    session = DiagnosisSession(
        id=session_id,
        owner=question.owner,
        conversation_id=question.conversation_id,
        question=question.text,
        lang=question.lang,
        engine=parts.executor.engine,
        demo=question.demo,
        status=SessionStatus.RUNNING,
        created_at=parts.clock.now(),
    )
    await parts.store.open_session(session)
    alive = asyncio.create_task(_give_signs_of_life(session.id, parts))
    try:
        async with asyncio.timeout(parts.budget_seconds):
            return await _run(question, session, parts, masker, emit)
    except TimeoutError:
        error = out_of_time(parts.budget_seconds)
        await _bury(session, parts, str(error))
        raise error from None
    except SbaError as error:
        await _bury(session, parts, str(error))
        raise
    except asyncio.CancelledError:
        await asyncio.shield(_bury(session, parts, "the run was interrupted"))
        raise
    except Exception as error:
        await _bury(session, parts, f"{type(error).__name__}: {masker.mask(str(error))}")
        raise
    finally:
        alive.cancel()


async def _give_signs_of_life(session_id: str, parts: Parts) -> None:
    """Keep the session's lease from running out while it runs; a sign that fails is given again."""
    while True:
        await asyncio.sleep(SIGN_OF_LIFE)
        with contextlib.suppress(SbaError):
            await parts.store.renew_lease(session_id, parts.clock.now())


async def _run(
    question: Question, session: DiagnosisSession, parts: Parts, masker: Masker, emit: EventSink
) -> Diagnosis:
    plan = await parts.planner.plan(question, parts.entities)
    session = session.model_copy(update={"plan": plan.model_dump(mode="json")})
    await parts.store.update_session(session)
    await emit(Event("planned", {"intent": plan.intent.value, "steps": [step.tool_name for step in plan.steps]}))

    recorder = ToolInvocationRecorder(
        session_id=session.id,
        store=parts.store,
        tools=parts.tools,
        clock=parts.clock,
        masker=masker,
        budget=parts.budget,
        emit=emit,
    )
    raw_output = await parts.executor.execute(question, plan, recorder, parts.budget)
    sent = masker.mask(raw_output) if isinstance(raw_output, str) else write_json(masker.mask_json(dict(raw_output)))
    session = session.model_copy(update={"executor_output": sent})
    await parts.store.update_session(session)

    evaluation, invocations = await verify(session, parts.store)
    await emit(Event("verified", {"effective_verdict": evaluation.effective_verdict.value}))

    answer = compose(question, plan, evaluation, invocations, parts.executor.engine)
    sealed = await parts.store.seal_session(
        session.model_copy(
            update={
                "status": SessionStatus.FINISHED,
                "answer": answer,
                "verdict": evaluation.effective_verdict,
                "severity": evaluation.gatekeeper_result.severity.value,
                "self_evaluation": {"verifier_evaluation": evaluation.model_dump(mode="json")},
                "finished_at": parts.clock.now(),
            }
        )
    )
    return Diagnosis(sealed, plan, evaluation, invocations, answer)


async def verify(session: DiagnosisSession, store: RecordStore) -> tuple[VerifierEvaluation, Sequence[ToolInvocation]]:
    """Judge the session's stored Executor output against stored rows; also what the session's own calls were.

    What is judged is what was stored: the same text that an audit will read.
    """
    own = await store.session_invocations(session.id)
    output = prepare(session.executor_output, own)
    cited = await store.load_invocations(cited_ids(output), session.owner)
    rows = {row.id: row for row in (*own, *cited)}
    evaluation = evaluate(session.executor_output, list(rows.values()), session.id, session.question)
    return evaluation, own


async def close_abandoned(store: RecordStore, clock: Clock) -> int:
    """Close and seal the sessions whose process was killed before it could; returns how many there were.

    Two processes may find the same session: whoever comes second finds it sealed, and that is as good.
    """
    abandoned = await store.abandoned_sessions(clock.now())
    for session, why in abandoned:
        with contextlib.suppress(StoreFailed):
            await _close_as_died(session, store, clock, f"the run was killed before it could be closed: {why}")
    return len(abandoned)


async def _bury(session: DiagnosisSession, parts: Parts, cause: str) -> None:
    """Leave an audit of a run that died: nothing was verified, and the cause is said."""
    stored = await parts.store.get_session(session.id, session.owner) or session
    await _close_as_died(stored, parts.store, parts.clock, cause)


async def _close_as_died(session: DiagnosisSession, store: RecordStore, clock: Clock, cause: str) -> None:
    evaluation = evaluate(None, [], session.id, None, errors=[cause])
    await store.seal_session(
        session.model_copy(
            update={
                "status": SessionStatus.DIED,
                "verdict": evaluation.effective_verdict,
                "severity": evaluation.gatekeeper_result.severity.value,
                "self_evaluation": {"verifier_evaluation": evaluation.model_dump(mode="json")},
                "finished_at": clock.now(),
            }
        )
    )
