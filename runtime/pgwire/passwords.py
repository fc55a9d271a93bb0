"""What a client must prove before its session opens: what the roles of the environment say, and an issuer of tokens.

A role with a password must give it, one without need not.  Once any role has one, a name that is none is asked for a
password, too, and no password is right: attempts do not tell who exists.
"""

from __future__ import annotations

from typing import Protocol

from ..network.tokens import BadToken, Tokens
from .contract import PasswordLookup, TokenRole, Trust
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


def of_tokens(tokens: Tokens, roles: RoleSecrets) -> TokenRole:
    """A token lets in as a role that there is: not under any name, as long as there are no roles."""

    async def lookup(token: str) -> str:
        role = await tokens.role_of(token)
        if not roles.knows(role):
            raise BadToken("there is no such role")
        return role

    return lookup
