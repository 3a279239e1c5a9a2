"""Which names the sources know, so that a name nobody knows is said and not searched as text."""

from collections.abc import Mapping

from superbizagent.contract.plan import EntityRole


class KnownNames:
    """The names of all sources, by role; compared without regard to case."""

    def __init__(self, names: Mapping[EntityRole, frozenset[str]]) -> None:
        self.names = names
        self._services = {name.lower() for name in names.get(EntityRole.SERVICE, frozenset())}
        self._stems = {
            name.rsplit("/", 1)[-1].split(".", 1)[0].lower() for name in names.get(EntityRole.FILE, frozenset())
        }

    def has_service(self, name: str) -> bool:
        """Whether a source has records of a service of this name, or a file that is called by it."""
        return name.lower() in self._services or name.lower() in self._stems

    @staticmethod
    def sentence(name: str) -> str:
        """What is said of a name that no source knows."""
        return f"no source knows a service `{name}`"
