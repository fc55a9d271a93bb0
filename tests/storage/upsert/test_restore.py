"""What a source has written, in any order and any pieces, is the entry of every key."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from faults.scarce_disk import ScarceDisk
from ptvc.errors import DiskFull, StorageError
from ptvc.storage.upsert import merge, restore
from ptvc.storage.upsert.block import Columns
from ptvc.storage.upsert.restore import restored
from ptvc.storage.upsert.scratch import Scratch

TYPES = (pa.int64(), pa.string(), pa.bool_())
Update = tuple[int, str, int]


def columns_of(updates: list[Update]) -> Columns:
    return tuple(
        pa.array([update[i] for update in updates], type_)
        for i, type_ in enumerate((pa.int64(), pa.string(), pa.int64()))
    )


def contents(updates: list[Columns], scratch: Scratch) -> list[tuple[object, ...]]:
    run = restored(updates, TYPES, (0,), scratch)
    if run is None:
        return []
    blocks = run.between(0, None)
    hashes = [value for block in blocks for value in block.hashes.tolist()]
    assert hashes == sorted(hashes)
    return sorted(
        row for block in blocks for row in zip(*(c.to_pylist() for c in block.columns), strict=True)
    )


def history(random: Random, keys: int, length: int) -> tuple[list[Update], dict[int, str]]:
    model: dict[int, str] = {}
    updates: list[Update] = []
    for _ in range(length):
        key, value = random.randrange(keys), random.choice([None, "a", "b", "c" * 50])
        if (old := model.pop(key, None)) is not None:
            updates.append((key, old, -1))
        if value is not None:
            model[key] = value
            updates.append((key, value, 1))
    random.shuffle(updates)
    return updates, model


@pytest.mark.parametrize("seed", range(30))
def test_updates_add_up(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    monkeypatch.setattr(merge, "BLOCK_ROWS", random.choice([2, 40]))
    monkeypatch.setattr(restore, "SORT_BYTES", random.choice([1, 300, 1 << 20]))
    monkeypatch.setattr(restore, "MANY", random.choice([2, 100]))
    updates, model = history(random, random.choice([1, 10, 100]), random.choice([0, 5, 300]))
    cuts = sorted(random.sample(range(len(updates) + 1), min(len(updates), random.randrange(20))))
    pieces = [columns_of(updates[a:b]) for a, b in zip([0, *cuts], [*cuts, len(updates)], strict=True)]
    scratch = Scratch(random.choice([None, tmp_path]), random.choice([1, 10, 1_000]))
    assert contents(pieces, scratch) == sorted((key, value, False) for key, value in model.items())


@pytest.mark.parametrize(
    ("updates", "message"),
    [
        ([(1, "a", 1), (1, "b", 1)], "two rows with one key"),
        ([(1, "a", 2)], "more than once, or less"),
        ([(1, "a", -1), (2, "a", 1)], "more than once, or less"),
        ([(1, "a", 1), (2, "a", 1), (1, "a", 1)], "more than once, or less"),
    ],
)
def test_what_no_upsert_source_has_written(updates: list[Update], message: str, tmp_path: Path) -> None:
    for scratch in (Scratch(), Scratch(tmp_path, 1)):
        with pytest.raises(StorageError, match=message):
            restored([columns_of([update]) for update in updates], TYPES, (0,), scratch)


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = ScarceDisk(monkeypatch)
    updates, model = history(Random(3), 100, 300)
    for room in (0, 1_000, 5_000):
        disk.room = room
        with pytest.raises(DiskFull):
            contents([columns_of(updates)], Scratch(tmp_path, 1))
    disk.room = 1 << 40
    assert len(contents([columns_of(updates)], Scratch(tmp_path, 1))) == len(model)
    assert not list(tmp_path.iterdir())
