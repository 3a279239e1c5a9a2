"""Source words: what sources and tools say of themselves, in the language of the answer.

Decides: the sentence of the answer's language for a note, an error, a way of keeping or a source's name, by a table of
whole sentences with places for what differs. A sentence that no row has is shown as a quotation. Refuses: to translate
what a record says. Protocol: section 8 (the answer is in the question's language).
"""

import tomllib
from functools import lru_cache
from importlib import resources

from superbizagent.contract.vocabulary import Lang

_PLACE = "{}"
_DEEPEST = 3


@lru_cache(maxsize=2)
def _rows(lang: Lang) -> tuple[tuple[tuple[str, ...], str], ...]:
    """The sentences as their fixed parts, the longest first, with what is said for them; none for English."""
    path = resources.files("superbizagent.diagnosis.wording").joinpath(f"sources_{lang.value}.toml")
    if not path.is_file():
        return ()
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = [(tuple(said.split(_PLACE)), str(shown)) for said, shown in table.items()]
    return tuple(sorted(rows, key=lambda row: -sum(len(part) for part in row[0])))


def said_by_source(sentence: str, lang: Lang, *, quote: bool = True) -> str:
    """A source's sentence in the answer's language; one without a row as a quotation (or as it is, without `quote`)."""
    found = _translated(sentence, lang, 0)
    if found is not None:
        return found
    is_foreign = lang is Lang.ZH and any("a" <= character.lower() <= "z" for character in sentence) and " " in sentence
    return f"“{sentence}”" if quote and is_foreign else sentence


def _translated(sentence: str, lang: Lang, depth: int) -> str | None:
    for parts, shown in _rows(lang):
        slots = _slots(sentence, parts)
        if slots is not None and depth < _DEEPEST:
            inner = [_translated(slot, lang, depth + 1) or slot for slot in slots]
            return _filled(shown, inner)
    return None


def _slots(sentence: str, parts: tuple[str, ...]) -> list[str] | None:
    """What stands in a sentence at the places between fixed parts; None where the parts are not all there."""
    if len(parts) == 1:
        return [] if sentence == parts[0] else None
    first, *middle, last = parts
    end = len(sentence) - len(last)
    if not sentence.startswith(first) or not sentence.endswith(last) or end < len(first):
        return None
    slots, position = [], len(first)
    for part in middle:
        found = sentence.find(part, position, end)
        if found < 0:
            return None
        slots.append(sentence[position:found])
        position = found + len(part)
    slots.append(sentence[position:end])
    return slots if all(slots) else None


def _filled(shown: str, slots: list[str]) -> str:
    """The sentence with its places filled: `{}` in order, `{1}` by number."""
    for number, slot in enumerate(slots):
        shown = shown.replace(f"{{{number}}}", slot)
    out, rest = "", shown
    for slot in slots:
        before, mark, behind = rest.partition(_PLACE)
        if not mark:
            break
        out, rest = out + before + slot, behind
    return out + rest
