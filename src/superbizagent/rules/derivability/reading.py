"""Reading a text into units: words, names, numbers, moments and marks, each with what it may be compared by.

Decides: where a unit begins and ends, which lexicon concepts and closed-list classes a word has, what is a name
(a digit, an inner joiner or capital) and what a number. Every unit keeps its place in the text. Refuses: to judge.
Linear in the text; nothing here backtracks over more than one run. Protocol: sections 6.1 (token) and 7.
"""

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from superbizagent.rules import quantities
from superbizagent.rules.derivability import moments
from superbizagent.rules.derivability.moments import Stamp
from superbizagent.rules.derivability.words import classes_at
from superbizagent.rules.lexicon import Concept, Piece, concepts, concepts_in, read_pieces, stem
from superbizagent.rules.quantities import Quantity

_FOLD: dict[int, int | str] = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_FOLD.update(
    {
        ord(character): replacement
        for characters, replacement in (
            ("\u2018\u2019\u201b\u2032", "'"),
            ("\u201c\u201d\u201f\u2033\u300c\u300d\u300e\u300f", '"'),
            ("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
            ("\u00a0\u2009\u202f\u3000\u200b\ufeff\t", " "),
            ("\u3001", ","),
            ("\u3002", "."),
        )
        for character in characters
    }
)
_ESCAPES = (("\\n", "\n "), ("\\t", "  "), ('\\"', '" '))
_URL = re.compile(r"(?:jdbc:)?[A-Za-z][A-Za-z0-9+.-]{1,20}:/{2,3}[^\s\"'<>(){}\u3400-\u9fff,;]{1,2000}")
_PATH = re.compile(r"/[A-Za-z0-9_.~%@:*{}+-][A-Za-z0-9_.~%@:*{}+/-]*(?:\?[^\s\"'<>(){}\u3400-\u9fff,;]{0,2000})?")
_RUN = re.compile(r"[A-Za-z0-9_$]+(?:[-./:@+\\#$][A-Za-z0-9_$]+)*")
_CONTRACTED = re.compile(r"[A-Za-z]{2,8}n't(?![A-Za-z])")
_POSSESSIVE = re.compile(r"'s(?![A-Za-z0-9])|'(?=\s)")
_PAIR = re.compile(r"(\d{1,12})/(\d{1,12})(?![\d/.A-Za-z])")
_FIELD = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,60}):(\d[\d.]{0,30}[A-Za-z]{0,3})")
_FIELD_WORDS = frozenset(
    "pid uid gid tid ppid line code errno signal exit count size used allowed total max min active idle waiting free "
    "limit timeout attempt attempts retries retry offset term index length len depth lag queue threads "
    "connections".split()
)
_HIGHEST_PORT = 65535
_TIMES = re.compile(r"x(\d{1,9})")
_DURATION_WORDS = frozenset("duration elapsed took uptime lag 耗时 用时 时长 历时".split())
_LETTER_NAME = re.compile(r"[\u3400-\u9fff][A-Z](?![A-Za-z0-9])")
_HYPHENED = re.compile(r"\d{1,9}(?:\.\d{1,4})?-(?:millisecond|second|minute|hour|day|week|byte)(?![A-Za-z])")
_NAME_ZH = re.compile(
    r"(?:(?:备用|备份|核心|下游|上游|第三方|主|从)?(?:订单|库存|支付|用户|商品|物流|风控|营销|优惠券|结算|账户|会员|消息|通知|搜索|推荐|认证|鉴权|登录|"
    r"短信|邮件|报表|配置|购物车|仓储|定价|价格|评价|退款|对账|清算|文件|调度|交易|客户|内容|图片|视频|地址|发票|积分|活动|评论|审核|权限|计费|账单|"
    r"账务|渠道|门店|采购|履约|配送|售后|客服|上传|下载|注册|网关|支付宝|微信|银行|秒杀|促销|运费|库房|卡券|资金|额度|征信){1,2}"
    r"(?:服务(?![器端商员费台类名区])|网关|系统|中心|平台|模块|后台))"
)
_DOTS = re.compile(r"\.{3,}")
_CAMEL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]{2,}")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_PREFIXES = frozenset(
    "non re pre un co self well long short high low multi post sub in out up half full semi over under "
    "cross on off".split()
)
_NUMBER_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "zero 零",
            "one",
            "two 两 二",
            "three 三",
            "four 四",
            "five 五",
            "six 六",
            "seven 七",
            "eight 八",
            "nine 九",
            "ten 十",
        )
    )
    for word in words.split()
}
_METHOD = frozenset({"method"})
_METHODS = frozenset("GET PUT POST HEAD PATCH DELETE OPTIONS TRACE SET".split())
_CLASSIFIERS = frozenset("个条次台名项份行笔张次")
_COMPLEMENTS = {
    "unavailable": "available", "unreachable": "reachable", "unhealthy": "healthy", "unready": "ready",
    "notready": "ready", "unsuccessful": "succeed", "unsuccessfully": "succeed", "unresponsive": "responsive",
    "inaccessible": "accessible", "unresolved": "resolved", "incomplete": "complete", "unsupported": "supported",
    "mismatch": "match", "mismatched": "match",
    "unassigned": "assigned", "inconsistent": "consistent", "incorrect": "correct",
    "incorrectly": "correct", "unverified": "verified", "unknown": "known", "unauthorized": "authorized",
    "untrusted": "trusted", "unreadable": "readable", "unwritable": "writable", "unexpected": "expected",
}  # fmt: skip


