"""The Composer: the answer that a person reads, worded from the allowed material alone.

Decides: the order of an answer and the words around what was proven. Refuses: to state anything as fact that did not
pass, to show a word of what was rejected, and to tell an empty, failed or cut search as health. Protocol: section 8.

The order, always:

1. the first line answers: Yes, No, the asked fact with its deciding excerpt, or Cannot confirm;
2. the counts: proven, not confirmed, withheld;
3. what is proven, with citations and basis (a sweep: the table of alerts and a verdict per finding);
4. guidance, apart;
5. what is not confirmed, with reasons;  6. what is withheld, and why, without a word of it;
7. what was searched;  8. the evidence to collect next;  9. notes.
"""

from collections.abc import Sequence

from superbizagent.contract.plan import EntityRole, Intent, Plan, Question
from superbizagent.contract.records import ToolInvocation
from superbizagent.contract.results import VerifierEvaluation
from superbizagent.contract.vocabulary import Answered, Basis, EvidenceStatus, ReasonCode, Rule, Verdict
from superbizagent.diagnosis.answer_text import Wording, inert, shown
from superbizagent.diagnosis.search_text import common_window, search_lines
from superbizagent.diagnosis.source_words import said_by_source
from superbizagent.rules.allowed import AllowedMaterial, Search, Told, allowed_material, named_in_records
from superbizagent.rules.answered import Extent, Stance
from superbizagent.rules.question import AnswerKind, Asked, read_question

MOST_SHOWN_FIRST = 2
_INDENT = "   "
_EXTENT_KEYS = {
    Extent.SOME_OF_ALL: "some_of_all",
    Extent.NOT_ONE_OF_ANY: "not_one_of_any",
    Extent.MIXED: "mixed",
    Extent.PARTS: "partly",
}


def compose(
    question: Question,
    plan: Plan | None,
    evaluation: VerifierEvaluation,
    invocations: Sequence[ToolInvocation],
    engine: str,
) -> str:
    """The answer in the question's language, as plain text; its first line answers the question.

    `invocations` are the session's own recorded calls; `engine` is who worked. Never raises on any material.
    """
    wording = Wording(question.lang, question.zone)
    asked = read_question(question.text)
    if plan is not None and plan.intent is Intent.OFF_SUBJECT and not evaluation.claims:
        return _joined([wording.say("first", "greeting"), *_demo(question, wording)])
    material = allowed_material(asked, evaluation, invocations)
    if plan is not None:
        plan = _with_named(plan, invocations, wording)
    return word_answer(question, plan, material, engine)


def _with_named(plan: Plan, invocations: Sequence[ToolInvocation], wording: Wording) -> Plan:
    """The plan, in which a name that a record has is known, and said to be no source's service."""
    named = [
        entity.model_copy(update={"known": True})
        for entity in plan.entities
        if not entity.known and entity.role is EntityRole.SERVICE and named_in_records(entity.name, invocations)
    ]
    names = {entity.name: entity for entity in named}
    notes = [wording.say("notes", "named", name=f"`{shown(name, 80)}`") for name in names]
    entities = [names.get(entity.name, entity) for entity in plan.entities]
    return plan.model_copy(update={"entities": entities, "notes": [*plan.notes, *notes]})


def word_answer(question: Question, plan: Plan | None, material: AllowedMaterial, engine: str) -> str:
    """The template over the allowed material: all that it says stands in the material, the plan or the wording."""
    wording = Wording(question.lang, question.zone)
    asked = read_question(question.text)
    sweep = plan is not None and plan.intent is Intent.SWEEP
    unknown = [entity.name for entity in plan.entities if not entity.known] if plan is not None else []
    sections = [
        [_first_line(asked, material, wording, unknown, sweep=sweep), _counts(material, wording)],
        _demo(question, wording),
        _report(material, wording, engine) if sweep else _proven(material, wording, engine),
        _guidance(material, wording, engine, sweep=sweep or not asked.wants_guidance),
        _doubts(material, wording),
        _withheld(material, wording),
        _searched(material, wording),
        _under(wording.say("headings", "next"), _next_steps(material, wording)),
        _under(wording.say("headings", "notes"), _notes(plan, material, wording, engine)),
    ]
    return "\n\n".join(_joined(lines) for lines in sections if lines)


