"""`sba sessions` and `sba show`: what was asked before, and the proof behind one answer."""

import asyncio
from typing import Annotated, Any

import typer

from superbizagent.cli.exits import guarded

_SHOWN_ID = 10


@guarded
def sessions(
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many, newest first.")] = 20,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> int:
    """List what was asked, newest first."""
    from superbizagent.cli.output import print_json, print_table

    rows = asyncio.run(_sessions(limit))
    if json:
        print_json(rows)
        return 0
    cells = [
        (
            row["session_id"][:_SHOWN_ID],
            row["asked_at"][:16].replace("T", " "),
            row["verdict"] or row["status"],
            ("demo: " if row["demo"] else "") + row["question"],
        )
        for row in rows
    ]
    print_table("" if cells else "Nothing was asked yet.", ("session", "asked at (UTC)", "verdict", "question"), cells)
    return 0


@guarded
def show(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="A session id, or its first characters.")],
    json: Annotated[bool, typer.Option("--json", help="Print everything as one JSON object.")] = False,
) -> int:
    """Show one session: each claim, its proof in the record it was cut from, and the rules that failed."""
    from superbizagent.cli.output import print_json
    from superbizagent.cli.show import print_session, session_json

    stored, invocations = asyncio.run(_session(session))
    if json:
        print_json(session_json(stored, invocations))
    else:
        print_session(stored, invocations)
    return 0


async def _sessions(limit: int) -> list[dict[str, Any]]:
    from superbizagent.bootstrap import opened_store

    async with opened_store() as store:
        return [
            {
                "session_id": session.id,
                "asked_at": session.created_at.isoformat(timespec="seconds"),
                "status": session.status.value,
                "verdict": session.verdict.value if session.verdict is not None else None,
                "demo": session.demo,
                "engine": session.engine,
                "question": session.question,
            }
            for session in await store.list_sessions(limit=limit)
        ]


async def _session(named: str) -> tuple[Any, Any]:
    from superbizagent.bootstrap import find_session, opened_store

    async with opened_store() as store:
        stored = await find_session(store, named)
        return stored, await store.session_invocations(stored.id)
