"""The nouns before and behind a word of a record.

Decides: which name, number or noun stands nearest before a verb or directly behind it, and whether two units name one
thing. Refuses: to look beyond the segment. Protocol: section 7.3.
"""

from superbizagent.rules.derivability.places import Place, name_forms
from superbizagent.rules.derivability.reading import Kind, Unit, keys_of
from superbizagent.rules.derivability.record import Record

_STATUS_WORDS = frozenset("status state phase condition reason".split())
_NOUN_CLASSES = frozenset({"impact", "found", "source", "alertword", "doc"})


def noun_behind(record: Record, spot: Place) -> Unit | None:
    """The name, number or noun directly behind a verb or adjective (`missing field`, `Killed process 2345`)."""
    for unit, context in zip(record.units, record.contexts, strict=True):
        if unit.start < spot.end:
            continue
        if context.segment != spot.context.segment or unit.kind is Kind.MARK:
            return None
        if unit.kind is Kind.NAME or (
            unit.kind is Kind.WORD and not unit.classes - _NOUN_CLASSES and not unit.kinds & {"event", "state"}
        ):
            return unit
        return None
    return None


def noun_before(record: Record, spot: Place) -> Unit | None:
    """The nearest name, number or noun before a verb in its segment of the record."""
    for unit, context in zip(reversed(record.units), reversed(record.contexts), strict=True):
        if unit.start >= spot.start or unit.kind is Kind.MARK:
            continue
        if unit.start < record.head_end:
            return None
        if unit.end > spot.start:
            prefix = record.text[unit.start : spot.start].strip()
            return unit._replace(text=prefix, keys=keys_of(prefix)) if prefix else None
        if context.segment != spot.context.segment:
            return None
        if unit.kind is Kind.NUMBER and record.text[unit.start - 1 : unit.start] in ("*", "#"):
            return None
        if unit.kind is Kind.WORD and (unit.text.lower().endswith("ly") or unit.text.lower() in _STATUS_WORDS):
            continue  # `upstream prematurely closed`, `pod web-1 status Failed`
        if unit.kind in (Kind.NAME, Kind.NUMBER):
            return unit
        if (
            unit.kind is Kind.WORD
            and "light" not in unit.classes
            and not unit.classes & {"neg", "inable", "could", "predict"}
        ):
            return unit if not unit.kinds & {"level"} else None
    return None


def same_thing(claimed: Unit, recorded: Unit) -> bool:
    if claimed.text.lower() == recorded.text.lower():
        return True
    if recorded.kind is Kind.NAME and claimed.kind is Kind.NAME and claimed.text.lower() in name_forms(recorded.text):
        return True
    return bool((claimed.keys | keys_of(claimed.text)) & (recorded.keys | keys_of(recorded.text)))
