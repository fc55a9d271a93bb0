"""How far a database was read, and of which outputs that speaks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
import pyarrow as pa

from ....repr.schema import Schema
from ...changes import Changes
from ...statistics import OutputId


@dataclass(frozen=True, slots=True)
class UpstreamPosition:
    """All transactions up to some place in the database's log are read: which, says the class of each kind of database.

    `outputs` has why a table takes nothing more, or None.  `progress` has the outputs that have the position as a row, and which.
    `piece` counts the pieces of a transaction or of a snapshot that was not whole yet.
    """

    outputs: Mapping[OutputId, str | None] = field(default_factory=dict, kw_only=True)
    progress: Mapping[OutputId, Any] = field(default_factory=dict, kw_only=True)
    piece: int = field(default=0, kw_only=True)

    @property
    @abstractmethod
    def shown(self) -> Any:
        """The place, as it stands in the row of the progress relation."""

    def with_outputs(self, outputs: Mapping[OutputId, str | None]) -> Self:
        return replace(self, outputs=dict(outputs))

    def next_piece(self) -> Self:
        """A piece behind, of what is not whole yet."""
        return replace(self, piece=self.piece + 1)

    def whole(self) -> Self:
        """Behind the last piece."""
        return replace(self, piece=0)

    def to_json(self) -> dict[str, Any]:
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        return cls(**value)


def progress_changes(schema: Schema, before: Any, now: Any) -> Changes:
    """From the row of the one position to that of the other; None: there was none."""
    gone = [] if before is None else [before]
    places = pa.array([*gone, now], schema[0].type.arrow)
    return Changes((places,), np.array([-1] * len(gone) + [1], np.int64))
