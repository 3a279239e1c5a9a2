"""The sweep: what is wrong? One claim a finding: each alert, the records that bear on it, other errors, guidance.

Decides: which alerts and records are findings, which records belong to an alert (by its labels and by what both bear
on), and in which order they stand. Refuses: to join findings into a cause. Protocol: sections 4 and 8.
"""

from collections.abc import Awaitable, Callable, Sequence

from superbizagent.agents.extractive.candidates import (
    Candidate,
    candidates_of,
    distinct,
    template_of,
    worst_first,
)
from superbizagent.agents.extractive.planner import knowledge_step, log_step, service_of
from superbizagent.agents.extractive.statements import STATES_BY_NUMBERS, Statement, first_supported, supported_states
from superbizagent.contract.evidence import Window
from superbizagent.contract.plan import Entity, EntityRole, Intent, PlanStep
from superbizagent.contract.records import ToolInvocation
from superbizagent.contract.vocabulary import Lang
from superbizagent.rules.answered import is_about
from superbizagent.rules.asking_words import asks, words
from superbizagent.rules.bearing import bears_on, query_terms
from superbizagent.rules.findings import alert_names, bear_together, telling_concepts
from superbizagent.rules.question import AnswerKind, Asked, Aspect, AspectKind
from superbizagent.rules.settling import Passed

MOST_ALERTS = 12
MOST_SEARCHED_ALERTS = 3
MOST_OTHERS = 3
MOST_GUIDANCE = 2
_MOST_LOOKED_AT = 30
MOST_CLOSED = 4
_ERROR = 4

Run = Callable[[Sequence[PlanStep]], Awaitable[list[ToolInvocation]]]


async def sweep(asked: Asked, window: Window, invocations: list[ToolInvocation], run: Run) -> list[Statement]:
    """The findings, each with its statement; `invocations` grows by what `run` records."""
    alerts, closed = _alerts_of(asked, candidates_of(invocations))
    searched = alerts[:MOST_SEARCHED_ALERTS]
    steps = [_alert_search(number, alert, window) for number, alert in enumerate(searched, start=1)]
    if not any(c.level >= _ERROR for c in candidates_of(invocations) if not c.is_alert):
        steps.append(log_step("failures", window, [words("failure")], service_of(asked.entities)))
    if steps:
        await run(steps)
    if alerts:
        await run([knowledge_step("guidance", _guidance_query(searched))])
    candidates = candidates_of(invocations)
    records = [c for c in candidates if not c.is_alert and not c.is_guidance]
    records = [c for c in records if all(_concerns(entity, c) for entity in asked.entities)]
    return [
        *_alert_findings(asked, alerts, records),
        *_other_findings(asked, alerts, records),
        *(told for alert in closed if (told := first_supported(alert, asked)) is not None),
        *_guidance(asked, [c for c in candidates if c.is_guidance], alerts),
    ]


