"""Files of strangers: each ends in a sentence, in time, and takes nothing else with it."""

import asyncio
import bz2
import gzip
import io
import lzma
import os
import random
import socket
import time
from pathlib import Path

import pytest

from superbizagent.contract.errors import UnreadableInput
from superbizagent.ports import LogQuery
from superbizagent.rules.refs import item_text
from superbizagent.sources.log_stream import open_stream
from superbizagent.sources.regular_files import FoundFile, find_files, one_file
from tests.sources.opened import AT, asked, opened, written

LINE = "2026-11-30T23:09:28Z ERROR disk is gone\n"


def said(notes: list[str], *words: str) -> bool:
    return any(all(word in note for word in words) for note in notes)


async def test_link_out_of_the_folder_is_not_read(tmp_path: Path) -> None:
    written(tmp_path, {"outside/secret.log": LINE, "folder/app.log": LINE})
    (tmp_path / "folder" / "link.log").symlink_to(tmp_path / "outside" / "secret.log")
    (tmp_path / "folder" / "out").symlink_to(tmp_path / "outside")
    page = await asked(tmp_path / "folder", "disk")
    assert [item["file"] for item in page.items] == ["app.log"]
    assert said(page.searched.notes, "a link that leads out of the folder: link.log, out")


async def test_link_inside_the_folder_is_read_once(tmp_path: Path) -> None:
    written(tmp_path, {"a/app.log": LINE})
    (tmp_path / "current.log").symlink_to("a/app.log")
    (tmp_path / "loop").symlink_to("loop")
    page = await asked(tmp_path, "disk")
    assert page.searched.records_matched == 1
    assert said(page.searched.notes, "loop")


async def test_pipe_and_socket_are_skipped_without_waiting(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": LINE})
    os.mkfifo(tmp_path / "pipe.log")
    server = socket.socket(socket.AF_UNIX)
    try:
        server.bind(str(tmp_path / "sock"))
        page = await asyncio.wait_for(asked(tmp_path, "disk"), 5)
    finally:
        server.close()
    assert page.searched.records_matched == 1
    assert said(page.searched.notes, "a pipe: pipe.log")
    assert said(page.searched.notes, "a socket: sock")


def test_device_that_is_named_is_refused_in_a_sentence() -> None:
    with pytest.raises(UnreadableInput, match="null is a device, not a regular file"):
        one_file(Path("/dev/null"))


def test_folder_with_too_many_files_is_bounded_and_that_is_said(tmp_path: Path) -> None:
    written(tmp_path, {f"{number}.log": LINE for number in range(30)})
    found = find_files(tmp_path, limit=20)
    assert len(found.files) == 20
    assert said(found.notes, "more than 20 files", "10 of them were not read")


def test_folder_nested_without_end_is_bounded(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*(["d"] * 60))
    deep.mkdir(parents=True)
    (deep / "app.log").write_text(LINE)
    found = find_files(tmp_path)
    assert found.files == []
    assert said(found.notes, "folders deep")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (bytes(range(256)) * 50, "a binary file"),
        (b"\x7fELF" + b"\0" * 500, "a program"),
        (b"PK\x03\x04" + b"x" * 500, "a zip archive"),
        (b"%PDF-1.7\n" + b"x" * 500, "a PDF"),
        (b"\x28\xb5\x2f\xfd" + b"x" * 500, "zstd"),
    ],
)
async def test_file_that_is_no_text_is_skipped_and_noted(tmp_path: Path, content: bytes, reason: str) -> None:
    written(tmp_path, {"app.log": LINE, "other": content})
    page = await asked(tmp_path, "disk")
    assert page.searched.records_matched == 1
    assert said(page.searched.notes, reason, "other")


