"""The text of a ref: one line of facts, from the stored output alone."""

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbizagent.contract.evidence import ToolOutput
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.rules.refs import duration_text, extract_refs, item_text, one_line, plain_number


def alert(**facts: Any) -> str:
    return item_text("alerts", facts)


def log(record: str, **beside: Any) -> str:
    return item_text("logs", {"record": record, **beside})


def test_tool_without_collection_has_no_refs() -> None:
    assert extract_refs(None, {"name": "x"}) is None


def test_refs_are_the_items_of_the_collection_in_order() -> None:
    output = ToolOutput(collection="logs", evidence_status=EvidenceStatus.OK, items=[{"record": "a"}, {"record": "b"}])
    refs = extract_refs("logs", output.as_json())
    assert [(ref.raw_path, ref.text) for ref in refs or []] == [("$.logs[0]", "a"), ("$.logs[1]", "b")]


@pytest.mark.parametrize("output", [{}, {"logs": None}, {"logs": "x"}, {"logs": {}}, {"logs": []}])
def test_output_without_a_list_has_an_empty_list_of_refs(output: dict[str, Any]) -> None:
    assert extract_refs("logs", output) == []


def test_alert_says_its_facts_in_the_order_of_the_protocol() -> None:
    text = alert(
        alertname="A",
        state="firing",
        service="pay",
        labels={"alertname": "A", "service": "pay", "zone": "z", "instance": "i:1"},
        annotations={"summary": "s.", "description": "d", "runbook_url": "u"},
        value="4.607142857142857e+00",
        active_at="2026-11-30T23:09:43.189Z",
        duration="15m",
    )
    assert text == (
        "A firing, service=pay, instance=i:1, zone=z, current=4.607142857142857, since=2026-11-30T23:09:43.189Z, "
        "duration=15m; s.; d"
    )


def test_alert_leaves_out_what_is_not_known() -> None:
    assert alert(alertname="A", state="firing", value="91%", duration="15m") == "A firing, current=91%, duration=15m"
    assert alert(labels={"alertname": "A"}) == "A"


def test_resolved_alert_has_a_last_value_and_an_end() -> None:
    text = alert(alertname="A", state="resolved", value="91%", resolved_at="2026-11-30T23:00:00Z")
    assert text == "A resolved, last=91%, resolved_at=2026-11-30T23:00:00Z"


def test_end_of_an_alert_that_fires_is_no_end() -> None:
    assert "resolved_at" not in alert(labels={"alertname": "A"}, state="firing", endsAt="2026-11-30T23:00:00Z")
    assert alert(alertname="A", state="resolved", ends_at="0001-01-01T00:00:00Z") == "A resolved"


def test_alert_as_its_source_sent_it_is_understood() -> None:
    raw = {
        "labels": {"alertname": "A", "service": "pay"},
        "status": {"state": "active"},
        "startsAt": "2026-11-30T23:00:00Z",
    }
    assert alert(**raw) == "A firing, service=pay, since=2026-11-30T23:00:00Z"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("1e+00", "1"),
        ("9.1e+01", "91"),
        ("4.2e+00", "4.2"),
        ("-1.5E-3", "-0.0015"),
        ("91%", "91%"),
        ("1.50", "1.50"),
        ("NaN", "NaN"),
        ("+Inf", "+Inf"),
        ("1e400", "1e400"),
        ("1e", "1e"),
        ("0e+00", "0"),
        (4.25, 4.25),
        (1e-05, "0.00001"),
    ],
)
def test_number_is_shown_without_exponent(value: Any, shown: Any) -> None:
    assert plain_number(value) == shown


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (42, "42s"),
        (900, "15m"),
        (3720, "1h2m"),
        (86_400, "1d"),
        (90_061, "1d1h1m1s"),
        (604_800, "1w"),
        (-1, None),
    ],
)
def test_duration_is_written_as_prometheus_writes_it(seconds: int, text: str | None) -> None:
    assert duration_text(timedelta(seconds=seconds)) == text


def test_log_record_stands_first_and_what_is_known_beside_it_follows() -> None:
    text = log("1796080168 x", service="pay", file="a b.log", line=3, level="ERROR", time="2026-11-30T23:09:28Z")
    assert text == "1796080168 x service=pay file=a b.log time=2026-11-30T23:09:28Z"


