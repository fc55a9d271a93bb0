"""Definitions as SQL: what SHOW CREATE and pg_get_viewdef show."""

from __future__ import annotations

from collections.abc import Sequence

from ...expr.scalar import ColumnRef, Literal, Scalar
from ...repr.schema import Column
from ...sql.explain import show
from ...sql.plans import ItemKind
from ..catalog import Item
from .constraints import constraint_sql, quoted
from .state import State


def create_sql(state: State, item: Item) -> str:
    """A statement that makes the object, under its present name."""
    name = f"{quoted(item.schema_name)}.{quoted(item.name)}"
    match item.kind:
        case ItemKind.TABLE:
            columns = ", ".join(
                _column(c, item.defaults[i] if item.defaults else None) for i, c in enumerate(item.schema)
            )
            for constraint in item.constraints:
                definition = constraint_sql(item.schema, constraint)
                columns += f", CONSTRAINT {quoted(constraint.name)} {definition}"
            return f"CREATE TABLE {name} ({columns})"
        case ItemKind.VIEW:
            return f"CREATE VIEW {name} AS {item.definition_sql}"
        case ItemKind.MATERIALIZED_VIEW:
            return f"CREATE MATERIALIZED VIEW {name} IN CLUSTER {item.cluster} AS {item.definition_sql}"
        case ItemKind.INDEX:
            on = state.on_name(item)
            return f"CREATE INDEX {quoted(item.name)} IN CLUSTER {item.cluster} ON {on} ({keys(state, item)})"
        case _:
            return item.create_sql


def _column(column: Column, default: Scalar | None) -> str:
    text = f"{quoted(column.name)} {column.type}{'' if column.nullable else ' NOT NULL'}"
    return text if default is None else f"{text} DEFAULT {expression_sql(default)}"


def index_sql(state: State, index: Item) -> str:
    """The definition as PostgreSQL's clients read it: psql shows what follows USING."""
    on = state.on_name(index)
    return f"CREATE INDEX {quoted(index.name)} ON {on} USING arrangement ({keys(state, index)})"


def keys(state: State, index: Item) -> str:
    """The key of an index."""
    return ", ".join(key_columns(state, index))


def key_columns(state: State, index: Item) -> list[str]:
    """Each column of the key: a name, or an expression in parentheses."""
    item = state.catalog.item_by_id(index.on)
    names = [""] * (max(item.layout) + 1) if item.layout else [""] * len(item.schema)
    for position, column in enumerate(item.schema):
        names[item.stored_position(position)] = quoted(column.name)
    shown = [(key, expression_sql(key, names)) for key in index.keys]
    return [text if isinstance(key, ColumnRef) or text[0] == "(" else f"({text})" for key, text in shown]


def expression_sql(scalar: Scalar, names: Sequence[str] = ()) -> str:
    """An expression over columns of those names."""
    if isinstance(scalar, Literal) and isinstance(scalar.value, str):
        quoted = scalar.value.replace("'", "''")
        return f"'{quoted}'::{scalar.type}"
    return show(scalar, names)
