"""The tool table: which tool's output may be cited, under which path, and as what kind of evidence.

This table is the only place that knows a tool's collection and kind. A new tool is one more row. A recorded
invocation carries its own collection and kind, so that a row of a tool that is not in this table stays checkable;
the table is the fallback for rows recorded before that. Protocol: section 2.
"""

from typing import NamedTuple

from superbizagent.contract.vocabulary import EvidenceKind


class ToolSpec(NamedTuple):
    """One tool: its name, the collection its items stand in (None: never citable), and the kind of evidence."""

    name: str
    collection: str | None
    kind: EvidenceKind


QUERY_METRICS = "query_metrics"
QUERY_LOGS = "query_logs"
LOOKUP_KNOWLEDGE = "lookup_knowledge"
READ_SKILL = "read_skill"

TOOL_TABLE: dict[str, ToolSpec] = {
    spec.name: spec
    for spec in (
        ToolSpec(QUERY_METRICS, "alerts", EvidenceKind.INCIDENT),
        ToolSpec(QUERY_LOGS, "logs", EvidenceKind.INCIDENT),
        ToolSpec(LOOKUP_KNOWLEDGE, "evidence_blocks", EvidenceKind.GUIDANCE),
        ToolSpec(READ_SKILL, None, EvidenceKind.GUIDANCE),
    )
}


def raw_path(collection: str, index: int) -> str:
    """The path of item `index` (from 0, in the list as returned): `$.logs[0]`."""
    return f"$.{collection}[{index}]"
