"""The extractive Executor: asks, chooses the recorded items that answer, and states them as micro-facts.

Decides: which calls follow the plan's, which candidate answers, and what is said of it. Every claim has been through
the deterministic judge before it is sent, and a record that does not bear on the question is never an answer: then
the claim is that nothing was found, bound to the search. Refuses: to touch a source except through recorded calls.
Protocol: sections 2, 3, 4 and 7.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import Any

from superbizagent.agents.extractive.candidates import (
    Candidate,
    candidates_of,
    distinct,
    names_in,
    newest_first,
    worst_first,
)
from superbizagent.agents.extractive.phrases import frames, state_word, step_of_concept, step_targets, word
from superbizagent.agents.extractive.planner import (
    ALERT_LIMIT,
    asks_state,
    broad_groups,
    log_step,
    read_for,
    service_of,
    steps_for,
)
from superbizagent.agents.extractive.statements import (
    Statement,
    counted_alerts,
    first_supported,
    statements,
    statements_with_time,
    supported,
)
from superbizagent.agents.extractive.sweep import sweep
from superbizagent.contract.claims import Claim, EvidenceBinding, ExecutorOutput, NextStep
from superbizagent.contract.errors import BudgetExceeded
from superbizagent.contract.plan import Entity, EntityRole, Intent, Plan, PlanStep, Question
from superbizagent.contract.records import ToolInvocation
from superbizagent.contract.tools import LOOKUP_KNOWLEDGE, QUERY_LOGS, QUERY_METRICS
from superbizagent.contract.vocabulary import ClaimStatus, ClaimType, EvidenceStatus, Lang, StepAction
from superbizagent.ports import Budget, ToolCalls
from superbizagent.rules.answered import Stance, answers, bearing, gives_reason, is_about, split
from superbizagent.rules.asking_words import asks
from superbizagent.rules.bearing import bears_on
from superbizagent.rules.entities import has_name
from superbizagent.rules.question import AnswerKind, Asked, Aspect, AspectKind
from superbizagent.rules.settling import Passed

ENGINE = "extractive"
MOST_NARROW = 2
MOST_LISTED = 20
_LOOKED_AT = 60
_MOST_VARIANTS = 60
_SECONDS_KEPT = 4.0


@dataclass(slots=True)
class Work:
    """One question being worked on: the calls made so far, in order."""

    question: Question
    plan: Plan
    asked: Asked
    tools: ToolCalls
    budget: Budget
    invocations: list[ToolInvocation] = field(default_factory=list)

    async def run(self, steps: Sequence[PlanStep]) -> list[ToolInvocation]:
        """Make the calls of one round, as far as the budget reaches; the calls made are kept.

        A call that could take the whole answer away is not made: better an answer that says what was searched.
        """
        made: list[ToolInvocation] = []
        try:
            self.budget.spend_round()
            for step in steps:
                if self._was_made(step):
                    continue
                if self.invocations and self.budget.seconds_left < _SECONDS_KEPT:
                    break
                made.append(await self.tools.call(step.call_key, step.tool_name, step.arguments))
                self.invocations.append(made[-1])
        except BudgetExceeded:
            if not self.invocations:
                raise
        return made

    def _was_made(self, step: PlanStep) -> bool:
        """Whether a call asks exactly what an earlier one asked."""
        asked = (step.tool_name, dict(step.arguments))
        return any((row.tool_name, dict(row.arguments)) == asked for row in self.invocations)


class ExtractiveExecutor:
    """Implements `ports.Executor` without a model."""

    @property
    def engine(self) -> str:
        """The engine's name, as it is persisted."""
        return ENGINE

    async def execute(
        self, question: Question, plan: Plan, tools: ToolCalls, budget: Budget
    ) -> Mapping[str, Any] | str:
        """Run the plan and what follows from it; returns an `ExecutorOutput` as an object.

        Raises:
            BudgetExceeded: the budget did not reach for a single call.
        """
        work = Work(question, plan, asked_of(question, plan), tools, budget)
        if plan.intent is Intent.OFF_SUBJECT:
            output = ExecutorOutput(claims=[])
        else:
            await _look_for_names(work)
            output = await (_sweep(work) if plan.intent is Intent.SWEEP else _narrow(work))
        return output.model_dump(mode="json")


