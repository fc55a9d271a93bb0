"""Statements other than queries: what they plan to."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.compute.oneshot import evaluate_once
from ptvc.repr.batch import batch_from_rows
from ptvc.repr.types import INT4, Kind
from ptvc.sql.parser.parse import parse
from ptvc.sql.plans import data_plans, definition_plans, plans, query_plans

from .fake_catalog import CATALOG, planned

TEXTS = (Path(__file__).parent / "testdata" / "statements.sql").read_text().strip().split(";\n")


@pytest.mark.parametrize("sql", TEXTS)
def test_it_plans(sql: str) -> None:
    (statement,) = parse(f"/* comment */ {sql};")
    assert statement.sql == sql
    assert isinstance(planned(sql), plans.PlannedStatement)


def test_materialized_view() -> None:
    view = planned(TEXTS[2])
    assert isinstance(view, definition_plans.CreateMaterializedView)
    assert view.definition_sql == "select a from t"
    assert (view.retain_history_ms, view.assert_not_null, view.cluster) == (3_600_000, (0,), "quickstart")
    assert {CATALOG.item_by_id(id_).name.name for id_ in view.uses} == {"t"}


def test_source_options() -> None:
    source = planned(TEXTS[5])
    assert isinstance(source, definition_plans.CreateSource)
    assert source.connector == definition_plans.FileConnector("/data", "csv", ";", True, "*.csv")
    assert (source.key, source.envelope) == ((0,), query_plans.Envelope.UPSERT)
    assert source.create_sql == TEXTS[5]
    counter = planned(TEXTS[7])
    assert isinstance(counter, definition_plans.CreateSource)
    assert counter.connector == definition_plans.CounterConnector(1000, 10)


def test_index_names_are_generated() -> None:
    index = planned("create index on t (a, b + 1)")
    assert isinstance(index, definition_plans.CreateIndex)
    assert index.name.name == "t_a_expr_idx"
    assert len(index.keys) == 2


def test_insert_yields_whole_rows() -> None:
    insert = planned("insert into t (c, a) values ('x', 1)")
    assert isinstance(insert, data_plans.Insert)
    assert [column.type.kind for column in insert.relation.schema] == [Kind.INT4, Kind.INT4, Kind.TEXT]
    returning = planned(TEXTS[18])
    assert isinstance(returning, data_plans.Insert)
    assert returning.returning is not None
    assert returning.returning.schema.names == ("z", "a", "b", "c")


def test_update_yields_old_and_new() -> None:
    update = planned(TEXTS[21])
    assert isinstance(update, data_plans.Update)
    assert len(update.relation.schema) == 6


def test_copy_options() -> None:
    copy = planned(TEXTS[26])
    assert isinstance(copy, data_plans.CopyFrom)
    assert (copy.columns, copy.options.header, copy.options.delimiter) == ((0, 2), True, ";")
    assert set(copy.defaults) == {1}


def test_copy_in_parquet_may_lack_columns_unless_it_lists_them() -> None:
    copy = planned("copy t from stdin (format parquet)")
    assert isinstance(copy, data_plans.CopyFrom)
    assert (copy.columns, set(copy.defaults)) == ((0, 1, 2), {0, 1, 2})
    listed = planned("copy t (a) from stdin (format parquet)")
    assert isinstance(listed, data_plans.CopyFrom)
    assert (listed.columns, set(listed.defaults)) == ((0,), {1, 2})


def test_drop_skips_what_is_missing() -> None:
    drop = planned("drop view if exists counts, nope cascade")
    assert isinstance(drop, definition_plans.Drop)
    assert (len(drop.ids), drop.notices, drop.cascade) == (
        1,
        ('view "nope" does not exist, skipping',),
        True,
    )


def test_parse_splits() -> None:
    assert parse("") == parse(" -- nothing\n /* at /* all */ */ ; ;") == []
    first, second = parse("select ';' ; select $x$ ; $x$")
    assert (first.sql, second.sql) == ("select ';'", "select $x$ ; $x$")


def test_reg_casts_are_oids() -> None:
    select = planned("select 't'::regclass = 16385, 'int4'::regtype")
    assert isinstance(select, query_plans.Select)
    assert select.schema[0].type.kind is Kind.BOOL
    assert INT4.oid == 23


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("insert into t values ('1', 2, 'x'), (3, '4', null)", [(1, 2, "x"), (3, 4, None)]),
        ("insert into t (c, a) values ('x', '7'), ('y', '8')", [(7, None, "x"), (8, None, "y")]),
        ("insert into t (b) select a + 1 from t where a = 1", [(None, 2, None)]),
        ("update t set b = 9, c = 'z' where a = 1", [(1, 5, "p", 1, 9, "z")]),
        ("update t set b = u.d from u where u.a = t.a", [(1, 5, "p", 1, 100, "p")]),
        ("delete from t using u where u.a = t.a and u.d > 50", [(1, 5, "p")]),
        ("delete from t where a not in (select a from u)", [(2, None, "q")]),
    ],
)
def test_rows_that_are_written(sql: str, rows: list[tuple[object, ...]]) -> None:
    statement = planned(sql)
    assert isinstance(statement, data_plans.Insert | data_plans.Update | data_plans.Delete)
    inputs = {}
    for name, contents in {"t": [(1, 5, "p"), (2, None, "q")], "u": [(1, 100, "m"), (1, 200, "n")]}.items():
        item = CATALOG.item("public", name)
        assert item is not None
        inputs[item.id] = batch_from_rows(item.schema, contents, 1)
    result = evaluate_once(statement.relation, inputs, 1)
    assert len(result.errs) == 0
    found = list(zip(*(column.to_pylist() for column in result.oks.columns), strict=True))
    assert sorted(found, key=repr) == sorted(rows, key=repr)
