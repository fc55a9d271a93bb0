"""Catalog relations: `pg_catalog`, `information_schema`, `mz_catalog`, `mz_internal` as rows.

One function per relation, named like it, yields its rows as mappings from column to value; columns that it leaves out are
NULL.  They are computed when a query reads them and never touch Spark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...expr.relation import GlobalId
from ...sql.system_relations import SYSTEM_RELATIONS
from ..catalog import Catalog
from ..collections import Collections
from ..controller import Controller
from . import constraints, information_schema, mz_catalog, mz_internal, pg_catalog, pg_views
from .state import OpenSession, State

__all__ = ["Introspection"]

Row = Mapping[str, Any]
Rows = Callable[[State], Iterable[Row]]

_MODULES = {
    "pg_catalog": (pg_catalog, pg_views, constraints),
    "information_schema": (information_schema, constraints),
    "mz_catalog": (mz_catalog,),
    "mz_internal": (mz_internal,),
}


def _find(full_name: str) -> Rows | None:
    schema, _, name = full_name.partition(".")
    for module in _MODULES[schema]:
        function: Rows | None = getattr(module, name, None)
        if function is not None:
            return function
    return None


_ROWS: dict[str, Rows | None] = {name: _find(name) for name in SYSTEM_RELATIONS}


class Introspection:
    """`rows` answers for a system relation by its id."""

    def __init__(
        self,
        catalog: Catalog,
        collections: Collections,
        controller: Controller,
        sessions: Mapping[int, OpenSession],
    ) -> None:
        self._state = State(catalog, collections, controller, sessions)

    def rows(self, id: GlobalId) -> tuple[tuple[Any, ...], ...]:
        """All rows, in the order of the relation's columns; none for what cannot exist here."""
        item = self._state.catalog.item_by_id(id)
        function = _ROWS[f"{item.name.schema}.{item.name.name}"]
        if function is None:
            return ()
        names = item.schema.names
        return tuple(tuple(row.get(name) for name in names) for row in function(self._state))
