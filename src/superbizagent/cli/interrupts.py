"""Signals: Ctrl-C, `kill` and a closed terminal at any moment end with one sentence and a documented exit code.

Decides what a signal does outside a command (leave at once: nothing was begun, or everything is done) and inside one
(the run is cancelled, closed and sealed, and says so). Refuses nothing that was ignored before we came: `nohup` stays
`nohup`. Imports next to nothing: it is in force before the product itself is imported. Protocol: section 9 (a run that
died), section 10 (exit codes).
"""

# The half of `signal` that is part of the interpreter: the other half first builds its enumerations, and for those
# milliseconds a Ctrl-C would still be a traceback.
import _signal as signal  # type: ignore[import-not-found]
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

_BASE = 128  # the shells' convention: 128 + the signal's number
_WATCHED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_received: int = signal.SIGINT


def watch() -> None:
    """From now on a signal ends the process with a sentence, whatever it is doing."""
    for number in _WATCHED:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)


def interruptible() -> None:
    """From now on a signal is a `KeyboardInterrupt`, or cancels what asyncio runs; `watch` ends that."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _as_interrupt)


def exit_code() -> int:
    """The exit code of the signal that came: 130 for Ctrl-C, 143 for `kill`, 129 for a closed terminal."""
    return _BASE + _received


def _as_interrupt(number: int, frame: "FrameType | None") -> None:
    """Another signal does what Ctrl-C does there: asyncio knows how to cancel for that one alone."""
    global _received
    _received = number
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)
    else:
        signal.default_int_handler(signal.SIGINT, frame)


def _leave(number: int, _: "FrameType | None") -> None:
    """Leave at once; written past Python's buffers, which whatever was interrupted may hold."""
    try:
        os.write(2, b"sba: interrupted\n")
    finally:
        os._exit(_BASE + number)
