"""Secrets that a sentence tells: `the password is …`, `with passphrase "…"`, `密码是 …`, `用密码 … 登录`.

Decides which words name a secret in prose, which words join them to its value, and when what follows is a value: in
quotes, or of a shape that words have not, or a word that is no state and ends its clause. Refuses to mask what a
sentence says *about* a secret: that it is wrong, expired, required, of so many characters, or whose it is. Only bounded
patterns: any text takes time in proportion to its length. Protocol: section 3.
"""

import re
from collections.abc import Iterator

from superbizagent.rules.masking_fields import (
    CHINESE_NAMES,
    Span,
    after_value,
    closing_quote,
    field_kind,
    is_about_in_chinese,
    is_no_secret,
    looks_random,
)

_PASSWORDS = "password|passphrase|passcode|passwd"
_TOLD = re.compile(
    rf"""(?ia)(?P<noun>(?<![a-z0-9_.$/\\<"'`-])(?:{_PASSWORDS}|pwd|pw|(?:(?:api|access|private|secret|auth)[ _-]?key)"""
    rf"""|(?:[a-z]{{2,16}}[ ])?(?:token|secret))|{"|".join(CHINESE_NAMES)})"""
    r"""(?P<link>[ \t]{1,4}(?:is|was|equals|(?:was[ ]|is[ ]|has[ ]been[ ])?(?:re)?(?:set|changed)[ ]to)"""
    r"""(?:[ ]?[:：])?[ \t]{1,4}"""
    r"""|[ \t]{0,4}(?:→|->|[是为]|(?:被)?(?:重?设置?|修?改|重置)[为成])[ \t]{0,4}[:：]?[ \t]{0,4}|[ \t]{0,4})"""
)
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』", "”": "”", "＂": "＂"}
_OPENING = re.compile(r"""\\{0,3}["'`]|[“‘「『”＂]""")
_RUN = re.compile(r"""[^\s"'`<>\\，。；、！？：（）「」『』【】“”‘’\u4e00-\u9fff]{1,256}""")
_END_MARKS = ").,;:]}"
_LONGEST_TOLD = 128

# What stands before `password X` when X is the password: who came with it, not whose it is.
_LEAD = re.compile(
    r"(?ia)(?:(?:^|[^a-z])(?:with|using|use[ds]?|and|or|wrong|bad|incorrect|rejected|supplied|entered|tried|typed|sent|"
    r"received|got|via|temporary|initial|default|new|old)(?:[ ](?:the|a|an|his|her|its|my|their|user|new|old))?[ ]"
    r"|(?:user|username|login|account)[ :=]{1,2}[^\s,]{1,64},?[ ])$"
)
_HARMLESS_LEAD = frozenset(
    "unexpected next last first previous current continuation cancellation invalid illegal page sync end start "
    "unknown special reserved".split()
)

_ABOUT = frozenset(
    "a about above absent accepted admin's after again all also always an and any as at bad base64 bcrypt because "
    "before being below between blank both broken but by case changed chosen clear compromised correct cracked default "
    "different disabled due easy either else empty enabled encrypted equal exact expire expired expires false fine "
    "for forbidden forgotten found fresh from gone good hard hashed here hex hidden how if ignored in incomplete "
    "incorrect insecure intact invalid it just known last leaked less long longer lost malformed mandatory "
    "mask masked md5 mismatch missing more needed neither never new nil no none nor not now null ok okay old on once "
    "only optional or our over overridden own past per plain plaintext present private public queued random "
    "rather ready required reset reused right rotated safe salted same scrypt secure sent set sha1 sha256 sha512 short "
    "shorter simple so static still stolen strict strong stronger such sync taken text that the then there this to too "
    "true unchanged under undefined uneven unique unknown unless unsafe unset until up used useless utf-8 valid "
    "visible wanted weak weaker what when where which who why with within without wrong yes yet yours "
    "must should cannot may can will would could has have had is was are be does did field for".split()
)
_SAYING = frozenset(
    "must should cannot can't may can will would could has have had is was are be does did not no for from in of too "
    "already and or a an the to at by with".split()
)
_ABOUT_ENDINGS = (
    *("ed", "ing", "able", "ible", "ive", "ent", "ant", "ory", "ary", "ful", "less", "ous", "ly", "ect", "al", "ic"),
    *("ale", "ate", "ete", "ite", "ute", "lex", "est"),
)
# A date, a length of time, `attempt3`: letters and digits that are no secret.
_ODD = re.compile(
    r"(?ia)[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,9}(?:ms|s|m|h|d|min|chars?)$"
    r"|(?:counts?|attempts?|try|tries|retry|no|nr|num|v|line|row|field|step|policy)[-_.#]?[0-9]{1,9}$"
)
_UNIT = re.compile(
    r"(?ia)[ ]?(?:-|char|digit|byte|bit|letter|symbol|time|day|hour|minute|second|attempt|year|month|item"
    r"|of\b|or\b|to\b|位|个|次|天|小时|分钟|字符|秒|条|项)"
)
_CLAUSE_END = re.compile(
    r"(?ia)[ \t]{0,4}(?:$|[\n\r,.;!?)\]}\"'，。；！？）”’」]|\\n|(?:for|on|and|but|at|in|of)[ ]|后|登录)"
)