async def test_empty_file_is_noted(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": LINE, "empty.log": ""})
    assert said((await asked(tmp_path, "disk")).searched.notes, "empty.log: is empty")


@pytest.mark.parametrize(
    "packed",
    [
        gzip.compress(LINE.encode() * 3, mtime=0),
        gzip.compress(LINE.encode(), mtime=0) + gzip.compress(LINE.encode() * 2, mtime=0),
        gzip.compress(LINE.encode() * 3, mtime=0) + b"\0" * 512,
        bz2.compress(LINE.encode() * 3),
        lzma.compress(LINE.encode() * 3),
    ],
)
async def test_packed_file_is_searched(tmp_path: Path, packed: bytes) -> None:
    written(tmp_path, {"app.log.1.gz": packed})
    page = await asked(tmp_path, "disk")
    assert (page.searched.records_matched, page.searched.notes) == (3, [])


async def test_packed_file_that_is_cut_off_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    text = "".join(f"2026-11-30T23:09:28Z ERROR disk {number} is gone {number * 7919}\n" for number in range(20_000))
    packed = gzip.compress(text.encode())
    written(tmp_path, {"app.log.gz": packed[: len(packed) // 2]})
    page = await asked(tmp_path, "disk")
    assert 0 < (page.searched.records_matched or 0) < 20_000
    assert said(page.searched.notes, "its packed data ends early")


async def test_damaged_packed_file_is_a_sentence(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(LINE.encode() * 30_000))
    packed[200:260] = b"\xff" * 60
    written(tmp_path, {"app.log": LINE, "bad.log.gz": bytes(packed)})
    page = await asked(tmp_path, "disk")
    assert page.items
    assert said(page.searched.notes, "bad.log.gz", "damaged")


async def test_gzip_bomb_is_stopped_and_that_is_said(tmp_path: Path) -> None:
    line = b"a" * 1023 + b"\n"
    with gzip.open(tmp_path / "bomb.log.gz", "wb", compresslevel=9) as stream:
        for _ in range(100):
            stream.write(line * 1024)
    started = time.process_time()
    page = await asked(tmp_path, "disk")
    assert time.process_time() - started < 10
    assert page.items == []
    assert said(page.searched.notes, "bomb.log.gz: read only its first", "unpacks to far more than its size")


async def test_line_of_10_mb_is_searched_and_shown_shortened(tmp_path: Path) -> None:
    line = "2026-11-30T23:09:28Z ERROR " + "x" * 5_000_000 + " needle=7 " + "y" * 5_000_000
    written(tmp_path, {"app.log": LINE + line + "\n" + LINE})
    page = await asked(tmp_path, "needle=7")
    assert page.searched.records_searched == 3
    record = page.items[0]["record"]
    assert len(record) < 20_000
    assert "needle=7" in record
    assert " characters …]" in record


async def test_line_without_end_is_cut_and_that_is_said(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": b"x" * (20 << 20) + b"\n" + LINE.encode()})
    page = await asked(tmp_path, "disk")
    assert page.searched.records_matched == 1
    assert said(page.searched.notes, "a line of more than 16 MiB")


async def test_hundred_thousand_brackets_are_a_record_like_any_other(tmp_path: Path) -> None:
    written(tmp_path, {"app.jsonl": '{"a":' * 100_000 + "1" + "}" * 100_000 + "\n" + '{"msg":"disk"}\n'})
    page = await asked(tmp_path)
    assert page.searched.records_matched == 2


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"\xef\xbb\xbf2026-11-30T23:09:28Z \xe7\xa3\x81\xe7\x9b\x98\n", "磁盘"),
        ("2026-11-30T23:09:28Z 磁盘\n".encode("utf-16"), "磁盘"),
        ("2026-11-30T23:09:28Z 磁盘\n".encode("gb18030"), "磁盘"),
        ("2026-11-30T23:09:28Z 磁盘 full\n".encode("gb18030") + "2026-11-30T23:09:29Z 磁盘\n".encode(), "磁盘"),
        (b"2026-11-30T23:09:28Z caf\xe9 ouvert\n", "caf\\xe9 ouvert"),
        (b"2026-11-30T23:09:28Z a\0b\n", "a\\x00b"),
        (b"\0\0\0\0\0\0\0\0\0\0\0\0" + b"2026-11-30T23:09:28Z hole\n", "Z hole"),
        (b"2026-11-30T23:09:28Z one\r\n2026-11-30T23:09:29Z two\r\n", "two"),
    ],
)
async def test_encoding_is_recognised_and_bad_bytes_are_shown_escaped(
    tmp_path: Path, content: bytes, shown: str
) -> None:
    written(tmp_path, {"app.log": content})
    page = await asked(tmp_path, shown.rsplit(maxsplit=1)[-1])
    assert page.items
    assert all(item["record"].startswith("2026-11-30T23:09:2") for item in page.items)
    assert shown in page.items[-1]["record"]
    assert "\r" not in page.items[0]["record"]


async def test_terminal_colours_hide_neither_level_nor_word(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": "\x1b[2m2026-11-30T23:09:28Z\x1b[0m \x1b[31mERROR\x1b[0m disk \x1b[1mgone\x1b[0m\n"})
    (item,) = (await asked(tmp_path, "gone")).items
    assert item["level"] == "ERROR"
    assert "\x1b" not in item_text("logs", item)


async def test_record_cannot_forge_a_second_one(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": "2026-11-30T23:09:28Z user=\u2028ERROR forged\x85x\n"})
    (item,) = (await asked(tmp_path)).items
    assert item_text("logs", item).splitlines() == [item_text("logs", item)]


async def test_search_stops_when_its_patience_ends_and_says_how_far_it_came(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": LINE * 100})
    page = await opened(tmp_path, patience=0.0).query_logs(LogQuery(groups=[["disk"]]))
    assert page.searched.truncated
    assert said(page.searched.notes, "the search was stopped after 0 s")


async def test_cancelled_search_stops_reading(tmp_path: Path) -> None:
    written(tmp_path, {f"{number}.log": LINE * 10_000 for number in range(20)})
    source = opened(tmp_path)
    task = asyncio.create_task(source.query_logs(LogQuery(groups=[["disk"]])))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await source.query_logs(LogQuery(groups=[["disk"]]))).searched.records_matched == 200_000


async def test_file_that_is_gone_is_noted(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": LINE, "gone.log": LINE})
    source = opened(tmp_path)
    (tmp_path / "gone.log").unlink()
    page = await source.query_logs(LogQuery(groups=[["disk"]]))
    assert page.searched.records_matched == 1
    assert said(page.searched.notes, "cannot be opened", "gone.log")


async def test_name_of_a_file_is_printable(tmp_path: Path) -> None:
    (tmp_path / "a\nb\x1b[31m.log").write_text(LINE)
    (item,) = (await asked(tmp_path, "disk")).items
    assert item["file"] == "a\\nb\\x1b[31m.log"


async def test_stream_is_read_to_its_end_and_searched() -> None:
    incident = await open_stream(io.BytesIO(LINE.encode() * 2), now=AT, service="shop")
    page = await incident.log_sources[0].query_logs(LogQuery(groups=[["disk"]], service="shop"))
    assert page.searched.records_matched == 2
    assert {item["service"] for item in page.items} == {"shop"}
    assert incident.at.isoformat() == "2026-11-30T23:09:28+00:00"
    assert said(incident.notes, "newest record's time")


async def test_empty_stream_is_refused_in_a_sentence() -> None:
    with pytest.raises(UnreadableInput, match="nothing came on standard input"):
        await open_stream(io.BytesIO(), now=AT)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("logs/app.log.1.gz", "app"),
        ("order-api-2026-11-30.log", "order-api"),
        ("order-api_20261130-12.log", "order-api"),
        ("syslog", "syslog"),
        (".hidden.log", ".hidden"),
        ("支付.log", "支付"),
        ("2026-11-30.log", "2026-11-30"),
    ],
)
def test_stem_of_a_file_is_its_name_without_extension_and_date(name: str, stem: str) -> None:
    assert FoundFile(Path(name), name, 0).stem == stem


async def test_records_of_which_no_two_are_alike_are_searched_in_time(tmp_path: Path) -> None:
    rng = random.Random(5)
    letters = "ghijklmnopqrstuvwxyz"
    lines = ["".join(rng.choices(letters, k=60)) for _ in range(60_000)]
    lines[40_000] = "2026-11-30T23:09:28Z ERROR disk is gone"
    written(tmp_path, {"app.log": "\n".join(lines)})
    started = time.process_time()
    page = await asked(tmp_path, limit=5)
    assert time.process_time() - started < 10
    assert page.searched.records_matched == 60_000
    assert any("disk is gone" in item["record"] for item in page.items)


async def test_quotes_without_end_are_read_in_time(tmp_path: Path) -> None:
    written(tmp_path, {"app.log": ('a="' * 20_000 + "\n") * 60})
    started = time.process_time()
    page = await asked(tmp_path, limit=50)
    assert time.process_time() - started < 10
    assert len(page.items) == 50


async def test_trace_of_a_hundred_thousand_lines_is_shown_in_time(tmp_path: Path) -> None:
    trace = "".join(f"\tat a.B{number}.c(B.java:{number})\n" for number in range(100_000))
    written(tmp_path, {"app.log": f"2026-11-30T23:09:28Z ERROR disk is gone\n{trace}2026-11-30T23:09:29Z INFO next\n"})
    started = time.process_time()
    page = await asked(tmp_path, "a.B77777.c", *(f"word{number}" for number in range(100)))
    assert time.process_time() - started < 10
    assert "at a.B77777.c(B.java:77777)" in page.items[0]["record"]
