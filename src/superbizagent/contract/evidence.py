"""Evidence: a citable item of a tool's output, what a search asked, and the output itself.

An evidence ref has two keys and no other. `Searched` says exactly what was asked of which source, so that *no data*,
*source down* and *cut list* stay three different things all the way to the answer. Protocol: sections 1, 2 and 3.
"""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict

from superbizagent.contract.vocabulary import EvidenceKind, EvidenceStatus


class EvidenceRef(BaseModel):
    """One item of a tool's output that may be cited: where it stands, and its text as one line of facts."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    raw_path: str
    text: str


class Window(BaseModel):
    """A span of event time, both ends aware of their zone; an open end is None."""

    model_config = ConfigDict(frozen=True)

    since: datetime | None = None
    until: datetime | None = None


class Searched(BaseModel):
    """What was asked, of which source, over which window, and how much was looked at.

    `records_searched` counts what the source looked through inside the window, `records_matched` what matched before
    any limit, `returned` what the list holds. `truncated` is true when `returned < records_matched`; then `kept` says
    in one phrase how the kept part was chosen. Counts that a source does not know are None, never 0.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    source: str
    query: str = ""
    terms: dict[str, list[str]] = {}
    filters: dict[str, str] = {}
    window: Window = Window()
    records_searched: int | None = None
    records_matched: int | None = None
    returned: int = 0
    truncated: bool = False
    kept: str = ""
    unknown_entities: list[str] = []
    notes: list[str] = []


class RetrievalDetails(BaseModel):
    """What the recorder keeps beside an output. `evidence_refs` is None for a tool without a collection."""

    model_config = ConfigDict(frozen=True, extra="allow")

    evidence_refs: list[EvidenceRef] | None = None
    collection: str | None = None
    kind: EvidenceKind | None = None
    searched: dict[str, Any] | None = None
    extractor_version: str | None = None
    masking_version: str | None = None


class ToolOutput(BaseModel):
    """What a tool returns after its limits.

    `items` is the collection in the order in which it may be cited; `body` is whatever a tool without a collection
    returns. As a JSON object (see `as_json`) the collection stands under its own name, so that `$.logs[0]` resolves
    in it.
    """

    model_config = ConfigDict(frozen=True)

    collection: str | None
    evidence_status: EvidenceStatus
    items: list[dict[str, Any]] = []
    searched: list[Searched] = []
    error: str | None = None
    body: dict[str, Any] = {}

    def as_json(self) -> dict[str, Any]:
        """The output as the object that is stored and shown: collection, `evidence_status`, `searched`, `error`."""
        out: dict[str, Any] = {}
        if self.collection is not None:
            out[self.collection] = self.items
        out.update(self.body)
        out["evidence_status"] = self.evidence_status.value
        out["searched"] = [searched.model_dump(mode="json") for searched in self.searched]
        if self.error is not None:
            out["error"] = self.error
        return out
