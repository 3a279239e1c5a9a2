"""Untrusted text: which stretches of a record a user could have written, or which address their reader.

Decides: the spans of a record that support nothing: fields that carry what a client sent (user agent, referrer, query
string, body …), what a person is quoted as having said, and everything from the first words that give orders to the
reader. The logger's own message, method, path and status are not among them. Protocol: section 7, `untrusted_text`.
"""

import re
from bisect import bisect_right

_FIELDS = (
    "user-agent|user_agent|useragent|http_user_agent|ua|referer|referrer|http_referer|query|query_string|querystring|"
    "body|request_body|payload|cookie|cookies|headers?|x-[a-z-]{1,40}|form|search|search_term|q|comment|comments|note|"
    "notes|subject|feedback|review|user_input|input|prompt|user_message|chat|description_by_user|nickname|display_name"
)
_FIELD = re.compile(
    rf'(?<![\w-])"?(?:{_FIELDS})"?\s{{0,2}}[=:]\s{{0,2}}(?P<value>"[^"\n]{{0,4000}}"?|\'[^\'\n]{{0,4000}}\'?|\S+)', re.I
)
_ACCESS_LINE = re.compile(
    r'"[A-Z]{3,10} [^"\s]{1,4000} HTTP/[\d.]{1,4}" \d{3} (?:\d+|-)(?P<value>(?: "[^"]{0,4000}"){1,4})'
)
_SAID = re.compile(
    r"\b(?:user|customer|client|visitor|caller|guest|shopper|tenant|reporter|commenter)s?\b[^:\n]{0,60}?"
    r"\b(?:said|says|wrote|writes|comment|commented|message|messaged|reports?|reported|submitted|posted|typed|entered|"
    r"asked|feedback|note|input|complained|claims?|claimed)\b[^:\n\"]{0,40}[:\"]"
    r"|\b(?:message|comment|note|e?mail|chat|reply|post) (?:from|by) [^:\n]{1,60}[:\"]"
    r"|(?:用户|客户|顾客|访客)[^::\n]{0,12}(?:说|反馈|留言|评论|备注|输入|提交|消息|投诉|声称|填写)[^:\n]{0,6}[:\"]",
    re.I,
)  # fmt: skip
_ORDERS = re.compile(
    r"\bignore (?:all |any |the |your )?"
    r"(?:previous|prior|above|earlier|preceding|other|these|those|instructions?|rules?)"
    r"|\bdisregard (?:all|any|the|your|previous|prior)\b"
    r"|\bSYSTEM ?(?:PROMPT|MESSAGE)? ?:|\bASSISTANT ?:|\bverdict ?[:=]"
    r"|\byou (?:are|must|should|shall|will) "
    r"(?:now |an? |the |only |always |report|answer|say|state|mark|conclude|treat)"
    r"|\b(?:answer|respond|reply|report|conclude|state|say|output) (?:only |that |with |to the user)"
    r"|\bas an? (?:ai|assistant|language model)\b|\bnote to (?:the )?(?:ai|assistant|agent|model|reader|judge|verifier)"
    r"|\b(?:dear|attention|hey) (?:ai|assistant|agent|model|verifier|judge)\b"
    r"|\bmark (?:this|the|every|all) (?:claim|as)"
    r"|\bnew instructions?\b|\b(?:system|developer) prompt\b|<\|?(?:system|assistant|im_start)"
    r"|忽略(?:以上|上述|之前|先前|前面|所有|此前)|无视(?:以上|上述|之前|先前|所有)|你(?:是一个|现在是|必须|应该|需要|要)"
    r"|请(?:直接)?(?:回答|输出|报告|判定|标记|声明|告诉|回复)|(?:系统提示|系统消息|系统指令|结论|判定) ?:",
    re.I,
)  # fmt: skip
_SHOUTED = re.compile(r"\bsystem ?:", re.I)
_QUOTED = re.compile(r'"[^"\n]{0,4000}"')


def untrusted_spans(text: str) -> list[tuple[int, int]]:
    """The stretches of a folded record that support nothing, merged and in order."""
    spans = [found.span("value") for found in _FIELD.finditer(text)]
    spans.extend(found.span("value") for found in _ACCESS_LINE.finditer(text))
    spoken = (said for said in _SAID.finditer(text) if not _is_only_loud(said.group()))
    spans.extend((said.end() - 1, _end_of_speech(text, said.end())) for said in spoken)
    for order in _ORDERS.finditer(text):
        if _SHOUTED.match(order.group()) and not order.group().startswith("SYSTEM"):
            continue
        quoted = next((q.span() for q in _QUOTED.finditer(text) if q.start() <= order.start() < q.end()), None)
        spans.append(quoted if quoted is not None else (_start_of_sentence(text, order.start()), len(text)))
        if quoted is None:
            break
    return merged(spans)


def merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The same stretches in order, none touching another."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _is_only_loud(said: str) -> bool:
    return len(said) > 160


def _end_of_speech(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end


def _start_of_sentence(text: str, position: int) -> int:
    start = max(text.rfind(mark, 0, position) for mark in (". ", "\n", "; ", ": "))
    return 0 if start < 0 else start + 1


def in_spans(spans: list[tuple[int, int]], start: int) -> bool:
    """Whether a place lies in one of the spans, which are merged."""
    at = bisect_right(spans, start, key=lambda span: span[0]) - 1
    return at >= 0 and start < spans[at][1]
