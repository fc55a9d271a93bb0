"""Definitions as SQL: what SHOW CREATE and pg_get_viewdef show."""

from __future__ import annotations

from ...expr.scalar import ColumnRef, Scalar
from ...sql.plans import ItemKind
from ..catalog import Item
from .state import State


def create_sql(state: State, item: Item) -> str:
    """A statement that makes the object, under its present name."""
    name = f"{_quoted(item.schema_name)}.{_quoted(item.name)}"
    match item.kind:
        case ItemKind.TABLE:
            columns = ", ".join(
                f"{_quoted(c.name)} {c.type}{'' if c.nullable else ' NOT NULL'}" for c in item.schema
            )
            return f"CREATE TABLE {name} ({columns})"
        case ItemKind.VIEW:
            return f"CREATE VIEW {name} AS {item.definition_sql}"
        case ItemKind.MATERIALIZED_VIEW:
            return f"CREATE MATERIALIZED VIEW {name} IN CLUSTER {item.cluster} AS {item.definition_sql}"
        case ItemKind.INDEX:
            return f"CREATE INDEX {_quoted(item.name)} IN CLUSTER {item.cluster} ON {state.on_name(item)} ({keys(state, item)})"
        case _:
            return item.create_sql


def keys(state: State, index: Item) -> str:
    """The key of an index: column names, and `expression` for what is not a column."""
    schema = state.catalog.item_by_id(index.on).schema

    def show(key: Scalar) -> str:
        return _quoted(schema[key.index].name) if isinstance(key, ColumnRef) else "(expression)"

    return ", ".join(show(key) for key in index.keys)


def _quoted(name: str) -> str:
    if name.isidentifier() and name == name.lower():
        return name
    return '"' + name.replace('"', '""') + '"'
