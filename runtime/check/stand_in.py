"""Where a connection of dbt's would be: it answers what the catalog in memory knows, and refuses the rest.

Macros that look at the catalog (columns of a relation, relations of a schema) see the models as they will be.  A query that asks
for rows has no answer without a runtime: `NoAnswer`, with which the node's rendering ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from dbt.adapters.contracts.connection import Connection, ConnectionState
from psycopg.pq import TransactionStatus

from dbt.adapters.ptvc.column import PtvcColumn
from dbt.adapters.ptvc.connections import PtvcConnectionManager

from ..coord.introspection.information_schema import columns_of
from ..errors import PtvcError
from ..repr.types import ScalarType
from .environment import Environment, RowsUnknown


class NoAnswer(Exception):
    """What a macro has asked cannot be answered here."""


class _Info:
    """What the adapter reads of a connection's state."""

    transaction_status = TransactionStatus.IDLE
    host, port = "nowhere", 0

    def parameter_status(self, name: str) -> None:
        return None


class StandInCursor:
    """As much of psycopg's cursor as dbt uses of it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._rows: list[tuple[Any, ...]] = []
        self.description: list[tuple[str, int]] | None = None
        self.statusmessage = ""
        self.rowcount = -1

    def __enter__(self) -> StandInCursor:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def execute(self, sql: str | bytes, parameters: Sequence[Any] | None = None) -> StandInCursor:
        text = sql.decode() if isinstance(sql, bytes) else sql
        if parameters:
            raise NoAnswer("a query with parameters")
        try:
            schema, self._rows = self._environment.rows(text)
            self.description = [(column.name, _oid(column.type)) for column in schema]
        except RowsUnknown as error:
            self.description, self._rows = self._asked(text, error)
        except PtvcError as error:
            raise NoAnswer(_no_answer(text, error.message)) from error
        self.statusmessage = f"SELECT {len(self._rows)}"
        self.rowcount = len(self._rows)
        return self

    def _asked(self, text: str, unknown: RowsUnknown) -> tuple[list[tuple[str, int]], list[tuple[Any, ...]]]:
        """What a runtime says, where there is one."""
        if self._environment.ask is None:
            raise NoAnswer(_no_answer(text, unknown.message)) from unknown
        try:
            return self._environment.ask(text)
        except psycopg.Error as error:
            raise NoAnswer(_no_answer(text, str(error).strip())) from error

    def fetchall(self) -> list[tuple[Any, ...]]:
        return self._rows

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        return self._rows[:size]

    def fetchone(self) -> tuple[Any, ...] | None:
        return self._rows[0] if self._rows else None

    def close(self) -> None:
        return None


class StandIn:
    """As much of psycopg's connection as the adapter uses of it."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self.closed = False
        self.info = _Info()

    def cursor(self, *_: object, **__: object) -> StandInCursor:
        return StandInCursor(self._environment)

    def execute(self, sql: str | bytes, *parameters: Any) -> StandInCursor:
        return self.cursor().execute(sql, *parameters)

    def rollback(self) -> None:
        return None

    def commit(self) -> None:
        return None

    def close(self) -> None:
        self.closed = True


class StandInConnections(PtvcConnectionManager):
    """Connections of a dbt that must reach no runtime.  `environment` is set before the first is opened."""

    environment: Environment

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        connection.handle = StandIn(cls.environment)
        connection.state = ConnectionState.OPEN
        return connection


def columns_in_relation(environment: Environment, relation: Any) -> list[PtvcColumn]:
    """What the adapter's query for a relation's columns would bring: asked of every relation, that takes long."""
    item = environment.catalog.item(str(relation.schema), str(relation.identifier))
    return [
        PtvcColumn(
            row["column_name"],
            f"{row['udt_name'][1:]}[]" if row["data_type"] == "ARRAY" else row["data_type"],
            row["character_maximum_length"],
            row["numeric_precision"],
            row["numeric_scale"],
        )
        for row in (columns_of(0, item) if item is not None and item.kind.is_relation else ())
    ]


def relation_in(
    environment: Environment, make: Callable[..., Any], database: str, schema: str, identifier: str
) -> Any:
    """What the adapter's cache would have of a relation: of every schema, it would be filled again for each node."""
    item = environment.find(schema, identifier)
    return None if item is None else make(schema, identifier, item.kind.value)


def connections_to(environment: Environment) -> type[StandInConnections]:
    """The connections of one environment: dbt opens them by their class."""
    return type("StandInConnections", (StandInConnections,), {"environment": environment})


def _no_answer(text: str, message: str) -> str:
    return f"{message} ({' '.join(text.split())[:200]})"


def _oid(type_: ScalarType) -> int:
    found = psycopg.adapters.types.get(str(ScalarType(type_.kind)) if type_.element is None else "text")
    return found.oid if found is not None else 25
