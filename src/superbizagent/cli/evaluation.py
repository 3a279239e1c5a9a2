"""`sba eval`: runs the cases of incident folders and says what was right, falsely stated, or needlessly refused."""

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from superbizagent.cli.exits import ALL_PASS, NOT_ALL_PASS, guarded

if TYPE_CHECKING:
    from superbizagent.diagnosis.evaluation import CaseResult


@guarded
def command(
    folders: Annotated[list[str], typer.Argument(metavar="DIR…", help="Incident folders with cases in incident.yaml.")],
    json: Annotated[bool, typer.Option("--json", help="Print an array with one object a case.")] = False,
) -> int:
    """Run the cases of incident folders: verdict, expected citations, and what must never be said.

    Nothing is written to the store. Exit code: 0 all cases are ok, 1 some are not, 2 a folder cannot be read.
    """
    from superbizagent.cli.output import print_json, print_text

    results = asyncio.run(_evaluate([Path(folder) for folder in folders], quiet=json))
    if json:
        print_json([result.model_dump(mode="json") for result in results])
    else:
        from superbizagent.diagnosis.evaluation import totals

        _print_results(results)
        counts = totals(results)
        print_text(
            f"\n{counts['ok']} of {counts['cases']} cases ok · {counts['false_statements']} false statements · "
            f"{counts['needless_refusals']} needless refusals"
        )
    return ALL_PASS if all(result.ok for result in results) else NOT_ALL_PASS


async def _evaluate(folders: Sequence[Path], *, quiet: bool) -> "list[CaseResult]":
    from superbizagent.bootstrap import evaluate_folder

    results = []
    for folder in folders:
        if not quiet and sys.stderr.isatty():
            sys.stderr.write(f"\r\x1b[2K{folder.name}")
            sys.stderr.flush()
        results.extend(await evaluate_folder(folder))
    if not quiet and sys.stderr.isatty():
        sys.stderr.write("\r\x1b[2K")
    return results


def _print_results(results: "Sequence[CaseResult]") -> None:
    from superbizagent.cli.output import print_table

    rows = [
        (
            f"{result.incident}/{result.id}",
            result.verdict.value,
            result.expected.value,
            "yes" if result.cites_found else "missing: " + ", ".join(result.missing_cites),
            "yes" if result.never_said else "said: " + ", ".join(result.said),
            "ok" if result.ok else "WRONG",
        )
        for result in results
    ]
    print_table("", ("case", "verdict", "expected", "cites found", "never said", ""), rows)
