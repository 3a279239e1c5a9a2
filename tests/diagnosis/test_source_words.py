"""What sources say of themselves is told in the language of the answer."""

import re
from pathlib import Path

import pytest

from superbizagent.contract.vocabulary import Lang
from superbizagent.diagnosis.source_words import said_by_source
from tests.agents.worlds import ask, write_world

# What may stand in Latin letters in a Chinese answer: the protocol's words, names of files and units.
_PROTOCOL = re.compile(
    r"query_logs|query_metrics|lookup_knowledge|\$\.[a-z_]+\[\d+\]|extractive|UTC|OR|AND|JSON|级别 error|[\w./-]+\.(?:log|json)|w\b"
)


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("logs of shop", "shop 的日志"),
        ("3 records without a readable time are in no window and were left out", "有 3 条记录没有可读的时间"),
        ("not read, hidden: a.log, b.log and 4 more", "未读取（隐藏文件）：a.log, b.log，另有 4 个"),
        (
            "alerts.json holds no alerts that can be read: it is not JSON: Expecting value at line 1, column 2",
            "不是 JSON",
        ),
        ("the firmware was asked twice", "“the firmware was asked twice”"),
    ],
)
def test_sentence_of_a_source_is_chinese_in_a_chinese_answer(sentence: str, shown: str) -> None:
    assert shown in said_by_source(sentence, Lang.ZH)
    assert said_by_source(sentence, Lang.EN) == sentence


@pytest.mark.parametrize(
    "question", ["app 超时了吗？", "哪些告警在触发？", "出了什么问题？", "ordr-service 宕机了吗？"]
)
async def test_chinese_answer_has_no_english_sentence_outside_quotations(tmp_path: Path, question: str) -> None:
    logs = {
        "app.log": "2026-07-08 10:11:00,000 INFO app - all quiet\nno time here\n",
        "b.log": "2026-07-08 10:12:00,000 x\n",
    }
    folder = write_world(tmp_path / "w", logs, [], {})
    (folder / "alerts.json").write_text("{broken", encoding="utf-8")
    answer = (await ask(folder, question)).answer
    bare = re.sub(r"“[^”]*”|`[^`]*`|\d{4}-\d\d-\d\d [\d:]+ \+\d\d:\d\d", " ", answer)
    bare = "\n".join(line for line in bare.splitlines() if "查询词" not in line)
    assert not re.findall(r"[A-Za-z]{2,}", _PROTOCOL.sub(" ", bare).replace("app", " ")), bare
