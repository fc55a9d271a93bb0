"""Rows of a table by its key, from parts that come and go: those that the table has at the time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.column_cache import ColumnCache
from ptvc.persist.key_search import KeySearch
from ptvc.persist.part import PartRef, stamp
from ptvc.persist.read import read_rows, read_updates
from ptvc.persist.state import Snapshot
from ptvc.persist.write import INLINE_MAX_BYTES, write_parts
from ptvc.replica.index import Numbers
from ptvc.replica.look_ups import answers, stored_look_ups, stored_rows
from ptvc.replica.look_ups.stored_look_ups import StoredLookUps
from ptvc.replica.look_ups.stored_rows import KeptRuns, Keys, StoredParts, StoredRows
from ptvc.replica.protocol import LookedUp, LookUpStored, StoredChange
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows, from_record
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import INT8, TEXT

SCHEMA = Schema((Column("word", TEXT), Column("id", INT8), Column("more", TEXT)))
KEY = (1,)
LARGE = INLINE_MAX_BYTES // 40
"""So many rows are a blob, or, if they are soon merged, an inline part that is not in the spine."""

Row = tuple[str, int, str]
Update = tuple[Row, int, int]


class Table:
    """Batches of parts, by number, and the updates that they have."""

    def __init__(self, directory: Path) -> None:
        self.blob = MemoryBlob()
        self.directory = directory
        self.cache = ColumnCache(directory)
        self.cache.clear()
        self.parts: dict[int, tuple[PartRef, ...]] = {}
        self.updates: dict[int, list[Update]] = {}
        self._next = 0

    def write(self, updates: list[Update], *, passing: bool = False) -> int:
        number, self._next = self._next, self._next + 1
        self.updates[number] = updates
        rows = batch_from_rows(SCHEMA, [row for row, _, _ in updates], 0)
        times = np.array([time for _, time, _ in updates], np.uint64)
        diffs = np.array([diff for _, _, diff in updates], np.int64)
        delta = Delta(Batch(rows.columns, times, diffs), NO_ERRORS)
        self.parts[number] = write_parts(self.blob, "s", SCHEMA, delta, writer="w", passing=passing)
        return number

    def merge(self, numbers: list[int], since: int) -> int:
        """One batch instead of these, their times advanced."""
        updates = [
            (row, max(time, since), diff) for number in numbers for row, time, diff in self.updates[number]
        ]
        for number in numbers:
            del self.updates[number], self.parts[number]
        return self.write(updates)

    def at(self, key: int, as_of: int) -> Counter[Row]:
        found: Counter[Row] = Counter()
        for updates in self.updates.values():
            for row, time, diff in updates:
                if row[1] == key and time <= as_of:
                    found[row] += diff
        return +found

    def decode(self, columns: tuple[int, ...], as_of: int) -> None:
        """As the query does that looks for some rows."""
        parts = tuple(part for parts in self.parts.values() for part in parts)
        search = KeySearch(KEY, np.array([1], np.uint64))
        read_rows(self.blob, Snapshot("s", as_of, SCHEMA, parts), columns, self.cache, search)

    def files(self) -> set[str]:
        """Of decoded columns."""
        return {path.name for path in self.directory.iterdir()}

    def change(self, *numbers: int, gone: tuple[int, ...] = (), begin: bool = False) -> StoredChange:
        added = tuple((number, self.parts[number]) for number in numbers)
        return StoredChange((SCHEMA, KEY) if begin else None, added, gone)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path / "columns")


def look_up(
    table: Table,
    rows: StoredRows,
    keys: Keys,
    as_of: int,
    columns: tuple[int, ...],
    blob: MemoryBlob | None = None,
) -> tuple[Batch, Numbers] | None:
    parts = rows.now()
    return None if parts is None else parts.lookup_each(keys, as_of, columns, table.cache, blob)


def found(
    table: Table,
    rows: StoredRows,
    keys: list[int],
    as_of: int,
    columns: tuple[int, ...],
    blob: MemoryBlob | None = None,
) -> list[Counter[tuple[Any, ...]]]:
    """The rows of each key."""
    answer = look_up(table, rows, (keys,), as_of, columns, blob)
    assert answer is not None
    batch, numbers = answer
    each: list[Counter[tuple[Any, ...]]] = [Counter() for _ in keys]
    values = zip(*(column.to_pylist() for column in batch.columns), strict=True)
    for row, number, diff in zip(values, numbers.tolist(), batch.diffs.tolist(), strict=True):
        each[number][row] += diff
    assert numbers.tolist() == sorted(numbers.tolist())
    return each


@pytest.mark.parametrize("fetched", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_against_all_updates(seed: int, fetched: bool, table: Table) -> None:
    """Of blobs that a query has decoded, or that are fetched; and then also of what transactions have written lately."""
    random = Random(seed)
    rows = StoredRows(SCHEMA, KEY, KeptRuns())
    blob = table.blob if fetched else None
    since, now = 0, 1
    living: Counter[Row] = Counter()
    for _ in range(25):
        numbers, gone = [], []
        for _ in range(random.randint(0, 3)):
            now += 1
            size = random.choice((1, 2, 30, LARGE))
            updates: list[Update] = []
            for _ in range(size):
                if living and random.random() < 0.4:
                    row = random.choice(list(living)) if len(living) < 50 else next(iter(living))
                    updates.append((row, now, -1))
                    living[row] -= 1
                    living = +living
                else:
                    row = (random.choice("ab") * 30, random.randrange(40), random.choice("xyz"))
                    updates.append((row, now, 1))
                    living[row] += 1
            numbers.append(table.write(updates, passing=fetched and random.random() < 0.5))
        told = [number for number in table.parts if number not in numbers]
        if len(told) > 2 and random.random() < 0.4:
            since = random.randint(since, now)
            gone = random.sample(told, random.randint(2, len(told)))
            numbers.append(table.merge(gone, since))
        rows.change(table.change(*numbers, gone=tuple(gone)))
        columns = random.choice(((0, 1, 2), (2,), (1,), (2, 0)))
        as_of = random.randint(max(since, 1), now + 2)
        if not fetched:
            table.decode(columns, as_of)
        keys = [random.randrange(42) for _ in range(random.randint(1, 5))]
        for key, of_key in zip(keys, found(table, rows, keys, as_of, columns, blob), strict=True):
            wanted: Counter[tuple[Any, ...]] = Counter()
            for row, count in table.at(key, as_of).items():
                wanted[tuple(row[place] for place in columns)] += count
            assert of_key == wanted


def test_many_keys_as_an_array(table: Table) -> None:
    rows = StoredRows(SCHEMA, KEY, KeptRuns())
    count = 2 * LARGE
    for start, time in ((0, 3), (LARGE, 4)):
        rows.change(table.change(table.write([(("w" * 40, start + i, "m"), time, 1) for i in range(LARGE)])))
    keys = pa.array(range(count - 1, -1, -2), pa.int64())
    for as_of, there in ((3, LARGE), (4, count)):
        answer = look_up(table, rows, (keys,), as_of, (1,), table.blob)
        assert answer is not None
        assert answer[0].columns[0].to_pylist() == [key for key in keys.to_pylist() if key < there]
        assert answer[1].tolist() == [i for i, key in enumerate(keys.to_pylist()) if key < there]


@pytest.mark.parametrize("seed", range(8))
def test_small_parts_that_are_put_together(seed: int, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also for who still looks at the parts of before, which others have replaced or made room for since."""
    random = Random(seed)
    monkeypatch.setattr(stored_rows, "TOGETHER", random.choice((2, 3, 8)))
    monkeypatch.setattr(stored_rows, "FEW_ROWS", 0)
    monkeypatch.setattr(stored_rows, "FILTERED_ROWS", random.choice((1, 50)))
    kept = KeptRuns(random.choice((2_000, 20_000, stored_rows.KEPT_BYTES)))
    rows, grouped = StoredRows(SCHEMA, KEY, kept), 0
    looking: list[tuple[StoredParts, list[int], int, list[Counter[Row]]]] = []
    for now in range(1, 60):
        there = list(table.parts)
        gone: list[int] = []
        if len(there) > 3 and random.random() < 0.2:  # neighbours, as a compaction merges
            start = random.randrange(len(there) - 2)
            gone = there[start : start + random.randint(2, 6)]
        number = table.write(
            [
                (("w", random.randrange(40), random.choice("xyz")), now, 1)
                for _ in range(random.randint(1, 30))
            ]
        )
        added = [number, table.merge(gone, now - 1)] if gone else [number]
        rows.change(table.change(*added, gone=tuple(gone)))
        parts = rows.now()
        assert parts is not None
        keys = [random.randrange(42) for _ in range(random.choice((1, 2, 30)))]
        looking.append((parts, keys, now, [table.at(key, now) for key in keys]))
        random.shuffle(looking)
        for seen, asked_for, as_of, wanted in looking[-3:]:
            answer = seen.lookup_each((asked_for,), as_of, (0, 1, 2), table.cache, table.blob)
            assert answer is not None
            each: list[Counter[Any]] = [Counter() for _ in asked_for]
            values = zip(*(column.to_pylist() for column in answer[0].columns), strict=True)
            for row, key, diff in zip(values, answer[1].tolist(), answer[0].diffs.tolist(), strict=True):
                each[key][row] += diff
            assert each == wanted
        kept.gather(random.choice(looking)[0])
        grouped += sum(part.group is not None for part in parts.parts)
        del looking[:-6]
    assert grouped or kept._most < stored_rows.KEPT_BYTES


