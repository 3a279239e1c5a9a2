"""The bilingual operations lexicon: which words say the same.

Decides: which concepts a text names, and which forms are equal to a term (连接池 = connection pool). Refuses: to join
a narrower word with a wider one, a cause with its effect, or a symptom with a state; such rows do not belong in the
table. A form may stand for two concepts (连接 the noun and the verb); both are found. The table is read once, at the
first use. Protocol: section 7.7.
"""

import re
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

LEXICON_VERSION = "lexicon.2"

_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|[\u3400-\u9fff]|[^\sA-Za-z0-9\u3400-\u9fff]")
_INNER_JOINERS = frozenset("-./:@+\\'_")
_PASSED_OVER = frozenset(
    {"-", "_", ".", "'", "is", "the", "a", "an", "was", "are", "were", "has", "have", "had", "been"}
)
"""What may stand inside a form: `no space is left on the device` is `no space left on device`."""
_CJK_FIRST = "\u3400"

_IRREGULAR = {
    "ran": "run", "running": "run", "runs": "run", "went": "go", "gone": "go", "goes": "go", "fell": "fall",
    "fallen": "fall", "rose": "rise", "risen": "rise", "grew": "grow", "grown": "grow", "lost": "lose",
    "losing": "lose", "sent": "send", "wrote": "write", "written": "write", "writing": "write", "threw": "throw",
    "thrown": "throw", "caught": "catch", "bound": "bind", "found": "find", "left": "leave", "kept": "keep",
    "held": "hold", "began": "begin", "begun": "begin", "broke": "break", "broken": "break", "hung": "hang",
    "took": "take", "taken": "take", "gave": "give", "given": "give", "got": "get", "getting": "get", "hit": "hit",
    "hitting": "hit", "dropped": "drop", "dropping": "drop", "stopped": "stop", "stopping": "stop", "met": "meet",
    "indices": "index", "indexes": "index", "retries": "retry", "retried": "retry", "queries": "query",
    "replicas": "replica", "processes": "process", "addresses": "address", "statuses": "status", "caches": "cache",
    "caching": "cache", "cached": "cache", "leases": "lease", "databases": "database", "responses": "response",
    "said": "say", "saw": "see", "seen": "see", "made": "make", "built": "build", "shut": "shut", "slept": "sleep",
    "timed": "time", "times": "time", "timing": "time", "used": "use", "uses": "use", "using": "use",
    "news": "news", "series": "series", "class": "class", "classes": "class", "paused": "pause", "came": "come",
    "became": "become", "brought": "bring", "chose": "choose", "chosen": "choose", "thing": "thing",
    "string": "string", "during": "during", "nothing": "nothing", "something": "something", "red": "red",
    "need": "need", "https": "https",
    "shrank": "shrink", "shrunk": "shrink", "stood": "stand", "spent": "spend", "shutdown": "shutdown", "blew": "blow",
    "froze": "freeze", "frozen": "freeze", "hid": "hide", "split": "split", "put": "put", "reset": "reset",
    "resetting": "reset", "read": "read", "forgot": "forget", "led": "lead", "stuck": "stick", "swept": "sweep",
    "bad": "bad", "good": "good", "less": "less", "does": "do", "did": "do", "done": "do",
    "exceeds": "exceed", "exceeded": "exceed", "exceeding": "exceed", "exceed": "exceed", "speed": "speed",
    "feed": "feed", "bed": "bed", "ping": "ping", "pinged": "ping", "king": "king", "ring": "ring", "bring": "bring",
}  # fmt: skip
_SHORTEST_STEM = 3
_DOUBLES = frozenset({"bb", "dd", "gg", "mm", "nn", "pp", "rr", "tt"})


class Concept(NamedTuple):
    """One row: `forms` are equal to one another, English and Chinese, as the table writes them.

    `listed` says that it is one of the states, events and things that operations are told by (the first table).
    """

    id: str
    kind: str
    forms: tuple[str, ...]
    listed: bool = False


class Found(NamedTuple):
    """A concept in a text: `form` is the text's own words, at `text[start:end]`."""

    concept: Concept
    form: str
    start: int
    end: int


