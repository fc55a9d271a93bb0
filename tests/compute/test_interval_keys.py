"""Operators over intervals, of which several are written differently and are equal all the same."""

from __future__ import annotations

import struct
from random import Random

import pytest
from ptvc.compute.operators.distinct import Distinct
from ptvc.compute.operators.joins.join import Join
from ptvc.repr.types import INT4, INTERVAL

from .histories import check, history, schema_of
from .reference import Row, Rows

DAY = 86_400_000_000
PARTS = ((1, 0, 0), (0, 30, 0), (0, 29, DAY), (0, 1, 0), (0, 0, DAY), (0, -1, 0), (0, 0, 5))
SCHEMA = schema_of(INT4, INTERVAL)


def packed(months: int, days: int, micros: int) -> bytes:
    return struct.pack("<qii", micros, days, months)


def span(value: bytes) -> int:
    micros, days, months = struct.unpack("<qii", value)
    return (months * 30 + days) * DAY + micros  # type: ignore[no-any-return]


def standing(value: bytes) -> bytes:
    """What stands for all intervals of a span: days and time of one sign."""
    total = span(value)
    sign = -1 if total < 0 else 1
    days, micros = divmod(abs(total), DAY)
    return packed(0, sign * days, sign * micros)


def row(random: Random) -> Row:
    return (random.choice((1, 2)), random.choice([packed(*parts) for parts in PARTS] + [None]))


@pytest.mark.parametrize("seed", range(10))
def test_distinct(seed: int) -> None:
    random = Random(seed)

    def expected(contents: list[Rows]) -> Rows:
        counts: dict[Row, int] = {}
        for (number, value), count in contents[0].items():
            key = (number, None if value is None else standing(value))
            counts[key] = counts.get(key, 0) + count
        return {key: 1 for key, count in counts.items() if count > 0}

    check(lambda: Distinct(SCHEMA), [(SCHEMA, history(random, row, times=20))], expected, random, times=20)


@pytest.mark.parametrize("seed", range(10))
def test_join(seed: int) -> None:
    random = Random(seed)

    def expected(contents: list[Rows]) -> Rows:
        found: dict[Row, int] = {}
        for left, a in contents[0].items():
            for right, b in contents[1].items():
                if left[1] is not None and right[1] is not None and span(left[1]) == span(right[1]):
                    found[(*left, *right)] = found.get((*left, *right), 0) + a * b
        return found

    inputs = [(SCHEMA, history(random, row)), (SCHEMA, history(random, row, negative=True))]
    check(lambda: Join(SCHEMA, SCHEMA, (1,), (1,), (), False), inputs, expected, random)
