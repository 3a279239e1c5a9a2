"""Reads what an Executor sent, whoever it was, and keeps what is readable.

Decides: which values are there, which are missing, and which are malformed. Refuses: to repair anything. A malformed
value becomes a `Problem` (the rule `output_complete`), a dropped key a warning, and what stands beside it is still
judged. Nothing here raises on bad input. Protocol: section 4.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from superbizagent.contract.claims import SCHEMA_VERSION
from superbizagent.contract.json_text import LongInteger, key_shown
from superbizagent.contract.results import Warned
from superbizagent.contract.vocabulary import ClaimStatus, ClaimType, WarningCode
from superbizagent.rules.executor_text import FoundObject, find_object

FORBIDDEN_FIELDS = frozenset({"diagnosis_summary", "user_facing_answer"})
_OUTPUT_KEYS = frozenset({"schema_version", "claims", "next_steps"})
_CLAIM_KEYS = frozenset({"claim_id", "text", "claim_type", "status", "evidence_bindings"})
_BINDING_KEYS = frozenset(
    {"tool_name", "source_invocation_id", "source_invocation_ids", "raw_path", "evidence_excerpt"}
)
_STEP_KEYS = frozenset({"action", "target", "reason_claim_id"})
_LARGEST_ID = 2**63 - 1
_Word = TypeVar("_Word", ClaimType, ClaimStatus)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that makes the output incomplete, and where; outside any claim when `claim_id` is None."""

    message: str
    claim_id: str | None = None
    binding: int | None = None


@dataclass(frozen=True, slots=True)
class ReadId:
    """An invocation id as it was written: a number, a word that names no invocation, or malformed (both None)."""

    number: int | None = None
    word: str | None = None

    @property
    def malformed(self) -> bool:
        """Whether it is neither a number nor a word (a float, a boolean, a list)."""
        return self.number is None and self.word is None


@dataclass(frozen=True, slots=True)
class ReadBinding:
    """One binding as far as it could be read. None is *missing*; a malformed value is missing and in `malformed`."""

    tool_name: str | None
    invocation_id: ReadId | None
    legacy_ids: tuple[ReadId, ...]
    raw_path: str | None
    excerpt: str | None
    malformed: frozenset[str] = frozenset()
    auto_filled: bool = False


@dataclass(frozen=True, slots=True)
class ReadClaim:
    """One claim as far as it could be read; `claim_id` is unique within the output."""

    claim_id: str
    text: str
    claim_type: ClaimType | None
    status: ClaimStatus | None
    bindings: tuple[ReadBinding, ...]

    @property
    def is_hypothesis(self) -> bool:
        """Only what says so is a hypothesis: an unreadable status is judged as confirmed."""
        return self.status is ClaimStatus.UNCONFIRMED


@dataclass(frozen=True, slots=True)
class ReadStep:
    """One next step; a plain string has no action."""

    action: str | None
    target: str
    reason_claim_id: str | None


@dataclass(frozen=True, slots=True)
class ReadOutput:
    """What was read: claims, next steps, what was incomplete and what was dropped."""

    claims: tuple[ReadClaim, ...] = ()
    next_steps: tuple[ReadStep, ...] = ()
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Warned, ...] = ()


@dataclass(slots=True)
class _Reader:
    """Collects problems and warnings while one output is read."""

    problems: list[Problem] = field(default_factory=list)
    warnings: list[Warned] = field(default_factory=list)

    def problem(self, message: str, claim_id: str | None = None, binding: int | None = None) -> None:
        self.problems.append(Problem(message, claim_id, binding))

    def warn(self, code: WarningCode, message: str, claim_id: str | None = None, binding: int | None = None) -> None:
        self.warnings.append(Warned(code=code, claim_id=claim_id, binding=binding, message=message))

    def drop_keys(
        self, value: Mapping[str, Any], known: frozenset[str], claim_id: str | None = None, binding: int | None = None
    ) -> None:
        for key in value:
            if key in FORBIDDEN_FIELDS:
                code, message = WarningCode.FORBIDDEN_FIELD_DROPPED, f"`{key}` is not part of {SCHEMA_VERSION}"
            elif key not in known:
                code, message = WarningCode.UNKNOWN_KEY_DROPPED, f"`{_shown(key)}` is no known key"
            else:
                continue
            self.warn(code, f"{message}; it was dropped unread", claim_id, binding)


