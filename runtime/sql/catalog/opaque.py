"""The catalog as one sees it who does not look into views: each is a relation of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...expr.tree.relation import GlobalId
from .catalog_view import CatalogItem, CatalogView, ItemKind


@dataclass(frozen=True, slots=True)
class OpaqueCatalog:
    """Implements `CatalogView`."""

    catalog: CatalogView

    def item(self, schema: str, name: str) -> CatalogItem | None:
        found = self.catalog.item(schema, name)
        return None if found is None else _opaque(found)

    def item_by_id(self, id: GlobalId) -> CatalogItem:
        return _opaque(self.catalog.item_by_id(id))

    def items(self) -> Mapping[GlobalId, CatalogItem]:
        return {id_: _opaque(item) for id_, item in self.catalog.items().items()}

    def schema_exists(self, schema: str) -> bool:
        return self.catalog.schema_exists(schema)

    def type(self, schema: str, name: str) -> CatalogItem | None:
        return self.catalog.type(schema, name)

    def all_types(self) -> Sequence[CatalogItem]:
        return self.catalog.all_types()

    def of_kind(self, kind: ItemKind, schema: str, name: str) -> CatalogItem | None:
        return self.catalog.of_kind(kind, schema, name)

    def functions(self, name: str) -> Sequence[CatalogItem]:
        return self.catalog.functions(name)

    def all_functions(self) -> Sequence[CatalogItem]:
        return self.catalog.all_functions()

    def oid(self, id: GlobalId) -> int:
        return self.catalog.oid(id)

    def schema_oids(self) -> Mapping[str, int]:
        return self.catalog.schema_oids()

    def clusters(self) -> tuple[str, ...]:
        return self.catalog.clusters()

    def role_oids(self) -> Mapping[str, int]:
        return self.catalog.role_oids()


def _opaque(item: CatalogItem) -> CatalogItem:
    return replace(item, definition=None) if item.kind is ItemKind.VIEW else item
