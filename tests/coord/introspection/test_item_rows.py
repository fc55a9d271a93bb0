"""Rows about one item each: as if made anew, and made once."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from ptvc.coord.catalog.catalog import Catalog
from ptvc.coord.catalog.entries import Change, renamed
from ptvc.coord.catalog.items import Table
from ptvc.coord.catalog.system_items import SYSTEM_ITEMS
from ptvc.coord.introspection.information_schema import columns_of
from ptvc.coord.introspection.item_rows import ItemRows
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TEXT
from ptvc.sql.catalog.catalog_view import CatalogItem
from ptvc.sql.catalog.system_relations import SYSTEM_RELATIONS

COLUMNS = SYSTEM_RELATIONS["information_schema.columns"]


class Counted:
    """`columns_of`, and whom it was asked about."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, oid: int, item: CatalogItem) -> Iterator[dict[str, object]]:
        self.asked.append(item.id)
        return columns_of(oid, item)


def table(catalog: Catalog, width: int) -> Table:
    id_, oid = catalog.allocate()
    columns = [Column(f"c{i}", INT4 if i % 2 else TEXT) for i in range(width)]
    return Table(id=id_, oid=oid, schema_name="public", name=id_, schema=Schema(tuple(columns)), shard=id_)


def changed(catalog: Catalog, draw: random.Random) -> Change:
    tables = [item for item in catalog.user_items() if isinstance(item, Table)]
    if len(tables) < 3 or draw.random() < 0.4:
        return Change(None, table(catalog, draw.randrange(5)))
    before = draw.choice(tables)
    return draw.choice(
        [
            Change(before, None),
            renamed(before, name=f"{before.name}x"),
            Change(before, replace(before, comment="x")),
        ]
    )


@pytest.mark.parametrize("seed", range(10))
def test_the_same_as_made_anew(seed: int) -> None:
    draw = random.Random(seed)
    catalog, kept = Catalog(), ItemRows(COLUMNS, columns_of)
    for _ in range(30):
        change = changed(catalog, draw)
        blocks = [catalog, catalog.fork([change])]
        if draw.random() < 0.5:
            catalog.apply([change])
        for each in draw.sample(blocks, 2):
            expected = ItemRows(COLUMNS, columns_of).batch(each)
            found = kept.batch(each)
            assert [c.to_pylist() for c in found.columns] == [c.to_pylist() for c in expected.columns]
            assert found.times.tolist() == expected.times.tolist()
            assert found.diffs.tolist() == expected.diffs.tolist()


def test_an_item_that_is_as_it_was_is_not_looked_at_again() -> None:
    catalog, counted = Catalog(), Counted()
    tables = [table(catalog, 2) for _ in range(3)]
    catalog.apply([Change(None, each) for each in tables])
    kept = ItemRows(COLUMNS, counted)
    kept.batch(catalog)
    assert counted.asked == [*SYSTEM_ITEMS, *(each.id for each in tables)]
    counted.asked.clear()
    catalog.apply([renamed(tables[1], name="other"), Change(tables[0], None)])
    assert "other" in kept.batch(catalog).columns[COLUMNS.names.index("table_name")].to_pylist()
    assert counted.asked == [tables[1].id]
