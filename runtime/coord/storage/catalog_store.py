"""The durable catalog: a persist shard of rows `(key, value)`, one append per DDL statement.

Times of this shard are versions: 1, 2, 3, ...  The epoch is checked in the same transaction, so a fenced coordinator
cannot change the catalog.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator

from ...errors import Fenced
from ...persist.client import PersistClient, ShardId, ShardState, UpperMismatch, Write
from ...persist.read import read_snapshot
from ...persist.write import write_parts
from ...repr.batch import NO_ERRORS, Delta, batch_from_rows, concat_batches
from ...repr.consolidate import consolidate
from ...repr.schema import Column, Schema
from ...repr.types import TEXT
from ..catalog.catalog import Catalog
from ..catalog.entries import (
    Change,
    DatabaseEntry,
    Entry,
    bootstrap_entries,
    entry_from_json,
    entry_key,
    entry_to_json,
)
from ..catalog.items import Item
from ..catalog.role import FIRST_ROLE

logger = logging.getLogger(__name__)

CATALOG_SHARD = "catalog"
SCHEMA = Schema((Column("key", TEXT, False), Column("value", TEXT, False)))


def find_item(persist: PersistClient, schema: str, name: str) -> Item | None:
    """The object of that name in the durable catalog, for whoever reads it beside the coordinator; None if there is none.
    UndefinedObject if there is no catalog."""
    # Most of the catalog are other objects' plans: only what may be the object is parsed.
    named = f'"schema_name":{json.dumps(schema)},"name":{json.dumps(name)},'
    for key, value in _rows(persist, persist.state(CATALOG_SHARD)):
        if named in value:
            entry = entry_from_json(key, value)
            if isinstance(entry, Item) and (entry.schema_name, entry.name) == (schema, name):
                return entry
    return None


def load_catalog(persist: PersistClient) -> tuple[Catalog, int]:
    """The durable catalog for whoever reads it beside the coordinator, and its version.  UndefinedObject if there is none."""
    state = persist.state(CATALOG_SHARD)
    return Catalog([entry_from_json(key, value) for key, value in _rows(persist, state)]), state.upper


def _rows(persist: PersistClient, state: ShardState) -> Iterator[tuple[str, str]]:
    """The keys and values of all entries as they are now."""
    for row, count in _counts(persist, state).items():
        if count > 0:
            yield row


def _counts(persist: PersistClient, state: ShardState) -> dict[tuple[str, str], int]:
    """How often each row occurs: once, unless a former version has retracted or added it twice."""
    if state.upper == state.since:
        return {}
    snapshot = persist.snapshot(CATALOG_SHARD, state.upper - 1)
    rows = consolidate(read_snapshot(persist.blob, snapshot).oks)
    keys, values = rows.columns
    return dict(zip(zip(keys.to_pylist(), values.to_pylist(), strict=True), rows.diffs.tolist(), strict=True))


class CatalogStore:
    def __init__(self, persist: PersistClient, epoch: int) -> None:
        self._persist = persist
        self._epoch = epoch

    def load(self) -> list[Entry]:
        """All entries; those of a new environment are made first.

        A change takes back what it changes in the very words in which it is stored, so what an older version wrote is written
        anew first; so is what that version did not have.
        """
        state = self._persist.create_shard(CATALOG_SHARD, SCHEMA, epoch=self._epoch)
        if state.upper == state.since:
            self.save(Change(None, entry) for entry in bootstrap_entries())
            state = self._persist.state(CATALOG_SHARD)
        counts = _counts(self._persist, state)
        stored = dict(row for row, count in counts.items() if count > 0)
        entries = {key: entry_from_json(key, value) for key, value in stored.items()}
        for entry in (FIRST_ROLE, DatabaseEntry()):
            entries.setdefault(entry_key(entry), entry)
        now = {key: entry_to_json(entry) for key, entry in entries.items()}
        wanted = set(now.items())
        mended = [(row, (row in wanted) - counts.get(row, 0)) for row in {**counts, **dict.fromkeys(wanted)}]
        if damaged := [row[0] for row, count in counts.items() if count != 1]:
            logger.warning("the catalog is mended: %s did not occur once", ", ".join(sorted(damaged)))
        self._append(self._write([(row, diff) for row, diff in mended if diff]))
        return list(entries.values())

    def save(self, changes: Iterable[Change]) -> None:
        """Makes the changes durable, all or nothing, while nothing is served; those of temporary objects are not."""
        self._append(self.writes(changes))

    def _append(self, writes: dict[ShardId, Write]) -> None:
        if isinstance(writes and self._persist.append(writes, epoch=self._epoch), UpperMismatch):
            raise Fenced("another coordinator has changed the catalog", hint="This one stops.")

    def writes(self, changes: Iterable[Change]) -> dict[ShardId, Write]:
        """What makes the changes durable, to be appended while no others are; empty when nothing has to be."""
        rows = []
        for change in changes:
            for entry, diff in ((change.before, -1), (change.after, 1)):
                if entry is not None and not (isinstance(entry, Item) and entry.temporary):
                    rows.append(((entry_key(entry), entry_to_json(entry)), diff))
        return self._write(rows)

    def _write(self, rows: list[tuple[tuple[str, str], int]]) -> dict[ShardId, Write]:
        if not rows:
            return {}
        version = self._persist.mirror.state(CATALOG_SHARD).upper
        batches = [batch_from_rows(SCHEMA, [row], version, diff) for row, diff in rows]
        delta = Delta(concat_batches(SCHEMA, batches), NO_ERRORS)
        parts = write_parts(self._persist.blob, CATALOG_SHARD, SCHEMA, delta, writer=self._persist.writer_id)
        return {CATALOG_SHARD: Write(version, version + 1, parts)}