def asked_of(question: Question, plan: Plan) -> Asked:
    """What the question asks, read again with the names that the plan holds."""
    known: dict[EntityRole, frozenset[str]] = {}
    for entity in plan.entities:
        known[entity.role] = known.get(entity.role, frozenset()) | {entity.name}
    asked = read_for(question, known)
    return replace(asked, entities=tuple(plan.entities), intent=plan.intent)


async def _look_for_names(work: Work) -> None:
    """Make the plan's calls; where they looked for an unknown name and a record has it, make those that answer then."""
    await work.run(work.plan.steps)
    if work.plan.intent is Intent.GUIDANCE or all(entity.known for entity in work.asked.entities):
        return
    texts = [candidate.text for candidate in candidates_of(work.invocations)]
    named = [
        entity if entity.known else Entity(name=entity.name, role=EntityRole.IDENTIFIER, known=_in_any(entity, texts))
        for entity in work.asked.entities
    ]
    if all(entity.known for entity in named):
        work.asked = replace(work.asked, entities=tuple(named))
        await work.run(steps_for(work.asked, work.plan.window))


def _in_any(entity: Entity, texts: Sequence[str]) -> bool:
    return entity.role is EntityRole.SERVICE and any(has_name(text, entity.name) for text in texts)


async def _narrow(work: Work) -> ExecutorOutput:
    chosen = choose(work.asked, candidates_of(work.invocations))
    for follow in _follow_ups(work):
        if chosen:
            break
        if await work.run([follow]):
            chosen = choose(work.asked, candidates_of(work.invocations))
    if not chosen:
        return _nothing(work)
    claims = [claim_of(statement, f"c{number}") for number, statement in enumerate(chosen, start=1)]
    return ExecutorOutput(claims=claims, next_steps=_next_steps(work, chosen))


async def _sweep(work: Work) -> ExecutorOutput:
    chosen = await sweep(work.asked, work.plan.window, work.invocations, work.run)
    if not chosen:
        return _nothing(work)
    claims = [claim_of(statement, f"c{number}") for number, statement in enumerate(chosen, start=1)]
    return ExecutorOutput(claims=claims, next_steps=_next_steps(work, chosen))


def _follow_ups(work: Work) -> list[PlanStep]:
    """Broader searches, for the case that the precise one found nothing that answers."""
    asked, window = work.asked, work.plan.window
    if asked.intent is not Intent.SYMPTOM or any(not entity.known for entity in asked.entities):
        return []
    service = service_of(asked.entities)
    first = next((step for step in work.plan.steps if step.tool_name == QUERY_LOGS), None)
    steps = []
    groups = broad_groups(asked)
    if groups and not asks_state(asked):
        steps.append(log_step("logs-broad", window, groups, service))
    if service is not None and first is not None:
        anywhere = {key: value for key, value in first.arguments.items() if key != "service"}
        steps.append(PlanStep(call_key="logs-anywhere", tool_name=QUERY_LOGS, arguments=anywhere, purpose="logs"))
        if groups:
            steps.append(log_step("logs-broad-anywhere", window, groups, None))
    if asked.kind is AnswerKind.WHY or any(aspect.id == "error" for aspect in asked.aspects):
        steps.append(log_step("logs-errors", window, [], service, level="error"))
    return steps[:4]


def choose(asked: Asked, candidates: Sequence[Candidate]) -> list[Statement]:
    """The statements that answer: one for a narrow question, at most two; one each for a list."""
    known = all(entity.known for entity in asked.entities)
    if not known:
        return []
    if asked.intent is Intent.ALERTS and asked.kind is AnswerKind.HOW_MANY:
        return _count(asked, candidates)
    most = MOST_NARROW if _may_have_two(asked) else 1
    most = MOST_LISTED if asked.wants_list or asked.about_all else most
    chosen: list[Statement] = []
    by_names = bool(asked.entities) or asked.about_all or asked.asks_which or asked.wants_list
    if _weighs(asked):
        return _weighed(asked, distinct(_ordered(asked, candidates), by_names=True)) or _by_parts(asked, candidates)
    for candidate in distinct(_ordered(asked, candidates), by_names=by_names):
        statement = _answering(asked, candidate)
        if statement is not None and statement.text not in {other.text for other in chosen}:
            chosen.append(statement)
        if len(chosen) >= most:
            break
    if asked.wants_guidance and len(chosen) == 1:
        chosen += _rest_of_document(asked, chosen[0], candidates)
    if asked.about_all and chosen:
        chosen = _of_all(asked, chosen)
    return chosen or _by_parts(asked, candidates)


