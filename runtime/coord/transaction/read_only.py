"""Read-only transactions: what they refuse, as PostgreSQL does, and by its names of the statements.

A transaction is read-only as its variable `transaction_read_only` says.  It may write to temporary tables, and define
nothing.
"""

from __future__ import annotations

import re

from ...errors import InvalidTransactionState
from ...expr.tree.relation import GlobalId
from ...sql.plans.data_plans import CopyFrom, Replay, Truncate, Write
from ...sql.plans.definition_plans import (
    AlterRetention,
    ApplyReplacement,
    CreateTable,
    DefinitionPlan,
    Drop,
    Rename,
    SetSchema,
    Swap,
)
from ...sql.plans.plans import PlannedStatement
from ...sql.syntax.role_statements import (
    AlterOwner,
    AlterRoleSetting,
    AlterSystem,
    DefaultPrivileges,
    DropRoles,
    Grant,
    GrantRoles,
    PrivilegeDefinition,
    RenameRole,
    RevokeRoles,
    RoleDefinition,
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
}
"""Of the kinds that are not called as their plans are."""


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
        case AlterSystem():
            return None
        case CopyFrom(table=table):
            return None if _temporary(table, catalog) else "COPY FROM"
        case Truncate(tables=tables):
            return None if all(_temporary(table, catalog) for table in tables) else planned.command
        case _ if isinstance(planned, Write):
            return None if _temporary(planned.table, catalog) else planned.command
        case Replay():
            return "ALTER SOURCE"
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
        case _ if isinstance(planned, DefinitionPlan | RoleDefinition | PrivilegeDefinition):
            return _called(planned)
        case _:
            return None


def _called(planned: PlannedStatement) -> str:
    """CREATE VIEW, for a CreateView."""
    name = type(planned).__name__
    return _NAMES.get(type(planned)) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).upper()


def _temporary(table: GlobalId, catalog: Catalog) -> bool:
    return catalog.get(table).temporary