class Piece(NamedTuple):
    """A word, number, CJK character or mark of a text. `token` numbers the joined run that it belongs to."""

    key: str
    start: int
    end: int
    token: int
    first: bool
    last: bool


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The stem that an English word shares with its plural and verb forms, in lower case; other text unchanged."""
    word = word.lower()
    if word in _IRREGULAR:
        base = _IRREGULAR[word]
        return base if base == word or base in _IRREGULAR else stem(base)
    if len(word) <= _SHORTEST_STEM or word >= _CJK_FIRST:
        return word
    for ending, replacement in (("ies", "y"), ("ied", "y")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + replacement
    cut = _cut_ending(word)
    if cut[-2:] in _DOUBLES and cut != word and len(cut) > _SHORTEST_STEM:
        cut = cut[:-1]
    return cut[:-1] if cut.endswith("e") and len(cut) > _SHORTEST_STEM else cut


def _cut_ending(word: str) -> str:
    for ending in ("ing", "ed"):
        rest = word[: -len(ending)]
        if word.endswith(ending) and len(rest) >= _SHORTEST_STEM and any(vowel in rest for vowel in "aeiouy"):
            return rest
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def pieces(text: str) -> list[Piece]:
    """`text` as words, numbers, single CJK characters and marks, with the joined runs (`pay-service`) marked."""
    raw = [(found.group(), found.start(), found.end()) for found in _PIECE.finditer(text)]
    tokens: list[int] = []
    token = -1
    for index, (word, start, _end) in enumerate(raw):
        joined = index > 0 and start == raw[index - 1][2] and _joins(raw, index, word)
        token += 0 if joined else 1
        tokens.append(token)
    out = []
    for index, (word, start, end) in enumerate(raw):
        first = index == 0 or tokens[index - 1] != tokens[index]
        last = index + 1 == len(raw) or tokens[index + 1] != tokens[index]
        out.append(Piece(stem(word), start, end, tokens[index], first, last))
    return out


def _joins(raw: list[tuple[str, int, int]], index: int, word: str) -> bool:
    """Whether the piece at `index` continues the run before it: letters, digits and joiners inside one name."""
    before = raw[index - 1][0]
    if word in ("'", "s") and _is_possessive(raw, index if word == "'" else index - 1):
        return False
    if word in _INNER_JOINERS:
        follows = index + 1 < len(raw) and raw[index + 1][1] == raw[index][2]
        return _is_name(before) and follows and _is_name(raw[index + 1][0])
    if not _is_name(word):
        return False
    if before in _INNER_JOINERS:
        return index > 1 and raw[index - 2][2] == raw[index - 1][1] and _is_name(raw[index - 2][0])
    return _is_name(before)


def _is_possessive(raw: list[tuple[str, int, int]], index: int) -> bool:
    """`MySQL's`: the mark and the s belong to no name."""
    return (
        raw[index][0] == "'"
        and index + 1 < len(raw)
        and raw[index + 1][0] == "s"
        and raw[index + 1][1] == raw[index][2]
        and not (index + 2 < len(raw) and raw[index + 2][1] == raw[index + 1][2] and _is_name(raw[index + 2][0]))
    )


def _is_name(word: str) -> bool:
    return word.isascii() and word.isalnum()


_Entry = tuple[tuple[str, ...], Concept]


class _Table(NamedTuple):
    """The rows, and their forms by first piece: those of one piece, and those of more by their second."""

    concepts: tuple[Concept, ...]
    alone: dict[str, list[_Entry]]
    by_second: dict[str, dict[str, list[_Entry]]]


def _keys(form: str) -> tuple[str, ...]:
    return tuple(piece.key for piece in pieces(form) if piece.key not in _INNER_JOINERS)


_EVERYDAY = frozenset(
    "trigger load store_event write read send receive call execute process_event create update upload "
    "download allocate acquire release_event throw catch flush commit parse validate answer return_event "
    "place fetch pull mount publish listen bind resolve_dns poll_event consume produce_event sync_event "
    "enqueue dequeue exceed scanned dispatched forwarded generated exported imported converted merged "
    "copied moved renamed accepted allowed applied configured reloaded initialized detect schedule "
    "connect_ok".split()
)
"""What programs do all day: said in so many words that a claim without its word in the excerpt is only undetermined."""
_TABLES = (
    "operations.tsv",
    "actions.tsv",
    "things.tsv",
    "stores.tsv",
    "flows.tsv",
    "platform.tsv",
    "applications.tsv",
)


@lru_cache(maxsize=1)
def _table() -> _Table:
    rows: dict[str, tuple[str, list[str]]] = {}
    listed: set[str] = set()
    folder = resources.files("superbizagent.rules").joinpath("data", "lexicon")
    for name in _TABLES:
        for line in folder.joinpath(name).read_text(encoding="utf-8").splitlines():
            if not line or line.startswith("#"):
                continue
            identifier, kind, forms = line.split("\t")
            known, own = rows.setdefault(identifier, (kind, []))
            if known != kind:
                raise ValueError(f"lexicon row {identifier} is {known} in one table and {kind} in another")
            own.extend(form.strip() for form in forms.split(" | ") if form.strip() not in own)
            if name == _TABLES[0]:
                listed.add(identifier)
    listed -= _EVERYDAY
    concepts = tuple(Concept(key, kind, tuple(forms), key in listed) for key, (kind, forms) in rows.items())
    alone: dict[str, list[_Entry]] = {}
    by_second: dict[str, dict[str, list[_Entry]]] = {}
    for concept in concepts:
        for keys in sorted({_keys(form) for form in concept.forms}):
            if len(keys) == 1:
                alone.setdefault(keys[0], []).append((keys, concept))
            else:
                by_second.setdefault(keys[0], {}).setdefault(keys[1], []).append((keys, concept))
    return _Table(concepts, alone, by_second)


def concepts() -> tuple[Concept, ...]:
    """Every row of the table, in its order."""
    return _table().concepts


def matches_at(parts: list[Piece], index: int) -> list[tuple[Concept, int]]:
    """The concepts that begin at `parts[index]`, each with the index behind its last piece; longest first.

    A form begins and ends with whole runs: `service` is not found in `pay-service`.
    """
    first = parts[index]
    if not first.first:
        return []
    table = _table()
    out = [(concept, index + 1) for _keys, concept in table.alone.get(first.key, ()) if first.last]
    seconds = table.by_second.get(first.key)
    if seconds is None:
        return out
    position = index + 1
    found: list[tuple[Concept, int]] = []
    while position < len(parts):
        for keys, concept in seconds.get(parts[position].key, ()):
            end = _match_keys(parts, index, keys)
            if end is not None and (concept, end) not in found:
                found.append((concept, end))
        if parts[position].key not in _PASSED_OVER:
            break
        position += 1
    return sorted(found, key=lambda match: -match[1]) + out


@lru_cache(maxsize=256)
def read_pieces(text: str) -> tuple[list[Piece], list[list[tuple[Concept, int]]]]:
    """The pieces of a text, and for each the concepts that begin there; neither may be changed by the caller."""
    parts = pieces(text)
    return parts, [matches_at(parts, index) for index in range(len(parts))]


def _match_keys(parts: list[Piece], index: int, keys: tuple[str, ...]) -> int | None:
    position = index
    for key in keys:
        while (
            position > index
            and position < len(parts)
            and parts[position].key != key
            and (parts[position].key in _PASSED_OVER)
        ):
            position += 1
        if position >= len(parts) or parts[position].key != key:
            return None
        position += 1
    return position if parts[position - 1].last else None


def concepts_in(text: str) -> list[Found]:
    """The concepts that `text` names, in order, longest match first; a form with two concepts gives both."""
    parts = pieces(text)
    out: list[Found] = []
    index = 0
    while index < len(parts):
        matches = matches_at(parts, index)
        if not matches:
            index += 1
            continue
        end = matches[0][1]
        start, stop = parts[index].start, parts[end - 1].end
        out.extend(Found(concept, text[start:stop], start, stop) for concept, behind in matches if behind == end)
        index = end
    return out


def widen(term: str) -> list[str]:
    """The forms that are equal to `term`, itself first; only itself when no row has it as a whole."""
    out = [term]
    seen = {term.lower()}
    parts = pieces(term)
    if parts:
        for concept, end in matches_at(parts, 0):
            if end == len(parts):
                for form in concept.forms:
                    if form.lower() not in seen:
                        seen.add(form.lower())
                        out.append(form)
    return out
