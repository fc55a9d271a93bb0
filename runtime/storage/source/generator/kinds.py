"""Which load generators there are, what each offers, and with which options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....repr.schema import Schema
from . import auction, clock_row, key_value, marketing, tpch
from .options import GeneratorOptions
from .ticking import Generator


@dataclass(frozen=True, slots=True)
class GeneratorKind:
    """`tables` are what it offers: "" is the source itself.  `options` are those that it takes, `tick_ms` how often it
    ticks if that is not said (None: never); of the tables in `append_only` no row ever goes."""

    make: Callable[[GeneratorOptions], Generator]
    tables: Mapping[str, Schema]
    options: tuple[str, ...]
    tick_ms: int | None
    append_only: frozenset[str] = frozenset()

    @property
    def shared(self) -> bool:
        """Whether its tables are made by CREATE TABLE ... FROM SOURCE."""
        return "" not in self.tables

    def offers(self, word: str) -> dict[str, Schema]:
        """Its tables as they are referred to: in a schema that is called as the generator."""
        return {f"{word}.{table}": schema for table, schema in self.tables.items()}


_TICKS = ("tick_interval", "as_of", "up_to")

KINDS = {
    "auction": GeneratorKind(
        auction.Auction, auction.TABLES, (*_TICKS, "seed"), 1_000, frozenset(auction.TABLES)
    ),
    "marketing": GeneratorKind(
        marketing.Marketing,
        marketing.TABLES,
        (*_TICKS, "seed"),
        1_000,
        frozenset(marketing.TABLES) - {"leads"},
    ),
    "tpch": GeneratorKind(
        tpch.Tpch,
        tpch.TABLES,
        (*_TICKS, "scale_factor", "seed"),
        None,
        frozenset(tpch.TABLES) - {"orders", "lineitem"},
    ),
    "key_value": GeneratorKind(
        key_value.KeyValue,
        key_value.TABLES,
        (
            "tick_interval",
            "keys",
            "partitions",
            "batch_size",
            "value_size",
            "snapshot_rounds",
            "transactional_snapshot",
            "seed",
        ),
        None,
    ),
    "clock": GeneratorKind(clock_row.ClockRow, clock_row.TABLES, _TICKS, 1_000),
}
