"""The recorder: what is handed out is what was stored, masked, within its limit, whatever the tool does."""

import asyncio
from typing import Any

import pytest

from superbizagent.contract.errors import BudgetExceeded, SourceUnavailable, StoreFailed
from superbizagent.contract.evidence import ToolOutput
from superbizagent.contract.json_text import read_json
from superbizagent.contract.vocabulary import EvidenceKind, EvidenceStatus
from superbizagent.ports import Event
from superbizagent.rules.masking import MASKING_VERSION, Masker
from superbizagent.rules.refs import EXTRACTOR_VERSION
from superbizagent.store.memory import MemoryStore
from tests.diagnosis.recorded_world import POOL, SESSION, SaidTool, logs, opened, recorder


async def said_and_recorded(said: Any, name: str = "query_logs", **kwargs: Any) -> Any:
    """The invocation that a tool's saying is recorded as, after checking that the store has the same."""
    store = await opened()
    row = await recorder(store, SaidTool(said, name), **kwargs).call("k", name, {"query": "pool"})
    assert await store.session_invocations(SESSION) == [row]
    return row


async def test_what_is_handed_out_is_what_the_store_has() -> None:
    row = await said_and_recorded(logs(POOL, matched=214))
    output = read_json(row.output)
    assert row.retrieval_details.evidence_refs[0].raw_path == "$.logs[0]"
    assert row.retrieval_details.evidence_refs[0].text == output["logs"][0]["record"] == POOL
    assert row.retrieval_details.collection == "logs"
    assert row.retrieval_details.kind is EvidenceKind.INCIDENT
    assert row.retrieval_details.searched == {"sources": output["searched"]}
    assert row.retrieval_details.extractor_version == EXTRACTOR_VERSION
    assert row.retrieval_details.masking_version == MASKING_VERSION
    assert (row.evidence_status, row.error, row.ordinal) == (EvidenceStatus.OK, None, 1)
    assert row.output_summary == "1 of 214 logs, newest 2026-11-30T23:10:19Z"


async def test_call_that_runs_twice_finds_its_row_and_asks_nobody_again() -> None:
    store, tool = await opened(), SaidTool(logs(POOL))
    first = await recorder(store, tool).call("k", "query_logs", {})
    again = await recorder(store, tool).call("k", "query_logs", {"query": "other"})
    assert again == first
    assert len(tool.asked) == 1


async def test_same_call_twice_at_once_is_asked_once() -> None:
    store, tool = await opened(), SaidTool(logs(POOL))
    calls = recorder(store, tool)
    rows = await asyncio.gather(*(calls.call("k", "query_logs", {}) for _ in range(3)))
    assert len(tool.asked) == 1
    assert rows[0] == rows[1] == rows[2]


async def test_row_that_is_found_again_keeps_its_placeholders_to_itself() -> None:
    store = await opened()
    await recorder(store, SaidTool(logs("password=hunter2"))).call("k", "query_logs", {})
    resumed = recorder(store, SaidTool(logs("password=other22")))
    await resumed.call("k", "query_logs", {})
    row = await resumed.call("k2", "query_logs", {})
    assert "<masked:password:2>" in row.output


async def test_secrets_are_masked_everywhere_and_alike() -> None:
    store = await opened()
    tool = SaidTool(logs("login password=hunter2 failed", error="at redis://:hunter2@cache"))
    row = await recorder(store, tool).call("k", "query_logs", {"query": "password=hunter2", "token": "abc12345"})
    assert tool.asked == [{"query": "password=hunter2", "token": "abc12345"}]
    assert "hunter2" not in row.model_dump_json()
    assert row.retrieval_details is not None
    assert row.retrieval_details.evidence_refs is not None
    assert "password=<masked:password:1> failed" in row.retrieval_details.evidence_refs[0].text
    assert row.error == "at redis://:<masked:password:1>@cache"
    assert row.arguments == {"query": "password=<masked:password:1>", "token": "<masked:token:2>"}


async def test_terms_of_a_search_are_words_and_no_fields() -> None:
    output = logs(POOL)
    searched = output.searched[0].model_copy(update={"terms": {"password": ["密码", "token=abc12345"]}})
    row = await said_and_recorded(output.model_copy(update={"searched": [searched]}))
    terms = row.retrieval_details.searched["sources"][0]["terms"]
    assert terms == {"password": ["密码", "token=<masked:token:1>"]}


async def test_nothing_found_is_no_evidence_and_an_empty_list_of_refs() -> None:
    row = await said_and_recorded(logs())
    assert (row.evidence_status, row.retrieval_details.evidence_refs) == (EvidenceStatus.NO_EVIDENCE, [])
    assert read_json(row.output)["logs"] == []


async def test_tool_that_says_ok_without_items_found_nothing() -> None:
    row = await said_and_recorded(logs(evidence_status=EvidenceStatus.OK))
    assert row.evidence_status is EvidenceStatus.NO_EVIDENCE


@pytest.mark.parametrize(
    ("raised", "reason"),
    [
        (SourceUnavailable("Loki does not answer"), "Loki does not answer"),
        (TimeoutError(), "TimeoutError"),
        (ValueError("bad token=abc12345\nsecond line"), "ValueError: bad token=<masked:token:1>\\nsecond line"),
        (RecursionError("deep"), "RecursionError: deep"),
    ],
)
async def test_tool_that_raises_is_recorded_as_unavailable_with_a_reason(raised: Exception, reason: str) -> None:
    row = await said_and_recorded(raised)
    output = read_json(row.output)
    assert (row.evidence_status, row.error) == (EvidenceStatus.UNAVAILABLE, reason)
    assert (output["logs"], output["error"]) == ([], reason)
    assert row.retrieval_details.evidence_refs == []
    assert "Traceback" not in row.output


