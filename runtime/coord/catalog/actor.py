"""Who a statement is executed for: the current role, and the one that the session was opened as."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import InvalidParameter
from ...sql.syntax.role_statements import RoleSpec, RoleWord
from .role import RoleEntry, Roles


@dataclass(frozen=True, slots=True)
class Actor:
    """`role` is what privileges are checked of, and who owns what is made."""

    role: RoleEntry
    session: RoleEntry

    def resolve(self, spec: RoleSpec, roles: Roles) -> RoleEntry:
        """The role that a statement names; 42704 if there is none."""
        match spec.name:
            case RoleWord.CURRENT:
                return self.role
            case RoleWord.SESSION:
                return self.session
            case RoleWord.PUBLIC:
                raise InvalidParameter('role "public" does not exist', sqlstate="42704")
            case name:
                return roles.get(name)