# --- the first line and the counts ------------------------------------------------------------------------------


def _first_line(
    asked: Asked, material: AllowedMaterial, wording: Wording, unknown: Sequence[str], *, sweep: bool
) -> str:
    by_id = {told.claim_id: told for told in material.told}
    deciding = [by_id[claim_id] for claim_id in material.deciding]
    if sweep and material.facts:
        return _sweep_line(asked, material, wording)
    if not deciding or material.answered in (None, Answered.NO):
        return _cannot(asked, material, wording, unknown, sweep=sweep)
    fact = _fact(deciding[0], wording)
    if asked.wants_list or asked.wants_guidance:
        facts = [_fact(told, wording) for told in deciding[:3]]
        fact = wording.say("search", "between").join(facts) if asked.wants_list else fact
        hidden = len(deciding) - (3 if asked.wants_list else 1)
        if hidden > 0:
            fact = wording.say("first", "more", fact=fact, n=hidden)
    if material.extent is not Extent.WHOLE:
        both = wording.say("search", "between").join(_fact(told, wording).rstrip(".。") for told in deciding[:2])
        return wording.say("first", _EXTENT_KEYS[material.extent], fact=both)
    if material.stance is not None and len(asked.entities) > 1 and len(deciding) > 1 and not asked.either:
        fact = wording.say("search", "between").join(_fact(told, wording) for told in deciding[:2])
    if material.stance is not None:
        return _yes_or_no(material.stance, deciding[0], fact, wording)
    return wording.say("first", "fact", fact=fact)


def _yes_or_no(stance: Stance, told: Told, fact: str, wording: Wording) -> str:
    """Yes or No; with the record's time where a log record decides, since it tells its own moment only."""
    key = "yes" if stance is Stance.AFFIRMS else "no"
    time = told.citations[0].time if told.citations and told.alert is None else None
    if time is None:
        return wording.say("first", key, fact=fact)
    return wording.say("first", f"{key}_at", fact=fact, time=wording.time(time))


def _sweep_line(asked: Asked, material: AllowedMaterial, wording: Wording) -> str:
    facts = material.facts
    values = {"n": len(facts), "fact": _fact(facts[0], wording)}
    if asked.kind is AnswerKind.YES_NO and any(aspect.id == "healthy" for aspect in asked.aspects):
        return wording.say("first", "healthy", **values)
    return wording.say("first", "sweep_one" if len(facts) == 1 else "sweep", **values)


def _fact(told: Told, wording: Wording) -> str:
    """A proven statement for the first line, with the deciding excerpt where the statement does not hold it."""
    text = shown(wording.local_times(told.text))
    excerpt = told.citations[0].excerpt if told.citations else ""
    if told.guidance or told.alert is not None or not excerpt or _holds(told.text, excerpt):
        return text
    return wording.say("first", "with_excerpt", fact=text, excerpt=shown(excerpt, 160))


def _holds(text: str, excerpt: str) -> bool:
    """Whether a statement shows its excerpt already, or all of the excerpt's fields."""
    bare = " ".join(text.split())
    if " ".join(excerpt.split()) in bare:
        return True
    fields = [part.strip("(),;") for part in excerpt.split() if "=" in part]
    return bool(fields) and all(field in bare for field in fields)


def _cannot(asked: Asked, material: AllowedMaterial, wording: Wording, unknown: Sequence[str], *, sweep: bool) -> str:
    if unknown:
        names = ", ".join(f"`{shown(name, 80)}`" for name in unknown)
        return wording.say("first", "unknown", names=names)
    if material.withheld and not material.told:
        return wording.say("first", "cannot_rejected", n=len(material.withheld))
    down = [search for search in material.searches if search.status is EvidenceStatus.UNAVAILABLE]
    if down and len(down) == len(material.searches) and not material.told:
        return wording.say("first", "cannot_unavailable", sources=_sources(down, wording))
    if sweep:
        asked_of = [search for search in down if search.searched]
        if asked_of:
            return wording.say("first", "quiet_down", sources=_sources(asked_of, wording))
        return wording.say("first", "quiet")
    if asked.about_cause:
        return wording.say("first", "cannot_reason")
    if material.told:
        return wording.say("first", "cannot_related")
    if asked.wants_guidance:
        return wording.say("first", "cannot_guidance")
    if asked.intent is Intent.ALERTS:
        return wording.say("first", "cannot_alerts")
    found = any(one.returned for search in material.searches for one in search.searched)
    return wording.say("first", "cannot_among" if found else "cannot")


