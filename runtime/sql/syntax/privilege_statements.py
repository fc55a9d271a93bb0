"""The syntax tree of statements about who may do what, and what belongs to whom."""

from __future__ import annotations

from dataclasses import dataclass

from .function_statements import FunctionReference
from .query_statements import ObjectName
from .role_statements import RoleSpec, Securable


@dataclass(frozen=True, slots=True)
class GrantStatement:
    """GRANT and REVOKE of privileges: as `role_plans.Grant`, objects by name."""

    revoke: bool
    words: tuple[str, ...] | None
    kind: Securable
    names: tuple[ObjectName, ...]
    in_schemas: bool
    grantees: tuple[RoleSpec, ...]
    option: bool
    cascade: bool
    functions: tuple[FunctionReference, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnerStatement:
    """ALTER ... OWNER TO."""

    kind: str
    name: ObjectName
    owner: RoleSpec
    if_exists: bool


PrivilegeStatement = GrantStatement | OwnerStatement
