"""Runbooks are split under their headings and found by their words, in both languages."""

import pytest

from superbizagent.knowledge.blocks import LARGEST_BLOCK, Document, split_document
from superbizagent.knowledge.index import KnowledgeIndex
from superbizagent.knowledge.skills import Skills

POOL = Document(
    "runbooks/pool.md",
    "---\nowner: db\n---\n# Connection pool exhausted\n\nIntro.\n\n## Check first\n1. Is there a leak?\n\n"
    "```\n# no heading\n```\n\n### Deeper\nLook at pg_stat_activity.\n\n## Do not\nDo not raise the pool size.\n",
)
POOL_ZH = Document("runbooks/连接池耗尽.md", "# 数据库连接池耗尽\n\n## 排查步骤\n1. 查看日志中是否有连接泄漏告警。\n")
DISK = Document("runbooks/disk.txt", "Disk full\n=========\n\nFind the largest files with du.\n")


def test_document_is_split_under_its_headings() -> None:
    blocks = split_document(POOL)
    assert [(block.heading, block.text.split("\n", 1)[0]) for block in blocks] == [
        ("", "Intro."),
        ("Check first", "1. Is there a leak?"),
        ("Check first > Deeper", "Look at pg_stat_activity."),
        ("Do not", "Do not raise the pool size."),
    ]
    assert {block.title for block in blocks} == {"Connection pool exhausted"}
    assert "# no heading" in blocks[1].text


def test_underlined_title_is_a_title() -> None:
    assert split_document(DISK)[0].title == "Disk full"


def test_document_without_title_is_called_by_its_file() -> None:
    assert split_document(Document("a/high-cpu.md", "look at top"))[0].title == "high-cpu"


def test_large_text_is_cut_into_blocks_and_nothing_is_lost() -> None:
    text = "# T\n" + "\n".join(f"line {number} " + "x" * 60 for number in range(200)) + "\n" + "y" * 5000
    blocks = split_document(Document("t.md", text))
    assert all(len(block.text) <= LARGEST_BLOCK for block in blocks)
    assert sum(block.text.count("line ") for block in blocks) == 200
    assert sum(block.text.count("y") for block in blocks) == 5000


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("What should I check when a connection pool is exhausted?", "runbooks/pool.md"),
        ("leaks", "runbooks/pool.md"),
        ("pg_stat_activity", "runbooks/pool.md"),
        ("连接池耗尽怎么办", "runbooks/连接池耗尽.md"),
        ("泄漏", "runbooks/连接池耗尽.md"),
        ("largest file", "runbooks/disk.txt"),
    ],
)
async def test_query_finds_its_runbook_first(query: str, source: str) -> None:
    index = KnowledgeIndex([POOL, POOL_ZH, DISK])
    page = await index.search(query, 5)
    assert page.items[0]["source"] == source
    assert page.searched.returned == len(page.items)
    index.close()


@pytest.mark.parametrize("query", ["", "the and of", "kafka rebalance", "是否有没有", '"OR" NEAR(', "* : ^ - \x00"])
async def test_query_that_shares_nothing_finds_nothing(query: str) -> None:
    index = KnowledgeIndex([DISK])
    page = await index.search(query, 5)
    assert (page.items, page.searched.records_matched) == ([], 0)
    index.close()


async def test_cut_list_is_said() -> None:
    index = KnowledgeIndex([POOL, POOL_ZH, DISK])
    page = await index.search("pool leak size pg_stat_activity", 1)
    assert page.searched.truncated
    assert page.searched.kept
    index.close()


async def test_words_are_widened_by_the_lexicon() -> None:
    index = KnowledgeIndex([POOL], widen=lambda word: [word, "connection pool"] if "连接池" in word else [word])
    assert (await index.search("连接池", 3)).items
    index.close()


async def test_skill_is_read_by_its_name() -> None:
    named = Document("skills/x/SKILL.md", "---\nname: pool\ndescription: d\n---\nLook.")
    skills = Skills([named, Document("skills/disk/SKILL.md", "Look at df.")])
    assert await skills.names() == ["disk", "pool"]
    assert await skills.read("disk") == "Look at df."
    assert await skills.read("none") is None
