"""Access control lists: who may do what with an object, by whose leave.

An `AclItem` says what one role (or PUBLIC) was granted by one other, as PostgreSQL's `aclitem`: privileges are its letters,
in its order.  Lists are values; `grant` and `revoke` make new ones.  An object without a list has the default one: its
owner may do everything, and PUBLIC what the kind of object says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...errors import DependentObjectsExist
from ...sql.syntax.role_statements import Securable

PUBLIC = "p"
"""Stands for everybody, where a role's id could; no role has it."""

LETTERS: Mapping[str, str] = {
    "INSERT": "a",
    "SELECT": "r",
    "UPDATE": "w",
    "DELETE": "d",
    "TRUNCATE": "D",
    "REFERENCES": "x",
    "TRIGGER": "t",
    "MAINTAIN": "m",
    "EXECUTE": "X",
    "USAGE": "U",
    "CREATE": "C",
    "CONNECT": "c",
    "TEMPORARY": "T",
}
WORDS: Mapping[str, str] = {letter: word for word, letter in LETTERS.items()}
_ORDER = "arwdDxtXUCTcm"
ALL: Mapping[Securable, str] = {
    Securable.TABLE: "arwdDxtm",
    Securable.SCHEMA: "UC",
    Securable.CLUSTER: "UC",
    Securable.DATABASE: "CTc",
    Securable.FUNCTION: "X",
    Securable.SECRET: "U",
    Securable.CONNECTION: "U",
}
TO_PUBLIC: Mapping[Securable, str] = {Securable.DATABASE: "Tc", Securable.FUNCTION: "X"}


@dataclass(frozen=True, slots=True)
class AclItem:
    """`grantable` are those of the `privileges` that the grantee may grant on."""

    grantee: str
    grantor: str
    privileges: str
    grantable: str = ""


Acl = tuple[AclItem, ...]


def acl_from_json(value: list[dict[str, Any]] | None) -> Acl | None:
    return None if value is None else tuple(AclItem(**item) for item in value)


def default_acl(kind: Securable, owner: str, public: str = "") -> Acl:
    """The list of an object before any GRANT or REVOKE; `public` is what PUBLIC may do beside what its kind says."""
    everyone = united(TO_PUBLIC.get(kind, ""), public)
    mine = AclItem(owner, owner, ALL[kind])
    return (AclItem(PUBLIC, owner, everyone), mine) if everyone else (mine,)


def united(first: str, second: str) -> str:
    """Privileges of both, in order."""
    return "".join(letter for letter in _ORDER if letter in first or letter in second)


def without(privileges: str, taken: str) -> str:
    return "".join(letter for letter in privileges if letter not in taken)


def within(privileges: str, kept: str) -> str:
    return "".join(letter for letter in privileges if letter in kept)


def held(acl: Iterable[AclItem], roles: frozenset[str]) -> str:
    """The privileges of `roles` together, those of PUBLIC among them."""
    found = ""
    for item in acl:
        if item.grantee == PUBLIC or item.grantee in roles:
            found += item.privileges
    return found


def grantable(acl: Iterable[AclItem], owner: str, role: str, kind: Securable) -> str:
    """What `role` itself may grant."""
    if role == owner:
        return ALL[kind]
    return united("".join(item.grantable for item in acl if item.grantee == role), "")


def grant(acl: Acl, grantee: str, grantor: str, privileges: str, option: bool) -> Acl:
    """With the grant, beside what the same grantor has granted before."""
    given = privileges if option else ""
    for place, item in enumerate(acl):
        if (item.grantee, item.grantor) == (grantee, grantor):
            more = AclItem(
                grantee, grantor, united(item.privileges, privileges), united(item.grantable, given)
            )
            return (*acl[:place], more, *acl[place + 1 :])
    return (*acl, AclItem(grantee, grantor, united(privileges, ""), united(given, "")))


def revoke(
    acl: Acl,
    grantee: str,
    grantor: str,
    privileges: str,
    owner: str,
    *,
    option_only: bool,
    cascade: bool,
) -> Acl:
    """Without the grant.  What the grantee has granted on by it goes too, with `cascade`; 2BP01 without."""
    left: list[AclItem] = []
    for item in acl:
        if (item.grantee, item.grantor) == (grantee, grantor):
            kept = item.privileges if option_only else without(item.privileges, privileges)
            item = replace(item, privileges=kept, grantable=without(item.grantable, privileges))
        if item.privileges:
            left.append(item)
    result = tuple(left)
    if grantee in (PUBLIC, owner):
        return result
    still = "".join(item.grantable for item in result if item.grantee == grantee)
    for item in result:
        lost = without(within(item.privileges, privileges), still)
        if item.grantor == grantee and lost:
            if not cascade:
                raise DependentObjectsExist(
                    "dependent privileges exist", hint="Use CASCADE to revoke them too."
                )
            result = revoke(result, item.grantee, grantee, lost, owner, option_only=False, cascade=True)
    return result


def owned_by(acl: Acl, old: str, new: str) -> Acl:
    """The list when the owner `old` has become `new`: its grants are those of the new one, as in PostgreSQL."""
    result: Acl = ()
    for item in acl:
        grantee, grantor = (new if role == old else role for role in (item.grantee, item.grantor))
        result = grant(result, grantee, grantor, item.privileges, False)
        result = grant(result, grantee, grantor, item.grantable, True) if item.grantable else result
    return result


def shown(acl: Iterable[AclItem], name: Callable[[str], str]) -> list[str]:
    """As PostgreSQL's aclitem[] prints: `name` says a role's, quoted where it needs it."""
    lines = []
    for item in acl:
        letters = "".join(letter + ("*" if letter in item.grantable else "") for letter in item.privileges)
        grantee = "" if item.grantee == PUBLIC else name(item.grantee)
        lines.append(f"{grantee}={letters}/{name(item.grantor)}")
    return lines
