"""Roles: who may connect, and what belongs to whom.

A `RoleEntry` is one in the catalog; memberships are kept with the member.  `Roles` are all of them at one version of the
catalog:

```
inherited(r)   r, and the roles whose privileges it has: over memberships WITH INHERIT
reachable(r)   r, and the roles that it may SET ROLE to: over memberships WITH SET
within(r)      r, and the roles that it is a member of in any way
```
A superuser may do everything; that does not pass on to members.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...config import DEFAULT_USER
from ...errors import UndefinedObject

OWNER_ID = "u1"
"""The id of the role that every environment begins with, and that owns what no other role does."""
OWNER_OID = 10


@dataclass(frozen=True, slots=True)
class Membership:
    """In the role with the id `role`."""

    role: str
    grantor: str
    admin: bool = False
    inherit: bool = True
    set: bool = True


@dataclass(frozen=True, slots=True)
class RoleEntry:
    """`password` is a SCRAM verifier as text; None: the role has no password.  `settings` are what its sessions begin with."""

    id: str
    oid: int
    name: str
    superuser: bool = False
    inherit: bool = True
    create_role: bool = False
    create_db: bool = False
    create_cluster: bool = False
    login: bool = False
    password: str | None = field(default=None, repr=False)
    settings: Mapping[str, str] = field(default_factory=dict)
    member_of: tuple[Membership, ...] = ()

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> RoleEntry:
        members = tuple(Membership(**membership) for membership in value.pop("member_of", ()))
        return cls(**value, member_of=members)


FIRST_ROLE = RoleEntry(
    OWNER_ID,
    OWNER_OID,
    DEFAULT_USER,
    superuser=True,
    create_role=True,
    create_db=True,
    create_cluster=True,
    login=True,
)


class Roles:
    """Those of one version of the catalog; sets of ids are computed once."""

    def __init__(self, entries: Iterable[RoleEntry]) -> None:
        self.by_id = {entry.id: entry for entry in entries}
        self._by_name = {entry.name: entry for entry in self.by_id.values()}
        self._inherited: dict[str, frozenset[str]] = {}

    @property
    def only_the_first(self) -> bool:
        return len(self.by_id) == 1

    def find(self, name: str) -> RoleEntry | None:
        return self._by_name.get(name)

    def get(self, name: str) -> RoleEntry:
        found = self._by_name.get(name)
        if found is None:
            raise UndefinedObject(f'role "{name}" does not exist')
        return found

    def name(self, id: str) -> str:
        return self.by_id[id].name

    def inherited(self, id: str) -> frozenset[str]:
        found = self._inherited.get(id)
        if found is None:
            found = self._inherited[id] = self._closure(id, lambda membership: membership.inherit)
        return found

    def reachable(self, id: str) -> frozenset[str]:
        return self._closure(id, lambda membership: membership.set)

    def within(self, id: str) -> frozenset[str]:
        return self._closure(id, lambda membership: True)

    def members(self, id: str) -> list[tuple[RoleEntry, Membership]]:
        """The roles that are directly in it."""
        return [
            (entry, membership)
            for entry in self.by_id.values()
            for membership in entry.member_of
            if membership.role == id
        ]

    def may_set(self, entry: RoleEntry, target: RoleEntry) -> bool:
        return entry.superuser or target.id in self.reachable(entry.id)

    def administers(self, entry: RoleEntry, target: str) -> bool:
        """Whether the role may grant membership in `target`, and alter it with CREATEROLE."""
        if entry.superuser:
            return True
        mine = self.inherited(entry.id)
        return any(member.id in mine and membership.admin for member, membership in self.members(target))

    def _closure(self, id: str, follows: Callable[[Membership], bool]) -> frozenset[str]:
        found, pending = {id}, [id]
        while pending:
            for membership in self.by_id[pending.pop()].member_of:
                if follows(membership) and membership.role not in found:
                    found.add(membership.role)
                    pending.append(membership.role)
        return frozenset(found)
