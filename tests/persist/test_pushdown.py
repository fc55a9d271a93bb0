"""Parts that a filter leaves unread hold nothing of what it is true of, and no error."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from persist_support import SCHEMA, batch_of, delta_of
from ptvc.persist import write as write_module
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.part import PartRef
from ptvc.persist.part_stats import batch_stats
from ptvc.persist.pushdown import Comparison, Condition, wanted
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BYTEA, FLOAT8, INT8, JSONB, NUMERIC, TEXT, UUID, ScalarType


@pytest.fixture(autouse=True)
def blobs_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_module, "INLINE_MAX_BYTES", 0)


def part_of(type_: ScalarType, values: Sequence[Any]) -> tuple[PartRef, Schema]:
    schema = Schema((Column("a", type_),))
    rows = batch_of(schema, [((value,), 0, 1) for value in values])
    (part,) = write_parts(MemoryBlob(), "s", schema, Delta(rows, NO_ERRORS), writer="w")
    return PartRef.from_metadata("s", part.metadata(), None, part.blob), schema


def is_read(type_: ScalarType, values: Sequence[Any], comparison: str, value: Any = None) -> bool:
    part, schema = part_of(type_, values)
    return bool(wanted([part], schema, [Condition(0, Comparison(comparison), value)]))


@pytest.mark.parametrize(
    ("comparison", "value", "expected"),
    [
        ("=", 1, False), ("=", 2, True), ("=", 3, True), ("=", 5, True), ("=", 6, False),
        ("<", 2, False), ("<", 3, True), ("<=", 1, False), ("<=", 2, True),
        (">", 5, False), (">", 4, True), (">=", 6, False), (">=", 5, True),
        ("is null", None, False), ("is not null", None, True),
    ],
)  # fmt: skip
def test_bounds_decide(comparison: str, value: int | None, expected: bool) -> None:
    assert is_read(INT8, [2, 5], comparison, value) is expected


def test_nulls_are_found_by_their_test_only() -> None:
    assert is_read(INT8, [None, 1], "is null")
    assert not is_read(INT8, [None, None], "is not null")
    assert not is_read(INT8, [None, None], "=", 1)


def test_what_has_another_order_is_read() -> None:
    assert is_read(JSONB, ['"a"', '"b"'], "=", '"z"')
    assert is_read(FLOAT8, [1.0, float("nan")], ">", 5.0)
    assert is_read(FLOAT8, [1.0, 2.0], "<", float("nan"))
    assert is_read(TEXT, ["a"], "=", 1)
    assert is_read(TEXT, ["a" * 300], "=", "b")


@pytest.mark.parametrize(
    ("type_", "least", "greatest", "beyond"),
    [
        (TEXT, "a", "é", "字"),
        (FLOAT8, -0.0, 1.5, 1.6),
        (NUMERIC, Decimal("1.1"), Decimal("2.2"), Decimal("2.3")),
        (BYTEA, b"\x00", b"\xfe", b"\xff"),
        (UUID, b"\x00" * 16, b"\x01" * 16, b"\x02" * 16),
    ],
)
def test_bounds_of_each_kind_survive_consensus(
    type_: ScalarType, least: Any, greatest: Any, beyond: Any
) -> None:
    assert is_read(type_, [least, greatest], "=", greatest)
    assert not is_read(type_, [least, greatest], ">=", beyond)


def test_long_bytes_have_no_bounds() -> None:
    schema = Schema((Column("a", BYTEA),))
    stats = batch_stats(batch_of(schema, [((b"x" * 1000,), 0, 1)]))
    assert stats.columns[0].bounds is None


def test_parts_with_errors_are_read() -> None:
    delta = delta_of([((1, "a"), 0, 1)], [(("22012", "division by zero"), 0, 1)])
    (part,) = write_parts(MemoryBlob(), "s", SCHEMA, delta, writer="w")
    assert wanted([part], SCHEMA, [Condition(0, Comparison.EQ, 7)]) == (part,)


def test_columns_that_came_or_went_are_read() -> None:
    part, schema = part_of(INT8, [1])
    later = Schema((*schema.columns, Column("b", INT8, missing="7")))
    assert wanted([part], later, [Condition(1, Comparison.EQ, 9)]) == (part,)
    gone = Schema((Column("a", INT8, dropped=True),))
    assert wanted([part], gone, [Condition(0, Comparison.IS_NULL)]) == (part,)


def test_inline_parts_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_module, "INLINE_MAX_BYTES", 1 << 20)
    part, schema = part_of(INT8, [1])
    assert wanted([part], schema, [Condition(0, Comparison.EQ, 9)]) == (part,)


@pytest.mark.parametrize("seed", range(20))
def test_a_part_left_out_has_no_row_that_matches(seed: int) -> None:
    random = Random(seed)
    left_out = 0
    for _ in range(50):
        base = random.randrange(20)
        values = [random.choice([None, base + random.randrange(4)]) for _ in range(random.randrange(1, 4))]
        part, schema = part_of(INT8, values)
        comparison, value = random.choice(list(Comparison)), random.randrange(24)
        if not wanted([part], schema, [Condition(0, comparison, value)]):
            left_out += 1
            assert not any(matches(each, comparison, value) for each in values)
    assert left_out


def matches(found: int | None, comparison: Comparison, value: int) -> bool:
    match comparison:
        case Comparison.IS_NULL:
            return found is None
        case Comparison.IS_NOT_NULL:
            return found is not None
        case _ if found is None:
            return False
        case Comparison.EQ:
            return found == value
        case Comparison.LT:
            return found < value
        case Comparison.LE:
            return found <= value
        case Comparison.GT:
            return found > value
        case _:
            return found >= value


def test_the_statistics_of_a_large_part_of_bytes_can_be_kept() -> None:
    array = pa.array([b"\x00\xff", b"a"])
    assert array.type == BYTEA.arrow
    part, _ = part_of(BYTEA, [b"\x00\xff", b"a"])
    assert part.stats is not None
    assert part.stats.columns[0].bounds == (b"\x00\xff", b"a")
