"""Text of an answer: wording per language, times in the reader's zone, and records shown inert.

Decides: how a time, a record's words and a sentence of the wording are written. Refuses: to let a record's text act: a
control character, a change of writing direction or a line break is shown as its escape. Protocol: section 8.
"""

import re
import tomllib
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from importlib import resources
from typing import Any

from superbizagent.contract.vocabulary import Lang
from superbizagent.rules.time_points import read_zone
from superbizagent.rules.timestamps import read_stamp

LONGEST_SHOWN = 400
# Control characters, line and paragraph separators, marks and overrides of writing direction, invisible characters,
# tags, lone surrogates: whatever could move, hide or forge something in a terminal or a page.
_ACTIVE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_MOMENT = re.compile(
    r"(?<![\w.:/=-])\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})(?![\w:])"
)


@lru_cache(maxsize=4)
def _wording(lang: Lang) -> dict[str, dict[str, str]]:
    path = resources.files("superbizagent.diagnosis.wording").joinpath(f"{lang.value}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


class Wording:
    """The sentences of one language, and how times are written in one zone."""

    def __init__(self, lang: Lang, zone: str) -> None:
        self.lang = lang
        self._table = _wording(lang)
        self._zone: tzinfo = read_zone(zone) or UTC

    def say(self, section: str, key: str, **values: Any) -> str:
        """The sentence at `section.key` with its slots filled."""
        return self._table[section][key].format(**values)

    def has(self, section: str, key: str) -> bool:
        """Whether the wording has the key."""
        return key in self._table[section]

    def time(self, moment: datetime) -> str:
        """A moment in the reader's zone with its offset: `2026-12-01 07:10:19 +08:00`."""
        local = moment.astimezone(self._zone)
        offset = local.strftime("%z")
        return f"{local:%Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:5]}"

    def local_times(self, text: str) -> str:
        """A statement with each of its full moments written in the reader's zone: the same instants."""
        return _MOMENT.sub(self._local, text)

    def _local(self, found: re.Match[str]) -> str:
        stamp = read_stamp(found[0])
        return self.time(stamp.when) if stamp is not None and stamp.when.tzinfo is not None else found[0]


def inert(text: str) -> str:
    """`text` in one line in which nothing acts: escapes for controls, direction marks and invisible characters."""
    return _ACTIVE.sub(_escaped, text)


def shown(text: str, longest: int = LONGEST_SHOWN) -> str:
    """`inert` text of at most `longest` characters; a cut is marked."""
    safe = inert(text)
    return safe if len(safe) <= longest else safe[: longest - 1].rstrip() + "…"


def _escaped(found: re.Match[str]) -> str:
    number = ord(found[0])
    short = {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t"}.get(number)
    if short is not None:
        return short
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
