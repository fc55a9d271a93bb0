"""Seeded rows of TPC-H's tables at a scale factor: those that LOAD GENERATOR TPCH begins with, in the types of `schema.sql`."""

from __future__ import annotations

import pyarrow as pa
from ptvc.storage.source.generator.options import GeneratorOptions
from ptvc.storage.source.generator.tpch import TABLES, Tpch

_TYPES = {pa.int64(): pa.int32(), pa.decimal128(38, 2): pa.decimal128(15, 2)}


def tables(scale: float, seed: int = 1) -> dict[str, pa.Table]:
    """All eight, by name."""
    pieces: dict[str, list[pa.Table]] = {name: [] for name in TABLES}
    generator = Tpch(GeneratorOptions("tpch", scale_factor=scale, seed=seed))
    for rows in generator.contents(frozenset(TABLES), 0, 0):
        for name, columns in rows.items():
            pieces[name].append(pa.table(list(columns), TABLES[name].names))
    return {name: _typed(pa.concat_tables(found)) for name, found in pieces.items()}


def _typed(rows: pa.Table) -> pa.Table:
    fields = [field.with_type(_TYPES.get(field.type, field.type)) for field in rows.schema]
    return rows.cast(pa.schema(fields)).combine_chunks()
