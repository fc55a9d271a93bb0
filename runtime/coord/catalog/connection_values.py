"""What connections are as clients need them: their options with the values of their secrets.

These go from here to who connects, and nowhere else: no `repr` has them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...expr.tree.relation import GlobalId
from ...storage.connections.values import Values
from ..secrets.key_ring import KeyRing
from .catalog import Catalog
from .items import Connection, Secret


def values_of(catalog: Catalog, ids: Iterable[str], keys: KeyRing) -> dict[str, bytes]:
    """The values of secrets, by id."""
    secrets = [catalog.get_as(id_, Secret) for id_ in ids]
    return {secret.id: keys.unseal(secret.sealed, secret.id, secret.full_name) for secret in secrets}


def connection_values(
    catalog: Catalog, ids: Iterable[GlobalId], keys: KeyRing, *, link_local: bool
) -> dict[GlobalId, Values]:
    """Connections, by id; UnusableKeys where one of their secrets cannot be opened."""
    found = {}
    for id_ in ids:
        options = catalog.get_as(id_, Connection).options
        found[id_] = Values(options, values_of(catalog, options.secrets, keys), link_local)
    return found
