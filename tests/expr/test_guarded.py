"""A kernel that raises: the rows that it fails on have an error, the others their values."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from ptvc.errors import DataError
from ptvc.expr.guarded import guarded
from ptvc.expr.tree.function import Datum
from ptvc.repr.types import INT8


def inverse(data: Sequence[Datum], count: int) -> pa.Array:
    return pa.array([100 // value for value in data[0].to_pylist()], pa.int64())


def test_the_rows_that_fail_are_found() -> None:
    found = guarded(inverse, [pa.array([1, 0, 2, 5, 0, 10, 20])], 7, INT8)
    assert found.values.to_pylist() == [100, None, 50, 20, None, 10, 5]
    assert found.errors is not None
    assert found.errors.indices.tolist() == [1, 4]
    assert set(found.errors.sqlstates.to_pylist()) == {"XX000"}
    (message,) = set(found.errors.messages.to_pylist())
    assert message.startswith("internal error: ZeroDivisionError")


def test_what_does_not_fail_is_as_it_is() -> None:
    found = guarded(lambda data, count: pc.negate(data[0]), [pa.array([1, 2])], 2, INT8)
    assert (found.values.to_pylist(), found.errors) == ([-1, -2], None)


def test_errors_with_a_meaning_go_on() -> None:
    def refuse(data: Sequence[Datum], count: int) -> pa.Array:
        raise DataError("no")

    with pytest.raises(DataError):
        guarded(refuse, [pa.array([1])], 1, INT8)
