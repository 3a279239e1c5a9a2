"""The closed vocabularies of the protocol: every word that is persisted, printed or compared.

Each enum's values are the persisted strings. Ordered vocabularies (severity, verdict, judge outcome) give their
order by `rank`, where a higher rank is worse, so that `max(..., key=rank)` is "the worst". Nothing here holds a
colour or a sentence: wording lives beside the Composer, as data. Protocol: sections 1, 2, 4, 6 and 7.
"""

from collections.abc import Iterable
from enum import StrEnum


class EvidenceStatus(StrEnum):
    """What a tool says about its own answer (section 2). None of the last two means healthy."""

    OK = "ok"
    NO_EVIDENCE = "no_evidence"
    UNAVAILABLE = "unavailable"


class EvidenceKind(StrEnum):
    """What happened, or what somebody wrote beforehand (section 1)."""

    INCIDENT = "incident_evidence"
    GUIDANCE = "guidance"


class ClaimType(StrEnum):
    """The Executor's word for its claim (section 4). The judge goes by the text."""

    OBSERVATION = "observation"
    NEGATIVE_OBSERVATION = "negative_observation"
    GUIDANCE = "guidance"


class ClaimStatus(StrEnum):
    """Whether the Executor states the claim or offers it as a hypothesis (section 4)."""

    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"


class StepAction(StrEnum):
    """What a next step may do: collect evidence, and nothing else (section 4)."""

    QUERY = "query"
    INSPECT = "inspect"
    ASK = "ask"


class Severity(StrEnum):
    """The Gatekeeper's word (section 6): none < low_confid < reject."""

    NONE = "none"
    LOW_CONFID = "low_confid"
    REJECT = "reject"

    @property
    def rank(self) -> int:
        """0 for none; higher is worse."""
        return _SEVERITY_RANK[self]

    @classmethod
    def worst(cls, severities: Iterable["Severity"]) -> "Severity":
        """The worst of some severities; `none` for no severities (the caller checks that something was checked)."""
        return max(severities, key=lambda severity: severity.rank, default=cls.NONE)


_SEVERITY_RANK = {Severity.NONE: 0, Severity.LOW_CONFID: 1, Severity.REJECT: 2}


class Verdict(StrEnum):
    """The Verifier's word (section 7): PASS > LOW_CONFID > REJECT."""

    PASS = "PASS"
    LOW_CONFID = "LOW_CONFID"
    REJECT = "REJECT"

    @property
    def rank(self) -> int:
        """0 for PASS; higher is worse."""
        return _VERDICT_RANK[self]

    @classmethod
    def worst(cls, first: "Verdict", *others: "Verdict") -> "Verdict":
        """The worst of at least one verdict: there is no verdict over nothing."""
        return max((first, *others), key=lambda verdict: verdict.rank)


_VERDICT_RANK = {Verdict.PASS: 0, Verdict.LOW_CONFID: 1, Verdict.REJECT: 2}


class Outcome(StrEnum):
    """What the deterministic judge answers (section 7). The worst part of a claim counts."""

    SUPPORTED = "supported"
    UNDETERMINED = "undetermined"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"

    @property
    def rank(self) -> int:
        """0 for supported; contradicted > unsupported > undetermined."""
        return _OUTCOME_RANK[self]


_OUTCOME_RANK = {
    Outcome.SUPPORTED: 0,
    Outcome.UNDETERMINED: 1,
    Outcome.UNSUPPORTED: 2,
    Outcome.CONTRADICTED: 3,
}


class Basis(StrEnum):
    """On what a PASS rests: proven by code, or judged to follow by a model."""

    DETERMINISTIC = "deterministic"
    MODEL = "model"


class Answered(StrEnum):
    """Whether a PASS claim is about what was asked (section 7)."""

    YES = "yes"
    PARTLY = "partly"
    NO = "no"


class Match(StrEnum):
    """How an excerpt matched the recorded text (section 6.1)."""

    EXACT = "exact"
    NORMALISED = "normalised"
    FIELDS = "fields"
    ELIDED = "elided"


class GateStatus(StrEnum):
    """`pass` exactly when the severity is `none`."""

    PASS = "pass"
    FAIL = "fail"


