"""Facts about columns of floats: what a look at each value says."""

from __future__ import annotations

import math
from random import Random

import pyarrow as pa
import pytest
from ptvc.repr.float_facts import FloatFacts

VALUES = (None, -0.0, 0.0, 1.5, -3.25, 5e-324, 1e300, math.inf, -math.inf, math.nan)


@pytest.mark.parametrize("seed", range(30))
def test_facts(seed: int) -> None:
    random = Random(seed)
    chosen = random.sample(VALUES, random.randint(1, len(VALUES)))
    values = [random.choice(chosen) for _ in range(random.randrange(12))]
    facts = FloatFacts.of(pa.array([7.0, *values], pa.float64()).slice(1))
    present = [value for value in values if value is not None]
    assert facts.finite == all(map(math.isfinite, present))
    assert facts.negative_zero == any(v == 0 and math.copysign(1, v) < 0 for v in present)
    if facts.finite:
        assert facts.greatest == max((abs(v) for v in present), default=0.0)
        assert facts.least == min((abs(v) for v in present if v), default=math.inf)
        assert FloatFacts.unpacked(facts.packed()) == facts
        cut = random.randint(0, len(values))
        halves = [pa.array(half, pa.float64()) for half in (values[:cut], values[cut:])]
        assert FloatFacts.merged(map(FloatFacts.of, halves)) == facts


def test_of_four_bytes() -> None:
    assert FloatFacts.of(pa.array([0.5, -2.0], pa.float32())) == FloatFacts(2.0, 0.5)
