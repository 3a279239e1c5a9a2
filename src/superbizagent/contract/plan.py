"""The question as it was asked and the plan that was made for it.

A `Question` is what came through a door: text, window, zone, scope. A `Plan` is what the Planner chose: what is
asked (intent, entities, symptoms), and the tool calls to make, each with a stable `call_key`. Protocol: section 3;
architecture: question, Planner, plan.
"""

from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from superbizagent.contract.evidence import Window
from superbizagent.contract.vocabulary import Lang


class Question(BaseModel):
    """One question. `at` is the question's "now", aware; `window` is what the asker gave, if anything."""

    model_config = ConfigDict(frozen=True)

    text: str
    lang: Lang
    at: datetime
    window: Window = Window()
    service: str | None = None
    zone: str = "UTC"
    owner: str = "local"
    conversation_id: str | None = None
    demo: bool = False


class Intent(StrEnum):
    """What kind of answer is asked for."""

    ALERTS = "alerts"
    SYMPTOM = "symptom"
    GUIDANCE = "guidance"
    SWEEP = "sweep"
    OFF_SUBJECT = "off_subject"


class EntityRole(StrEnum):
    """What a name in the question names, as the sources know it."""

    SERVICE = "service"
    ALERT = "alertname"
    HOST = "host"
    POOL = "pool"
    FILE = "file"
    IDENTIFIER = "identifier"


class Entity(BaseModel):
    """A name of the question. `known` is false when no source knows it: it is said, not searched as text."""

    model_config = ConfigDict(frozen=True)

    name: str
    role: EntityRole
    known: bool = True


class PlanStep(BaseModel):
    """One tool call to make; `call_key` is unique within the session and stable when the step runs twice."""

    model_config = ConfigDict(frozen=True)

    call_key: str
    tool_name: str
    arguments: dict[str, Any]
    purpose: str = ""


class Plan(BaseModel):
    """What is asked and which tool calls answer it.

    `symptoms` maps each asked symptom (lexicon concept, or the question's own word) to the terms that are searched.
    """

    model_config = ConfigDict(frozen=True)

    intent: Intent
    entities: list[Entity] = []
    symptoms: dict[str, list[str]] = {}
    window: Window = Window()
    steps: list[PlanStep] = []
    notes: list[str] = []