@pytest.mark.parametrize(
    "record",
    [
        "2026-11-30T23:09:28.491Z x",
        "2026-11-30T23:09:28Z x",
        "[30/Nov/2026:23:09:28 +0000] x",
        "2026-12-01 07:09:28 +0800 x",
        '{"ts":"2026-12-01T07:09:28.491+08:00","msg":"x"}',
    ],
)
def test_time_that_stands_in_the_record_is_not_repeated(record: str) -> None:
    assert "time=" not in log(record, time="2026-11-30T23:09:28.491Z")


@pytest.mark.parametrize(
    "record", ["2026-12-01 07:09:28 x", "1796080168 x", "Dec  1 07:09:28 x", "x", '{"ts":1796080168}']
)
def test_time_that_the_record_does_not_give_with_its_zone_is_added(record: str) -> None:
    assert log(record, time="2026-11-30T23:09:28Z").endswith(" time=2026-11-30T23:09:28Z")


@pytest.mark.parametrize(
    "record", ["service=pay x", '{"service":"pay"}', '{"service": "pay", "a":1}', "level=x service=pay"]
)
def test_service_that_the_record_names_is_not_repeated(record: str) -> None:
    assert log(record, service="pay") == record


def test_service_of_which_the_record_names_only_a_part_is_added() -> None:
    assert log("service=payroll x", service="pay") == "service=payroll x service=pay"


def test_knowledge_block_has_its_path_before_its_text() -> None:
    block = {"title": "Pool", "heading": "Check > First", "text": "1. Look.\n2. Wait.\n", "source": "a.md"}
    assert item_text("evidence_blocks", block) == "Pool > Check > First: 1. Look. 2. Wait."
    assert item_text("evidence_blocks", {"title": "Pool", "heading": "", "text": "x"}) == "Pool: x"


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"text": "cpu 91%", "x": 1}, "cpu 91%"),
        (
            {"metric": "cpu", "value": 4.2e00, "none": None, "tags": ["a", 1]},
            'metric=cpu, value=4.2, tags="[\\"a\\",1]"',
        ),
        ("plain", "plain"),
        ([1, 2], "[1,2]"),
    ],
)
def test_item_of_an_outside_tool_is_a_line_of_fields(item: Any, text: str) -> None:
    assert item_text("series", item) == text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a\nb", "a\\nb"),
        ("a\r\nb", "a\\r\\nb"),
        ("\x1b]0;x\x07", "\\u001b]0;x\\u0007"),
        ("\u2028", "\\u2028"),
        ("\x85", "\\u0085"),
        ("\ud800", "\\ud800"),
        ("\0", "\\u0000"),
    ],
)
def test_what_could_break_the_line_is_shown_escaped(value: str, shown: str) -> None:
    assert one_line(value) == shown


def test_value_cannot_forge_a_field() -> None:
    text = alert(alertname="A", state="firing", labels={"alertname": "A", "path": "x, current=0%"}, value="91%")
    assert text == 'A firing, path="x, current=0%", current=91%'


def test_colours_of_a_record_are_formatting_and_tabs_are_white_space() -> None:
    assert log("\x1b[31mERROR\x1b[0m\tmain.go:1\tfailed") == "ERROR main.go:1 failed"


def test_nesting_without_end_is_said() -> None:
    deep: Any = "x"
    for _ in range(50_000):
        deep = [deep]
    assert item_text("series", {"a": deep}) == "a=[nested too deeply]"
    assert item_text("logs", {"record": deep}) == "record=[nested too deeply]"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    "alertname state labels annotations value active_at resolved_at duration record service file time title heading text status suppressed_by".split()
)


@given(
    st.sampled_from(["alerts", "logs", "evidence_blocks", "series"]),
    st.lists(st.dictionaries(KEYS, JSON) | JSON, max_size=4),
)
def test_any_output_gives_one_line_an_item_and_the_same_one_after_storing(collection: str, items: list[Any]) -> None:
    refs = extract_refs(collection, {collection: items})
    assert refs is not None
    assert len(refs) == len(items)
    for ref in refs:
        assert len(ref.text.splitlines()) <= 1
        ref.text.encode("utf-8")
    stored = json.loads(json.dumps({collection: items}))
    assert extract_refs(collection, stored) == refs
