"""The roles of a session: the one it was opened as, the one it says it is (SET SESSION AUTHORIZATION), the current one (SET ROLE).

The last two are session variables of those names, so they come and go with transactions as other variables do.  Who has
connected under a name that is no role, while the environment had none of its own, keeps that name to the outside and acts
as the first role.
"""

from __future__ import annotations

from ...errors import InvalidParameter, InvalidTransactionState, PermissionDenied
from ..catalog.actor import Actor
from ..catalog.catalog import Catalog
from ..catalog.role import RoleEntry, Roles
from ..variables import Variables

ROLE, AUTHORIZATION = "role", "session_authorization"
NONE = "none"


class SessionRoles:
    """`user` is the name at the door, `login` the id of the role that it means."""

    def __init__(self, catalog: Catalog, user: str, login: str, variables: Variables) -> None:
        self._catalog = catalog
        self._user = user
        self._login = login
        self._variables = variables
        self._known: tuple[Roles, str, str, Actor] | None = None

    @property
    def actor(self) -> Actor:
        """Computed anew when the roles or the variables have changed; 42704 when a role is gone that the session has set."""
        roles = self._catalog.roles
        name, authorization = self._variables.get(ROLE), self._variables.get(AUTHORIZATION)
        known = self._known
        if known is not None and known[0] is roles and known[1] == name and known[2] == authorization:
            return known[3]
        session = self._authorized(roles, authorization)
        actor = Actor(session if name == NONE else roles.get(name), session)
        self._known = roles, name, authorization, actor
        return actor

    @property
    def current_user(self) -> str:
        name = self._variables.get(ROLE)
        return self.session_user if name == NONE else name

    @property
    def role_name(self) -> str:
        """Of the current role; not what the session calls itself."""
        return self.actor.role.name

    @property
    def session_user(self) -> str:
        return self._variables.get(AUTHORIZATION)

    def is_one(self, name: str) -> bool:
        return name.lower() in (ROLE, AUTHORIZATION)

    def set(self, name: str, value: str | None, *, local: bool) -> None:
        """SET ROLE and SET SESSION AUTHORIZATION; `value` None goes back to the start."""
        roles = self._catalog.roles
        if name.lower() == ROLE:
            value = value or NONE
            if value != NONE:
                target = _found(roles, value)
                if not roles.may_set(self.actor.session, target):
                    raise PermissionDenied(f'permission denied to set role "{value}"')
            self._variables.set(ROLE, value, local=local)
        else:
            value = value or self._user
            if value != self._user:
                target = _found(roles, value)
                if not self._opened_as(roles).superuser and target.id != self._login:
                    raise PermissionDenied(f'permission denied to set session authorization "{value}"')
            self._variables.set(AUTHORIZATION, value, local=local)
            self._variables.set(ROLE, NONE, local=local)
        self._variables.show_superuser(self.actor.role.superuser, local=local)

    def reset(self) -> None:
        """Back to who has connected."""
        self.set(AUTHORIZATION, None, local=False)

    def _authorized(self, roles: Roles, name: str) -> RoleEntry:
        return self._opened_as(roles) if name == self._user else roles.get(name)

    def _opened_as(self, roles: Roles) -> RoleEntry:
        found = roles.by_id.get(self._login)
        if found is None:
            raise InvalidTransactionState(
                f'role "{self._user}", as which this session was opened, does not exist any more',
                sqlstate="28000",
                hint="Connect as another role.",
            )
        return found


def _found(roles: Roles, name: str) -> RoleEntry:
    role = roles.find(name)
    if role is None:
        raise InvalidParameter(f'role "{name}" does not exist')
    return role
