"""Exit codes, and how an error becomes one sentence and one of them.

The one table of the command line: 0 all PASS, 1 something is not PASS, 2 wrong usage or unreadable input, 3 the work
could not be done; 130 interrupted (Ctrl-C), 143 terminated (SIGTERM), 129 the terminal was closed (SIGHUP). Bad input
never shows a traceback; SBA_DEBUG=1 shows one for a fault of ours.
Protocol: section 10.
"""

import os
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import NoReturn, ParamSpec

import typer

from superbizagent.cli.interrupts import exit_code, interruptible, watch
from superbizagent.contract.errors import SbaError, UsageError, WorkFailed
from superbizagent.contract.vocabulary import Verdict

P = ParamSpec("P")

ALL_PASS = 0
NOT_ALL_PASS = 1
WRONG_USAGE = 2
WORK_FAILED = 3

EXIT_OF_ERROR: tuple[tuple[type[SbaError], int], ...] = (
    (UsageError, WRONG_USAGE),
    (WorkFailed, WORK_FAILED),
    (SbaError, WORK_FAILED),
)


def exit_of_verdict(verdict: Verdict) -> int:
    """0 for PASS, 1 for anything else."""
    return ALL_PASS if verdict is Verdict.PASS else NOT_ALL_PASS


def fail(error: SbaError) -> NoReturn:
    """Say the error and its hint on stderr, and leave with its exit code."""
    say(f"sba: {error}")
    if error.hint:
        say(f"     {error.hint}")
    raise typer.Exit(next(code for kind, code in EXIT_OF_ERROR if isinstance(error, kind)))


def say(line: str) -> None:
    """One line on stderr; what a terminal cannot show is escaped, and a closed stderr is no fault."""
    shown = "".join(character if character.isprintable() else ascii(character)[1:-1] for character in line)
    try:
        sys.stderr.write(shown.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")
    except (OSError, ValueError):
        return


def guarded(command: Callable[P, int]) -> Callable[P, None]:
    """A command whose every end is a documented exit code; the function itself returns its code."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = _interruptibly(command, *args, **kwargs)
        except SbaError as error:
            fail(error)
        except KeyboardInterrupt:
            watch()
            say("sba: interrupted; what was recorded is kept (see `sba sessions`)")
            raise typer.Exit(exit_code()) from None
        except BrokenPipeError:
            _drop_stdout()
            raise typer.Exit(WORK_FAILED) from None
        except (typer.Exit, typer.Abort):
            raise
        except Exception as error:  # noqa: BLE001 - the one place where a fault becomes an exit code
            if os.environ.get("SBA_DEBUG"):
                traceback.print_exc()
            say(f"sba: a fault of the product: {type(error).__name__}: {error}")
            say("     Please report it with the command you ran; SBA_DEBUG=1 shows where it happened.")
            raise typer.Exit(WORK_FAILED) from None
        raise typer.Exit(code)

    return run


def _interruptibly(command: Callable[P, int], *args: P.args, **kwargs: P.kwargs) -> int:
    """Run the command so that a signal cancels it; before and behind it a signal ends the process at once."""
    try:
        interruptible()
        code = command(*args, **kwargs)
        sys.stdout.flush()
        return code
    finally:
        watch()


def _drop_stdout() -> None:
    """Whoever read our output is gone: keep the interpreter from complaining about it at its end."""
    with Path(os.devnull).open("wb") as nothing:
        os.dup2(nothing.fileno(), sys.stdout.fileno())
