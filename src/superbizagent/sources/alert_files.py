"""Recorded answers of Prometheus and Alertmanager as an alert source.

Decides what the alerts of a folder are: bodies of Prometheus' GET /api/v1/alerts, of Alertmanager's GET /api/v2/alerts,
and of Alertmanager's webhook. Alerts with equal labels are one alert, which keeps what each answer knows of it; alerts
that share no more than a name stay apart. It refuses to soften a broken file: a body that cannot be read makes the
source unavailable, in one sentence. Protocol: section 2 (`query_metrics`), section 3 (alert) and section 11.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from superbizagent.contract.errors import SourceUnavailable, UnreadableInput
from superbizagent.contract.evidence import Searched
from superbizagent.contract.json_text import read_json
from superbizagent.contract.plan import EntityRole
from superbizagent.ports import AlertQuery, Page
from superbizagent.rules.refs import duration_text
from superbizagent.rules.timestamps import read_stamp
from superbizagent.sources.regular_files import FoundFile, read_text

MAX_BODY = 32 << 20
SERVICE_LABELS = ("service", "job", "app")
HOST_LABELS = ("instance", "host", "node", "pod")
STATES = ("firing", "pending", "suppressed", "resolved")
"""The states of an alert, the most urgent first."""

_SEVERITIES = ("critical", "page", "error", "high", "warning", "medium", "low", "info", "none")


class AlertFiles:
    """Answers alert queries over recorded bodies; see `superbizagent.ports.AlertSource`."""

    def __init__(self, name: str, files: Sequence[FoundFile]) -> None:
        self._name = name
        self._files = list(files)

    @property
    def name(self) -> str:
        """The source's name, for `searched.source`."""
        return self._name

    async def query_alerts(self, query: AlertQuery) -> Page:
        """The matching alerts, the most urgent first. Raises `SourceUnavailable` when a body cannot be read."""
        alerts = merged([alert_at(alert, query.at) for alert in self._alerts()])
        matching = [alert for alert in alerts if _matches(alert, query)]
        kept = sorted(matching, key=urgency)[: query.limit]
        searched = Searched(
            source=self._name,
            filters={
                key: value
                for key, value in (("service", query.service), ("alertname", query.alertname), ("state", query.state))
                if value is not None
            },
            records_searched=len(alerts),
            records_matched=len(matching),
            returned=len(kept),
            truncated=len(kept) < len(matching),
            kept="firing first, then by severity, then the newest" if len(kept) < len(matching) else "",
            unknown_entities=_unknown(alerts, query),
            notes=_later_notes(alerts, query.at),
        )
        return Page(kept, searched)

    async def known_entities(self) -> Mapping[EntityRole, frozenset[str]]:
        """Alert names, services, hosts and pools of the labels. An unreadable body names none."""
        try:
            labels = [alert["labels"] for alert in self._alerts()]
        except SourceUnavailable:
            labels = []
        return {
            EntityRole.ALERT: frozenset(one["alertname"] for one in labels if "alertname" in one),
            EntityRole.SERVICE: frozenset(name for one in labels if (name := service_of(one)) is not None),
            EntityRole.HOST: frozenset(one[key] for one in labels for key in HOST_LABELS if key in one),
            EntityRole.POOL: frozenset(one["pool"] for one in labels if "pool" in one),
        }

    def _alerts(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for file in self._files:
            try:
                body = read_json(read_text(file, MAX_BODY))
                found += [alert | {"file": file.name} for alert in alerts_of(body)]
            except UnreadableInput as error:
                raise SourceUnavailable(str(error)) from error
            except ValueError as error:
                raise SourceUnavailable(f"{file.name} holds no alerts that can be read: {error}") from error
        return found


def alerts_of(body: Any) -> Iterator[dict[str, Any]]:
    """The alerts of a body of Prometheus, Alertmanager or its webhook. Raises ValueError for anything else."""
    if isinstance(body, Mapping) and body.get("status") == "error":
        raise ValueError(f"the answer is an error ({str(body.get('error') or body.get('errorType'))[:200]})")
    if isinstance(body, Mapping) and isinstance(body.get("data"), Mapping):
        rows: Any = body["data"].get("alerts")
        read = _prometheus_alert
    elif isinstance(body, Mapping) and isinstance(body.get("alerts"), list):
        rows = body["alerts"]
        read = _webhook_alert
    else:
        rows = body
        read = _alertmanager_alert
    if not isinstance(rows, list):
        raise ValueError("it is no body of /api/v1/alerts, of /api/v2/alerts or of a webhook")  # noqa: TRY004 - one error
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping) or not isinstance(row.get("labels"), Mapping):
            raise ValueError(f"entry {number} is no alert with labels")  # noqa: TRY004 - one error
        yield {**read(row), "labels": _texts(row["labels"]), "annotations": _texts(row.get("annotations"))}


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        return {}
    return {str(key): str(text) for key, text in value.items() if isinstance(text, str | int | float | bool)}


def _prometheus_alert(row: Mapping[str, Any]) -> dict[str, Any]:
    return _known(
        state=_text(row.get("state")) or "firing", value=row.get("value"), active_at=_text(row.get("activeAt"))
    )


def _alertmanager_alert(row: Mapping[str, Any]) -> dict[str, Any]:
    status = row.get("status")
    status = status if isinstance(status, Mapping) else {"state": status}
    suppressed = [f"silence {one}" for one in _list(status.get("silencedBy"))]
    suppressed += [f"inhibition {one}" for one in _list(status.get("inhibitedBy"))]
    return _known(
        state={"active": "firing", "unprocessed": "firing"}.get(str(status.get("state")), _text(status.get("state"))),
        suppressed_by=suppressed,
        starts_at=_text(row.get("startsAt")),
        ends_at=_text(row.get("endsAt")),
        fingerprint=_text(row.get("fingerprint")),
    )


