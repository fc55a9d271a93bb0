"""Access control lists: grants, and what a REVOKE takes along."""

from __future__ import annotations

import pytest
from ptvc.coord.catalog.acl import PUBLIC, Acl, default_acl, grant, grantable, held, owned_by, revoke, shown
from ptvc.errors import DependentObjectsExist
from ptvc.sql.syntax.role_statements import Securable

OWNER = "o"


def chain() -> Acl:
    """The owner has granted SELECT on to a, a to b, and b to everybody."""
    acl = default_acl(Securable.TABLE, OWNER)
    acl = grant(acl, "a", OWNER, "r", True)
    acl = grant(acl, "b", "a", "r", True)
    return grant(acl, PUBLIC, "b", "r", False)


def text(acl: Acl) -> list[str]:
    return shown(acl, str)


def take(acl: Acl, grantee: str, letters: str, *, option_only: bool = False, cascade: bool = False) -> Acl:
    return revoke(acl, grantee, OWNER, letters, OWNER, option_only=option_only, cascade=cascade)


def test_grants_of_one_grantor_are_one_item() -> None:
    acl = grant(default_acl(Securable.TABLE, OWNER), "a", OWNER, "w", False)
    acl = grant(acl, "a", OWNER, "ar", True)
    assert text(acl) == ["o=arwdDxtm/o", "a=a*r*w/o"]
    assert held(acl, frozenset({"a"})) == "arw"
    assert grantable(acl, OWNER, "a", Securable.TABLE) == "ar"
    assert grantable(acl, OWNER, OWNER, Securable.TABLE) == "arwdDxtm"


def test_a_revoke_needs_cascade_for_what_was_granted_on() -> None:
    assert text(chain()) == ["o=arwdDxtm/o", "a=r*/o", "b=r*/a", "=r/b"]
    with pytest.raises(DependentObjectsExist, match="dependent privileges exist"):
        take(chain(), "a", "r")
    assert text(take(chain(), "a", "r", cascade=True)) == ["o=arwdDxtm/o"]
    assert text(take(chain(), "a", "r", option_only=True, cascade=True)) == ["o=arwdDxtm/o", "a=r/o"]


def test_a_second_grant_keeps_what_hangs_on_it() -> None:
    acl = grant(chain(), "b", OWNER, "r", True)
    acl = take(acl, "a", "r", cascade=True)
    assert text(acl) == ["o=arwdDxtm/o", "=r/b", "b=r*/o"]
    assert held(acl, frozenset()) == "r"


def test_a_new_owner_takes_the_grants_over() -> None:
    assert text(owned_by(chain(), OWNER, "a")) == ["a=ar*wdDxtm/a", "b=r*/a", "=r/b"]
    assert text(default_acl(Securable.DATABASE, OWNER)) == ["=Tc/o", "o=CTc/o"]
