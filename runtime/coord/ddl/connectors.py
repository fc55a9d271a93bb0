"""CREATE SOURCE and CREATE SINK."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, assert_never

from ...errors import InvalidParameter, Unsupported
from ...persist.client import PersistClient
from ...replica.egress import open_sink
from ...replica.ingest import open_source
from ...sql.plans import (
    CounterConnector,
    CreateSink,
    CreateSource,
    FileConnector,
    ItemKind,
)
from ..catalog import (
    Catalog,
    Change,
)
from ..collections import Collections
from ..controller import Controller
from ..oracle import Oracle
from ..remap import REMAP_SCHEMA
from ..results import Command, Notice
from .alterations import retaining
from .catalog_changes import CatalogChanges


class ConnectorDefinitions:
    """Options that do not go together are refused before anything is made."""

    def __init__(
        self,
        persist: PersistClient,
        oracle: Oracle,
        catalog: Catalog,
        collections: Collections,
        controller: Controller,
        changes: CatalogChanges,
        epoch: int,
    ) -> None:
        self._persist = persist
        self._oracle = oracle
        self._catalog = catalog
        self._collections = collections
        self._controller = controller
        self._changes = changes
        self._epoch = epoch

    async def create_source(self, plan: CreateSource, notices: list[Notice]) -> Command:
        if self._changes.exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE SOURCE")
        connector, options = _connector(plan.connector)
        # Options and columns that do not go together are refused here; files are not touched yet.
        open_source(connector, options, plan.schema, plan.key, plan.envelope.value)
        item = self._changes.item(
            ItemKind.SOURCE,
            plan.name,
            plan.schema,
            cluster=plan.cluster,
            create_sql=plan.create_sql,
            options=retaining(
                {
                    "label": plan.name.name,
                    "connector": connector,
                    "connector_options": options,
                    "key": list(plan.key),
                    "envelope": plan.envelope.value,
                },
                plan.retain_history_ms,
            ),
        )
        await self._changes.create_stored(replace(item, remap=f"{item.id}-remap"), [])
        return Command("CREATE SOURCE")

    async def create_sink(self, plan: CreateSink, notices: list[Notice]) -> Command:
        if self._changes.exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE SINK")
        if plan.from_id not in self._collections:
            raise Unsupported(
                "a sink reads a table, a source or a materialized view",
                hint="Make the view a materialized one.",
            )
        for other in self._catalog.user_items():
            if (
                other.kind is ItemKind.SINK
                and other.options["connector_options"]["path"] == plan.connector.path
            ):
                raise InvalidParameter(
                    f'sink "{other.name}" writes to "{plan.connector.path}" already',
                    hint="Give every sink a directory of its own.",
                )
        options = {"path": plan.connector.path, "format": plan.connector.format}
        open_sink("", options, plan.relation.schema, plan.envelope.value, plan.key)
        item = self._changes.item(
            ItemKind.SINK,
            plan.name,
            plan.relation.schema,
            cluster=plan.cluster,
            create_sql=plan.create_sql,
            uses=(plan.from_id,),
            options={
                "connector": "file",
                "connector_options": options,
                "key": list(plan.key),
                "envelope": plan.envelope.value,
                "as_of": self._oracle.read_time,
            },
        )
        item = replace(item, remap=f"{item.id}-progress")
        assert item.remap is not None
        self._persist.create_shard(item.remap, REMAP_SCHEMA, epoch=self._epoch)
        await self._changes.apply([Change(None, item)])
        self._controller.install(item)
        return Command("CREATE SINK")


def _connector(connector: FileConnector | CounterConnector) -> tuple[str, dict[str, Any]]:
    match connector:
        case FileConnector():
            return "file", {
                "path": connector.path,
                "format": connector.format,
                "delimiter": connector.delimiter,
                "header": connector.header,
                "pattern": connector.pattern,
            }
        case CounterConnector():
            return "counter", {
                "tick_ms": connector.tick_ms,
                "max_cardinality": connector.max_cardinality,
            }
        case _:
            assert_never(connector)
