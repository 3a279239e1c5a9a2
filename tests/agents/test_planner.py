"""The extractive Planner: intents, windows, unknown names, stable keys, a query that the tool reads."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.agents.extractive.planner import log_query, make_plan
from superbizagent.contract.evidence import Window
from superbizagent.contract.plan import EntityRole, Intent, Question
from superbizagent.contract.tools import LOOKUP_KNOWLEDGE, QUERY_LOGS, QUERY_METRICS
from superbizagent.contract.vocabulary import Lang
from superbizagent.rules.question import detect_lang
from superbizagent.tools.log_terms import read_query

AT = datetime(2026, 7, 8, 10, 30, tzinfo=UTC)
KNOWN = {
    EntityRole.SERVICE: frozenset({"ingest-service", "geo-api"}),
    EntityRole.ALERT: frozenset({"PoolSaturated"}),
    EntityRole.FILE: frozenset({"logs/billing.log"}),
}


def question(text: str, **changes: Any) -> Question:
    return Question(**{"text": text, "lang": detect_lang(text), "at": AT, **changes})


@pytest.mark.parametrize(
    ("text", "intent", "tools"),
    [
        ("Which alerts are firing?", Intent.ALERTS, {QUERY_METRICS}),
        ("Did geo-api time out?", Intent.SYMPTOM, {QUERY_LOGS, QUERY_METRICS}),
        ("geo-api 有没有超时？", Intent.SYMPTOM, {QUERY_LOGS, QUERY_METRICS}),
        ("What should I check when a pool is exhausted?", Intent.GUIDANCE, {LOOKUP_KNOWLEDGE}),
        ("出了什么问题？", Intent.SWEEP, {QUERY_LOGS, QUERY_METRICS}),
        ("hello", Intent.OFF_SUBJECT, set()),
    ],
)
def test_plan_asks_the_tools_of_its_intent(text: str, intent: Intent, tools: set[str]) -> None:
    plan = make_plan(question(text), KNOWN)
    assert plan.intent is intent
    assert {step.tool_name for step in plan.steps} == tools


def test_same_question_gives_the_same_plan_with_unique_keys() -> None:
    first, second = (make_plan(question("Is the pool of ingest-service exhausted?"), KNOWN) for _ in range(2))
    assert first == second
    keys = [step.call_key for step in first.steps]
    assert len(keys) == len(set(keys))


def test_window_is_the_last_hour_and_said_when_none_is_named() -> None:
    plan = make_plan(question("Did geo-api time out?"), KNOWN)
    assert plan.window == Window(since=AT - timedelta(hours=1), until=AT)
    assert plan.notes == ["No time was named: the last hour before the question was searched."]


def test_named_window_is_searched_and_not_explained() -> None:
    plan = make_plan(question("Did geo-api time out between 10:15 and 10:20?"), KNOWN)
    logs = next(step for step in plan.steps if step.tool_name == QUERY_LOGS)
    assert logs.arguments["since"] == "2026-07-08T10:15:00+00:00"
    assert logs.arguments["until"] == "2026-07-08T10:20:00+00:00"
    assert plan.notes == []


def test_given_window_goes_before_the_one_in_words() -> None:
    given = Window(since=AT - timedelta(days=1), until=AT)
    assert make_plan(question("Did geo-api time out since 10:15?", window=given), KNOWN).window == given


def test_wrong_window_is_said_and_the_last_hour_searched_instead() -> None:
    plan = make_plan(question("geo-api 10点半到10点15分有没有超时？"), KNOWN)
    assert plan.window.since == AT - timedelta(hours=1)
    assert "不晚于" in plan.notes[0]


def test_unknown_service_is_looked_for_by_name_alone_and_over_all_times() -> None:
    plan = make_plan(question("Is geo-apy down?"), KNOWN)
    assert plan.notes[-1] == "A service with a similar name is known: `geo-api`."
    logs = [step.arguments for step in plan.steps if step.tool_name == QUERY_LOGS]
    assert [(call["query"], call.get("since"), call.get("service")) for call in logs] == [("geo-apy", None, None)]


def test_masked_secret_of_a_question_is_searched_nowhere() -> None:
    for text in (
        "Did login <masked:token:1> fail?",
        "<masked:password:2> 登录失败了吗？",
        "How to rotate <masked:key:1>?",
    ):
        plan = make_plan(question(text), KNOWN)
        assert plan.steps
        assert "masked" not in str([step.arguments for step in plan.steps])


def test_log_file_makes_the_service_of_its_name_known() -> None:
    plan = make_plan(question("billing 有没有超时？"), KNOWN)
    assert [(entity.name, entity.known) for entity in plan.entities] == [("billing", True)]


def test_scope_of_the_door_is_an_entity_of_the_plan() -> None:
    plan = make_plan(question("Were there timeouts?", service="geo-api"), KNOWN)
    assert [entity.name for entity in plan.entities] == ["geo-api"]
    assert all(step.arguments.get("service") == "geo-api" for step in plan.steps)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Did geo-api run out of memory?", "outofmemoryerror"),
        ("geo-api 内存溢出了吗？", "outofmemoryerror"),
        ("Is the disk full?", "no space left"),
        ("磁盘写满了吗？", "no space left"),
        ("Is the connection pool exhausted?", "hikaripool"),
        ("数据库连接池耗尽了吗？", "hikaripool"),
        ("Are there certificate errors?", "x509"),
        ("Did nginx answer 502?", "502"),
        ("Why did order 88101 fail?", "88101"),
    ],
)
def test_symptom_is_searched_in_the_words_of_records(text: str, term: str) -> None:
    steps = make_plan(question(text), KNOWN).steps
    queries = [read_query(step.arguments.get("query")) for step in steps if step.tool_name == QUERY_LOGS]
    assert any(term in group for query in queries for group in query.groups)


@given(st.lists(st.lists(st.text(max_size=40), max_size=90), max_size=6))
def test_any_terms_give_a_query_that_the_tool_reads(groups: list[list[str]]) -> None:
    query = log_query(groups)
    assert len(query) <= 4000
    assert bool(read_query(query).groups) == any(term.replace('"', "").strip() for group in groups for term in group)


@given(st.text(max_size=150), st.sampled_from(list(Lang)))
def test_any_question_gives_a_plan_within_the_budget(text: str, lang: Lang) -> None:
    plan = make_plan(question(text, lang=lang), KNOWN)
    assert len(plan.steps) <= 8
    for step in plan.steps:
        read_query(step.arguments.get("query") if step.tool_name == QUERY_LOGS else None)
