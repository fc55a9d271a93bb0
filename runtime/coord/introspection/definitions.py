"""Definitions as SQL: what SHOW CREATE and pg_get_viewdef show."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ...expr.coercion import base_name
from ...expr.functions.system import quote_ident, quote_literal
from ...expr.scalar import ColumnRef, Literal, Scalar
from ...expr.text_output import to_text
from ...repr.schema import Column
from ...repr.types import Kind
from ...sql.explain import show
from ...sql.plans import ItemKind
from ..catalog import Item
from .constraints import constraint_sql
from .state import State


def create_sql(state: State, item: Item) -> str:
    """A statement that makes the object, under its present name."""
    name = f"{quote_ident(item.schema_name)}.{quote_ident(item.name)}"
    match item.kind:
        case ItemKind.TABLE:
            columns = ", ".join(
                _column(c, item.defaults[i] if item.defaults else None) for i, c in enumerate(item.schema)
            )
            for constraint in item.constraints:
                definition = constraint_sql(item.schema, constraint)
                columns += f", CONSTRAINT {quote_ident(constraint.name)} {definition}"
            return f"CREATE TABLE {name} ({columns})"
        case ItemKind.VIEW:
            return f"CREATE VIEW {name} AS {item.definition_sql}"
        case ItemKind.MATERIALIZED_VIEW:
            return f"CREATE MATERIALIZED VIEW {name} IN CLUSTER {item.cluster} AS {item.definition_sql}"
        case ItemKind.INDEX:
            on = state.on_name(item)
            return f"CREATE INDEX {quote_ident(item.name)} IN CLUSTER {item.cluster} ON {on} ({keys(state, item)})"
        case _:
            return item.create_sql


def _column(column: Column, default: Scalar | None) -> str:
    text = f"{quote_ident(column.name)} {column.type}{'' if column.nullable else ' NOT NULL'}"
    return text if default is None else f"{text} DEFAULT {default_sql(default)}"


def index_sql(state: State, index: Item) -> str:
    """The definition as PostgreSQL's clients read it: psql shows what follows USING."""
    on = state.on_name(index)
    return f"CREATE INDEX {quote_ident(index.name)} ON {on} USING arrangement ({keys(state, index)})"


def keys(state: State, index: Item) -> str:
    """The key of an index."""
    return ", ".join(key_columns(state, index))


def key_columns(state: State, index: Item) -> list[str]:
    """Each column of the key: a name, or an expression in parentheses."""
    item = state.catalog.item_by_id(index.on)
    names = [""] * (max(item.layout) + 1) if item.layout else [""] * len(item.schema)
    for position, column in enumerate(item.schema):
        names[item.stored_position(position)] = quote_ident(column.name)
    shown = [(key, expression_sql(key, names)) for key in index.keys]
    return [text if isinstance(key, ColumnRef) or text[0] == "(" else f"({text})" for key, text in shown]


def expression_sql(scalar: Scalar, names: Sequence[str] = ()) -> str:
    """An expression over columns of those names."""
    if isinstance(scalar, Literal):
        return default_sql(scalar)
    return show(scalar, names)


def default_sql(scalar: Scalar) -> str:
    """A DEFAULT as PostgreSQL prints it: numbers that have no sign and truth values as they are, other values as
    typed strings."""
    if not isinstance(scalar, Literal):
        return show(scalar, ())
    type_ = scalar.type
    if scalar.value is None:
        return f"NULL::{base_name(type_)}"
    text: str = to_text(pa.array([scalar.value], type_.arrow), type_)[0].as_py()
    if type_.kind is Kind.BOOL:
        return "true" if scalar.value else "false"
    if type_.is_numeric_category and text[0].isdigit():
        return text.rstrip("0").rstrip(".") if type_.kind is Kind.NUMERIC and "." in text else text
    return f"{quote_literal(text).strip()}::{base_name(type_)}"