class Rule(StrEnum):
    """The Gatekeeper's rules, in the order in which they are evaluated (section 6)."""

    OUTPUT_COMPLETE = "output_complete"
    CLAIMS_PRESENT = "claims_present"
    BINDINGS_PRESENT = "bindings_present"
    INVOCATION_ID_PRESENT = "invocation_id_present"
    INVOCATION_ID_SINGULAR = "invocation_id_singular"
    INVOCATION_EXISTS = "invocation_exists"
    INVOCATION_IN_SESSION = "invocation_in_session"
    TOOL_MATCHES = "tool_matches"
    TOOL_IS_CITABLE = "tool_is_citable"
    REFS_RECORDED = "refs_recorded"
    RAW_PATH_PRESENT = "raw_path_present"
    ABSENCE_IS_NOT_PROOF = "absence_is_not_proof"
    RAW_PATH_RECORDED = "raw_path_recorded"
    EXCERPT_COMPARABLE = "excerpt_comparable"
    EXCERPT_MATCHES = "excerpt_matches"
    EXCERPT_VERBATIM = "excerpt_verbatim"

    @property
    def severity(self) -> Severity:
        """How bad it is when this rule does not hold."""
        return Severity.REJECT if self in _REJECTING_RULES else Severity.LOW_CONFID


_REJECTING_RULES = frozenset(
    {
        Rule.INVOCATION_EXISTS,
        Rule.INVOCATION_IN_SESSION,
        Rule.TOOL_MATCHES,
        Rule.RAW_PATH_RECORDED,
        Rule.EXCERPT_MATCHES,
    }
)


class WarningCode(StrEnum):
    """What was noticed and does not decide (sections 4 and 5)."""

    INVOCATION_ID_AUTO_FILLED = "invocation_id_auto_filled"
    CLAIM_ID_REASSIGNED = "claim_id_reassigned"
    CLAIMS_OVER_EXPANDED = "claims_over_expanded"
    FORBIDDEN_FIELD_DROPPED = "forbidden_field_dropped"
    UNKNOWN_KEY_DROPPED = "unknown_key_dropped"
    NEXT_STEP_DROPPED = "next_step_dropped"
    AMBIGUOUS_NUMBER = "ambiguous_number"


class ReasonCode(StrEnum):
    """Why the judge did not support a claim (section 7), with the outcome that each one gives."""

    NO_VERIFIED_EVIDENCE = "no_verified_evidence"
    QUANTITY_CONTRADICTED = "quantity_contradicted"
    QUANTITY_UNSUPPORTED = "quantity_unsupported"
    IDENTIFIER_UNSUPPORTED = "identifier_unsupported"
    STATE_CONTRADICTED = "state_contradicted"
    STATE_UNSUPPORTED = "state_unsupported"
    CAUSE_UNSUPPORTED = "cause_unsupported"
    ALTERNATIVE_UNSUPPORTED = "alternative_unsupported"
    SCOPE_UNSUPPORTED = "scope_unsupported"
    TREND_UNSUPPORTED = "trend_unsupported"
    TREND_CONTRADICTED = "trend_contradicted"
    TIME_UNSUPPORTED = "time_unsupported"
    TIME_CONTRADICTED = "time_contradicted"
    PREDICTION_UNSUPPORTED = "prediction_unsupported"
    IMPACT_UNSUPPORTED = "impact_unsupported"
    ASSESSMENT_UNSUPPORTED = "assessment_unsupported"
    UNTRUSTED_TEXT = "untrusted_text"
    GUIDANCE_AS_FACT = "guidance_as_fact"
    ABSENCE_UNPROVEN = "absence_unproven"
    WORDING_UNDETERMINED = "wording_undetermined"
    UNCONFIRMED = "unconfirmed"
    QUESTION_UNANSWERED = "question_unanswered"
    REFERENCE_REJECTED = "reference_rejected"
    REFERENCE_IMPRECISE = "reference_imprecise"

    @property
    def outcome(self) -> Outcome:
        """The judge's outcome when this reason fires."""
        if self.value.endswith("_contradicted"):
            return Outcome.CONTRADICTED
        if self is ReasonCode.WORDING_UNDETERMINED:
            return Outcome.UNDETERMINED
        return Outcome.UNSUPPORTED


class Lang(StrEnum):
    """The languages of questions and answers."""

    EN = "en"
    ZH = "zh"


class SessionStatus(StrEnum):
    """Where a session is in its life. `died` still leaves an audit that says why."""

    RUNNING = "running"
    FINISHED = "finished"
    DIED = "died"
