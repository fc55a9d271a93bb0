"""Replication slots of sources that are dropped: upstream, one keeps the log for as long as it is there.

```
dropped in the catalog ── the replica lets go ── the slot is dropped upstream, by and by
```

A statement does not wait for it, as upstream may not answer.  What could not be dropped is in the log of the runtime, by its name.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable

from ...errors import PtvcError
from ...storage.connections.values import Values
from ...storage.source.postgres.options import PostgresOptions
from ...storage.source.postgres.slots import slot_dropped
from ...supervision import Supervisor
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import SharedSource
from ..storage.catalog_transactions import dropped
from ..thread_pool import CONNECTING
from .connections import Connections

logger = logging.getLogger(__name__)

EACH_S = 1.0
LINGERS_S = 10.0
"""So long a replica may still make the slot that it was about to make."""
MOST_S = 600.0

Left = tuple[str, Values]
"""A slot, and what leads to it."""


class ReplicationSlots:
    def __init__(self, connections: Connections, supervisor: Supervisor) -> None:
        self._connections = connections
        self._supervisor = supervisor

    def left_by(self, changes: Iterable[Change], catalog: Catalog) -> list[Left]:
        """What the changes leave upstream; `catalog` has what they drop."""
        found: list[Left] = []
        for item in dropped(changes):
            if isinstance(item, SharedSource) and isinstance(options := item.connector, PostgresOptions):
                try:
                    values = self._connections.values(options.connections, catalog)[options.connection]
                except PtvcError as error:  # its key may be lost, and the source is dropped all the same
                    _tell(options.slot, error)
                else:
                    found.append((options.slot, values))
        return found

    def drop(self, left: Iterable[Left]) -> None:
        for slot, values in left:
            self._supervisor.run(f"slot {slot}", self._drop(slot, values))

    async def _drop(self, slot: str, values: Values) -> None:
        loop = asyncio.get_running_loop()
        begun = loop.time()
        while True:
            failure: PtvcError | None = None
            try:
                await CONNECTING.run(lambda: slot_dropped(values, slot))
            except PtvcError as error:
                failure = error
            passed = loop.time() - begun
            if failure is None and passed > LINGERS_S:
                return
            if failure is not None and passed > MOST_S:
                _tell(slot, failure)
                return
            await asyncio.sleep(EACH_S)


def _tell(slot: str, error: PtvcError) -> None:
    logger.error(
        'replication slot "%s" of a source that was dropped could not be dropped, and keeps the log upstream: %s',
        slot,
        error.message,
    )
