"""What generators hand out, as multisets of rows by table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ptvc.storage.changes import Changes
from ptvc.storage.source.generator.kinds import KINDS
from ptvc.storage.source.generator.options import GeneratorOptions
from ptvc.storage.source.generator.ticking import Generator

Row = tuple[Any, ...]
Tables = dict[str, Counter[Row]]

OPTIONS = {
    "auction": GeneratorOptions("auction", tick_ms=10, seed=3),
    "marketing": GeneratorOptions("marketing", tick_ms=10, seed=3),
    "tpch": GeneratorOptions("tpch", tick_ms=10, seed=3, scale_factor=0.0002),
    "key_value": GeneratorOptions(
        "key_value", tick_ms=10, seed=3, keys=60, partitions=3, batch_size=4, value_size=11, snapshot_rounds=3
    ),
    "clock": GeneratorOptions("clock", tick_ms=10),
}


def make(options: GeneratorOptions) -> Generator:
    return KINDS[options.kind].make(options)


def add(tables: Tables, changes: Mapping[str, Changes]) -> None:
    """Adds changes; what has gone as often as it has come is forgotten."""
    for table, change in changes.items():
        rows = tables.setdefault(table, Counter())
        values = zip(*(column.to_pylist() for column in change.columns), strict=True)
        for row, diff in zip(values, change.diffs.tolist(), strict=True):
            rows[row] += diff
            if not rows[row]:
                del rows[row]


def contents(generator: Generator, tick: int, start_ms: int = 0) -> Tables:
    found: Tables = {table: Counter() for table in generator.tables}
    for rows in generator.contents(frozenset(generator.tables), tick, start_ms):
        for table, columns in rows.items():
            found[table].update(zip(*(column.to_pylist() for column in columns), strict=True))
    return found
