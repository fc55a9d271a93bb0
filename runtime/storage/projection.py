"""Columns of a source that are read and not kept: EXCLUDE COLUMNS.

WHERE may name them, and then they go, before anything is stored: the key of an envelope is among those that are kept.  Whether a record is a
delete marker is a matter of what is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..repr.schema import Schema
from .changes import Changes
from .decode import PREDICATE, Decoded


@dataclass(frozen=True, slots=True)
class Projection:
    """Of the columns `read` those at `kept`, which ascend, are kept."""

    read: Schema
    kept: tuple[int, ...]

    @property
    def schema(self) -> Schema:
        """That of what is stored."""
        return self.read.project(self.kept)

    @property
    def excluded(self) -> tuple[str, ...]:
        return tuple(column.name for place, column in enumerate(self.read) if place not in self.kept)

    def of_changes(self, changes: Changes) -> Changes:
        return replace(changes, columns=tuple(changes.columns[place] for place in self.kept))

    def of_records(self, decoded: Decoded) -> Decoded:
        """An error in a column that is not kept is one of the record's, with its key if that could be read."""
        errors = decoded.errors
        if len(errors):
            places = np.full(len(self.read), PREDICATE, np.int64)
            places[list(self.kept)] = np.arange(len(self.kept))
            columns = np.where(errors.columns < 0, errors.columns, places[errors.columns])
            errors = replace(errors, columns=columns)
        columns_kept = tuple(decoded.columns[place] for place in self.kept)
        return replace(decoded, columns=columns_kept, errors=errors)

    def to_json(self) -> dict[str, Any]:
        return {"read": self.read.to_json(), "kept": list(self.kept)}


def projection_from_json(value: Mapping[str, Any] | None) -> Projection | None:
    return None if value is None else Projection(Schema.from_json(value["read"]), tuple(value["kept"]))
