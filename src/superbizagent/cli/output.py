"""How results reach stdout: JSON for programs, tables and an answer for a person; progress goes to stderr.

Colour is only ever added here, never in the texts. A terminal never receives a control character of a record.
"""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from superbizagent.contract.json_text import write_json


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """One JSON value and a line end on stdout, in UTF-8 whatever the locale is."""
    sys.stdout.buffer.write(write_json(value, indent=indent).encode("utf-8") + b"\n")


def print_text(text: str) -> None:
    """Text for a person, bold where it leads; control characters of records are escaped."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    for number, line in enumerate(printable(text).split("\n")):
        style = _STYLE_OF_FIRST_WORD.get(line.split(" ", 1)[0].split("：", 1)[0], "bold") if number == 0 else ""
        console.print(Text(line, style=style))


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table that fits the terminal; cells are shown inert."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    table = Table(title=title or None, title_justify="left", header_style="bold", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    console.print(table)


def printable(text: str) -> str:
    """`text` with every character that a terminal could act on shown as its escape; line ends and tabs stay."""
    return "".join(
        character if character.isprintable() or character in "\n\t" else ascii(character)[1:-1] for character in text
    )


_STYLE_OF_FIRST_WORD = {
    "Yes": "bold green",
    "Yes:": "bold green",
    "No": "bold green",
    "No:": "bold green",
    "Cannot": "bold yellow",
    "是": "bold green",
    "否": "bold green",
    "无法确认": "bold yellow",
}
