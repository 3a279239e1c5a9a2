"""JSON as text, for what strangers wrote and for what we print.

Reading never raises anything but `ValueError` with one sentence: nesting beyond what Python can hold, integers of
thousands of digits and `NaN` are all just unreadable or carried as `LongInteger`. Writing never fails on a lone
surrogate: it stands as its `\\udXXX` escape, which every JSON reader takes.
"""

import json
from typing import Any

_LONGEST_INTEGER = 4000


class LongInteger(str):
    """An integer literal with more digits than Python converts; beyond 64 bits in any case."""

    __slots__ = ()


def _parse_int(digits: str) -> int | LongInteger:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else LongInteger(digits)


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(parse_int=_parse_int, parse_constant=_refuse_constant)


def read_json(text: str) -> Any:
    """The value that `text` holds.

    Raises:
        ValueError: the text is not JSON, or is nested too deeply to be read; the message is one sentence.
    """
    try:
        return DECODER.decode(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply to be read") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None


def write_json(value: Any, *, indent: int | None = None) -> str:
    """`value` as JSON text that can be encoded in UTF-8; key order is kept."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
