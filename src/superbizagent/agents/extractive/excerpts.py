"""Excerpts and quotations: which slice of a record is shown, cut so that it means what the record means.

Decides: where a message's main clause ends, and which slices may stand for it. Refuses: to join, reorder or reword; a
slice begins and ends at token edges, never directly behind a negation or comparator, never between a key and its
value. Protocol: section 6.1 (containment).
"""

import re
from itertools import pairwise
from typing import NamedTuple

LONGEST_QUOTE = 300
LONGEST_EXCERPT = 600
_CONTEXT_TAIL = re.compile(r", (?=[a-z_]{3,20}: )")
_LINE_ESCAPE = re.compile(r"\\n(?:\\t| )*")
_TRACE_LINE = re.compile(r"\\n(?:\\t| {1,8})*(?:at |\.\.\. |File \"|\[… )")
_FIELD_VALUE = r'(?:"(?P<quoted>(?:[^"\\]|\\.){0,4000})"|(?P<bare>[^\s",}]{1,400}))'
_MESSAGE_FIELD = re.compile(rf'(?<![\w.-])"?(?:message|msg|MESSAGE)"?(?:: ?|=){_FIELD_VALUE}')
_ERROR_FIELD = re.compile(
    rf'(?<![\w.-])"?(?:error|err|exception|reason|cause|error_message|error\.message|detail)"?(?:: ?|=){_FIELD_VALUE}'
)
_SENTENCE_BREAK = re.compile(r"(?<![0-9])[.;!?](?= )|[。；！？]|(?= (?:\d{1,2}\.|[-*]) \S)")
_CLAUSE_EDGE = re.compile(r"[:;,.](?= )|[()（）：，；。]| [-–—] ")
_MOST_CLAUSES = 9
_MOST_FRAGMENTS = 14
_CAUSE_LINE = re.compile(r"Caused by: [^\\\n]{3,300}")
_SENTENCE_END = re.compile(r"[.;!?](?= )|[。；！？]")
_CUT_POINTS = re.compile(r"[,;|]? (?=\S)|[，；。、]")
_TURNING = re.compile(
    r"(?:\b(?:not|no|never|without|cannot|neither|nor|n't)|[<>!]=?|没有|未|没|不|无|非)\s*$", re.IGNORECASE
)


def main_clauses(message: str) -> list[str]:
    """Slices of a message that say what it says, the shortest whole statement first; none is longer than a quote."""
    cut = _TRACE_LINE.search(message)
    head = message[: cut.start()] if cut else message
    slices = []
    lines = _LINE_ESCAPE.split(head)
    causes = [found[0].strip() for found in _CAUSE_LINE.finditer(message)]
    tail = _CONTEXT_TAIL.search(head, 12)
    if tail is not None and len(lines) == 1:
        slices.append(head[: tail.start()])
    if len(lines) > 1 and lines[0].strip():
        second = head.find(lines[1]) + len(lines[1]) if lines[1] else len(lines[0])
        slices.append(head[:second])
        slices.append(lines[0])
    slices.append(head)
    sentence = _SENTENCE_BREAK.search(head, 12)
    if sentence is not None and len(lines) == 1:
        slices.append(head[: sentence.start()])
    slices += [cause.removeprefix("Caused by: ") for cause in (causes[-1:] + causes[:1])]
    return [piece for piece in dict.fromkeys(shorten(piece.strip(" ,;")) for piece in slices) if piece]


def fragments(quote: str) -> list[str]:
    """Shorter slices of a quotation, the longest first: runs of its clauses, cut at punctuation only.

    No fragment begins directly behind a negation or comparator, and each says something (two words, or four characters
    of Chinese).
    """
    edges = [0, *(found.end() for found in _CLAUSE_EDGE.finditer(quote)), len(quote)]
    edges = list(dict.fromkeys(edges))[:_MOST_CLAUSES]
    spans = [(a, b) for i, a in enumerate(edges) for b in edges[i + 1 :] if not _TURNING.search(quote[:a])]
    pieces = [quote[a:b].strip(" ,;:()（），；：。") for a, b in sorted(spans, key=lambda span: span[0] - span[1])]
    told = [piece for piece in pieces if piece != quote and _says_something(piece)]
    return list(dict.fromkeys(told))[:_MOST_FRAGMENTS]


def _says_something(piece: str) -> bool:
    chinese = sum("\u3400" <= character <= "\u9fff" for character in piece)
    return chinese >= 4 or len(piece.split()) >= 2


def with_cause(message: str) -> tuple[str, str] | None:
    """The first line of a record with a trace, and its last stated cause; None where the record states none."""
    causes = [found[0].strip() for found in _CAUSE_LINE.finditer(message)]
    first = _LINE_ESCAPE.split(message, maxsplit=1)[0].strip()
    return (shorten(first, 200), causes[-1]) if causes and first else None


class Structured(NamedTuple):
    """The parts of a structured record that say what happened: all are slices of it, `whole` from first to last."""

    message: str
    error: str
    whole: str


def structured(body: str) -> Structured | None:
    """The message and the error of a JSON or logfmt record; None for other text, or where there is no message."""
    message = _MESSAGE_FIELD.search(body)
    if message is None:
        return None
    error = next((found for found in _ERROR_FIELD.finditer(body) if found.start() != message.start()), None)
    if error is None:
        return Structured(_value(message), "", body[message.start() : message.end()])
    first, last = min(message.start(), error.start()), max(message.end(), error.end())
    return Structured(_value(message), _value(error), body[first:last])


def _value(found: re.Match[str]) -> str:
    return found["quoted"] if found["quoted"] is not None else found["bare"]


def sentences(text: str) -> list[str]:
    """The sentences and list items of a text, as slices; `1.` and `GC.heap_dump` end none."""
    ends = [0, *(found.end() for found in _SENTENCE_BREAK.finditer(text)), len(text)]
    return [part for first, last in pairwise(ends) if len(part := text[first:last].strip()) > 8]


def shorten(text: str, longest: int = LONGEST_QUOTE) -> str:
    """The beginning of `text` of at most `longest` characters, cut behind a sentence, else between words."""
    if len(text) <= longest:
        return text
    window = text[:longest]
    ends = [found.end() for found in _SENTENCE_END.finditer(window)]
    if ends and ends[-1] > longest // 3:
        return window[: ends[-1]].rstrip()
    points = [found.start() for found in _CUT_POINTS.finditer(window)]
    end = next((point for point in reversed(points) if not _TURNING.search(window[:point])), longest)
    return window[:end].rstrip(" ,;，；、")
