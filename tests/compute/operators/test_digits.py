"""Sums of floats digit by digit, beside fractions."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.operators.reductions.digits import MOST_DIGITS, Digits, DigitSums
from ptvc.repr.float_facts import FloatFacts

PLACES = 7


def exponents(random: Random) -> tuple[int, int]:
    """Of the least and of the greatest of some values."""
    low = random.choice((-1074, -1060, -300, -30, -3, 0, 500, 960))
    return low, min(low + random.choice((0, 3, 50, 110)), 965)


@pytest.mark.parametrize("seed", range(100))
def test_sums_are_exact(seed: int) -> None:
    random = Random(seed)
    low, high = exponents(random)
    each = random.choice((1, 2, 40, 1_000))
    signs = random.choice(((1,), (-1, 1)))
    values = [
        random.choice(signs)
        * float(np.ldexp(random.choice((random.random(), 1 - 2.0**-53, 0.5)), random.randint(low, high)))
        for _ in range(each * PLACES)
    ]
    diffs = (
        None if random.random() < 0.5 else np.array([random.choice((1, -1, 3)) for _ in values], np.float64)
    )
    places = np.array([place for place in range(PLACES) for _ in range(each)])
    numbers = np.array(values)
    digits = Digits.of(FloatFacts.of(pa.array(numbers)), 3 * each)
    assert digits is not None
    sums = DigitSums(digits, PLACES)
    wanted = [Fraction(0)] * PLACES
    for _ in range(random.randint(1, 3)):
        sums.add(places, numbers, diffs)
        sums.carry()
        for place, number, diff in zip(
            places, values, np.ones(len(values)) if diffs is None else diffs, strict=True
        ):
            wanted[place] += Fraction(number) * int(diff)
    some = np.array([0, PLACES - 1])
    assert sums.exact(some).rounded.tolist() == [float(wanted[place]) for place in some]


@pytest.mark.parametrize("most", [1, 2, 1 << 12, 1 << 37])
def test_no_sum_of_digits_is_rounded(most: int) -> None:
    """The greatest digits so often as is allowed."""
    greatest, least = 1 - 2.0**-53, 2.0**-40
    digits = Digits.of(FloatFacts(greatest, least), most)
    assert digits is not None
    top = 0
    for unit in digits.units:
        assert Fraction(2) ** (top - unit) * most <= 2**53
        top = unit - 1


def test_two_digits_are_enough_for_ten_million_cents() -> None:
    digits = Digits.of(FloatFacts(100_000.0, 0.01), 1_000)
    assert digits is not None
    assert len(digits.units) == 2


@pytest.mark.parametrize(
    ("facts", "most"),
    [
        (FloatFacts(1.0, 1.0, finite=False), 1),
        (FloatFacts(1e300, 1e-300), 1),
        (FloatFacts(1.7e308, 1e290), 1),
        (FloatFacts(1.0, 1.0), 1 << 40),
    ],
    ids=["infinite", f"more than {MOST_DIGITS}", "near the largest", "too often"],
)
def test_what_has_no_digits(facts: FloatFacts, most: int) -> None:
    assert Digits.of(facts, most) is None


def test_zeros() -> None:
    digits = Digits.of(FloatFacts(), 10)
    assert digits is not None
    sums = DigitSums(digits, 1)
    sums.add(np.zeros(3, np.int64), np.array([0.0, -0.0, 0.0]), None)
    sums.carry()
    assert sums.exact(np.zeros(1, np.int64)).rounded.tolist() == [0.0]
