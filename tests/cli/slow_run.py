"""A diagnosis whose log search never ends, in a process of its own: says its session's id once the search is asked."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer

from superbizagent.bootstrap import (
    Asked,
    SystemClock,
    make_parts,
    new_session_id,
    open_sources,
    opened_store,
    read_asked,
)
from superbizagent.cli.exits import guarded
from superbizagent.cli.interrupts import watch
from superbizagent.contract.evidence import ToolOutput
from superbizagent.contract.tools import QUERY_LOGS
from superbizagent.diagnosis.run import diagnose
from superbizagent.settings import load_settings


class EndlessSearch:
    """A tool that is asked and never answers."""

    name = QUERY_LOGS

    def __init__(self, session_id: str) -> None:
        self._session_id = session_id

    async def ask(self, arguments: Mapping[str, Any]) -> ToolOutput:
        sys.stdout.write(self._session_id + "\n")
        sys.stdout.flush()
        await asyncio.sleep(3600)
        raise AssertionError("nobody waits so long")


async def run(folder: Path) -> None:
    settings = load_settings()
    asked = Asked(question="Is the connection pool exhausted?", paths=(str(folder),))
    incident = await open_sources(asked, settings, sys.stdin.buffer)
    question = read_asked(asked, settings, SystemClock().now())
    async with opened_store(settings) as store:
        parts = await make_parts(incident, question.at, store, settings)
        session_id = new_session_id()
        tools = {**parts.tools, QUERY_LOGS: EndlessSearch(session_id)}
        changed = {field: getattr(parts, field) for field in parts.__dataclass_fields__} | {"tools": tools}
        await diagnose(question, session_id, type(parts)(**changed))


@guarded
def command(folder: Path) -> int:
    asyncio.run(run(folder))
    return 0


if __name__ == "__main__":
    watch()
    typer.run(command)
