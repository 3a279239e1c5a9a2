"""`lookup_knowledge` and `read_skill`: what somebody wrote beforehand. Guidance, never an incident fact.

Knowledge blocks can be cited as guidance; a skill is read and cannot be cited. Protocol: section 2.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from superbizagent.contract.errors import UsageError
from superbizagent.contract.evidence import Searched, ToolOutput
from superbizagent.contract.tools import LOOKUP_KNOWLEDGE, READ_SKILL
from superbizagent.contract.vocabulary import EvidenceStatus
from superbizagent.ports import KnowledgeBase, SkillLibrary
from superbizagent.tools.arguments import Arguments
from superbizagent.tools.merging import ask_all, concatenated

_DEFAULT_LIMIT = 5


class LookupKnowledge:
    """Implements `ports.Tool` over knowledge bases."""

    name = LOOKUP_KNOWLEDGE

    def __init__(self, bases: Sequence[KnowledgeBase]) -> None:
        self._bases = bases

    async def ask(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Arguments: `query`, `limit`.

        Raises:
            UsageError: an argument is unknown or wrong, or there is no query.
        """
        given = Arguments(arguments)
        query, limit = given.text("query"), given.limit(_DEFAULT_LIMIT)
        given.done()
        if query is None:
            raise UsageError("argument `query` is missing")
        return await ask_all(
            "evidence_blocks",
            self._bases,
            lambda base: base.search(query, limit),
            lambda base: base.name,
            concatenated,
            limit,
            "there are no runbooks",
        )


class ReadSkill:
    """Implements `ports.Tool` over skill libraries."""

    name = READ_SKILL

    def __init__(self, libraries: Sequence[SkillLibrary]) -> None:
        self._libraries = libraries

    async def ask(self, arguments: Mapping[str, Any]) -> ToolOutput:
        """Arguments: `name`; the body has `name` and `text`, or the `names` that there are.

        Raises:
            UsageError: an argument is unknown or wrong, or there is no name.
        """
        given = Arguments(arguments)
        name = given.text("name")
        given.done()
        if name is None:
            raise UsageError("argument `name` is missing")
        for library in self._libraries:
            text = await library.read(name)
            if text is not None:
                searched = [Searched(source=library.name, query=name, returned=1)]
                body = {"name": name, "text": text}
                return ToolOutput(collection=None, evidence_status=EvidenceStatus.OK, searched=searched, body=body)
        names = sorted({known for library in self._libraries for known in await library.names()})
        searched = [Searched(source=library.name, query=name) for library in self._libraries]
        return ToolOutput(
            collection=None, evidence_status=EvidenceStatus.NO_EVIDENCE, searched=searched, body={"names": names}
        )
