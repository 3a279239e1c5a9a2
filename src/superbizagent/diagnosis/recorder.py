"""The recorder: runs a tool, masks, extracts the refs, persists, and only then shows.

Record and prompt come from one object: what the Executor is handed is the persisted row. A call that runs twice (the
same call key) finds its row and asks nobody again. A tool that raises is recorded too, as `unavailable`. Decides
nothing about evidence; refuses to hand out anything that was not stored. Protocol: section 3.
"""

from collections.abc import Mapping
from typing import Any

from superbizagent.contract.errors import BudgetExceeded, SbaError, UsageError
from superbizagent.contract.evidence import RetrievalDetails, ToolOutput
from superbizagent.contract.json_text import read_json, write_json
from superbizagent.contract.records import ToolInvocation
from superbizagent.contract.tools import TOOL_TABLE
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.ports import Budget, Clock, Event, EventSink, RecordStore, Tool
from superbizagent.rules.masking import Masker
from superbizagent.rules.refs import EXTRACTOR_VERSION, extract_refs

LARGEST_OUTPUT = 2 * 1024 * 1024


class ToolInvocationRecorder:
    """Implements `ports.ToolCalls` for one session."""

    def __init__(
        self,
        *,
        session_id: str,
        store: RecordStore,
        tools: Mapping[str, Tool],
        clock: Clock,
        masker: Masker,
        budget: Budget,
        emit: EventSink,
    ) -> None:
        self._session_id = session_id
        self._store = store
        self._tools = tools
        self._clock = clock
        self._masker = masker
        self._budget = budget
        self._emit = emit

    async def call(self, call_key: str, tool_name: str, arguments: Mapping[str, Any]) -> ToolInvocation:
        """The recorded call: found when it was made before, else made, persisted and returned.

        Raises:
            BudgetExceeded: the question's calls or time are used up.
            StoreFailed: the call could not be persisted; then nobody sees what the tool said.
        """
        known = await self._store.find_invocation(self._session_id, call_key)
        if known is not None:
            return known
        self._budget.spend_call()
        await self._emit(Event("calling", {"tool_name": tool_name}))
        started_at = self._clock.now()
        output = await self._ask(tool_name, arguments)
        if output.collection is not None and output.evidence_status is EvidenceStatus.OK and not output.items:
            output = output.model_copy(update={"evidence_status": EvidenceStatus.NO_EVIDENCE})
        shown = within_limit(self._masker.mask_json(_storable(output.as_json())), output.collection)
        refs = extract_refs(output.collection, shown)
        spec = TOOL_TABLE.get(tool_name)
        recorded = await self._store.record_invocation(
            ToolInvocation(
                id=0,
                session_id=self._session_id,
                tool_name=tool_name,
                evidence_status=EvidenceStatus(shown["evidence_status"]),
                retrieval_details=RetrievalDetails(
                    evidence_refs=refs,
                    collection=output.collection,
                    kind=spec.kind if spec is not None else None,
                    searched={"sources": shown["searched"]},
                    extractor_version=EXTRACTOR_VERSION,
                ),
                call_key=call_key,
                ordinal=0,
                arguments=self._masker.mask_json(_storable(dict(arguments))),
                error=shown.get("error"),
                output=write_json(shown),
                output_summary=summary(shown, output.collection),
                started_at=started_at,
                finished_at=self._clock.now(),
            )
        )
        await self._emit(Event("recorded", {"tool_name": tool_name, "summary": recorded.output_summary}))
        return recorded

    async def _ask(self, tool_name: str, arguments: Mapping[str, Any]) -> ToolOutput:
        """What the tool says; whatever it raises becomes `unavailable` with a reason and no traceback."""
        spec = TOOL_TABLE.get(tool_name)
        collection = spec.collection if spec is not None else None
        tool = self._tools.get(tool_name)
        try:
            if tool is None:
                raise UsageError(f"there is no tool {tool_name}")
            return await tool.ask(arguments)
        except BudgetExceeded:
            raise
        except SbaError as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001 - a tool's fault is an answer: the source could not be asked
            reason = f"{type(error).__name__}: {error}"
        return ToolOutput(collection=collection, evidence_status=EvidenceStatus.UNAVAILABLE, error=reason)


def summary(shown: Mapping[str, Any], collection: str | None) -> str:
    """One line for navigation, never evidence: `3 of 214 records of logs`."""
    status = shown["evidence_status"]
    if status == EvidenceStatus.UNAVAILABLE.value:
        return f"unavailable: {shown.get('error')}"
    if collection is None:
        return str(status)
    counts = [source.get("records_matched") for source in shown["searched"]]
    known = [count for count in counts if isinstance(count, int)]
    total = f" of {sum(known)} matching" if known else ""
    cut = ", cut" if any(source.get("truncated") for source in shown["searched"]) else ""
    return f"{len(shown[collection])}{total} {collection}{cut}"


def within_limit(shown: dict[str, Any], collection: str | None) -> dict[str, Any]:
    """The output, without its last items when it would be larger than `LARGEST_OUTPUT`; a cut is said."""
    if collection is None or len(write_json(shown)) <= LARGEST_OUTPUT:
        return shown
    room, kept = LARGEST_OUTPUT - len(write_json({**shown, collection: []})) - 256, []
    for item in shown[collection]:
        room -= len(write_json(item)) + 2
        if room < 0:
            break
        kept.append(item)
    searched = [
        {**source, "truncated": True, "notes": [*source.get("notes", []), "the output was cut at its size limit"]}
        for source in shown["searched"]
    ]
    status = EvidenceStatus.OK if kept else EvidenceStatus.UNAVAILABLE
    cut = {**shown, collection: kept, "searched": searched, "evidence_status": status.value}
    if not kept:
        cut["error"] = "the first record alone is larger than what may be stored"
    return cut


def _storable(value: Any) -> Any:
    """The value as JSON will give it back: what is compared later is what was stored."""
    return read_json(write_json(value))
