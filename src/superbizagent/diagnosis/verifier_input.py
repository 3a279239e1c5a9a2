"""The Verifier input hook: from the Executor's raw output to one structured payload.

In this order: parse, read legacy fields, auto-fill, load every cited invocation across the owner's sessions, run the
Gatekeeper, hand over claims with their checked bindings. Decides nothing about pass or fail: that is the Gatekeeper's
alone. `raw_path` is never filled. Protocol: section 5.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from superbizagent.contract.records import CitedInvocation
from superbizagent.contract.results import GatekeeperResult, Warned
from superbizagent.contract.vocabulary import WarningCode
from superbizagent.rules.executor_output import ReadBinding, ReadClaim, ReadId, ReadOutput, read_output
from superbizagent.rules.gatekeeper import check


@dataclass(frozen=True, slots=True)
class VerifierInput:
    """The payload: what was read, what the Gatekeeper found, and the rows that were cited, by id."""

    output: ReadOutput
    gate: GatekeeperResult
    cited: Mapping[int, CitedInvocation]


def prepare(raw: Mapping[str, Any] | str | None, session: Sequence[CitedInvocation]) -> ReadOutput:
    """Parse and auto-fill; `session` holds this session's own invocations."""
    return _auto_fill(read_output(raw), session)


def cited_ids(output: ReadOutput) -> list[int]:
    """Every invocation id that the output names, legacy ids too, in order and once each."""
    named = (
        invocation_id.number
        for claim in output.claims
        for binding in claim.bindings
        for invocation_id in (binding.invocation_id, *binding.legacy_ids)
        if invocation_id is not None and invocation_id.number is not None
    )
    return list(dict.fromkeys(named))


def check_references(
    output: ReadOutput, cited: Sequence[CitedInvocation], session_id: str, errors: Sequence[str] = ()
) -> VerifierInput:
    """Run the Gatekeeper over the loaded rows."""
    by_id = {invocation.id: invocation for invocation in cited}
    return VerifierInput(output, check(output, by_id, session_id, errors), by_id)


def _auto_fill(output: ReadOutput, session: Sequence[CitedInvocation]) -> ReadOutput:
    """A missing id is filled only when this session has exactly one invocation of the binding's tool."""
    warnings = list(output.warnings)
    claims: list[ReadClaim] = []
    for claim in output.claims:
        bindings: list[ReadBinding] = []
        for index, binding in enumerate(claim.bindings):
            candidates = [row for row in session if row.tool_name == binding.tool_name]
            if binding.invocation_id is not None or binding.legacy_ids or len(candidates) != 1:
                bindings.append(binding)
                continue
            filled = ReadId(number=candidates[0].id)
            bindings.append(replace(binding, invocation_id=filled, auto_filled=True))
            warnings.append(
                Warned(
                    code=WarningCode.INVOCATION_ID_AUTO_FILLED,
                    claim_id=claim.claim_id,
                    binding=index,
                    message=f"`source_invocation_id` was missing; the session's only {binding.tool_name} call is "
                    f"{candidates[0].id}",
                )
            )
        claims.append(replace(claim, bindings=tuple(bindings)))
    return replace(output, claims=tuple(claims), warnings=tuple(warnings))
