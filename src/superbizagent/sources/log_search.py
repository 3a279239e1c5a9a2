"""The search through log files: block by block, looking closely only at what may match.

Decides for each record whether it matches a query made ready (`Wanted`), counts every record that was looked at, and
hands the matching ones to a `Selection`. The order of the work is the order of cost: the window chooses blocks by what
the index knows, a byte search rules out blocks without the terms, and only then records are told apart and looked at.
It refuses to keep anything itself: memory is one block and the selection. Protocol: section 2.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

from superbizagent.contract.evidence import Window
from superbizagent.sources.log_forms import Kind, Seconds, Split, record_around, split_block
from superbizagent.sources.log_index import Block, FileIndex, record_offsets, reread
from superbizagent.sources.log_levels import level_digits, level_of, rank_of
from superbizagent.sources.log_record import fields_of, one_line, service_of
from superbizagent.sources.log_selection import Candidate, Selection
from superbizagent.sources.log_terms import BlockTerms, Term, Words
from superbizagent.sources.regular_files import FoundFile

_LARGE_RECORD = 1 << 16
_FEW = 64
_SECOND_BYTES = 100
# How much of a line makes its template, and what is taken out of it: digits; what hexadecimal ids are spelled with; and
# where even that leaves too many, only the first words count.
_TEMPLATES = ((240, b"0123456789"), (240, b"0123456789abcdefABCDEF"), (40, b"0123456789abcdefABCDEF"))
_MANY_TEMPLATES = 500


class Bounds(NamedTuple):
    """A window in whole epoch seconds; the microseconds decide within the first and the last second."""

    since: int | None = None
    since_micro: int = 0
    until: int | None = None
    until_micro: int = 0

    @property
    def bounded(self) -> bool:
        """Whether a record without a time is outside."""
        return self.since is not None or self.until is not None

    def covers(self, block: Block) -> bool:
        """Whether every record with a time is inside."""
        return (
            block.first is not None
            and block.last is not None
            and (self.since is None or block.first > self.since)
            and (self.until is None or block.last < self.until)
        )

    def misses(self, block: Block) -> bool:
        """Whether no record of the block is inside."""
        return (
            block.first is None
            or block.last is None
            or (self.since is not None and block.last < self.since)
            or (self.until is not None and block.first > self.until)
        )


def bounds_of(window: Window) -> Bounds:
    """A window as bounds; a naive end is read as UTC."""
    since, since_micro = _split(window.since)
    until, until_micro = _split(window.until)
    return Bounds(since, since_micro, until, until_micro)


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _split(moment: datetime | None) -> tuple[int | None, int]:
    if moment is None:
        return None, 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    span = moment - _EPOCH
    return span // timedelta(seconds=1), span.microseconds


@dataclass
class Wanted:
    """A query made ready: every group needs one of its terms; `bearing` groups count towards the match.

    `service`, case-folded, is compared with a record's own service, or its file's where a record has none.
    """

    groups: Sequence[Sequence[Term]]
    bearing: Sequence[Sequence[Term]]
    level: int | None
    bounds: Bounds
    service: str | None = None

    @property
    def patterns(self) -> list[re.Pattern[bytes]]:
        """What must stay visible when a record is shortened."""
        return [one for group in (*self.groups, *self.bearing) for term in group for one in term.patterns]


@dataclass
class Seen:
    """What was looked at: records inside the window, records left out of it for want of a time, and the like."""

    searched: int = 0
    untimed: int = 0
    without_level: int = 0
    of_no_service: int = 0


class Scope(NamedTuple):
    """One file to search. `service` is that of its records without one of their own; `whole` takes all its records."""

    number: int
    file: FoundFile
    facts: FileIndex
    service: str | None
    whole: bool


def search_file(scope: Scope, wanted: Wanted, selection: Selection, seen: Seen, check: Callable[[], None]) -> None:
    """Search one file; `check` is called between blocks and raises to stop."""
    bounds = wanted.bounds
    index = scope.facts
    groups = [*wanted.groups, *_service_group(scope, wanted)]

    def needed(block: Block) -> bool:
        """Whether the block has to be read; if not, its records are counted here."""
        if bounds.bounded and bounds.misses(block):
            seen.untimed += block.untimed
            return False
        partly = bounds.bounded and not bounds.covers(block)
        if not partly and any(block.words.lacks_all(group) for group in groups):
            _count_whole(block, bounds, seen)
            return False
        return True

    for block, text in reread(scope.file, index, needed):
        check()
        low = text.lower()
        terms = BlockTerms(low, block.words, groups)
        hopeless = not all(terms.has_any(group) for group in groups)
        partly = bounds.bounded and not bounds.covers(block)
        if hopeless and not partly:
            _count_whole(block, bounds, seen)
            continue
        few = None if partly or not groups else _few_records(scope, text, terms, groups)
        if few is None:
            _BlockSearch(scope, text, wanted, seen, _lines_from(block)).run(block, terms, selection, hopeless=hopeless)
            continue
        _count_whole(block, bounds, seen)
        for start, record in few:
            inner = BlockTerms(record.lower(), Words(ascii_only=False), ())
            line_of = partial(_same_line, block.line + text.count(b"\n", 0, start))
            _BlockSearch(scope, record, wanted, seen, line_of).run(None, inner, selection, hopeless=False)


def _same_line(line: int, _: int) -> int:
    return line


def _lines_from(block: Block) -> Callable[[int], int]:
    return lambda line: block.line + line


def _few_records(
    scope: Scope, text: bytes, terms: BlockTerms, groups: Sequence[Sequence[Term]]
) -> list[tuple[int, bytes]] | None:
    """The records that have a term of the rarest group, each with where it begins; None when they are not few.

    Telling all the records of a block apart costs a hundred times what a few of them do.
    """
    places: list[int] | None = None
    for group in groups:
        found = terms.few_places(group, _FEW if places is None else len(places))
        places = found if found is not None else places
    if places is None:
        return None
    form = scope.facts.form
    records: list[tuple[int, bytes]] = []
    end = 0
    for place in places:
        if place < end:
            continue
        start, end = record_around(form, text, place)
        records.append((start, text[start:end]))
    return records


def _service_group(scope: Scope, wanted: Wanted) -> list[list[Term]]:
    """A record that names its service has the name in it: what rules out blocks where all files' records do so."""
    if wanted.service is None or scope.whole or scope.service is not None:
        return []
    return [[Term(wanted.service)]]


