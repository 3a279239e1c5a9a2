"""Secrets that a field's name gives away: `password=…`, `"api_key": "…"`, `密码：…`.

Decides which names of fields promise a secret, where the value ends, and which values are none (a state, a variable,
a placeholder, the name of a Kubernetes secret). Refuses to guess from a value alone: a long random text under a
harmless name is an id. Only bounded patterns: any text takes time in proportion to its length. Protocol: section 3.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Span(NamedTuple):
    """Where a secret stands in a text, and what kind it is.

    `quote` goes around the placeholder: a number of a JSON text becomes a string, in that text's own quotes.
    """

    start: int
    end: int
    kind: str
    quote: str = ""


PASSWORD = "password"
TOKEN = "token"
KEY = "key"

_CLOSED_PASSWORD = ("password", "passwd", "passphrase", "passcode", "pwd")
# Names of directory servers' and their clients' settings (slapd.conf, pam_ldap): one word each.
_JOINED_PASSWORDS = frozenset({"requirepass", "rootpw", "bindpw", "rootbindpw", "userpw"})
# The word before `key` that makes the key a secret; `primary key`, `cache_key`, `public_key` are names.
_SECRET_KEYS = frozenset(
    "api secret access private auth account signing encryption master shared subscription decryption hmac".split()
)
# Words before `token` that make it a cursor, a parser's word or a unit.
_HARMLESS_TOKENS = frozenset(
    "page next continuation sync cancellation cancel fencing resume stop eos bos pad unk start end per unexpected "
    "expected invalid illegal last first current output input prompt completion".split()
)
CHINESE_NAMES = {"密码": PASSWORD, "口令": PASSWORD, "密钥": KEY, "令牌": TOKEN, "验证码": TOKEN}

_FIELD = re.compile(
    r"""(?ia)(?P<core>password|passwd|passphrase|passcode|pwd|pw|pass|secret|secret_key_base|token|key|credentials?|otp|sig|signature"""
    r"""|sessid|sessionid|verification[-_]?code|密码|口令|密钥|令牌|验证码)"""
    r"""(?P<close>\\{0,3}["'`])?(?P<before>[ \t]{0,8})(?P<sep>=>|:=|[为是][ \t]?[:：]|[=:：为是]|%3D|\.{3,64})"""
    r"""(?P<gap>[ \t]{0,8})"""
)
_KEY_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_LONGEST_KEY = 64
_WORD = re.compile(r"[A-Z]{1,64}(?![a-z])|[A-Z]?[a-z]{1,64}|[0-9]{1,64}")
_OPENING = re.compile(r"""\\{0,3}["'`]""")
_RUN = re.compile(r"""[^\s"'`<>，。；、（）「」【】]{1,4096}""")
# Where an unquoted value ends although no white space follows: the next parameter, field or list item.
_NEXT_FIELD = re.compile(r"""[&;]|,(?=$|[A-Za-z_][\w.-]{0,63}[=:])|\\[nrt](?![A-Za-z0-9])|[)}\]]+[,;]""", re.ASCII)
_AFTER_CLOSING = ("", ",", "}", "]", ":", ")", "\n")
_END_MARKS = ")}],.;:\\|"
_LONGEST_VALUE = 4096

_PLACEHOLDER = re.compile(
    r"""(?ia)<[^<>\n]{0,64}>?|\[[a-z *_-]{0,32}\]?|\$\{[^}:\n]{0,64}\}?|\$\([^)\n]{0,64}\)?|\$[A-Z_][A-Z0-9_]{0,63}"""
    r"""|%[sdvq]|%\([a-z_]{1,32}\)s|\{\{[^\n]{0,64}|\{\}|\*{1,64}|x{3,64}|\.{2,64}|…|•{1,64}|\?{1,64}|[-_#]{1,64}|[=:].{0,4096}"""
    r"""|\(?(?:redacted|masked|hidden|filtered|removed|omitted)\)?"""
)
_NO_VALUES = frozenset(
    "true false null none nil undefined nan yes no on off ok n/a na empty missing present absent set unset invalid "
    "expired wrong required optional incorrect changed failed failure success provided valid unknown string str text "
    "bytes char varchar eof rejected denied accepted mismatch disabled enabled default prompt trust "
    "错误 无效 过期 已过期 失败 为空 不正确 正确 不能为空".split()
)
_OBJECT_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,62}/[a-z0-9][a-z0-9.-]{0,252}", re.ASCII)


