"""CREATE CONNECTION and ALTER CONNECTION, and what is asked of a connection before either, and by VALIDATE CONNECTION.

```
planned ── options checked ── Connections.ready: tries them, in a thread ── under the lock: a catalog change
```

Nobody else's definition waits for what is outside: it is tried ahead of the lock.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from ...config import Settings
from ...sql.plans.connection_plans import (
    AlterConnection,
    AlterSecret,
    CreateConnection,
    CreateSecret,
    ValidateConnection,
)
from ...sql.plans.plans import PlannedStatement
from ...storage.connections.addresses import Addresses
from ...storage.connections.options import ConnectionOptions
from ...storage.connections.validation import validate
from ..catalog.catalog import Catalog
from ..catalog.connection_values import values_of
from ..catalog.entries import Change
from ..catalog.items import Connection, Identity
from ..secrets.key_ring import KeyRing
from ..thread_pool import CONNECTING
from .secrets import refuse_another_key


def new_connection(plan: CreateConnection, identity: Identity) -> Change:
    return Change(None, Connection(**identity, options=plan.options, uses=plan.options.secrets))


def altered_connection(plan: AlterConnection, catalog: Catalog) -> Change:
    connection = catalog.get_as(plan.id, Connection)
    options = connection.options.altered(plan.set, plan.reset)
    return Change(connection, replace(connection, options=options, uses=options.secrets))


class Connections:
    """`keys` open the secrets that connections refer to."""

    def __init__(self, keys: KeyRing, settings: Settings) -> None:
        self.keys = keys
        self._addresses = Addresses(link_local=bool(settings.allow_link_local_connections))
        self._timeout_s = settings.connection_timeout_ms / 1000

    async def ready(self, plan: PlannedStatement, catalog: Catalog) -> None:
        """What a definition needs before the lock: a key, or that it can connect.  Raises what is wrong."""
        match plan:
            case CreateSecret() | AlterSecret():
                if self.keys.empty:
                    refuse_another_key(catalog, self.keys)
                    await CONNECTING.run(self.keys.ensure)
            case CreateConnection(options=options, validate=True):
                if catalog.find_apart(Connection.kind, plan.name.schema, plan.name.name) is None:
                    await self._try(options, catalog)
            case AlterConnection():
                connection = catalog.get_as(plan.id, Connection)
                options = connection.options.altered(plan.set, plan.reset)
                if options.kind.validated if plan.validate is None else plan.validate:
                    await self._try(options, catalog)
            case _:
                pass

    async def validate(self, plan: ValidateConnection, catalog: Catalog) -> None:
        await self._try(catalog.get_as(plan.id, Connection).options, catalog)

    async def _try(self, options: ConnectionOptions, catalog: Catalog) -> None:
        """Raises ConnectionFailed.  The thread that tries ends by itself, soon after nobody waits for it any more."""
        values = values_of(catalog, options.secrets, self.keys)

        def work() -> None:
            validate(options, values, self._addresses, monotonic() + self._timeout_s)

        await CONNECTING.run(work)
