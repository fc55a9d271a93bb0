from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest
from ptvc.repr import buffers

from .test_hash import VALUES


@pytest.mark.parametrize("seed", range(5))
def test_take_is_arrows_own(seed: int) -> None:
    """Whatever the type, with and without NULLs, of slices too."""
    random = Random(seed)
    columns = [
        pa.array(random.choices(values[: len(values) - with_nulls], k=100), type_).slice(offset, 50)
        for type_, values in VALUES
        for with_nulls in (0, 1)
        for offset in (0, 3)
    ]
    for count in (0, 1, 80):
        indices = np.array([random.randrange(50) for _ in range(count)], np.int64)
        for taken, column in zip(buffers.take(columns, indices), columns, strict=True):
            taken.validate(full=True)
            expected = column.take(pa.array(indices))
            assert taken.type == expected.type
            assert str(taken.to_pylist()) == str(expected.to_pylist())  # NaN is not equal to itself


def test_take_nothing_from_nothing() -> None:
    (taken,) = buffers.take([pa.array([], pa.int64())], np.empty(0, np.int64))
    assert (taken.type, len(taken)) == (pa.int64(), 0)


@pytest.mark.parametrize("with_nulls", [0, 1])
def test_concat_is_arrows_own(with_nulls: int) -> None:
    random = Random(1)
    for type_, values in VALUES:
        parts = [
            pa.array(random.choices(values[: len(values) - 1 + with_nulls], k=30), type_).slice(
                offset, length
            )
            for offset, length in ((0, 30), (3, 20), (5, 0))
        ]
        for chosen in (parts, parts[:1]):
            whole, expected = buffers.concat(chosen), pa.concat_arrays(chosen)
            whole.validate(full=True)
            assert whole.type == expected.type
            assert str(whole.to_pylist()) == str(expected.to_pylist())


@pytest.mark.parametrize("length", [0, 1, 100_000])
def test_constant(length: int) -> None:
    found = buffers.constant(np.uint64(7), length)
    assert found.dtype == np.uint64
    assert found.shape == (length,)
    assert (found == 7).all()
    assert found.strides == (0,)
    assert not found.flags.writeable


@pytest.mark.parametrize("values", [[True, False, True] * 7, [True, None, False] * 7, [None] * 21, []])
def test_truth_is_where_the_value_is_true(values: list[bool | None]) -> None:
    array = pa.array(values, pa.bool_())
    for offset in (0, 3, 9):
        found = buffers.truth(array.slice(offset))
        assert found.tolist() == [value is True for value in values[offset:]]
        assert found.dtype == np.bool_


def test_present_is_arrows_own() -> None:
    arrays = [pa.array(values, type_) for type_, values in VALUES]
    for array in [*arrays, pa.nulls(9), pa.nulls(9, pa.list_(pa.int64()))]:
        for part in (array, array.slice(2), array.slice(len(array))):
            assert buffers.present(part).tolist() == part.is_valid().to_pylist()
