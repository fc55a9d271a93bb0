"""What a client must prove before its session opens: what the roles of the environment say.

A role with a password must give it, one without need not.  Once any role has one, a name that is none is asked for a
password, too, and no password is right: attempts do not tell who exists.
"""

from __future__ import annotations

from typing import Protocol

from .contract import PasswordLookup, Trust
from .scram import ScramSecret


class RoleSecrets(Protocol):
    def secret(self, user: str) -> ScramSecret | None:
        """That of the role; None: it has none."""

    def knows(self, user: str) -> bool:
        """Whether there is such a role."""

    @property
    def asks_passwords(self) -> bool:
        """Whether some role has a password."""


def of_roles(roles: RoleSecrets) -> PasswordLookup:
    async def lookup(user: str) -> ScramSecret | Trust | None:
        secret = roles.secret(user)
        if secret is None and (roles.knows(user) or not roles.asks_passwords):
            return Trust()
        return secret

    return lookup
