"""Rows compared column by column are equal where their values are, however many columns of numbers come before texts."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.repr.equality import rows_equal

VALUES: dict[str, tuple[pa.DataType, tuple[Any, ...]]] = {
    "few": (pa.int64(), (1, 2, None)),
    "many": (pa.int32(), tuple(range(50))),
    "text": (pa.string(), ("a", "ab", "", None)),
    "flag": (pa.bool_(), (True, False, None)),
    "list": (pa.list_(pa.string()), (["a"], ["a", None], [], None)),
}


@pytest.mark.parametrize("rows", [0, 1, 7, 5_000])
@pytest.mark.parametrize(
    "kinds", ["few", "text", "few text", "text many", "text list flag many few", "list text", ""]
)
def test_rows_are_equal_where_all_values_are(kinds: str, rows: int) -> None:
    random = Random(f"{kinds} {rows}")
    types = [VALUES[kind] for kind in kinds.split()]
    sides = [[[random.choice(values) for _ in range(300)] for _, values in types] for _ in range(2)]
    left, right = ([pa.array(v, t) for v, (t, _) in zip(side, types, strict=True)] for side in sides)
    at = [[random.randrange(300) for _ in range(rows)] for _ in range(2)]
    found = rows_equal(left, np.array(at[0], np.int64), right, np.array(at[1], np.int64))
    expected = [all(a[i] == b[j] for a, b in zip(*sides, strict=True)) for i, j in zip(*at, strict=True)]
    assert found.tolist() == expected