def test_a_small_blob_is_fetched_once(table: Table) -> None:
    rows = StoredRows(SCHEMA, KEY, KeptRuns())
    number = table.write([(("w" * 40, i, "m"), 3, 1) for i in range(LARGE)])
    rows.change(table.change(number))
    assert found(table, rows, [7, LARGE], 5, (2,), table.blob) == [Counter({("m",): 1}), Counter()]
    (part,) = table.parts[number]
    assert part.blob is not None
    table.blob.delete(part.blob)
    assert found(table, rows, [8], 5, (0,)) == [Counter({("w" * 40,): 1})], "it is kept"


@pytest.mark.parametrize("kept", [0, stored_rows.KEPT_BYTES])
def test_inline_parts_of_many_rows_are_decoded_beside(table: Table, kept: int) -> None:
    """And again each time, where there is no room for them."""
    rows = StoredRows(SCHEMA, KEY, KeptRuns(kept))
    many = table.write([(("w" * 40, i, "m"), 3, 1) for i in range(LARGE)], passing=True)
    few = table.write([(("w", 7, "m"), 4, 1)], passing=True)
    assert [part.inline is not None for number in (many, few) for part in table.parts[number]] == [True, True]
    rows.change(table.change(many, few))
    assert look_up(table, rows, ([7],), 5, (0,)) is None
    for _ in range(2):
        both = Counter({("w",): 1, ("w" * 40,): 1})
        assert found(table, rows, [7, 8], 5, (0,), table.blob) == [both, Counter({("w" * 40,): 1})]
    assert (look_up(table, rows, ([7],), 5, (0,)) is not None) == bool(kept)
    rows.change(table.change(gone=(many,)))
    assert found(table, rows, [7, 8], 5, (0,)) == [Counter({("w",): 1}), Counter()]
    assert not table.files()


