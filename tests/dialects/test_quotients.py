"""Quotients of Snowflake's decimals: exact, and rounded once."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from ptvc.check.environment import Environment
from ptvc.dialects.translate import translate
from ptvc.errors import PtvcError


def half_away(value: Fraction) -> int:
    whole = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return whole if value >= 0 else -whole


def decimal(unscaled: int, scale: int) -> str:
    digits = str(abs(unscaled)).rjust(scale + 1, "0")
    sign = "-" if unscaled < 0 else ""
    return f"{sign}{digits[: len(digits) - scale]}.{digits[len(digits) - scale :]}".removesuffix(".")


def operands(rng: random.Random, scales: tuple[int, int], shown: int) -> tuple[int, int]:
    """Of any size that there is room for; of every third the quotient is a tie, or next to one."""
    b = rng.randrange(1, 10 ** rng.randint(1, 38)) * rng.choice((1, -1))
    a = rng.randrange(10 ** rng.randint(1, 38)) * rng.choice((1, -1))
    if rng.random() < 0.4:
        tie = Fraction(2 * rng.randrange(10 ** rng.randint(1, 14)) + 1, 2 * 10**shown)
        a = half_away(tie * Fraction(b, 10 ** scales[1]) * 10 ** scales[0]) + rng.choice((-1, 0, 0, 1))
    return a, b


@pytest.mark.parametrize("scales", [(0, 0), (0, 4), (2, 0), (2, 2), (6, 9), (9, 2), (12, 12), (15, 3)])
def test_they_are_those_of_exact_arithmetic(scales: tuple[int, int]) -> None:
    shown, rng = max(scales[0], min(scales[0] + 6, 12)), random.Random(str(scales))
    pairs, expected = [], []
    while len(pairs) < 250:
        a, b = operands(rng, scales, shown)
        quotient = Fraction(a * 10 ** scales[1], b * 10 ** scales[0])
        if abs(a) < 10**38 and abs(quotient) * 10 ** (shown + 1) < 10**38:
            pairs.append((a, b))
            expected.append(half_away(quotient * 10**shown))
    rows = ", ".join(
        f"({k}, cast('{decimal(a, scales[0])}' as number(38, {scales[0]})), "
        f"cast('{decimal(b, scales[1])}' as number(38, {scales[1]})))"
        for k, (a, b) in enumerate(pairs)
    )
    sql = f"select a / b as v from (values {rows}) as t (k, a, b) order by k"
    found = Environment(0).rows(translate(sql, "snowflake"))[1]
    assert [Fraction(row[0]) * 10**shown for row in found] == expected
    # There are large ones among them, and ones that were not to be rounded up.
    assert max(abs(one) for one in expected) > 10**25


@pytest.mark.parametrize(("left", "right"), [(10**31, 1), (10**37, 7), (-(10**31), -1)])
def test_what_there_is_no_room_for_is_an_error(left: int, right: int) -> None:
    sql = f"select cast('{left}' as number(38, 0)) / cast('{right}' as number(38, 0)) as v"
    with pytest.raises(PtvcError, match="ends in an error"):
        Environment(0).rows(translate(sql, "snowflake"))


def test_the_text_of_nested_ones_grows_with_their_number() -> None:
    def types(schema: str | None, name: str) -> dict[str, str]:
        return dict.fromkeys(("a", "b", "c", "d"), "numeric(10,2)")

    found = translate("select a / b / c / d as v from t", "snowflake", types)
    assert [found.count(f"CAST({name} AS numeric)") for name in "abcd"] == [1, 1, 1, 1]
