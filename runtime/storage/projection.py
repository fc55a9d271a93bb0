"""Columns of a source that are read and not kept: EXCLUDE COLUMNS, and what ALTER SOURCE ... APPLY left out later.

WHERE may name them, and then they go, before anything is stored: the key of an envelope is among those that are kept.  Whether a record is a
delete marker is a matter of what is read.

A column that was left out later is NULL in all rows that are stored, as one that was dropped is in a table: the others stay where they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ..repr.schema import Schema
from .changes import Changes
from .decode import PREDICATE, Decoded


@dataclass(frozen=True, slots=True)
class Projection:
    """Of the columns `read` those at `kept`, which ascend, have a place in what is stored; at the places `unstored` there is nothing but NULL."""

    read: Schema
    kept: tuple[int, ...]
    unstored: frozenset[int] = frozenset()

    @property
    def schema(self) -> Schema:
        """That of what is stored."""
        columns = self.read.project(self.kept)
        if not self.unstored:
            return columns
        return Schema(
            tuple(
                replace(column, nullable=True) if place in self.unstored else column
                for place, column in enumerate(columns)
            )
        )

    @property
    def shown(self) -> tuple[int, ...]:
        """The places, in what is stored, of the columns that the source shows."""
        return tuple(place for place in range(len(self.kept)) if place not in self.unstored)

    def without(self, places: frozenset[int]) -> Projection:
        """With nothing stored at these places any more."""
        return replace(self, unstored=self.unstored | places)

    @property
    def excluded(self) -> tuple[str, ...]:
        shown = {self.kept[place] for place in self.shown}
        return tuple(column.name for place, column in enumerate(self.read) if place not in shown)

    def of_changes(self, changes: Changes) -> Changes:
        return replace(changes, columns=self._stored(changes.columns))

    def of_records(self, decoded: Decoded) -> Decoded:
        """An error in a column that is not kept is one of the record's, with its key if that could be read."""
        errors = decoded.errors
        if len(errors):
            places = np.full(len(self.read), PREDICATE, np.int64)
            places[list(self.kept)] = np.arange(len(self.kept))
            columns = np.where(errors.columns < 0, errors.columns, places[errors.columns])
            errors = replace(errors, columns=columns)
        return replace(decoded, columns=self._stored(decoded.columns), errors=errors)

    def _stored(self, columns: Sequence[pa.Array]) -> tuple[pa.Array, ...]:
        return tuple(
            pa.nulls(len(columns[column]), self.read[column].type.arrow)
            if place in self.unstored
            else columns[column]
            for place, column in enumerate(self.kept)
        )

    def to_json(self) -> dict[str, Any]:
        unstored = {"unstored": sorted(self.unstored)} if self.unstored else {}
        return {"read": self.read.to_json(), "kept": list(self.kept), **unstored}


def projection_from_json(value: Mapping[str, Any] | None) -> Projection | None:
    if value is None:
        return None
    return Projection(
        Schema.from_json(value["read"]), tuple(value["kept"]), frozenset(value.get("unstored", ()))
    )
