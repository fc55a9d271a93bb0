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
    'create materialized view "public"."ids" as\nselect id, amount from "raw"."orders"',
    'create view "public"."base" as\n/* written by dbt */ select id from "raw"."orders"',
    'create view "public"."former" as\nselect id from "public"."base"',
    'create view "public"."above_former" as\nselect id from "public"."former"',
    'create index on "public"."base" (id)',
    'create source "public"."shop" from load generator tpch (scale factor 0.001)',
    'create table "public"."lines" /* written by dbt */ from source "public"."shop" (reference lineitem)',
    'create source "public"."market" from load generator auction for all tables',
)
OF_A_SOURCE = {
    "models/shop.sql": "{{ config(materialized='source') }}\nfrom load generator tpch (scale factor 0.001)\n",
    "models/lines.sql": "{{ config(materialized='source_table') }}\nfrom source {{ ref('shop') }} (reference lineitem)\n",
}


FED = 'create materialized view "public"."fed" as\nselect id, amount from "raw"."orders" where id > 1'
FEED = """create sink "public"."feed" /* written by dbt */
  in cluster quickstart
  from "public"."fed"
  into file '{path}' format json key (id) envelope upsert"""
CUT_OVER = (
    'alter materialized view "public"."fed" rename to "retired_fed"',
    'create materialized view "public"."fed" as\nselect id, amount from "raw"."orders"',
    'alter sink "public"."feed" set from "public"."fed"',
)
"""As a run of dbt does it, so that what the sink reads is younger than the sink."""


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with in_process() as runtime:
        yield runtime.port


