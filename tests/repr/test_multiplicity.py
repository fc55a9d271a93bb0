"""Multiplicities never wrap."""

from __future__ import annotations

import numpy as np
import pytest
from ptvc.repr.multiplicity import MOST, MOST_WRITTEN, TooManyRows, check_sum, check_written, largest, product


def diffs(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, np.int64)


@pytest.mark.parametrize("count", [1, 2, 16, 17, 1_000])
def test_largest(count: int) -> None:
    values = np.arange(count) - 3 * count // 4
    for found in (values, -values, np.broadcast_to(np.int64(-7), count)):
        assert largest(found) == max(abs(int(value)) for value in found)
    assert largest(diffs()) == 0
    assert largest(diffs(-(1 << 63))) == 1 << 63


def test_products() -> None:
    assert product(diffs(2, -3), diffs(5, 7)).tolist() == [10, -21]
    assert product(diffs(), diffs()).tolist() == []
    # Large on both sides, but not in one row.
    assert product(diffs(1 << 40, 1), diffs(1, 1 << 40)).tolist() == [1 << 40, 1 << 40]
    assert product(diffs(MOST), diffs(-1)).tolist() == [-MOST]


@pytest.mark.parametrize("left", [1 << 32, -(1 << 32), 1 << 62])
def test_a_product_that_is_too_large(left: int) -> None:
    with pytest.raises(TooManyRows):
        product(diffs(1, left), diffs(1, 1 << 32))


def test_sums() -> None:
    check_sum(diffs())
    check_sum(diffs(*[MOST] * 1_000))
    check_sum(diffs(1 << 61, 1))
    with pytest.raises(TooManyRows):
        check_sum(diffs(1 << 61, 1 << 61))
    with pytest.raises(TooManyRows):
        check_sum(diffs(1 << 61, -(1 << 61)))


def test_what_is_written_can_be_deleted() -> None:
    check_written(diffs(MOST_WRITTEN, -MOST))
    with pytest.raises(Exception, match="a statement writes a row more than"):
        check_written(diffs(MOST_WRITTEN + 1))
