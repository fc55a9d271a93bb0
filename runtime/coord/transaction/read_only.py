"""Read-only transactions: what they refuse, as PostgreSQL does, and by its names of the statements.

A transaction is read-only as its variable `transaction_read_only` says.  It may write to temporary tables, and define
nothing.
"""

from __future__ import annotations

import re

from ...errors import InvalidTransactionState
from ...expr.tree.relation import GlobalId
from ...sql.plans.data_plans import CopyFrom, Delete, Insert, Merge, Truncate, Update
from ...sql.plans.definition_plans import (
    AlterCluster,
    AlterRetention,
    AlterSink,
    AlterTable,
    ApplyReplacement,
    Comment,
    CreateCluster,
    CreateFunction,
    CreateIndex,
    CreateMaterializedView,
    CreateSchema,
    CreateSink,
    CreateSource,
    CreateTable,
    CreateType,
    CreateView,
    Drop,
    Rename,
    SetSchema,
    Swap,
)
from ...sql.plans.plans import PlannedStatement
from ...sql.syntax.role_statements import (
    AlterOwner,
    AlterRole,
    AlterRoleSetting,
    CreateRole,
    DefaultPrivileges,
    DropOwned,
    DropRoles,
    Grant,
    GrantRoles,
    ReassignOwned,
    RenameRole,
    RevokeRoles,
)
from ..catalog.catalog import Catalog

_NAMES: dict[type, str] = {
    AlterRoleSetting: "ALTER ROLE",
    ApplyReplacement: "ALTER MATERIALIZED VIEW",
    DefaultPrivileges: "ALTER DEFAULT PRIVILEGES",
    DropRoles: "DROP ROLE",
    GrantRoles: "GRANT ROLE",
    RenameRole: "ALTER ROLE",
    RevokeRoles: "REVOKE ROLE",
    Truncate: "TRUNCATE TABLE",
    CopyFrom: "COPY FROM",
}
"""Of the kinds that are not called as their plans are."""

_DEFINITIONS = (
    AlterCluster
    | AlterSink
    | AlterTable
    | AlterRole
    | Comment
    | CreateCluster
    | CreateFunction
    | CreateIndex
    | CreateMaterializedView
    | CreateRole
    | CreateSchema
    | CreateSink
    | CreateSource
    | CreateType
    | CreateView
    | DropOwned
    | ReassignOwned
)
"""Called as their plans are."""


def refuse_write(planned: PlannedStatement, catalog: Catalog) -> None:
    """Raises 25006 for what a read-only transaction cannot do; `catalog` is that of the transaction."""
    command = _command(planned, catalog)
    if command is not None:
        raise InvalidTransactionState(
            f"cannot execute {command} in a read-only transaction", sqlstate="25006"
        )


def _command(planned: PlannedStatement, catalog: Catalog) -> str | None:
    """What PostgreSQL calls the statement; None when it is allowed.  ALTER SYSTEM is: it is of no transaction."""
    match planned:
        case Insert() | Update() | Delete() | Merge() | CopyFrom():
            return None if _temporary(planned.table, catalog) else _called(planned)
        case Truncate(tables=tables):
            return None if all(_temporary(table, catalog) for table in tables) else _called(planned)
        case CreateTable(query=query):
            return "CREATE TABLE" if query is None else "CREATE TABLE AS"
        case AlterRetention(kind=kind) | Rename(kind=kind) | SetSchema(kind=kind) | Swap(kind=kind):
            return f"ALTER {kind.value}"
        case Drop(kind=kind):
            return f"DROP {kind.value}"
        case AlterOwner(kind=word):
            return f"ALTER {word}"
        case Grant(revoke=revoke):
            return "REVOKE" if revoke else "GRANT"
        case _ if type(planned) in _NAMES or isinstance(planned, _DEFINITIONS):
            return _called(planned)
        case _:
            return None


def _called(planned: PlannedStatement) -> str:
    """CREATE VIEW, for a CreateView."""
    name = type(planned).__name__
    return _NAMES.get(type(planned)) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).upper()


def _temporary(table: GlobalId, catalog: Catalog) -> bool:
    return catalog.get(table).temporary
