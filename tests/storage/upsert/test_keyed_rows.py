"""The entry of every key against a dictionary, however runs are cut, merged and written."""

from __future__ import annotations

from pathlib import Path
from random import Random
from zlib import crc32

import numpy as np
import pyarrow as pa
import pytest
from faults.scarce_disk import ScarceDisk
from ptvc.errors import DiskFull
from ptvc.storage.upsert import keyed_rows, merge
from ptvc.storage.upsert.keyed_rows import KeyedRows
from ptvc.storage.upsert.scratch import Scratch

TYPES = (pa.int64(), pa.string(), pa.string(), pa.bool_())
KEY = (0, 1)

Key = tuple[int, str]


class Rows:
    """Entries beside a dictionary.  `spread`: how many hashes there are, so that few of them belong to several keys."""

    def __init__(self, scratch: Scratch, spread: int) -> None:
        self.rows = KeyedRows(TYPES, KEY, scratch)
        self.model: dict[Key, str] = {}
        self._spread = spread

    def hashes(self, keys: list[Key]) -> np.ndarray:
        width = (1 << 64) // self._spread
        return np.array(
            [(crc32(repr(key).encode()) % self._spread) * width + width // 2 for key in keys], np.uint64
        )

    def add(self, changes: dict[Key, str | None]) -> None:
        keys = list(changes)
        columns = (
            pa.array([key[0] for key in keys], pa.int64()),
            pa.array([key[1] for key in keys], pa.string()),
            pa.array(changes.values(), pa.string()),
            pa.array([value is None for value in changes.values()], pa.bool_()),
        )
        self.rows.add(columns, self.hashes(keys))
        for key, value in changes.items():
            self.model.pop(key, None)
            if value is not None:
                self.model[key] = value

    def check(self, keys: list[Key]) -> None:
        columns = (
            pa.array([key[0] for key in keys], pa.int64()),
            pa.array([key[1] for key in keys], pa.string()),
        )
        found = self.rows.look_up(columns, self.hashes(keys))
        assert len(set(found.probes.tolist())) == len(found.probes)
        got = {
            keys[i]: tuple(row.values())
            for i, row in zip(found.probes.tolist(), rows_of(found.rows.columns), strict=True)
        }
        assert got == {key: (*key, self.model[key], False) for key in keys if key in self.model}


def rows_of(columns: tuple[pa.Array, ...]) -> list[dict[str, object]]:
    return pa.table(list(columns), [str(i) for i in range(len(columns))]).to_pylist()  # type: ignore[no-any-return]


def some_keys(random: Random, count: int, keys: int) -> list[Key]:
    numbers = random.sample(range(keys), min(count, keys))
    return [(number % 97, f"k{number}") for number in numbers]


@pytest.mark.parametrize("seed", range(40))
def test_it_equals_a_dictionary(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    monkeypatch.setattr(merge, "BLOCK_ROWS", random.choice([1, 3, 50]))
    monkeypatch.setattr(keyed_rows, "WORK", random.choice([1, 3, 16]))
    keys = random.choice([3, 40, 400])
    scratch = Scratch(random.choice([None, tmp_path / "made"]), random.choice([1, 7, 100]))
    rows = Rows(scratch, random.choice([1, 5, 1 << 30]))
    for _ in range(60):
        changed = some_keys(random, random.choice([0, 1, 5, 60]), keys)
        rows.add({key: random.choice([None, "x", "y" * random.randrange(90)]) for key in changed})
        rows.check(some_keys(random, 30, keys))
        rows.rows.maintain()
        rows.check(some_keys(random, 30, keys))
    rows.check([(number % 97, f"k{number}") for number in range(keys)])
    assert list(tmp_path.rglob("*")) in ([], [tmp_path / "made"])  # files have no names


def test_few_runs_are_left_and_little_more_than_what_is_alive(tmp_path: Path) -> None:
    rows, random = Rows(Scratch(tmp_path, 64), 1 << 30), Random(1)
    for _ in range(300):
        rows.add(dict.fromkeys(some_keys(random, 40, 1000), "v" * 100))
        rows.rows.maintain()
        assert rows.rows.nbytes < 64 * 150 * 6
    assert rows.rows.runs < 12
    assert rows.rows.mapped_nbytes < 1_000 * 150 * 3
    for key in list(rows.model):
        rows.add({key: None})
    rows.rows.maintain()
    rows.check(some_keys(random, 1_000, 1_000))
    assert not rows.model


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_lost_while_the_disk_is_full(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random, disk = Random(seed), ScarceDisk(monkeypatch)
    monkeypatch.setattr(merge, "BLOCK_ROWS", 20)
    rows, refused = Rows(Scratch(tmp_path, 16), 1 << 30), list[str]()
    for _ in range(80):
        disk.room = random.choice([0, 2_000, 1 << 40])
        try:
            rows.rows.maintain()
        except DiskFull as error:
            refused.append(error.message)
        else:
            rows.add({key: random.choice([None, "x"]) for key in some_keys(random, 30, 200)})
        rows.check(some_keys(random, 50, 200))
    assert len(refused) > 5
    assert all(reason.startswith("cannot write upsert state") for reason in refused)
    disk.room = 1 << 40
    rows.rows.maintain()
    assert rows.rows.nbytes < 16 * 200 * 4
    rows.check(some_keys(random, 200, 200))
