"""`sba`: the commands, and the one place where they are registered.

Each command's work is in a module of its own, imported only when it runs, so that `sba --help` is quick.
"""

import typer

from superbizagent.cli import audit, check, demo, diagnose, evaluation, history

app = typer.Typer(
    name="sba",
    help=(
        "Diagnose an incident and say only what the telemetry proves.\n\n"
        'Ask:   sba diagnose "Is the connection pool of orders exhausted?" ./incident\n\n'
        '       kubectl logs deploy/orders | sba diagnose "why do orders fail?" -\n\n'
        "Look:  sba show SESSION   (each claim, its proof, and the rule that let it through or not)\n\n"
        "Exit codes: 0 all PASS, 1 something is not PASS, 2 wrong usage or unreadable input, "
        "3 the work could not be done."
    ),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("diagnose")(diagnose.command)
app.command("demo")(demo.command)
app.command("check")(check.command)
app.command("show")(history.show)
app.command("sessions")(history.sessions)
app.command("eval")(evaluation.command)
app.add_typer(audit.app, name="audit")


def main() -> None:
    """Run the command that the arguments name. The script is `superbizagent.__main__:main`, which minds signals."""
    app()
