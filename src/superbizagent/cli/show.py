"""How one stored session is shown to a person: claims, bindings, rules, and each excerpt in its record."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from superbizagent.cli.output import printable
from superbizagent.cli.result_json import invocation_json
from superbizagent.contract.records import DiagnosisSession, ToolInvocation

_STYLE_OF_VERDICT = {"PASS": "bold green", "LOW_CONFID": "bold yellow", "REJECT": "bold red"}


def session_json(session: DiagnosisSession, invocations: Sequence[ToolInvocation]) -> dict[str, Any]:
    """The stored session and its calls, for a program."""
    return {
        "session": session.model_dump(mode="json"),
        "invocations": [invocation_json(invocation) for invocation in invocations],
    }


def print_session(session: DiagnosisSession, invocations: Sequence[ToolInvocation]) -> None:
    """The session as a person wants to read it."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    evaluation = (session.self_evaluation or {}).get("verifier_evaluation") or {}
    _print_head(console, session, evaluation)
    console.print(Text("\nasked of the sources", style="bold"))
    for invocation in invocations:
        _print_invocation(console, invocation)
    gate = evaluation.get("gatekeeper_result") or {}
    for claim in evaluation.get("claims", []):
        _print_claim(console, claim, gate)
    for error in gate.get("errors", []):
        console.print(Text(f"\nnot checked: {printable(error)}", style="bold red"))
    warnings = [*gate.get("warnings", []), *evaluation.get("warnings", [])]
    if warnings:
        console.print(Text("\nwarnings", style="bold"))
        for warning in warnings:
            console.print(Text(f"  {warning['code']}: {printable(warning['message'])}"))


def _print_head(console: Console, session: DiagnosisSession, evaluation: dict[str, Any]) -> None:
    verdict = session.verdict.value if session.verdict is not None else session.status.value
    console.print(Text(printable(session.question), style="bold"))
    line = Text.assemble(
        (verdict, _STYLE_OF_VERDICT.get(verdict, "bold")), f" · answered: {evaluation.get('answered')}"
    )
    line.append(f" · engine {session.engine} · {session.created_at.isoformat(timespec='seconds')}")
    if session.demo:
        line.append(" · demo data", style="bold magenta")
    console.print(line)
    sealed = f"seal {session.seal_no} {session.seal}" if session.seal_no is not None else "not sealed"
    console.print(Text(f"session {session.id} · {sealed}", style="dim"))
    console.print(Text(f"rules {evaluation.get('rules_version', 'unknown')}", style="dim"))


def _print_invocation(console: Console, invocation: ToolInvocation) -> None:
    status = invocation.evidence_status.value if invocation.evidence_status is not None else "?"
    arguments = ", ".join(f"{key}={value}" for key, value in invocation.arguments.items() if value is not None)
    console.print(Text(f"  #{invocation.id} {invocation.tool_name}({printable(arguments)}) → {status}"))
    detail = invocation.error if invocation.error is not None else invocation.output_summary
    console.print(Text(f"      {printable(detail)}", style="dim"))


def _print_claim(console: Console, claim: dict[str, Any], gate: dict[str, Any]) -> None:
    verdict = claim["verdict"]
    basis = f" ({claim['basis']})" if claim.get("basis") else ""
    console.print()
    console.print(Text.assemble((f"{claim['claim_id']} {verdict}{basis}", _STYLE_OF_VERDICT.get(verdict, "bold"))))
    console.print(Text(f"  {printable(claim['text'])}"))
    for reason in claim.get("reasons", []):
        words = " ↔ ".join(str(reason[key]) for key in ("claim_word", "evidence_word") if reason.get(key))
        compared = f" [{printable(words)}]" if words else ""
        console.print(Text(f"  ✗ {reason['code']}: {printable(reason['message'])}{compared}", style="yellow"))
    for item in claim.get("accounted", []):
        console.print(Text("  ✓ " + printable(" · ".join(str(value) for value in item.values())), style="dim"))
    for binding in gate.get("checked_bindings", []):
        if binding["claim_id"] == claim["claim_id"]:
            _print_binding(console, binding, gate)


def _print_binding(console: Console, binding: dict[str, Any], gate: dict[str, Any]) -> None:
    how = binding["match"] or ", ".join(binding["failed_rules"]) or "not looked into"
    filled = " · id auto-filled" if binding["auto_filled"] else ""
    place = f"#{binding['source_invocation_id']} {binding['tool_name']} {binding['raw_path']}"
    console.print(Text(f"  └ {printable(place)} · {how}{filled}", style="cyan"))
    excerpt = binding.get("evidence_excerpt")
    if binding["text"] is not None:
        console.print(_excerpt_in_record(printable(binding["text"]), printable(excerpt or "")))
    elif excerpt:
        console.print(Text(f"      “{printable(excerpt)}”", style="dim"))
    for failure in gate.get("failed_rules", []):
        if failure["claim_id"] == binding["claim_id"] and failure["binding"] == binding["binding"]:
            console.print(Text(f"      ✗ {failure['rule']} ({failure['severity']}): {printable(failure['message'])}"))


def _excerpt_in_record(text: str, excerpt: str) -> Text:
    """The record with the excerpt marked where it stands; below it, when it stands there in another form."""
    shown = Text("      ")
    start = text.find(excerpt) if excerpt else -1
    if start < 0:
        shown.append(text, style="dim")
        if excerpt:
            shown.append(f"\n      “{excerpt}”", style="underline")
        return shown
    shown.append(text[:start], style="dim")
    shown.append("▸" + excerpt + "◂", style="bold underline")
    shown.append(text[start + len(excerpt) :], style="dim")
    return shown
