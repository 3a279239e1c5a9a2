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


def test_readme_example_prints_what_it_says() -> None:
    from superbizagent.rules.excerpt import compare

    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    message = compare("active=60, idle=0", "Timeout failure stats (total=50, active=50, idle=0)").message
    assert f"# '{message}'" in readme


def test_readme_shows_what_the_demo_prints() -> None:
    import os
    import subprocess
    import sys
    import tempfile

    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    shown = readme.split("and prints:\n\n```\n", 1)[1].split("\n…\n```", 1)[0]
    with tempfile.TemporaryDirectory() as place:
        environment = {
            **os.environ,
            "SBA_STORE__PATH": f"{place}/sba.db",
            "SBA_ZONE": "UTC",
            "SBA_CONFIG": f"{place}/x",
        }
        command = [sys.executable, "-m", "superbizagent", "demo"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=60)
    assert done.stdout.startswith(shown)