@pytest.fixture(scope="module")
def running(port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    feed = tmp_path_factory.mktemp("feed")
    feed = FEED.format(path=tmp_path_factory.mktemp("feed"))
    clicks = (
        f"create source raw.clicks (page text) from file '{tmp_path_factory.mktemp('clicks')}' format json"
    )
    arguments: dict[str, Any] = {"host": "127.0.0.1", "port": port, "user": "ptvc", "dbname": "ptvc"}
    with psycopg.connect(**arguments, autocommit=True) as connection:
        for statement in (*SET_UP, f"{clicks} with (on error = dead letter)"):
            connection.execute(statement)
        for statement in (FED, feed, *CUT_OVER):
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
        project = version.project
        changes = Comparison(
            running.former(version), version, running.costs(project), running.foreign(project)
        ).changes()
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
    assert list(found["organizations"].items()) == [("id", "bigint not null"), ("name", "text not null")]
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


IDS = "{{{{ config(materialized='materialized_view') }}}}\nselect {}, amount from {{{{ source('raw', 'orders') }}}}\n"


@pytest.mark.parametrize(
    ("columns", "action"), [("id + 0 as id", Action.IN_PLACE), ("nullif(id, 0) as id", Action.REBUILT)]
)
def test_what_is_not_null_there_is_not_null_here(
    tmp_path: Path, running: Running, columns: str, action: Action
) -> None:
    _, changes = checked(tmp_path, running, {"models/ids.sql": IDS.format(columns)})
    assert {name: change.action for name, change in changes.items()} == {"ids": action}
    refused = None if action is Action.IN_PLACE else 'column "id" may be null, and was not'
    assert changes["ids"].why_not_in_place == refused


def test_a_catalog_does_not_know_better(tmp_path: Path, running: Running) -> None:
    catalog = {"source.shop.raw.orders": {"id": "integer"}}
    write(tmp_path, PROJECT)
    with of_project(tmp_path, ["--profiles-dir", str(tmp_path)], Known(running, catalog)) as subject:
        schema = subject.check().result.checked["source.shop.raw.orders"].schema
    assert [(column.name, str(column.type), column.nullable) for column in schema][:2] == [
        ("id", "bigint", False),
        ("amount", "numeric(12,2)", True),
    ]


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


BASE = "select {} from {{{{ source('raw', 'orders') }}}}\n"


def test_what_no_model_makes_any_more_is_in_the_way_of_what_it_rests_on(
    tmp_path: Path, running: Running
) -> None:
    _, changes = checked(tmp_path, running, {"models/base.sql": BASE.format("id")})
    assert changes == {}
    _, changes = checked(tmp_path, running, {"models/base.sql": BASE.format("id, amount")})
    assert {name: change.action for name, change in changes.items()} == {"base": Action.REFUSED}
    assert changes["base"].why_refused == (
        'view "public"."former", view "public"."above_former" rest on it, and nothing in this project makes that any more: '
        '`drop view "public"."above_former"; drop view "public"."former"`, or `dbt run --full-refresh --select base+`, which drops that too'
    )


def test_what_models_make_is_in_nobodys_way(tmp_path: Path, running: Running) -> None:
    names = ("former", "above_former")
    models = {f"models/{name}.sql": "select id from {{ ref('base') }}\n" for name in names}
    _, changes = checked(tmp_path, running, {"models/base.sql": BASE.format("id, amount"), **models})
    assert {name: change.action for name, change in changes.items()} == dict.fromkeys(
        ("base", *names), Action.REBUILT
    )


def test_the_command_says_what_is_in_the_way(tmp_path: Path, running: Running, port: int) -> None:
    write(tmp_path, PROJECT | {"models/base.sql": BASE.format("id, amount")})
    options = ("check", "--project-dir", tmp_path, "--profiles-dir", tmp_path)
    code, output, _ = run(*options, "--host", "127.0.0.1", "--port", str(port))
    assert code == 1
    assert "refused   view base\n" in output
    assert '          view "public"."former", view "public"."above_former" rest on it, and' in output


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


def of_a_sink(running: Running, columns: str) -> dict[str, str]:
    config = "{{{{ config(materialized='sink', connector=\"file '{}'\", key=['id']) }}}}\nselect * from {{{{ ref('fed') }}}}\n"
    return {
        "models/fed.sql": f"{{{{ config(materialized='materialized_view') }}}}\nselect {columns} from {{{{ source('raw', 'orders') }}}}\n",
        "models/feed.sql": config.format(target_of(running, "feed")),
    }


def target_of(running: Running, sink: str) -> str:
    """The directory that it writes into."""
    _, ((text,),) = running.ask(
        "select d.definition from mz_catalog.mz_objects o join mz_internal.mz_definitions d on d.oid = o.oid "
        f"where o.name = '{sink}'"
    )
    return str(text).split("'")[1]


@pytest.mark.parametrize(
    ("columns", "refused"),
    [
        ("id, amount, status", "it has 3 columns instead of 2"),
        ("amount, id", 'column 1 is called "amount" instead of "id"'),
    ],
)
def test_a_sink_whose_target_does_not_take_the_new_columns_is_refused(
    tmp_path: Path, running: Running, columns: str, refused: str
) -> None:
    _, changes = checked(tmp_path, running, of_a_sink(running, columns))
    assert {name: change.action for name, change in changes.items()} == {
        "fed": Action.REBUILT,
        "feed": Action.REFUSED,
    }
    assert changes["feed"].why_refused == refused


def test_a_sink_whose_target_takes_them_goes_on(tmp_path: Path, running: Running) -> None:
    _, changes = checked(tmp_path, running, of_a_sink(running, "id, amount"))
    assert changes == {}
    _, changes = checked(tmp_path, running, of_a_sink(running, "nullif(id, 0) as id, amount"))
    assert {name: change.action for name, change in changes.items()} == {
        "fed": Action.REBUILT,
        "feed": Action.CUT_OVER,
    }


def test_tables_of_a_source_go_with_it(tmp_path: Path, running: Running) -> None:
    _, changes = checked(tmp_path, running, OF_A_SOURCE)
    assert changes == {}
    other = OF_A_SOURCE["models/shop.sql"].replace("0.001", "0.002")
    _, changes = checked(tmp_path, running, OF_A_SOURCE | {"models/shop.sql": other})
    assert {name: change.action for name, change in changes.items()} == dict.fromkeys(
        ("shop", "lines"), Action.REBUILT
    )
