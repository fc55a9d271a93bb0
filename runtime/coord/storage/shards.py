"""The shards of catalog objects: made before an object is in the catalog, and dropped when it no longer is.

Between the two the object's collection is open.  A crash leaves at most shards that no object names; the next start drops them.
"""

from __future__ import annotations

import logging
import re
from dataclasses import replace

from ...persist.client import PersistClient
from ...persist.read import read_snapshot
from ...repr.batch import Batch, empty_batch
from ...repr.schema import Column, Schema
from ...repr.types import BYTEA, INT8, TEXT
from ..catalog.catalog import Catalog
from ..catalog.items import (
    External,
    Index,
    Item,
    LaidOut,
    MaterializedView,
    Stored,
    WebhookSource,
    shards_of,
)
from .audit_store import AUDIT_SHARDS
from .catalog_store import CATALOG_SHARD, CatalogStore
from .collections import HOLDER, Collections
from .remap import REMAP_SCHEMA

logger = logging.getLogger(__name__)

KEYS_SCHEMA = Schema(
    (Column("key", TEXT, False), Column("digest", BYTEA, False), Column("number", INT8, False))
)
"""Of the keys of requests that a source was given, each with a digest of its body, numbered as they came."""


class Shards:
    """What says that it blocks runs in the thread of commits, or at the start."""

    def __init__(self, persist: PersistClient, collections: Collections, epoch: int) -> None:
        self._persist = persist
        self._collections = collections
        self._epoch = epoch

    def create(self, item: Stored | External, begin: int) -> None:
        """Makes the shards of an object that is being defined; a view's contents begin at `begin`.  Blocks."""
        if isinstance(item, Stored):
            since = begin if isinstance(item, MaterializedView) else 0
            schema = item.schema
            if isinstance(item, LaidOut):
                schema = Schema(item.physical.columns[: _first_added(item)])
            self._persist.create_shard(item.shard, schema, since, epoch=self._epoch)
            # Held from the first moment, so that no reader's lease can move the shard's since.
            self._persist.set_hold(item.shard, HOLDER, since, critical=True, epoch=self._epoch)
            # Columns that were added or dropped in the same block.
            if isinstance(item, LaidOut) and item.layout.evolved:
                self._persist.evolve_schema(item.shard, self.known_columns(item), epoch=self._epoch)
        if isinstance(item, External):
            self._persist.create_shard(item.remap, REMAP_SCHEMA, epoch=self._epoch)
        if isinstance(item, WebhookSource) and item.keys is not None:
            self._persist.create_shard(item.keys, KEYS_SCHEMA, epoch=self._epoch)

    def load(self, item: Item) -> None:
        """Opens an object that is in the catalog since before this start.  Blocks."""
        for shard in shards_of(item):
            self._persist.mirror.load(shard)
        if isinstance(item, LaidOut) and item.layout.evolved:
            self._persist.evolve_schema(item.shard, self.known_columns(item), epoch=self._epoch)
        self.open(item)

    def open(self, item: Item) -> None:
        """Makes the object's collection known, if it has one; its shards were created by this process, or loaded."""
        if isinstance(item, Index):
            self._collections.add_unstored(item.id, item.name)
        elif isinstance(item, Stored):
            timestamped = not isinstance(item, MaterializedView)
            evolved = isinstance(item, LaidOut) and item.layout.evolved
            schema = self._persist.mirror.state(item.shard).schema if evolved else item.schema
            self._collections.add(item.id, item.name, item.shard, schema, timestamped=timestamped)
            if evolved:
                self._collections.evolve(item.id, ())

    def contents(self, shard: str, schema: Schema) -> Batch:
        """Those of a shard that is no collection.  Blocks."""
        state = self._persist.mirror.state(shard)
        if state.upper <= state.since:  # nothing was ever written
            return empty_batch(schema)
        return read_snapshot(self._persist.blob, self._persist.mirror.snapshot(shard, state.upper - 1)).oks

    def drop(self, shard: str) -> None:
        """Blocks."""
        self._persist.drop_shard(shard, epoch=self._epoch)

    def known_columns(self, item: LaidOut) -> Schema:
        """What the table's shard is to know of its columns: under the names that they had at first."""
        known = self._persist.mirror.state(item.shard).schema
        first = _first_added(item)
        columns = (*known.columns, *item.stored_columns[len(known) - first :])
        gone = item.layout.dropped_places
        return Schema(tuple(replace(c, dropped=place in gone) for place, c in enumerate(columns)))

    def drop_orphans(self, catalog: Catalog, store: CatalogStore) -> None:
        """Drops the shards of definitions that did not become durable, and of sessions that ended with the last process.
        Blocks."""
        named = {
            CATALOG_SHARD,
            *AUDIT_SHARDS,
            *(shard for item in catalog.user_items() for shard in shards_of(item)),
        }
        orphans = [state.id for state in self._persist.shards() if state.id not in named]
        # The ids of all that ever were count as used: also of those that a statement has dropped that did not commit.
        catalog.skip_ids(id_ for id_ in self._persist.shard_ids() if re.fullmatch(r"u\d+", id_))
        if orphans and (ids := catalog.ids_change()) is not None:
            store.save([ids])
            catalog.apply([ids])
        for shard in orphans:
            logger.info("dropping shard %s, which no object names", shard)
            self.drop(shard)


def _first_added(table: LaidOut) -> int:
    """Where the columns begin that were added to the table after it was created."""
    return len(table.physical) - len(table.layout.missing)
