"""Progress on stderr while a diagnosis runs: one line that is rewritten, and only on a terminal."""

import sys

from superbizagent.cli.output import printable
from superbizagent.ports import Event

_SENTENCES = {
    "reading": "reading {source}",
    "planned": "planned: {intent}",
    "calling": "asking {tool_name}",
    "recorded": "recorded {tool_name}: {summary}",
    "verified": "verified: {effective_verdict}",
}


class Progress:
    """An event sink that shows the last event."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._dirty = False

    async def emit(self, event: Event) -> None:
        """Show one event; unknown ones are passed over."""
        sentence = _SENTENCES.get(event.name)
        if not self._shown or sentence is None:
            return
        words = {key: str(value) for key, value in event.data.items()}
        try:
            line = sentence.format(**words)
        except KeyError:
            line = event.name
        sys.stderr.write("\r\x1b[2K" + printable(line)[:100])
        sys.stderr.flush()
        self._dirty = True

    def close(self) -> None:
        """Clear the line."""
        if self._dirty:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
