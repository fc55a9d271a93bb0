"""What passes between the parts of a dataflow, level by level."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ...repr.batch import Delta
from .row_format import Crossing

Piece = tuple[int, Crossing]
"""Rows that go by a way, of which both ends know the number and the columns (`row_format`)."""

Passing = Sequence[Sequence[Piece]]
"""By part, what goes to it, or has come from it."""

Going = Generator[Passing, Passing, Delta]
"""A step of a part: it yields at the end of each level but the last what goes to the other parts, and wants what has come from these;
it returns the updates of the output that have come out here."""
