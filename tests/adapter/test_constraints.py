"""Constraints of contracts: enforced, changed in place, and what an analyst reads when a row breaks one."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file
from dbt_common.contracts.constraints import ColumnLevelConstraint, ConstraintType
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.constraints import NOT_NULL, Constraint, ConstraintChanges, with_not_null
from dbt.adapters.ptvc.impl import PtvcAdapter

from .test_changes import messages, oids


def test_changes_drop_before_they_add() -> None:
    key, column = Constraint("t_pkey", "PRIMARY KEY (id)"), Constraint("id", NOT_NULL)
    old, new = Constraint('o"dd', "CHECK ((n > 0))"), Constraint('o"dd', "CHECK ((n > 1))")
    assert ConstraintChanges.between([key, column], [key, column]) == ConstraintChanges([], [])
    assert ConstraintChanges.between([key, column, old], [new]) == ConstraintChanges(
        drop=['drop constraint "o""dd"', 'drop constraint "t_pkey"', 'alter column "id" drop not null'],
        add=['add constraint "o""dd" CHECK ((n > 1))'],
    )
    assert ConstraintChanges.between([], [key, column]).add == [
        'alter column "id" set not null',
        'add constraint "t_pkey" PRIMARY KEY (id)',
    ]


def test_not_null_of_a_model_is_one_of_its_columns() -> None:
    columns = {"a": {"name": "a", "constraints": [{"type": "not_null"}]}, "b": {"name": "b"}}
    found = with_not_null(columns, [{"type": "not_null", "columns": ["a", "b"]}, {"type": "check"}])
    assert [column["constraints"] for column in found.values()] == [[{"type": "not_null"}]] * 2
    assert columns["b"] == {"name": "b"}
    with pytest.raises(DbtRuntimeError, match='names column "c", which the contract has not'):
        with_not_null(columns, [{"type": "not_null", "columns": ["c"]}])


@pytest.mark.parametrize(
    ("constraint", "rendered"),
    [
        (ColumnLevelConstraint(ConstraintType.check, expression="n > 0"), "check (n > 0)"),
        (ColumnLevelConstraint(ConstraintType.unique, name="one"), "constraint one unique"),
        (
            ColumnLevelConstraint(ConstraintType.unique, expression="nulls not distinct"),
            "unique nulls not distinct",
        ),
        (ColumnLevelConstraint(ConstraintType.custom, name="c", expression="default 1"), "default 1"),
        (ColumnLevelConstraint(ConstraintType.check, name="empty"), None),
    ],
)
def test_names_of_column_constraints_are_kept(
    constraint: ColumnLevelConstraint, rendered: str | None
) -> None:
    assert PtvcAdapter.render_column_constraint(constraint) == rendered


BASE = "{{ config(materialized='table') }} select 1 as id, 5 as n"
TOP = "{{ config(materialized='materialized_view') }} select sum(n) as n from {{ ref('base') }}"
GROWING = (
    "{{ config(materialized='incremental', on_schema_change='append_new_columns') }}"
    " select %s as id, %s as n{%% if is_incremental() %%} where true{%% endif %%}"
)
ASSERTED = "{{ config(materialized='materialized_view') }} select id, n from {{ ref('base') }}"


def contract(name: str, checks: str, more: str = "") -> str:
    """A model of the columns id and n; `checks` are the constraints of n, `more` those of the model, in YAML."""
    return (
        f"models:\n  - name: {name}\n    config: {{contract: {{enforced: true}}}}\n    constraints: [{more}]\n"
        "    columns:\n      - {name: id, data_type: integer, constraints: [{type: primary_key}]}\n"
        f"      - {{name: n, data_type: integer, constraints: [{checks}]}}\n"
    )


def rows(project: Any, relation: str) -> list[Any]:
    return sorted(project.run_sql(f"select * from {{schema}}.{relation}", fetch="all"))


class TestTables:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "base.sql": BASE,
            "top.sql": TOP,
            "base.yml": contract("base", "{type: check, name: positive, expression: n > 0}"),
        }

    def test_constraints_follow_the_contract_in_place(self, project: Any) -> None:
        run_dbt(["run"])
        before = oids(project)
        write_file(
            contract("base", "{type: not_null}", "{type: unique, name: pair, columns: [id, n]}"),
            project.project_root,
            "models",
            "base.yml",
        )
        write_file(BASE.replace("5", "-5"), project.project_root, "models", "base.sql")
        run_dbt(["run", "--select", "base"])
        assert oids(project) == before, "what rests on the table goes on"
        assert rows(project, "base") == [(1, -5)]
        names = project.run_sql(
            "select conname from pg_constraint where conrelid = '{schema}.base'::regclass and contype <> 'n'"
            " order by conname",
            fetch="all",
        )
        assert [name for (name,) in names] == ["base__dbt_tmp_pkey", "pair"]

        write_file(BASE.replace("5", "null::int"), project.project_root, "models", "base.sql")
        said = messages(run_dbt(["run", "--select", "base"], expect_pass=False))["base"]
        assert "Database Error in model base (models/base.sql)" in said
        assert 'null value in column "n"' in said
        assert "Failing row contains (1, null)" in said
        assert rows(project, "base") == [(1, -5)]


class TestIncremental:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "growing.sql": GROWING % (1, 5),
            "growing.yml": contract("growing", "{type: check, name: positive, expression: n > 0}"),
        }

    def test_a_run_that_breaks_a_constraint_changes_nothing(self, project: Any) -> None:
        def run(model: str, passes: bool = True) -> str:
            write_file(model, project.project_root, "models", "growing.sql")
            return str(messages(run_dbt(["run"], expect_pass=passes))["growing"])

        said = run(GROWING % (1, -5), passes=False)
        assert 'violates check constraint "positive"' in said
        assert "Failing row contains (1, -5)" in said
        assert "growing" not in oids(project), "no empty table that the next run would take for a filled one"
        run(GROWING % (1, 5))
        run(GROWING % (2, 6))
        assert "Key (id)=(1) already exists" in run(GROWING % (1, 7), passes=False)
        assert rows(project, "growing") == [(1, 5), (2, 6)]

        limit = "{type: check, name: positive, expression: n > %s}"
        write_file(contract("growing", limit % 5), project.project_root, "models", "growing.yml")
        said = run(GROWING % (3, 9), passes=False)
        assert "positive" in said
        assert "Database Error in model growing" in said
        assert rows(project, "growing") == [(1, 5), (2, 6)]
        write_file(contract("growing", limit % 4), project.project_root, "models", "growing.yml")
        run(GROWING % (3, 9))
        assert "positive" in run(GROWING % (4, 4), passes=False)
        assert rows(project, "growing") == [(1, 5), (2, 6), (3, 9)]


class TestAnAppendedColumn:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"growing.sql": GROWING % (1, 5), "growing.yml": contract("growing", "{type: not_null}")}

    def test_its_constraints_come_with_it(self, project: Any) -> None:
        run_dbt(["run"])
        column = (
            "      - {name: more, data_type: integer, constraints: [{type: check, expression: more > %d}]}\n"
        )
        write_file(
            contract("growing", "{type: not_null}") + column % 2,
            project.project_root,
            "models",
            "growing.yml",
        )
        write_file(
            (GROWING % (2, 6)).replace(" as n", " as n, 3 as more"),
            project.project_root,
            "models",
            "growing.sql",
        )
        run_dbt(["run"])
        assert project.run_sql("select * from {schema}.growing where more > 0", fetch="all") == [(2, 6, 3)]
        with pytest.raises(psycopg.errors.CheckViolation):
            project.run_sql("insert into {schema}.growing values (3, 1, 2)")


class TestViews:
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "base.sql": BASE,
            "asserted.sql": ASSERTED,
            "asserted.yml": contract("asserted", "{type: not_null}"),
        }

    def test_not_null_is_asserted_and_the_rest_is_warned_of(self, project: Any) -> None:
        _, output = run_dbt_and_capture(["--debug", "run"])
        log = " ".join(output.split())
        assert "assert not null n" in log
        assert "Constraint types are not supported for materialized_view materializations" in log
        assert "but not: primary_key of id." in log
