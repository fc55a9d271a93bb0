"""Statements, names unresolved: the union of their syntax trees, which are of `query_statements`, `data_statements`,
`definition_statements`, `function_statements`, `privilege_statements`, `session_statements` and `show_statements`.  Queries and expressions within are of `ast`.
"""

from __future__ import annotations

from collections.abc import Mapping

from .data_statements import (
    CopyStatement,
    DeleteStatement,
    InsertStatement,
    MergeStatement,
    TruncateStatement,
    UpdateStatement,
)
from .definition_statements import (
    AlterClusterStatement,
    AlterRetentionStatement,
    AlterSinkStatement,
    AlterTableStatement,
    ApplyReplacementStatement,
    CommentStatement,
    CreateClusterStatement,
    CreateIndexStatement,
    CreateMaterializedViewStatement,
    CreateSchemaStatement,
    CreateSinkStatement,
    CreateSourceStatement,
    CreateTableStatement,
    CreateTypeStatement,
    CreateViewStatement,
    DropStatement,
    RenameStatement,
    SetSchemaStatement,
    SwapStatement,
)
from .function_statements import (
    AlterFunctionStatement,
    CommentFunctionStatement,
    CreateFunctionStatement,
    DropFunctionStatement,
)
from .privilege_statements import GrantStatement, OwnerStatement
from .query_statements import QueryStatement, SubscribeStatement
from .role_statements import DefaultPrivileges, DropOwned, ReassignOwned, RoleDefinition
from .session_statements import (
    BeginStatement,
    CloseStatement,
    CommitStatement,
    DeallocateStatement,
    DeclareStatement,
    DiscardStatement,
    ExecuteStatement,
    FetchStatement,
    NoOpStatement,
    PrepareStatement,
    ReleaseStatement,
    RollbackStatement,
    RollbackToStatement,
    SavepointStatement,
    SetStatement,
    SetTransactionStatement,
)
from .show_statements import ExplainStatement, ShowObjectsStatement, ShowVariableStatement
from .vocabulary import ObjectKind

StatementNode = (
    QueryStatement
    | SubscribeStatement
    | ExplainStatement
    | InsertStatement
    | UpdateStatement
    | DeleteStatement
    | MergeStatement
    | TruncateStatement
    | CopyStatement
    | CreateTableStatement
    | CreateTypeStatement
    | CreateViewStatement
    | CreateMaterializedViewStatement
    | CreateIndexStatement
    | CreateSourceStatement
    | CreateSinkStatement
    | CreateSchemaStatement
    | CreateClusterStatement
    | AlterClusterStatement
    | AlterRetentionStatement
    | AlterSinkStatement
    | DropStatement
    | RenameStatement
    | AlterTableStatement
    | SetSchemaStatement
    | SwapStatement
    | ApplyReplacementStatement
    | CommentStatement
    | CreateFunctionStatement
    | DropFunctionStatement
    | AlterFunctionStatement
    | CommentFunctionStatement
    | SetStatement
    | ShowVariableStatement
    | ShowObjectsStatement
    | BeginStatement
    | SetTransactionStatement
    | CommitStatement
    | RollbackStatement
    | SavepointStatement
    | RollbackToStatement
    | ReleaseStatement
    | PrepareStatement
    | ExecuteStatement
    | DeclareStatement
    | FetchStatement
    | CloseStatement
    | DeallocateStatement
    | DiscardStatement
    | NoOpStatement
    | RoleDefinition
    | GrantStatement
    | OwnerStatement
    | ReassignOwned
    | DropOwned
    | DefaultPrivileges
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
