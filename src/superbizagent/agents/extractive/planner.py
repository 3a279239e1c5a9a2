"""The extractive Planner: from a question to a few tool calls, by intent, entities, aspects and window.

Decides: what kind of question it is and which calls, in which order, can answer it within the budget of six rounds
and eight calls. For a service that no source knows it plans only to look whether a record names it. Refuses: to ask a
source, to answer, and to search for a masked secret. The same question against the same names gives the same plan, call
keys included. Protocol: sections 2, 3.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from superbizagent.contract.evidence import Window
from superbizagent.contract.plan import Entity, EntityRole, Intent, Plan, PlanStep, Question
from superbizagent.contract.tools import LOOKUP_KNOWLEDGE, QUERY_LOGS, QUERY_METRICS
from superbizagent.contract.vocabulary import Lang
from superbizagent.rules.bearing import forms_of, kind_of, query_terms
from superbizagent.rules.entities import near_name
from superbizagent.rules.question import Asked, Aspect, AspectKind, is_masked, read_question, unmasked
from superbizagent.rules.windows import default_window, read_window

LOG_LIMIT = 50
KNOWLEDGE_LIMIT = 6
ALERT_LIMIT = 50
_MOST_TERMS = 36
_MOST_TERMS_OF_GROUP = 20
_LONGEST_QUERY = 3800
_LONGEST_TERM = 120
_NOTES: dict[str, dict[Lang, str]] = {
    "default": {
        Lang.EN: "No time was named: the last hour before the question was searched.",
        Lang.ZH: "问题没有指明时间，查询的是提问前的一个小时。",
    },
    "instead": {
        Lang.EN: "The last hour before the question was searched instead.",
        Lang.ZH: "因此改为查询提问前的一个小时。",
    },
    "masked": {
        Lang.EN: "The question holds a secret; it was masked and is not searched for.",
        Lang.ZH: "问题中含有敏感信息，已被遮蔽，不作为查询词。",
    },
    "unknown_alert": {
        Lang.EN: "No source knows an alert `{name}`.",
        Lang.ZH: "没有任何数据源认识名为 `{name}` 的告警。",
    },
    "near": {
        Lang.EN: "A service with a similar name is known: `{near}`.",
        Lang.ZH: "有一个名字相近的服务：`{near}`。",
    },
}


class ExtractivePlanner:
    """Implements `ports.Planner` without a model."""

    async def plan(self, question: Question, entities: Mapping[EntityRole, frozenset[str]]) -> Plan:
        """The plan for a question, given what the sources know by name. Never raises."""
        return make_plan(question, entities)


def make_plan(question: Question, known: Mapping[EntityRole, frozenset[str]]) -> Plan:
    """The plan; see the module."""
    asked = read_for(question, known)
    window, notes = _window(question)
    if asked.intent not in (Intent.SYMPTOM, Intent.SWEEP):
        notes = []
    notes += _entity_notes(asked.entities, known, question.lang) if asked.intent is not Intent.OFF_SUBJECT else []
    if any(is_masked(entity.name) for entity in asked.entities):
        notes.append(_NOTES["masked"][question.lang])
    return Plan(
        intent=asked.intent,
        entities=list(asked.entities),
        symptoms={aspect.id: terms_of(aspect) for aspect in asked.aspects if aspect.kind is not AspectKind.WORD},
        window=window,
        steps=[] if asked.intent is Intent.OFF_SUBJECT else steps_for(asked, window),
        notes=notes,
    )


def read_for(question: Question, known: Mapping[EntityRole, frozenset[str]]) -> Asked:
    """What the question asks, with the scope of `--service` and the asker's language."""
    known = _with_file_stems(known)
    asked = replace(read_question(question.text, known, question.at, question.zone), lang=question.lang)
    if question.service is None or any(entity.name == question.service for entity in asked.entities):
        return asked
    is_known = question.service in known.get(EntityRole.SERVICE, frozenset())
    scope = Entity(name=question.service, role=EntityRole.SERVICE, known=is_known)
    intent = Intent.SYMPTOM if asked.intent is Intent.OFF_SUBJECT and asked.aspects else asked.intent
    return replace(asked, entities=(*asked.entities, scope), intent=intent)


def _with_file_stems(known: Mapping[EntityRole, frozenset[str]]) -> Mapping[EntityRole, frozenset[str]]:
    """A log file that carries a service's name makes that name known: its records can be told apart by their file."""
    files = known.get(EntityRole.FILE, frozenset())
    stems = {name.rsplit("/", 1)[-1].split(".", 1)[0] for name in files}
    services = known.get(EntityRole.SERVICE, frozenset())
    extra = {stem for stem in stems if len(stem) > 2 and stem.lower() not in {"syslog", "messages", "access", "error"}}
    return {**known, EntityRole.SERVICE: services | extra} if extra else known


