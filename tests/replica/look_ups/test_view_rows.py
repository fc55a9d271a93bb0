"""Rows of a view by the values of some columns, from parts that come and go and from what is yet to become durable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID as UniversallyUnique

import numpy as np
import pytest
from ptvc.persist import write
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.column_cache import ColumnCache
from ptvc.persist.part import PartRef
from ptvc.persist.read import read_part
from ptvc.persist.write import write_parts
from ptvc.replica.installed import Recent
from ptvc.replica.look_ups import answers, view_rows
from ptvc.replica.look_ups.view_rows import ViewLookUps
from ptvc.replica.protocol import LookedUp, LookUpView, StoredChange
from ptvc.replica.workers.team import Stepped
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows, from_record
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    DATE,
    INT2,
    INT4,
    INT8,
    MZ_TIMESTAMP,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    UUID,
    ScalarType,
)

SCHEMA = Schema((Column("word", TEXT), Column("id", INT8), Column("more", TEXT)))

Row = tuple[Any, ...]
Update = tuple[Row, int, int]


def delta(updates: list[Update], schema: Schema = SCHEMA) -> Delta:
    rows = batch_from_rows(schema, [row for row, _, _ in updates], 0)
    times = np.array([time for _, time, _ in updates], np.uint64)
    diffs = np.array([diff for _, _, diff in updates], np.int64)
    return Delta(Batch(rows.columns, times, diffs), NO_ERRORS)


class View:
    """What is stored of it, what has been put out since, and who looks rows up in both."""

    def __init__(self, directory: Path, schema: Schema = SCHEMA) -> None:
        self.schema = schema
        self.blob = MemoryBlob()
        self.cache = ColumnCache(directory)
        self.cache.clear()
        self.parts: dict[int, tuple[PartRef, ...]] = {}
        self.updates: dict[int, list[Update]] = {}
        self.recent = Recent(0, 0)
        self.durable = 0
        self._next = 0
        self._told: set[int] = set()
        self.answers: list[LookedUp] = []
        self.beside: list[Callable[[], None]] = []
        self.look_ups = ViewLookUps(
            self.blob,
            self.cache,
            self.answers.append,
            self.beside.append,
            lambda view, shard: self.recent if (view, shard) == ("u1", "s") else None,
        )

    def put_out(self, updates: list[Update], upper: int) -> None:
        self.recent = self.recent.then(upper, Stepped(delta(updates, self.schema)))

    def commit(self, updates: list[Update], upper: int) -> int:
        """They are durable; the replica hears of it."""
        number = self.write(updates)
        self.durable = upper
        self.recent = self.recent.durable(upper)
        return number

    def write(self, updates: list[Update]) -> int:
        number, self._next = self._next, self._next + 1
        self.updates[number] = updates
        self.parts[number] = write_parts(
            self.blob, "s", self.schema, delta(updates, self.schema), writer="w", passing=True
        )
        return number

    def merge(self, numbers: list[int], since: int) -> None:
        updates = [(row, max(time, since), diff) for n in numbers for row, time, diff in self.updates[n]]
        for number in numbers:
            del self.updates[number], self.parts[number]
        self.write(updates)

    def change(self) -> StoredChange | None:
        begin = None if self._told else (self.schema, ())
        added = tuple((number, parts) for number, parts in self.parts.items() if number not in self._told)
        gone = tuple(number for number in self._told if number not in self.parts)
        self._told = set(self.parts)
        return StoredChange(begin, added, gone) if begin or added or gone else None

    def asked(
        self, key: tuple[int, ...], keys: tuple[list[Any], ...], columns: tuple[int, ...], as_of: int
    ) -> LookUpView:
        return LookUpView(7, "u1", "s", self.durable, key, keys, columns, as_of, self.change())

    def answer(self, asked: LookUpView) -> LookedUp:
        self.look_ups.receive(asked)
        self.beside.pop()()
        return self.answers.pop()

    def found(
        self, key: tuple[int, ...], keys: tuple[list[Any], ...], columns: tuple[int, ...], as_of: int
    ) -> list[Counter[Row]] | None:
        """The rows of each key."""
        answer = self.answer(self.asked(key, keys, columns, as_of))
        if answer.rows is None:
            return None
        arrays = from_record(self.schema.project(columns), answer.rows)
        rows = iter(list(zip(*(array.to_pylist() for array in arrays), strict=True)))
        return [Counter(next(rows) for _ in range(count)) for count in answer.counts]


@pytest.fixture
def view(tmp_path: Path) -> View:
    return View(tmp_path / "columns")


@contextmanager
def stored_as(monkeypatch: pytest.MonkeyPatch, kind: str) -> Iterator[None]:
    with monkeypatch.context() as patched:
        if kind != "inline":
            patched.setattr(write, "INLINE_MAX_BYTES", 0)
            patched.setattr(write, "PASSING_MAX_BYTES", 0)
        if kind == "parquet":
            patched.setattr(write, "PACKED_MAX_BYTES", 0)
        yield


def test_rows_of_durable_parts_and_of_what_is_put_out(view: View) -> None:
    view.commit([(("a", 1, "x"), 3, 1), (("b", 2, "y"), 3, 2)], 5)
    view.put_out([(("a", 1, "x"), 6, -1), (("a", 1, "z"), 6, 1)], 7)
    view.put_out([(("c", 2, "w"), 8, 1)], 9)
    assert view.found((1,), ([1],), (0, 2), 4) == [Counter({("a", "x"): 1})]
    assert view.found((1,), ([1, 2, 5],), (0, 2), 6) == [
        Counter({("a", "z"): 1}),
        Counter({("b", "y"): 2}),
        Counter(),
    ]
    assert view.found((1,), ([2],), (0,), 8) == [Counter({("b",): 2, ("c",): 1})]
    assert view.found((0, 1), (["b", "c"], [2, 1]), (2,), 8) == [Counter({("y",): 2}), Counter()]


def test_what_has_become_durable_counts_once(view: View) -> None:
    """An output that is durable by now, and of which the replica has not heard, is in the parts."""
    first: list[Update] = [(("a", 1, "x"), 3, 1)]
    view.put_out(first, 5)
    view.write(first)
    view.durable = 5
    assert view.found((1,), ([1],), (0,), 4) == [Counter({("a",): 1})]
    view.put_out([(("a", 1, "y"), 6, 1)], 8)
    assert view.found((1,), ([1],), (0,), 7) == [Counter({("a",): 2})]


def test_what_is_put_out_is_taken_when_the_look_up_comes(view: View) -> None:
    """It may become durable, and be let go of, before the thread has come to the look-up, which knows nothing of the parts then."""
    view.put_out([(("a", 1, "x"), 3, 1)], 5)
    view.look_ups.receive(view.asked((1,), ([1],), (0,), 4))
    view.commit([(("a", 1, "x"), 3, 1)], 5)
    view.beside.pop()()
    assert view.answers.pop().counts == (1,)


@pytest.mark.parametrize(
    ("recent", "durable", "as_of"),
    [
        (Recent(4, 8), 3, 5),  # some of it was let go of, and the look-up does not know the parts
        (Recent(0, 5), 3, 5),  # it has not come so far
        (None, 3, 3),  # another replica maintains it
    ],
)
def test_what_is_not_known_is_for_a_query(
    view: View, recent: Recent | None, durable: int, as_of: int
) -> None:
    view.commit([(("a", 1, "x"), 1, 1)], durable)
    view.recent = recent  # type: ignore[assignment]
    assert view.found((1,), ([1],), (0,), as_of) is None
    assert view.found((1,), ([1],), (0,), durable - 1) == [Counter({("a",): 1})], "all of it is durable"


def test_errors_are_for_a_query(view: View) -> None:
    view.commit([(("a", 1, "x"), 1, 1)], 3)
    errors = batch_from_rows(ERROR_SCHEMA, [("22012", "division by zero")], 4)
    view.recent = view.recent.then(6, Stepped(replace(delta([]), errs=errors)))
    assert view.found((1,), ([1],), (0,), 2) is not None
    assert view.found((1,), ([1],), (0,), 5) is None


def test_rows_that_members_have_written_are_for_a_query_until_they_are_durable(view: View) -> None:
    view.commit([(("a", 1, "x"), 1, 1)], 3)
    updates: list[Update] = [(("a", 2, "y"), 4, 1)]
    written = write_parts(view.blob, "s", view.schema, delta(updates, view.schema), writer="w")
    view.recent = view.recent.then(6, Stepped(delta([], view.schema), written))
    assert view.found((1,), ([1],), (0,), 2) is not None
    assert view.found((1,), ([2],), (0,), 5) is None
    view.commit(updates, 6)
    assert view.found((1,), ([2],), (0,), 5) == [Counter({("a",): 1})]


def test_many_rows_are_for_a_query(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    view.commit([(("a", n % 3, f"{n}"), 1, 1) for n in range(30)], 3)
    assert view.found((1,), ([1],), (2,), 2) is not None
    for module, limit, least in ((view_rows, "MOST_FOUND", 10), (view_rows, "MOST_ROWS", 30)):
        with monkeypatch.context() as patched:
            patched.setattr(module, limit, least - 1)
            assert view.found((1,), ([1],), (2,), 2) is None, limit
            patched.setattr(module, limit, least)
            assert view.found((1,), ([1],), (2,), 2) is not None, limit
    monkeypatch.setattr(view_rows, "AT_ONCE", 9)
    monkeypatch.setattr(answers, "AT_ONCE", 9)
    assert view.found((1,), ([1],), (2,), 2) is None


def test_a_large_blob_is_read_once_a_query_has_decoded_it(
    view: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stored_as(monkeypatch, "parquet"):
        number = view.commit([(("a", n, "x"), 1, 1) for n in range(9)], 3)
    monkeypatch.setattr(view_rows, "SMALL_BYTES", 0)
    assert view.found((1,), ([1],), (0,), 2) is None
    read_part(view.blob, view.parts[number][0], SCHEMA, (0, 1), view.cache)
    assert view.found((1,), ([1],), (0,), 2) == [Counter({("a",): 1})]


def test_a_view_that_is_not_known_is_told_anew(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_rows, "MOST_VIEWS", 1)
    view.commit([(("a", 1, "x"), 1, 1)], 3)
    begin = view.change()
    asked = LookUpView(7, "u1", "s", 3, (1,), ([1],), (0,), 2, None)
    assert view.answer(asked).forgotten
    assert view.answer(replace(asked, change=begin)).counts == (1,)
    assert view.answer(replace(asked, view="u2", change=begin)).counts == (1,)
    assert view.answer(asked).forgotten, "it had to go"


def test_a_failure_is_no_end(view: View, caplog: pytest.LogCaptureFixture) -> None:
    view.commit([(("a", 1, "x"), 1, 1)], 3)
    broken = view.answer(view.asked((1,), (["no number"],), (0,), 2))
    assert (broken.rows, broken.forgotten) == (None, True)
    assert "a look-up in a view failed" in caplog.text


def test_what_is_decoded_is_let_go_of(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    view.commit([(("a", 1, "x"), 1, 1)], 3)
    begin = view.change()
    asked = LookUpView(7, "u1", "s", 3, (1,), ([1],), (0,), 2, begin)
    nbytes = view.parts[0][0].decoded_nbytes
    monkeypatch.setattr(view_rows, "MOST_BYTES", nbytes)
    assert view.answer(asked).counts == (1,)
    for name in ("u2", "u3", "u4", "u5", "u6", "u7"):
        assert view.answer(replace(asked, view=name)).counts == (1,)
    assert sum(known.nbytes for known in view.look_ups._views.values()) <= nbytes
    assert view.answer(replace(asked, change=None)).counts == (1,), "it is decoded once more"


VALUES: list[tuple[ScalarType, list[Any]]] = [
    (BOOL, [True, False]),
    (INT2, [-3, 2]),
    (INT4, [-3, 2]),
    (INT8, [-3, 2]),
    (TEXT, ["", "a"]),
    (BYTEA, [b"", b"\x00a"]),
    (UUID, [UniversallyUnique(int=1), UniversallyUnique(int=2)]),
    (DATE, [date(1970, 1, 1), date(2026, 2, 3)]),
    (TIMESTAMP, [datetime(1970, 1, 1), datetime(2026, 2, 3, 4, 5, 6, 7)]),
    (TIMESTAMPTZ, [datetime(1970, 1, 1, tzinfo=UTC), datetime(2026, 2, 3, 4, 5, 6, 7, tzinfo=UTC)]),
    (MZ_TIMESTAMP, [1, 2]),
]


@pytest.mark.parametrize(("type_", "values"), VALUES, ids=lambda v: getattr(v, "name", None))
@pytest.mark.parametrize("kind", ["inline", "arrow", "parquet"])
def test_every_kind_of_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_: ScalarType, values: list[Any], kind: str
) -> None:
    view = View(tmp_path / "columns", Schema((Column("key", type_), Column("n", INT8))))
    stored = [value.bytes if isinstance(value, UniversallyUnique) else value for value in values]
    with stored_as(monkeypatch, kind):
        view.commit([((value, n), 1, 1) for n, value in enumerate([*stored, None])], 3)
    view.put_out([((stored[1], 7), 4, 1)], 6)
    assert view.found((0,), ([stored[1]],), (1,), 5) == [Counter({(1,): 1, (7,): 1})]
    assert view.found((0,), (stored,), (1,), 5) == [Counter({(0,): 1}), Counter({(1,): 1, (7,): 1})]


@pytest.mark.parametrize("seed", range(6))
def test_against_all_updates(view: View, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Steps, commits that come later, merges and look-ups in any order: at each time the rows that there are."""
    random = Random(seed)
    monkeypatch.setattr(view_rows, "PIECE_ROWS", 20)
    there: Counter[Row] = Counter()
    everything: list[Update] = []
    waiting: list[tuple[list[Update], int]] = []
    computed = since = 0
    for _ in range(120):
        action = random.random()
        if action < 0.35:
            updates: list[Update] = []
            count = random.choice((1, 3, 40))
            for time in sorted(computed + random.randrange(3) for _ in range(count)):
                row: Row = (f"w{random.randrange(4)}", random.randrange(9), random.choice("xyz"))
                diff = -1 if there[row] and random.random() < 0.5 else 1
                there[row] += diff
                updates.append((row, time, diff))
            computed += 3
            everything += updates
            waiting.append((updates, computed))
            view.put_out(updates, computed)
        elif action < 0.6 and waiting:
            with stored_as(monkeypatch, random.choice(("inline", "arrow", "parquet"))):
                view.commit(*waiting.pop(0))
        elif action < 0.7 and len(view.parts) > 1:
            since = random.randrange(since, max(view.durable, since + 1))
            numbers = random.sample(sorted(view.parts), 2)
            view.merge(numbers, since)
        elif computed:
            as_of = random.randrange(since, computed) if since < computed else computed - 1
            key = random.choice(((0,), (1,), (1, 0)))
            keys = tuple(
                [random.randrange(9) if place else f"w{random.randrange(4)}" for _ in range(3)]
                for place in key
            )
            wanted: list[Counter[Row]] = [Counter() for _ in range(3)]
            for row, at, diff in everything:
                for n, values in enumerate(zip(*keys, strict=True)):
                    if at <= as_of and tuple(row[place] for place in key) == values:
                        wanted[n][row] += diff
            assert view.found(key, keys, (0, 1, 2), as_of) == [+counter for counter in wanted]