def _alerts_of(asked: Asked, candidates: Sequence[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """The firing and pending alerts of what was asked, and those that are over or suppressed; the worst first."""
    alerts = [c for c in candidates if c.is_alert and all(_concerns(entity, c) for entity in asked.entities)]
    alerts.sort(key=lambda c: (" firing" not in c.text[:300], -c.level, "current=" not in c.text, c.order))
    are_open = [" firing" in c.text[:300] or " pending" in c.text[:300] for c in alerts]
    opened = distinct([c for c, is_open in zip(alerts, are_open, strict=True) if is_open])
    closed = distinct([c for c, is_open in zip(alerts, are_open, strict=True) if not is_open])
    return opened[:MOST_ALERTS], closed[:MOST_CLOSED]


def _concerns(entity: Entity, candidate: Candidate) -> bool:
    if entity.role is EntityRole.SERVICE and candidate.service is not None:
        return candidate.service == entity.name
    return is_about(entity, Passed(candidate.message, (candidate.text,)))


def _alert_search(number: int, alert: Candidate, window: Window) -> PlanStep:
    terms = [term for concept in sorted(telling_concepts(alert.text)) for term in query_terms(concept)[:6]]
    names = sorted(alert_names(alert.text))
    groups = [list(dict.fromkeys([*names, *terms]))] if terms or names else []
    return log_step(f"alert-{number}", window, groups, None)


def _guidance_query(alerts: Sequence[Candidate]) -> str:
    return " ".join(alert.text.split("; ", 2)[-1][:160] for alert in alerts)


def _alert_findings(asked: Asked, alerts: Sequence[Candidate], records: Sequence[Candidate]) -> list[Statement]:
    out: list[Statement] = []
    used: set[str] = set()
    for alert in alerts:
        told = first_supported(alert, asked)
        if told is None:
            continue
        out.append(told)
        evidence = _evidence_for(asked, alert, records, used)
        if evidence is not None:
            used.add(template_of(evidence.candidate.message))
            out.append(evidence)
    return out


def _evidence_for(asked: Asked, alert: Candidate, records: Sequence[Candidate], used: set[str]) -> Statement | None:
    """The record that bears most on an alert: a state it names first, then the worst record."""
    bearing = [record for record in records if bear_together(alert.text, record.text)]
    bearing = [record for record in bearing if template_of(record.message) not in used]
    named = bears_on(alert.text) & STATES_BY_NUMBERS
    states = tuple(Aspect(concept, AspectKind.PREDICATE, concept) for concept in sorted(named))
    state_asked = Asked(text=asked.text, lang=asked.lang, intent=Intent.SYMPTOM, kind=AnswerKind.YES_NO, aspects=states)
    if states:
        for record in distinct([r for r in worst_first(bearing) if r.fields is not None])[:8]:
            options = supported_states(record, state_asked)
            if options:
                return options[0]
    plain = Asked(text=asked.text, lang=asked.lang, intent=Intent.SYMPTOM, kind=AnswerKind.WHAT)
    for record in [r for r in distinct(worst_first(bearing)) if _is_trouble(r)][:8]:
        told = first_supported(record, plain)
        if told is not None:
            return told
    return None


def _is_trouble(record: Candidate) -> bool:
    """A warning or worse, or a record that speaks of a failure where its level does not tell."""
    ids = bears_on(record.message)
    if record.level >= _ERROR - 1 or {"is_down", "crashed"} & ids:
        return True
    return record.item.get("level") in (None, "notice") and bool({"fail", "exception"} & ids)


def _tells_failure(record: Candidate) -> bool:
    """Whether a record of the asked one speaks of a failure, whatever its level."""
    return bool({"fail", "exception", "time_out", "refuse", "reject"} & bears_on(record.message))


def _other_findings(asked: Asked, alerts: Sequence[Candidate], records: Sequence[Candidate]) -> list[Statement]:
    """Errors that no alert accounts for, one a template."""
    plain = Asked(text=asked.text, lang=asked.lang, intent=Intent.SYMPTOM, kind=AnswerKind.WHAT)
    out: dict[str, Statement] = {}
    named = bool(asked.entities)
    trouble = [r for r in records if r.level >= _ERROR or _is_trouble(r) or (named and _tells_failure(r))]
    for record in distinct(worst_first(trouble))[:_MOST_LOOKED_AT]:
        if any(bear_together(alert.text, record.text) for alert in alerts):
            continue
        told = first_supported(record, plain)
        if told is not None:
            out.setdefault(template_of(told.text), told)
        if len(out) >= MOST_OTHERS:
            break
    return list(out.values())


def _guidance(asked: Asked, blocks: Sequence[Candidate], alerts: Sequence[Candidate]) -> list[Statement]:
    lang: Lang = asked.lang
    plain = Asked(text=asked.text, lang=lang, intent=Intent.GUIDANCE, kind=AnswerKind.HOW_TO, wants_guidance=True)
    out: list[Statement] = []
    for block in sorted(
        blocks, key=lambda block: not asks("guidance_heading", str(block.item.get("heading", "")).lower())
    ):
        if not any(telling_concepts(alert.text) & bears_on(block.text) for alert in alerts):
            continue
        told = first_supported(block, plain)
        if told is not None:
            out.append(told)
        if len(out) >= MOST_GUIDANCE:
            break
    return out
