"""The matrix through Python: the one `diagnose`, the store in memory, real tools over the small world."""

import dataclasses
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from superbizagent.agents.scripted import Script, ScriptedExecutor
from superbizagent.bootstrap import Asked, make_parts, new_session_id, read_asked
from superbizagent.cli.result_json import diagnosis_json
from superbizagent.contract.evidence import ToolOutput
from superbizagent.diagnosis.run import diagnose
from superbizagent.ports import RecordStore, Tool
from superbizagent.settings import Settings
from superbizagent.sources.incident_folder import open_incident
from superbizagent.store.memory import MemoryStore
from tests.acceptance.test_matrix import INCIDENT, MATRIX, question_of, script_of


class WithoutRefs:
    """A tool as it was before refs were recorded: its output names no collection."""

    def __init__(self, tool: Tool) -> None:
        self._tool = tool

    @property
    def name(self) -> str:
        return self._tool.name

    async def ask(self, arguments: Mapping[str, Any]) -> ToolOutput:
        output = await self._tool.ask(arguments)
        return output.model_copy(update={"collection": None, "body": {"logs": output.items}})


async def ask(case: dict[str, Any]) -> dict[str, Any]:
    """One case, from its question to the result that would be printed."""
    store = MemoryStore()
    ids: dict[str, int] = {}
    if "before" in case:
        before = {"calls": [case["before"]], "output": {"claims": []}}
        result = await _ask(store, script_of(before, {}), "an earlier question", frozenset())
        ids["before"] = result["invocations"][0]["id"]
    tools = frozenset(MATRIX["tools"][key]["tool_name"] for key in case.get("forget_refs", []))
    return await _ask(store, script_of(case, ids), question_of(case), tools)


async def _ask(store: RecordStore, script: dict[str, Any], text: str, without_refs: frozenset[str]) -> dict[str, Any]:
    settings = Settings(zone="UTC")
    incident = await open_incident(INCIDENT, now=datetime(2026, 12, 1, tzinfo=UTC))
    question = read_asked(Asked(question=text), settings, incident.at)
    parts = await make_parts(incident, question.at, store, settings)
    tools = {name: WithoutRefs(tool) if name in without_refs else tool for name, tool in parts.tools.items()}
    executor = ScriptedExecutor(Script.model_validate(script))
    diagnosis = await diagnose(question, new_session_id(), dataclasses.replace(parts, tools=tools, executor=executor))
    return diagnosis_json(diagnosis, elapsed_ms=0)
