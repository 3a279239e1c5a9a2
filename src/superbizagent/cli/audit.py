"""`sba audit`: checks of what was stored, from the stored rows alone."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from superbizagent.cli.exits import ALL_PASS, NOT_ALL_PASS, guarded, say

app = typer.Typer(
    no_args_is_help=True, help="Check what was stored: recheck, verify, head, export.", rich_markup_mode=None
)

_LARGEST_EXPORT = 256 * 1024 * 1024
SessionArgument = Annotated[str, typer.Argument(metavar="SESSION", help="A session id, or its first characters.")]


@app.command("recheck")
@guarded
def recheck_command(
    session: Annotated[
        str | None, typer.Argument(metavar="SESSION", help="A session id, or its first characters.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Re-check every stored session.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print a JSON array.")] = False,
) -> int:
    """Extract the refs and judge again from stored rows: same, differs by version, or differs, and what.

    Exit code: 0 everything is the same, 1 something differs.
    """
    from superbizagent.cli.output import print_json, print_text
    from superbizagent.diagnosis.audit import Recheck

    reports, unfinished = asyncio.run(_recheck(session, everything=everything))
    if json:
        print_json(
            [
                {"session_id": report.session_id, "outcome": report.outcome.value, "differences": report.differences}
                for report in reports
            ]
        )
    else:
        for report in reports:
            print_text("\n  ".join((f"{report.session_id}: {report.outcome.value}", *report.differences)))
        if not reports and not unfinished:
            print_text("Nothing was asked yet.")
    if unfinished:
        say(f"{unfinished_words(unfinished)}: not re-checked")
    return ALL_PASS if all(report.outcome is Recheck.SAME for report in reports) else NOT_ALL_PASS


@app.command("verify")
@guarded
def verify_command(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="An exported session; default: the store.")
    ] = None,
) -> int:
    """Verify the chain of seals of the store, or one exported session: hashes, refs, Gatekeeper and judge.

    Exit code: 0 everything holds, 1 something was changed, removed, inserted or re-ordered.
    """
    from superbizagent.cli.output import print_text

    faults, summary = _verify_file(Path(file)) if file is not None else asyncio.run(_verify_store())
    for fault in faults:
        print_text(fault)
    print_text(summary)
    return NOT_ALL_PASS if faults else ALL_PASS


@app.command("head")
@guarded
def head_command() -> int:
    """Print the newest seal; kept elsewhere, it shows a database that was rewritten as a whole."""
    from superbizagent.cli.output import print_text

    head = asyncio.run(_head())
    print_text(f"{head.seal_no} {head.seal}")
    return ALL_PASS


@app.command("export")
@guarded
def export_command(
    session: SessionArgument,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write to this file instead of stdout.")] = None,
) -> int:
    """Write one session with its recorded calls as one self-contained JSON file."""
    from superbizagent.cli.files import write_named
    from superbizagent.cli.output import print_json
    from superbizagent.contract.json_text import write_json

    exported = asyncio.run(_export(session))
    if out is None:
        print_json(exported)
        return ALL_PASS
    write_named(out, write_json(exported, indent=2) + "\n")
    return ALL_PASS


def unfinished_words(count: int) -> str:
    """How many sessions are not finished, in words: they run in a living process, or on another machine."""
    return f"{count} session{' is' if count == 1 else 's are'} unfinished (still running)"


async def _recheck(named: str | None, *, everything: bool) -> tuple[list[Any], int]:
    from superbizagent.bootstrap import find_session, opened_store
    from superbizagent.contract.errors import UsageError, WorkFailed
    from superbizagent.diagnosis.audit import cited_rows, recheck

    if (named is None) == (not everything):
        raise UsageError("name one session, or say --all", "See `sba sessions`.")
    async with opened_store() as store:
        if named is not None:
            found = await find_session(store, named)
            if found.seal_no is None:
                raise WorkFailed(f"session {found.id} is unfinished (still running)", "Re-check it when it has ended.")
            sessions, unfinished = [found], 0
        else:
            sessions = [session async for session in store.sealed_sessions()]
            unfinished = len(await store.unfinished_sessions())
        return [recheck(session, await cited_rows(session, store)) for session in sessions], unfinished


async def _verify_store() -> tuple[list[str], str]:
    from superbizagent.bootstrap import opened_store

    async with opened_store() as store:
        report = await store.verify_chain()
        unfinished = len(await store.unfinished_sessions())
    said = [f"seal {fault.seal_no} {fault.session_id}: {fault.message}" for fault in report.faults]
    verdict = f"{len(said)} faults" if said else "the chain holds"
    counts = f"{report.sessions} sealed sessions, {report.tombstones} tombstones, head {report.head.seal_no}"
    running = f"; {unfinished_words(unfinished)}" if unfinished else ""
    return said, f"{counts}: {verdict}{running}"


def _verify_file(path: Path) -> tuple[list[str], str]:
    from superbizagent.cli.files import open_named
    from superbizagent.contract.errors import UnreadableInput
    from superbizagent.contract.json_text import read_json
    from superbizagent.diagnosis.audit import Recheck, read_export, recheck
    from superbizagent.store.seal import seal_of

    try:
        with open_named(path) as stream:
            value = read_json(stream.read(_LARGEST_EXPORT).decode("utf-8"), unique_keys=True)
    except (OSError, ValueError) as error:
        raise UnreadableInput(f"{path} cannot be read: {error}", "Make one with `sba audit export SESSION`.") from None
    session, own, others = read_export(value)
    faults = []
    if session.seal_no is None or session.previous_seal is None:
        faults.append("the session is not sealed")
    elif seal_of(session, own, session.seal_no, session.previous_seal) != session.seal:
        faults.append("the seal does not fit: the session or one of its tool invocations was changed")
    report = recheck(session, [*own, *others])
    if report.outcome is not Recheck.SAME:
        faults.extend(f"{report.outcome.value}: {difference}" for difference in report.differences)
    return faults, f"session {session.id}: " + ("it does not hold" if faults else "seal, refs and verdicts hold")


async def _head() -> Any:
    from superbizagent.bootstrap import opened_store

    async with opened_store() as store:
        return await store.head()


async def _export(named: str) -> dict[str, Any]:
    from superbizagent.bootstrap import find_session, opened_store
    from superbizagent.diagnosis.audit import cited_rows, export_session

    async with opened_store() as store:
        session = await find_session(store, named)
        return export_session(session, await cited_rows(session, store))
