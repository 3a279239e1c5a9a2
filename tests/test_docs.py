"""The pages that promise completeness are complete."""

from pathlib import Path

import pytest

from superbizagent.contract.vocabulary import ReasonCode, Rule, WarningCode

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("rule", Rule)
def test_rules_page_has_each_rule_with_its_severity(rule: Rule) -> None:
    assert f"| `{rule.value}` | {rule.severity.value} |" in (DOCS / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", ReasonCode)
def test_rules_page_has_each_reason_with_its_outcome(code: ReasonCode) -> None:
    assert f"| `{code.value}` | {code.outcome.value} |" in (DOCS / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("code", WarningCode)
def test_rules_page_has_each_warning(code: WarningCode) -> None:
    assert f"| `{code.value}` |" in (DOCS / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", Rule)
def test_protocol_names_each_rule(rule: Rule) -> None:
    assert f"`{rule.value}`" in (DOCS / "protocol.md").read_text(encoding="utf-8")
