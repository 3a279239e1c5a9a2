"""How the answers of several sources become one output.

A source that cannot be asked does not take the others' answers away: it is named in `error`. Without any item, the
whole is `unavailable` as soon as one source could not be asked, and `no_evidence` only when all answered and had
nothing. Protocol: section 2.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from superbizagent.contract.errors import SourceUnavailable
from superbizagent.contract.evidence import Searched, ToolOutput
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.ports import Page

S = TypeVar("S")


async def ask_all(
    collection: str,
    sources: Sequence[S],
    ask: Callable[[S], Awaitable[Page]],
    name_of: Callable[[S], str],
    merge: Callable[[list[list[dict[str, Any]]]], list[dict[str, Any]]],
    limit: int,
    no_source: str,
) -> ToolOutput:
    """Ask each source; `merge` joins their items, best kept first, and `limit` cuts what is left."""
    if not sources:
        return ToolOutput(collection=collection, evidence_status=EvidenceStatus.UNAVAILABLE, error=no_source)
    pages: list[Page] = []
    faults: list[str] = []
    searched: list[Searched] = []
    for source in sources:
        try:
            page = await ask(source)
        except SourceUnavailable as fault:
            faults.append(f"{name_of(source)}: {fault}")
            searched.append(Searched(source=name_of(source), notes=[f"unavailable: {fault}"]))
        else:
            pages.append(page)
            searched.append(page.searched)
    items = merge([page.items for page in pages])
    if len(items) > limit:
        items = items[:limit]
        searched = [_cut(line) for line in searched]
    if items:
        status = EvidenceStatus.OK
    else:
        status = EvidenceStatus.NO_EVIDENCE if pages and not faults else EvidenceStatus.UNAVAILABLE
    return ToolOutput(
        collection=collection,
        evidence_status=status,
        items=items,
        searched=searched,
        error="; ".join(faults) or None,
    )


def concatenated(pages: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """The items of each source, one source behind the other."""
    return [item for page in pages for item in page]


def _cut(line: Searched) -> Searched:
    return line.model_copy(
        update={"truncated": True, "kept": line.kept or "the most severe of several sources' records, then the newest"}
    )
