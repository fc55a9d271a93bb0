"""What planning asks of roles and privileges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..syntax.role_statements import Securable


class PrivilegeView(Protocol):
    """What planning asks of roles: those of one version of the catalog."""

    def role_name(self, oid: int) -> str | None:
        """Of the role with that OID."""

    def allowed(self, role: str, kind: Securable, word: str, *, option: bool) -> Mapping[int, bool]:
        """Whether the role may, by OID of the object; 42704 for an unknown role, 22023 for an unknown privilege."""

    def memberships(self, role: str, mode: str, *, admin: bool) -> frozenset[int]:
        """OIDs of the roles that it is in, in that way."""
