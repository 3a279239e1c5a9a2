"""Errors: what stops us from working or from judging. A bad reference is a result, never one of these.

Each error is a sentence for a person plus a hint that says what to do next. The command line maps the classes to
exit codes in one table, and a service would map them to HTTP statuses in another. Protocol: section 10.
"""


class SbaError(Exception):
    """Anything that the product itself says went wrong. `str(error)` is one sentence; `hint` is what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(SbaError):
    """The call or its input is wrong: exit code 2."""


class UnreadableInput(UsageError):
    """A file, folder or document that was named cannot be read as what it should be: exit code 2."""


class WorkFailed(SbaError):
    """The work could not be done although the call was right: exit code 3."""


class StoreFailed(WorkFailed):
    """The database could not be read or written (locked, read-only, corrupt, full, of a newer version)."""


class BudgetExceeded(WorkFailed):
    """The question's time, rounds or calls ran out."""


class SourceUnavailable(SbaError):
    """A source could not be asked. Tools turn it into `evidence_status: unavailable`; it never reaches a person."""
