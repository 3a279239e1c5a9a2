"""Names in a question: services, hosts, pools, alerts and identifiers, known to a source or by their shape.

Decides: which stretches of a question name something, what they name, and whether any source knows them. A name that
looks like a service, and that no source knows, is unknown: it is said, never searched as text. Identifiers (numbers of
orders, paths, addresses, exception classes) belong to records and are searched. Refuses: to correct a name; a near one
is only mentioned. Protocol: section 2.
"""

import re
from collections.abc import Iterable, Mapping

from superbizagent.contract.plan import Entity, EntityRole
from superbizagent.rules.asking_words import word_set
from superbizagent.rules.lexicon import concepts_in, stem

_REACH = 32
_ROLE_ORDER = (
    EntityRole.ALERT,
    EntityRole.SERVICE,
    EntityRole.POOL,
    EntityRole.HOST,
    EntityRole.FILE,
    EntityRole.IDENTIFIER,
)
_TOKEN = re.compile(r"[A-Za-z0-9_/\\][A-Za-z0-9_./:@\\+#%?&=$-]{0,120}")
_SLOT_BEFORE = re.compile(
    r"(?:(?<![\w-])(?:service|app|application|deployment|component)\s+|服务\s?|应用\s?)$", re.IGNORECASE
)
_THING_BEFORE = re.compile(
    r"(?:(?<![\w-])(?:pool|database|host|server|node|topic|queue|table|index|volume|bucket|certificate|pod|container|job|disk)\s+"
    r"|(?:池|库|主机|服务器|节点|主题|队列|表|证书|容器|磁盘|任务)\s?)$",
    re.IGNORECASE,
)
_PLACE_BEFORE = re.compile(r"\b(?:of|for|from|in|on|by|at)\s+(?:the\s+)?$", re.IGNORECASE)
_CAMEL = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+")
_SHORT_PART = 2
# `node-a` is a name, `re-try` is none.
_FIRST_PARTS = frozenset("re pre non co on in up to by so at off over out self auto multi anti de un e i x add".split())
_MEASURE = re.compile(r"\d+(?:\.\d+)?(?:ms|s|m|h|d|kb|mb|gb|tb|kib|mib|gib|%|x)?", re.IGNORECASE)


def find_entities(
    text: str, known: Mapping[EntityRole, frozenset[str]]
) -> tuple[tuple[Entity, ...], list[tuple[int, int]]]:
    """The names in `text` in order, each once, and where they stand. Linear in the text and in the known names."""
    found: list[tuple[int, int, Entity]] = _known_names(text, known)
    taken = [(start, end) for start, end, _ in found]
    for token in _TOKEN.finditer(text):
        start, word = token.start(), token[0].rstrip(".:,?&=-")
        end = start + len(word)
        if not word or any(start < stop and begin < end for begin, stop in taken):
            continue
        entity = _by_shape(text, start, end, word, known)
        if entity is not None:
            found.append((start, end, entity))
    found.sort(key=lambda entry: entry[0])
    entities = tuple(dict.fromkeys(entity for _, _, entity in found))
    return entities, [(start, end) for start, end, _ in found]


