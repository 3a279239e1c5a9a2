"""`sba diagnose`: one question, an answer, and everything behind it in the store."""

import asyncio
import sys
import time
from typing import Annotated, Any

import typer

from superbizagent.cli.exits import exit_of_verdict, guarded

QuestionArgument = Annotated[str, typer.Argument(metavar="QUESTION", help="What you want to know, in English or 中文.")]
PathsArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATH… | -]", help="An incident folder, a folder or files of logs, or `-`: stdin."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the answer.")]
SinceOption = Annotated[str | None, typer.Option(help="Start of the window: 10:15, 2026-11-30T23:00Z, 15m.")]
UntilOption = Annotated[str | None, typer.Option(help="End of the window; default: now, or --at.")]
AtOption = Annotated[str | None, typer.Option(help="The question's “now”, for a post-mortem: 2026-11-30T23:11:05Z.")]
ServiceOption = Annotated[str | None, typer.Option(help="Look at this service only.")]
ZoneOption = Annotated[str | None, typer.Option(help="Your time zone, as in Asia/Shanghai; default: the machine's.")]


@guarded
def command(
    question: QuestionArgument,
    paths: PathsArgument = None,
    json: JsonOption = False,
    since: SinceOption = None,
    until: UntilOption = None,
    at: AtOption = None,
    service: ServiceOption = None,
    zone: ZoneOption = None,
    demo: Annotated[bool, typer.Option("--demo", help="Ask the shipped demo incident, and say so.")] = False,
) -> int:
    """Answer a question from what the telemetry proves, and show the proof.

    Examples:

      sba diagnose "Is the connection pool of orders exhausted?" ./incident

      sba diagnose "orders 的连接池是不是耗尽了？" ./logs --since 30m

      kubectl logs deploy/orders | sba diagnose "why do orders fail?" -

    Exit code: 0 the answer is PASS, 1 it is not, 2 wrong usage or unreadable input, 3 the work could not be done.
    """
    from superbizagent.bootstrap import Asked

    asked = Asked(
        question=question,
        paths=tuple(paths or ()),
        since=since,
        until=until,
        at=at,
        service=service,
        zone=zone,
        demo=demo,
    )
    return run_and_print(asked, as_json=json)


def run_and_print(asked: Any, *, as_json: bool) -> int:
    """Diagnose, print, and give the exit code of the effective verdict."""
    from superbizagent.cli.output import print_json, print_text

    started = time.monotonic()
    diagnosis = asyncio.run(_diagnose(asked, show_progress=not as_json and sys.stderr.isatty()))
    if as_json:
        from superbizagent.cli.result_json import diagnosis_json

        print_json(diagnosis_json(diagnosis, elapsed_ms=round((time.monotonic() - started) * 1000)))
    else:
        print_text(diagnosis.answer)
        print_text(f"\nsession {diagnosis.session.id} · sba show {diagnosis.session.id}")
    return exit_of_verdict(diagnosis.evaluation.effective_verdict)


async def _diagnose(asked: Any, *, show_progress: bool) -> Any:
    from superbizagent.bootstrap import open_diagnosis
    from superbizagent.cli.progress import Progress

    progress = Progress(shown=show_progress)
    try:
        return await open_diagnosis(asked, stdin=sys.stdin.buffer, emit=progress.emit)
    finally:
        progress.close()
