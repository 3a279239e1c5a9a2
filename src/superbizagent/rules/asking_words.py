"""Words of asking, in English and Chinese: what marks a sweep, a how-to, a count, a time, a cause.

Decides: whether a text has one of the words of a group. The words themselves are data (`data/asking_words.tsv`) and
name no system. Refuses: to decide what is asked; that is `superbizagent.rules.question`. Protocol: section 8.
"""

from functools import lru_cache
from importlib import resources

_OPENERS = frozenset({"so", "and", "please", "hey", "hi", "hello", "ok", "well", "but", "then"})


@lru_cache(maxsize=1)
def _groups() -> dict[str, tuple[str, ...]]:
    text = resources.files("superbizagent.rules").joinpath("data", "asking_words.tsv").read_text(encoding="utf-8")
    groups: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, _, words = line.partition("\t")
            groups.setdefault(name, []).extend(words.split(" | "))
    return {name: tuple(words) for name, words in groups.items()}


@lru_cache(maxsize=64)
def words(group: str) -> tuple[str, ...]:
    """The words of a group, in the table's order."""
    return _groups()[group]


@lru_cache(maxsize=64)
def word_set(group: str) -> frozenset[str]:
    """The words of a group, for membership."""
    return frozenset(words(group))


def asks(group: str, lowered: str) -> bool:
    """Whether a lower-cased text has a word of the group: English at the edges of words, Chinese anywhere."""
    return any(_has(word, lowered) for word in words(group))


def first_word(lowered: str) -> str:
    """The first word of a lower-cased text, past openers such as *so*, *and*, *please*."""
    stripped = (word.strip(",.:;!?\"'") for word in lowered.split())
    return next((word for word in stripped if word and word not in _OPENERS), "")


def _has(word: str, lowered: str) -> bool:
    position = lowered.find(word)
    while position >= 0:
        if not word[0].isascii():
            return True
        end = position + len(word)
        if not _joins(lowered[position - 1 : position]) and not _joins(lowered[end : end + 1]):
            return True
        position = lowered.find(word, position + 1)
    return False


def _joins(neighbour: str) -> bool:
    return neighbour.isascii() and (neighbour.isalnum() or neighbour in {"-", "_"})
