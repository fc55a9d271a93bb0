"""The window holds the last keys, and its changes say so to whoever follows them."""

from __future__ import annotations

import random

import pytest
from ptvc.coord.storage.shards import KEYS_SCHEMA
from ptvc.coord.webhooks.key_window import KeyChange, KeyWindow
from ptvc.repr.batch import Batch, batch_from_rows, empty_batch

Rows = dict[tuple[str, bytes, int], int]


def add(rows: Rows, change: KeyChange) -> None:
    """What a shard does with the change."""
    batch = change.rows()
    for *row, diff in zip(*(c.to_pylist() for c in batch.columns), batch.diffs.tolist(), strict=True):
        key, found, number = row
        rows[key, found, number] = rows.get((key, found, number), 0) + diff
        assert rows[key, found, number] in (0, 1)


def stored(rows: Rows) -> Batch:
    there = [row for row, count in rows.items() if count]
    random.Random(0).shuffle(there)
    return batch_from_rows(KEYS_SCHEMA, there, 0)


@pytest.mark.parametrize("seed", range(20))
def test_random_keys_against_a_list(seed: int) -> None:
    random_ = random.Random(seed)
    window, rows, last = KeyWindow(empty_batch(KEYS_SCHEMA)), Rows(), list[str]()
    for step in range(60):
        most = random_.randint(0, 8)
        fresh = [f"{step}-{n}" for n in range(random_.randint(0, 5))]
        change = window.change({key: key.encode() for key in fresh}, most)
        if random_.random() < 0.2:
            continue  # it did not become durable
        window.apply(change)
        add(rows, change)
        last = [*last, *fresh]
        last = last[len(last) - most :] if len(last) > most else last
        if random_.random() < 0.3:
            window = KeyWindow(stored(rows))  # the process began anew
        assert len(window) == len(last)
        assert [window.digest_of(key) for key in last] == [key.encode() for key in last]
        assert sorted(key for (key, _, _), count in rows.items() if count) == sorted(last)
    assert window.digest_of("never") is None
