"""What commands print: to people in colours and tables, elsewhere in whole lines."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import psycopg
from rich.console import Console
from rich.table import Table
from rich.text import Text

console = Console(soft_wrap=True)
problems = Console(stderr=True, soft_wrap=True)
ERROR, HINT = "error: ", "hint: "
_WIDE = Console(width=1_000_000)


def print_rows(cursor: psycopg.Cursor[tuple[Any, ...]]) -> None:
    """Values as the runtime writes them, which is as PostgreSQL does."""
    result = cursor.pgresult
    assert result is not None
    table = Table()
    for column in cursor.description or ():
        table.add_column(Text(column.name), overflow="fold")
    for row in range(result.ntuples):
        values = (result.get_value(row, place) for place in range(result.nfields))
        table.add_row(*(Text((value or b"").decode()) for value in values))
    print_table(table)


def print_table(table: Table) -> None:
    if console.is_terminal:
        console.print(table)
    else:  # a line may be as long as it must: nothing is cut, nothing is folded
        Console(width=table.__rich_measure__(_WIDE, _WIDE.options).maximum).print(table)


def fail(message: str, hint: str | None) -> NoReturn:
    problems.print(Text(ERROR.strip(), style="bold red"), end=" ")
    problems.print(message, soft_wrap=True, highlight=False, markup=False)
    if hint:
        problems.print(f"{HINT}{hint}", soft_wrap=True, highlight=False, markup=False)
    sys.exit(1)
