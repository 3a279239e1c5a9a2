"""Findings: which records bear on which alert.

Decides: whether a record and an alert are about the same, by the names in the alert's labels and by the telling
concepts that both bear on. Refuses: to call one the cause of the other. Protocol: section 8 (a sweep shows a verdict
per finding).
"""

import re
from functools import lru_cache

from superbizagent.rules.asking_words import word_set
from superbizagent.rules.bearing import bears_on, kind_of
from superbizagent.rules.entities import has_name

_LABEL = re.compile(r"(?:^|[\s,])([A-Za-z_][\w.]{0,60})=(\"[^\"]{1,200}\"|[^\s,;]{1,200})")
_NAMING_LABELS = frozenset(
    {"service", "app", "pool", "pod", "container", "host", "database", "queue", "topic", "upstream", "node", "volume"}
    | {"mountpoint", "device", "domain", "url", "job", "deployment", "consumer_group", "db", "cluster", "role"}
)


@lru_cache(maxsize=512)
def telling_concepts(text: str) -> frozenset[str]:
    """The concepts of a text that choose records: no general words, levels, products, states of alerts."""
    general = word_set("too_general")
    return frozenset(c for c in bears_on(text) if c not in general and kind_of(c) not in {"level", "product"})


@lru_cache(maxsize=512)
def alert_names(text: str) -> frozenset[str]:
    """The names in an alert's naming labels (`service=`, `pool=`, …)."""
    found = _LABEL.findall(text[:4000])
    return frozenset(value.strip('"') for key, value in found if key.lower() in _NAMING_LABELS and len(value) > 2)


def bear_together(alert: str, record: str) -> bool:
    """Whether a record is about what an alert is about: a name of a part in it, or a telling concept of both.

    A service's name alone is not enough: everything that a service logs has it.
    """
    services = {value for key, value in _LABEL.findall(alert[:4000]) if key.lower() in {"service", "app", "job"}}
    parts = alert_names(alert) - services
    if any(has_name(record, name) for name in parts):
        return True
    shared = telling_concepts(alert) & telling_concepts(record)
    return bool(shared)
