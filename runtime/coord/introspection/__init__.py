"""Catalog relations: `pg_catalog`, `information_schema`, `mz_catalog`, `mz_internal` as rows.

One function per relation, named like it, yields its rows as mappings from column to value; columns that it leaves out are
NULL.  They are computed when a query reads them and never touch Spark; what depends on the catalog alone is computed
once for each version of it, and what is about one item (`_OF_ITEMS`) once for the item.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ...errors import Unsupported
from ...expr.tree.relation import GlobalId
from ...repr.batch import Batch, batch_from_rows, concat_batches
from ...sql.catalog.catalog_view import CatalogItem
from ...sql.catalog.system_relations import SYSTEM_RELATIONS
from ..audit.log import AuditLog
from ..catalog.catalog import Catalog
from ..catalog.system_items import is_system
from ..controller import Controller
from ..storage.collections import Collections
from ..thread_pool import EVALUATION
from ..webhooks.webhooks import Webhooks
from . import (
    constraints,
    dependencies,
    grants,
    information_schema,
    mz_catalog,
    mz_connections,
    mz_internal,
    pg_catalog,
    pg_proc,
    pg_roles,
    pg_types,
    pg_views,
    replicas,
    session_views,
    time_zones,
    webhooks,
)
from .item_rows import ItemRows, RowsOfItem
from .state import OpenSession, State

__all__ = ["Introspection"]

Row = Mapping[str, Any]
Rows = Callable[[State], Iterable[Row]]

_MODULES = {
    "pg_catalog": (pg_catalog, pg_proc, pg_roles, pg_types, pg_views, constraints, session_views, time_zones),
    "information_schema": (information_schema, pg_proc, pg_roles, grants, constraints),
    "mz_catalog": (mz_catalog, mz_connections, session_views, time_zones),
    "mz_internal": (mz_internal, replicas, mz_connections, dependencies, grants, session_views, webhooks),
}


def _find(full_name: str) -> Rows | None:
    schema, _, name = full_name.partition(".")
    for module in _MODULES[schema]:
        function: Rows | None = getattr(module, name, None)
        if function is not None:
            return function
    return None


_ROWS: dict[str, Rows | None] = {name: _find(name) for name in SYSTEM_RELATIONS}

_OF_ITEMS: dict[str, RowsOfItem] = {
    "information_schema.columns": information_schema.columns_of,
    "mz_catalog.mz_columns": mz_catalog.columns_of,
    "pg_catalog.pg_attribute": pg_catalog.attributes_of,
}
"""Rows about one item each, which come before the relation's others."""

MAX_ATTEMPTS = 5
"""So often rows are computed beside the loop while the catalog changes; then on it."""

_OF_THE_CATALOG = frozenset(
    {
        *(name for name in SYSTEM_RELATIONS if not name.startswith("mz_internal.")),
        "mz_internal.mz_object_dependencies",
        "mz_internal.mz_object_transitive_dependencies",
        "mz_internal.mz_object_fully_qualified_names",
        "mz_internal.mz_compute_dependencies",
        "mz_internal.mz_materialization_dependencies",
        "mz_internal.mz_column_lineage",
        "mz_internal.mz_comments",
        "mz_internal.mz_dead_letters",
        "mz_internal.mz_source_own_tables",
        "mz_internal.mz_definitions",
        "mz_internal.mz_cluster_definitions",
        "mz_internal.mz_postgres_connections",
        "mz_internal.mz_mysql_connections",
        "mz_internal.mz_schema_registry_connections",
        "mz_internal.mz_aws_connections",
        "mz_internal.mz_connection_secrets",
    }
) - {
    "pg_catalog.pg_index",
    "pg_catalog.pg_cursors",
    "pg_catalog.pg_matviews",
    "pg_catalog.pg_prepared_statements",
    "pg_catalog.pg_stat_activity",
    "pg_catalog.pg_stat_database",
    "pg_catalog.pg_stat_ssl",
    "pg_catalog.pg_timezone_names",
    "mz_catalog.mz_audit_events",
    "mz_catalog.mz_cluster_replicas",
    "information_schema.applicable_roles",
    "information_schema.column_privileges",
    "information_schema.enabled_roles",
    "information_schema.role_table_grants",
    "information_schema.table_privileges",
}
"""Relations whose rows change with the catalog only; the others say what is going on."""


