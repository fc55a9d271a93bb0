"""Planned statements: what `sql/` hands to the coordinator.

One frozen dataclass per statement.  Names are resolved to ids, expressions typed, subqueries decorrelated; views
are already inlined, so a relation reads only tables, sources, materialized views and system relations.  No syntax
node leaves this package.  Each module has the union of its own, and this one names the modules only.
"""

from __future__ import annotations

from ..syntax.role_statements import PrivilegeDefinition, RoleDefinition
from .connection_plans import ValidateConnection
from .data_plans import DataPlan
from .definition_plans import DefinitionPlan
from .explain_plans import Explanation
from .query_plans import Calling, QueryPlan
from .session_plans import DeclareCursor, SessionPlan

PlannedStatement = (
    QueryPlan
    | Calling
    | Explanation
    | DataPlan
    | DefinitionPlan
    | ValidateConnection
    | SessionPlan
    | DeclareCursor
    | RoleDefinition
    | PrivilegeDefinition
)
