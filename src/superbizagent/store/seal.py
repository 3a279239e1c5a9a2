"""Seals: what makes a finished session's rows tell of any later change.

A seal is SHA-256 over the canonical JSON (RFC 8785) of a session's row, its invocations, its number and the previous
seal. RFC 8785 knows numbers as doubles only, so no number is hashed as one: ids, arguments, plans and evaluations enter
as the JSON *text* they are stored as, raw output as the SHA-256 of its bytes. Which fields are hashed is listed here
for each version of the seal: a field that a later version of the product adds leaves older seals as they are. A
deletion takes a number and a seal of its own, so that neither a tombstone nor its reason can be made up afterwards.

Decides whether a chain holds and where it breaks. Refuses to read or write anything. Whoever can rewrite the whole
database can also seal it anew: only a head that was kept elsewhere shows that. Protocol: section 9.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import rfc8785

from superbizagent.contract.evidence import RetrievalDetails
from superbizagent.contract.json_text import write_json
from superbizagent.contract.records import DiagnosisSession, ToolInvocation

SEAL_VERSION = "seal.1"
NO_PREVIOUS = "0" * 64

# The fields that `seal.1` hashes. A new field needs a new version of the seal, and this one stays.
SEALED_SESSION_FIELDS = (
    *("id", "owner", "conversation_id", "question", "lang", "engine", "demo", "status", "plan", "executor_output"),
    *("answer", "verdict", "severity", "self_evaluation", "workflow_id", "created_at", "finished_at"),
)
SEALED_INVOCATION_FIELDS = (
    *("id", "session_id", "call_key", "ordinal", "tool_name", "arguments", "evidence_status", "error", "output"),
    *("output_summary", "retrieval_details", "started_at", "finished_at"),
)
SEALED_DETAILS_FIELDS = ("evidence_refs", "collection", "kind", "searched", "extractor_version", "masking_version")


def seal_of(session: DiagnosisSession, invocations: Sequence[ToolInvocation], seal_no: int, previous_seal: str) -> str:
    """The seal of a finished session as 64 hexadecimal digits."""
    return _digest(
        {
            "version": SEAL_VERSION,
            "seal_no": str(seal_no),
            "previous_seal": previous_seal,
            "session": _hashed(session.model_dump(mode="json"), SEALED_SESSION_FIELDS),
            "invocations": [_invocation(row) for row in sorted(invocations, key=lambda row: (row.ordinal, row.id))],
        }
    )


def seal_holds(session: DiagnosisSession, invocations: Sequence[ToolInvocation]) -> bool:
    """Whether a sealed session and its calls are what was sealed; false for one that is not sealed."""
    if session.seal_no is None or session.previous_seal is None:
        return False
    return seal_of(session, invocations, session.seal_no, session.previous_seal) == session.seal


def output_bytes(output: str) -> bytes:
    """An output text as the bytes that are stored and hashed; a lone surrogate as UTF-8 would write it."""
    return output.encode("utf-8", "surrogatepass")


def _invocation(row: ToolInvocation) -> Mapping[str, Any]:
    value = _hashed(row.model_dump(mode="json", exclude={"output", "retrieval_details"}), SEALED_INVOCATION_FIELDS)
    details = row.retrieval_details
    return {
        **value,
        "output": hashlib.sha256(output_bytes(row.output)).hexdigest(),
        "retrieval_details": None if details is None else _plain(_details(details)),
    }


def _details(details: RetrievalDetails) -> dict[str, Any]:
    """The sealed fields and whatever a tool from outside added; not the fields that came later."""
    later = RetrievalDetails.model_fields.keys() - set(SEALED_DETAILS_FIELDS)
    return {key: value for key, value in details.model_dump(mode="json").items() if key not in later}


def _hashed(dumped: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    return {key: _plain(dumped[key]) for key in fields if key in dumped}


def _plain(value: Any) -> Any:
    """Text, truth and null as they are; everything else, and text that UTF-8 cannot hold, inside its JSON text."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str) and not any("\ud800" <= char <= "\udfff" for char in value):
        return value
    return {"json": write_json(value)}