def _webhook_alert(row: Mapping[str, Any]) -> dict[str, Any]:
    return _known(
        state=_text(row.get("status")),
        starts_at=_text(row.get("startsAt")),
        ends_at=_text(row.get("endsAt")),
        fingerprint=_text(row.get("fingerprint")),
    )


def _known(**facts: Any) -> dict[str, Any]:
    return {key: value for key, value in facts.items() if value not in (None, "", [])}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def alert_at(alert: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    """An alert as it stands at a moment: its end only where that is past, and how long it has lasted."""
    shown = dict(alert)
    end = moment_of(shown.pop("ends_at", None))
    if end is not None and end <= at and "active_at" not in shown:
        shown |= {"state": "resolved", "resolved_at": alert["ends_at"]}
    elif end is not None and shown.get("state") == "resolved":
        # It ended later than the moment that is asked about.
        shown["state"] = "firing"
    start = moment_of(shown.get("active_at") or shown.get("starts_at"))
    if start is not None:
        until = moment_of(shown.get("resolved_at")) if shown.get("state") == "resolved" else at
        lasted = None if until is None else duration_text(until - start)
        if lasted is not None:
            shown["duration"] = lasted
    return shown


def moment_of(text: Any) -> datetime | None:
    """A moment of an alert; the zero time and what is no time are none."""
    if not isinstance(text, str) or text.startswith("0001-"):
        return None
    stamp = read_stamp(text, zone=UTC)
    return None if stamp is None else stamp.when


def merged(alerts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Alerts with equal labels as one, in the order of their first; each keeps what the others know beside it."""
    by_labels: dict[tuple[tuple[str, str], ...], dict[str, Any]] = {}
    for alert in alerts:
        key = tuple(sorted(alert["labels"].items()))
        known = by_labels.get(key)
        by_labels[key] = alert if known is None else _together(known, alert)
    return [_item(alert) for alert in by_labels.values()]


def _together(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Two reports of one alert. Prometheus evaluates the rule, so its state, value and start go first; of two of
    Alertmanager's, the later one."""
    if ("active_at" in first) != ("active_at" in second):
        main, other = (first, second) if "active_at" in first else (second, first)
    else:
        main, other = (first, second) if _is_later(first, second) else (second, first)
    both = {**other, **main, "annotations": {**other["annotations"], **main["annotations"]}}
    both["file"] = ", ".join(dict.fromkeys([*first["file"].split(", "), *second["file"].split(", ")]))
    if both.get("state") != "resolved":
        both.pop("resolved_at", None)
    return both


def _is_later(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether the first report tells the later state: the later start, and of one start the end."""
    starts = [moment_of(alert.get("starts_at")) for alert in (first, second)]
    if starts[0] is not None and starts[1] is not None and starts[0] != starts[1]:
        return starts[0] > starts[1]
    return first.get("state") == "resolved"


def _item(alert: dict[str, Any]) -> dict[str, Any]:
    labels = alert["labels"]
    head = {"alertname": labels.get("alertname"), "state": alert.get("state"), "service": service_of(labels)}
    return {key: value for key, value in {**head, **alert}.items() if value not in (None, "")}


def service_of(labels: Mapping[str, str]) -> str | None:
    """The service that an alert's labels name: `service`, else `job`, else `app`."""
    return next((labels[key] for key in SERVICE_LABELS if labels.get(key)), None)


def _matches(alert: Mapping[str, Any], query: AlertQuery) -> bool:
    return (
        (query.service is None or _same(alert.get("service"), query.service))
        and (query.alertname is None or _same(alert.get("alertname"), query.alertname))
        and (query.state is None or _same(alert.get("state"), query.state) or _suppressed(alert, query.state))
    )


def _suppressed(alert: Mapping[str, Any], state: str) -> bool:
    return state.casefold() == "suppressed" and "suppressed_by" in alert


def _same(value: Any, wanted: str) -> bool:
    return isinstance(value, str) and value.casefold() == wanted.casefold()


def urgency(alert: Mapping[str, Any]) -> tuple[int, int, float, str]:
    """Orders alerts by state, severity and newness; lower is more urgent."""
    state = str(alert.get("state"))
    severity = str(alert.get("labels", {}).get("severity", "")).casefold()
    start = moment_of(alert.get("active_at") or alert.get("starts_at"))
    return (
        STATES.index(state) if state in STATES else len(STATES),
        _SEVERITIES.index(severity) if severity in _SEVERITIES else len(_SEVERITIES) // 2,
        -start.timestamp() if start is not None else 0.0,
        str(sorted(alert.get("labels", {}).items())),
    )


def _unknown(alerts: Sequence[Mapping[str, Any]], query: AlertQuery) -> list[str]:
    """Names of the query that no alert of the source has."""
    asked = (("service", query.service), ("alertname", query.alertname))
    return [
        wanted
        for key, wanted in asked
        if wanted is not None and not any(_same(alert.get(key), wanted) for alert in alerts)
    ]


def _later_notes(alerts: Sequence[Mapping[str, Any]], at: datetime) -> list[str]:
    later = sum(
        start is not None and start > at
        for start in (moment_of(alert.get("active_at") or alert.get("starts_at")) for alert in alerts)
    )
    return [f"{later} alerts began after the moment that is asked about"] if later else []
