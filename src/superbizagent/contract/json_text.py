"""JSON as text, for what strangers wrote and for what we print.

Reading never raises anything but `ValueError` with one sentence: nesting beyond what Python can hold, integers of
thousands of digits and `NaN` are all just unreadable or carried as `LongInteger`. A key that stands twice in one object
is no error of JSON, but the later one hides the earlier: whoever judges asks for it (`strict_decoder`). Writing never
fails on a lone surrogate: it stands as its `\\udXXX` escape, which every JSON reader takes.
"""

import json
from collections import Counter
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


def strict_decoder(repeated: list[str]) -> json.JSONDecoder:
    """A decoder that puts into `repeated` a key that stands more than once in one object, wherever that is nested."""

    def collect(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) < len(pairs) and not repeated:
            counts = Counter(key for key, _ in pairs)
            repeated.append(max(counts, key=lambda key: counts[key]))
        return value

    return json.JSONDecoder(parse_int=_parse_int, parse_constant=_refuse_constant, object_pairs_hook=collect)


def key_shown(key: str) -> str:
    """A stranger's key as it can stand in a sentence: escaped and short."""
    shown = ascii(key)[1:-1]
    return shown if len(shown) <= 60 else shown[:57] + "..."


def read_json(text: str, *, unique_keys: bool = False) -> Any:
    """The value that `text` holds.

    Raises:
        ValueError: the text is not JSON, is nested too deeply to be read, or, with `unique_keys`, has a key twice in
            one object; the message is one sentence.
    """
    repeated: list[str] = []
    try:
        value = (strict_decoder(repeated) if unique_keys else DECODER).decode(text)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply to be read") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    if repeated:
        raise ValueError(f"the key `{key_shown(repeated[0])}` stands twice in one object")
    return value


def write_json(value: Any, *, indent: int | None = None) -> str:
    """`value` as JSON text that can be encoded in UTF-8; key order is kept."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
