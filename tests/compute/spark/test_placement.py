"""Which machines a resident task prefers."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from ptvc.compute.spark.placement import least_used


@pytest.mark.parametrize(
    ("residents", "name", "best"),
    [
        ({}, "c1-r1", ["a", "b", "c"]),
        ({"c1-r1": "a"}, "c1-r2", ["b", "c"]),
        ({"c1-r1": "a", "c2-r1": "b"}, "c1-r2", ["c"]),
        ({"c1-r1": "a", "c2-r1": "b", "c3-r1": "c"}, "c1-r2", ["b", "c"]),
        # Its own cluster counts before others.
        ({"c1-r1": "a", "c2-r1": "b", "c3-r1": "b", "c4-r1": "c", "c5-r1": "c"}, "c1-r2", ["b", "c"]),
        ({"c1-r1": "a", "c1-r2": "b", "c1-r3": "c"}, "c1-r4", ["a", "b", "c"]),
        # A machine that has gone is none.
        ({"c1-r1": "d"}, "c1-r2", ["a", "b", "c"]),
        ({"c11-r1": "a"}, "c1-r2", ["b", "c"]),
    ],
)
def test_least_used(residents: Mapping[str, str], name: str, best: list[str]) -> None:
    assert least_used(["a", "b", "c"], residents, name) == best


def test_where_it_was_is_the_last_to_be_taken() -> None:
    assert least_used(["a", "b"], {"c1-r1": "b"}, "c1-r2", "a") == ["b"]
    assert least_used(["a"], {}, "c1-r1", "a") == ["a"]


def test_several_executors_of_a_machine() -> None:
    assert least_used(["a", "a", "b"], {}, "c1-r1") == ["a", "b"]
    assert least_used([], {"c1-r1": "a"}, "c1-r2") == []
