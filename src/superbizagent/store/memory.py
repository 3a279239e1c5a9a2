"""The store in memory: the same promises as the SQL store, for tests, evaluation and library use."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

from superbizagent.contract.errors import StoreFailed
from superbizagent.contract.records import DiagnosisSession, ToolInvocation
from superbizagent.store.seal import NO_PREVIOUS, ChainCheck, ChainReport, Head, Tombstone, bury, seal_of


class MemoryStore:
    """Implements `ports.RecordStore`; nothing outlives the object."""

    def __init__(self) -> None:
        self._sessions: dict[str, DiagnosisSession] = {}
        self._invocations: dict[int, ToolInvocation] = {}
        self._tombstones: list[Tombstone] = []
        self._last_id = 0
        self._head = Head(0, NO_PREVIOUS)

    async def open_session(self, session: DiagnosisSession) -> None:
        """Insert a session."""
        if session.id in self._sessions:
            raise StoreFailed(f"there is a session {session.id} already", "Give it another id.")
        self._sessions[session.id] = session

    async def renew_lease(self, session_id: str, at: datetime) -> None:
        """Nothing to renew: who can see this store runs its sessions."""

    async def unfinished_sessions(self) -> list[str]:
        """The ids of all sessions that are not finished and sealed, oldest first."""
        open_ones = [session for session in self._sessions.values() if session.seal_no is None]
        return [session.id for session in sorted(open_ones, key=lambda session: session.created_at)]

    async def abandoned_sessions(self, at: datetime) -> list[tuple[DiagnosisSession, str]]:
        """None: the store ends with its process, and its sessions with it."""
        return []

    async def update_session(self, session: DiagnosisSession) -> None:
        """Replace a session."""
        self._refuse_sealed(session.id)
        self._sessions[session.id] = session

    async def get_session(self, session_id: str, owner: str = "local") -> DiagnosisSession | None:
        """The owner's session with this id."""
        session = self._sessions.get(session_id)
        return session if session is not None and session.owner == owner else None

    async def list_sessions(
        self, owner: str = "local", limit: int = 50, conversation_id: str | None = None
    ) -> list[DiagnosisSession]:
        """The owner's sessions, newest first."""
        wanted = [
            session
            for session in self._sessions.values()
            if session.owner == owner and conversation_id in (None, session.conversation_id)
        ]
        wanted.sort(key=lambda session: session.id)
        return sorted(wanted, key=lambda session: session.created_at, reverse=True)[:limit]

    async def record_invocation(self, invocation: ToolInvocation) -> ToolInvocation:
        """Keep a call; one with the same session and call key is returned instead."""
        existing = await self.find_invocation(invocation.session_id, invocation.call_key)
        if existing is not None:
            return existing
        self._refuse_sealed(invocation.session_id)
        ordinal = len(await self.session_invocations(invocation.session_id)) + 1
        self._last_id += 1
        recorded = invocation.model_copy(update={"id": self._last_id, "ordinal": ordinal})
        self._invocations[recorded.id] = recorded
        return recorded

    async def find_invocation(self, session_id: str, call_key: str) -> ToolInvocation | None:
        """The session's call with this key."""
        return next((row for row in await self.session_invocations(session_id) if row.call_key == call_key), None)

    async def session_invocations(self, session_id: str) -> list[ToolInvocation]:
        """The session's calls in order."""
        return [row for row in self._invocations.values() if row.session_id == session_id]

    async def load_invocations(self, ids: Sequence[int], owner: str = "local") -> list[ToolInvocation]:
        """The calls with these ids over all sessions of the owner."""
        found = (self._invocations[number] for number in sorted(set(ids)) if number in self._invocations)
        return [row for row in found if self._sessions[row.session_id].owner == owner]

    async def seal_session(self, session: DiagnosisSession) -> DiagnosisSession:
        """Keep the finished session and seal it."""
        await self.update_session(session)
        number, previous = self._head.seal_no + 1, self._head.seal
        seal = seal_of(session, await self.session_invocations(session.id), number, previous)
        sealed = session.model_copy(update={"seal_no": number, "previous_seal": previous, "seal": seal})
        self._sessions[session.id] = sealed
        self._head = Head(number, seal)
        return sealed

    async def delete_session(self, session_id: str, reason: str, at: datetime, owner: str = "local") -> Tombstone:
        """Delete a sealed session and leave a tombstone."""
        session = await self.get_session(session_id, owner)
        stone = None if session is None else bury(session, at.isoformat(), reason, self._head)
        if stone is None:
            raise StoreFailed(f"there is no finished session {session_id}", "See `sba sessions`.")
        self._tombstones.append(stone)
        self._head = Head(stone.deletion_no, stone.deletion_seal)
        del self._sessions[session_id]
        self._invocations = {number: row for number, row in self._invocations.items() if row.session_id != session_id}
        return stone

    async def head(self) -> Head:
        """The newest seal."""
        return self._head

    async def tombstones(self) -> list[Tombstone]:
        """All tombstones, by seal number."""
        return sorted(self._tombstones, key=lambda stone: stone.seal_no)

    async def sealed_sessions(self) -> AsyncIterator[DiagnosisSession]:
        """All sealed sessions, by seal number."""
        for session in sorted(self._sessions.values(), key=lambda session: session.seal_no or 0):
            if session.seal_no is not None:
                yield session

    async def verify_chain(self, kept: Head | None = None) -> ChainReport:
        """Check every seal and tombstone; `kept` is a head that was kept elsewhere."""
        check = ChainCheck()
        async for session in self.sealed_sessions():
            check.add_session(session, await self.session_invocations(session.id))
        for stone in self._tombstones:
            check.add_tombstone(stone)
        return check.report(self._head, kept)

    async def close(self) -> None:
        """Nothing to give back."""

    def _refuse_sealed(self, session_id: str) -> None:
        session = self._sessions.get(session_id)
        if session is None:
            raise StoreFailed(f"there is no session {session_id}", "See `sba sessions`.")
        if session.seal_no is not None:
            raise StoreFailed(f"session {session_id} is sealed and cannot be changed", "Ask again for a new session.")