class Introspection:
    """`batch` answers for a system relation by its id."""

    def __init__(
        self,
        catalog: Catalog,
        collections: Collections,
        controller: Controller,
        sessions: Mapping[int, OpenSession],
        posted: Webhooks,
        audit: AuditLog,
    ) -> None:
        self._state = State(catalog, collections, controller, sessions, posted, audit)
        self._kept: dict[GlobalId, Batch] = {}
        self._of_items = _of_items()
        self._version = -1

    def of_session(self, session: OpenSession, catalog: Catalog) -> Callable[[GlobalId], Batch]:
        """`batch` for what that session reads, of the catalog that it sees."""
        if catalog is not self._state.catalog:
            return partial(self._own_batch, session=session, catalog=catalog)
        return partial(self.batch, session=session)

    def _own_batch(self, id: GlobalId, session: OpenSession, catalog: Catalog) -> Batch:
        """As `batch`, of a block's catalog."""
        item = catalog.item_by_id(id)
        state = replace(self._state, catalog=catalog, session=session)
        return _batch(state, item, self._of_items)

    async def prepare(self, ids: Collection[GlobalId]) -> None:
        """What depends on the catalog alone is computed beside the loop, ahead of `batch`: it may be many rows."""
        catalog = self._state.catalog
        for id_ in ids:
            if not is_system(id_):
                continue
            item = catalog.item_by_id(id_)
            if _full_name(item) not in _OF_THE_CATALOG:
                continue
            for _ in range(MAX_ATTEMPTS):
                version = self._current()
                if id_ in self._kept:
                    break
                try:
                    found = await EVALUATION.run(partial(_batch, self._state, item, self._of_items))
                except Exception:
                    if catalog.version == version:
                        raise
                else:  # of a catalog that has changed meanwhile it may be a mixture
                    if catalog.version == version == self._current():
                        self._kept[id_] = found

    def batch(self, id: GlobalId, session: OpenSession | None = None) -> Batch:
        """All rows, at time 0, in the order of the relation's columns; none for what cannot exist here."""
        self._current()
        found = self._kept.get(id)
        if found is None:
            item = self._state.catalog.item_by_id(id)
            found = _batch(replace(self._state, session=session), item, self._of_items)
            if _full_name(item) in _OF_THE_CATALOG:
                self._kept[id] = found
        return found

    def _current(self) -> int:
        """The catalog's version, from which on all is that was kept."""
        version = self._state.catalog.version
        if version != self._version:
            self._kept.clear()
            self._version = version
        return version


def of_catalog(catalog: Catalog, id: GlobalId) -> Batch:
    """As `Introspection.batch`, where there is a catalog and no runtime; 0A000 for what says what is going on in one."""
    item = catalog.item_by_id(id)
    name = _full_name(item)
    if name not in _OF_THE_CATALOG:
        raise Unsupported(f"there is no runtime to say what {name} holds")
    nothing: Any = None  # looked at by the other relations only
    return _batch(State(catalog, nothing, nothing, {}, nothing, nothing), item, _of_items())


def _full_name(item: CatalogItem) -> str:
    return f"{item.name.schema}.{item.name.name}"


def _of_items() -> Mapping[str, ItemRows]:
    return {name: ItemRows(SYSTEM_RELATIONS[name], rows_of) for name, rows_of in _OF_ITEMS.items()}


def _batch(state: State, item: CatalogItem, of_items: Mapping[str, ItemRows]) -> Batch:
    others = batch_from_rows(item.schema, _rows(state, item), 0)
    kept = of_items.get(_full_name(item))
    return others if kept is None else concat_batches(item.schema, [kept.batch(state.catalog), others])


def _rows(state: State, item: CatalogItem) -> tuple[tuple[Any, ...], ...]:
    function = _ROWS[_full_name(item)]
    if function is None:
        return ()
    names = item.schema.names
    return tuple(tuple(map(row.get, names)) for row in function(state))