def _by_parts(asked: Asked, candidates: Sequence[Candidate]) -> list[Statement]:
    """One statement for each of the names that a yes/no question asks the same of."""
    parts = split(asked) if asked.kind is AnswerKind.YES_NO and len(asked.entities) > 1 else []
    if len(parts) < MOST_NARROW:
        return []
    return list(chain.from_iterable(choose(part, candidates)[:1] for part in parts[:MOST_NARROW]))


def _weighs(asked: Asked) -> bool:
    """Whether yes and no are both looked for before one of them is told."""
    plain = asked.kind is AnswerKind.YES_NO and asked.intent is Intent.SYMPTOM
    return plain and not asked.about_cause and not asked.about_all and bool(asked.of_kind(AspectKind.PREDICATE))


def _weighed(asked: Asked, candidates: Sequence[Candidate]) -> list[Statement]:
    """What answers a yes/no question: the first, where it asks for a state; where it asks for what has been, or for any
    of several, one that says yes before one that says no. Where no name is asked for, and another one than the
    first one's is told otherwise, both."""
    first: Statement | None = None
    stance: Stance | None = None
    seeks_yes = asked.about_past or asked.about_any
    for candidate in candidates:
        statement = _answering(asked, candidate)
        if statement is None:
            continue
        found = _stance_of(asked, statement)
        if first is None:
            first, stance = statement, found
            if asked.entities and not seeks_yes:
                break
        elif found is not stance and seeks_yes:
            return [statement] if found is Stance.AFFIRMS else [first]
        elif found is not stance and _of_other_names(first, statement):
            return [first, statement]
        if seeks_yes and stance is Stance.AFFIRMS:
            break
    return [first] if first is not None else []


def _stance_of(asked: Asked, statement: Statement) -> Stance | None:
    plain = replace(asked, about_any=False)
    return bearing(plain, [Passed(statement.text, (statement.candidate.text,))]).stance


def _of_other_names(one: Statement, other: Statement) -> bool:
    """Whether two statements tell of different names; without names they may tell of one thing at two times."""
    first, second = names_in(one.candidate.message), names_in(other.candidate.message)
    return bool(first) and bool(second) and not first & second


def _of_all(asked: Asked, found: Sequence[Statement]) -> list[Statement]:
    """For a question about all: one that is not so, else what is told of all, else two that are so."""
    decided = bearing(asked, [Passed(one.text, (one.candidate.text,)) for one in found]).deciding
    return [found[index] for index in decided[:MOST_NARROW]]


def _rest_of_document(asked: Asked, first: Statement, candidates: Sequence[Candidate]) -> list[Statement]:
    """The block of the same document that says what to check or do, where the question asks for that."""
    title = first.candidate.item.get("title")
    for candidate in candidates:
        if candidate is first.candidate or not candidate.is_guidance or candidate.item.get("title") != title:
            continue
        if asks("guidance_heading", str(candidate.item.get("heading", "")).lower()):
            return list(islice(supported(candidate, asked), 1))
    return []


def _count(asked: Asked, candidates: Sequence[Candidate]) -> list[Statement]:
    """How many alerts there are, by name, where the judge can count them; else each of them."""
    state = asked.alert_state or "firing"
    alerts = [c for c in candidates if c.is_alert and f" {state}" in c.text[:300]]
    alerts = distinct([c for c in alerts if all(is_about(e, Passed("", (c.text,))) for e in asked.entities)])
    whole = 0 < len(alerts) < ALERT_LIMIT
    counted = next((s for s in counted_alerts(alerts, asked.lang, state) if s.is_supported()), None) if whole else None
    if counted is not None:
        return [counted]
    return [found for alert in alerts[:MOST_LISTED] if (found := first_supported(alert, asked)) is not None]


