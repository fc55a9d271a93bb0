"""Statements, names unresolved: the union of their syntax trees.  Each module has that of its own, and this one names the
modules only.  Queries and expressions within are of `ast`.
"""

from __future__ import annotations

from collections.abc import Mapping

from .connection_statements import ConnectionStatement
from .data_statements import DataStatement
from .definition_statements import DefinitionStatement
from .function_statements import FunctionStatement
from .privilege_statements import PrivilegeStatement
from .query_statements import QueryStatement, SubscribeStatement
from .role_statements import AsWritten
from .session_statements import (
    CloseStatement,
    DeallocateStatement,
    DiscardStatement,
    FetchStatement,
    NestingStatement,
    ReleaseStatement,
    RollbackToStatement,
    SavepointStatement,
    SessionStatement,
    SetStatement,
    SetTransactionStatement,
)
from .show_statements import ShowStatement, ShowVariableStatement
from .vocabulary import ObjectKind

StatementNode = (
    QueryStatement
    | SubscribeStatement
    | DataStatement
    | DefinitionStatement
    | FunctionStatement
    | ConnectionStatement
    | PrivilegeStatement
    | AsWritten
    | ShowStatement
    | SessionStatement
    | NestingStatement
)

AT_ONCE = (
    SavepointStatement
    | RollbackToStatement
    | ReleaseStatement
    | FetchStatement
    | CloseStatement
    | DeallocateStatement
    | DiscardStatement
    | SetStatement
    | SetTransactionStatement
    | ShowVariableStatement
)
"""Statements whose planning is no work at all."""

KIND_WORDS: Mapping[str, ObjectKind] = {
    kind.value.lower(): kind for kind in ObjectKind if kind is not ObjectKind.FUNCTION
}