def _digest(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(rfc8785.dumps(dict(value))).hexdigest()


# --- the chain --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of a deleted session: its place in the chain, why it is gone, and the seal of the deletion.

    `seal_no`, `seal` and `previous_seal` are those of the deleted session; `deletion_no`, `deletion_seal` and
    `deletion_previous` are the deletion's own place at the end of the chain as it then was. `deleted_at` is RFC 3339.
    """

    seal_no: int
    seal: str
    previous_seal: str
    session_id: str
    deleted_at: str
    reason: str
    deletion_no: int
    deletion_previous: str
    deletion_seal: str


def bury(session: DiagnosisSession, deleted_at: str, reason: str, head: "Head") -> Tombstone | None:
    """The tombstone of a sealed session, next after `head`; None when the session is not sealed."""
    if session.seal_no is None or session.seal is None or session.previous_seal is None:
        return None
    number = head.seal_no + 1
    said = (session.seal_no, session.seal, session.previous_seal, session.id, deleted_at, reason)
    return Tombstone(*said, number, head.seal, _deletion_seal(*said, number, head.seal))


def _deletion_seal(*said: int | str) -> str:
    names = ("seal_no", "seal", "previous_seal", "session_id", "deleted_at", "reason", "deletion_no", "previous")
    return _digest({"version": SEAL_VERSION, **{n: _plain(str(v)) for n, v in zip(names, said, strict=True)}})


@dataclass(frozen=True, slots=True)
class Head:
    """The newest seal: kept elsewhere, it shows a database that was rewritten as a whole."""

    seal_no: int
    seal: str


@dataclass(frozen=True, slots=True)
class ChainFault:
    """One place where the chain does not hold, in one sentence."""

    seal_no: int
    session_id: str
    message: str


@dataclass(frozen=True, slots=True)
class ChainReport:
    """What a store's chain consists of, and every fault in it; no faults means that it holds."""

    sessions: int
    tombstones: int
    head: Head
    faults: tuple[ChainFault, ...]


class ChainCheck:
    """A chain while it is read, session by session, so that a large store needs no large memory."""

    def __init__(self) -> None:
        self._links: dict[int, tuple[str, str, str]] = {}
        self._faults: list[ChainFault] = []
        self._sessions = 0
        self._tombstones = 0

    def add_session(self, session: DiagnosisSession, invocations: Sequence[ToolInvocation]) -> None:
        """Take in one sealed session with its calls."""
        self._sessions += 1
        number = session.seal_no or 0
        if not seal_holds(session, invocations):
            self._fault(number, session.id, "the session or one of its tool invocations was changed")
        self._link(number, session.seal or "", session.previous_seal or "", session.id)

    def add_unreadable(self, number: int, seal: str, previous: str, session_id: str) -> None:
        """Take in a sealed session whose row or calls are no longer what was written."""
        self._sessions += 1
        self._fault(number, session_id, "the session or one of its tool invocations cannot be read any more")
        self._link(number, seal, previous, session_id)

    def add_tombstone(self, stone: Tombstone) -> None:
        """Take in what is left of a deleted session."""
        self._tombstones += 1
        said = (stone.seal_no, stone.seal, stone.previous_seal, stone.session_id, stone.deleted_at, stone.reason)
        if _deletion_seal(*said, stone.deletion_no, stone.deletion_previous) != stone.deletion_seal:
            self._fault(stone.seal_no, stone.session_id, "the tombstone was changed or made up")
        self._link(stone.seal_no, stone.seal, stone.previous_seal, stone.session_id)
        self._link(stone.deletion_no, stone.deletion_seal, stone.deletion_previous, stone.session_id)

    def report(self, head: Head, kept: Head | None = None) -> ChainReport:
        """Every fault; `head` is what the store says is its newest seal, `kept` a head that was kept elsewhere."""
        expected = NO_PREVIOUS
        for number in range(1, max(head.seal_no, *self._links, 0) + 1):
            link = self._links.get(number)
            if link is None:
                self._fault(number, "", "a sealed session was removed without a tombstone")
                expected = ""
                continue
            seal, previous, session_id = link
            if number > head.seal_no:
                self._fault(number, session_id, "the seal number was never handed out: a session was inserted")
            if expected and previous != expected:
                self._fault(number, session_id, "the seal before it is another one: rows were changed or re-ordered")
            expected = seal
        self._check_head(head, "the store's head is not the newest seal")
        if kept is not None:
            self._check_head(kept, "the head that was kept is not in this chain: the store was rewritten")
        faults = sorted(self._faults, key=lambda fault: fault.seal_no)
        return ChainReport(self._sessions, self._tombstones, head, tuple(faults))

    def _check_head(self, head: Head, message: str) -> None:
        seal, _, session_id = self._links.get(head.seal_no, (NO_PREVIOUS, "", ""))
        if (head.seal_no == 0 or head.seal_no in self._links) and seal != head.seal:
            self._fault(head.seal_no, session_id, message)
        elif head.seal_no and head.seal_no > max(self._links, default=0):
            self._fault(head.seal_no, "", message)

    def _link(self, number: int, seal: str, previous: str, session_id: str) -> None:
        if number in self._links:
            self._fault(number, session_id, "the seal number stands twice: a session was inserted or not deleted")
        self._links[number] = (seal, previous, session_id)

    def _fault(self, number: int, session_id: str, message: str) -> None:
        self._faults.append(ChainFault(number, session_id, message))


def check_chain(
    sealed: Sequence[tuple[DiagnosisSession, Sequence[ToolInvocation]]],
    tombstones: Sequence[Tombstone],
    head: Head,
    kept: Head | None = None,
) -> ChainReport:
    """Check a chain that is in memory: all sealed sessions with their calls, all tombstones, the store's head."""
    check = ChainCheck()
    for session, invocations in sealed:
        check.add_session(session, invocations)
    for stone in tombstones:
        check.add_tombstone(stone)
    return check.report(head, kept)
