"""Few rows of an index: answered by the thread that reads messages, or left to the one that steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

import pyarrow as pa
import pytest
from ptvc.errors import ReplicaUnavailable
from ptvc.expr.tree.relation import Get
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.column_cache import ColumnCache
from ptvc.replica import peek_thread
from ptvc.replica.index import Index
from ptvc.replica.peek_thread import Peeks
from ptvc.replica.protocol import Connection, PeekFailed, PeekIndex, PeekRows
from ptvc.repr.batch import ERROR_SCHEMA, Batch, Delta, batch_from_rows, empty_batch, from_ipc, to_ipc
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.supervision import Supervisor

SCHEMA = Schema((Column("a", INT8), Column("b", TEXT), Column("key0", INT8)))
KEY = Schema((Column("key", INT8),))
ROWS = [(1, "one", 1), (2, "two", 2), (2, "zwei", 2)]


class Sent:
    """Stands for the connection to the coordinator."""

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def send(self, message: Any) -> None:
        self.messages.append(message)

    def send_encoded(self, pieces: Any) -> None:
        raise AssertionError("nothing is for the pool here")

    def rows(self) -> list[tuple[object, ...]]:
        (message,) = self.messages
        assert isinstance(message, PeekRows)
        assert message.done
        batch = from_ipc(message.payload)
        assert set(batch.diffs.tolist()) <= {1}
        return sorted(zip(*(column.to_pylist() for column in batch.columns), strict=True))


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def peeks(sent: Sent, tmp_path: Any) -> Iterator[Peeks]:
    supervisor = Supervisor(lambda name, error: None)
    made = Peeks(MemoryBlob(), ColumnCache(tmp_path), cast(Connection, sent), supervisor)
    yield made
    made.close()


def index_of(rows: list[tuple[object, ...]] = ROWS, errors: Batch | None = None) -> Index:
    index = Index(SCHEMA, (2,))
    index.begin(5)
    no_errors = empty_batch(ERROR_SCHEMA)
    index.insert(Delta(batch_from_rows(SCHEMA, rows, 5), no_errors if errors is None else errors), 7)
    return index


def keys(*values: int | None) -> bytes:
    return to_ipc(KEY, batch_from_rows(KEY, [(value,) for value in values], 0))


def asked(**changes: Any) -> PeekIndex:
    fields = {"peek_id": 3, "index_id": "u2", "keys": keys(2), "wanted": (1, 0), "as_of": 6} | changes
    return PeekIndex(**fields)


def test_columns_of_the_rows_that_have_the_key(peeks: Peeks, sent: Sent) -> None:
    index = index_of()
    assert peeks.look_up(asked(), lambda id_: index)
    assert sent.rows() == [("two", 2), ("zwei", 2)]


def test_found_by_several_keys(peeks: Peeks, sent: Sent) -> None:
    index = index_of()
    assert peeks.look_up(asked(keys=keys(2, 1, 9), wanted=(1,)), lambda id_: index)
    assert sent.rows() == [("one",), ("two",), ("zwei",)]


def test_no_row_has_the_key(peeks: Peeks, sent: Sent) -> None:
    index = index_of()
    assert peeks.look_up(asked(keys=keys(9)), lambda id_: index)
    assert sent.rows() == []
    assert from_ipc(sent.messages[0].payload).columns[0].type == pa.string()


def test_equal_rows_are_one_update_where_that_is_asked_for(peeks: Peeks, sent: Sent) -> None:
    index = index_of([(1, "x", 1), (2, "x", 1)])
    assert peeks.look_up(asked(keys=keys(1), wanted=(1,), consolidated=True), lambda id_: index)
    batch = from_ipc(sent.messages[0].payload)
    assert (batch.columns[0].to_pylist(), batch.diffs.tolist()) == (["x"], [2])


def test_an_error_of_the_index_is_the_answer(peeks: Peeks, sent: Sent) -> None:
    index = index_of(errors=batch_from_rows(ERROR_SCHEMA, [("22012", "division by zero")], 5))
    assert peeks.look_up(asked(), lambda id_: index)
    (failed,) = sent.messages
    assert isinstance(failed, PeekFailed)
    assert (failed.sqlstate, failed.message) == ("22012", "division by zero")


class Found:
    """An index, or why there is none."""

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error
        self._index = index_of()

    def __call__(self, id_: str) -> Index:
        if self._error is not None:
            raise self._error
        return self._index


@pytest.mark.parametrize(
    ("changes", "find"),
    [
        ({"keys": None}, Found()),
        ({"wanted": Get("u2", SCHEMA)}, Found()),
        ({"as_of": 4}, Found()),
        ({"as_of": 7}, Found()),
        ({}, Found(KeyError("u2"))),
        ({}, Found(ReplicaUnavailable("the index is not maintained any more"))),
    ],
    ids=["all rows", "computed", "compacted", "not complete", "dropped", "failed"],
)
def test_what_the_step_thread_is_to_answer(
    peeks: Peeks, sent: Sent, changes: dict[str, Any], find: Callable[[str], Index]
) -> None:
    assert not peeks.look_up(asked(**changes), find)
    assert sent.messages == []


@pytest.mark.parametrize("most", [0, 1])
def test_many_keys_or_rows_are_for_the_pool(
    peeks: Peeks, sent: Sent, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(peek_thread, "AT_ONCE", most)
    index = index_of()
    assert not peeks.look_up(asked(), lambda id_: index)
    assert sent.messages == []


def test_an_index_that_fails_meanwhile_is_not_answered_from(peeks: Peeks, sent: Sent) -> None:
    """It has let go of its rows, and what was found may be a part of them."""
    index = index_of()
    found = iter([index])

    def find(id_: str) -> Index:
        if (held := next(found, None)) is None:
            raise ReplicaUnavailable("the index is not maintained any more")
        return held

    assert not peeks.look_up(asked(), find)
    assert sent.messages == []
