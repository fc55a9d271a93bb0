"""Constraints as catalogs show them: pg_constraint, and information_schema's relations of them.

A key looks like a unique index of its name, as in PostgreSQL: clients find primary keys through pg_index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...config import DATABASE
from ...expr.functions.system.system import quote_ident
from ...repr.schema import Schema
from ...sql.syntax.constraints import Constraint, ConstraintKind
from ..catalog.items import Table
from .state import State

Rows = Iterator[dict[str, Any]]

_TYPES = {
    ConstraintKind.PRIMARY_KEY: "PRIMARY KEY",
    ConstraintKind.UNIQUE: "UNIQUE",
    ConstraintKind.CHECK: "CHECK",
}


def of_tables(state: State) -> Iterator[tuple[Table, Constraint]]:
    for item in state.catalog.user_items():
        if isinstance(item, Table):
            for constraint in item.constraints:
                yield item, constraint


def keys_of_tables(state: State) -> Iterator[tuple[Table, Constraint]]:
    return ((item, constraint) for item, constraint in of_tables(state) if constraint.is_key)


def constraint_sql(schema: Schema, constraint: Constraint, *, pretty: bool = False) -> str:
    """What follows CONSTRAINT name in CREATE TABLE; `pretty` as pg_get_constraintdef means it."""
    if constraint.check is not None:
        return f"CHECK ({constraint.text})" if pretty else f"CHECK (({constraint.text}))"
    distinct = "" if constraint.nulls_distinct else " NULLS NOT DISTINCT"
    return f"{_TYPES[constraint.kind]}{distinct} ({columns_sql(schema, constraint)})"


def columns_sql(schema: Schema, constraint: Constraint) -> str:
    return ", ".join(quote_ident(schema[index].name) for index in constraint.columns)


def key_index_sql(item: Table, constraint: Constraint) -> str:
    """The definition of the index that a key looks like."""
    distinct = "" if constraint.nulls_distinct else " NULLS NOT DISTINCT"
    on = f"{quote_ident(item.schema_name)}.{quote_ident(item.name)}"
    columns = columns_sql(item.schema, constraint)
    return f"CREATE UNIQUE INDEX {quote_ident(constraint.name)} ON {on} USING btree ({columns}){distinct}"


def pg_constraint(state: State) -> Rows:
    for item, constraint in of_tables(state):
        yield {
            "oid": constraint.oid,
            "conname": constraint.name,
            "connamespace": state.schema_oid(item.schema_name),
            "contype": constraint.kind.value,
            "condeferrable": False,
            "condeferred": False,
            "convalidated": True,
            "conrelid": item.oid,
            "contypid": 0,
            "conindid": constraint.oid if constraint.is_key else 0,
            "conparentid": 0,
            "confrelid": 0,
            "confupdtype": " ",
            "confdeltype": " ",
            "confmatchtype": " ",
            "conislocal": True,
            "coninhcount": 0,
            "connoinherit": constraint.is_key,
            "conkey": [index + 1 for index in constraint.columns],
            "conbin": constraint.text or None,
        }


def _named(item: Table, constraint: Constraint) -> dict[str, Any]:
    return {
        "constraint_catalog": DATABASE,
        "constraint_schema": item.schema_name,
        "constraint_name": constraint.name,
    }


def _on(item: Table) -> dict[str, Any]:
    return {"table_catalog": DATABASE, "table_schema": item.schema_name, "table_name": item.name}


def table_constraints(state: State) -> Rows:
    for item, constraint in of_tables(state):
        yield (
            _named(item, constraint)
            | _on(item)
            | {
                "constraint_type": _TYPES[constraint.kind],
                "is_deferrable": "NO",
                "initially_deferred": "NO",
                "enforced": "YES",
            }
        )


def key_column_usage(state: State) -> Rows:
    for item, constraint in keys_of_tables(state):
        for number, index in enumerate(constraint.columns, 1):
            yield (
                _named(item, constraint)
                | _on(item)
                | {
                    "column_name": item.schema[index].name,
                    "ordinal_position": number,
                }
            )


def constraint_column_usage(state: State) -> Rows:
    for item, constraint in of_tables(state):
        for index in constraint.columns:
            yield _named(item, constraint) | _on(item) | {"column_name": item.schema[index].name}


def constraint_table_usage(state: State) -> Rows:
    for item, constraint in keys_of_tables(state):
        yield _named(item, constraint) | _on(item)


def check_constraints(state: State) -> Rows:
    for item, constraint in of_tables(state):
        if not constraint.is_key:
            yield _named(item, constraint) | {"check_clause": f"({constraint.text})"}
