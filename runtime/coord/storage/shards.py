"""The shards of catalog objects: made before an object is in the catalog, and dropped when it no longer is.

Between the two the object's collection is open.  A crash leaves at most shards that no object names; the next start drops them.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable
from dataclasses import replace

from ...persist.client import PersistClient
from ...repr.schema import Schema
from ...sql.catalog.catalog_view import ItemKind
from ..catalog.catalog import Catalog
from ..catalog.entries import Item
from .catalog_store import CATALOG_SHARD, CatalogStore
from .collections import HOLDER, Collections
from .remap import REMAP_SCHEMA

logger = logging.getLogger(__name__)

STORED = (ItemKind.TABLE, ItemKind.SOURCE, ItemKind.MATERIALIZED_VIEW)


class Shards:
    """What says that it blocks runs in the thread of commits, or at the start."""

    def __init__(self, persist: PersistClient, collections: Collections, epoch: int) -> None:
        self._persist = persist
        self._collections = collections
        self._epoch = epoch

    def create(self, item: Item, begin: int) -> None:
        """Makes the shards of an object that is being defined; a view's contents begin at `begin`.  Blocks."""
        if item.shard is not None:
            since = begin if item.kind is ItemKind.MATERIALIZED_VIEW else 0
            first = len(item.physical) - len(item.missing)
            schema = Schema(item.physical.columns[:first])
            self._persist.create_shard(item.shard, schema, since, epoch=self._epoch)
            # Held from the first moment, so that no reader's lease can move the shard's since.
            self._persist.set_hold(item.shard, HOLDER, since, critical=True, epoch=self._epoch)
            if item.missing or item.layout:  # columns that were added or dropped in the same block
                self._persist.evolve_schema(item.shard, self.known_columns(item), epoch=self._epoch)
        if item.remap is not None:
            self._persist.create_shard(item.remap, REMAP_SCHEMA, epoch=self._epoch)

    def load(self, item: Item) -> None:
        """Opens an object that is in the catalog since before this start.  Blocks."""
        for shard in (item.shard, item.remap):
            if shard is not None:
                self._persist.mirror.load(shard)
        if item.shard is not None and (item.missing or item.layout):
            self._persist.evolve_schema(item.shard, self.known_columns(item), epoch=self._epoch)
        self.open(item)

    def open(self, item: Item) -> None:
        """Makes the object's collection known, if it has one; its shards were created by this process, or loaded."""
        if item.kind is ItemKind.INDEX:
            self._collections.add_unstored(item.id, item.name)
        elif item.kind in STORED:
            assert item.shard is not None
            timestamped = item.kind is not ItemKind.MATERIALIZED_VIEW
            evolved = bool(item.missing or item.layout)
            schema = self._persist.mirror.state(item.shard).schema if evolved else item.schema
            self._collections.add(item.id, item.name, item.shard, schema, timestamped=timestamped)
            if evolved:
                self._collections.evolve(item.id, ())

    def drop(self, shard: str) -> None:
        """Blocks."""
        self._persist.drop_shard(shard, epoch=self._epoch)

    def known_columns(self, item: Item) -> Schema:
        """What the table's shard is to know of its columns: under the names that they had at first."""
        assert item.shard is not None
        known = self._persist.mirror.state(item.shard).schema
        first = len(item.physical) - len(item.missing)
        columns = (*known.columns, *item.stored_columns[len(known) - first :])
        gone = item.dropped_places
        return Schema(tuple(replace(c, dropped=place in gone) for place, c in enumerate(columns)))

    def drop_orphans(self, catalog: Catalog, store: CatalogStore) -> None:
        """Drops the shards of definitions that did not become durable, and of sessions that ended with the last process.
        Blocks."""
        named = {CATALOG_SHARD, *(shard for item in catalog.user_items() for shard in shards_of([item]))}
        orphans = [state.id for state in self._persist.shards() if state.id not in named]
        # The ids of all that ever were count as used: also of those that a statement has dropped that did not commit.
        catalog.skip_ids(id_ for id_ in self._persist.shard_ids() if re.fullmatch(r"u\d+", id_))
        if orphans and (ids := catalog.ids_change()) is not None:
            store.save([ids])
            catalog.apply([ids])
        for shard in orphans:
            logger.info("dropping shard %s, which no object names", shard)
            self.drop(shard)


def shards_of(items: Iterable[Item]) -> list[str]:
    return [shard for item in items for shard in (item.shard, item.remap) if shard is not None]
