"""Masking: secrets out of every text before it is recorded or shown, by named rules under one version.

Decides what is replaced and by what: equal secrets of one session get equal placeholders, `<masked:password:1>`. The
number is a counter of the session, not a hash: a short password cannot be found by trying. What is masked stays masked,
and masking it again changes nothing. Refuses to mask what only looks random: ids, hashes, versions, addresses and
times are what evidence consists of. Pure: the same texts in the same order give the same placeholders. Protocol:
section 3.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from superbizagent.rules.masking_fields import Span, field_kind, is_no_secret
from superbizagent.rules.masking_forms import MASKING_RULES, MaskingRule

__all__ = ["MASKING_RULES", "MASKING_VERSION", "Masker", "MaskingRule", "mask", "mask_json"]

MASKING_VERSION = "mask.2"
"""Changes whenever a rule would mask another text."""

_PLACEHOLDER = re.compile(r"<masked:[a-z]{1,16}:([0-9]{1,6})>")
_SMALLEST_CARD = 10**12
_LARGEST_CARD = 10**19


class Masker:
    """The masking of one session. Not for use by two sessions: equal placeholders would link them."""

    def __init__(self, seen: Iterable[str] = ()) -> None:
        """`seen` are texts masked earlier in the same session (a run that is taken up again): numbers go on after."""
        self._placeholders: dict[str, str] = {}
        self._last = 0
        for text in seen:
            self.take_note_of(text)

    def take_note_of(self, text: str) -> None:
        """Text of this session that is masked already: a number in it is not handed out to another secret."""
        if "<masked:" in text:
            self._last = max(self._last, *(int(number) for number in _PLACEHOLDER.findall(text)), 0)

    def mask(self, text: str) -> str:
        """`text` with every secret replaced by its placeholder."""
        self.take_note_of(text)
        lowered = text.lower()
        for rule in MASKING_RULES:
            if not rule.needles or any(needle in lowered for needle in rule.needles):
                text = self._replaced(text, rule.find(text))
        return text

    def mask_json(self, value: Any) -> Any:
        """A JSON value with every secret in its keys and values replaced; what is not secret is unchanged.

        The value under a secret's name (`{"password": …}`, `{"name": "DB_PASSWORD", "value": …}`, the data of a
        Kubernetes Secret) is masked whatever it looks like. Works without recursion: no depth exhausts the stack.
        """
        root: list[Any] = [value]
        pending: list[tuple[Any, str | None, str]] = [(root, None, "")]
        while pending:
            container, kind, name = pending.pop()
            if isinstance(container, dict):
                pending.extend(self._mask_mapping(container, kind, name))
            else:
                pending.extend(self._mask_list(container, kind, name))
        return root[0]

    def _mask_mapping(
        self, container: dict[Any, Any], all_kind: str | None, own_name: str
    ) -> list[tuple[Any, str | None, str]]:
        """Masks in place, one level; returns the copies of the containers inside that are still to be masked."""
        entries = list(container.items())
        # `{"password": {"value": …}}` as well as `{"name": "password", "value": …}`.
        named = _named_kind(container) or field_kind(own_name)
        data_kind = "secret" if container.get("kind") == "Secret" else None
        container.clear()
        inner: list[tuple[Any, str | None, str]] = []
        for key, value in entries:
            name = str(key)
            kind = all_kind or field_kind(name) or (named if name == "value" else None)
            masked_key = self.mask(key) if isinstance(key, str) else key
            if isinstance(value, Mapping):
                copy: Any = dict(value)
                inner.append((copy, data_kind if name in ("data", "stringData") else None, name))
            elif isinstance(value, list | tuple):
                copy = list(value)
                inner.append((copy, kind, name))
            else:
                copy = self._leaf(value, kind, name)
            container[masked_key] = copy
        inner.reverse()
        return inner

    def _mask_list(self, container: list[Any], kind: str | None, name: str) -> list[tuple[Any, str | None, str]]:
        inner: list[tuple[Any, str | None, str]] = []
        for index, value in enumerate(container):
            if isinstance(value, Mapping):
                container[index] = dict(value)
                inner.append((container[index], None, ""))
            elif isinstance(value, list | tuple):
                container[index] = list(value)
                inner.append((container[index], kind, name))
            else:
                container[index] = self._leaf(value, kind, name)
        inner.reverse()
        return inner

    def _leaf(self, value: Any, kind: str | None, name: str) -> Any:
        if isinstance(value, str):
            lowered = name.lower()
            if kind is not None and not is_no_secret(value, name):
                return self._placeholder(value, kind)
            if lowered in _HEADERS and value:
                return self.mask(f"{name}: {value}")[len(name) + 2 :]
            return self.mask(value)
        if isinstance(value, bool) or not isinstance(value, int):
            return value
        if kind is not None and name.lower() != "pass" and not is_no_secret(str(value), name):
            return self._placeholder(str(value), kind)
        if _SMALLEST_CARD <= value < _LARGEST_CARD:
            shown = f"{name}={value}"
            masked = self.mask(shown)
            return value if masked == shown else masked[len(name) + 1 :]
        return value

    def _replaced(self, text: str, spans: Iterable[Span]) -> str:
        parts: list[str] = []
        at = 0
        for span in sorted(spans):
            if span.start < at:
                continue
            placeholder = self._placeholder(text[span.start : span.end], span.kind)
            parts += [text[at : span.start], f"{span.quote}{placeholder}{span.quote}"]
            at = span.end
        return "".join((*parts, text[at:])) if parts else text

    def _placeholder(self, secret: str, kind: str) -> str:
        known = self._placeholders.get(secret)
        if known is None:
            self._last += 1
            known = self._placeholders[secret] = f"<masked:{kind}:{self._last}>"
        return known


_HEADERS = frozenset({"authorization", "proxy-authorization", "cookie", "set-cookie"})


def _named_kind(container: Mapping[Any, Any]) -> str | None:
    """The kind of secret that an entry `{"name": …, "value": …}` holds."""
    name = container.get("name", container.get("key"))
    return field_kind(name) if isinstance(name, str) and "value" in container else None


def mask(text: str) -> str:
    """`text` masked by itself: placeholders count from 1."""
    return Masker().mask(text)


def mask_json(value: Any) -> Any:
    """A JSON value masked by itself: placeholders count from 1."""
    return Masker().mask_json(value)
