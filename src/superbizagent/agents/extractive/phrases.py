"""The wording of claims and next steps: frames per language, as data.

Decides: which frames exist, in which order of preference. Refuses: to say anything that is not in a frame's slots.
Protocol: section 4 (claims and next steps).
"""

import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any

from superbizagent.contract.vocabulary import Lang


@lru_cache(maxsize=4)
def _wording(lang: Lang) -> dict[str, Any]:
    path = resources.files("superbizagent.agents.extractive.wording").joinpath(f"{lang.value}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def frames(lang: Lang, kind: str) -> list[str]:
    """The frames of a kind of claim, best first."""
    out: list[str] = _wording(lang)["claims"][kind]
    return out


def word(lang: Lang, key: str) -> str:
    """A single word of the wording."""
    out: str = _wording(lang)["words"][key]
    return out


def state_word(lang: Lang, state: str) -> str:
    """An alert's state in the language of the answer."""
    out: str = _wording(lang)["states"].get(state, state)
    return out


def step_targets(lang: Lang, kind: str) -> list[tuple[str, str]]:
    """The next steps of a kind, as (action, target)."""
    return [(action, target) for action, target in _wording(lang)["next_steps"][kind]]


def step_of_concept(lang: Lang, concept: str) -> tuple[str, str] | None:
    """The evidence to collect next for a concept, as (action, target); None when there is none."""
    found = _wording(lang)["next_steps_by_concept"].get(concept)
    return (found[0], found[1]) if found else None