def _sources(searches: Sequence[Search], wording: Wording) -> str:
    """The sources of some calls by name, in the answer's language; a call without one by its tool."""
    named = [one.source for search in searches for one in search.searched]
    names = [said_by_source(name, wording.lang, quote=False) for name in named]
    names += [search.tool_name for search in searches if not search.searched]
    return shown(wording.say("search", "and").join(dict.fromkeys(names)), 200)


def _counts(material: AllowedMaterial, wording: Wording) -> str:
    return wording.say(
        "counts",
        "line",
        proven=len(material.told),
        doubts=len(material.doubts),
        withheld=len(material.withheld),
    )


def _demo(question: Question, wording: Wording) -> list[str]:
    return [wording.say("demo", "banner")] if question.demo else []


# --- what is proven ---------------------------------------------------------------------------------------------


def _proven(material: AllowedMaterial, wording: Wording, engine: str) -> list[str]:
    facts = sorted(material.facts, key=lambda told: told.claim_id not in material.deciding)
    decided = [told for told in facts if told.claim_id in material.deciding]
    beside = [told for told in facts if told.claim_id not in material.deciding]
    lines: list[str] = []
    if decided:
        kept = decided[:MOST_SHOWN_FIRST] if material.over_expanded else decided
        lines += _under(wording.say("headings", "proven"), _numbered(kept, wording, engine))
        folded = len(decided) - len(kept) + (len(beside) if material.over_expanded else 0)
        if folded:
            lines.append(wording.say("lines", "folded", n=folded))
    if beside and not (material.over_expanded and decided):
        kept = beside[:MOST_SHOWN_FIRST] if material.over_expanded else beside
        heading = wording.say("headings", "also" if decided or material.answered is Answered.NO else "proven")
        lines += [""] if lines else []
        lines += _under(heading, _numbered(kept, wording, engine))
        if len(kept) < len(beside):
            lines.append(wording.say("lines", "folded", n=len(beside) - len(kept)))
    return lines


def _numbered(told: Sequence[Told], wording: Wording, engine: str) -> list[str]:
    lines: list[str] = []
    for number, statement in enumerate(told, start=1):
        lines.append(f"{number}. {shown(wording.local_times(statement.text))}")
        lines += _citations(statement, wording, engine)
    return lines


def _citations(told: Told, wording: Wording, engine: str) -> list[str]:
    lines: list[str] = []
    for citation in told.citations:
        where = {
            "tool": shown(citation.tool_name, 60),
            "id": citation.invocation_id,
            "path": shown(citation.raw_path, 60),
        }
        if citation.time is not None:
            key = "citation_time" if told.alert is None else "citation_since"
            line = wording.say("lines", key, **where, time=wording.time(citation.time))
        else:
            line = wording.say("lines", "citation", **where)
        lines.append(_INDENT + line)
        lines.append(_INDENT + wording.say("lines", "excerpt", excerpt=shown(citation.excerpt)))
    basis = "basis_model" if told.basis is Basis.MODEL else "basis_deterministic"
    lines.append(_INDENT + wording.say("lines", basis, engine=engine))
    return lines


def _report(material: AllowedMaterial, wording: Wording, engine: str) -> list[str]:
    """A sweep: the table of the proven alerts, then each finding with its own verdict."""
    lines: list[str] = []
    table = _alert_table([told for told in material.facts if told.alert is not None], wording)
    if table:
        lines += [*_under(wording.say("headings", "alerts"), table), ""]
    findings: list[str] = []
    for told in material.facts:
        verdict = wording.say("verdicts", Verdict.PASS.value)
        text = shown(wording.local_times(told.text))
        findings.append(wording.say("lines", "finding", verdict=verdict, text=text))
        findings += _citations(told, wording, engine)
    return lines + _under(wording.say("headings", "findings"), findings)


