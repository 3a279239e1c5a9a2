"""Secrets that their own form or the words around them give away: tokens, headers, URLs, PEM, card numbers.

Each rule has a name, the literal text without which it cannot hold (so that most texts cost one search), and a function
from a text to the spans of its secrets. Forms are those that their issuers publish. Only bounded patterns. Refuses
entropy as a reason: ids, hashes and versions look as random as secrets do. Protocol: section 3.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from superbizagent.rules.masking_fields import (
    KEY,
    PASSWORD,
    TOKEN,
    Span,
    field_kind,
    is_no_secret,
    looks_random,
    secret_fields,
)
from superbizagent.rules.masking_prose import told_secrets


class MaskingRule(NamedTuple):
    """One named rule: `needles` are lower-case texts of which one must occur; none means always look."""

    name: str
    needles: tuple[str, ...]
    find: Callable[[str], Iterator[Span]]


def _groups(pattern: str, kind: str) -> Callable[[str], Iterator[Span]]:
    """The first group of every match, unless it is a placeholder or a state."""
    compiled = re.compile(pattern)

    def find(text: str) -> Iterator[Span]:
        for found in compiled.finditer(text):
            if not is_no_secret(found[1], "password"):
                yield Span(found.start(1), found.end(1), kind)

    return find


def _wholes(pattern: str, kind: str, check: Callable[[str], bool] = bool) -> Callable[[str], Iterator[Span]]:
    """Every match as a whole for which `check` holds."""
    compiled = re.compile(pattern)

    def find(text: str) -> Iterator[Span]:
        return (Span(found.start(), found.end(), kind) for found in compiled.finditer(text) if check(found[0]))

    return find


# --- headers ----------------------------------------------------------------------------------------------------

_AUTHORIZATION = re.compile(
    r"""(?ia)authorization(?:\\{0,3}["'])?[ \t]{0,2}[:=][ \t]{0,2}\[?(?:\\{0,3}["'])?"""
    r"""(?P<scheme>(?:basic|bearer|token|negotiate|ntlm|apikey|api-key|key|digest|oauth|hawk|aws4-hmac-sha256)"""
    r"""[ \t]{1,3})?"""
    r"""(?P<value>[^\s"'<>,;\\\])}]{1,8192})"""
)
_SIGNED = re.compile(
    r"""(?ia)\b(?:response|signature|oauth_signature|oauth_token|mac|token|credential)=["']?([^"',\s<>\\]{1,1024})"""
)
_SCHEME_WORDS = frozenset("token tokens header auth authentication scheme realm credentials is was has must".split())
_SIGNED_SCHEMES = ("digest", "oauth", "hawk", "aws4")
_BEARER = re.compile(
    r"""(?ia)\bbearer(?:[ \t]{1,3}|["']?[:=][ \t]{0,2}["']?)([A-Za-z0-9._~+/-]{6,8192}={0,2})(?![="])"""
)
_BASIC = re.compile(r"(?ia)\bbasic[ \t]{1,3}([A-Za-z0-9+/]{4,1024}={0,2})")


def _authorization(text: str) -> Iterator[Span]:
    done = 0
    for found in _AUTHORIZATION.finditer(text):
        if found.start() < done:
            continue
        scheme, value = (found["scheme"] or "").strip().lower(), found["value"]
        if scheme.startswith(_SIGNED_SCHEMES):
            start, done = found.start("value"), _line_end(text, found.start("value"), 2048)
            yield from (Span(*signed.span(1), TOKEN) for signed in _SIGNED.finditer(text, start, done))
        elif "=" in value.rstrip("=") and scheme == "token":
            continue  # `Token token="…"` is a field
        elif value.lower() in _SCHEME_WORDS or is_no_secret(value, "password"):
            continue
        elif scheme or looks_random(value, 8):
            yield Span(*found.span("value"), TOKEN)


def _line_end(text: str, start: int, limit: int) -> int:
    end = text.find("\n", start, start + limit)
    return end if end >= 0 else min(len(text), start + limit)


def _bearer(text: str) -> Iterator[Span]:
    for found in _BEARER.finditer(text):
        value = found[1]
        if any(char.isdigit() for char in value) or len(value) >= 24:
            yield Span(found.start(1), found.end(1), TOKEN)


def _basic(text: str) -> Iterator[Span]:
    for found in _BASIC.finditer(text):
        try:
            decoded = base64.b64decode(found[1], validate=True)
        except (binascii.Error, ValueError):
            continue
        if b":" in decoded and decoded.isascii() and decoded.decode("ascii").isprintable():
            yield Span(found.start(1), found.end(1), PASSWORD)


_COOKIE = re.compile(r"""(?ia)(?P<set>set-)?cookies?(?:\\{0,3}["'])?[ \t]{0,2}[:=][ \t]{0,2}\[?(?:\\{0,3}["'])?""")
_COOKIE_PAIR = re.compile(r"""(?a)([^\s=;,"'\\<>]{1,128})=([^;\s"'\\,]{0,4096})(?:;[ \t]{0,2})?""")


def _cookies(text: str) -> Iterator[Span]:
    done = 0
    for found in _COOKIE.finditer(text):
        if found.start() < done:
            continue
        pair = _COOKIE_PAIR.match(text, found.end())
        while pair is not None:
            done = pair.end()
            if not is_no_secret(pair[2], "password"):
                yield Span(*pair.span(2), "cookie")
            pair = None if found["set"] else _COOKIE_PAIR.match(text, pair.end())


# --- URLs and connection strings --------------------------------------------------------------------------------

# The password runs to the last `@` before a slash: an unencoded `@` may be part of it.
_USERINFO = re.compile(r"""://([^\s/:@"'<>`]{0,128}):([^\s"'<>`/]{1,256})@""")
_USER_TOKEN = re.compile(r"://([A-Za-z0-9_-]{20,256})@", re.ASCII)


def _url_passwords(text: str) -> Iterator[Span]:
    for found in _USERINFO.finditer(text):
        if not is_no_secret(found[2], "password"):
            yield Span(*found.span(2), PASSWORD)
    for found in _USER_TOKEN.finditer(text):
        if looks_random(found[1], 20):
            yield Span(*found.span(1), TOKEN)


_WEBHOOKS = (
    r"(?a)(?:hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{6,20}/[A-Z0-9]{6,20}/"
    r"|discord(?:app)?\.com/api/webhooks/[0-9]{10,22}/"
    r"|open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/"
    r"|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=)([A-Za-z0-9_-]{16,128})"
)

# --- command lines, SQL, XML, YAML ------------------------------------------------------------------------------

_OPTION = re.compile(
    r"""(?ia)(?<![\w-])--((?:[a-z0-9]{1,20}-){0,4}(?:password|passwd|pass|pwd|pw|passphrase|token|secret|api-?key|access-key"""
    r"""|secret-key|private-key|auth-key))(?:[ \t]{1,4}|["'],[ \t]?["'])["']?(?!-)((?:[^\s"'\\]|\\(?![\\"'])){1,512})"""
)
_OPTION_WORDS = frozenset(
    "to for is or and string strings flag option value values must was not from with in as the a an file argument "
    "parameter requires stringarray".split()
)
_CURL_USER = re.compile(r"""(?<![\w-])(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"']{1,64}:([^\s"']{1,256})""")
_MYSQL_PASSWORD = re.compile(r"""(?<=[\s"'])-p(?!ort\b)([^\s"'-][^\s"']{2,127})""")
_SHORT_PASSWORD = re.compile(r"""(?<=\s)-p[ =]?["']?([^\s"'-][^\s"']{1,127})""")
_NETRC = r"""(?ia)\bmachine\s{1,4}\S{1,255}\s{1,4}login\s{1,4}\S{1,255}\s{1,4}password\s{1,4}([^\s"'\\]{1,255})"""
_REDIS_OPTION = re.compile(r"""(?<=\s)-a[ \t]{1,2}["']?([^\s"'-][^\s"']{0,255})""")
_XML_ELEMENT = re.compile(r"<([A-Za-z][\w.:-]{0,63})>([^<>\n]{1,512})</", re.ASCII)
_NAMED_VALUE = re.compile(
    r"""(?ia)\bname:[ \t]{0,4}["']?([\w.-]{1,64})["']?[ \t]{0,4}\r?\n[ \t-]{0,32}"""
    r"""value:[ \t]{0,4}["']?([^\s"']{1,512})"""
)
_NAMED_JSON_VALUE = re.compile(
    r"""(?ia)(?P<quote>\\{0,3}")(?:name|key)(?P=quote)[ \t]?:[ \t]?(?P=quote)([\w.-]{1,64})(?P=quote)[ \t]?,[ \t]?"""
    r"""(?P=quote)value(?P=quote)[ \t]?:[ \t]?(?P=quote)([^"\\\n]{1,512})"""
)


def _options(text: str) -> Iterator[Span]:
    for found in _OPTION.finditer(text):
        if found[2].lower() not in _OPTION_WORDS and not is_no_secret(found[2], "password"):
            yield Span(*found.span(2), field_kind(found[1].replace("-", "_")) or PASSWORD)


def _line_options(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Span]]:
    def find(text: str) -> Iterator[Span]:
        for found in pattern.finditer(text):
            if not (found[1].isdigit() and len(found[1]) < 6) and not is_no_secret(found[1], "password"):
                yield Span(*found.span(1), PASSWORD)

    return find