def read_output(raw: Mapping[str, Any] | str | None) -> ReadOutput:
    """Everything readable in an Executor's output, given as an object or as text around one.

    Text may hold a code fence, words around the object, several objects (the first that has `claims` is taken) or an
    object that is cut off (read as far as its complete bindings go).
    """
    reader = _Reader()
    found = find_object(raw) if isinstance(raw, str) else FoundObject(raw)
    value: object = found.value
    if not isinstance(value, Mapping):
        return ReadOutput(problems=(Problem("the Executor's output holds no JSON object"),))
    if found.cut_off:
        reader.problem("the Executor's output is cut off; only complete bindings were read")
    if found.repeated_key is not None:
        shown = key_shown(found.repeated_key)
        reader.problem(f"the key `{shown}` stands twice in one object: the later one hides the earlier")
    reader.drop_keys(value, _OUTPUT_KEYS)
    version = value.get("schema_version")
    if version is not None and version != SCHEMA_VERSION:
        reader.problem(f"`schema_version` is {_shown(version)}, not {SCHEMA_VERSION}")
    claims = _read_claims(value.get("claims"), reader, cut_off=found.cut_off)
    steps = _read_steps(value.get("next_steps"), reader)
    return ReadOutput(claims, steps, tuple(reader.problems), tuple(reader.warnings))


