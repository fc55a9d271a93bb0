"""A catalog for tests: four tables, a view, and every system relation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ptvc.expr.tree.relation import Relation
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, DATE, INT4, INT8, NUMERIC, TEXT, Kind, ScalarType
from ptvc.sql.catalog.catalog_view import CatalogItem, ItemKind, PlanContext, QualifiedName
from ptvc.sql.catalog.system_relations import SYSTEM_RELATIONS
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.plans import PlannedStatement
from ptvc.sql.plans.query_plans import Select

TABLES: dict[str, tuple[tuple[str, ScalarType], ...]] = {
    "t": (("a", INT4), ("b", INT4), ("c", TEXT)),
    "u": (("a", INT4), ("d", INT8), ("e", TEXT)),
    "v": (("b", INT4), ("f", ScalarType(Kind.NUMERIC, 10, 2)), ("g", BOOL)),
    "w": (("a", INT4), ("h", DATE)),
}


@dataclass
class FakeCatalog:
    objects: dict[str, CatalogItem] = field(default_factory=dict)

    def add(
        self, schema: str, name: str, kind: ItemKind, columns: Schema, definition: Relation | None = None
    ) -> str:
        id_ = f"{'s' if kind is ItemKind.SYSTEM else 'u'}{len(self.objects) + 1}"
        full = QualifiedName("ptvc", schema, name)
        self.objects[id_] = CatalogItem(id_, full, kind, columns, definition)
        return id_

    def schema_exists(self, schema: str) -> bool:
        return schema in self.schema_oids()

    def item(self, schema: str, name: str) -> CatalogItem | None:
        for item in self.objects.values():
            if item.kind is not ItemKind.TYPE and item.name.schema == schema and item.name.name == name:
                return item
        return None

    def type(self, schema: str, name: str) -> CatalogItem | None:
        return next((i for i in self.all_types() if (i.name.schema, i.name.name) == (schema, name)), None)

    def of_kind(self, kind: ItemKind, schema: str, name: str) -> CatalogItem | None:
        found = self.item(schema, name)
        return found if found is not None and found.kind is kind else None

    def all_types(self) -> list[CatalogItem]:
        return [item for item in self.objects.values() if item.kind is ItemKind.TYPE]

    def functions(self, name: str) -> list[CatalogItem]:
        return []

    def all_functions(self) -> list[CatalogItem]:
        return []

    def item_by_id(self, id: str) -> CatalogItem:
        return self.objects[id]

    def items(self) -> Mapping[str, CatalogItem]:
        return self.objects

    def oid(self, id: str) -> int:
        return 16384 + int(id[1:])

    def schema_oids(self) -> Mapping[str, int]:
        names = ("public", "pg_catalog", "information_schema", "mz_catalog", "mz_internal", "other")
        return {name: 11 + index for index, name in enumerate(names)}

    def clusters(self) -> tuple[str, ...]:
        return ("quickstart", "big")

    def role_oids(self) -> Mapping[str, int]:
        return {"ptvc": 10}


def fake_catalog() -> FakeCatalog:
    catalog = FakeCatalog()
    for name, columns in TABLES.items():
        catalog.add("public", name, ItemKind.TABLE, Schema(tuple(Column(n, t) for n, t in columns)))
    catalog.add(
        "other", "strict", ItemKind.TABLE, Schema((Column("k", INT4, False), Column("n", NUMERIC, True)))
    )
    for name, schema in SYSTEM_RELATIONS.items():
        catalog.add(*name.split("."), ItemKind.SYSTEM, schema)
    context = context_of(catalog)
    body = plan(parse("select a, count(*) as n from t group by a")[0], context)
    assert isinstance(body, Select)
    catalog.add("public", "counts", ItemKind.VIEW, body.relation.schema, body.relation)
    key = next(id_ for id_, item in catalog.objects.items() if item.name.name == "strict")
    catalog.objects[key] = replace(catalog.objects[key], defaults=(None, None))
    return catalog


def context_of(catalog: FakeCatalog) -> PlanContext:
    return PlanContext(
        catalog,
        ("public",),
        "ptvc",
        "ptvc",
        "quickstart",
        1_700_000_000_000_000,
        "pg_temp_1",
        {"server_version": "16.4"},
    )


CATALOG = fake_catalog()
CONTEXT = context_of(CATALOG)


def planned(sql: str, context: PlanContext = CONTEXT) -> PlannedStatement:
    (statement,) = parse(sql)
    return plan(statement, context)