def field_kind(name: str) -> str | None:
    """What kind of secret a field of this name holds, None when it promises none (`secretName`, `tokens`)."""
    name = name[-_LONGEST_KEY:]
    for word, kind in CHINESE_NAMES.items():
        if name.endswith(word):
            return kind
    words = [word.lower() for word in _WORD.findall(name)]
    if not words:
        return None
    last, joined = words[-1], "".join(words)
    before = words[-2] if len(words) > 1 else ""
    if joined.endswith(_CLOSED_PASSWORD) or (last == "pass" and before != "by") or last == "pw":
        return PASSWORD
    if joined in _JOINED_PASSWORDS:
        return PASSWORD
    if joined.endswith(("secret", "secretkeybase")):
        return KEY
    if joined.endswith("token") and before not in _HARMLESS_TOKENS:
        return TOKEN
    if joined.endswith("key"):
        stem = joined.removesuffix("key")
        return KEY if before in _SECRET_KEYS or (last != "key" and stem.endswith(_SECRET_KEY_STEMS)) else None
    if last in {"credential", "credentials"}:
        return KEY
    if joined.endswith(("otp", "verificationcode")) and (last == "otp" or "code" in last):
        return TOKEN
    if joined.endswith(("jsessionid", "phpsessid", "sessid")):
        return "cookie"
    return KEY if last == "sig" or joined.endswith(("amzsignature", "googsignature")) else None


_SECRET_KEY_STEMS = tuple(sorted(_SECRET_KEYS))


# What a rule or a form says of a password in Chinese, without giving one.
_ABOUT_CHINESE = re.compile(
    r"[空错误过期无效必填正确失败不未已应需请须改重置锁定由是位能]|至少|长度|包含|输入|强度|策略|什么|只读|明文"
)


def is_about_in_chinese(value: str) -> bool:
    """Whether Chinese words say something about a secret: that it is wrong, empty, expired, or must be changed."""
    return not value.isascii() and _ABOUT_CHINESE.search(value) is not None


# What tests and jobs say of a pass: `pass=done`, `"pass": "2/3"`, `first pass=…`; of a power: `pw=12kW`.
_MEASURE = re.compile(r"(?ia)[0-9]{1,3}|[0-9]{1,12}(?:\.[0-9]{1,12})?[ ]?(?:%|[a-z]{1,2}|(?:/|of)[ ]?[0-9]{1,12})")
_PASSES = frozenset("first second third last final next all none done skip skipped fail warn pending running".split())
_COUNTED_PASS = re.compile(r"(?ia)(?:first|second|third|last|final|next|each|every|one|per|two|single|this)[ ]pass$")


def is_no_secret(value: str, name: str = "") -> bool:
    """Whether a value under a secret's name says something else: a state, a variable, a placeholder, a name."""
    if not value or value.startswith("<masked") or value.lower() in _NO_VALUES or _PLACEHOLDER.fullmatch(value):
        return True
    if name in CHINESE_NAMES and is_about_in_chinese(value):
        return True
    lowered = name.lower()
    if lowered.endswith("pwd") and value.startswith(("/", "~")):
        return True
    if lowered.endswith("secret") and _OBJECT_NAME.fullmatch(value):
        return True
    if lowered.endswith(("password", "passwd", "pwd", "passphrase")):
        return False
    if lowered.endswith(("pass", "pw")):
        address = "://" in value or value.startswith("unix:")  # `proxy_pass=http://…`
        return address or _MEASURE.fullmatch(value) is not None or value.lower() in _PASSES
    # `token=812` counts, `pass=3` counts; a one-time code has at least four digits under its own name.
    if lowered.endswith(("otp", "code", "验证码")):
        return not (value.isdigit() and 4 <= len(value) <= 10)
    return value.isdigit() and len(value) < 6


def secret_fields(text: str) -> Iterator[Span]:
    """The values of secret fields in a text, in order."""
    done = 0
    for found in _FIELD.finditer(text):
        if found.start() < done:
            continue
        window = text[max(0, found.start() - _LONGEST_KEY) : found.start()]
        prefix = window[len(window.rstrip(_KEY_CHARACTERS)) :]
        start = found.start() - len(prefix)
        name = (prefix + found["core"]).lstrip(".-")
        if name.lower() == "key":
            name = _spaced_key(window) + name
        kind = field_kind(name)
        if kind is None or found["sep"][0] in "为是" or text[max(0, start - 8) : start].endswith("<masked:"):
            continue  # 为 and 是 join a sentence: `masking_prose`
        value = _value_at(text, found.end(), named_in_quotes=found["close"] is not None)
        if value is None:
            continue
        begin, end, quoted = value
        if text[max(0, start - 1) : start] in ("?", "&") and "#" in text[begin + 1 : end]:
            end = text.index("#", begin + 1, end)  # a fragment ends a query
        said = text[begin:end]
        if is_no_secret(said, name) or not _is_field(text, start, found, name, (begin, end, quoted)):
            continue
        done = end
        number = found["sep"] == ":" and not quoted and said.isdigit()
        yield Span(begin, end, kind, (found["close"] or "") if number else "")


