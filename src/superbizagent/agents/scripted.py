"""A scripted Executor: makes the calls that a script names and returns the output that it holds.

It decides nothing and thinks nothing. It serves tests, demonstrations of what the Gatekeeper does with a lying
Executor, and benchmarks. A script is one JSON object:

    {"calls": [{"key": "logs", "tool_name": "query_logs", "arguments": {…}}], "output": {…} or "text"}

In the output, the string `$id:logs` (or that text inside a longer string) stands for the id that the call with the
key `logs` was recorded under.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from superbizagent.contract.errors import UnreadableInput
from superbizagent.contract.json_text import read_json
from superbizagent.contract.plan import Plan, Question
from superbizagent.ports import Budget, ToolCalls

_LARGEST_SCRIPT = 16 * 1024 * 1024


class ScriptedCall(BaseModel):
    """One call to make."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    tool_name: str
    arguments: dict[str, Any] = {}


class Script(BaseModel):
    """The calls, in order, and the output."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    calls: list[ScriptedCall] = []
    output: Any


def read_script(path: Path) -> Script:
    """The script in a file.

    Raises:
        UnreadableInput: the file cannot be read or holds no script.
    """
    try:
        with path.open(encoding="utf-8") as file:
            return Script.model_validate(read_json(file.read(_LARGEST_SCRIPT)))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        reason = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
    except (OSError, ValueError) as error:
        reason = str(error)
    raise UnreadableInput(f"{path} is no script: {reason}", 'A script is {"calls": […], "output": …}.')


class ScriptedExecutor:
    """Implements `ports.Executor` by a script."""

    engine = "scripted"

    def __init__(self, script: Script) -> None:
        self._script = script

    async def execute(
        self, question: Question, plan: Plan, tools: ToolCalls, budget: Budget
    ) -> Mapping[str, Any] | str:
        """Make the calls and fill their ids into the output."""
        ids: dict[str, int] = {}
        for call in self._script.calls:
            ids[call.key] = (await tools.call(call.key, call.tool_name, call.arguments)).id
        filled: Mapping[str, Any] | str = _fill(self._script.output, ids)
        return filled


def _fill(value: Any, ids: Mapping[str, int]) -> Any:
    if isinstance(value, str):
        for key, number in ids.items():
            if value == f"$id:{key}":
                return number
            value = value.replace(f"$id:{key}", str(number))
        return value
    if isinstance(value, list):
        return [_fill(item, ids) for item in value]
    if isinstance(value, dict):
        return {key: _fill(item, ids) for key, item in value.items()}
    return value
