"""Literals: status codes, fields and products as a record gives them, for questions that ask for them by name.

Decides: whether a text has a status code as such (never a number in a path or a size), a literal as a whole, or is of a
product, by its name, its file's name or the form of its log. Refuses: to say what any of it means. Protocol: section 7.
"""

import re

from superbizagent.rules.bearing import bears_on, search_terms, word_stems
from superbizagent.rules.entities import find_name

_STATUS = re.compile(
    r"\" ([1-5]\d\d)(?: |$)|(?:status(?:_code|code)?|code|http)[\"']?[ =:]{1,3}([1-5]\d\d)\b"
    r"|HTTP/\d(?:\.\d)?[\"']? ([1-5]\d\d)\b"
    r"|(?:answered|returned|responded|got|with|->|返回|状态码|响应码|报)[^\d\n]{0,12}([1-5]\d\d)\b"
    r"|(?<![\w/=.:-])([1-5]\d\d) (?:in \d|[A-Z][a-z]+ )",
    re.IGNORECASE,
)
_PRODUCT_FORMS = {
    "nginx": re.compile(r"\[(?:debug|info|notice|warn|error|crit|alert|emerg)\] \d+#\d+:"),
    "redis": re.compile(r"(?:^|\s)\d+:[CMSX] \d{1,2} [A-Z][a-z]{2} \d{4} "),
    "postgresql": re.compile(r"\[\d+\](?: \S+@\S+)? (?:LOG|ERROR|FATAL|PANIC|WARNING|STATEMENT|DETAIL|HINT):"),
    "hikaricp": re.compile(r"com\.zaxxer\.hikari|HikariPool"),
    "kafka": re.compile(r"org\.apache\.kafka|\[(?:Producer|Consumer) clientId="),
}


def names_product(product: str, text: str) -> bool:
    """Whether a text is of, or about, a product: by name, by the name of its file, or by the form of its log."""
    if product in bears_on(text) or product in word_stems(text):
        return True
    form = _PRODUCT_FORMS.get(product)
    if form is not None and form.search(text[:20_000]):
        return True
    lowered = text[:20_000].lower()
    return any(f"file={word}" in lowered for word in search_terms(product) if word.isascii() and len(word) > 1)


def status_codes(text: str) -> frozenset[str]:
    """The HTTP status codes that a text gives as such: never a number in a path or a size."""
    found = _STATUS.finditer(text[:20_000])
    return frozenset(code for match in found for code in match.groups() if code)


def has_literal(literal: str, text: str) -> bool:
    """Whether a text has a literal of a question: a status code as such, a name or field as a whole."""
    if literal.startswith("status:"):
        code = literal.removeprefix("status:")
        codes = status_codes(text)
        return code in codes or (code.endswith("xx") and any(c[0] == code[0] for c in codes))
    lowered = literal.lower()
    if find_name(text.lower(), lowered) is not None:
        return True
    key, _, value = lowered.partition("=")
    return "/" in value and find_name(text.lower(), f"{key}={value.split('/')[0]}") is not None
