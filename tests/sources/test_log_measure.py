"""The quick count of a block's records says what cutting the block up says, and a record without end stays cheap."""

import gzip
import time
from datetime import UTC
from pathlib import Path

import pytest

from superbizagent.sources.log_forms import (
    Seconds,
    detect,
    last_start,
    measure,
    span_of,
    span_of_measure,
    split_block,
)
from tests.sources.opened import DATA, asked

EVALS = DATA.parents[1] / "evals"
FILES = sorted(
    path
    for place in (DATA, EVALS)
    for path in place.rglob("*")
    if path.name.endswith((".log", ".log.gz", ".jsonl", ".log.1")) and "logs" in path.parts
)
ODD = [
    b"\n", b"\n\n", b"    indented\n", b"\tat a.B(C.java:1)\n", b"Caused by: x\n", b"plain words\n", b"{\"ts\": 1}\n", b"{\n",
    b"2026-11-30 23:10:19 other form\n", b"10.0.0.1 - - [30/Nov/2026:23:10:19 +0000] \"GET / HTTP/1.1\" 200\n", b"[\n", b"2\n",
    b"2026-11-30T23:10:19.5Z a\n", b"no end [", b"\x0b2026-11-30\n",
]  # fmt: skip


def agree(lines: list[bytes], text: bytes) -> bool:
    """Whether the quick count was possible; where it was, it must be right."""
    form = detect(lines)
    measured = measure(form, text)
    if measured is None:
        return False
    split = split_block(form, text)
    stamped = form.kind == "stamped"
    assert measured.records == len(split.starts)
    assert span_of_measure(measured, Seconds(UTC, None)) == span_of(split, Seconds(UTC, None), stamped=stamped)
    return True


def content(path: Path) -> list[bytes]:
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return data.splitlines(keepends=True)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.parent.name}/{path.name}")
def test_quick_count_of_a_real_log_is_the_exact_one(path: Path) -> None:
    lines = content(path)
    sample = [line.rstrip(b"\n") for line in lines[:400]]
    agree(sample, b"".join(lines))
    for number, odd in enumerate(ODD):
        for place in (0, len(lines) // 2, len(lines)):
            some = [*lines[max(0, place - 40 - number) : place], odd, odd, *lines[place : place + 40]]
            agree(sample, b"".join(some))


def test_quick_count_is_possible_for_the_usual_forms() -> None:
    possible = [
        path.name
        for path in FILES
        if agree([line.rstrip(b"\n") for line in content(path)[:400]], b"".join(content(path)))
    ]
    assert len(possible) >= len(FILES) // 2, possible


def seconds_to_find_no_start(lines: int) -> float:
    form = detect([b"2026-11-30 23:10:19.078 ERROR [t] a.B - x"] * 3)
    text = bytearray()
    started = time.process_time()
    for _ in range(lines // 1000):
        known = len(text)
        text += b"\tat a.b.C.m(C.java:1)\n" * 1000
        assert last_start(form, text, known) == 0
    return time.process_time() - started


def test_record_that_grows_is_looked_through_once() -> None:
    short, long = seconds_to_find_no_start(20_000), seconds_to_find_no_start(200_000)
    assert long < max(short, 0.02) * 40


async def test_two_records_with_traces_of_half_a_million_lines_are_searched_in_seconds(tmp_path: Path) -> None:
    with (tmp_path / "app.log").open("w") as log:
        for number in range(2):
            log.write(f"2026-11-30T23:10:1{number}.078Z ERROR [t] a.B - request {number} failed\n")
            log.writelines("\tat a.b.C.m(C.java:1)\n" for _ in range(500_000))
        log.write("2026-11-30T23:10:19.078Z ERROR [t] a.B - after them\n")
    started = time.process_time()
    page = await asked(tmp_path, "after them")
    assert len(page.items) == 1
    # What a record of more than the longest line leaves behind is a record of its own.
    assert page.searched.records_searched in (3, 4, 5)
    assert time.process_time() - started < 4
