"""Splits a Markdown or plain-text document into blocks under its headings.

Decides where a block begins and ends: at a heading, and at a paragraph when a block would grow too large. A heading
inside a code fence is text. Raw HTML and comments are text like any other. Refuses to render anything.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

LARGEST_BLOCK = 1200
_MOST_BLOCKS = 10_000
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S[^\n]*?)[ \t]*#*")
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*")
_FENCE = re.compile(r"[ \t]{0,3}(```|~~~)")
_FRONT_MATTER_LINES = 200


class Document(NamedTuple):
    """A document: its name (as shown and cited) and its text."""

    name: str
    text: str


class Block(NamedTuple):
    """A part of a document: the document's title, the path of headings below it, and the text."""

    title: str
    heading: str
    text: str
    source: str


def split_document(document: Document) -> list[Block]:
    """The document's blocks, in order; at most `_MOST_BLOCKS`, each of at most `LARGEST_BLOCK` characters."""
    title = ""
    path: list[tuple[int, str]] = []
    blocks: list[Block] = []
    for level, heading, text in _sections(without_front_matter(document.text)):
        if level == 1 and not title:
            title = heading
            path = []
        elif level:
            path = [(above, name) for above, name in path if above < level] + [(level, heading)]
        shown = " > ".join(name for _, name in path)
        for part in _parts(text):
            blocks.append(Block(title or _title_of(document.name), shown, part, document.name))
            if len(blocks) == _MOST_BLOCKS:
                return blocks
    return blocks


def without_front_matter(text: str) -> str:
    """The text behind a leading `---` block, when there is one."""
    lines = text.lstrip("\ufeff").split("\n")
    if lines and lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1 : _FRONT_MATTER_LINES + 1], start=1):
            if line.rstrip() in ("---", "..."):
                return "\n".join(lines[number + 1 :])
    return "\n".join(lines)


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """(level, heading, text below it); level 0 is the text before any heading."""
    level, heading, below = 0, "", [""]
    fenced = False
    for line in text.replace("\r\n", "\n").split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        found = None if fenced else _HEADING.fullmatch(line)
        under = None if fenced else _UNDERLINE.fullmatch(line)
        if found is not None:
            yield level, heading, "\n".join(below)
            level, heading, below = len(found.group(1)), found.group(2), []
        elif under is not None and below and below[-1].strip() and not below[-1].lstrip().startswith(("-", "*", "|")):
            name = below.pop().strip()
            yield level, heading, "\n".join(below)
            level, heading, below = (1 if line.startswith("=") else 2), name, []
        else:
            below.append(line)
    yield level, heading, "\n".join(below)


def _parts(text: str) -> Iterator[str]:
    """The text in pieces of at most `LARGEST_BLOCK` characters, cut at empty lines, else lines, else anywhere."""
    kept = ""
    for whole in text.strip("\n").split("\n"):
        *heads, line = [whole[start : start + LARGEST_BLOCK] for start in range(0, len(whole) or 1, LARGEST_BLOCK)]
        if kept and (heads or len(kept) + len(line) + 1 > LARGEST_BLOCK):
            yield kept
            kept = ""
        yield from heads
        kept = f"{kept}\n{line}" if kept else line
        if not line.strip() and len(kept) > LARGEST_BLOCK // 2:
            yield kept.strip("\n")
            kept = ""
    if kept.strip():
        yield kept.strip("\n")


def _title_of(name: str) -> str:
    """A document without a title is called by its file: `runbooks/high-cpu.md` is `high-cpu`."""
    return name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
