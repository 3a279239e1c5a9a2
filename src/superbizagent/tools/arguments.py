"""What a tool is called with, checked at the door: known names, right types, sane limits.

Refuses anything else with one sentence, which the recorder keeps as the reason of an `unavailable` call. Protocol:
section 2.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from superbizagent.contract.errors import UsageError
from superbizagent.contract.evidence import Window

LONGEST_TEXT = 4000
_LEVELS = ("trace", "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_LEVEL_FORMS = {"warn": "warning", "err": "error", "fatal": "critical", "crit": "critical", "emerg": "emergency"}
_LARGEST_LIMIT = 1000


class Arguments:
    """The arguments of one call; each is taken once, and what is left over is refused by `done`."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self._given = {key: value for key, value in given.items() if value is not None}

    def text(self, name: str) -> str | None:
        """A text; None when missing or blank.

        Raises:
            UsageError: it is no text, or longer than `LONGEST_TEXT` characters.
        """
        value = self._given.pop(name, None)
        if value is None:
            return None
        if not isinstance(value, str):
            raise UsageError(f"argument `{name}` must be a text")
        if len(value) > LONGEST_TEXT:
            raise UsageError(f"argument `{name}` is longer than {LONGEST_TEXT} characters")
        return value.strip() or None

    def limit(self, default: int) -> int:
        """How many items at most, 1 to `_LARGEST_LIMIT`; a number or its digits.

        Raises:
            UsageError: it is no such number.
        """
        value = self._given.pop("limit", default)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 6:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST_LIMIT:
            raise UsageError(f"argument `limit` must be a number from 1 to {_LARGEST_LIMIT}")
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str | None:
        """One of a closed list, in any case.

        Raises:
            UsageError: it is none of them.
        """
        value = self.text(name)
        if value is None:
            return None
        if value.lower() not in choices:
            raise UsageError(f"argument `{name}` must be one of {', '.join(choices)}")
        return value.lower()

    def level(self) -> str | None:
        """The least severe level wanted.

        Raises:
            UsageError: it is no level.
        """
        value = self._given.get("level")
        if isinstance(value, str):
            self._given["level"] = _LEVEL_FORMS.get(value.strip().lower(), value)
        return self.choice("level", _LEVELS)

    def window(self) -> Window:
        """`since` and `until` as times with a zone; a time without one is UTC.

        Raises:
            UsageError: one is no time, or the window ends before it begins.
        """
        since, until = self._time("since"), self._time("until")
        if since is not None and until is not None and until < since:
            raise UsageError(f"the window ends ({until.isoformat()}) before it begins ({since.isoformat()})")
        return Window(since=since, until=until)

    def done(self) -> None:
        """Refuse what nobody took.

        Raises:
            UsageError: there is an argument that the tool does not know.
        """
        if self._given:
            names = ", ".join(f"`{str(name)[:40]}`" for name in sorted(self._given, key=str)[:5])
            raise UsageError(f"unknown arguments: {names}")

    def _time(self, name: str) -> datetime | None:
        value = self.text(name)
        if value is None:
            return None
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            raise UsageError(f"argument `{name}` must be a time such as 2026-11-30T23:11:05Z") from None
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
