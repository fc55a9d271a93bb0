"""CREATE CONNECTION and ALTER CONNECTION, and what is asked of a connection before either, by VALIDATE CONNECTION, and by sources
that have their columns from a registry, or tables from a publication.

```
planned ── options checked ── Connections.ready: tries them, in a thread ── under the lock: a catalog change
```

Nobody else's definition waits for what is outside: it is tried ahead of the lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic

from ...config import Settings
from ...directory import check_outside
from ...errors import UndefinedObject
from ...expr.tree.relation import GlobalId
from ...sql.plans.connection_plans import (
    AlterConnection,
    AlterSecret,
    CreateConnection,
    CreateSecret,
    ValidateConnection,
)
from ...sql.plans.definition_plans import WantedSchema, WantedTables
from ...sql.plans.plans import PlannedStatement
from ...storage.connections.addresses import Addresses
from ...storage.connections.iceberg import local_paths
from ...storage.connections.options import ConnectionKind, ConnectionOptions
from ...storage.connections.validation import validate
from ...storage.connections.values import Values
from ...storage.formats.avro.format import self_contained
from ...storage.formats.registry import Registry
from ...storage.source.mysql.server import ask as ask_server
from ...storage.source.postgres.publication import ask
from ...storage.source.upstream_tables import UpstreamTables
from ..catalog.catalog import Catalog
from ..catalog.connection_values import connection_values, values_of
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


def _fetched(wanted: WantedSchema, registry: Registry) -> str:
    if wanted.subject is not None:
        return self_contained(registry.latest(wanted.subject).schema)
    assert wanted.id is not None
    found = registry.schema(wanted.id)
    if found is None:
        raise UndefinedObject(f"there is no schema {wanted.id} in the registry")
    return self_contained(found)


class Connections:
    """`keys` open the secrets that connections refer to; `own` are the directories of the runtime, to which none leads."""

    def __init__(self, keys: KeyRing, settings: Settings, own: tuple[Path, ...] = ()) -> None:
        self.keys = keys
        self._own = own
        self._addresses = Addresses(link_local=bool(settings.allow_link_local_connections))
        self._timeout_s = settings.connection_timeout_ms / 1000

    async def ready(self, plan: PlannedStatement, catalog: Catalog) -> None:
        """What a definition needs before the lock: a key, or that it can connect.  Raises what is wrong."""
        match plan:
            case CreateSecret() | AlterSecret():
                if self.keys.empty:
                    refuse_another_key(catalog, self.keys)
                    await CONNECTING.run(self.keys.ensure)
            case CreateConnection(options=options, validate=validated):
                self._check_outside(options)
                there = catalog.find_apart(Connection.kind, plan.name.schema, plan.name.name)
                if validated and there is None:
                    await self._try(options, catalog)
            case AlterConnection():
                connection = catalog.get_as(plan.id, Connection)
                options = connection.options.altered(plan.set, plan.reset)
                self._check_outside(options)
                if options.kind.validated if plan.validate is None else plan.validate:
                    await self._try(options, catalog)
            case _:
                pass

    def _check_outside(self, options: ConnectionOptions) -> None:
        if options.kind is ConnectionKind.ICEBERG_CATALOG:
            for path in local_paths(options.values):
                check_outside(path, self._own, "the connection would lead to")

    async def schemas(self, wanted: Sequence[WantedSchema], catalog: Catalog) -> dict[str, str]:
        """The schemas that a source needs of registries, by part, as texts that need no others.  Raises what is wrong."""
        values = self.values({schema.connection for schema in wanted}, catalog)

        def work() -> dict[str, str]:
            registries = {id_: Registry(found, seconds=self._timeout_s) for id_, found in values.items()}
            return {schema.part: _fetched(schema, registries[schema.connection]) for schema in wanted}

        return await CONNECTING.run(work)

    async def published(self, wanted: WantedTables, catalog: Catalog) -> UpstreamTables:
        """What tables there are to read.  Raises what is wrong, with it or with the way there."""
        values = self.values((wanted.connection,), catalog)[wanted.connection]

        def work() -> UpstreamTables:
            if wanted.publication is None:
                return ask_server(values, self._addresses, self._timeout_s, wanted.connection)
            return ask(values, self._addresses, self._timeout_s, wanted.connection, wanted.publication)

        return await CONNECTING.run(work)

    def values(self, ids: Iterable[GlobalId], catalog: Catalog) -> dict[GlobalId, Values]:
        """Connections as clients need them, by id."""
        return connection_values(catalog, ids, self.keys, link_local=self._addresses.link_local)

    async def validate(self, plan: ValidateConnection, catalog: Catalog) -> None:
        await self._try(catalog.get_as(plan.id, Connection).options, catalog)

    async def _try(self, options: ConnectionOptions, catalog: Catalog) -> None:
        """Raises ConnectionFailed.  The thread that tries ends by itself, soon after nobody waits for it any more."""
        values = values_of(catalog, options.secrets, self.keys)

        def work() -> None:
            validate(options, values, self._addresses, monotonic() + self._timeout_s)

        await CONNECTING.run(work)
