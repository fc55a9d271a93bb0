"""What catalog relations are computed from, and what they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from ...expr.functions.system.system import quote_ident
from ...sql.catalog.catalog_view import CatalogItem, ItemKind, Prepared
from ..activity import Activity
from ..audit.log import AuditLog
from ..backend import Backend
from ..catalog.acl import shown
from ..catalog.actor import Actor
from ..catalog.catalog import Catalog
from ..catalog.entries import Owned
from ..catalog.items import Index, Item, Running, Sink
from ..catalog.role import FIRST_ROLE, RoleEntry, Roles
from ..controller import Controller
from ..results.cursor import Cursor
from ..storage.collections import Collections
from ..variables import Variables
from ..webhooks.webhooks import Webhooks

OWNER_OID = FIRST_ROLE.oid
OWNER = FIRST_ROLE.name
"""Of what belongs to the system."""

DATABASE_OID = 5

RELKINDS = {
    ItemKind.TABLE: "r",
    ItemKind.VIEW: "v",
    ItemKind.MATERIALIZED_VIEW: "m",
    ItemKind.SOURCE: "r",
    ItemKind.INDEX: "i",
    ItemKind.SYSTEM: "r",
}
"""A source reads like a table, and clients know no better kind.  Sinks are not relations."""

UNLISTED = (ItemKind.SINK, ItemKind.INDEX)
"""Items that are no relations to a client."""


class OpenSession(Protocol):
    """What is shown of a session."""

    user: str
    variables: Variables
    backend: Backend
    activity: Activity

    @property
    def actor(self) -> Actor: ...

    @property
    def transaction_status(self) -> str: ...

    @property
    def transaction_us(self) -> int | None: ...

    @property
    def statements(self) -> Mapping[str, Prepared]: ...

    @property
    def cursors(self) -> Mapping[str, Cursor]: ...


@dataclass(frozen=True, slots=True)
class State:
    catalog: Catalog
    collections: Collections
    controller: Controller
    sessions: Mapping[int, OpenSession]
    webhooks: Webhooks
    audit: AuditLog
    session: OpenSession | None = None  # the one that reads

    def relations(self) -> Iterator[tuple[int, CatalogItem]]:
        """Everything that pg_class lists but indexes, with its oid: system relations too."""
        for id_, item in self.catalog.items().items():
            if item.kind not in UNLISTED:
                yield self.catalog.oid(id_), item

    def indexes(self) -> list[Index]:
        return [item for item in self.catalog.user_items() if isinstance(item, Index)]

    @property
    def roles(self) -> Roles:
        return self.catalog.roles

    @property
    def reader(self) -> RoleEntry:
        """The role that reads."""
        return FIRST_ROLE if self.session is None else self.session.actor.role

    def owner(self, entry: Owned | None) -> RoleEntry:
        """Who owns the object; None is one of the system."""
        return FIRST_ROLE if entry is None else self.roles.by_id[entry.owner]

    def acl(self, entry: Owned | None) -> list[str] | None:
        """As an aclitem[]; None: the default."""
        if entry is None or entry.acl is None:
            return None
        return shown(entry.acl, lambda id_: quote_ident(self.roles.name(id_)))

    def schema_owner(self, name: str) -> RoleEntry:
        return self.owner(self.catalog.schema_entry(name))

    def schema_oid(self, name: str) -> int:
        """The schema's oid; temporary schemas have none of their own."""
        return self.catalog.schema_oids().get(name, 0)

    def on_name(self, index: Index | Sink) -> str:
        """What an index is on, or a sink reads, as SQL."""
        item = self.catalog.item_by_id(index.on)
        return f"{quote_ident(item.name.schema)}.{quote_ident(item.name.name)}"

    def cluster_id(self, item: Item) -> str | None:
        entry = self.catalog.cluster(item.cluster) if isinstance(item, Running) else None
        return entry.id if entry is not None else None


def timestamp(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