def told_secrets(text: str) -> Iterator[Span]:
    """The secrets that sentences tell, in order."""
    done = 0
    for found in _TOLD.finditer(text):
        if found.start() < done:
            continue
        noun, link = found["noun"].lower(), found["link"].strip()
        kind = field_kind(noun.replace(" ", "_"))
        if kind is None or (noun.endswith("token") and noun.split(" ")[0] in _HARMLESS_LEAD):
            continue
        span = _quoted(text, found, noun, link) or _unquoted(text, found, noun, link)
        if span is not None:
            done = span[1]
            yield Span(*span, kind)


def _quoted(text: str, found: re.Match[str], noun: str, link: str) -> tuple[int, int] | None:
    """A value in quotes; a name in quotes (`secret "orders"`, `key "orders"`) is none."""
    opening = _OPENING.match(text, found.end())
    if opening is None:
        return None
    mark = opening[0][:-1] + _QUOTES[opening[0][-1]]
    end = closing_quote(text, opening.end(), mark)
    if end is None or end - opening.end() > _LONGEST_TOLD:
        return None
    said = text[opening.end() : end]
    if said != said.strip() or is_no_secret(said, noun) or _is_about(said, noun):
        return None
    if not _is_password(noun) and not (looks_random(said, 8 if not link else 6) and not said.count(" ")):
        return None
    return (opening.end(), end) if link or not noun.endswith("secret") else None


def _unquoted(text: str, found: re.Match[str], noun: str, link: str) -> tuple[int, int] | None:
    run = _RUN.match(text, found.end())
    if run is None:
        return None
    said = run[0].rstrip(_END_MARKS)
    end = found.end() + len(said)
    if not said or is_no_secret(said, noun) or _is_about(said, noun) or "=" in said or _is_place(said):
        return None
    if said.isdigit():
        told = bool(link) and _is_password(noun) and len(said) >= 4
        return (found.end(), end) if told and _UNIT.match(text, end) is None else None
    if not _is_password(noun):
        return (found.end(), end) if link and looks_random(said, 6) else None
    if not link:
        return (found.end(), end) if _told_without_link(text, found, noun, said) else None
    if not said.isalpha():
        return (found.end(), end) if len(said) >= 3 and not said.replace("-", "").isalpha() else None
    moved = link.lower().endswith("to")
    told = not said.islower() and not said.istitle() and not said.isupper()
    told = told or (not moved and len(said) >= 4 and said.isascii() and _CLAUSE_END.match(text, end) is not None)
    return (found.end(), end) if told else None


def _told_without_link(text: str, found: re.Match[str], noun: str, said: str) -> bool:
    """`with password X`, `用密码 X 登录`: only a value that no word looks like, behind words that bring one."""
    if noun in ("pwd", "pw") or not found["link"]:
        return False
    if noun in CHINESE_NAMES:
        return looks_random(said, 6) and not after_value(text, found.end() + len(said)).startswith(("=", ":"))
    lead = _LEAD.search(text, max(0, found.start() - 80), found.start())
    if lead is None or after_value(text, found.end() + len(said)).startswith(("=", "(")):
        return False
    return len(said) >= 4 and any(char.isdigit() for char in said) and any(char.isalpha() for char in said)


def _is_password(noun: str) -> bool:
    return noun in ("pwd", "pw", "密码", "口令", "验证码") or noun.startswith("pass")


def _is_about(said: str, noun: str) -> bool:
    """Whether words say something about the secret: a state, a rule, whose it is."""
    words = said.lower().replace("’", "'").split()
    first = words[0].strip("'\",.;:!?") if words else ""
    if len(words) > 1:
        return first in _SAYING or all(word.strip(",.;:!?") in _ABOUT for word in words)
    if not said.isascii():
        return is_about_in_chinese(said)
    if noun == "验证码":
        return not (said.isdigit() or looks_random(said, 4))
    return first in _ABOUT or (first.isalpha() and first.endswith(_ABOUT_ENDINGS)) or _ODD.match(said) is not None


def _is_place(said: str) -> bool:
    """A path, a URL, a field's template or a call: `read from /run/secrets`, `get(…)`."""
    return said.startswith(("/", "$", "%", "{", "[", "(", "*", "-", "@")) or "://" in said or "()" in said
