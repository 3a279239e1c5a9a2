"""The knowledge base: blocks in a full-text index in memory, English by stems, Chinese by pairs of characters.

SQLite's FTS5 with the porter stemmer ranks by BM25; its trigram tokenizer misses two-character Chinese words, so a run
of Chinese characters is indexed as its overlapping pairs. Decides which blocks bear on a query and in which order.
Refuses to answer with a block that shares no word with the query.
"""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Sequence
from itertools import pairwise

from superbizagent.contract.evidence import Searched
from superbizagent.knowledge.blocks import Block, Document, split_document
from superbizagent.ports import Page

# Any of these alone would match every runbook.
_LIGHT_WORDS = frozenset(
    "a an and are as at be by can check do does for from how i in is it me of on or should that the there this to was "
    "we what when where which who why will with you your runbook".split()
)
_LIGHT_PAIRS = frozenset(
    "什么 怎么 么办 如何 应该 哪些 是否 有没 没有 一下 时候 的时 了吗 请问 我应 该检 该怎 时应".split()
)
_WORD = re.compile(r"[A-Za-z0-9_]+|[\u3400-\u9fff]+")
_COLUMNS = "bm25(blocks, 4.0, 3.0, 1.0)"  # a word in a title or heading says more than one in the text
_MOST_TERMS = 64


class KnowledgeIndex:
    """Implements `ports.KnowledgeBase` over documents.

    `widen` gives the forms that mean the same as a word (the lexicon); `name` says in `searched` what was asked.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        name: str = "runbooks",
        widen: Callable[[str], list[str]] = lambda word: [word],
    ) -> None:
        self._name = name
        self._widen = widen
        self._blocks: list[Block] = [block for document in documents for block in split_document(document)]
        self._documents = len(documents)
        self._index: sqlite3.Connection | None = None

    @property
    def name(self) -> str:
        """What is asked."""
        return self._name

    async def search(self, query: str, limit: int) -> Page:
        """The blocks that bear on the query, best first; an item has `title, heading, text, source`."""
        return await asyncio.to_thread(self._search, query, limit)

    def _search(self, query: str, limit: int) -> Page:
        terms = query_terms(query, self._widen)
        found = self._matching(terms)
        kept = [self._blocks[number] for number in found[:limit]]
        searched = Searched(
            source=self._name,
            query=query,
            records_searched=len(self._blocks),
            records_matched=len(found),
            returned=len(kept),
            truncated=len(found) > len(kept),
            kept="the blocks that share most with the query" if len(found) > len(kept) else "",
            notes=[f"{self._documents} documents"],
        )
        return Page([block._asdict() for block in kept], searched)

    def _matching(self, terms: Sequence[str]) -> list[int]:
        if not terms or not self._blocks:
            return []
        index = self._index or self._build()
        wanted = " OR ".join(f'"{term}"' for term in terms[:_MOST_TERMS])
        rows = index.execute(f"SELECT rowid FROM blocks WHERE blocks MATCH ? ORDER BY {_COLUMNS}, rowid", (wanted,))
        return [int(row[0]) - 1 for row in rows.fetchall()]

    def _build(self) -> sqlite3.Connection:
        index = sqlite3.connect(":memory:", check_same_thread=False)
        index.execute("CREATE VIRTUAL TABLE blocks USING fts5(title, heading, text, tokenize = 'porter unicode61')")
        rows = [
            (number, indexed(block.title), indexed(block.heading), indexed(block.text))
            for number, block in enumerate(self._blocks, start=1)
        ]
        index.executemany("INSERT INTO blocks(rowid, title, heading, text) VALUES (?, ?, ?, ?)", rows)
        self._index = index
        return index

    def close(self) -> None:
        """Give the index back."""
        if self._index is not None:
            self._index.close()
            self._index = None


def indexed(text: str) -> str:
    """The text as words that the index takes: Latin words, and Chinese runs as overlapping pairs."""
    return " ".join(_tokens(text))


def query_terms(query: str, widen: Callable[[str], list[str]]) -> list[str]:
    """The query's words that say something, each with the forms that mean the same; never any query syntax."""
    terms: dict[str, None] = {}
    for form in (query, *_widened(query, widen)):
        for token in _tokens(form):
            if token not in _LIGHT_WORDS and token not in _LIGHT_PAIRS:
                terms[token] = None
    return list(terms)


def _widened(query: str, widen: Callable[[str], list[str]]) -> list[str]:
    runs = [found.group(0) for found in _WORD.finditer(query)][:_MOST_TERMS]
    pairs = [f"{first} {second}" for first, second in pairwise(runs)]
    return [form for run in (*runs, *pairs) for form in widen(run) if form != run]


def _tokens(text: str) -> list[str]:
    tokens: list[str] = []
    for found in _WORD.finditer(text.lower()):
        run = found.group(0)
        if run[0] < "\u3400" or len(run) == 1:
            tokens.append(run)
        else:
            tokens.extend(run[start : start + 2] for start in range(len(run) - 1))
    return tokens
