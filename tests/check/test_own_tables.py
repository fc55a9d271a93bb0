"""Tables that the text of a source makes of what upstream has: a runtime that has the source knows their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from ptvc.check.changes import Version
from ptvc.check.declared import Columns
from ptvc.check.nodes import Node
from ptvc.check.run import Known, of_project

from .mistakes import FILES, write

PROJECT = {
    **{name: FILES[name] for name in ("dbt_project.yml", "profiles.yml")},
    "models/shop.sql": (
        "{{ config(materialized='source') }}\n"
        "from postgres connection app (publication 'p') for tables (public.orders, public.people as folk)\n"
    ),
    "models/amounts.sql": "select amount from {{ ref('shop').own_table('orders') }}\n",
    "models/names.sql": "select name from {{ ref('shop').own_table('folk') }}\n",
    "models/over.sql": "select amount + 1 as more from {{ ref('amounts') }}\n",
}
ALL = PROJECT | {
    "models/shop.sql": "{{ config(materialized='source') }}\nfrom mysql connection app for all tables\n"
}
SHOP = "model.shop.shop"


@dataclass(frozen=True)
class Elsewhere(Known):
    """A runtime whose source has made these."""

    tables: Mapping[str, Columns] = field(default_factory=dict)

    def own_tables_of(self, source: Node) -> Mapping[str, Columns]:
        return self.tables if source.id == SHOP else {}


def checked(root: Path, files: Mapping[str, str], **tables: Columns) -> Version:
    write(root, dict(files))
    with of_project(root, ["--profiles-dir", str(root)], Elsewhere(tables=tables)) as subject:
        return subject.check()


def left(version: Version) -> dict[str, str | None]:
    return {found.node.rpartition(".")[2]: found.because_of for found in version.result.not_checked}


@pytest.mark.parametrize("files", [PROJECT, ALL])
def test_without_a_runtime_that_is_said(tmp_path: Path, files: dict[str, str]) -> None:
    version = checked(tmp_path, files)
    assert version.result.findings == []
    assert left(version) == {"shop": None, "amounts": SHOP, "names": SHOP, "over": SHOP}
    assert {found.reason for found in version.result.not_checked} == {
        'what source "shop" can read is known upstream, which is not asked here: the columns of its tables are known with --path or --host, '
        "if the runtime has it as it is here"
    }


def test_a_table_that_it_does_not_make_is_an_error(tmp_path: Path) -> None:
    version = checked(
        tmp_path, PROJECT | {"models/names.sql": "select name from {{ ref('shop').own_table('people') }}\n"}
    )
    [finding] = version.result.findings
    assert (finding.node, finding.code) == ("model.shop.names", "42P01")
    assert left(version) == {"shop": None, "amounts": SHOP, "over": SHOP}


@pytest.mark.parametrize("files", [PROJECT, ALL])
def test_columns_are_those_that_a_runtime_has(tmp_path: Path, files: dict[str, str]) -> None:
    wrong = files | {"models/wrong.sql": "select surname from {{ ref('shop').own_table('folk') }}\n"}
    version = checked(tmp_path, wrong, orders={"amount": "numeric(10,2)"}, folk={"name": "text"})
    [finding] = version.result.findings
    assert (finding.node, finding.code) == ("model.shop.wrong", "42703")
    assert version.result.not_checked == []
    found = version.result.checked
    assert [str(column.type) for column in found["model.shop.amounts"].schema] == ["numeric(10,2)"]
    assert SHOP in found


def test_a_table_that_the_runtime_does_not_have_yet_is_not_known(tmp_path: Path) -> None:
    version = checked(tmp_path, PROJECT, orders={"amount": "integer"}, gone={"n": "integer"})
    assert version.result.findings == []
    assert left(version) == {"shop": None, "names": SHOP}
    assert {"model.shop.amounts", "model.shop.over"} <= version.result.checked.keys()
    later = checked(tmp_path, ALL, orders={"amount": "integer"})
    assert left(later) == {"names": SHOP}, "upstream may have it since"


def test_a_model_of_the_name_of_one_is_in_its_way(tmp_path: Path) -> None:
    files = PROJECT | {"models/orders.sql": "select 1 as n\n"}
    version = checked(tmp_path, files, orders={"amount": "integer"}, folk={"name": "text"})
    assert {finding.code for finding in version.result.findings} == {"42P07"}
