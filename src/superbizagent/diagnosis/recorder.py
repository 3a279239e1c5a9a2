"""The recorder: runs a tool, masks, extracts the refs, persists, and only then shows.

    known?      a row with this call key is handed out again, and nobody is asked
    ask         whatever the tool raises, or returns that is no JSON, becomes `unavailable` with a reason
    mask        output, arguments, error and `searched`, once, so that record and prompt hold the same text
    limit       items are dropped from the end of an output that is too large, and the cut is said
    extract     the refs of exactly what will be stored
    persist     before anybody sees it; what is handed out is the persisted row

Decides nothing about evidence. Refuses to hand out anything that was not stored; a call that is cancelled while its
tool works leaves nothing. Protocol: section 3.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple

from superbizagent.contract.errors import BudgetExceeded, SbaError, UsageError
from superbizagent.contract.evidence import RetrievalDetails, ToolOutput
from superbizagent.contract.json_text import read_json, write_json
from superbizagent.contract.records import ToolInvocation
from superbizagent.contract.tools import TOOL_TABLE
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.ports import Budget, Clock, Event, EventSink, RecordStore, Tool
from superbizagent.rules.masking import MASKING_VERSION, Masker
from superbizagent.rules.refs import EXTRACTOR_VERSION, extract_refs, one_line

LARGEST_OUTPUT = 2 * 1024 * 1024
"""Bytes of an output's JSON text (section 3); a setting."""

_LARGEST_ARGUMENTS = 64 * 1024
_LONGEST_NAME = 255
_LONGEST_REASON = 2000
_CUT_BY_SIZE = "cut at the size limit of an output: items were dropped from the end"


class _Asked(NamedTuple):
    """What a tool said, as the JSON object that will be masked and stored, and where its items stand in it."""

    collection: str | None
    said: dict[str, Any]


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
        largest_output: int = LARGEST_OUTPUT,
    ) -> None:
        self._session_id = session_id
        self._store = store
        self._tools = tools
        self._clock = clock
        self._masker = masker
        self._budget = budget
        self._emit = emit
        self._largest_output = largest_output
        self._running: dict[str, asyncio.Lock] = {}

    async def call(self, call_key: str, tool_name: str, arguments: Mapping[str, Any]) -> ToolInvocation:
        """The recorded call: found when it was made before, else made, persisted and returned.

        Raises:
            BudgetExceeded: the question's calls or time are used up.
            StoreFailed: the call could not be persisted; then nobody sees what the tool said.
        """
        key, name = _name(call_key), _name(tool_name)
        async with self._running.setdefault(key, asyncio.Lock()):
            known = await self._store.find_invocation(self._session_id, key)
            if known is not None:
                self._masker.take_note_of(known.output)
                return known
            self._budget.spend_call()
            await self._emit(Event("calling", {"tool_name": name}))
            recorded = await self._record(key, name, arguments)
            await self._emit(Event("recorded", {"tool_name": name, "summary": recorded.output_summary}))
            return recorded

    async def _record(self, key: str, name: str, arguments: Mapping[str, Any]) -> ToolInvocation:
        started_at = self._clock.now()
        given, refused = _readable_arguments(arguments)
        collection, said = await self._ask(name, given) if refused is None else _unavailable(name, refused)
        shown = within_limit(self._masked(said), collection, self._largest_output)
        error = shown.get("error")
        spec = TOOL_TABLE.get(name)
        return await self._store.record_invocation(
            ToolInvocation(
                id=0,
                session_id=self._session_id,
                tool_name=name,
                evidence_status=EvidenceStatus(shown["evidence_status"]),
                retrieval_details=RetrievalDetails(
                    evidence_refs=extract_refs(collection, shown),
                    collection=collection,
                    kind=spec.kind if spec is not None else None,
                    searched={"sources": shown["searched"]},
                    extractor_version=EXTRACTOR_VERSION,
                    masking_version=MASKING_VERSION,
                ),
                call_key=key,
                ordinal=0,
                arguments=self._masker.mask_json(given),
                error=error if error is None or isinstance(error, str) else write_json(error),
                output=write_json(shown),
                output_summary=summary(shown, collection),
                started_at=started_at,
                finished_at=self._clock.now(),
            )
        )

    async def _ask(self, name: str, arguments: Mapping[str, Any]) -> _Asked:
        """What the tool says; whatever it raises becomes `unavailable` with a reason and no traceback."""
        try:
            tool = self._tools.get(name)
            if tool is None:
                raise UsageError(f"there is no tool {name}")
            output = await tool.ask(arguments)
            return _Asked(output.collection, _consistent(output))
        except BudgetExceeded:
            raise
        except SbaError as error:
            reason = str(error)
        except Exception as error:  # noqa: BLE001 - a tool's fault is an answer: the source could not be asked
            # A tool's exception is anybody's text: one line of it, shortened, and never a traceback.
            said = one_line(self._masker.mask(str(error)[:_LARGEST_ARGUMENTS]))[:_LONGEST_REASON]
            reason = f"{type(error).__name__}: {said}".removesuffix(": ")
        return _unavailable(name, reason)

    def _masked(self, said: Mapping[str, Any]) -> dict[str, Any]:
        """The output with every secret replaced. The terms of a search are words: `password` there names no field."""
        terms = [source.pop("terms", {}) for source in said["searched"]]
        masked: dict[str, Any] = self._masker.mask_json(dict(said))
        for source, words in zip(masked["searched"], terms, strict=True):
            source["terms"] = {
                self._masker.mask(word): [self._masker.mask(wider) for wider in wide] for word, wide in words.items()
            }
        return masked