def near_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that is at most two edits away from `name`; None when there is none, or more than one."""
    near = sorted(other for other in known if _within_two_edits(name.lower(), other.lower()))
    return near[0] if len(near) == 1 else None


def has_name(text: str, name: str) -> bool:
    """Whether `text` has `name` as a whole: not inside a longer name (`cart` is not in `cart-api`)."""
    return find_name(text.lower(), name.lower()) is not None


def find_name(lowered: str, name: str, start: int = 0) -> int | None:
    """Where a lower-cased text has a lower-cased name as a whole, at or behind `start`, or None."""
    position = lowered.find(name, start)
    while position >= 0:
        end = position + len(name)
        before = lowered[position - 1] if position else " "
        after = lowered[end] if end < len(lowered) else " "
        if not _inside(before) and not (_inside(after) and after not in "/"):
            return position
        position = lowered.find(name, position + 1)
    return None


def find_all(lowered: str, name: str) -> list[tuple[int, int]]:
    """Every place where a lower-cased text has a lower-cased name as a whole."""
    out: list[tuple[int, int]] = []
    offset = 0
    while (position := find_name(lowered, name, offset)) is not None:
        out.append((position, position + len(name)))
        offset = position + len(name)
    return out


def _inside(character: str) -> bool:
    """Whether a character next to a name makes it part of a longer one."""
    return character.isascii() and (character.isalnum() or character in "_-")


def _known_names(text: str, known: Mapping[EntityRole, frozenset[str]]) -> list[tuple[int, int, Entity]]:
    lowered = "".join(low if len(low := character.lower()) == 1 else character for character in text)
    names = [(name, role) for role in _ROLE_ORDER for name in known.get(role, frozenset()) if len(name) > 1]
    names.sort(key=lambda entry: -len(entry[0]))
    found: list[tuple[int, int, Entity]] = []
    for name, role in names:
        position = _find_alone(lowered, name.lower())
        if position is None:
            continue
        end = position + len(name)
        if all(end <= start or position >= stop for start, stop, _ in found):
            found.append((position, end, Entity(name=name, role=role)))
    return found


def _find_alone(lowered: str, name: str) -> int | None:
    """Where a name stands alone in a question: as a whole, and no part of a path, an address or a host."""
    offset = 0
    while (position := find_name(lowered[offset:], name)) is not None:
        start, end = offset + position, offset + position + len(name)
        before, after = lowered[start - 1 : start], lowered[end : end + 2]
        inside = before in ("/", ".", "@", ":") and start > 1 and not lowered[start - 2].isspace()
        leading = before == "/" or after[:1] in ("/", "@") or (after[:1] in (".", ":") and after[1:].isalnum())
        if not inside and not leading:
            return start
        offset = end
    return None


def _by_shape(text: str, start: int, end: int, word: str, known: Mapping[EntityRole, frozenset[str]]) -> Entity | None:
    lowered, before = word.lower(), text[max(0, start - _REACH) : start]
    services = known.get(EntityRole.SERVICE, frozenset())
    in_slot = bool(_SLOT_BEFORE.search(before))
    if "=" in word or _MEASURE.fullmatch(word) or lowered in word_set("plain_hyphen"):
        return _number_name(text, start, word)
    if in_slot and _may_name(word):
        return Entity(name=word, role=EntityRole.SERVICE, known=not services and not known)
    if _is_concept(word):
        return None
    if any(character in word for character in "/\\@:") or _is_dotted(word):
        return Entity(name=word, role=EntityRole.IDENTIFIER)
    if "-" in word and not word.replace("-", "").isdigit():
        return _hyphenated(word, before, services, nothing_known=not known)
    if _CAMEL.fullmatch(word) or "_" in word or (any(c.isdigit() for c in word) and any(c.isalpha() for c in word)):
        return Entity(name=word, role=EntityRole.IDENTIFIER)
    placed = _PLACE_BEFORE.search(before) and not _has_noun_behind(text, end)
    return Entity(name=word, role=EntityRole.IDENTIFIER) if placed and _may_name(word) else None


def _may_name(word: str) -> bool:
    """Whether a plain word may be a name: no word of asking, no concept but a thing, and not too short."""
    stopwords = word_set("stopword_en")
    if len(word) < 3 or word.lower() in stopwords or stem(word) in stopwords:
        return False
    kinds = {found.concept.kind for found in concepts_in(word) if found.end == len(word)}
    return kinds <= {"thing", "unit"}


def _hyphenated(word: str, before: str, services: frozenset[str], *, nothing_known: bool) -> Entity | None:
    parts = word.lower().split("-")
    part_of_known = any(word.lower().startswith(f"{name.lower()}-") for name in services)
    if part_of_known or _THING_BEFORE.search(before):
        return Entity(name=word, role=EntityRole.IDENTIFIER)
    if parts[-1] in word_set("service_end") or near_name(word, services) is not None:
        return Entity(name=word, role=EntityRole.SERVICE, known=nothing_known)
    lettered = any(len(part) <= _SHORT_PART for part in parts) and parts[0] not in _FIRST_PARTS
    named = lettered or any(character.isdigit() for character in word)
    return Entity(name=word, role=EntityRole.IDENTIFIER) if named else None


def _number_name(text: str, start: int, word: str) -> Entity | None:
    """`88101` of "order 88101": a noun and a number name something; a bare number does not."""
    if not word.isdigit() or len(word) < 4:
        return None
    before = text[max(0, start - _REACH) : start].rstrip()
    noun = re.search(r"([A-Za-z]{3,20}|订单|工单|请求|任务|编号|单号)\s?#?$", before)
    if noun is None or noun[1].lower() in word_set("stopword_en"):
        return None
    return Entity(name=word, role=EntityRole.IDENTIFIER)


def _is_concept(word: str) -> bool:
    return any(found.start == 0 and found.end == len(word) for found in concepts_in(word))


def _is_dotted(word: str) -> bool:
    parts = word.split(".")
    return len(parts) > 1 and all(parts)


def _has_noun_behind(text: str, end: int) -> bool:
    """Whether a known word follows directly: then the word before it is an adjective, not a name."""
    following = re.match(r"\s+([A-Za-z]{3,30})", text[end:])
    return following is not None and following[1].lower() not in word_set("stopword_en")


def _within_two_edits(first: str, second: str) -> bool:
    if first == second or abs(len(first) - len(second)) > 2 or len(first) > 80 or len(first) < 5:
        return False
    if len(set(first) ^ set(second)) > 4:
        return False
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, start=1):
        previous, row[0] = row[0], i
        for j, b in enumerate(second, start=1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1] <= 2
