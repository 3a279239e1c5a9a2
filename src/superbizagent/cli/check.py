"""`sba check`: the command around `case_check`."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from superbizagent.cli.exits import ALL_PASS, NOT_ALL_PASS, WRONG_USAGE, guarded
from superbizagent.cli.files import open_named
from superbizagent.contract.errors import UnreadableInput
from superbizagent.contract.vocabulary import Verdict

_LARGEST_CASE = 256 * 1024 * 1024


@guarded
def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="One case as a JSON object; `-` is standard input.")],
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="FILE holds a case a line; a result a line comes out, in order.")
    ] = False,
) -> int:
    """Judge somebody else's output: is each reference real, and does each claim follow?

    A case is {"session_id", "invocations": [...], "executor_output": {...} or "text", "question"?}; the result has
    gatekeeper_result, claims with verdicts and reasons, and effective_verdict. Exit code: 0 all PASS, 1 not all PASS,
    2 when the input or a line of it cannot be read.
    """
    source = nullcontext(sys.stdin.buffer) if file == "-" else _open(Path(file))
    with source as stream:
        return _check_lines(stream) if jsonl else _check_one(stream)


def _check_one(stream: BinaryIO) -> int:
    from superbizagent.cli.case_check import check_case, decode, read_case
    from superbizagent.cli.output import print_json

    data = stream.read(_LARGEST_CASE + 1)
    if len(data) > _LARGEST_CASE:
        raise UnreadableInput(f"the case is larger than {_LARGEST_CASE} bytes", "Give a case a line with --jsonl.")
    result = check_case(read_case(decode(data)))
    print_json(result)
    return ALL_PASS if result["effective_verdict"] == Verdict.PASS.value else NOT_ALL_PASS


def _check_lines(stream: BinaryIO) -> int:
    from superbizagent.cli.case_check import check_lines
    from superbizagent.cli.output import print_json

    code = ALL_PASS
    for result, readable in check_lines(stream):
        print_json(result, indent=None)
        sys.stdout.flush()
        if not readable:
            code = WRONG_USAGE
        elif code == ALL_PASS and result["effective_verdict"] != Verdict.PASS.value:
            code = NOT_ALL_PASS
    return code


def _open(path: Path) -> BinaryIO:
    if path.is_dir():
        raise UnreadableInput(f"{path} is a folder", "Name a JSON file; for an incident folder use `sba eval`.")
    return open_named(path)