def _alert_table(alerts: Sequence[Told], wording: Wording) -> list[str]:
    if not alerts:
        return []
    none = wording.say("table", "none")
    columns = ("alert", "state", "service", "value", "since", "verdict")
    rows = [[wording.say("table", column) for column in columns]]
    for told in alerts:
        row = told.alert
        if row is None:
            continue
        state = wording.say("states", row.state) if wording.has("states", row.state) else row.state
        since = wording.time(row.since) if row.since is not None else none
        verdict = wording.say("verdicts", Verdict.PASS.value)
        cells = [
            shown(row.name, 60),
            state,
            shown(row.service or none, 40),
            shown(row.value or none, 24),
            since,
            verdict,
        ]
        rows.append(cells)
    widths = [max(_width(row[column]) for row in rows) for column in range(len(columns))]
    return ["  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _width(text: str) -> int:
    """Columns in a terminal: a CJK character takes two."""
    return sum(2 if character >= "\u1100" and not "\u2000" <= character <= "\u206f" else 1 for character in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _guidance(material: AllowedMaterial, wording: Wording, engine: str, *, sweep: bool) -> list[str]:
    if not material.guidance:
        return []
    return _under(wording.say("headings", "guidance"), _numbered(material.guidance, wording, engine))


# --- what is not ------------------------------------------------------------------------------------------------


def _doubts(material: AllowedMaterial, wording: Wording) -> list[str]:
    lines: list[str] = []
    for doubt in material.doubts:
        verdict = wording.say("verdicts", Verdict.LOW_CONFID.value)
        lines.append(f"- [{verdict}] “{shown(wording.local_times(doubt.text))}”")
        kept = [ReasonCode.ABSENCE_UNPROVEN] if doubt.absence else []
        codes = [(code, rule) for code, rule in doubt.reasons if not kept or code in kept] or doubt.reasons
        reasons = [_reason(code, rule, wording) for code, rule in codes]
        if reasons:
            lines.append(_INDENT + "; ".join(dict.fromkeys(reasons)))
    return _under(wording.say("headings", "doubts"), lines)


def _reason(code: ReasonCode, rule: str | None, wording: Wording) -> str:
    if rule is not None and wording.has("rules", rule):
        return wording.say("rules", rule)
    return wording.say("reasons", code.value)


def _withheld(material: AllowedMaterial, wording: Wording) -> list[str]:
    grouped: dict[str, int] = {}
    for faults in material.withheld:
        words = [wording.say("rules" if isinstance(fault, Rule) else "reasons", fault.value) for fault in faults]
        key = "; ".join(words)
        grouped[key] = grouped.get(key, 0) + 1
    lines = ["- " + wording.say("lines", "withheld", n=count, faults=faults) for faults, count in grouped.items()]
    return _under(wording.say("headings", "withheld"), lines)


def _searched(material: AllowedMaterial, wording: Wording) -> list[str]:
    window = common_window(material.searches, wording)
    heading = wording.say("headings", "searched_window" if window else "searched", window=window)
    told = search_lines(material.searches, wording, with_window=not window)
    lines = [line if line.startswith(" ") else f"- {line}" for line in told]
    return _under(heading, lines or [wording.say("search", "none")])


def _next_steps(material: AllowedMaterial, wording: Wording) -> list[str]:
    lines = []
    for step in material.next_steps:
        action = step.action if step.action and wording.has("actions", step.action) else "query"
        words = wording.say("actions", action)
        lines.append("- " + wording.say("lines", "step", action=words, target=shown(step.target)))
    return lines


def _notes(plan: Plan | None, material: AllowedMaterial, wording: Wording, engine: str) -> list[str]:
    notes = [inert(note) for note in (plan.notes if plan is not None else [])]
    notes += [wording.say("lines", "error", error=shown(error, 200)) for error in material.errors]
    notes.append(wording.say("lines", "engine", engine=shown(engine, 80)))
    return [f"- {note}" for note in dict.fromkeys(notes)]


def _under(heading: str, lines: Sequence[str]) -> list[str]:
    return [heading, *lines] if lines else []


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines)