def _window(question: Question) -> tuple[Window, list[str]]:
    """The window to search, and what has to be said about it."""
    given = question.window
    if given.since is not None or given.until is not None:
        return given, []
    read = read_window(question.text, question.at, question.zone, question.lang)
    if read.window.since is not None:
        return read.window, read.notes
    note = _NOTES["instead" if read.wrong else "default"][question.lang]
    return default_window(question.at), [*read.notes, note]


def _entity_notes(entities: Sequence[Entity], known: Mapping[EntityRole, frozenset[str]], lang: Lang) -> list[str]:
    notes = []
    for entity in entities:
        if entity.known:
            continue
        if entity.role is EntityRole.ALERT:
            notes.append(_NOTES["unknown_alert"][lang].format(name=entity.name))
        near = near_name(entity.name, known.get(EntityRole.SERVICE, frozenset()))
        if near is not None:
            notes.append(_NOTES["near"][lang].format(near=near))
    return notes


def steps_for(asked: Asked, window: Window) -> list[PlanStep]:
    """The calls that can answer; where a service is unknown, those that look for its name, over all times."""
    if asked.intent is Intent.GUIDANCE:
        return [knowledge_step("guidance", unmasked(asked.text))]
    unknown = [entity.name for entity in asked.entities if not entity.known and entity.role is EntityRole.SERVICE]
    if unknown:
        return [log_step(f"name-{n}", Window(), [[name]], None) for n, name in enumerate(unknown[:2], start=1)] + [
            PlanStep(call_key="alerts", tool_name=QUERY_METRICS, arguments={"limit": ALERT_LIMIT}, purpose="alerts")
        ]
    match asked.intent:
        case Intent.ALERTS:
            return [metrics_step("alerts", asked, with_state=asked.wants_list)]
        case Intent.SWEEP:
            names = [entity.name for entity in asked.entities if entity.role is EntityRole.IDENTIFIER]
            named = [log_step("named", window, [[name] for name in names], None)] if names else []
            errors = log_step("errors", window, [], service_of(asked.entities), level="error")
            return [metrics_step("alerts", asked), errors, *named]
        case _:
            service = service_of(asked.entities)
            steps = [log_step("logs", window, precise_groups(asked), service)]
            broad = broad_groups(asked)
            if broad and asks_state(asked):
                steps.append(log_step("logs-broad", window, broad, service))
            return [*steps, metrics_step("alerts", asked)]


def metrics_step(key: str, asked: Asked, *, with_state: bool = False) -> PlanStep:
    """Ask for alerts of the asked service and name."""
    arguments: dict[str, Any] = {"limit": ALERT_LIMIT}
    service = service_of(asked.entities)
    alerts = [entity.name for entity in asked.entities if entity.role is EntityRole.ALERT]
    if service is not None:
        arguments["service"] = service
    if len(alerts) == 1:
        arguments["alertname"] = alerts[0]
    if with_state and asked.alert_state is not None:
        arguments["state"] = asked.alert_state
    return PlanStep(call_key=key, tool_name=QUERY_METRICS, arguments=arguments, purpose="alerts")


def log_step(
    key: str, window: Window, groups: Sequence[Sequence[str]], service: str | None, *, level: str | None = None
) -> PlanStep:
    """Ask for records in which each group has one of its terms."""
    arguments: dict[str, Any] = {"limit": LOG_LIMIT}
    query = log_query(groups)
    if query:
        arguments["query"] = query
    if service is not None:
        arguments["service"] = service
    if level is not None:
        arguments["level"] = level
    if window.since is not None:
        arguments["since"] = window.since.isoformat()
    if window.until is not None:
        arguments["until"] = window.until.isoformat()
    return PlanStep(call_key=key, tool_name=QUERY_LOGS, arguments=arguments, purpose="logs")


def knowledge_step(key: str, query: str) -> PlanStep:
    """Ask the knowledge base."""
    arguments = {"query": query[:400], "limit": KNOWLEDGE_LIMIT}
    return PlanStep(call_key=key, tool_name=LOOKUP_KNOWLEDGE, arguments=arguments, purpose="guidance")