class Kind(StrEnum):
    """What a unit is."""

    WORD = "word"
    NAME = "name"
    NUMBER = "number"
    TIME = "time"
    ZONE = "zone"
    MARK = "mark"


class Unit(NamedTuple):
    """A piece of text with one meaning.

    `keys` are what it may be compared by (`c:` a lexicon concept, `w:` a stem); `classes` the closed lists that it
    stands in; `kinds` the lexicon kinds of its concepts; `negated` says that the word has its negation inside,
    `listed` that it is one of the closed list of states and events.
    """

    kind: Kind
    text: str
    start: int
    end: int
    keys: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    value: Quantity | Stamp | int | None = None
    negated: bool = False
    listed: bool = False


_NOTHING: frozenset[str] = frozenset()
_NEVER_HIDDEN = frozenset({"exercise", "hedge", "cond", "contrast"})
"""Classes of words that a longer phrase around them must not hide (`alert rule text`)."""
_THINGS = frozenset({"thing", "label", "unit", "product"})
_SHORTEST_COUNT_KEY = 7


def fold(text: str) -> str:
    """`text` with full-width forms, quotes, dashes, spaces and visible escapes folded; every index stays."""
    for written, replacement in _ESCAPES:
        if written in text:
            text = text.replace(written, replacement)
    return text.translate(_FOLD)


def name_parts(name: str) -> list[str]:
    """The stems of a name's parts: `maxPoolSize` → max, pool, size."""
    return [stem(part) for part in _PARTS.findall(name)]


def keys_of_parts(name: str) -> frozenset[str]:
    """The keys of the words in a Chinese name: 库存服务 is the inventory service."""
    return frozenset(key for key, _start, _end in all_keys(name, []))


@lru_cache(maxsize=4096)
def parts_of_name(name: str, *, only_things: bool) -> frozenset[str]:
    """The keys of the words that a name is joined of; of a field's key only what there is, never what happened."""
    words = " ".join(_PARTS.findall(name))
    found = [found for found in concepts_in(words) if not only_things or found.concept.kind in _THINGS]
    keys = {f"c:{found.concept.id}" for found in found}
    return frozenset(keys | {f"w:{stem(found.form)}" for found in found if found.form.isalpha()})


@lru_cache(maxsize=1)
def _compact() -> dict[str, str]:
    """The many-word forms of the lexicon, written as one word: `statuscode`, `durationmillis`."""
    return {
        re.sub(r"[ -]", "", form.lower()): concept.id
        for concept in concepts()
        for form in concept.forms
        if form.isascii() and (" " in form or "-" in form)
    }


