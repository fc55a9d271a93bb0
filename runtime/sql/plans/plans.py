"""Planned statements: what `sql/` hands to the coordinator.

One frozen dataclass per statement.  Names are resolved to ids, expressions typed, subqueries decorrelated; views
are already inlined, so a relation reads only tables, sources, materialized views and system relations.  No syntax
node leaves this package.
"""

from __future__ import annotations

from ..syntax.role_statements import PrivilegeDefinition, RoleDefinition
from .data_plans import CopyFrom, CopyTo, Delete, Insert, Merge, Truncate, Update
from .definition_plans import (
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
from .explain_plans import Explain, ExplainAnalyze, ExplainPushdown, ExplainTimestamp
from .query_plans import Calling, Select, Subscribe
from .session_plans import (
    Begin,
    CloseCursor,
    Commit,
    Deallocate,
    DeclareCursor,
    Discard,
    Execute,
    Fetch,
    NoOp,
    Prepare,
    Release,
    Rollback,
    RollbackTo,
    Savepoint,
    SetTransaction,
    SetVariable,
    ShowVariable,
)

PlannedStatement = (
    Select
    | Calling
    | Subscribe
    | Explain
    | ExplainTimestamp
    | ExplainPushdown
    | ExplainAnalyze
    | Insert
    | Update
    | Delete
    | Merge
    | Truncate
    | CopyFrom
    | CopyTo
    | CreateSchema
    | CreateTable
    | CreateType
    | CreateView
    | CreateMaterializedView
    | CreateIndex
    | CreateSource
    | CreateSink
    | CreateCluster
    | CreateFunction
    | SetSchema
    | AlterCluster
    | AlterRetention
    | AlterSink
    | AlterTable
    | Drop
    | Rename
    | Swap
    | ApplyReplacement
    | Comment
    | SetVariable
    | SetTransaction
    | ShowVariable
    | Begin
    | Commit
    | Rollback
    | Savepoint
    | RollbackTo
    | Release
    | Prepare
    | Execute
    | DeclareCursor
    | Fetch
    | CloseCursor
    | Deallocate
    | Discard
    | NoOp
    | RoleDefinition
    | PrivilegeDefinition
)
