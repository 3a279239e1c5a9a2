"""The Gatekeeper: is each claim's reference real?

A pure function: executor output + cited invocations + session id → `gatekeeper_result`. No model, no clock, no I/O.
The rules, in the order in which each output, claim and binding is taken through them:

    output_complete         the output parses; claims have text, type and status; ids are well formed
    claims_present          there is at least one claim
    bindings_present        a confirmed claim has at least one binding
    invocation_id_present   the binding names an invocation
    invocation_id_singular  it does so by `source_invocation_id`, not by the legacy list alone
    invocation_exists       that id was recorded                                                       (reject)
    invocation_in_session   in this session; another session's text is never shown, stored or hinted at (reject)
    tool_matches            its tool is the binding's `tool_name`                                       (reject)
    tool_is_citable         the tool's output is one that can be cited
    refs_recorded           the invocation has evidence refs
    raw_path_present        the binding has a raw path
    absence_is_not_proof    fails in place of raw_path_present and all below, for an absence that cites an empty search
    raw_path_recorded       that path is among the invocation's refs                                    (reject)
    excerpt_comparable      the excerpt is present and says something specific
    excerpt_matches         every fact in the excerpt stands in the text at that path                   (reject)
    excerpt_verbatim        and the wording is the text's own, up to formatting

It decides nothing about whether a claim *follows* from its excerpts; that is the judge. Protocol: section 6.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from superbizagent.contract.evidence import EvidenceRef
from superbizagent.contract.records import CitedInvocation
from superbizagent.contract.results import CheckedBinding, FailedRule, GatekeeperResult
from superbizagent.contract.tools import TOOL_TABLE
from superbizagent.contract.vocabulary import EvidenceStatus, GateStatus, Match, Rule, Severity
from superbizagent.rules.excerpt import compare, is_contained
from superbizagent.rules.executor_output import ReadBinding, ReadClaim, ReadId, ReadOutput
from superbizagent.rules.judging import is_absence_claim
from superbizagent.rules.next_steps import keep_evidence_steps

_RAW_PATH = re.compile(r"\$\.([A-Za-z_][A-Za-z0-9_]*)\[(0|[1-9][0-9]*)\]")
_MOST_NEIGHBOURS = 200


def check(
    output: ReadOutput,
    invocations: Mapping[int, CitedInvocation],
    session_id: str,
    errors: Sequence[str] = (),
) -> GatekeeperResult:
    """Take every claim and binding of `output` through the rules.

    `invocations` are the cited rows by id, over all sessions of the owner. `errors` says what kept a part of the
    check from running: a check that could not run is a failure.
    """
    failures = [
        _failed(Rule.OUTPUT_COMPLETE, problem.message, problem.claim_id, problem.binding) for problem in output.problems
    ]
    if not output.claims:
        failures.append(_failed(Rule.CLAIMS_PRESENT, "the output holds no claim"))
    checked: list[CheckedBinding] = []
    for claim in output.claims:
        if not claim.bindings and not claim.is_hypothesis:
            failures.append(_failed(Rule.BINDINGS_PRESENT, "a confirmed claim has no binding", claim.claim_id))
        for index, binding in enumerate(claim.bindings):
            malformed = any(p.claim_id == claim.claim_id and p.binding == index for p in output.problems)
            check_of_binding = _BindingCheck(claim, index, binding, invocations, session_id)
            check_of_binding.run()
            failures.extend(check_of_binding.failures)
            checked.append(check_of_binding.result(malformed=malformed))
    severity = Severity.worst(failure.severity for failure in failures)
    if errors:
        severity = Severity.worst((severity, Severity.LOW_CONFID))
    _, dropped_steps = keep_evidence_steps(output.next_steps)
    return GatekeeperResult(
        status=GateStatus.PASS if severity is Severity.NONE else GateStatus.FAIL,
        severity=severity,
        checked_bindings=checked,
        failed_rules=failures,
        warnings=[*output.warnings, *dropped_steps],
        errors=list(errors),
    )


def claim_severity(result: GatekeeperResult, claim_id: str) -> Severity:
    """The worst severity that the Gatekeeper gave the claim or one of its bindings."""
    return Severity.worst(failure.severity for failure in result.failed_rules if failure.claim_id == claim_id)


def recorded_refs(invocation: CitedInvocation) -> dict[str, EvidenceRef] | None:
    """The invocation's refs by path; None when none were recorded (an empty list *is* recorded).

    Only a path of the protocol's form, into the invocation's own collection, is a path; one that was recorded twice
    names nothing.
    """
    details = invocation.retrieval_details
    if details is None or details.evidence_refs is None:
        return None
    collection = citable_collection(invocation)
    refs: dict[str, EvidenceRef] = {}
    repeated: set[str] = set()
    for ref in details.evidence_refs:
        form = _RAW_PATH.fullmatch(ref.raw_path)
        if form is None or form.group(1) != collection:
            continue
        if ref.raw_path in refs:
            repeated.add(ref.raw_path)
        refs[ref.raw_path] = ref
    return {path: ref for path, ref in refs.items() if path not in repeated}


def citable_collection(invocation: CitedInvocation) -> str | None:
    """The collection whose items may be cited, from the row, else from the tool table; None when there is none."""
    details = invocation.retrieval_details
    if details is not None and details.collection is not None:
        return details.collection
    spec = TOOL_TABLE.get(invocation.tool_name)
    return spec.collection if spec is not None else None


def _failed(rule: Rule, message: str, claim_id: str | None = None, binding: int | None = None) -> FailedRule:
    return FailedRule(rule=rule, severity=rule.severity, claim_id=claim_id, binding=binding, message=message)


class _BindingCheck:
    """One binding on its way through the rules; `run` reads as the table does."""

    def __init__(
        self,
        claim: ReadClaim,
        index: int,
        binding: ReadBinding,
        invocations: Mapping[int, CitedInvocation],
        session_id: str,
    ) -> None:
        self.failures: list[FailedRule] = []
        self._claim = claim
        self._index = index
        self._binding = binding
        self._invocations = invocations
        self._session_id = session_id
        self._match: Match | None = None
        self._text: str | None = None

    def run(self) -> None:
        binding = self._binding
        named = binding.invocation_id
        if named is not None and named.malformed:
            return
        if named is None and not binding.legacy_ids:
            self._fail(Rule.INVOCATION_ID_PRESENT, "the binding names no invocation")
            self._check_without_invocation()
            return
        if named is None:
            self._fail(Rule.INVOCATION_ID_SINGULAR, "the binding has only the legacy `source_invocation_ids`")
            for legacy_id in binding.legacy_ids:
                self._find(legacy_id)
            return
        invocation = self._find(named)
        if invocation is not None:
            self._check_reference(invocation)

    def result(self, *, malformed: bool) -> CheckedBinding:
        binding = self._binding
        named = binding.invocation_id
        failed = list(dict.fromkeys(failure.rule for failure in self.failures))
        if malformed:
            failed.insert(0, Rule.OUTPUT_COMPLETE)
        return CheckedBinding(
            claim_id=self._claim.claim_id,
            binding=self._index,
            tool_name=binding.tool_name,
            source_invocation_id=None if named is None else named.word if named.number is None else named.number,
            raw_path=binding.raw_path,
            evidence_excerpt=binding.excerpt,
            severity=Severity.worst(rule.severity for rule in failed),
            failed_rules=failed,
            match=self._match,
            text=self._text,
            auto_filled=binding.auto_filled,
        )

    def _find(self, named: ReadId) -> CitedInvocation | None:
        """invocation_exists, invocation_in_session, tool_matches; None when one of them fails."""
        if named.malformed:
            return None
        invocation = self._invocations.get(named.number) if named.number is not None else None
        if invocation is None:
            shown = named.number if named.number is not None else f"`{named.word}`"
            self._fail(Rule.INVOCATION_EXISTS, f"no invocation {shown} was recorded")
            return None
        if invocation.session_id != self._session_id:
            self._fail(Rule.INVOCATION_IN_SESSION, f"invocation {named.number} is not of this session")
            return None
        tool_name = self._binding.tool_name
        if tool_name is not None and tool_name != invocation.tool_name:
            message = f"invocation {named.number} is a call of {invocation.tool_name}, not of the tool that is named"
            self._fail(Rule.TOOL_MATCHES, message)
            return None
        return invocation

    def _check_reference(self, invocation: CitedInvocation) -> None:
        """tool_is_citable, refs_recorded, raw_path_present or absence_is_not_proof, raw_path_recorded, the excerpt."""
        binding = self._binding
        if citable_collection(invocation) is None:
            self._fail(Rule.TOOL_IS_CITABLE, f"what {invocation.tool_name} returns is guidance and cannot be cited")
        refs = recorded_refs(invocation)
        if refs is None:
            self._fail(Rule.REFS_RECORDED, f"invocation {invocation.id} was recorded without evidence refs")
        if binding.raw_path is None and "raw_path" not in binding.malformed:
            searched_in_vain = invocation.evidence_status is EvidenceStatus.NO_EVIDENCE
            if searched_in_vain and is_absence_claim(self._claim.text, self._claim.claim_type):
                self._fail(Rule.ABSENCE_IS_NOT_PROOF, "a search that found nothing does not prove an absence")
                return
            self._fail(Rule.RAW_PATH_PRESENT, "the binding has no `raw_path`")
        if refs is None or binding.raw_path is None:
            return
        ref = refs.get(binding.raw_path)
        if ref is None:
            self._fail(Rule.RAW_PATH_RECORDED, f"the path is not among the {len(refs)} refs of {invocation.id}")
            return
        self._text = ref.text
        self._check_excerpt(binding, ref, refs.values())

    def _check_excerpt(self, binding: ReadBinding, ref: EvidenceRef, refs: Iterable[EvidenceRef]) -> None:
        if "evidence_excerpt" in binding.malformed:
            return
        if binding.excerpt is None:
            self._fail(Rule.EXCERPT_COMPARABLE, "the binding has no `evidence_excerpt`")
            return
        comparison = compare(binding.excerpt, ref.text)
        self._match = comparison.match
        if comparison.failed is Rule.EXCERPT_COMPARABLE:
            self._fail(comparison.failed, comparison.message)
        elif comparison.failed is not None:
            elsewhere = _holding_path(binding.excerpt, ref, refs)
            if elsewhere is None:
                self._fail(comparison.failed, comparison.message)
            else:
                self._fail(Rule.EXCERPT_MATCHES, f"the excerpt is not at {ref.raw_path}; it stands at {elsewhere}")

    def _check_without_invocation(self) -> None:
        """What needs no stored text can still be said."""
        if self._binding.raw_path is None and "raw_path" not in self._binding.malformed:
            self._fail(Rule.RAW_PATH_PRESENT, "the binding has no `raw_path`")
        if self._binding.excerpt is None and "evidence_excerpt" not in self._binding.malformed:
            self._fail(Rule.EXCERPT_COMPARABLE, "the binding has no `evidence_excerpt`")

    def _fail(self, rule: Rule, message: str) -> None:
        self.failures.append(_failed(rule, message, self._claim.claim_id, self._index))


def _holding_path(excerpt: str, cited: EvidenceRef, refs: Iterable[EvidenceRef]) -> str | None:
    """The path of another ref of the invocation that contains the excerpt (the first `_MOST_NEIGHBOURS` are asked)."""
    others = (ref for ref in refs if ref.raw_path != cited.raw_path)
    for ref, _ in zip(others, range(_MOST_NEIGHBOURS), strict=False):
        if is_contained(excerpt, ref.text):
            return ref.raw_path
    return None
