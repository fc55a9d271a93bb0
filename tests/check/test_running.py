"""A runtime that is there is asked for columns of sources and for rows, and is what a project is compared with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import running as in_process
from ptvc.check.changes import Action, Change, Comparison
from ptvc.check.checker import Result
from ptvc.check.run import Known, of_project
from ptvc.check.running import Running, connected

from .mistakes import FILES, write
from .test_commands import run

PROJECT = {
    **{name: FILES[name] for name in ("dbt_project.yml", "profiles.yml")},
    "models/sources.yml": "sources: [{name: raw, schema: raw, tables: [{name: orders}]}]\n",
    "models/paid.sql": "select id, amount from {{ source('raw', 'orders') }} where status = 'paid'\n",
    "models/total.sql": "{{ config(materialized='materialized_view') }}\nselect sum(amount) as total from {{ ref('paid') }}\n",
}
PIVOT = """\
{% set found = run_query("select distinct status from " ~ source('raw', 'orders') ~ " order by 1") %}
select
    {% if execute %}{% for row in found %}
    count(*) filter (where status = '{{ row[0] }}') as {{ row[0] }},
    {% endfor %}{% endif %}
    count(*) as all_of_them
from {{ source('raw', 'orders') }}
"""
SET_UP = (
    "create schema raw",
    "create table raw.orders (id bigint not null, amount numeric(12, 2), status text)",
    "insert into raw.orders values (1, 5, 'paid'), (2, 7, 'open')",
    # As a run of dbt stages and places them.
    "create schema public__dbt_next",
    'create view "public__dbt_next"."paid" as\n/* written by dbt */ select id, amount from "raw"."orders" where status = \'paid\'',
    'create materialized view "public__dbt_next"."total" as\nselect sum(amount) as total from "public__dbt_next"."paid"',
    'alter view "public__dbt_next"."paid" set schema public',
    'alter materialized view "public__dbt_next"."total" set schema public',
    "drop schema public__dbt_next cascade",
    'create source "public"."shop" from load generator tpch (scale factor 0.001)',
    'create table "public"."lines" /* written by dbt */ from source "public"."shop" (reference lineitem)',
    'create source "public"."market" from load generator auction for all tables',
)
OF_A_SOURCE = {
    "models/shop.sql": "{{ config(materialized='source') }}\nfrom load generator tpch (scale factor 0.001)\n",
    "models/lines.sql": "{{ config(materialized='source_table') }}\nfrom source {{ ref('shop') }} (reference lineitem)\n",
}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with in_process() as runtime:
        yield runtime.port


@pytest.fixture(scope="module")
def running(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    clicks = (
        f"create source raw.clicks (page text) from file '{tmp_path_factory.mktemp('clicks')}' format json"
    )
    arguments: dict[str, Any] = {"host": "127.0.0.1", "port": port, "user": "ptvc", "dbname": "ptvc"}
    with psycopg.connect(**arguments, autocommit=True) as connection:
        for statement in (*SET_UP, f"{clicks} with (on error = dead letter)"):
            connection.execute(statement)
        connection.execute("select * from total")
    with connected(arguments) as found:
        yield found


def checked(root: Path, running: Running | None, files: dict[str, str]) -> tuple[Result, dict[str, Change]]:
    write(root, PROJECT | files)
    with of_project(root, ["--profiles-dir", str(root)], Known(running)) as subject:
        version = subject.check()
        if running is None:
            return version.result, {}
        changes = Comparison(running.former(version), version, running.costs(version.project)).changes()
        return version.result, {change.node.name: change for change in changes}


def test_without_it_the_columns_of_a_source_are_not_known(tmp_path: Path) -> None:
    result, _ = checked(tmp_path, None, {})
    assert {left.node for left in result.not_checked} == {"model.shop.paid", "model.shop.total"}
    assert "source raw.orders" in result.not_checked[0].reason


def test_columns_of_sources_are_those_that_it_has(tmp_path: Path, running: Running) -> None:
    result, changes = checked(tmp_path, running, {})
    assert (result.findings, result.not_checked, changes) == ([], [], {})
    assert [str(column.type) for column in result.checked["model.shop.paid"].schema] == [
        "bigint",
        "numeric(12,2)",
    ]


def test_tables_that_a_source_has_made_are_those_that_it_has(tmp_path: Path, running: Running) -> None:
    files = {
        "models/market.sql": "{{ config(materialized='source') }}\nfrom load generator auction for all tables\n",
        "models/sums.sql": "select sum(amount) as total from {{ ref('market').own_table('bids') }}\n",
    }
    write(tmp_path, PROJECT | OF_A_SOURCE | files)
    with of_project(tmp_path, ["--profiles-dir", str(tmp_path)], Known(running)) as subject:
        version = subject.check()
    nodes = version.project.nodes
    found = running.own_tables_of(nodes["model.shop.market"])
    assert set(found) == {"organizations", "users", "accounts", "auctions", "bids"}
    assert list(found["organizations"].items()) == [("id", "bigint"), ("name", "text")]
    assert running.own_tables_of(nodes["model.shop.shop"]) == {}
    assert version.result.findings == []


def test_lineage_asks_it_too(tmp_path: Path, running: Running, port: int) -> None:
    write(tmp_path, PROJECT)
    options = ("lineage", "paid", "--project-dir", tmp_path, "--profiles-dir", tmp_path)
    code, _, problem = run(*options)
    assert code == 2
    assert problem.startswith('error: the columns of "paid" are not known')
    code, output, _ = run(*options, "--host", "127.0.0.1", "--port", str(port))
    assert code == 0
    assert "amount  <- raw.orders.amount (copy)" in output


def test_what_a_change_does_to_its_objects(tmp_path: Path, running: Running) -> None:
    _, changes = checked(
        tmp_path,
        running,
        {"models/total.sql": PROJECT["models/total.sql"].replace("sum(amount)", "sum(amount * 2)")},
    )
    assert {name: change.action for name, change in changes.items()} == {"total": Action.IN_PLACE}
    assert [reason.part for reason in changes["total"].reasons] == ["column total"]
    cost = changes["total"].cost
    assert cost is not None
    assert cost.rows == 2  # what it read


def test_a_materialized_view_is_replaced_over_a_view_that_is_built_anew(
    tmp_path: Path, running: Running
) -> None:
    _, changes = checked(
        tmp_path, running, {"models/paid.sql": PROJECT["models/paid.sql"].replace("'paid'", "'open'")}
    )
    assert {name: change.action for name, change in changes.items()} == {
        "paid": Action.REBUILT,
        "total": Action.IN_PLACE,
    }
    assert changes["total"].because_of == "model.shop.paid"


def test_a_macro_that_asks_for_rows_gets_them(tmp_path: Path, running: Running) -> None:
    result, _ = checked(tmp_path, running, {"models/pivot.sql": PIVOT})
    assert result.checked["model.shop.pivot"].schema.names == ("open", "paid", "all_of_them")


def test_without_it_such_a_model_is_not_checked(tmp_path: Path) -> None:
    declared = FILES["models/sources.yml"]
    result, _ = checked(tmp_path, None, {"models/sources.yml": declared, "models/pivot.sql": PIVOT})
    (left,) = result.not_checked
    assert left.node == "model.shop.pivot"
    assert "its Jinja asks a runtime" in left.reason
    assert "raw.orders" in left.reason


def test_tables_of_a_source_go_with_it(tmp_path: Path, running: Running) -> None:
    _, changes = checked(tmp_path, running, OF_A_SOURCE)
    assert changes == {}
    other = OF_A_SOURCE["models/shop.sql"].replace("0.001", "0.002")
    _, changes = checked(tmp_path, running, OF_A_SOURCE | {"models/shop.sql": other})
    assert {name: change.action for name, change in changes.items()} == dict.fromkeys(
        ("shop", "lines"), Action.REBUILT
    )