def _consistent(output: ToolOutput) -> dict[str, Any]:
    """The output as JSON gives it back: what is compared later is what was stored. No items are no `ok`.

    Raises:
        TypeError, ValueError, RecursionError: it holds what JSON cannot.
    """
    said: dict[str, Any] = read_json(write_json(output.as_json()))
    if output.collection is not None and output.evidence_status is EvidenceStatus.OK and not output.items:
        said["evidence_status"] = EvidenceStatus.NO_EVIDENCE.value
    return said


def _unavailable(name: str, reason: str) -> _Asked:
    spec = TOOL_TABLE.get(name)
    collection = spec.collection if spec is not None else None
    output = ToolOutput(collection=collection, evidence_status=EvidenceStatus.UNAVAILABLE, error=reason)
    return _Asked(collection, _consistent(output))


def _readable_arguments(arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """The arguments as JSON gives them back; else none, and why the tool is not asked."""
    try:
        text = write_json(dict(arguments))
        given: dict[str, Any] = read_json(text)
    except (TypeError, ValueError, RecursionError):
        return {}, "the arguments are no JSON object"
    if len(text) > _LARGEST_ARGUMENTS:
        return {}, f"the arguments are larger than {_LARGEST_ARGUMENTS // 1024} KiB"
    return given, None


def _name(text: str) -> str:
    """A key or name as a column holds it: one line of at most 255 characters, different for different texts."""
    shown = one_line(text)
    if len(shown) <= _LONGEST_NAME:
        return shown
    return f"{shown[:200]}…{hashlib.sha256(shown.encode()).hexdigest()[:32]}"


# --- size and summary -------------------------------------------------------------------------------------------


def within_limit(shown: dict[str, Any], collection: str | None, largest: int = LARGEST_OUTPUT) -> dict[str, Any]:
    """The output, cut where its JSON text would have more than `largest` bytes; a cut is said in `searched`.

    Items go from the end, since the most wanted stand first. Where nothing fits the output is `unavailable`.
    """
    if _size(shown) <= largest:
        return shown
    said = {**shown, "searched": [_cut_source(source) for source in shown["searched"]]}
    if collection is None:
        return _cut_body(said, largest)
    room, kept = largest - _size({**said, collection: []}) - 64, []
    for item in said[collection]:
        room -= _size(item) + 2
        if room < 0:
            break
        kept.append(item)
    if not kept:
        return _too_large({**said, collection: []}, "the first item alone is larger than an output may be")
    if len(said["searched"]) == 1:
        said["searched"][0]["returned"] = len(kept)
    return {**said, collection: kept}


def _cut_source(source: Mapping[str, Any]) -> dict[str, Any]:
    return {**source, "truncated": True, "notes": [*source.get("notes", []), _CUT_BY_SIZE]}


def _cut_body(said: dict[str, Any], largest: int) -> dict[str, Any]:
    """An output without a collection: its longest text is cut at its end."""
    texts = {key: value for key, value in said.items() if isinstance(value, str) and key != "evidence_status"}
    longest = max(texts, key=lambda key: len(texts[key]), default=None)
    if longest is not None:
        # An escaped character takes up to six bytes: a cut by that measure always fits.
        room = (largest - _size({**said, longest: ""}) - 64) // 6
        if room > 0:
            return {**said, longest: texts[longest][:room], "truncated": True}
    kept = {key: said[key] for key in ("evidence_status", "searched")}
    return _too_large(kept, "the output is larger than an output may be")


def _too_large(said: dict[str, Any], reason: str) -> dict[str, Any]:
    return {**said, "evidence_status": EvidenceStatus.UNAVAILABLE.value, "error": reason}


def _size(value: Any) -> int:
    return len(write_json(value).encode())


def summary(shown: Mapping[str, Any], collection: str | None) -> str:
    """One line for navigation, never evidence: `3 of 214 logs, newest 2026-11-30T23:10:49Z, cut`."""
    status = shown["evidence_status"]
    if status == EvidenceStatus.UNAVAILABLE.value:
        return one_line(f"unavailable: {shown.get('error')}"[:_LONGEST_REASON])
    if collection is None:
        return str(status)
    matched = [source.get("records_matched") for source in shown["searched"]]
    known = [count for count in matched if isinstance(count, int)]
    parts = [f"{len(shown[collection])}{f' of {sum(known)}' if known else ''} {collection}"]
    newest = max((when for when in map(_moment, shown[collection]) if when is not None), default=None)
    if newest is not None:
        parts.append(f"newest {newest.strftime('%Y-%m-%dT%H:%M:%SZ')}")
    if any(source.get("truncated") for source in shown["searched"]):
        parts.append("cut")
    return ", ".join(parts)


def _moment(item: Any) -> datetime | None:
    """When an item says that it happened, in UTC, if it says so with a zone; Go's zero time is none."""
    said = (item.get("time") or item.get("active_at")) if isinstance(item, dict) else None
    if not isinstance(said, str):
        return None
    try:
        when = datetime.fromisoformat(said)
        return when.astimezone(UTC) if when.tzinfo is not None and when.year > 1 else None
    except (ValueError, OverflowError):
        return None
