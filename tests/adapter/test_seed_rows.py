from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from dbt.adapters.ptvc.hydration import HydrationStatus
from dbt.adapters.ptvc.seeds import copy_value, same_rows


def test_values_for_copy() -> None:
    assert copy_value(Decimal("1E+3")) == "1000"
    instant = datetime(2013, 1, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    assert copy_value(instant) == datetime(2013, 1, 1, 10, tzinfo=UTC)
    assert copy_value(None) is None


@pytest.mark.parametrize(
    ("stored", "seed"),
    [
        (1, Decimal("1")),
        (1, "1"),
        (39.02, Decimal("39.02")),
        (Decimal("1.50"), "1.5"),
        ("a", "a"),
        (True, True),
        (True, "true"),
        (None, None),
    ],
)
def test_the_same_value(stored: Any, seed: Any) -> None:
    assert same_rows([(stored,)], [[seed]])


@pytest.mark.parametrize(
    ("stored", "seed"),
    [
        (1, Decimal("2")),
        (39.02, Decimal("39.03")),
        ("1", "01"),
        (1, "one"),
        (True, "maybe"),
        (None, "a"),
        ("a", None),
    ],
)
def test_another_value(stored: Any, seed: Any) -> None:
    assert not same_rows([(stored,)], [[seed]])


def test_rows_are_compared_as_multisets() -> None:
    stored = [(1, "a"), (2, "b"), (2, "b")]
    assert same_rows(stored, [[2, 1, 2], ["b", "a", "b"]])
    assert not same_rows(stored, [[1, 1, 2], ["a", "a", "b"]])
    assert not same_rows(stored, [[1, 2], ["a", "b"]])
    assert same_rows([], [[], []])


def test_what_is_said_of_hydration() -> None:
    done = HydrationStatus("c1-r1", True, 8.21, 336776, 3, None)
    assert done.summary() == "from 336,776 rows in 8.2 s (Spark job 3)"
    busy = HydrationStatus("c1-r1", False, None, None, None, None)
    assert busy.progress() == "replica c1-r1 is at work"
    job = HydrationStatus("c1-r1", False, None, None, 3, None, 44.6, 150_210, 336_776)
    assert job.progress() == "replica c1-r1 is at work (Spark job 3: 45 %, 150,210 of 336,776 rows read)"
    begun = HydrationStatus("c1-r1", False, None, None, 3, None)
    assert begun.progress() == "replica c1-r1 is at work (Spark job 3)"
    lost = HydrationStatus("c1-r1", False, None, None, None, "offline: no Java was found")
    assert lost.progress() == "replica c1-r1 is offline: no Java was found"
