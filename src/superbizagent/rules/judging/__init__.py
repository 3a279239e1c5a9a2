"""Does the claim follow from its proof? The deterministic judge, each check in a module of its reason.

Protocol: section 7.
"""

from superbizagent.rules.judging.judge import JUDGE_RULES_VERSION, Proof, is_absence_claim, judge

__all__ = ["JUDGE_RULES_VERSION", "Proof", "is_absence_claim", "judge"]
