"""`sba demo`: the shipped incidents, asked through the same code as real data. Everything printed says so."""

from typing import Annotated

import typer

from superbizagent.cli.diagnose import JsonOption, ZoneOption, run_and_print
from superbizagent.cli.exits import guarded


@guarded
def command(
    question: Annotated[str | None, typer.Argument(metavar="[QUESTION]", help="Your own question to the demo.")] = None,
    incident: Annotated[str | None, typer.Option(help="Which shipped incident: see --list.")] = None,
    json: JsonOption = False,
    zone: ZoneOption = None,
    listed: Annotated[bool, typer.Option("--list", help="List the shipped incidents and their questions.")] = False,
) -> int:
    """Diagnose a shipped incident: real logs and alerts of a service that runs out of database connections.

    Needs no key, no model, no network. Exit code as for `sba diagnose`.
    """
    import asyncio

    from superbizagent.bootstrap import Asked, demo_questions

    incidents = asyncio.run(demo_questions())
    if listed:
        from superbizagent.cli.output import print_table

        rows = [(name, question) for name, questions in incidents.items() for question in questions]
        print_table("Shipped incidents", ("incident", "question"), rows)
        return 0
    name = incident or next(iter(incidents))
    if name not in incidents:
        from superbizagent.contract.errors import UsageError

        raise UsageError(f"there is no shipped incident `{name}`", "See `sba demo --list`.")
    asked = Asked(question=question or incidents[name][0], zone=zone, demo=True, demo_incident=name)
    return run_and_print(asked, as_json=json)