def test_a_large_blob_is_not_fetched(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = StoredRows(SCHEMA, KEY, KeptRuns())
    number = table.write([(("w" * 40, i, "m"), 3, 1) for i in range(LARGE)])
    rows.change(table.change(number))
    monkeypatch.setattr(stored_rows, "SMALL_BYTES", table.parts[number][0].nbytes - 1)
    assert look_up(table, rows, ([7],), 5, (2,), table.blob) is None


def test_small_blobs_are_kept_as_far_as_there_is_room(table: Table) -> None:
    """Those of another table make room, those of the same one do not: there are files then."""
    first, second, third = (
        table.write([(("w" * 40, i, str(n)), 3, 1) for i in range(LARGE)]) for n in range(3)
    )
    kept = KeptRuns(2 * table.parts[first][0].decoded_nbytes + 100)
    other, rows = (StoredRows(SCHEMA, KEY, kept) for _ in range(2))
    other.change(table.change(first))
    assert found(table, other, [7], 5, (2,), table.blob) == [Counter({("0",): 1})]
    rows.change(table.change(first, second))
    assert found(table, rows, [7], 5, (2,), table.blob) == [Counter({("0",): 1, ("1",): 1})]
    assert look_up(table, other, ([7],), 5, (2,)) is None, "it had to go"
    rows.change(table.change(third))
    assert not table.files()
    assert found(table, rows, [7], 5, (2, 1), table.blob) == [
        Counter({("0", 7): 1, ("1", 7): 1, ("2", 7): 1})
    ]
    assert table.files()
    assert found(table, rows, [8], 5, (2,)) == [Counter({("0",): 1, ("1",): 1, ("2",): 1})]
    fourth = table.write([(("w" * 40, i, "3"), 3, 1) for i in range(LARGE)])
    rows.change(table.change(fourth, gone=(first, third)))
    before = table.files()
    assert found(table, rows, [7], 5, (2,), table.blob) == [Counter({("1",): 1, ("3",): 1})]
    assert table.files() == before
    rows.forget()
    assert found(table, other, [7], 5, (2,), table.blob) == [Counter({("0",): 1})]


def test_what_is_not_decoded_is_not_decoded_here(table: Table) -> None:
    rows = StoredRows(SCHEMA, KEY, KeptRuns())
    large = table.write([(("w" * 40, i, "m"), 3, 1) for i in range(LARGE)])
    assert table.parts[large][0].inline is None
    rows.change(table.change(large))
    assert look_up(table, rows, ([7],), 5, (2,)) is None
    table.decode((2,), 5)
    assert found(table, rows, [7, LARGE], 5, (2,)) == [Counter({("m",): 1}), Counter()]
    assert look_up(table, rows, ([7],), 5, (0,)) is None, "another column"
    assert found(table, rows, [LARGE], 5, (0,)) == [Counter()], "no row of it is looked at"
    table.decode((0,), 5)
    assert found(table, rows, [7], 5, (0,)) == [Counter({("w" * 40,): 1})]


def test_a_part_without_the_keys_need_not_be_decoded(table: Table) -> None:
    """The query that finds the rows leaves it out as well, by its statistics: else no look-up would ever do without one."""
    rows = StoredRows(SCHEMA, KEY, KeptRuns())
    other = table.write([(("w" * 40, i, "m"), 3, 1) for i in range(LARGE, 2 * LARGE)])
    (of_other,) = table.parts[other]
    assert of_other.inline is None
    rows.change(table.change(other))
    assert look_up(table, rows, ([7, 3 * LARGE],), 5, (2,)) is None, (
        "between these there are keys that it has"
    )
    assert found(table, rows, [7, 9], 5, (2,)) == [Counter(), Counter()]
    del table.parts[other]
    first = table.write([(("w" * 40, i, "m"), 3, 1) for i in range(LARGE)])
    rows.change(table.change(first))
    table.decode((2,), 5)
    assert found(table, rows, [7, 9], 5, (2,)) == [Counter({("m",): 1})] * 2
    assert look_up(table, rows, ([LARGE + 1],), 5, (2,)) is None


def test_the_time_of_a_part_is_that_of_its_reference(table: Table) -> None:
    rows = StoredRows(SCHEMA, KEY, KeptRuns())
    for count in (1, LARGE):
        number = table.write([(("w" * 40, i, "m"), 0, 1) for i in range(count)])
        table.parts[number] = tuple(stamp(part, 5 + count) for part in table.parts[number])
        rows.change(table.change(number))
    table.decode((1,), 5 + LARGE)
    assert [len(found(table, rows, [0], time, (1,))[0]) for time in (5, 6, 5 + LARGE)] == [0, 1, 1]
    assert found(table, rows, [0], 5 + LARGE, (1,)) == [Counter({(0,): 2})]


def test_a_part_with_errors_is_for_queries(table: Table) -> None:
    rows = StoredRows(SCHEMA, KEY, KeptRuns())
    number = table.write([(("w", 1, "m"), 3, 1)])
    failing = Delta(
        read_updates(table.blob, table.parts[number], SCHEMA, 0, 9).oks,
        batch_from_rows(ERROR_SCHEMA, [("22012", "division by zero")], 3),
    )
    table.parts[number] = write_parts(table.blob, "s", SCHEMA, failing, writer="w")
    rows.change(table.change(number))
    assert look_up(table, rows, ([1],), 5, (1,)) is None
    rows.change(StoredChange(None, (), (number,)))
    assert found(table, rows, [1], 5, (1,)) == [Counter()]


def test_a_column_that_was_dropped_is_for_a_query(table: Table) -> None:
    """It says that there is none: here it would be NULL."""
    columns = (*SCHEMA.columns[:2], replace(SCHEMA[2], dropped=True))
    rows = StoredRows(Schema(columns), KEY, KeptRuns())
    rows.change(table.change(table.write([(("w", 1, "m"), 3, 1)])))
    assert found(table, rows, [1], 5, (0, 1)) == [Counter({("w", 1): 1})]
    assert look_up(table, rows, ([1],), 5, (0, 2)) is None


def asked(keys: list[int], change: StoredChange | None, key: int = 1) -> LookUpStored:
    return LookUpStored(9, key, (keys,), (1, 2), 5, change)


class Asked(StoredLookUps):
    """The last answer; `beside` is what is left to be done."""

    def __init__(self, table: Table) -> None:
        self.beside: list[Callable[[], None]] = []
        self.answer: LookedUp | None = None
        super().__init__(table.blob, table.cache, self._answered, self.beside.append)

    def _answered(self, answer: LookedUp) -> None:
        self.answer = answer

    def looked_up(self, asked: LookUpStored) -> LookedUp:
        """The answer, which is there at once."""
        self.answer = None
        self.receive(asked)
        assert not self.beside
        assert self.answer is not None
        return self.answer

    def looked_up_beside(self, asked: LookUpStored) -> LookedUp:
        """The answer, which is for another thread."""
        self.answer = None
        self.receive(asked)
        assert self.answer is None
        self.beside.pop()()
        assert self.answer is not None
        return self.answer


def test_the_answer_says_what_each_key_has(table: Table) -> None:
    look_ups = Asked(table)
    first = table.write([(("w", 1, "m"), 3, 1), (("w", 2, "n"), 3, 2)])
    answer = look_ups.looked_up(asked([2, 5, 1], table.change(first, begin=True)))
    assert answer.peek_id == 9
    assert answer.counts == (2, 0, 1)
    assert answer.rows is not None
    columns = from_record(SCHEMA.project((1, 2)), answer.rows)
    assert [column.to_pylist() for column in columns] == [[2, 2, 1], ["n", "n", "m"]]
    second = table.write([(("w", 2, "n"), 4, -1)])
    assert look_ups.looked_up(asked([2], table.change(second))).counts == (1,)
    assert look_ups.looked_up(asked([2], None)).counts == (1,)


def test_a_table_that_is_not_known_is_told_anew(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_look_ups, "MOST_TABLES", 2)
    look_ups = Asked(table)
    number = table.write([(("w", 1, "m"), 3, 1)])
    begin = table.change(number, begin=True)
    assert look_ups.looked_up(asked([1], None)).forgotten
    assert look_ups.looked_up(asked([1], table.change(number))).forgotten
    for key in (1, 2, 3):
        assert look_ups.looked_up(asked([1], begin, key)).counts == (1,)
    assert look_ups.looked_up(asked([1], None, 1)).forgotten, "the first one had to go"
    assert look_ups.looked_up(asked([1], None, 3)).counts == (1,)


def test_a_failure_is_no_end(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    look_ups = Asked(table)
    number = table.write([(("w", 1, "m"), 3, 1)])
    assert look_ups.looked_up(asked([1], table.change(number, begin=True))).counts == (1,)
    broken = look_ups.looked_up(LookUpStored(9, 1, (["no number"],), (1,), 5, None))
    assert broken.rows is None
    assert broken.forgotten
    assert "a look-up in stored rows failed" in caplog.text
    assert look_ups.looked_up(asked([1], table.change(number, begin=True))).counts == (1,)


def test_many_rows_are_for_a_query(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (answers, stored_look_ups):
        monkeypatch.setattr(module, "AT_ONCE", 2)
    look_ups = Asked(table)
    number = table.write([(("w", key, "m"), 3, key) for key in (1, 2, 3)])
    for key in (1, 2, 3):
        answer = look_ups.looked_up(asked([key], table.change(number, begin=True)))
        assert answer.counts == ((key,) if key < 3 else ())
        assert not answer.forgotten


def test_many_keys_and_blobs_are_for_another_thread(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (answers, stored_look_ups):
        monkeypatch.setattr(module, "AT_ONCE", 2)
    look_ups = Asked(table)

    def ids(answer: LookedUp) -> list[int]:
        assert answer.rows is not None
        found: list[int] = from_record(SCHEMA.project((1, 2)), answer.rows)[0].to_pylist()
        return found

    begin = table.change(table.write([(("w", key, "m"), 3, 1) for key in (1, 2, 3)]), begin=True)
    assert look_ups.looked_up(asked([1, 2], begin)).counts == (1, 1)
    answer = look_ups.looked_up_beside(asked([4, 2, 3, 1], None))
    assert (ids(answer), answer.counts) == ([2, 3, 1], ())
    large = table.write([(("w" * 40, key, "m"), 3, 1) for key in range(1, LARGE)])
    assert look_ups.looked_up_beside(asked([1], table.change(large))).counts == (2,)
    assert look_ups.looked_up(asked([2], None)).counts == (2,), "it is decoded now"
    monkeypatch.setattr(stored_look_ups, "MOST_ROWS", 7)
    assert ids(look_ups.looked_up_beside(asked([1, 2, 3, 4], None))) == [1, 1, 2, 2, 3, 3, 4]
    assert look_ups.looked_up_beside(asked([1, 2, 3, 4, 5], None)).rows is None


def test_a_blob_that_cannot_be_fetched_is_for_a_query(table: Table, caplog: pytest.LogCaptureFixture) -> None:
    look_ups = Asked(table)
    number = table.write([(("w" * 40, key, "m"), 3, 1) for key in range(LARGE)])
    (part,) = table.parts[number]
    assert part.blob is not None
    table.blob.delete(part.blob)
    answer = look_ups.looked_up_beside(asked([1], table.change(number, begin=True)))
    assert (answer.rows, answer.forgotten) == (None, False)
    assert "cannot read what is stored" in caplog.text