def _spaced_key(window: str) -> str:
    """The word before a bare `key` when the two name a secret together: `API key: …`."""
    if not window.endswith(" "):
        return ""
    words = window.rsplit(None, 1)
    before = words[-1] if words else ""
    return f"{before} " if before.lower() in _SECRET_KEYS else ""


def _value_at(text: str, at: int, *, named_in_quotes: bool) -> tuple[int, int, bool] | None:
    """Begin, end and whether it stands in quotes: the value that starts at a place."""
    if named_in_quotes and text.startswith("[", at):
        at += 1  # headers of many programs: `"X-Api-Key": ["…"]`
    opening = _OPENING.match(text, at)
    if opening is not None and not named_in_quotes and text[opening.end() : opening.end() + 1] in _AFTER_CLOSING:
        return None  # the quotation around the field ends here: `"password=", "n": 1`
    if opening is not None:
        end = closing_quote(text, opening.end(), opening[0])
        if end is not None:
            return opening.end(), end, True
        at = opening.end()
    if text.startswith("<", at):
        return at, min(len(text), at + 8), False
    run = _RUN.match(text, at)
    if run is None or (named_in_quotes and run[0].startswith("{")):
        return None
    cut = _NEXT_FIELD.search(run[0], 1)
    value = run[0][: cut.start()] if cut is not None else run[0]
    kept = value.rstrip(_END_MARKS)
    return (at, at + len(kept), False) if kept else None


def closing_quote(text: str, at: int, mark: str) -> int | None:
    """Where the quotation that `mark` opened ends, within bounds and within the line."""
    limit = min(len(text), at + _LONGEST_VALUE)
    end = text.find(mark, at, limit)
    while end > at and len(mark) == 1 and text[end - 1] == "\\" and text[end - 2] != "\\":
        end = text.find(mark, end + 1, limit)
    if end < 0 or "\n" in text[at:end]:
        return None
    return end


def _is_field(text: str, start: int, found: re.Match[str], name: str, value: tuple[int, int, bool]) -> bool:
    """Whether this is a field and not prose such as `invalid password: too short`, `unexpected token: foo`."""
    begin, end, quoted = value
    said = text[begin:end]
    tight = found["sep"] != ":" and not found["before"] and not found["gap"]
    if name.lower() == "pass" and not _is_pass(text, found, said, told=quoted, tight=tight):
        return False
    if name.lower().endswith("sig") and not looks_random(said, 16):
        return False
    if name.lower().startswith("credential") and not looks_random(said, 8):
        return False
    compound = len(_WORD.findall(name)) > 1
    if name in CHINESE_NAMES:
        return True
    if " " in name:
        return looks_random(said, 6)
    if tight or found["close"] is not None or compound:
        return True
    if text[max(0, start - 1) : start] == ":" and not found["gap"]:
        return False  # a part of a path of names: `arn:aws:…:secret:shop`
    lead = text[max(0, start - 40) : start].rstrip(" \t")
    opens = not lead or lead[-1] in '\n,;{([|-&?"' or lead.endswith("\\n")
    rest = after_value(text, end)
    closes = not rest or rest[0] in "\n\r,;)}]|#" or rest.startswith("\\n")
    if opens and closes:
        return True
    if name.lower().endswith(("token", "secret")):
        return looks_random(said, 8)
    return len(said) >= 4 and (quoted or any(not char.isalpha() for char in said))


def _is_pass(text: str, found: re.Match[str], said: str, *, told: bool, tight: bool) -> bool:
    """Whether `pass` names a password here: tests count passes, and jobs make them."""
    if (said.isdigit() and not told) or _COUNTED_PASS.search(text[max(0, found.start() - 16) : found.end("core")]):
        return False
    return tight or (found["close"] is not None and told) or looks_random(said, 6)


def after_value(text: str, at: int) -> str:
    """The next characters behind a value, without the quotes and blanks between."""
    return text[at : at + 8].lstrip(" \t\"'")


def looks_random(value: str, at_least: int) -> bool:
    """Whether a value has the length and the mixture of letters and digits that words have not."""
    return len(value) >= at_least and any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
