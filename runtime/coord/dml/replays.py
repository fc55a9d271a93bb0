"""ALTER SOURCE ... REPLAY DEAD LETTERS: dead letters are decoded once more, and those that are records by now become rows.

```
one at a time for a source: read the dead letters ── decode ── rows of the source, dead letters that go: one commit
```

All that is ever committed to a source goes through this process, and what the source's replica commits only adds dead letters: so those that were
read are there until another replay takes them, and that waits.  Where the source stands upstream is not touched.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from weakref import WeakValueDictionary

from ...errors import AlteredMeanwhile
from ...expr.tree.relation import GlobalId
from ...replica.sources.opening import label_of
from ...repr.batch import Batch
from ...sql.plans.data_plans import Replay
from ...storage.connections.values import Values
from ...storage.connectors import parsed_options
from ...storage.replay import Replayed, open_letters, replayed
from ..catalog.catalog import Catalog
from ..catalog.connectors import connections_of, connector_options, connector_word
from ..catalog.items import Source, SourceTable
from ..query.peeks import Peeks
from ..query.read_context import ReadContext
from ..results.results import Notice
from ..storage.storage import Storage
from ..thread_pool import CONNECTING

ValuesOf = Callable[[Iterable[GlobalId], Catalog], Mapping[GlobalId, Values]]
"""Connections as clients need them, by id."""


class Replays:
    def __init__(self, storage: Storage, catalog: Catalog, peeks: Peeks, connections: ValuesOf) -> None:
        self._storage = storage
        self._catalog = catalog
        self._peeks = peeks
        self._connections = connections
        self._turns: WeakValueDictionary[GlobalId, asyncio.Lock] = WeakValueDictionary()

    async def replay(self, plan: Replay, context: ReadContext) -> Notice:
        """Says how many dead letters have gone, and how many have stayed, when that is durable."""
        async with self._turns.setdefault(plan.source, asyncio.Lock()):
            source, letters = self._items(plan)
            found = await self._peeks.collect(plan.relation, self._peeks.latest(context))
            if not len(found):
                return _notice(0, 0)
            made = await self._decoded(source, letters, found)
            parts = {
                item.id: await self._storage.encode(item.shard, item.physical, changes)
                for item, changes in ((source, made.rows), (letters, made.letters))
                if len(changes)
            }
            if parts:
                await self._storage.deliver(parts, {}, lambda: self._is_there(source, letters))
            return _notice(made.decoded, made.remaining)

    def _items(self, plan: Replay) -> tuple[Source, SourceTable]:
        source, letters = (self._catalog.find_by_id(id_) for id_ in (plan.source, plan.letters))
        if not isinstance(source, Source) or not isinstance(letters, SourceTable):
            raise AlteredMeanwhile("The source was dropped meanwhile.")
        return source, letters

    def _is_there(self, source: Source, letters: SourceTable) -> bool:
        """As they were: rows are those that the source keeps."""
        now = self._catalog.find_by_id(source.id)
        same = isinstance(now, Source) and now.kept == source.kept
        return same and self._catalog.find_by_id(letters.id) is not None

    async def _decoded(self, source: Source, letters: SourceTable, found: Batch) -> Replayed:
        connector = source.connector
        connections = self._connections(connections_of(connector), self._catalog)
        options = parsed_options(connector_word(connector), connector_options(connector))

        def work() -> Replayed:
            decoder = open_letters(options, source.read, connections)
            return replayed(
                found, letters.schema, decoder, label_of(source.label), source.where, source.projection
            )

        return await CONNECTING.run(work)


def _notice(decoded: int, remaining: int) -> Notice:
    what = "dead letter" if decoded == 1 else "dead letters"
    return Notice("NOTICE", f"{decoded} {what} replayed, {remaining} not decoded")
