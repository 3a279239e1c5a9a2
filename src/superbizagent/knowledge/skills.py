"""Skills: named guidance that an Executor reads and never cites."""

import re
from collections.abc import Sequence

from superbizagent.knowledge.blocks import Document

_FIELD = re.compile(r"(name|description):[ \t]*(.*)")
_FRONT_MATTER_LINES = 50


class Skills:
    """Implements `ports.SkillLibrary`; a skill is called by its front matter's `name`, else by its folder."""

    def __init__(self, documents: Sequence[Document], name: str = "skills") -> None:
        self._name = name
        self._skills = {_skill_name(document): document.text for document in documents}

    @property
    def name(self) -> str:
        """What is asked."""
        return self._name

    async def names(self) -> Sequence[str]:
        """The names that can be read."""
        return sorted(self._skills)

    async def read(self, name: str) -> str | None:
        """The skill's text; None when there is none of this name."""
        return self._skills.get(name)


def _skill_name(document: Document) -> str:
    lines = document.text.lstrip("\ufeff").split("\n")[:_FRONT_MATTER_LINES]
    if lines and lines[0].rstrip() == "---":
        for line in lines[1:]:
            found = _FIELD.match(line)
            if found is not None and found.group(1) == "name" and found.group(2).strip():
                return found.group(2).strip().strip("\"'")
            if line.rstrip() == "---":
                break
    folders = document.name.split("/")
    return folders[-2] if len(folders) > 1 else folders[-1].rsplit(".", 1)[0]
