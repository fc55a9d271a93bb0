"""Draws depend on seed, stream and index alone; a shuffle says where a number stands."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from ptvc.repr.types import Kind, ScalarType
from ptvc.storage.source.generator.draws import Draws, Shuffle, decimals


def test_a_draw_is_the_same_whoever_draws_beside_it() -> None:
    draws = Draws(7)
    together = draws.below("x", 1_000_000, np.arange(100))
    alone = [int(draws.below("x", 1_000_000, np.array([i]))[0]) for i in range(100)]
    assert together.tolist() == alone


@pytest.mark.parametrize("other", [(8, "x"), (7, "y")])
def test_seeds_and_streams_differ(other: tuple[int, str]) -> None:
    seed, stream = other
    rows = np.arange(1_000)
    same = Draws(7).below("x", 1_000_000, rows) == Draws(seed).below(stream, 1_000_000, rows)
    assert same.sum() < 5


def test_draws_are_even() -> None:
    counts = np.bincount(Draws(1).below("x", 10, np.arange(100_000)))
    assert len(counts) == 10
    assert abs(counts - 10_000).max() < 500


@pytest.mark.parametrize("count", [1, 2, 3, 10, 97, 600])
def test_a_shuffle_has_each_number_once_a_round(count: int) -> None:
    shuffle = Shuffle(count)
    order = shuffle.at(np.arange(3 * count)).tolist()
    assert sorted(order[:count]) == list(range(count))
    assert order[:count] * 3 == order
    for places in {0, 1, count // 2, count, 2 * count + count // 3, 3 * count}:
        turns = Counter(order[:places])
        assert shuffle.turns(np.arange(count), places).tolist() == [turns[i] for i in range(count)]
        begin = places // 2
        assert shuffle.among(begin, places).tolist() == sorted(set(order[begin:places]))


def test_decimals_of_both_signs() -> None:
    found = decimals(np.array([-99_999, -1, 0, 1, 12_345]), ScalarType(Kind.NUMERIC, precision=15, scale=2))
    assert found.to_pylist() == [Decimal(text) for text in ("-999.99", "-0.01", "0.00", "0.01", "123.45")]
