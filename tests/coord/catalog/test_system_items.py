"""System relations in stored definitions: ids stay, and columns are found by name in a version that has others."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.coord.catalog.system_items import SYSTEM_ITEMS, as_now, is_system, system_item, unpinned
from ptvc.errors import Unsupported
from ptvc.expr.tree.relation import Get, Project
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8
from ptvc.sql.catalog.system_relations import SYSTEM_RELATIONS


def test_what_was_read_of_all_columns_is_read_as_it_is() -> None:
    item = system_item("pg_catalog", "pg_class")
    assert item is not None
    read = Get(item.id, item.schema)
    assert as_now(read) is read


def test_columns_of_an_earlier_version_are_found_by_name() -> None:
    item = system_item("pg_catalog", "pg_class")
    assert item is not None
    earlier = item.schema.project((5, 0, 3))
    found = as_now(Get(item.id, earlier))
    assert isinstance(found, Project)
    assert found.indices == (5, 0, 3)
    assert found.schema == earlier
    assert found.input == Get(item.id, item.schema)


@pytest.mark.parametrize("column", [Column("relgone", INT8), Column("relname", INT8)])
def test_a_column_that_is_gone_or_another_is_refused(column: Column) -> None:
    item = system_item("pg_catalog", "pg_class")
    assert item is not None
    with pytest.raises(Unsupported, match=f"column {column.name} of type bigint .*pg_class"):
        as_now(Get(item.id, Schema((column,))))


def test_ids_are_told_from_those_of_users() -> None:
    assert all(map(is_system, SYSTEM_ITEMS))
    assert not is_system("u1")


def test_what_is_in_pg_catalog_is_pinned() -> None:
    inside, outside = system_item("pg_catalog", "pg_class"), system_item("information_schema", "tables")
    assert inside is not None
    assert outside is not None
    assert list(unpinned(["u1", inside.id, outside.id])) == ["u1", outside.id]


def test_ids_of_earlier_versions_stay() -> None:
    """Views name system relations by their places, so new ones go to the end; the file lists those that there were."""
    earlier = (Path(__file__).parent / "testdata" / "system_relations.txt").read_text().splitlines()
    assert list(SYSTEM_RELATIONS)[: len(earlier)] == earlier
