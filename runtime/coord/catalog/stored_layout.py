"""How a table's rows are stored, as far as ALTER TABLE has made that differ from what the table shows.

Rows are never rewritten.  A column that is added is missing in the rows that are older; one that is dropped stays where it
is stored, and is NULL in the rows that come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from ...repr.schema import Column, Schema
from ...repr.types import ScalarType


@dataclass(frozen=True, slots=True)
class StoredLayout:
    """`missing` are the values, as text, of rows that are older than the last columns, one for each column that was added.
    `types` are those of all columns that are stored, `places` says where the columns of the table are among them; both are
    empty while none was dropped."""

    types: tuple[ScalarType, ...] = ()
    places: tuple[int, ...] = ()
    missing: tuple[str | None, ...] = ()

    @property
    def evolved(self) -> bool:
        """Whether rows may be stored with other columns than the first ones had."""
        return bool(self.missing or self.places)

    @property
    def dropped_places(self) -> frozenset[int]:
        """Where columns are stored that were dropped."""
        return frozenset(range(len(self.types))) - set(self.places)

    def physical(self, schema: Schema) -> Schema:
        """The rows of a table of that schema as they are stored: dropped columns, too."""
        if not self.places:
            return schema
        columns = [Column("dropped", type_) for type_ in self.types]
        for column, place in zip(schema, self.places, strict=True):
            columns[place] = column
        return Schema(tuple(columns))

    def added(self, schema: Schema) -> tuple[Column, ...]:
        """The columns that were added to the table, as its shard has them: all nullable."""
        columns = self.physical(schema).columns
        first = len(columns) - len(self.missing)
        return tuple(
            Column(column.name, column.type, True, missing)
            for column, missing in zip(columns[first:], self.missing, strict=True)
        )

    def stored(self, schema: Schema) -> Schema:
        """As `physical`, with what older rows have in columns that were added; dropped ones are marked."""
        physical = self.physical(schema)
        columns = (*physical.columns[: len(physical) - len(self.missing)], *self.added(schema))
        gone = self.dropped_places
        return Schema(tuple(replace(c, dropped=place in gone) for place, c in enumerate(columns)))

    def visible(self, columns: Sequence[pa.Array]) -> tuple[pa.Array, ...]:
        """Stored columns as the table shows them."""
        return tuple(columns[place] for place in self.places) if self.places else tuple(columns)

    def as_stored(self, columns: Sequence[pa.Array], count: int) -> tuple[pa.Array, ...]:
        """Columns of the table as they are stored; dropped ones are NULL."""
        if not self.places:
            return tuple(columns)
        places: list[pa.Array] = [None] * len(self.types)
        for column, place in zip(columns, self.places, strict=True):
            places[place] = column
        return tuple(
            pa.nulls(count, type_.arrow) if column is None else column
            for column, type_ in zip(places, self.types, strict=True)
        )

    def with_columns(self, types: Sequence[ScalarType], missing: Sequence[str | None]) -> StoredLayout:
        """After columns of those types were added, behind all others."""
        layout = replace(self, missing=(*self.missing, *missing))
        if not self.places:
            return layout
        places = range(len(self.types), len(self.types) + len(types))
        return replace(layout, types=(*self.types, *types), places=(*self.places, *places))

    def without(self, schema: Schema, dropped: Sequence[int]) -> StoredLayout:
        """After the columns at these positions of the table, of that schema, were dropped."""
        places = self.all_places(schema)
        kept = tuple(place for position, place in enumerate(places) if position not in dropped)
        return replace(self, types=self.types or schema.types, places=kept)

    def all_places(self, schema: Schema) -> tuple[int, ...]:
        """Where each column of the table is stored."""
        return self.places or tuple(range(len(schema)))


AS_CREATED = StoredLayout()
"""Of a table that was not altered."""
