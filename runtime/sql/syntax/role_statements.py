"""Statements about roles and privileges, as they are executed.

Names of roles are looked up when the statement runs, for their meaning (`CURRENT_USER`) is the session's; objects are ids by
then, schemas and clusters names.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field


class RoleWord(enum.Enum):
    """What a statement may say instead of a role's name."""

    CURRENT = "current_user"
    SESSION = "session_user"
    PUBLIC = "public"


@dataclass(frozen=True, slots=True)
class RoleSpec:
    """A role by name, or by what it is to the session."""

    name: str | RoleWord
    position: int


class Securable(enum.Enum):
    """What privileges are granted on."""

    TABLE = "table"  # views, materialized views and sources, too
    SCHEMA = "schema"
    CLUSTER = "cluster"
    DATABASE = "database"
    FUNCTION = "function"
    SECRET = "secret"
    CONNECTION = "connection"


class RoleFlag(enum.Enum):
    """What a role may have been made with; the word without NO in front of it."""

    SUPERUSER = "superuser"
    INHERIT = "inherit"
    CREATEROLE = "createrole"
    CREATEDB = "createdb"
    CREATECLUSTER = "createcluster"
    LOGIN = "login"


@dataclass(frozen=True, slots=True)
class CreateRole:
    """`password` is as it was written; it goes no further than to what its verifier is made from."""

    name: str
    flags: Mapping[RoleFlag, bool]
    password: str | None = field(default=None, repr=False)
    memberships: tuple[RoleSpec, ...] = ()
    members: tuple[RoleSpec, ...] = ()
    admins: tuple[RoleSpec, ...] = ()


@dataclass(frozen=True, slots=True)
class AlterRole:
    """`has_password`: it is set, or with `password` None taken away."""

    role: RoleSpec
    flags: Mapping[RoleFlag, bool]
    has_password: bool = False
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class AlterRoleSetting:
    """What sessions of the role begin with; `name` None: all that it has is taken back, `value` None: this one is."""

    role: RoleSpec
    name: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class AlterSystem:
    """What sessions of all roles begin with; `name` and `value` as in `AlterRoleSetting`."""

    name: str | None
    value: str | None


@dataclass(frozen=True, slots=True)
class RenameRole:
    role: RoleSpec
    new_name: str


@dataclass(frozen=True, slots=True)
class DropRoles:
    roles: tuple[RoleSpec, ...]
    if_exists: bool


@dataclass(frozen=True, slots=True)
class GrantRoles:
    """`options` are of ADMIN, INHERIT and SET, as far as the statement says them."""

    roles: tuple[RoleSpec, ...]
    members: tuple[RoleSpec, ...]
    options: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class RevokeRoles:
    """`option`: of the membership only that is taken."""

    roles: tuple[RoleSpec, ...]
    members: tuple[RoleSpec, ...]
    option: str | None
    cascade: bool


@dataclass(frozen=True, slots=True)
class Grant:
    """GRANT and REVOKE of privileges.

    `words` are privileges, None: ALL.  `targets` are ids of relations, or names of schemas and clusters; with `in_schemas`
    names of schemas whose relations are meant.  `option`: WITH GRANT OPTION, or GRANT OPTION FOR.
    """

    revoke: bool
    words: tuple[str, ...] | None
    kind: Securable
    targets: tuple[str, ...]
    in_schemas: bool
    grantees: tuple[RoleSpec, ...]
    option: bool
    cascade: bool


@dataclass(frozen=True, slots=True)
class DefaultPrivileges:
    """ALTER DEFAULT PRIVILEGES: `words` as in `Grant`, on objects of that kind which `roles` (none: the current one) will make,
    in the named schemas or, if none is, anywhere."""

    roles: tuple[RoleSpec, ...]
    schemas: tuple[str, ...]
    revoke: bool
    words: tuple[str, ...] | None
    kind: Securable
    grantees: tuple[RoleSpec, ...]
    option: bool


@dataclass(frozen=True, slots=True)
class AlterOwner:
    """`object` is an id of a relation, index or sink, or the name of a schema or cluster, or of the database."""

    kind: str
    object: str
    owner: RoleSpec


@dataclass(frozen=True, slots=True)
class ReassignOwned:
    roles: tuple[RoleSpec, ...]
    to: RoleSpec


@dataclass(frozen=True, slots=True)
class DropOwned:
    roles: tuple[RoleSpec, ...]
    cascade: bool


RoleDefinition = (
    CreateRole
    | AlterRole
    | AlterRoleSetting
    | AlterSystem
    | RenameRole
    | DropRoles
    | GrantRoles
    | RevokeRoles
)
PrivilegeDefinition = Grant | DefaultPrivileges | AlterOwner | ReassignOwned | DropOwned


AsWritten = RoleDefinition | DefaultPrivileges | ReassignOwned | DropOwned
"""Statements that are their own plans."""
