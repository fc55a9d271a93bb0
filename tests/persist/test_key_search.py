"""Look-ups in parts: all rows of the keys are found, whatever was written before."""

from __future__ import annotations

import pickle
from pathlib import Path
from random import Random

import numpy as np
import pytest
from persist_support import SCHEMA, Update, contents_of, delta_of, updates_of
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.column_cache import ColumnCache
from ptvc.persist.key_search import KeySearch, ascending, key_order, positions
from ptvc.persist.part import PartRef
from ptvc.persist.read import read_rows
from ptvc.persist.state import Snapshot
from ptvc.persist.write import write_parts
from ptvc.repr.batch import Delta
from ptvc.repr.hash import hash_columns
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, TEXT

AS_OF = 9

ROWS = 4_096
"""Too many to be inline."""


@pytest.fixture
def cache(tmp_path: Path) -> ColumnCache:
    cache = ColumnCache(tmp_path / "columns")
    cache.clear()
    return cache


def search(schema: Schema, columns: tuple[int, ...], keys: list[tuple[object, ...]]) -> KeySearch:
    wanted = delta_of([(key, 0, 1) for key in keys], schema=schema.project(columns)).oks
    return KeySearch.of(columns, wanted.columns)


@pytest.mark.parametrize("seed", range(20))
def test_positions(seed: int) -> None:
    random = Random(seed)
    hashes = np.array(
        [random.choice((0, 1, 2**64 - 1, random.getrandbits(64))) for _ in range(200)], np.uint64
    )
    wanted = np.array([*random.sample(hashes.tolist(), 20), 5, 2**63], np.uint64)
    column = delta_of([((int(i), "x"), 0, 1) for i in hashes.view(np.int64)]).oks.columns[0]
    by_value = hash_columns([column], len(hashes))
    keys = hash_columns(
        [delta_of([((int(i), "x"), 0, 1) for i in wanted.view(np.int64)]).oks.columns[0]], len(wanted)
    )
    ordered = key_order([column], len(hashes))
    assert positions(ordered, ascending(keys)).tolist() == np.flatnonzero(np.isin(by_value, keys)).tolist()
    assert positions(ordered, keys[:0]).tolist() == []


@pytest.mark.parametrize("seed", range(10))
def test_what_is_asked_for_is_read(seed: int, cache: ColumnCache) -> None:
    random = Random(seed)
    blob = MemoryBlob()
    parts: list[PartRef] = []
    updates: list[Update] = []
    for _ in range(3):
        chunk: list[Update] = []
        for _ in range(random.choice((3, 3_000))):
            # Every few rows are one: of another time, or taken back.
            key = random.choice((None, random.randrange(300)))
            chunk.append(((key, f"{key}" * 40), random.randrange(AS_OF + 2), random.choice((1, 1, -1))))
        updates += chunk
        parts += write_parts(blob, "s", SCHEMA, delta_of(chunk), writer="w")
    snapshot = Snapshot("s", AS_OF, SCHEMA, tuple(parts))
    for columns in (None, (0,), (1, 0)):
        keys = [(random.randrange(310),) for _ in range(random.randint(0, 5))]
        found = read_rows(blob, snapshot, columns, cache, search(SCHEMA, (0,), keys))
        cache = pickle.loads(pickle.dumps(cache))  # as in another process
        place = 0 if columns is None else columns.index(0)
        there = {key for (key,) in keys}
        wanted = delta_of([u for u in updates if u[0][0] in there and u[1] <= AS_OF])
        if columns is not None:
            wanted = Delta(wanted.oks.select(columns), wanted.errs)
        pieces = [u for piece in found.pieces for u in updates_of(piece) if u[0][place] in there]
        schema = SCHEMA if columns is None else SCHEMA.project(columns)
        assert contents_of(delta_of(pieces, schema=schema)) == contents_of(wanted)
        large = sum(part.rows for part in parts if part.inline is None)
        if large and not keys:
            assert len(found) <= sum(part.rows for part in parts) - large


def test_few_rows_of_a_large_part_are_read(cache: ColumnCache) -> None:
    blob = MemoryBlob()
    rows = [((i, f"{i}" * 40), 4, 1) for i in range(ROWS)]
    parts = write_parts(blob, "s", SCHEMA, delta_of(rows), writer="w")
    snapshot = Snapshot("s", AS_OF, SCHEMA, parts)
    found = read_rows(blob, snapshot, None, cache, search(SCHEMA, (1, 0), [("7" * 40, 7), ("8" * 40, 9)]))
    assert updates_of(found.delta.oks) == [((7, "7" * 40), AS_OF, 1)]
    assert len(read_rows(blob, snapshot, None, None, search(SCHEMA, (0,), [(7,)]))) == ROWS, "no cache"


def test_a_column_that_was_added_has_a_value_in_old_rows(cache: ColumnCache) -> None:
    """It is no key of theirs before that is known, and another one if the value is another."""
    blob = MemoryBlob()
    rows = [((i, f"{i}" * 40), 4, 1) for i in range(ROWS)]
    parts = write_parts(blob, "s", SCHEMA, delta_of(rows), writer="w")
    for missing, kind in (("5", INT8), ("6", INT8), ("5", INT4), (None, INT4), ("5", TEXT)):
        wider = Schema((*SCHEMA.columns, Column("more", kind, True, missing)))
        key = "5" if kind == TEXT else 5
        found = read_rows(
            blob, Snapshot("s", AS_OF, wider, parts), (0,), cache, search(wider, (0, 2), [(3, key)])
        )
        assert len(found) == (1 if missing == "5" else 0), (missing, kind)
