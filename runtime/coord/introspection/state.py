"""What catalog relations are computed from, and what they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from ...config import DEFAULT_USER
from ...expr.functions.system import quote_ident
from ...sql.plans import CatalogItem, ItemKind, Prepared
from ..catalog import Catalog, Item
from ..collections import Collections
from ..controller import Controller
from ..cursor import Cursor
from ..variables import Variables

OWNER_OID = 10
OWNER = DEFAULT_USER
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


class OpenSession(Protocol):
    """What is shown of a session."""

    user: str
    variables: Variables

    @property
    def transaction_status(self) -> str: ...

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
    session: OpenSession | None = None  # the one that reads

    def relations(self) -> Iterator[tuple[int, CatalogItem]]:
        """Everything that pg_class lists but indexes, with its oid: system relations too."""
        for id_, item in self.catalog.items().items():
            if item.kind not in (ItemKind.SINK, ItemKind.INDEX):
                yield self.catalog.oid(id_), item

    def indexes(self) -> list[Item]:
        return [item for item in self.catalog.user_items() if item.kind is ItemKind.INDEX]

    def schema_oid(self, name: str) -> int:
        """The schema's oid; temporary schemas have none of their own."""
        return self.catalog.schema_oids().get(name, 0)

    def on_name(self, index: Item) -> str:
        """What an index is on, or a sink reads, as SQL."""
        item = self.catalog.item_by_id(index.on)
        return f"{quote_ident(item.name.schema)}.{quote_ident(item.name.name)}"

    def cluster_id(self, item: Item) -> str | None:
        entry = self.catalog.cluster(item.cluster) if item.cluster is not None else None
        return entry.id if entry is not None else None


def timestamp(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)