async def test_tool_that_nobody_has_is_recorded_as_unavailable() -> None:
    store = await opened()
    row = await recorder(store).call("k", "restart_service", {"name": "x"})
    assert (row.evidence_status, row.error) == (EvidenceStatus.UNAVAILABLE, "there is no tool restart_service")
    assert row.retrieval_details is not None
    assert row.retrieval_details.evidence_refs is None


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [float("nan"), {1, 2}, object(), b"x", nested(100_000)], ids=lambda v: type(v).__name__
)
async def test_output_that_is_no_json_is_unavailable(value: Any) -> None:
    output = ToolOutput.model_construct(
        collection="logs",
        evidence_status=EvidenceStatus.OK,
        items=[{"record": value}],
        searched=[],
        error=None,
        body={},
    )
    row = await said_and_recorded(output)
    assert row.evidence_status is EvidenceStatus.UNAVAILABLE


@pytest.mark.parametrize(
    "arguments", [{"a": float("inf")}, {"a": object()}, {"a": nested(100_000)}, {"a": "x" * 70_000}], ids=range(4)
)
async def test_arguments_that_cannot_be_stored_are_not_asked(arguments: dict[str, Any]) -> None:
    store, tool = await opened(), SaidTool(logs(POOL))
    row = await recorder(store, tool).call("k", "query_logs", arguments)
    assert (row.evidence_status, row.arguments, tool.asked) == (EvidenceStatus.UNAVAILABLE, {}, [])


async def test_cancelled_call_leaves_nothing() -> None:
    store = await opened()
    with pytest.raises(asyncio.CancelledError):
        await recorder(store, SaidTool(asyncio.CancelledError())).call("k", "query_logs", {})
    assert await store.session_invocations(SESSION) == []


async def test_used_up_budget_asks_nobody_and_records_nothing() -> None:
    store, tool = await opened(), SaidTool(logs(POOL))
    with pytest.raises(BudgetExceeded):
        await recorder(store, tool, calls=0).call("k", "query_logs", {})
    assert (tool.asked, await store.session_invocations(SESSION)) == ([], [])


async def test_output_that_cannot_be_stored_is_shown_to_nobody() -> None:
    with pytest.raises(StoreFailed):
        await recorder(MemoryStore(), SaidTool(logs(POOL))).call("k", "query_logs", {})


async def test_output_that_is_too_large_loses_items_from_its_end_and_says_so() -> None:
    row = await said_and_recorded(logs(*("连" * 300 for _ in range(50)), matched=50), largest_output=8000)
    output = read_json(row.output)
    assert len(row.output.encode()) <= 8000
    assert 2 <= len(output["logs"]) == len(row.retrieval_details.evidence_refs) < 50
    assert output["searched"][0]["truncated"] is True
    assert output["searched"][0]["returned"] == len(output["logs"])
    assert "size limit" in output["searched"][0]["notes"][-1]
    assert row.output_summary.endswith("cut")
    assert row.evidence_status is EvidenceStatus.OK


async def test_single_item_that_is_too_large_makes_the_output_unavailable() -> None:
    row = await said_and_recorded(logs("x" * 9000), largest_output=8000)
    assert row.evidence_status is EvidenceStatus.UNAVAILABLE
    assert "larger" in (row.error or "")
    assert row.retrieval_details.evidence_refs == []


async def test_skill_that_is_too_large_is_cut_at_its_end() -> None:
    skill = ToolOutput(collection=None, evidence_status=EvidenceStatus.OK, body={"name": "pool", "text": "\x01" * 9000})
    row = await said_and_recorded(skill, "read_skill", largest_output=8000)
    output = read_json(row.output)
    assert len(row.output.encode()) <= 8000
    assert (output["name"], output["truncated"]) == ("pool", True)
    assert row.retrieval_details.evidence_refs is None
    assert row.retrieval_details.kind is EvidenceKind.GUIDANCE


async def test_hostile_text_stays_what_it_was_and_its_ref_is_one_line() -> None:
    text = "a\ud800\x00\n2026-11-30 ERROR forged \u2028"
    row = await said_and_recorded(logs(text))
    assert read_json(row.output)["logs"][0]["record"] == text
    assert row.output.encode("utf-8")
    assert "\n" not in row.retrieval_details.evidence_refs[0].text


async def test_keys_and_names_of_any_length_stay_apart() -> None:
    store = await opened()
    calls = recorder(store)
    rows = [await calls.call("k" * 300 + end, "t" * 300, {}) for end in ("1", "2\ud800\x00")]
    assert len({row.call_key for row in rows}) == 2
    assert all(len(row.call_key) <= 255 and len(row.tool_name) <= 255 for row in rows)
    assert await calls.call("k" * 300 + "1", "t" * 300, {}) == rows[0]


async def test_progress_is_told_without_secrets() -> None:
    events: list[Event] = []
    await said_and_recorded(ValueError("token=abc12345"), events=events)
    assert [event.name for event in events] == ["calling", "recorded"]
    assert "abc12345" not in str(events)


async def test_one_masker_serves_all_calls_of_a_session() -> None:
    store, masker = await opened(), Masker()
    first = await recorder(store, SaidTool(logs("password=hunter2")), masker=masker).call("a", "query_logs", {})
    second = await recorder(store, SaidTool(logs("redis://:hunter2@c")), masker=masker).call("b", "query_logs", {})
    assert "<masked:password:1>" in first.output
    assert "redis://:<masked:password:1>@c" in second.output
