"""The judge's closed lists: light words and the words that each check looks at.

Decides: which classes a word or phrase belongs to. Refuses: to join words of one meaning (that is the lexicon's).
Protocol: section 7, the reasons' words.
"""

from functools import lru_cache
from importlib import resources

from superbizagent.rules.lexicon import Piece, pieces

_SKIPPED = frozenset({"-", "'"})


@lru_cache(maxsize=1)
def _table() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    text = resources.files("superbizagent.rules").joinpath("data", "markers.tsv").read_text(encoding="utf-8")
    out: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        name, forms = line.split("\t")
        for form in forms.split(" | "):
            keys = tuple(piece.key for piece in pieces(form.strip()) if piece.key not in _SKIPPED)
            if keys and (keys, name) not in out.get(keys[0], ()):
                out.setdefault(keys[0], []).append((keys, name))
    for entries in out.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return out


def classes_at(parts: list[Piece], index: int) -> tuple[frozenset[str], int]:
    """The classes of the longest listed phrase at `parts[index]`, and the index behind it (`index` for none)."""
    found: set[str] = set()
    length = index
    for keys, name in _table().get(parts[index].key, ()):
        end = _match(parts, index, keys)
        if end is None or end < length:
            continue
        if end > length:
            found.clear()
            length = end
        found.add(name)
    return frozenset(found), length


def _match(parts: list[Piece], index: int, keys: tuple[str, ...]) -> int | None:
    position = index
    for key in keys:
        while position > index and position < len(parts) and parts[position].key in _SKIPPED:
            position += 1
        if position >= len(parts) or parts[position].key != key:
            return None
        position += 1
    return position