def _may_have_two(asked: Asked) -> bool:
    return asked.wants_guidance or asked.kind in (AnswerKind.WHAT, AnswerKind.WHY) or len(asked.entities) > 1


def _ordered(asked: Asked, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that could bear on the question, the likeliest first."""
    able = [candidate for candidate in candidates if _could_answer(asked, candidate)]
    if asked.wants_guidance:
        return sorted(able, key=lambda c: (-_score(asked, c), c.order))[:_LOOKED_AT]
    if asked.kind is AnswerKind.HOW_MANY or _asks_state(asked):
        able = [*(c for c in newest_first(able) if not c.is_alert), *(c for c in able if c.is_alert)]
        return able[:_LOOKED_AT]
    return sorted(worst_first(able), key=lambda c: (c.is_alert, -_score(asked, c)))[:_LOOKED_AT]


def _asks_state(asked: Asked) -> bool:
    return asked.kind is AnswerKind.YES_NO and not asked.about_cause and not asked.about_past


def _could_answer(asked: Asked, candidate: Candidate) -> bool:
    if asked.wants_guidance or candidate.is_guidance:
        return asked.wants_guidance and candidate.is_guidance
    return asked.intent is not Intent.ALERTS or candidate.is_alert


def _score(asked: Asked, candidate: Candidate) -> int:
    """How many of the asked aspects and names a candidate's text has."""
    ids = bears_on(candidate.text)
    lowered = candidate.text.lower()
    score = sum(2 for aspect in asked.aspects if aspect.id in ids or aspect.form.lower() in lowered)
    score += sum(3 for entity in asked.entities if entity.name.lower() in lowered)
    if asked.about_cause and gives_reason(candidate.message):
        score += 2
    return score


def _answering(asked: Asked, candidate: Candidate) -> Statement | None:
    """The first formulation for a candidate that answers the question and that the judge supports."""
    options: Iterator[Statement] = islice(statements(candidate, asked), _MOST_VARIANTS)
    if asked.kind is AnswerKind.WHEN:
        options = chain(statements_with_time(candidate, asked), options)
    answering = (s for s in options if answers(asked, Passed(s.text, (candidate.text,))))
    return next((s for s in answering if s.is_supported()), None)


def claim_of(statement: Statement, claim_id: str) -> Claim:
    """The statement as a claim with its bindings."""
    bindings = [
        EvidenceBinding(
            tool_name=candidate.tool_name,
            source_invocation_id=candidate.invocation_id,
            raw_path=candidate.raw_path,
            evidence_excerpt=excerpt,
        )
        for candidate, excerpt in statement.bindings
    ]
    return Claim(
        claim_id=claim_id,
        text=statement.text,
        claim_type=statement.claim_type,
        status=ClaimStatus.CONFIRMED,
        evidence_bindings=bindings,
    )


def _nothing(work: Work) -> ExecutorOutput:
    """The claim of what the searches came to: that they found nothing, bound to them, or that what they found does not
    tell what was asked."""
    rows = [row for row in work.invocations if row.evidence_status is not None]
    found = any(row.evidence_status is EvidenceStatus.OK and _is_of_intent(work.asked, row) for row in rows)
    empty = [] if found else [row for row in rows if row.evidence_status is EvidenceStatus.NO_EVIDENCE]
    bindings = [
        EvidenceBinding(tool_name=row.tool_name, source_invocation_id=row.id, raw_path="", evidence_excerpt="")
        for row in empty
    ]
    claim = Claim(
        claim_id="c1",
        text=_nothing_text(work, found=found),
        claim_type=ClaimType.NEGATIVE_OBSERVATION,
        status=ClaimStatus.CONFIRMED if bindings else ClaimStatus.UNCONFIRMED,
        evidence_bindings=bindings,
    )
    return ExecutorOutput(claims=[claim], next_steps=_next_steps(work, []))


def _is_of_intent(asked: Asked, row: ToolInvocation) -> bool:
    """Whether a call searched what the question is about: alerts for alerts, records for a symptom."""
    if asked.wants_guidance:
        return row.tool_name == LOOKUP_KNOWLEDGE
    return (row.tool_name == QUERY_LOGS) == (asked.intent is Intent.SYMPTOM) or asked.intent is Intent.SWEEP


def _nothing_text(work: Work, *, found: bool) -> str:
    asked, lang = work.asked, work.asked.lang
    service = service_of(asked.entities)
    unknown = [entity.name for entity in asked.entities if not entity.known]
    if unknown and not asked.wants_guidance:
        return frames(lang, "no_name")[0].format(service=unknown[0])
    if asked.wants_guidance:
        return frames(lang, "no_guidance_among" if found else "no_guidance")[0].format(what=_what(asked, lang))
    state = state_word(lang, asked.alert_state or "firing")
    match asked.intent:
        case Intent.ALERTS:
            kind = "no_alert_among" if found else "no_alert"
        case Intent.SWEEP:
            alerts = [row for row in work.invocations if row.tool_name == QUERY_METRICS]
            unasked = all(row.evidence_status is EvidenceStatus.UNAVAILABLE for row in alerts)
            kind = "unproven_finding" if _has_errors(work) else "no_error_record" if unasked else "no_finding"
        case _:
            kind = "nothing_among" if found else "nothing"
    kind = kind if service else f"{kind}_anywhere"
    return frames(lang, kind)[0].format(service=service, state=state, what=_what(asked, lang))


def _has_errors(work: Work) -> bool:
    """Whether a search for errors, or for alerts, came back with some, none of which could be told."""
    return any(
        row.evidence_status is EvidenceStatus.OK
        and (row.tool_name == QUERY_METRICS or row.arguments.get("level") == "error")
        for row in work.invocations
    )


def _what(asked: Asked, lang: Lang) -> str:
    kinds = (AspectKind.PREDICATE, AspectKind.SUBJECT, AspectKind.LITERAL, AspectKind.PRODUCT, AspectKind.WORD)
    named = [aspect for aspect in asked.of_kind(*kinds) if not aspect.id.startswith("healthy")]
    shown = list(dict.fromkeys(_form(aspect) for aspect in named))[:4]
    return word(lang, "and").join(word(lang, "quoted").format(word=one) for one in shown) or word(lang, "anything")


def _form(aspect: Aspect) -> str:
    return " ".join(aspect.form.split())


def _next_steps(work: Work, chosen: Sequence[Statement]) -> list[NextStep]:
    """What to look at next: by what was proven, else by what was not found; without any number or new name."""
    lang = work.asked.lang
    found: list[tuple[str, str, str | None]] = []
    for number, statement in enumerate(chosen, start=1):
        if statement.claim_type is ClaimType.GUIDANCE:
            continue
        ids = bears_on(statement.text)
        concept = next((c for c in _STEP_ORDER if c in ids and step_of_concept(lang, c)), None)
        step = step_of_concept(lang, concept) if concept is not None else None
        if step is not None:
            found.append((*step, f"c{number}"))
    if not chosen:
        service = service_of(work.asked.entities)
        known = all(entity.known for entity in work.asked.entities)
        kind = "unanswered" if service is not None and known else "unanswered_anywhere"
        found += [(action, target.format(service=service), None) for action, target in step_targets(lang, kind)]
    if any(_is_down(row) for row in work.invocations):
        found += [(action, target, None) for action, target in step_targets(lang, "unavailable")]
    distinct_steps = {target: (action, reason) for action, target, reason in reversed(found)}
    steps = [
        NextStep(action=StepAction(action), target=target, reason_claim_id=reason)
        for target, (action, reason) in reversed(distinct_steps.items())
    ]
    return steps[:4]


def _is_down(row: ToolInvocation) -> bool:
    """Whether a source that there is could not be asked; where there is none, asking again helps nobody."""
    searched = row.retrieval_details.searched if row.retrieval_details is not None else None
    return row.evidence_status is EvidenceStatus.UNAVAILABLE and bool(searched and any(searched.values()))


_STEP_ORDER = (
    "no_space_left",
    "certificate",
    "deadlock",
    "out_of_memory",
    "too_many_connections",
    "connection_refused",
    "upstream",
    "connection_pool",
    "time_out",
    "exhausted",
    "evict",
    "crashed",
    "latency",
    "memory",
    "alert",
)