def log_query(groups: Sequence[Sequence[str]]) -> str:
    """The groups in the query language: `"a b" OR c AND d OR e`, where OR binds tighter than AND.

    Long groups are cut evenly, so that the whole stays within what the tool reads.
    """
    written = [list(dict.fromkeys(_term(term) for term in group)) for group in groups]
    filled = [group for group in ([term for term in group if term] for group in written) if group]
    if not filled:
        return ""
    room = min(_MOST_TERMS // len(filled), _MOST_TERMS_OF_GROUP)
    query = " AND ".join(" OR ".join(group[:room]) for group in filled)
    while len(query) > _LONGEST_QUERY and room > 1:
        room = room * 3 // 4
        query = " AND ".join(" OR ".join(group[:room]) for group in filled)
    return query


def _term(term: str) -> str:
    bare = " ".join(term.replace('"', " ").split())[:_LONGEST_TERM]
    if not bare:
        return ""
    plain = bare.replace("_", "").replace("-", "").replace(".", "").isalnum()
    return bare if plain and bare.upper() not in {"AND", "OR"} else f'"{bare}"'


def service_of(entities: Sequence[Entity]) -> str | None:
    """The service to filter by: the only one asked for."""
    services = [entity.name for entity in entities if entity.role is EntityRole.SERVICE]
    return services[0] if len(services) == 1 else None


def terms_of(aspect: Aspect) -> list[str]:
    """The search terms of one aspect."""
    if aspect.id.startswith("status:"):
        code = aspect.id.removeprefix("status:")
        return [code] if code.isdigit() else [f"{code[0]}{rest:02d}" for rest in range(5)]
    if aspect.kind in (AspectKind.LITERAL, AspectKind.WORD):
        key, mark, value = aspect.id.partition("=")
        if mark and "/" in value:
            return [aspect.id, f"{key}={value.split('/')[0]}"]
        return [aspect.form if aspect.kind is AspectKind.WORD else aspect.id]
    form = " ".join(aspect.form.split())
    asked_form = [form] if form.isascii() and " " not in form else []
    return list(dict.fromkeys([*asked_form, *_plural_of(aspect.id), *query_terms(aspect.id)]))


def _plural_of(concept: str) -> list[str]:
    """The plural of a thing's English name: a search takes a term as a whole word."""
    name = next((form for form in forms_of(concept) or (concept,) if form.isascii() and form.isalpha()), "")
    countable = kind_of(concept) in {"thing", "unit", "literal"} and name.islower()
    return [f"{name}s"] if countable and not name.endswith(("s", "y", "x")) else []


def asks_state(asked: Asked) -> bool:
    """Whether a state is asked for, which a record's numbers may tell without its word."""
    return any(kind_of(aspect.id) == "state" for aspect in asked.of_kind(AspectKind.PREDICATE))


def precise_groups(asked: Asked) -> list[list[str]]:
    """One group for each predicate, literal and identifier; the subjects where there is no predicate."""
    predicates = [aspect for aspect in asked.of_kind(AspectKind.PREDICATE) if aspect.id != "error"]
    groups = [terms_of(aspect) for aspect in predicates]
    if asked.either and len(groups) > 1:
        groups = [[term for group in groups for term in group]]
    groups += [terms_of(aspect) for aspect in asked.of_kind(AspectKind.LITERAL) if len(aspect.id) > 1]
    groups += [[name] for name in _searchable(asked, EntityRole.IDENTIFIER)]
    subjects = asked.of_kind(AspectKind.SUBJECT)
    if not predicates or asks_state(asked):
        groups += [terms_of(aspect) for aspect in subjects]
    if not groups:
        groups = [terms_of(aspect) for aspect in asked.of_kind(AspectKind.LIGHT, AspectKind.WORD, AspectKind.PRODUCT)]
    return [group for group in groups if group]


def broad_groups(asked: Asked) -> list[list[str]]:
    """One group: any term of any asked subject or predicate; for definitions that need a record's numbers."""
    kinds = (AspectKind.SUBJECT, AspectKind.PREDICATE, AspectKind.PRODUCT, AspectKind.WORD)
    subjects = asked.of_kind(AspectKind.SUBJECT) or asked.of_kind(*kinds)
    terms = [term for aspect in subjects for term in terms_of(aspect)]
    terms += _searchable(asked, EntityRole.IDENTIFIER, EntityRole.POOL)
    return [list(dict.fromkeys(terms))] if terms else []


def _searchable(asked: Asked, *roles: EntityRole) -> list[str]:
    return [entity.name for entity in asked.entities if entity.role in roles and not is_masked(entity.name)]