def _count_whole(block: Block, bounds: Bounds, seen: Seen) -> None:
    untimed = block.untimed if bounds.bounded else 0
    seen.untimed += untimed
    seen.searched += block.records - untimed


class _BlockSearch:
    """The close look at one block."""

    def __init__(self, scope: Scope, text: bytes, wanted: Wanted, seen: Seen, line_of: Callable[[int], int]) -> None:
        self._scope = scope
        self._line_of = line_of
        self._text = text
        self._wanted = wanted
        self._seen = seen
        self._split = split_block(scope.facts.form, text)
        self._offsets = record_offsets(self._split)
        self._seconds: Seconds = scope.facts.seconds

    def run(self, block: Block | None, terms: BlockTerms, selection: Selection, *, hopeless: bool) -> None:
        """Count the records inside the window, and offer the matching ones; without a block all are inside."""
        inside = None if block is None else self._inside(block)
        if hopeless:
            return
        chosen: set[int] | None = inside
        for group in self._wanted.groups:
            found = terms.records_of(group, self._offsets)
            chosen = found if chosen is None else chosen & found
            if not chosen:
                return
        numbers = range(len(self._offsets)) if chosen is None else sorted(chosen)
        scores = [terms.records_of(group, self._offsets) for group in self._wanted.bearing if terms.has_any(group)]
        by_score: dict[int, list[int]] = {0: list(numbers)}
        if scores:
            by_score = {}
            for number in numbers:
                by_score.setdefault(sum(number in found for found in scores), []).append(number)
        for score, equal in by_score.items():
            for template, members in self._by_template(equal).items():
                self._offer(score, template, members, selection)

    def _by_template(self, numbers: list[int]) -> dict[bytes, list[int]]:
        """Records by what is left of them when digits are taken out: they share level and kind."""
        lines, starts, heads = self._split
        facts = self._scope.facts
        stamped = facts.form.kind is Kind.STAMPED
        cuts = [head.end() if stamped and (head := heads[number]) is not None else 0 for number in numbers]
        firsts = [lines[starts[number]] for number in numbers]
        marks = [level_digits(line, facts.level_digits) for line in firsts] if facts.level_digits else None
        traces = len(starts) < len(lines)
        while True:
            width, left_out = _TEMPLATES[facts.template]
            parts = [line[cut : cut + width].translate(None, left_out) for line, cut in zip(firsts, cuts, strict=True)]
            if marks is not None:
                parts = [mark + part for mark, part in zip(marks, parts, strict=True)]
            if traces:
                # The second line of a trace names what was thrown.
                parts = [
                    part + self._second_line(number).translate(None, left_out)
                    for number, part in zip(numbers, parts, strict=True)
                ]
            members = _grouped(numbers, parts)
            if len(members) <= _MANY_TEMPLATES:
                return members
            if facts.template == len(_TEMPLATES) - 1:
                # Nothing but their level is left to tell such records apart.
                levels = [level_of(line, cut) for line, cut in zip(firsts, cuts, strict=True)]
                return _grouped(numbers, [b"" if level is None else b"%d" % level for level in levels])
            # The file's records differ in ids that are spelled with letters too.
            facts.template += 1

    def _second_line(self, number: int) -> bytes:
        lines, starts, _ = self._split
        behind = starts[number] + 1
        end = starts[number + 1] if number + 1 < len(starts) else len(lines)
        return lines[behind][:_SECOND_BYTES] if behind < end else b""

    def _inside(self, block: Block) -> set[int] | None:
        """The records inside the window (None: all of them), all of them counted."""
        bounds = self._wanted.bounds
        records = len(self._offsets)
        if not bounds.bounded:
            self._seen.searched += records
            return None
        if bounds.covers(block) and not block.untimed:
            self._seen.searched += records
            return None
        inside = set()
        for number in range(records):
            second = self.second(number)
            if second is None:
                self._seen.untimed += 1
            elif (bounds.since is None or second >= bounds.since) and (bounds.until is None or second <= bounds.until):
                if second in (bounds.since, bounds.until) and not self._within_second(number, second):
                    continue
                inside.add(number)
        self._seen.searched += len(inside)
        return inside

    def _within_second(self, number: int, second: int) -> bool:
        bounds = self._wanted.bounds
        micro = micro_of(self._split, number)
        if second == bounds.since and micro < bounds.since_micro:
            return False
        return not (second == bounds.until and micro > bounds.until_micro)

    def second(self, number: int) -> int | None:
        """The second in which a record was written."""
        head = self._split.heads[number]
        if head is not None:
            return self._seconds[head.group(1, 2)]
        if self._scope.facts.form.kind is not Kind.STAMPED:
            return None
        return self._seconds.of_line(self._split.lines[self._split.starts[number]])

    def _offer(self, score: int, template: bytes, numbers: list[int], selection: Selection) -> None:
        """Offer records of one template; the newest of them says how severe they are."""
        wanted = self._wanted
        record, head_end = self._record(numbers[-1])
        level = level_of(record, head_end)
        rank = rank_of(record, level)
        if wanted.level is not None and (rank if level is None else level) > wanted.level:
            self._seen.without_level += len(numbers) if level is None else 0
            return
        if wanted.service is not None and not self._scope.whole:
            numbers = [number for number in numbers if self._of_service(number)]
            if not numbers:
                return
        key = (score, rank, template)
        depth = selection.depth(key)
        newest = [self._candidate(number) for number in numbers[-depth:]]
        first = newest[0] if len(numbers) <= depth else self._candidate(numbers[0])
        selection.add(key, len(numbers), first, newest)

    def _record(self, number: int) -> tuple[bytes, int]:
        """A record, and where its stamp ends."""
        start = self._offsets[number]
        end = self._offsets[number + 1] if number + 1 < len(self._offsets) else len(self._text)
        head = self._split.heads[number]
        stamped = head is not None and self._scope.facts.form.kind is Kind.STAMPED
        return self._text[start:end].rstrip(), head.end() if stamped and head is not None else 0

    def _candidate(self, number: int) -> Candidate:
        record, head_end = self._record(number)
        if len(record) > _LARGE_RECORD:
            record = one_line(record, self._wanted.patterns).encode("utf-8")
        place = (self._scope.number, self._line_of(self._split.starts[number]))
        return Candidate(self.second(number), place, record, head_end)

    def _of_service(self, number: int) -> bool:
        facts = self._scope.facts
        line = self._split.lines[self._split.starts[number]]
        own: str | None = None
        if facts.service_fields:
            for pattern in facts.service_fields:
                found = pattern.search(line)
                if found is not None:
                    own = found[1].decode("utf-8", "replace").removesuffix(".service")
                    break
        else:
            text = line[:_LARGE_RECORD].decode("utf-8", "replace")
            own = service_of(text, fields_of(text))
        own = own or self._scope.service
        if own is None:
            self._seen.of_no_service += 1
            return False
        return own.casefold() == self._wanted.service


def _grouped(numbers: Sequence[int], keys: Sequence[bytes]) -> dict[bytes, list[int]]:
    members: dict[bytes, list[int]] = {}
    for number, key in zip(numbers, keys, strict=True):
        members.setdefault(key, []).append(number)
    return members


def last_micro(file: FoundFile, index: FileIndex, second: int) -> int:
    """The microseconds of the newest record of a second, in a file whose index is known."""
    newest = 0
    for _, text in reread(file, index, lambda block: block.last == second):
        split = split_block(index.form, text)
        for number, head in enumerate(split.heads):
            if head is not None and index.seconds[head.group(1, 2)] == second:
                newest = max(newest, micro_of(split, number))
    return newest


def micro_of(split: Split, number: int) -> int:
    """The microseconds of a record's stamp; 0 where it has no fraction."""
    head = split.heads[number]
    if head is None:
        return 0
    digits = head.string[head.end(1) : head.start(2)].strip(b".,:")
    return int(digits[:6].ljust(6, b"0")) if digits.isdigit() else 0