def _read_claims(value: object, reader: _Reader, *, cut_off: bool) -> tuple[ReadClaim, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        reader.problem("`claims` is not a list")
        return ()
    items = [item for item in value if isinstance(item, Mapping)]
    if len(items) < len(value):
        reader.problem("an entry of `claims` is not an object")
    if cut_off:
        items = [item for item in items if item.get("evidence_bindings")]
    ids = _claim_ids(items, reader)
    return tuple(_read_claim(item, claim_id, reader) for item, claim_id in zip(items, ids, strict=True))


def _claim_ids(items: list[Mapping[str, Any]], reader: _Reader) -> list[str]:
    """The claims' own ids when each has one of its own, else `c1` to `cn` by position."""
    given = [item.get("claim_id") for item in items]
    own = [claim_id for claim_id in given if isinstance(claim_id, str) and claim_id]
    if len(set(own)) == len(items):
        return own
    ids = [f"c{position}" for position in range(1, len(items) + 1)]
    reader.warn(WarningCode.CLAIM_ID_REASSIGNED, "a `claim_id` is missing or repeated; all were given by position")
    for claim_id, value in zip(ids, given, strict=True):
        if value is not None and not isinstance(value, str):
            reader.problem(f"`claim_id` is {_kind(value)}, not a string", claim_id)
    return ids


def _read_claim(item: Mapping[str, Any], claim_id: str, reader: _Reader) -> ReadClaim:
    reader.drop_keys(item, _CLAIM_KEYS, claim_id)
    text = item.get("text")
    if not isinstance(text, str) or not text.strip():
        reader.problem("the claim has no text", claim_id)
        text = ""
    claim_type = _member(ClaimType, item.get("claim_type"), "claim_type", claim_id, reader)
    status = _member(ClaimStatus, item.get("status"), "status", claim_id, reader)
    bindings = item.get("evidence_bindings")
    if bindings is None:
        bindings = []
    elif not isinstance(bindings, list):
        reader.problem(f"`evidence_bindings` is {_kind(bindings)}, not a list", claim_id)
        bindings = []
    read = []
    for index, binding in enumerate(bindings):
        if isinstance(binding, Mapping):
            read.append(_read_binding(binding, claim_id, index, reader))
        else:
            reader.problem(f"a binding is {_kind(binding)}, not an object", claim_id, index)
    return ReadClaim(claim_id, text, claim_type, status, tuple(read))


def _read_binding(item: Mapping[str, Any], claim_id: str, index: int, reader: _Reader) -> ReadBinding:
    reader.drop_keys(item, _BINDING_KEYS, claim_id, index)
    malformed: set[str] = set()
    texts: dict[str, str | None] = {}
    for key in ("tool_name", "raw_path", "evidence_excerpt"):
        value = item.get(key)
        if value is not None and not isinstance(value, str):
            reader.problem(f"`{key}` is {_kind(value)}, not a string", claim_id, index)
            malformed.add(key)
            value = None
        texts[key] = value or None
    if texts["tool_name"] is None and "tool_name" not in malformed:
        reader.problem("the binding has no `tool_name`", claim_id, index)
    invocation_id = _read_id(item.get("source_invocation_id"))
    if invocation_id is not None and invocation_id.malformed:
        kind = _kind(item.get("source_invocation_id"))
        reader.problem(f"`source_invocation_id` is {kind}, not an id", claim_id, index)
    legacy = () if invocation_id else _read_legacy(item.get("source_invocation_ids"), claim_id, index, reader)
    if any(legacy_id.malformed for legacy_id in legacy):
        reader.problem("`source_invocation_ids` holds something that is not an id", claim_id, index)
    return ReadBinding(
        tool_name=texts["tool_name"],
        invocation_id=invocation_id,
        legacy_ids=legacy,
        raw_path=texts["raw_path"],
        excerpt=texts["evidence_excerpt"],
        malformed=frozenset(malformed),
    )


def _read_legacy(value: object, claim_id: str, index: int, reader: _Reader) -> tuple[ReadId, ...]:
    if value is None or value == "":
        return ()
    if not isinstance(value, list):
        reader.problem(f"`source_invocation_ids` is {_kind(value)}, not a list", claim_id, index)
        return (ReadId(),)
    return tuple(_read_id(item) or ReadId() for item in value)


def _read_id(value: object) -> ReadId | None:
    """None when missing; see `ReadId`. A number beyond 64 bits and a string that is no number name no invocation."""
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return ReadId()
    if isinstance(value, int):
        return ReadId(number=value) if abs(value) <= _LARGEST_ID else ReadId(word=_shown(value))
    if isinstance(value, LongInteger) or not isinstance(value, str):
        return ReadId(word=_shown(value)) if isinstance(value, LongInteger) else ReadId()
    if value.isascii() and value.isdigit():
        digits = value.lstrip("0") or "0"
        if len(digits) <= len(str(_LARGEST_ID)) and int(digits) <= _LARGEST_ID:
            return ReadId(number=int(digits))
    return ReadId(word=_shown(value))


def _read_steps(value: object, reader: _Reader) -> tuple[ReadStep, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        reader.problem("`next_steps` is not a list")
        return ()
    steps = []
    for item in value:
        if isinstance(item, str) and item.strip():
            steps.append(ReadStep(None, item, None))
        elif isinstance(item, Mapping) and isinstance(item.get("target"), str):
            reader.drop_keys(item, _STEP_KEYS)
            action, reason = item.get("action"), item.get("reason_claim_id")
            steps.append(
                ReadStep(
                    action if isinstance(action, str) else None,
                    item["target"],
                    reason if isinstance(reason, str) else None,
                )
            )
        else:
            reader.problem("an entry of `next_steps` is neither a step nor a sentence")
    return tuple(steps)


def _member(vocabulary: type[_Word], value: object, key: str, claim_id: str, reader: _Reader) -> _Word | None:
    member = next((member for member in vocabulary if member.value == value), None)
    if member is None:
        known = ", ".join(member.value for member in vocabulary)
        reader.problem(f"`{key}` is {_shown(value)}, not one of {known}", claim_id)
    return member


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, "a boolean"),
    (int, "a number"),
    (float, "a fraction"),
    (LongInteger, "a number"),
    (str, "a string"),
    (list, "a list"),
    (Mapping, "an object"),
)


def _kind(value: object) -> str:
    """What sort of JSON value it is, for a sentence."""
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "null")


def _shown(value: object) -> str:
    """A value for a sentence: one short line, never the whole of something long."""
    if isinstance(value, int) and value.bit_length() > 128:
        return "a number beyond 64 bits"
    text = ascii(value) if not isinstance(value, str) else ascii(value)[1:-1]
    return text if len(text) <= 60 else text[:57] + "..."
