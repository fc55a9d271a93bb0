"""CREATE SOURCE and CREATE SINK."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, assert_never

from ...directory import check_outside
from ...errors import InvalidParameter, Unsupported
from ...replica.egress import open_sink
from ...replica.ingest import open_source
from ...sql.catalog.catalog_view import ItemKind
from ...sql.plans.definition_plans import CounterConnector, CreateSink, CreateSource, FileConnector
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..results.results import Command
from ..storage.storage import Storage
from .alterations import retaining
from .catalog_changes import CatalogChanges
from .definitions import Definitions


class ConnectorDefinitions:
    """Options that do not go together are refused before anything is made."""

    def __init__(
        self,
        storage: Storage,
        catalog: Catalog,
        changes: CatalogChanges,
        own: tuple[Path, ...],
    ) -> None:
        """`own` are the directories of the runtime, which neither sources nor sinks touch."""
        self._oracle = storage.oracle
        self._catalog = catalog
        self._collections = storage.collections
        self._changes = changes
        self._own = own

    async def create_source(self, plan: CreateSource, definitions: Definitions) -> Command:
        if definitions.exists(plan.name, plan.if_not_exists):
            return Command("CREATE SOURCE")
        connector, options = _connector(plan.connector)
        if isinstance(plan.connector, FileConnector):
            check_outside(plan.connector.path, self._own, "the source would read")
        # Options and columns that do not go together are refused here; files are not touched yet.
        open_source(connector, options, plan.schema, plan.key, plan.envelope.value)
        item = definitions.stored(
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
        await self._changes.apply([Change(None, replace(item, remap=f"{item.id}-remap"))])
        return Command("CREATE SOURCE")

    async def create_sink(self, plan: CreateSink, definitions: Definitions) -> Command:
        if definitions.exists(plan.name, plan.if_not_exists):
            return Command("CREATE SINK")
        if plan.from_id not in self._collections:
            raise Unsupported(
                "a sink reads a table, a source or a materialized view",
                hint="Make the view a materialized one.",
            )
        check_outside(plan.connector.path, self._own, "the sink would write to")
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
        item = definitions.item(
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
        await self._changes.apply([Change(None, replace(item, remap=f"{item.id}-progress"))])
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
