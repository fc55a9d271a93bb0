"""RETAIN ROWS of sources: rows that have become due are taken back.

```
every so often, source by source: read what is due, the oldest first ── take it back in one commit ── again, if there was more
```

Only rows that come and never go may be retained so, and all that takes rows of them back is this task: what it has read is there until it has
committed.  What has been taken back is what the source has not any more; nothing else is recorded, so a restart goes on with what it finds.
What is read is found by the parts' statistics: without rows that are due nothing is decoded.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from typing import NoReturn

from ...errors import PtvcError, SerializationFailure
from ...expr.tree.relation import Filter, GlobalId, OrderBy, Relation, TopK
from ...storage.row_retention import RowRetention
from ...transform.pipeline import optimize
from ..catalog.catalog import Catalog
from ..catalog.items import AnySource, Source, SourceTable
from ..query.peeks import Peeks
from ..query.read_context import ReadContext
from ..query.sources.row_ages import due
from ..storage.storage import Storage

logger = logging.getLogger(__name__)

ROUND_S = 1.0
MOST_ROWS = 200_000
"""Of one commit."""


class RowRetentions:
    """`run` goes on until it is cancelled; `round` is one pass."""

    def __init__(self, storage: Storage, catalog: Catalog, peeks: Peeks) -> None:
        self._storage = storage
        self._catalog = catalog
        self._peeks = peeks
        self._next: dict[GlobalId, int] = {}
        """The time of the next pass, of sources of which there was one."""

    async def run(self) -> None:
        while True:
            await asyncio.sleep(ROUND_S)
            await self.round()

    async def round(self) -> None:
        now = self._storage.oracle.read_time
        items = {
            item.id: item
            for item in self._catalog.user_items()
            if isinstance(item, Source | SourceTable) and item.retention is not None
        }
        self._next = {id_: time for id_, time in self._next.items() if id_ in items}
        for item in items.values():
            assert item.retention is not None
            if self._next.get(item.id, 0) <= now:
                self._next[item.id] = now + item.retention.granularity_ms
                try:
                    await self._retract(item, item.retention)
                except SerializationFailure:
                    pass  # it was dropped meanwhile
                except PtvcError as error:
                    # The source is in error, or a store does not answer: the next pass tries again.
                    logger.warning(
                        "rows of %s that are due could not be taken back: %s", item.full_name, error
                    )

    async def _retract(self, item: Source | SourceTable, retention: RowRetention) -> None:
        while self._is_there(item):
            context = self._peeks.latest(self._context(item))
            assert context.time is not None
            found = await self._peeks.collect(_due(item, retention, context.time), context)
            if len(found):
                parts = await self._storage.encode(item.shard, item.physical, found.negate())
                await self._storage.deliver({item.id: parts}, {}, lambda: self._is_there(item))
            if int(found.diffs.sum()) < MOST_ROWS:
                return

    def _is_there(self, item: Source | SourceTable) -> bool:
        """As it was: what it leaves out by another definition, somebody else has taken back."""
        now = self._catalog.find_by_id(item.id)
        return isinstance(now, Source | SourceTable) and now.kept == item.kept

    def _context(self, item: Source | SourceTable) -> ReadContext:
        source = item if isinstance(item, Source) else self._catalog.get(item.source)
        assert isinstance(source, AnySource)
        return ReadContext(
            cluster=source.cluster,
            time=None,
            overlay={},
            system_rows=_no_system_rows,
            catalog=self._catalog,
            redefined=self._catalog.redefined,
            prepare=_nothing,
        )


def _due(item: Source | SourceTable, retention: RowRetention, time: int) -> Relation:
    """The oldest of the rows that are due at `time`."""
    rows = Filter(item.stored_rows, (due(retention, item.physical, time),))
    return optimize(TopK(rows, (), (OrderBy(retention.column),), MOST_ROWS))


def _no_system_rows(*_: object) -> NoReturn:
    raise AssertionError("no system relation is read")


async def _nothing(_: Collection[GlobalId]) -> None:
    """No system relation is read, so there is nothing to prepare."""
