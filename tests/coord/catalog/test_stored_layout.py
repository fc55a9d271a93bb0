"""How rows are stored after columns were added and dropped, in any order."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest
from ptvc.coord.catalog.stored_layout import AS_CREATED, StoredLayout
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, TEXT

THREE = Schema((Column("a", INT4, False), Column("b", TEXT), Column("c", INT8)))


def test_a_table_that_was_not_altered_is_stored_as_it_is_shown() -> None:
    columns = (pa.array([1]), pa.array(["x"]), pa.array([2]))
    assert not AS_CREATED.evolved
    assert AS_CREATED.physical(THREE) == AS_CREATED.stored(THREE) == THREE
    assert AS_CREATED.visible(columns) == AS_CREATED.as_stored(columns, 1) == columns
    assert AS_CREATED.all_places(THREE) == (0, 1, 2)
    assert AS_CREATED.dropped_places == frozenset()


def test_a_column_that_is_added_has_a_value_for_older_rows() -> None:
    layout = AS_CREATED.with_columns((INT8,), ("7",))
    assert layout == StoredLayout(missing=("7",))
    assert layout.evolved
    assert layout.added(THREE) == (Column("c", INT8, True, "7"),)
    assert layout.stored(THREE).columns[:2] == THREE.columns[:2]


def test_a_column_that_is_dropped_stays_where_it_is_stored() -> None:
    layout = AS_CREATED.without(THREE, (1,))
    left = Schema((THREE[0], THREE[2]))
    assert layout == StoredLayout((INT4, TEXT, INT8), (0, 2))
    assert layout.physical(left).names == ("a", "dropped", "c")
    assert [column.dropped for column in layout.stored(left)] == [False, True, False]
    stored = layout.as_stored((pa.array([1, 2], pa.int32()), pa.array([3, 4])), 2)
    assert [column.to_pylist() for column in stored] == [[1, 2], [None, None], [3, 4]]
    assert [column.to_pylist() for column in layout.visible(stored)] == [[1, 2], [3, 4]]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_stored_is_shown_as_it_was_written(seed: int) -> None:
    draw = random.Random(seed)
    schema, layout = THREE, AS_CREATED
    for step in range(8):
        if draw.random() < 0.5 and len(schema) > 1:
            dropped = draw.sample(range(len(schema)), draw.randint(1, len(schema) - 1))
            layout = layout.without(schema, dropped)
            schema = Schema(tuple(c for i, c in enumerate(schema) if i not in dropped))
        else:
            column = Column(f"new{step}", draw.choice((INT4, INT8, TEXT)))
            layout = layout.with_columns((column.type,), (None,))
            schema = Schema((*schema.columns, column))
        columns = tuple(pa.nulls(2, c.type.arrow) for c in schema)
        stored = layout.as_stored(columns, 2)
        assert [array.type for array in stored] == [c.type.arrow for c in layout.physical(schema)]
        assert layout.visible(stored) == columns
        assert Schema(tuple(layout.stored(schema).columns[i] for i in layout.all_places(schema))).names == (
            schema.names
        )
        assert len(layout.dropped_places) == len(stored) - len(schema)
