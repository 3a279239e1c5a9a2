"""Finds the one JSON object in an Executor's text: in a code fence, with words around it, or cut off.

Decides: which object is the output (of several, the first that has `claims`), and how far an object that is cut off
can be trusted: up to the last binding that is complete. Refuses: to close a string, a number or a binding that was
cut. Work is bounded: at most `_MOST_STARTS` places are tried, each in
time linear in the text. Protocol: section 4.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from superbizagent.contract.json_text import strict_decoder

_MOST_STARTS = 64
_MOST_CUT_OFF = 4
_DEEPEST = 64
_OBJECT_START = re.compile(r'\{(?=[ \t\r\n]{0,64}["}])')


class FoundObject(NamedTuple):
    """The output object (None: there is none), whether it was cut off, and a key that stands twice in it."""

    value: Mapping[str, Any] | None
    cut_off: bool = False
    repeated_key: str | None = None


def find_object(text: str) -> FoundObject:
    """The output object in a text, and what is wrong with it."""
    whole: list[FoundObject] = []
    broken: list[int] = []
    position = 0
    for _ in range(_MOST_STARTS):
        start = _OBJECT_START.search(text, position)
        if start is None:
            break
        repeated: list[str] = []
        try:
            value, position = strict_decoder(repeated).raw_decode(text, start.start())
        except (json.JSONDecodeError, RecursionError, ValueError):
            broken.append(start.start())
            position = start.end()
            continue
        found = FoundObject(value, repeated_key=next(iter(repeated), None))
        if "claims" in value:
            return found
        whole.append(found)
    for start_of_broken in broken[:_MOST_CUT_OFF]:
        found = _read_cut_off(text, start_of_broken)
        if found.value is not None and "claims" in found.value:
            return found
    return whole[0] if whole else FoundObject(None)


def _read_cut_off(text: str, start: int) -> FoundObject:
    """The object that begins at `start`, as far as its last complete binding; none when it has none."""
    end, closers = _last_complete_binding(text, start)
    repeated: list[str] = []
    if end is None:
        return FoundObject(None)
    try:
        value, _ = strict_decoder(repeated).raw_decode(text[start:end] + closers)
    except (json.JSONDecodeError, RecursionError, ValueError):
        return FoundObject(None)
    return FoundObject(value if isinstance(value, Mapping) else None, True, next(iter(repeated), None))


def _last_complete_binding(text: str, start: int) -> tuple[int | None, str]:
    """Where the last complete binding ends, and the brackets that close what is open there."""
    stack: list[tuple[str, str | None]] = []  # (closing bracket, the key that the container stands under)
    key: str | None = None
    end: int | None = None
    closers = ""
    position = start
    while position < len(text):
        character = text[position]
        if character == '"':
            closing = _end_of_string(text, position)
            if closing is None:
                break
            key, position = text[position + 1 : closing], closing
        elif character in "{[":
            if len(stack) == _DEEPEST:
                break
            stack.append(("}" if character == "{" else "]", key))
            key = None
        elif character in "}]":
            if not stack or stack[-1][0] != character:
                break
            stack.pop()
            if not stack:
                break
            if character == "}" and stack[-1] == ("]", "evidence_bindings"):
                end = position + 1
                closers = "".join(bracket for bracket, _ in reversed(stack))
        elif character == ",":
            key = None
        position += 1
    return end, closers


def _end_of_string(text: str, start: int) -> int | None:
    """Where the string that opens at `start` closes; None when it does not."""
    position = start + 1
    while True:
        quote = text.find('"', position)
        if quote < 0:
            return None
        backslashes = 0
        while text[quote - 1 - backslashes] == "\\":
            backslashes += 1
        if backslashes % 2 == 0:
            return quote
        position = quote + 1