def compact_keys(key: str) -> frozenset[str]:
    """The concept that a field's key names when its words are written as one (`statuscode`), and `nreturned`'s verb."""
    low = re.sub(r"[^a-z]", "", key.lower())
    keys = set()
    if low in _compact():
        keys.add(f"c:{_compact()[low]}")
    if low.startswith("n") and len(low) >= _SHORTEST_COUNT_KEY and low.endswith("ed"):
        keys |= keys_of(low[1:])
    return frozenset(keys)


def read_units(text: str) -> list[Unit]:
    """The units of a folded text, in order, the longest known phrase at each place."""
    return _Reader(text).read()


class _Reader:
    """One pass over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parts, self.matches = read_pieces(text)
        self.index_at = {part.start: index for index, part in enumerate(self.parts)}
        self.units: list[Unit] = []

    def read(self) -> list[Unit]:
        position = 0
        length = len(self.text)
        while position < length:
            character = self.text[position]
            if character.isspace() and character != "\n":
                position += 1
                continue
            position = self._read_at(position, character)
        return self.units

    def _read_at(self, position: int, character: str) -> int:
        if character.isdigit() and character.isascii():
            return self._digits(position)
        if character.isascii() and (character.isalpha() or character in "_$"):
            return self._letters(position, character)
        if character in "-+" and position + 1 < len(self.text) and self.text[position + 1].isdigit():
            before = self.text[position - 1] if position else " "
            if not before.isalnum() and before not in "])":
                return self._digits(position)
        if character == "/" and (position == 0 or not self.text[position - 1].isalnum()):
            path = _PATH.match(self.text, position)
            if path is not None:
                return self._add(Kind.NAME, position, _trim(path))
        if character == "(":
            zone = moments.zone_at(self.text, position)
            if zone is not None and self.text[zone[1] - 1] == ")":
                return self._add(Kind.ZONE, position, zone[1], value=zone[0])
        if character == "'":
            possessive = _POSSESSIVE.match(self.text, position)
            if possessive is not None and position and self.text[position - 1].isalnum():
                return possessive.end()
        if character == ".":
            dots = _DOTS.match(self.text, position)
            if dots is not None:
                return self._add(Kind.MARK, position, dots.end())
        return self._word_or_mark(position, character)

    def _digits(self, position: int) -> int:
        if self._measures_time():
            clocked = quantities.read_clocked(self.text, position)
            if clocked is not None:
                return self._add(Kind.NUMBER, position, clocked[1], value=clocked[0])
        hyphened = _HYPHENED.match(self.text, position)
        if hyphened is not None:
            value = quantities.read_at(hyphened.group().replace("-", " "), 0)
            return self._add(Kind.NUMBER, position, hyphened.end(), value=value[0] if value is not None else None)
        stamp = moments.read_at(self.text, position)
        run = _RUN.match(self.text, position)
        run_end = run.end() if run is not None else position
        if stamp is not None and stamp[1] >= run_end:
            return self._add(Kind.TIME, position, stamp[1], value=stamp[0])
        pair = _PAIR.match(self.text, position)
        if pair is not None:
            first = quantities.read_at(pair.group(1), 0)
            second = quantities.read_at(pair.group(2), 0)
            if first is not None and second is not None:
                self._add(Kind.NUMBER, position, pair.end(1), value=first[0])
                self._add(Kind.MARK, pair.end(1), pair.end(1) + 1)
                return self._add(Kind.NUMBER, pair.start(2), pair.end(2), value=second[0])
        found = quantities.read_at(self.text, position)
        if found is not None and found[1] >= run_end and not quantities.too_long(found[0].text):
            return self._add(Kind.NUMBER, position, found[1], value=found[0])
        if run is None:
            return self._add(Kind.MARK, position, position + 1)
        if "#" in run.group():
            return self._add(Kind.NAME, position, position + run.group().index("#"))
        return self._add(Kind.NAME, position, run_end)

    def _measures_time(self) -> bool:
        """Whether the words before say that a duration follows (`session time:`, `elapsed=`), and not a time of day."""
        words = [unit.text.lower() for unit in self.units[-3:] if unit.kind is Kind.WORD]
        if not words:
            return False
        return words[-1] in _DURATION_WORDS or words[-1].endswith(" time") or words[-2:-1] == ["session"]

    def _letters(self, position: int, character: str) -> int:
        if character.isupper() and _LETTER_NAME.match(self.text, max(position - 1, 0)):
            return self._add(Kind.NAME, position, position + 1)  # 机房A
        if character.isupper():
            stamp = moments.read_at(self.text, position)
            if stamp is not None:
                return self._add(Kind.TIME, position, stamp[1], value=stamp[0])
            zone = moments.zone_at(self.text, position)
            if zone is not None:
                return self._add(Kind.ZONE, position, zone[1], value=zone[0])
        contracted = _CONTRACTED.match(self.text, position)
        if contracted is not None:
            return self._phrase(position, contracted.end())
        url = _URL.match(self.text, position)
        if url is not None:
            return self._add(Kind.NAME, position, _trim(url))
        run = _RUN.match(self.text, position)
        if run is None:
            return self._add(Kind.MARK, position, position + 1)
        return self._run(position, run.group(), run.end())

    def _run(self, position: int, written: str, end: int) -> int:
        times = _TIMES.fullmatch(written)
        if times is not None and self.text[position - 1 : position] == "(" and position:
            value = quantities.read_at(times.group(1), 0)
            self._add(Kind.MARK, position, position + 1)
            return self._add(Kind.NUMBER, position + 1, end, value=value[0] if value is not None else None)
        field = _FIELD.match(self.text, position)
        if field is not None and field.end() == end:
            value = quantities.read_at(self.text, field.start(2))
            if value is not None and value[1] == end and _is_field(field.group(1), value[0]):
                end = field.end(1)
                written = field.group(1)
        phrase = self._longest(position)
        if phrase is not None and phrase[0] >= end:
            return self._phrase(position, end)
        if written.isalpha() and not _CAMEL.search(written):
            return self._phrase(position, end)
        if not is_name(written):
            keys = frozenset({f"w:{written.lower()}"})
            return self._add(Kind.WORD, position, end, keys=keys)
        return self._add(Kind.NAME, position, end)

    def _longest(self, position: int) -> tuple[int, list[tuple[str, str, bool]], frozenset[str]] | None:
        """The end of the longest known phrase at `position`, its concepts (id, kind, listed) and its classes."""
        index = self.index_at.get(position)
        if index is None:
            return None
        matches = self.matches[index]
        classes, behind = classes_at(self.parts, index)
        best = max(matches[0][1] if matches else index, behind)
        if best == index:
            return None
        found = [(concept.id, concept.kind, concept.listed) for concept, end in matches if end == best]
        told = classes if behind == best else _NOTHING
        for inner in range(index + 1, best):
            told |= classes_at(self.parts, inner)[0] & _NEVER_HIDDEN
        return self.parts[best - 1].end, found, told

    def _phrase(self, position: int, at_least: int) -> int:
        written = self.text[position:at_least]
        if written in _METHODS:
            return self._add(Kind.WORD, position, at_least, keys=frozenset({f"m:{written}"}), kinds=_METHOD)
        phrase = self._longest(position)
        if phrase is None or phrase[0] < at_least:
            return self._plain_word(position, at_least)
        end, concepts, classes = phrase
        written = self.text[position:end]
        keys = {f"c:{identifier}" for identifier, _kind, _listed in concepts}
        if written.isascii() and written.isalpha():
            keys.add(f"w:{stem(written)}")
        number = _NUMBER_WORDS.get(written.lower())
        if number is not None and self._counts(end, written):
            return self._number_word(position, end, number)
        return self._add(
            Kind.WORD, position, end,
            keys=frozenset(keys), classes=classes, kinds=frozenset(kind for _id, kind, _listed in concepts),
            listed=any(listed for _id, _kind, listed in concepts),
        )  # fmt: skip

    def _plain_word(self, position: int, end: int) -> int:
        written = self.text[position:end]
        number = _NUMBER_WORDS.get(written.lower())
        if number is not None and self._counts(end, written):
            return self._number_word(position, end, number)
        base = _COMPLEMENTS.get(written.lower())
        if base is not None:
            keys = frozenset({f"w:{stem(base)}", f"c:{base}"})
            return self._add(Kind.WORD, position, end, keys=keys, kinds=frozenset({"state"}), negated=True)
        return self._add(Kind.WORD, position, end, keys=frozenset({f"w:{stem(written)}"}))

    def _counts(self, end: int, written: str) -> bool:
        if written.isascii():
            return self.text[end : end + 1] == " " and self.text[end + 1 : end + 2].isalpha()
        return self.text[end : end + 1] in _CLASSIFIERS

    def _number_word(self, position: int, end: int, number: int) -> int:
        value = quantities.read_at(str(number), 0)
        return self._add(Kind.NUMBER, position, end, value=value[0] if value is not None else None)

    def _word_or_mark(self, position: int, character: str) -> int:
        if character in "北东世":
            zone = moments.zone_at(self.text, position)
            if zone is not None:
                return self._add(Kind.ZONE, position, zone[1], value=zone[0])
        if "\u3400" <= character <= "\u9fff":
            named = _NAME_ZH.match(self.text, position)
            if named is not None:
                return self._add(Kind.NAME, position, named.end(), keys=keys_of_parts(named.group()))
            return self._phrase(position, position + 1)
        phrase = self._longest(position)
        if phrase is not None and phrase[2]:
            return self._add(Kind.WORD, position, phrase[0], classes=phrase[2])
        return self._add(Kind.MARK, position, position + 1)

    def _add(
        self,
        kind: Kind,
        start: int,
        end: int,
        keys: frozenset[str] = _NOTHING,
        classes: frozenset[str] = _NOTHING,
        kinds: frozenset[str] = _NOTHING,
        value: Quantity | Stamp | int | None = None,
        negated: bool = False,
        listed: bool = False,
    ) -> int:
        self.units.append(Unit(kind, self.text[start:end], start, end, keys, classes, kinds, value, negated, listed))
        return end


def _is_field(key: str, quantity: Quantity) -> bool:
    """Whether `key:12` is a field and not a host with its port."""
    low = key.lower()
    return quantity.unit is not None or low in _FIELD_WORDS or "_" in key or quantity.readings[0] > _HIGHEST_PORT


def _trim(found: re.Match[str]) -> int:
    return found.start() + len(found.group().rstrip(".:,;!?"))


def is_name(written: str) -> bool:
    """Whether a run of letters, digits and joiners names something (a digit, an inner joiner or capital)."""
    if any(character.isdigit() for character in written) or _CAMEL.search(written) is not None:
        return True
    if any(joiner in written for joiner in "_./:@\\$"):
        return True
    parts = written.lower().split("-")
    return len(parts) > 1 and parts[0] not in _PREFIXES and all(parts)


def all_keys(text: str, units: list[Unit]) -> list[tuple[str, int, int]]:
    """Every key that a record's text offers, with its place: each stem and each concept at every start."""
    parts, matches = read_pieces(text)
    out: list[tuple[str, int, int]] = []
    for part, found in zip(parts, matches, strict=True):
        out.extend(_keys_at(parts, found, part))
    out.extend((key, unit.start, unit.end) for unit in units if unit.negated for key in unit.keys)
    out.extend(
        (key, unit.start, unit.end)
        for unit in units
        if unit.kind is Kind.WORD
        for key in unit.keys
        if key.startswith("m:") or "-" in key
    )
    return out


def _keys_at(parts: list[Piece], found: list[tuple[Concept, int]], part: Piece) -> list[tuple[str, int, int]]:
    out = []
    if part.first and part.last:
        out.append((f"w:{part.key}", part.start, part.end))
    for concept, end in found:
        out.append((f"c:{concept.id}", part.start, parts[end - 1].end))
    return out


@lru_cache(maxsize=4096)
def keys_of(words: str) -> frozenset[str]:
    """Every key that a phrase offers."""
    folded = fold(words)
    return frozenset(key for key, _start, _end in all_keys(folded, read_units(folded)))