def _named(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Span]]:
    """Values that stand in the last group, with their names in the group before."""

    def find(text: str) -> Iterator[Span]:
        for found in pattern.finditer(text):
            name, value = found.groups()[-2:]
            kind = field_kind(name)
            if kind is not None and not is_no_secret(value, name):
                yield Span(*found.span(found.re.groups), kind)

    return find


# --- forms of issuers -------------------------------------------------------------------------------------------

_JWT = r"(?a)(?<![\w.-])eyJ[\w-]{8,8192}\.[\w-]{8,16384}(?:\.[\w-]{0,8192}){0,3}"
_PEM = (
    r"-----BEGIN [A-Z0-9 ]{1,40}-----"
    r"(?:[A-Za-z0-9+/=\s\\:,.@()]|-(?!----)){0,65536}"
    r"-----END [A-Z0-9 ]{1,40}-----"
    r"|-----BEGIN [A-Z0-9 ]{0,24}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{0,65536}"
)
_LEFT = r"(?a)(?<![A-Za-z0-9_-])"
_RIGHT = r"(?![A-Za-z0-9_-])"
_ISSUERS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("aws_access_key", ("akia", "asia", "abia", "acca"), r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}"),
    ("github_token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    ("github_fine_grained_token", ("github_pat_",), r"github_pat_\w{22,255}"),
    ("gitlab_token", ("gl",), r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[\w.-]{20,255}"),
    ("slack_token", ("xox", "xapp-"), r"(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,255}"),
    ("google_key", ("aiza", "ya29.", "gocspx-"), r"(?:AIza[\w-]{35}|ya29\.[\w.-]{20,2048}|GOCSPX-[\w-]{20,64})"),
    (
        "stripe_key",
        ("_live_", "_test_", "whsec_"),
        r"(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[\w+/=]{16,255})",
    ),
    ("hugging_face_token", ("hf_",), r"hf_[A-Za-z]{30,64}|hf_[A-Za-z0-9]{30,64}"),
    ("npm_token", ("npm_",), r"npm_[A-Za-z0-9]{36}"),
    ("pypi_token", ("pypi-",), r"pypi-[\w-]{50,512}"),
    ("sendgrid_key", ("sg.",), r"SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    ("digitalocean_token", ("_v1_",), r"do[opr]_v1_[a-f0-9]{64}"),
    ("shopify_token", ("shp",), r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("vault_token", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[\w-]{24,512}"),
    ("databricks_token", ("dapi",), r"dapi[a-f0-9]{32}(?:-[0-9])?"),
    ("grafana_token", ("glsa_", "glc_"), r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,512})"),
    ("new_relic_key", ("nrak-",), r"NRAK-[A-Z0-9]{27}"),
    ("alibaba_key", ("ltai",), r"LTAI[A-Za-z0-9]{12,30}"),
    ("tencent_key", ("akid",), r"AKID[A-Za-z0-9]{32}"),
    ("telegram_bot_token", (":aa",), r"[0-9]{8,10}:AA[\w-]{33}"),
    ("age_key", ("age-secret-key-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
)
# A long run without hyphens and a digit in it: `sk-learn-something-of-many-words` is a name.
_MODEL_KEY = _LEFT + r"sk-(?:(?:ant|proj|svcacct|admin|or|None|live|test)-)?[\w-]{20,512}"
_PASSWORD_HASH = (
    r"(?a)\$(?:2[aby]\$[0-9]{2}\$[./A-Za-z0-9]{53}|argon2(?:id|i|d)\$[^\s\"']{20,512}"
    r"|[156y]\$[./A-Za-z0-9=$]{20,256})"
)


def _is_model_key(value: str) -> bool:
    longest = max(value.split("-"), key=len)
    return looks_random(longest, 16)


# --- card numbers -----------------------------------------------------------------------------------------------

_CARD = re.compile(
    r"(?<![\w.-])(?:[0-9]{4}(?P<mark>[ -])[0-9]{4}(?P=mark)[0-9]{4}(?P=mark)[0-9]{4}(?:(?P=mark)[0-9]{3})?"
    r"|3[47][0-9]{2}(?P<second>[ -])[0-9]{6}(?P=second)[0-9]{5}|[0-9]{13,19})(?![\w-]|\.[0-9])",
    re.ASCII,
)
# Length(s) of a number by its first digits (ISO/IEC 7812 ranges as their issuers publish them).
_ISSUER_RANGES: tuple[tuple[int, int, frozenset[int]], ...] = (
    (4, 4, frozenset({13, 16, 19})),
    (51, 55, frozenset({16})),
    (2221, 2720, frozenset({16})),
    (34, 34, frozenset({15})),
    (37, 37, frozenset({15})),
    (6011, 6011, frozenset({16, 19})),
    (644, 659, frozenset({16, 19})),
    (3528, 3589, frozenset({16, 19})),
    (300, 305, frozenset({14})),
    (36, 36, frozenset({14})),
    (38, 39, frozenset({14})),
    (62, 62, frozenset({16, 17, 18, 19})),
)
_CARD_WORD = re.compile(
    r"(?ia)card|visa|master|amex|unionpay|discover|(?<![a-z])(?:pan|cc|jcb)(?![a-z])|卡号|银行卡|信用卡|银联"
)
_OTHER_NUMBER = re.compile(r"<masked:[a-z_]{1,40}:[0-9]{1,9}>|[0-9]{13,19}", re.ASCII)
# A number that its own field calls an id, a count or a time is none, although one in ten passes Luhn's sum.
_ID_FIELD = re.compile(r"""(?ia)(?:[a-z_.-]{1,40})["']?[ \t]{0,2}[:=#][ \t]{0,2}["']?$|#$|号[:：]?$""")


def _cards(text: str) -> Iterator[Span]:
    for found in _CARD.finditer(text):
        digits = found[0].replace(" ", "").replace("-", "")
        if not _of_issuer(digits) or not _luhn(digits):
            continue
        lead = text[max(0, found.start() - 40) : found.start()]
        # What names another number, or one that is masked already, does not name this one.
        named = _CARD_WORD.search(_OTHER_NUMBER.split(lead)[-1]) is not None
        grouped = len(digits) != len(found[0])
        if named or grouped or (len(digits) in (15, 16) and _ID_FIELD.search(lead) is None):
            yield Span(found.start(), found.end(), "card")


def _of_issuer(digits: str) -> bool:
    return any(
        low <= int(digits[: len(str(low))]) <= high and len(digits) in lengths for low, high, lengths in _ISSUER_RANGES
    )


def _luhn(digits: str) -> bool:
    """ISO/IEC 7812-1 annex B: every second digit from the right doubled, the sum divisible by ten."""
    total = 0
    for index, char in enumerate(reversed(digits)):
        value = int(char) * (1 + index % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0 and len(set(digits)) > 1


# --- the rules, in the order in which they run ------------------------------------------------------------------

_FIELD_NEEDLES = (
    *(
        "passw",
        "passphrase",
        "passcode",
        "pwd",
        "pw",
        "pass",
        "secret",
        "token",
        "key",
        "credential",
        "otp",
        "sig",
        "sessid",
    ),
    *("sessionid", "verification", "密码", "口令", "密钥", "令牌", "验证码"),
)
_TOLD_NEEDLES = ("pass", "pwd", "pw", "key", "token", "secret", "密码", "口令", "密钥", "令牌", "验证码")


MASKING_RULES: tuple[MaskingRule, ...] = (
    MaskingRule("pem_block", ("-----begin ",), _wholes(_PEM, "pem")),
    MaskingRule("authorization_header", ("authorization",), _authorization),
    MaskingRule("cookie_header", ("cookie",), _cookies),
    MaskingRule("url_password", ("://",), _url_passwords),
    MaskingRule(
        "driver_password",
        ("@tcp(", "@unix(", "@udp("),
        _groups(r"(?a)(?<![\w.@-])[\w.-]{1,64}:([^\s:@/\"'<>]{1,128})@(?:tcp|udp|unix)\(", PASSWORD),
    ),
    MaskingRule("oracle_password", ("thin:",), _groups(r"(?ia)thin:[\w$#]{1,64}/([^\s@/\"'<>]{1,128})@", PASSWORD)),
    MaskingRule("webhook", ("hooks.slack", "/webhooks/", "/hook/", "webhook/send"), _groups(_WEBHOOKS, TOKEN)),
    MaskingRule("secret_field", _FIELD_NEEDLES, secret_fields),
    MaskingRule("command_option", ("--",), _options),
    MaskingRule("curl_user", ("curl",), _line_options(_CURL_USER)),
    MaskingRule("mysql_option", ("mysql", "mariadb"), _line_options(_MYSQL_PASSWORD)),
    MaskingRule("login_option", ("sshpass", "docker login", "podman login"), _line_options(_SHORT_PASSWORD)),
    MaskingRule("netrc_password", ("machine",), _groups(_NETRC, PASSWORD)),
    MaskingRule("redis_option", ("redis-cli",), _line_options(_REDIS_OPTION)),
    MaskingRule(
        "redis_password",
        ("requirepass", "masterauth", "rootpw", "bindpw"),
        _groups(
            r"""(?ia)\b(?:requirepass|masterauth|rootpw|bindpw)["']?[ \t]{1,4}["']?"""
            r"""((?:[^\s"'<>\\]|\\(?![\\"'])){1,512})""",
            PASSWORD,
        ),
    ),
    MaskingRule(
        "redis_auth", ('"auth"',), _groups(r'(?ia)"auth"[ \t](?:"[^"\n]{1,128}"[ \t])?"([^"\n]{1,512})"', PASSWORD)
    ),
    MaskingRule(
        "sql_password",
        ("identified", "password"),
        _groups(
            r"""(?ia)\b(?:identified[ \t]{1,4}(?:with[ \t]{1,4}["'\w]{1,40}[ \t]{1,4})?by(?:[ \t]{1,4}password)?"""
            r"""|(?<!["'`])password)[ \t]{0,4}\(?[ \t]{0,4}'([^\s'<>](?:[^'\n<>]{0,255}))'""",
            PASSWORD,
        ),
    ),
    MaskingRule("xml_element", ("</",), _named(_XML_ELEMENT)),
    MaskingRule("named_value", ("value:",), _named(_NAMED_VALUE)),
    MaskingRule("named_json_value", ("value",), _named(_NAMED_JSON_VALUE)),
    MaskingRule("told_secret", _TOLD_NEEDLES, told_secrets),
    MaskingRule("bearer_token", ("bearer",), _bearer),
    MaskingRule("basic_credentials", ("basic",), _basic),
    MaskingRule("json_web_token", ("eyj",), _wholes(_JWT, "jwt")),
    *(MaskingRule(name, needles, _wholes(_LEFT + f"(?:{form})" + _RIGHT, KEY)) for name, needles, form in _ISSUERS),
    MaskingRule("model_key", ("sk-",), _wholes(_MODEL_KEY, KEY, _is_model_key)),
    MaskingRule("password_hash", ("$",), _wholes(_PASSWORD_HASH, "hash")),
    MaskingRule("card_number", (), _cards),
)
"""Every rule by name, in order; a later rule never looks into what an earlier one masked."""
