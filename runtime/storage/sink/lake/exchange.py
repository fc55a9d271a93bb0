"""What a sink into a lake reads, exchanged for something of other columns: both in columns that have values of either.

| column                                     | of the exchange           | what the former has there | what comes has there |
|--------------------------------------------|---------------------------|---------------------------|----------------------|
| both have it, in one type                  | the same                  | its values                | its values           |
| both have it, in types of which one is wider | of the wider type        | its values                | its values           |
| it comes                                   | the same                  | NULL                      | its values           |
| it goes                                    | behind the others         | its values                | NULL                 |

So the difference between both is one of rows of the table: it keeps a column that goes, as readers may name it, and no value of it is left
as if it were still kept up.  Columns are known by their names, in whichever order they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from ....errors import PtvcError
from ....repr.batch import Batch
from ....repr.schema import Column, Schema
from ....repr.types import (
    FLOAT4,
    FLOAT8,
    INT4,
    INT8,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    Kind,
    ScalarType,
)
from ...lake.columns import lake_arrays, lake_type

_WIDER = {pa.int32(): pa.int64(), pa.float32(): pa.float64()}
_PLAIN = {
    pa.int32(): INT4,
    pa.int64(): INT8,
    pa.float32(): FLOAT4,
    pa.float64(): FLOAT8,
    pa.string(): TEXT,
    pa.timestamp("us"): TIMESTAMP,
    pa.timestamp("us", tz="UTC"): TIMESTAMPTZ,
}
"""The types here of which a lake's are the values, whichever kinds these were of."""


def wider(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    """Of two types of a lake the one that has all values of both; None: neither has."""
    if one == other:
        return one
    if pa.types.is_decimal(one) and pa.types.is_decimal(other) and one.scale == other.scale:
        return one if one.precision > other.precision else other
    if pa.types.is_list(one) and pa.types.is_list(other):  # but for the names of elements
        return one if one.value_type == other.value_type else None
    return other if _WIDER.get(one) == other else one if _WIDER.get(other) == one else None


def holds(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether a column of the table takes all values that are of the type `wanted`."""
    widest = wider(wanted, found)
    return widest is not None and (widest == found or pa.types.is_list(found))


@dataclass(frozen=True, slots=True)
class Exchange:
    former: Schema
    new: Schema
    schema: Schema

    @classmethod
    def between(cls, former: Schema, new: Schema) -> Exchange:
        """They are ones that `check_exchange` lets through, or of the same columns."""
        if _alike(former, new):
            return cls(former, new, new)
        return cls(former, new, _joined(former, new))

    def of_former(self, changes: Batch) -> Batch:
        return _taken(changes, self.former, self.schema)

    def of_new(self, changes: Batch) -> Batch:
        return _taken(changes, self.new, self.schema)


def _alike(former: Schema, new: Schema) -> bool:
    return former.names == new.names and former.types == new.types


def _joined(former: Schema, new: Schema) -> Schema:
    there = {column.name: column for column in former}
    found = []
    for column in new:
        before = there.pop(column.name, None)
        nullable = before is None or column.nullable or before.nullable
        type_ = column.type if before is None else _common(before, column)
        assert type_ is not None, f"{before} and {column} have no type in common"
        found.append(Column(column.name, type_, nullable))
    gone = (Column(column.name, column.type) for column in there.values())
    return Schema((*found, *gone))


def _common(one: Column, other: Column) -> ScalarType | None:
    if one.type == other.type:
        return other.type
    found = wider(lake_type(one), lake_type(other))
    if found is not None and pa.types.is_decimal(found):
        return ScalarType(Kind.NUMERIC, precision=found.precision, scale=found.scale)
    return _PLAIN.get(found)


def _taken(changes: Batch, schema: Schema, wanted: Schema) -> Batch:
    places = {column.name: place for place, column in enumerate(schema)}
    return changes.with_columns(
        [
            pa.nulls(len(changes), column.type.arrow)
            if (place := places.get(column.name)) is None
            else _as(changes.columns[place], schema[place], column)
            for column in wanted
        ]
    )


def _as(values: pa.Array, column: Column, wanted: Column) -> pa.Array:
    if column.type == wanted.type:
        return values
    return lake_arrays([values], [column])[0].cast(wanted.type.arrow)


def kept_columns(kept: Schema, former: Schema, new: Schema) -> Schema:
    """Those that the table has and the sink writes no more, after an exchange: `kept` are those before it."""
    names = set(new.names)
    there = {column.name: Column(column.name, column.type) for column in (*kept, *former)}
    return Schema(tuple(column for name, column in there.items() if name not in names))


def check_exchange(
    former: Schema, new: Schema, kept: Schema, key: Sequence[str], partitions: Sequence[str], widens: bool
) -> None:
    """Raises PtvcError 42P16 where the table cannot go over to the new columns; `widens` is whether its format lets columns get wider types
    as the sink writes it.  What `kept_columns` are so far is in the table, too."""
    there = {column.name: column for column in (*kept, *former)}
    names = set(new.names)
    for what, needed in (("key", key), ("partitions", partitions)):
        for name in needed:
            if name not in names:
                raise _refusal(f'column "{name}" of its {what} is not there', "Let it have the column.")
    for column in new:
        before = there.get(column.name)
        if before is None:
            _refuse_alike(column.name, there)
        elif before.type != column.type:
            _check_type(before, column, partitioned=column.name in partitions, widens=widens)


def _refuse_alike(name: str, there: dict[str, Column]) -> None:
    for other in there:
        if other.lower() == name.lower():
            raise _refusal(
                f'the table has a column "{other}" beside column "{name}" then, and not all readers tell them apart',
                "Name it as before, or otherwise.",
            )


def _check_type(before: Column, column: Column, *, partitioned: bool, widens: bool) -> None:
    found, wanted = lake_type(before), lake_type(column)
    shown = f'column "{column.name}" is of type {column.type} instead of {before.type}'
    if _common(before, column) is None:
        raise _refusal(
            f"{shown}, and the table's {found} does not become {wanted}",
            "A column may get a wider type: from integer to bigint, from real to double precision, numeric with more digits before the "
            "point. Give this one another name.",
        )
    if found == wanted:
        return
    if partitioned:
        raise _refusal(
            f"{shown}, and the table is partitioned by it", "Leave its type, or partition by another one."
        )
    if not widens and not holds(found, wanted):
        raise _refusal(
            f"{shown}, and in a table of Delta Lake that rows are only added to no column gets a wider type",
            "Give the column another name.",
        )


def _refusal(what: str, way: str) -> PtvcError:
    return PtvcError(what, sqlstate="42P16", hint=f"{way} Or create another sink, with a target of its own.")
