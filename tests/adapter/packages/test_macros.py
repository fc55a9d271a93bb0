"""Packages whose macros dispatch: where there is one for PostgreSQL, it is taken; the adapter's own come before.  And a data test's
materialization, which a project may have of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.util import run_dbt

from ..test_changes import messages

PROJECT = "name: {name}\nversion: '1.0'\nconfig-version: 2\nmacro-paths: [macros]\n"

# In the manner of dbt_utils: the default is for no database in particular, or for another one.
UTILS = """
{% macro deduplicate(relation, partition_by, order_by) -%}
  {{ return(adapter.dispatch('deduplicate', 'little_utils')(relation, partition_by, order_by)) }}
{%- endmacro %}

{% macro default__deduplicate(relation, partition_by, order_by) -%}
  select * from {{ relation }} qualify row_number() over (partition by {{ partition_by }} order by {{ order_by }}) = 1
{%- endmacro %}

{% macro postgres__deduplicate(relation, partition_by, order_by) -%}
  select distinct on ({{ partition_by }}) * from {{ relation }} order by {{ partition_by }}, {{ order_by }}
{%- endmacro %}

{% macro whose() -%}{{ return(adapter.dispatch('whose', 'little_utils')()) }}{%- endmacro %}
{% macro default__whose() -%}'default'{%- endmacro %}
{% macro postgres__whose() -%}'postgres'{%- endmacro %}
{% macro ptvc__whose() -%}'ptvc'{%- endmacro %}

{% macro column_values(relation, column) -%}
  {%- call statement('values', fetch_result=True) -%}
    select distinct {{ column }} from {{ relation }} order by 1
  {%- endcall -%}
  {{ return(load_result('values').table.columns[0].values() | list if execute else []) }}
{%- endmacro %}

{% macro star(from, except=[]) -%}
  {%- for column in adapter.get_columns_in_relation(from) if column.name not in except -%}
    {{ column.quoted }}{{ ', ' if not loop.last }}
  {%- endfor -%}
{%- endmacro %}

