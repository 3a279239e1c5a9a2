"""Which of the matching records are kept when there are more than may be returned.

Decides on purpose, never by position: records are grouped by their template (what is left when numbers and ids are
taken out), the groups are put in the order of how well they match, how severe they are and how new, and each group
gives its newest record, then its first one, then more, so that 300 equal timeouts cannot crowd out the one different
error. It refuses to hide the choice: each kept record says how many matching records share its template. Memory is
bounded by what may be returned, never by what matches; the same records always give the same choice. Protocol:
section 2 (`truncated`, with the kept part chosen on purpose).
"""

import heapq
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

KEPT_BY_MATCH = "the best matches first, then the most severe, then the newest; one of each kind before a second"
KEPT_BY_SEVERITY = "the most severe first, then the newest; one of each kind before a second"

_MAX_GROUPS = 2_000
_DEEP_GROUPS = 50
_TEMPLATE_BYTES = 400
_DIGITS = b"0123456789"
_HEX = b"0123456789abcdefABCDEF"
_MERGED = 400
_MASKED = re.compile(r"[0-9]+|0x[0-9a-f]+", re.IGNORECASE)


class Candidate(NamedTuple):
    """A matching record: how good a match (higher is better), how severe (lower is worse), when, where, and its bytes.

    `second` is None where no time is known; `place` orders records as they stand in the source: (file, line).
    """

    score: int
    rank: int
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


class _Group:
    """The records of one template and severity: how many, the first, and the newest few."""

    def __init__(self, depth: int) -> None:
        self.count = 0
        self.depth = depth
        self.first: Candidate | None = None
        self._newest: list[tuple[int, tuple[int, tuple[int, int]], Candidate]] = []

    def add(self, candidate: Candidate) -> None:
        self.count += 1
        if self.first is None or _earlier(candidate, self.first):
            self.first = candidate
        entry = (candidate.score, candidate.newness, candidate)
        if len(self._newest) < self.depth:
            heapq.heappush(self._newest, entry)
        elif entry[:2] > self._newest[0][:2]:
            heapq.heapreplace(self._newest, entry)

    def absorb(self, other: "_Group") -> None:
        """Take over a group that turned out to have the same template."""
        count = self.count + other.count
        for candidate in other.best():
            self.add(candidate)
        if other.first is not None and (self.first is None or _earlier(other.first, self.first)):
            self.first = other.first
        self.count = count

    def best(self) -> list[Candidate]:
        """The kept records, the best match and newest first."""
        return [entry[2] for entry in sorted(self._newest, key=lambda entry: entry[:2], reverse=True)]


def _earlier(first: Candidate, second: Candidate) -> bool:
    return (first.second or 0, first.place) < (second.second or 0, second.place)


def _template_part(candidate: Candidate) -> bytes:
    """What tells templates apart: the record's first two lines behind its stamp (a trace's second line names it)."""
    part = candidate.record[candidate.head_end : candidate.head_end + _TEMPLATE_BYTES]
    second = part.find(b"\n", part.find(b"\n") + 1) if b"\n" in part else -1
    return part if second < 0 else part[:second]


class Selection:
    """Takes in every matching record and gives back the ones worth returning."""

    def __init__(self, limit: int, *, by_match: bool) -> None:
        self._limit = limit
        self._by_match = by_match
        self._groups: dict[tuple[int, bytes], _Group] = {}
        self.matched = 0

    @property
    def kept_by(self) -> str:
        """How the kept part was chosen, in one phrase."""
        return KEPT_BY_MATCH if self._by_match else KEPT_BY_SEVERITY

    def add(self, candidate: Candidate) -> None:
        """Take in one matching record."""
        self.matched += 1
        line = _template_part(candidate)
        key = (candidate.rank, line.translate(None, _DIGITS))
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= _MAX_GROUPS:
                key = (candidate.rank, b"\0" + line.translate(None, _HEX)[:24])
                group = self._groups.get(key)
                if group is None and len(self._groups) >= 2 * _MAX_GROUPS:
                    key = (candidate.rank, b"\0")
                    group = self._groups.get(key)
            if group is None:
                depth = self._limit if len(self._groups) < _DEEP_GROUPS else 2
                group = self._groups[key] = _Group(depth)
        group.add(candidate)

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

    def _ordered(self, groups: Iterable[tuple[tuple[int, bytes], _Group]]) -> list[tuple[tuple[int, bytes], _Group]]:
        def worth(item: tuple[tuple[int, bytes], _Group]) -> tuple[int, int, int, tuple[int, int]]:
            (rank, _), group = item
            best = group.best()[0]
            second, (file, line) = best.newness
            return (-best.score if self._by_match else 0, rank, -second, (-file, -line))

        return sorted(groups, key=worth)


def _in_turns(groups: Sequence[_Group]) -> Iterable[tuple[Candidate, int]]:
    """The newest of every group, then the first of every group, then the rest of each group in turn."""
    bests = [(group, group.best()) for group in groups]
    for group, best in bests:
        yield best[0], group.count
    for group, _ in bests:
        if group.first is not None:
            yield group.first, group.count
    for group, best in bests:
        for candidate in best[1:]:
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


def _merged(
    groups: Sequence[tuple[tuple[int, bytes], _Group]],
) -> list[tuple[tuple[int, bytes], _Group]]:
    """Groups whose records differ in ids that are no numbers (names, hashes) become one, by the Drain algorithm."""
    from drain3.drain import Drain

    miner = Drain(depth=5, sim_th=0.6, max_children=100)
    by_cluster: dict[tuple[int, int], tuple[tuple[int, bytes], _Group]] = {}
    merged: list[tuple[tuple[int, bytes], _Group]] = []
    for (rank, key), group in groups[:_MERGED]:
        line = group.best()[0]
        text = line.record[line.head_end : line.head_end + _TEMPLATE_BYTES].split(b"\n")[0].decode("utf-8", "replace")
        cluster, _ = miner.add_log_message(f"{rank} {_MASKED.sub('0', text)}")
        number = (rank, int(cluster.cluster_id))
        known = by_cluster.get(number)
        if known is None:
            by_cluster[number] = ((rank, key), group)
            merged.append(((rank, key), group))
        else:
            known[1].absorb(group)
    return [*merged, *groups[_MERGED:]]
