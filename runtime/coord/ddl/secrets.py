"""CREATE SECRET and ALTER SECRET: values are sealed, and are in the catalog as that."""

from __future__ import annotations

from dataclasses import replace

from ...sql.plans.connection_plans import AlterSecret, CreateSecret
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import Identity, Secret
from ..secrets.key_ring import KeyRing, UnusableKeys


def new_secret(plan: CreateSecret, identity: Identity, keys: KeyRing) -> Change:
    return Change(None, Secret(**identity, sealed=keys.seal(plan.value, identity["id"])))


def altered_secret(plan: AlterSecret, catalog: Catalog, keys: KeyRing) -> Change:
    """Another value; who refers to the secret has it from the next time on that it connects."""
    secret = catalog.get_as(plan.id, Secret)
    return Change(secret, replace(secret, sealed=keys.seal(plan.value, secret.id)))


def resealed(catalog: Catalog, keys: KeyRing) -> list[Change]:
    """The secrets that an older key has sealed, sealed with the first one: behind that the older one is not needed any more."""
    changes = []
    for secret in catalog.user_secrets():
        if keys.knows(secret.sealed) and not keys.is_current(secret.sealed):
            value = keys.unseal(secret.sealed, secret.id, secret.full_name)
            changes.append(Change(secret, replace(secret, sealed=keys.seal(value, secret.id))))
    return changes


def unreadable(catalog: Catalog, keys: KeyRing) -> list[Secret]:
    """Those whose key is not there."""
    return [secret for secret in catalog.user_secrets() if not keys.knows(secret.sealed)]


def refuse_another_key(catalog: Catalog, keys: KeyRing) -> None:
    """Raises where a key would be made beside secrets that need one that is lost: it is to be restored, not replaced."""
    if keys.empty and (secrets := unreadable(catalog, keys)):
        raise UnusableKeys(
            f"the key of {len(secrets)} secrets is not there, among them {secrets[0].full_name}",
            hint="Restore the key file from a backup and start the runtime again, or drop these secrets.",
        )
