"""Columns of sources that are read and not kept, and those that were left out later."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT
from ptvc.storage.changes import Changes
from ptvc.storage.projection import Projection, projection_from_json

READ = Schema((Column("a", INT4, False), Column("b", TEXT, False), Column("c", INT4), Column("d", TEXT)))


def test_what_is_left_out_later_is_null_at_its_place() -> None:
    projection = Projection(READ, (0, 1, 3)).without(frozenset((1,)))
    columns = (
        pa.array([1, 2], pa.int32()),
        pa.array(["x", "y"]),
        pa.array([3, 4], pa.int32()),
        pa.array(["u", "v"]),
    )
    kept = projection.of_changes(Changes(columns, np.array([1, -1])))
    assert [column.to_pylist() for column in kept.columns] == [[1, 2], [None, None], ["u", "v"]]
    assert projection.schema == Schema((READ[0], Column("b", TEXT), READ[3]))
    assert projection.shown == (0, 2)
    assert projection.excluded == ("b", "c")


def test_it_is_read_as_it_was_written() -> None:
    for projection in (Projection(READ, (0, 3)), Projection(READ, (0, 1)).without(frozenset((0,)))):
        assert projection_from_json(projection.to_json()) == projection
    assert "unstored" not in Projection(READ, (0, 3)).to_json()
