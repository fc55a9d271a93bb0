"""Expressions over many rows, in chunks: the same values and errors, and less on the way."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from ptvc.errors import QueryCanceled
from ptvc.expr import chunks
from ptvc.expr.chunks import LEAST_ROWS, in_chunks, makes_values
from ptvc.expr.evaluate import evaluate, evaluate_predicates
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree.scalar import Cast, ColumnRef, Literal, Scalar
from ptvc.interrupt import Interrupt, interruptible
from ptvc.repr.types import INT4, TEXT

ROWS = LEAST_ROWS + 1_234
COLUMN = ColumnRef(0, INT4)
NUMBERS = pa.array(np.arange(ROWS) % 1_000, pa.int32())


def repeated(count: int) -> Scalar:
    return resolve_call("repeat", (Literal("x", TEXT), resolve_call("mod", (COLUMN, Literal(count, INT4)))))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Chunks are small; the rows of each, and what was made in it."""
    monkeypatch.setattr(chunks, "AT_ONCE_BYTES", 0)
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 1 << 16)
    return []


@pytest.mark.usefixtures("small")
def test_values_and_errors_are_those_of_all_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = resolve_call("concat", (repeated(7), Cast(COLUMN, TEXT)))
    ratio = resolve_call(
        "divide", (resolve_call("length", (whole,)), resolve_call("mod", (COLUMN, Literal(9, INT4))))
    )
    passes = resolve_call("gt", (ratio, Literal(0, INT4)))
    found, kept = evaluate(ratio, (NUMBERS,), ROWS), evaluate_predicates((passes,), (NUMBERS,), ROWS)
    monkeypatch.setattr(chunks, "AT_ONCE_BYTES", 1 << 40)
    wanted, wanted_kept = evaluate(ratio, (NUMBERS,), ROWS), evaluate_predicates((passes,), (NUMBERS,), ROWS)
    assert found.values.equals(wanted.values)
    assert kept[0].tolist() == wanted_kept[0].tolist()
    for one, other in ((found.errors, wanted.errors), (kept[1], wanted_kept[1])):
        assert one is not None
        assert other is not None
        assert one.indices.tolist() == other.indices.tolist()
        assert one.messages.equals(other.messages)
        assert one.sqlstates.equals(other.sqlstates)


@pytest.mark.usefixtures("small")
def test_chunks_follow_what_a_row_takes() -> None:
    sizes: list[int] = []

    def run(start: int, stop: int) -> None:
        sizes.append(stop - start)
        chunks.count_made(pa.array(["x" * 1_000] * (stop - start)))

    in_chunks(LEAST_ROWS, run, lambda rows: run(0, len(rows)))
    assert sum(sizes[1:]) == LEAST_ROWS
    assert sizes[0] == chunks.SAMPLE_ROWS
    assert all(size == 65 for size in sizes[1:-1]), "of 64 kB, with 1,004 bytes each"


def test_little_is_taken_at_once() -> None:
    ran: list[tuple[int, int]] = []
    in_chunks(LEAST_ROWS, lambda start, stop: ran.append((start, stop)), lambda rows: None)
    assert ran == [(0, LEAST_ROWS)]


@pytest.mark.usefixtures("small")
def test_it_stops_between_chunks() -> None:
    interrupt = Interrupt()
    ran: list[int] = []

    def run(start: int, stop: int) -> None:
        ran.append(start)
        interrupt.set()
        chunks.count_made(pa.array(["x" * 1_000]))

    with interruptible(interrupt), pytest.raises(QueryCanceled):
        in_chunks(LEAST_ROWS, run, lambda rows: chunks.count_made(pa.array(["x" * 100_000])))
    assert ran == [0]


def test_what_has_a_fixed_width_is_not_sampled() -> None:
    assert not makes_values((resolve_call("add", (COLUMN, Literal(1, INT4))), ColumnRef(1, TEXT)))
    assert makes_values((resolve_call("length", (repeated(3),)),))