{# In the manner of audit_helper: a view over the catalog. #}
{% macro columns_of(relation) -%}
  select ordinal_position, column_name from {{ relation.information_schema('columns') }}
  where table_schema = '{{ relation.schema }}' and table_name = '{{ relation.identifier }}'
{%- endmacro %}

{% test unique_together(model, columns) %}
  select {{ columns | join(', ') }} from {{ model }} group by {{ columns | join(', ') }} having count(*) > 1
{% endtest %}
"""

# In the manner of dbt_expectations.
EXPECTATIONS = r"""
{% macro regexp_instr(source_value, regexp, flags="") -%}
  {{ return(adapter.dispatch('regexp_instr', 'little_expectations')(source_value, regexp, flags)) }}
{%- endmacro %}

{% macro default__regexp_instr(source_value, regexp, flags) -%}
  regexp_instr({{ source_value }}, r'{{ regexp }}', 1, 1, 0, '{{ flags }}')
{%- endmacro %}

{% macro postgres__regexp_instr(source_value, regexp, flags) -%}
  coalesce(array_length((select regexp_matches({{ source_value }}, '{{ regexp }}', '{{ flags }}')), 1), 0)
{%- endmacro %}

{% test expect_to_match(model, column_name, regex, row_condition=None) %}
  with grouped as (
    select ({{ little_expectations.regexp_instr(column_name, regex) }}) > 0 as expression
    from {{ model }} where true {{ 'and ' ~ row_condition if row_condition }}
  )
  select * from grouped where not (expression)
{% endtest %}

{% test expect_median_between(model, column_name, low, high) %}
  select * from (
    select percentile_cont(0.5) within group (order by {{ column_name }}) as median from {{ model }}
  ) medians where median < {{ low }} or median > {{ high }}
{% endtest %}
"""


class TestPackages:
    @pytest.fixture(scope="class")
    def packages(self, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp("packages")
        return {
            "packages": [
                {"local": str(package(folder, "little_utils", UTILS))},
                {"local": str(package(folder, "little_expectations", EXPECTATIONS))},
            ]
        }

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        # In the manner of dbt_project_evaluator: a type for each adapter that it knows, and dbt's name for the others.
        types = "{{ 'varchar' if target.type in ['redshift', 'postgres'] else 'string' }}"
        return {
            "visits.csv": "id,who,page\n1,ada,/a1\n2,ada,/b2\n3,bob,/c3\n",
            "notes.csv": "of,note\n1,2\n",
            "seeds.yml": f'seeds:\n  - name: notes\n    config: {{column_types: {{note: "{types}"}}}}\n',
        }

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "latest.sql": "{{ config(materialized='materialized_view') }}"
            " {{ little_utils.deduplicate(ref('visits'), 'who', 'id desc') }}",
            "by_page.sql": "{{ config(materialized='view') }} select who"
            "{% for page in little_utils.column_values(ref('visits'), 'page') %}"
            ", count(*) filter (where page = '{{ page }}') as {{ 'page_' ~ loop.index }}{% endfor %}"
            " from {{ ref('visits') }} group by who",
            "slim.sql": "{{ config(materialized='view') }}"
            " select {{ little_utils.star(ref('visits'), except=['page']) }}, {{ little_utils.whose() }} as whose"
            " from {{ ref('visits') }}",
            "shape.sql": "{{ config(materialized='view') }} {{ little_utils.columns_of(ref('notes')) }}",
            "models.yml": "models:\n  - name: latest\n    data_tests:\n"
            "      - little_utils.unique_together: {arguments: {columns: [who, page]}}\n    columns:\n"
            "      - name: page\n        data_tests:\n"
            "          - little_expectations.expect_to_match: {arguments: {regex: '^/[a-z]\\d$'}}\n"
            "          - little_expectations.expect_to_match: {name: wrong, arguments: {regex: '^/b'}}\n"
            "      - name: id\n        data_tests:\n"
            "          - little_expectations.expect_median_between: {arguments: {low: 2, high: 3}}\n",
        }

    def test_macros_for_postgresql_are_taken(self, project: Any, target_name: str) -> None:
        run_dbt(["deps"])
        said = messages(run_dbt(["build"], expect_pass=False))
        assert {name for name, message in said.items() if message and "fail" in message} == {"wrong"}
        latest = project.run_sql(f"select id, who from {project.test_schema}.latest order by id", fetch="all")
        assert latest == [(2, "ada"), (3, "bob")]
        pages = f"select who, page_1, page_2, page_3 from {project.test_schema}.by_page order by who"
        assert project.run_sql(pages, fetch="all") == [("ada", 1, 1, 0), ("bob", 0, 0, 1)]
        whose = project.run_sql(f"select distinct whose from {project.test_schema}.slim", fetch="all")
        assert whose == [("ptvc",)]
        shape = f"select column_name from {project.test_schema}.shape order by ordinal_position"
        assert project.run_sql(shape, fetch="all") == [("of",), ("note",)]
        assert project.run_sql(f"select note from {project.test_schema}.notes", fetch="all") == [("2",)]


# In the manner of elementary: a data test's failures are said, by a default materialization around dbt's own.
SAID = """
{% materialization test, default %}
  {% set result = dbt.materialization_test_default() %}
  {% set rows = load_result('main').table.rows %}
  {% do run_query("insert into " ~ target.schema ~ ".said select '" ~ model.name ~ " of SOURCE', " ~ rows[0][0]) %}
  {{ return(result) }}
{% endmaterialization %}
"""


class OwnMaterialization:
    """Data tests by a default materialization that is not dbt's; it goes before the adapter's, which it may call."""

    FLAGS: Mapping[str, Any] = {}
    SAYS: Sequence[tuple[str, int]] = ()

    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        table = "create table if not exists {{ target.schema }}.said (test text, failures int)"
        return {"flags": dict(self.FLAGS), "on-run-start": [table]}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {
            "numbers.sql": "select 1 as n union all select null union all select null",
            "numbers.yml": "models:\n  - name: numbers\n    columns:\n      - name: n\n        data_tests:\n"
            "          - not_null: {name: known}\n"
            "          - unique: {name: one_of_each, config: {store_failures_as: materialized_view}}\n",
        }

    def test_whose_materialization_it_is(self, project: Any) -> None:
        run_dbt(["deps"])
        said = messages(run_dbt(["build"], expect_pass=False))
        assert said["known"] == "Got 2 results, configured to fail if != 0"
        stored = f"select count(*) from {project.test_schema}_dbt_test__audit.one_of_each"
        assert project.run_sql(stored, fetch="one") == (0,)
        rows = f"select test, failures from {project.test_schema}.said order by 1"
        assert project.run_sql(rows, fetch="all") == list(self.SAYS)


class TestProjectsOwnTests(OwnMaterialization):
    SAYS = (("known of the project", 2), ("one_of_each of the project", 0))

    @pytest.fixture(scope="class")
    def macros(self) -> dict[str, str]:
        return {"tests.sql": SAID.replace("SOURCE", "the project")}


class TestPackagesOwnTests(OwnMaterialization):
    """dbt takes none of a package's in place of its own."""

    @pytest.fixture(scope="class")
    def packages(self, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
        folder = tmp_path_factory.mktemp("packages")
        return {"packages": [{"local": str(package(folder, "says", SAID.replace("SOURCE", "a package")))}]}


class TestPackagesOwnTestsAllowed(TestPackagesOwnTests):
    """Unless the project says so."""

    FLAGS = {"require_explicit_package_overrides_for_builtin_materializations": False}
    SAYS = (("known of a package", 2), ("one_of_each of a package", 0))


def package(folder: Path, name: str, macros: str) -> Path:
    place = folder / name
    (place / "macros").mkdir(parents=True)
    (place / "dbt_project.yml").write_text(PROJECT.format(name=name))
    (place / "macros" / "macros.sql").write_text(macros)
    return place
