"""Few rows of an index: answered by the thread that reads messages, or left to the one that steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from ptvc.errors import ReplicaUnavailable
from ptvc.replica.index import Index
from ptvc.replica.look_ups import answers
from ptvc.replica.look_ups.answers import looked_up
from ptvc.replica.protocol import LookedUp, LookUp
from ptvc.repr.batch import ERROR_SCHEMA, Batch, Delta, batch_from_rows, empty_batch, from_record
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT

SCHEMA = Schema((Column("a", INT8), Column("b", TEXT), Column("key0", INT8)))
ROWS = [(1, "one", 1), (2, "two", 2), (2, "zwei", 2)]


def index_of(rows: list[tuple[object, ...]] = ROWS, errors: Batch | None = None) -> Index:
    index = Index(SCHEMA, (2,))
    index.begin(5)
    no_errors = empty_batch(ERROR_SCHEMA)
    index.insert(Delta(batch_from_rows(SCHEMA, rows, 5), no_errors if errors is None else errors), 7)
    return index


def asked(*keys: int | None, **changes: Any) -> LookUp:
    fields = {"peek_id": 3, "index_id": "u2", "keys": (list(keys or (2,)),), "columns": (1, 0), "as_of": 6}
    return LookUp(**(fields | changes))  # type: ignore[arg-type]


def rows(answer: LookedUp, schema: Schema) -> list[list[tuple[object, ...]]]:
    """Those of each key."""
    assert answer.peek_id == 3
    assert answer.rows is not None
    found = list(zip(*(c.to_pylist() for c in from_record(schema, answer.rows)), strict=True))
    assert sum(answer.counts) == len(found)
    ends = [sum(answer.counts[: i + 1]) for i in range(len(answer.counts))]
    starts = [0, *ends[:-1]]
    return [sorted(found[start:end]) for start, end in zip(starts, ends, strict=True)]


BA = SCHEMA.project((1, 0))


def test_columns_of_the_rows_that_have_the_key() -> None:
    index = index_of()
    assert rows(looked_up(asked(), lambda id_: index), BA) == [[("two", 2), ("zwei", 2)]]


def test_rows_of_several_keys() -> None:
    """In the order of the keys, one that comes twice and one that no row has among them."""
    index = index_of()
    found = rows(looked_up(asked(2, 1, 9, None, 2), lambda id_: index), BA)
    assert found == [[("two", 2), ("zwei", 2)], [("one", 1)], [], [], [("two", 2), ("zwei", 2)]]


def test_equal_rows_of_several_keys_are_told_apart() -> None:
    index = index_of([(1, "x", 1), (2, "x", 2), (2, "x", 2)])
    answer = looked_up(asked(2, 1, columns=(1,)), lambda id_: index)
    assert rows(answer, SCHEMA.project((1,))) == [[("x",), ("x",)], [("x",)]]
    answer = looked_up(asked(2, columns=(1,)), lambda id_: index)
    assert rows(answer, SCHEMA.project((1,))) == [[("x",), ("x",)]]


def test_no_row_has_the_key() -> None:
    index = index_of()
    answer = looked_up(asked(9), lambda id_: index)
    assert rows(answer, BA) == [[]]


class Found:
    """An index, or why there is none."""

    def __init__(self, error: Exception | None = None, index: Index | None = None) -> None:
        self._error = error
        self._index = index or index_of()

    def __call__(self, id_: str) -> Index:
        if self._error is not None:
            raise self._error
        return self._index


ERRORS = batch_from_rows(ERROR_SCHEMA, [("22012", "division by zero")], 5)


@pytest.mark.parametrize(
    ("as_of", "find"),
    [
        (4, Found()),
        (7, Found()),
        (6, Found(KeyError("u2"))),
        (6, Found(ReplicaUnavailable("the index is not maintained any more"))),
        (6, Found(index=index_of(errors=ERRORS))),
        (6, Found(RuntimeError("a defect"))),
    ],
    ids=["compacted", "not complete", "dropped", "failed", "in error", "defect"],
)
def test_what_is_to_be_asked_otherwise(as_of: int, find: Callable[[str], Index]) -> None:
    assert looked_up(asked(as_of=as_of), find) == LookedUp(3, None)


def test_many_rows_are_to_be_asked_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "AT_ONCE", 1)
    assert looked_up(asked(1), Found()).rows is not None
    assert looked_up(asked(2), Found()) == LookedUp(3, None)
    assert looked_up(asked(1), Found(index=index_of([(1, "x", 1)] * 2))) == LookedUp(3, None)


def test_large_rows_are_to_be_asked_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "AT_ONCE_BYTES", 1_000)
    find = Found(index=index_of([(1, "x" * 1_000, 1), (2, "x" * 10, 2)]))
    assert looked_up(asked(2), find).rows is not None
    assert looked_up(asked(1), find) == LookedUp(3, None)


def test_a_row_that_occurs_less_than_never_is_to_be_asked_otherwise() -> None:
    index = index_of()
    index.insert(Delta(batch_from_rows(SCHEMA, [(7, "x", 7)], 7, -1), empty_batch(ERROR_SCHEMA)), 9)
    assert looked_up(asked(7, as_of=8), lambda id_: index) == LookedUp(3, None)


def test_an_index_that_fails_meanwhile_is_not_answered_from() -> None:
    """It has let go of its rows, and what was found may be a part of them."""
    found = iter([index_of()])

    def find(id_: str) -> Index:
        if (held := next(found, None)) is None:
            raise ReplicaUnavailable("the index is not maintained any more")
        return held

    assert looked_up(asked(), find) == LookedUp(3, None)
