"""Rows about one item each: of a catalog that changes by a statement, those about all other items are as they were.

An item of the catalog is immutable, so what was made of it holds as long as it is the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...repr.batch import Batch, batch_from_rows, concat_batches, empty_batch
from ...repr.schema import Schema
from ...sql.catalog.catalog_view import CatalogItem
from ..catalog.catalog import Catalog
from ..catalog.items import Relational
from ..catalog.planned_items import planned_item
from ..catalog.system_items import SYSTEM_ITEMS, SYSTEM_OIDS

RowsOfItem = Callable[[int, CatalogItem], Iterable[Mapping[str, Any]]]
"""The rows about the item with that oid; they depend on nothing else."""

AnyItem = CatalogItem | Relational
"""One of the system's, or of the users'."""


@dataclass(frozen=True, slots=True)
class _Place:
    """The `count` rows from `start` on are about `item`."""

    item: AnyItem
    start: int
    count: int


class ItemRows:
    """The rows of one system relation that are about an item each.  Any thread may ask, for the catalog of any block."""

    def __init__(self, schema: Schema, rows_of: RowsOfItem) -> None:
        self._schema = schema
        self._rows_of = rows_of
        self._kept: tuple[Batch, Mapping[str, _Place]] = empty_batch(schema), {}  # by the item's id

    def batch(self, catalog: Catalog) -> Batch:
        """Of the system's items, then of the users' in order of creation."""
        known, places = self._kept
        items: list[AnyItem] = [*SYSTEM_ITEMS.values(), *catalog.user_items()]
        fresh = [item for item in items if (at := places.get(item.id)) is None or at.item is not item]
        rows, counts = self._made(fresh)
        starts = len(known) + np.cumsum(counts) - counts
        made = map(_Place, fresh, starts.tolist(), counts.tolist())
        places = {**places, **{place.item.id: place for place in made}}
        found = [places[item.id] for item in items]
        counts = np.array([place.count for place in found], np.int64)
        begins = np.cumsum(counts) - counts
        moved = np.repeat(np.array([place.start for place in found], np.int64) - begins, counts)
        batch = concat_batches(self._schema, [known, rows]).take(np.arange(len(moved)) + moved)
        now = map(_Place, items, begins.tolist(), counts.tolist())
        self._kept = batch, {place.item.id: place for place in now}
        return batch

    def _made(self, items: Sequence[AnyItem]) -> tuple[Batch, np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """Rows about these, and how many are about each."""
        names = self._schema.names
        each = [[tuple(map(row.get, names)) for row in self._rows_of(*_planned(item))] for item in items]
        rows = batch_from_rows(self._schema, [row for rows in each for row in rows], 0)
        return rows, np.array(list(map(len, each)), np.int64)


def _planned(item: AnyItem) -> tuple[int, CatalogItem]:
    """Its oid, and the item as planning knows it, but for a view's relation."""
    if isinstance(item, CatalogItem):
        return SYSTEM_OIDS[item.id], item
    return item.oid, planned_item(item, {}, indexed=True)
