"""Results as tables for a terminal and as JSON.

A benchmark's module says next to its results how they are shown: a function that `shows` a kind of result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.table import Table

from .measure import FreshnessResult, Latencies, Machine, Transfer, plain

MIN_WIDTH = 120
"""Columns of a table that goes to a file or a pipe."""

console = Console() if Console().is_terminal else Console(width=MIN_WIDTH)

Result = Any
"""A dataclass; `shows` says which there are."""

R = TypeVar("R")

_TABLES: dict[type, list[Callable[[list[Any]], Table | Iterable[Table]]]] = {}


def shows(
    kind: type[R],
) -> Callable[[Callable[[list[R]], Table | Iterable[Table]]], Callable[[list[R]], Table | Iterable[Table]]]:
    """What it decorates makes a table, or some, of all results of that kind."""

    def known(
        tables: Callable[[list[R]], Table | Iterable[Table]],
    ) -> Callable[[list[R]], Table | Iterable[Table]]:
        _TABLES.setdefault(kind, []).append(tables)
        return tables

    return known


def show(results: list[Result]) -> None:
    """The tables of every kind of result that there is, in the order of their first results; a table without rows is left out.

    Raises:
        KeyError: nothing shows results of a kind.
    """
    by_kind: dict[type, list[Result]] = {}
    for result in results:
        by_kind.setdefault(type(result), []).append(result)
    for kind, of_kind in by_kind.items():
        for tables in _TABLES[kind]:
            made = tables(of_kind)
            for table in [made] if isinstance(made, Table) else made:
                if table.row_count:
                    console.print(table)


def write_json(path: Path, machine: Machine, results: Iterable[Result]) -> None:
    """One object: the machine, and a list of results by kind."""
    by_kind: dict[str, list[object]] = {}
    for result in results:
        by_kind.setdefault(type(result).__name__, []).append(plain(result))
    path.write_text(json.dumps({"machine": plain(machine), **by_kind}, indent=1) + "\n")


def new_table(title: str, *columns: str) -> Table:
    """Figures stand to the right; what the first column says, to the left."""
    table = Table(title=title, title_justify="left")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right")
    return table


def ms(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if value < 100 else f"{value:,.0f}"


def three(latencies: Latencies | None) -> list[str]:
    """Median, p99 and maximum."""
    if latencies is None:
        return ["-", "-", "-"]
    return [ms(latencies.median_ms), ms(latencies.p99_ms), ms(latencies.max_ms)]


@shows(FreshnessResult)
def _freshness_table(results: list[FreshnessResult]) -> Table:
    table = new_table(
        "From a message or a transaction to a view, in milliseconds",
        "source",
        "a second",
        "of them",
        "median",
        "p99",
        "max",
        "CPU of one",
        "load",
    )
    for r in results:
        latencies = [*three(r.latencies), ms(r.latencies.cpu_ms)]
        table.add_row(r.source, f"{r.rate:,}", f"{r.latencies.count:,}", *latencies, f"{r.load_1min:.1f}")
    return table


def transfers_table(title: str, results: Iterable[Transfer]) -> Table:
    table = new_table(title, "what", "rows", "seconds", "a second", "CPU in s", "load")
    for r in results:
        table.add_row(
            r.what,
            f"{r.rows:,}",
            f"{r.seconds:.2f}",
            f"{r.per_second:,.0f}",
            f"{r.cpu_s:.1f}",
            f"{r.load_1min:.1f}",
        )
    return table
