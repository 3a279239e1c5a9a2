"""Which of the matching records are kept when there are more than may be returned.

Decides on purpose, never by position: records are grouped by their template (what is left when numbers and ids are
taken out), the groups are put in the order of how well they match, how severe they are and how new, and each group
gives its newest record, then its first one, then more, so that 300 equal timeouts cannot crowd out the one different
error. It refuses to hide the choice: each kept record says how many matching records share its template. Memory is
bounded by what may be returned, never by what matches; the same records always give the same choice. Protocol:
section 2 (`truncated`, with the kept part chosen on purpose).
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

KEPT_BY_MATCH = "the best matches first, then the most severe, then the newest; one of each kind before a second"
KEPT_BY_SEVERITY = "the most severe first, then the newest; one of each kind before a second"

_MAX_GROUPS = 2_000
_DEEP_GROUPS = 50
_TEMPLATE_BYTES = 400
_HEX = b"0123456789abcdefABCDEF"
_MERGED = 400
_MASKED = re.compile(r"[0-9]+|0x[0-9a-f]+", re.IGNORECASE)


class Candidate(NamedTuple):
    """A matching record: when and where it was written, and its bytes.

    `second` is None where no time is known; `place` orders records as they stand in the source: (file, line).
    """

    second: int | None
    place: tuple[int, int]
    record: bytes
    head_end: int

    @property
    def newness(self) -> tuple[int, tuple[int, int]]:
        """Higher is newer; without a time, what stands later."""
        return (-1 if self.second is None else self.second, self.place)


class Kept(NamedTuple):
    """A record that is returned, and how many matching records share its template, itself among them."""

    candidate: Candidate
    similar: int


Key = tuple[int, int, bytes]
"""How well records match (higher is better), how severe they are (lower is worse), and their template."""


class _Group:
    """The records of one key: how many, the first, and the newest few."""

    def __init__(self, depth: int, first: Candidate) -> None:
        self.count = 0
        self.depth = depth
        self.first = first
        self.newest: list[Candidate] = []

    def add(self, count: int, first: Candidate, newest: Sequence[Candidate]) -> None:
        self.count += count
        self.first = min(self.first, first, key=_age)
        self.newest = sorted([*self.newest, *newest], key=lambda one: one.newness)[-self.depth :]


def _age(candidate: Candidate) -> tuple[int, tuple[int, int]]:
    """Lower is older; a record without a time is as old as its place says."""
    return (candidate.second or 0, candidate.place)


class Selection:
    """Takes in every matching record, by template, and gives back the ones worth returning."""

    def __init__(self, limit: int, *, by_match: bool) -> None:
        self._limit = limit
        self._by_match = by_match
        self._groups: dict[Key, _Group] = {}
        self.matched = 0

    @property
    def kept_by(self) -> str:
        """How the kept part was chosen, in one phrase."""
        return KEPT_BY_MATCH if self._by_match else KEPT_BY_SEVERITY

    def depth(self, key: Key) -> int:
        """How many of the newest records of a key are worth handing in."""
        group = self._groups.get(key)
        if group is not None:
            return group.depth
        return self._limit if len(self._groups) < _DEEP_GROUPS else 2

    def add(self, key: Key, count: int, first: Candidate, newest: Sequence[Candidate]) -> None:
        """Take in `count` matching records of one key: the first of them, and the newest, oldest first."""
        self.matched += count
        group = self._groups.get(key)
        if group is None and len(self._groups) >= _MAX_GROUPS:
            # Too many templates to tell apart: those that begin alike are one, and in the end all of one severity.
            score, rank, template = key
            key = (score, rank, b"\0" + template.translate(None, _HEX)[:24])
            if key not in self._groups and len(self._groups) >= 2 * _MAX_GROUPS:
                key = (score, rank, b"\0")
            group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = _Group(self.depth(key), first)
        group.add(count, first, newest)

    def kept(self) -> list[Kept]:
        """At most `limit` records, in the order of their time (those without a time in the order of the source)."""
        groups = self._ordered(self._groups.items())
        if len(groups) * 2 > self._limit:
            groups = self._ordered(_merged(groups))
        chosen: dict[tuple[int, int], Kept] = {}
        for candidate, count in _in_turns([group for _, group in groups]):
            if len(chosen) >= self._limit:
                break
            chosen.setdefault(candidate.place, Kept(candidate, count))
        return _in_time_order(chosen.values())

    def _ordered(self, groups: Iterable[tuple[Key, _Group]]) -> list[tuple[Key, _Group]]:
        def worth(item: tuple[Key, _Group]) -> tuple[int, int, int, tuple[int, int]]:
            (score, rank, _), group = item
            second, (file, line) = group.newest[-1].newness
            return (-score if self._by_match else 0, rank, -second, (-file, -line))

        return sorted(groups, key=worth)


def _in_turns(groups: Sequence[_Group]) -> Iterable[tuple[Candidate, int]]:
    """The newest of every group, then the first of every group, then the rest of each group in turn."""
    for group in groups:
        yield group.newest[-1], group.count
    for group in groups:
        yield group.first, group.count
    for group in groups:
        for candidate in reversed(group.newest):
            yield candidate, group.count


def _in_time_order(kept: Iterable[Kept]) -> list[Kept]:
    """By time; a record without one keeps its place behind the record before it in its file."""
    by_place = sorted(kept, key=lambda one: one.candidate.place)
    seconds: list[int] = []
    last: tuple[int, int] = (-1, -1)
    for one in by_place:
        file = one.candidate.place[0]
        second = one.candidate.second
        if second is None:
            second = last[1] if last[0] == file else -1
        last = (file, second)
        seconds.append(second)
    order = sorted(range(len(by_place)), key=lambda index: (seconds[index], index))
    return [by_place[index] for index in order]


def _merged(groups: Sequence[tuple[Key, _Group]]) -> list[tuple[Key, _Group]]:
    """Groups whose records differ in ids that are no numbers (names, hashes) become one, by the Drain algorithm."""
    from drain3.drain import Drain

    miner = Drain(depth=5, sim_th=0.6, max_children=100)
    by_cluster: dict[tuple[int, int, int], _Group] = {}
    merged: list[tuple[Key, _Group]] = []
    for key, group in groups[:_MERGED]:
        score, rank, _ = key
        newest = group.newest[-1]
        text = newest.record[newest.head_end : newest.head_end + _TEMPLATE_BYTES].decode("utf-8", "replace")
        first, _, rest = text.partition("\n")
        cluster, _ = miner.add_log_message(f"{rank} {_MASKED.sub('0', first)} {rest.partition(':')[0]}")
        number = (score, rank, int(cluster.cluster_id))
        known = by_cluster.get(number)
        if known is None:
            by_cluster[number] = group
            merged.append((key, group))
        else:
            known.add(group.count, group.first, group.newest)
    return [*merged, *groups[_MERGED:]]
