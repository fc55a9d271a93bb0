"""What is known of nodes of each kind, and of what rests on one that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.check.changes import Version
from ptvc.check.run import of_project

from .mistakes import FILES, write


def checked(root: Path, files: dict[str, str]) -> Version:
    write(root, FILES | files)
    with of_project(root, ["--profiles-dir", str(root)]) as subject:
        return subject.check()


def columns(version: Version, id: str) -> dict[str, str]:
    return {column.name: str(column.type) for column in version.result.checked[id].schema}


def test_columns_of_a_seed_are_those_of_its_values(tmp_path: Path) -> None:
    version = checked(tmp_path, {})
    assert columns(version, "seed.shop.countries") == {"code": "text", "name": "text", "population": "bigint"}


def test_columns_of_a_seed_may_be_declared(tmp_path: Path) -> None:
    types = "seeds: [{name: countries, config: {column_types: {code: varchar(2), population: numeric}}}]\n"
    found = columns(checked(tmp_path, {"seeds/seeds.yml": types}), "seed.shop.countries")
    assert found == {"code": "character varying(2)", "name": "text", "population": "numeric"}


def test_a_seed_with_a_type_that_is_none(tmp_path: Path) -> None:
    types = "seeds:\n  - name: countries\n    config: {column_types: {code: strng}}\n"
    (finding,) = checked(tmp_path, {"seeds/seeds.yml": types}).result.findings
    assert (finding.message, finding.place.file, finding.place.line) == (
        'type "strng" does not exist',
        "seeds/seeds.yml",
        2,
    )


KINDS = {
    "a_table": ("{{ config(materialized='table') }}select id from {{ ref('orders') }}", {"id": "bigint"}),
    "an_incremental": (
        "{{ config(materialized='incremental', unique_key='id') }}select id from {{ ref('orders') }}"
        "{% if is_incremental() %} where id > (select max(id) from {{ this }}){% endif %}",
        {"id": "bigint"},
    ),
    "a_source": (
        "{{ config(materialized='source') }}(k int not null, v text) from file '/tmp/in' format json key (k) envelope upsert",
        {"k": "integer", "v": "text"},
    ),
    "a_source_that_keeps_less": (
        "{{ config(materialized='source') }}(k int, at timestamptz, v text) from file '/tmp/in' format json "
        "where (v like 'a%' and k > 0) with (exclude columns (v), retain rows for '7 days' by at)",
        {"k": "integer", "at": "timestamp with time zone"},
    ),
    "a_source_over_a_connection": (
        "{{ config(materialized='source') }}(k int, v text, primary key (k)) from kafka connection elsewhere.events (topic 't') "
        "key format json value format json include partition envelope upsert",
        {"k": "integer", "v": "text", "partition": "integer"},
    ),
    "a_source_of_objects": (
        "{{ config(materialized='source') }}(k int, v text) from s3 connection elsewhere.lake (uri 's3://lake/events') format parquet",
        {"k": "integer", "v": "text"},
    ),
    "a_source_over_a_lake": (
        "{{ config(materialized='source') }}(k int, v text) from iceberg catalog connection elsewhere.catalog (namespace 'n', table 't') "
        "using aws connection elsewhere.lake where (k > 0)",
        {"k": "integer", "v": "text"},
    ),
    "a_source_over_a_lake_without_a_catalog": (
        "{{ config(materialized='source') }}(k int, v text) from delta (uri 's3://lake/t') using aws connection elsewhere.lake",
        {"k": "integer", "v": "text"},
    ),
    "a_source_with_dead_letters": (
        "{{ config(materialized='source') }}(k int, v text) from kafka connection elsewhere.events (topic 't') "
        "format json dead letters as rejected with (on error = dead letter)",
        {"k": "integer", "v": "text"},
    ),
    "a_source_with_a_schema": (
        "{{ config(materialized='source') }}from kafka connection elsewhere.events (topic 't') format avro using confluent schema "
        "registry connection elsewhere.schemas value strategy inline "
        """'{"type":"record","name":"r","fields":[{"name":"k","type":"long"},{"name":"d","type":{"type":"array","items":"string"}}]}'""",
        {"k": "bigint", "d": "text list"},
    ),
    "a_webhook": (
        "{{ config(materialized='source') }}from webhook body format json include headers"
        " check (with (headers, secret of_the_runtime) headers -> 'x' = of_the_runtime)",
        {"body": "jsonb", "headers": "map[text=>text]"},
    ),
    "a_view_with_an_index": (
        "{{ config(indexes=[{'columns': ['customer']}]) }}select customer from {{ ref('orders') }}",
        {"customer": "integer"},
    ),
    "of_its_own_kind": (
        "{{ config(materialized='their_own') }}select id from {{ ref('orders') }}",
        {"id": "bigint"},
    ),
    "kept_in_memory": (
        "{{ config(materialized='index', columns=['n']) }}select count(*) as n from {{ ref('orders') }}",
        {"n": "bigint"},
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_materializations(tmp_path: Path, name: str) -> None:
    sql, expected = KINDS[name]
    version = checked(
        tmp_path, {f"models/{name}.sql": sql, "models/over.sql": f"select * from {{{{ ref('{name}') }}}}"}
    )
    assert version.result.findings == []
    assert columns(version, f"model.shop.{name}") == expected
    assert columns(version, "model.shop.over") == expected


REFUSED = {
    "a sink of a view": (
        "{{ config(materialized='sink', connector=\"file '/tmp/out'\") }}select * from {{ ref('orders') }}",
        "cannot create a sink from view",
    ),
    "a sink to nowhere": (
        "{{ config(materialized='sink') }}select * from {{ ref('totals') }}",
        "says not where to",
    ),
    "an index on no column": (
        "{{ config(indexes=[{'columns': ['nothing']}]) }}select id from {{ ref('orders') }}",
        'column "nothing" does not exist',
    ),
    "a table of a source": (
        "{{ config(materialized='source_table') }}select * from {{ ref('orders') }}",
        'syntax error at or near "select"',
    ),
    "an index that is unique": (
        "{{ config(indexes=[{'columns': 'id', 'unique': true}]) }}select id from {{ ref('orders') }}",
        "an index does not enforce uniqueness",
    ),
    "an option that is refused": (
        "{{ config(materialized='materialized_view', assert_not_null=['nothing']) }}select id from {{ ref('orders') }}",
        'column "nothing" does not exist',
    ),
    "a source that keeps what it has not": (
        "{{ config(materialized='source') }}(k int) from file '/tmp/in' format json where (n > 1)",
        'column "n" does not exist',
    ),
    "a source that keeps for a while what others take back": (
        "{{ config(materialized='source') }}(k int, at timestamp) from file '/tmp/in' format json key (k) envelope upsert "
        "with (retain rows for '7 days' by at)",
        "changed and taken back upstream",
    ),
    "a source with no such format": (
        "{{ config(materialized='source') }}(k int) from file '/tmp/in' format protobuf",
        "FORMAT PROTOBUF is not supported",
    ),
}


def test_a_sink_takes_its_connection_as_there(tmp_path: Path) -> None:
    sql = (
        "{{ config(materialized='sink') }}from {{ ref('totals') }} into kafka connection elsewhere.events (topic 't') "
        "key (%s) format json envelope upsert"
    )
    assert checked(tmp_path / "good", {"models/out.sql": sql % "customer, day"}).result.findings == []
    (finding,) = checked(tmp_path / "bad", {"models/out.sql": sql % "nobody"}).result.findings
    assert 'column "nobody"' in finding.message


@pytest.mark.parametrize(
    "options", ["key=['customer', 'day']", "", "key=['customer', 'day'], envelope='upsert'"]
)
def test_a_sink_into_postgresql_that_says_where_has_no_format(tmp_path: Path, options: str) -> None:
    config = f"materialized='sink', connector='postgres connection elsewhere.pg (table public.t)', {options}"
    sql = f"{{{{ config({config}) }}}}select * from {{{{ ref('totals') }}}}"
    assert checked(tmp_path, {"models/out.sql": sql}).result.findings == []


@pytest.mark.parametrize(
    "into",
    [
        "iceberg catalog connection elsewhere.lake (namespace 'n', table 't') using aws connection elsewhere.s3",
        "delta (uri 's3://lake/t') using aws connection elsewhere.s3",
    ],
)
def test_a_sink_into_a_lake_takes_its_connections_as_there(tmp_path: Path, into: str) -> None:
    kept = "{{ config(materialized='materialized_view') }}select id from {{ ref('orders') }}"
    sql = f"{{{{ config(materialized='sink') }}}}from {{{{ ref('kept') }}}} into {into} key (%s) mode upsert"
    files = {"models/kept.sql": kept}
    assert checked(tmp_path / "good", {**files, "models/out.sql": sql % "id"}).result.findings == []
    (finding,) = checked(tmp_path / "bad", {**files, "models/out.sql": sql % "nobody"}).result.findings
    assert 'column "nobody"' in finding.message


@pytest.mark.parametrize(
    "source", ["postgres connection elsewhere.app (publication 'p')", "mysql connection elsewhere.app"]
)
def test_tables_of_upstream_have_the_columns_that_are_declared(tmp_path: Path, source: str) -> None:
    files = {
        "models/up.sql": f"{{{{ config(materialized='source') }}}}from {source}",
        "models/people.sql": "{{ config(materialized='source_table') }}from source {{ ref('up') }} (reference public.people)",
        "models/names.sql": "select name from {{ ref('people') }}",
    }
    version = checked(tmp_path / "bare", files)
    assert version.result.findings == []
    assert {left.node for left in version.result.not_checked} == {"model.shop.people", "model.shop.names"}
    assert version.result.not_checked[0].reason.startswith(
        'the columns of table "people" are those upstream, which is not asked here'
    )
    declared = (
        "models: [{name: people, columns: [{name: id, data_type: bigint}, {name: name, data_type: text}]}]\n"
    )
    version = checked(tmp_path / "declared", files | {"models/people.yml": declared})
    assert (version.result.findings, version.result.not_checked) == ([], [])
    assert columns(version, "model.shop.people") == {"id": "bigint", "name": "text"}
    assert columns(version, "model.shop.names") == {"name": "text"}


def test_a_sink_in_avro_takes_its_registry_as_there(tmp_path: Path) -> None:
    clause = (
        "{{ config(materialized='sink') }}from {{ ref('totals') }} into kafka connection elsewhere.events (topic 't') "
        "key (%s) key format text value format avro using confluent schema registry connection elsewhere.registry "
        "(avro value fullname 'a.B') envelope upsert"
    )
    query = (
        "{{ config(materialized='sink', connector=\"kafka connection elsewhere.events (topic 'q')\", key=['day'], "
        "format='avro using confluent schema registry connection elsewhere.registry') }}select * from {{ ref('totals') }}"
    )
    files = {"models/out.sql": clause % "customer", "models/query.sql": query}
    assert checked(tmp_path / "good", files).result.findings == []
    (finding,) = checked(tmp_path / "bad", {"models/out.sql": clause % "nobody"}).result.findings
    assert 'column "nobody"' in finding.message


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_materialization_refuses(tmp_path: Path, name: str) -> None:
    sql, message = REFUSED[name]
    (finding,) = checked(tmp_path, {"models/refused.sql": sql}).result.findings
    assert message in finding.message
    assert finding.place.file == "models/refused.sql"


def test_a_sink_may_write_through_a_connection_that_only_the_runtime_has(tmp_path: Path) -> None:
    files = {
        "models/kept.sql": "{{ config(materialized='materialized_view') }}select id from {{ ref('orders') }}",
        "models/out.sql": "{{ config(materialized='sink', connector=\"kafka connection elsewhere.events (topic 't')\","
        " key=['id']) }}select * from {{ ref('kept') }}",
    }
    assert checked(tmp_path, files).result.findings == []


def test_an_incremental_model_is_checked_as_its_second_run_too(tmp_path: Path) -> None:
    sql = """\
{{ config(materialized='incremental') }}
select id, amount
from {{ ref('orders') }}
{% if is_incremental() %}
where placed_at > (select max(placed_at) from {{ this }} as t where t.nothing = 1)
{% endif %}
"""
    (finding,) = checked(tmp_path, {"models/added.sql": sql}).result.findings
    assert (finding.message, finding.place.line) == ("column t.nothing does not exist", 5)


def test_a_snapshot_has_the_columns_of_dbt_too(tmp_path: Path) -> None:
    declared = """\
snapshots:
  - name: kept
    relation: ref('orders')
    config: {unique_key: id, strategy: timestamp, updated_at: placed_at}
"""
    found = columns(checked(tmp_path, {"snapshots/kept.yml": declared}), "snapshot.shop.kept")
    assert found["id"] == "bigint"
    assert [found[name] for name in ("dbt_scd_id", "dbt_updated_at", "dbt_valid_from", "dbt_valid_to")] == [
        "text",
        *["timestamp without time zone"] * 3,
    ]


PYTHON = "def model(dbt, session):\n    return dbt.ref('orders')\n"


def test_a_model_in_python_is_known_by_its_declaration(tmp_path: Path) -> None:
    declared = "models: [{name: scored, columns: [{name: id, data_type: bigint}, {name: score, data_type: float8}]}]\n"
    over = "select id, score * 2 as twice from {{ ref('scored') }}"
    version = checked(
        tmp_path, {"models/scored.py": PYTHON, "models/over.sql": over, "models/scored.yml": declared}
    )
    assert version.result.findings == version.result.not_checked == []
    assert columns(version, "model.shop.over") == {"id": "bigint", "twice": "double precision"}


def test_a_model_in_python_that_is_not_declared_is_not_checked(tmp_path: Path) -> None:
    version = checked(
        tmp_path, {"models/scored.py": PYTHON, "models/over.sql": "select * from {{ ref('scored') }}"}
    )
    assert {(left.node, left.because_of) for left in version.result.not_checked} == {
        ("model.shop.scored", None),
        ("model.shop.over", "model.shop.scored"),
    }


def test_what_rests_on_a_wrong_model_is_checked_by_its_contract(tmp_path: Path) -> None:
    files = {
        "models/wrong.sql": "select id, amout as amount from {{ ref('orders') }}",
        "models/over.sql": "select id + day as sum from {{ ref('wrong') }}",
        "models/wrong.yml": "models: [{name: wrong, config: {contract: {enforced: true}}, columns: ["
        "{name: id, data_type: bigint}, {name: amount, data_type: numeric}]}]\n",
    }
    found = [(f.place.file, f.message) for f in checked(tmp_path, files).result.findings]
    assert found == [
        ("models/wrong.sql", 'column "amout" does not exist'),
        ("models/over.sql", 'column "day" does not exist'),
    ]


def test_a_function_is_known_to_what_calls_it(tmp_path: Path) -> None:
    files = {
        "functions/doubled.sql": "select x * 2",
        "functions/doubled.yml": "functions: [{name: doubled, config: {volatility: deterministic}, "
        "arguments: [{name: x, data_type: bigint}], returns: {data_type: bigint}}]\n",
        "models/over.sql": "select {{ function('doubled') }}(id) as twice from {{ ref('orders') }}",
    }
    version = checked(tmp_path, files)
    assert version.result.findings == []
    assert columns(version, "model.shop.over") == {"twice": "bigint"}


def test_so_is_one_in_javascript(tmp_path: Path) -> None:
    """Names of its arguments keep their case, and its types are looked at."""
    yml = (
        "functions: [{{name: doubled, config: {{volatility: deterministic, language: javascript}}, "
        "arguments: [{{name: theValue, data_type: {0}, default_value: 1}}], returns: {{data_type: {0}}}}}]\n"
    )
    files = {
        "functions/doubled.sql": "return theValue * 2n",
        "functions/doubled.yml": yml.format("bigint"),
        "models/over.sql": "select {{ function('doubled') }}(\"theValue\" => id) as twice from {{ ref('orders') }}",
    }
    version = checked(tmp_path / "right", files)
    assert version.result.findings == []
    assert columns(version, "model.shop.over") == {"twice": "bigint"}
    wrong = checked(tmp_path / "wrong", files | {"functions/doubled.yml": yml.format("numeric")})
    messages = [finding.message for finding in wrong.result.findings]
    assert any(
        "functions in JavaScript are not supported with arguments of type numeric" in m for m in messages
    )


def test_macros_that_look_at_the_catalog_see_what_was_checked(tmp_path: Path) -> None:
    looking = """\
select
    {% for column in adapter.get_columns_in_relation(ref('orders')) if column.is_number() %}
    sum({{ column.name }}) as {{ column.name }}{{ ',' if not loop.last }}
    {% endfor %}
from {{ ref('orders') }}
"""
    listing = """\
{% set found = run_query("select table_name from information_schema.tables where table_schema = 'public' order by 1") %}
select {% for row in found %}'{{ row[0] }}' as {{ row[0] }}{{ ', ' if not loop.last }}{% endfor %}
from {{ ref('totals') }}
"""
    version = checked(tmp_path, {"models/sums.sql": looking, "models/z_listing.sql": listing})
    assert version.result.findings == []
    assert list(columns(version, "model.shop.sums")) == ["id", "customer", "amount"]
    assert {"countries", "orders", "totals"} <= columns(version, "model.shop.z_listing").keys()


def test_a_test_that_is_kept_as_a_view_is_refused_what_a_view_is(tmp_path: Path) -> None:
    sql = "{{ config(store_failures_as='materialized_view') }}\nselect id from {{ ref('orders') }}\nwhere placed_at > now()\n"
    (finding,) = checked(tmp_path, {"tests/late.sql": sql}).result.findings
    assert (finding.place.line, finding.place.column) == (3, 19)
    assert "now is not allowed in a materialized view" in finding.message


UNIT_TEST = """\
unit_tests:
  - name: adds_up
    model: totals
    given:
      - input: ref('orders')
        rows: [GIVEN]
    expect: {rows: [EXPECTED]}
"""


@pytest.mark.parametrize(
    ("given", "expected", "message"),
    [
        ("{nope: 1}", "{customer: 1}", "Invalid column name: 'nope' in unit test fixture for 'orders'"),
        ("{customer: abc}", "{customer: 1}", 'invalid input syntax for type integer: "abc"'),
        ("{customer: 1}", "{custmer: 1}", 'expects column "custmer", which "totals" does not have'),
    ],
)
def test_unit_tests(tmp_path: Path, given: str, expected: str, message: str) -> None:
    text = UNIT_TEST.replace("GIVEN", given).replace("EXPECTED", expected)
    (finding,) = checked(tmp_path, {"models/tests.yml": text}).result.findings
    assert message in finding.message
    assert (finding.place.file, finding.place.line) == ("models/tests.yml", 2)


def test_text_that_ends_where_it_must_not(tmp_path: Path) -> None:
    (finding,) = checked(tmp_path, {"models/wrong.sql": "select id\nfrom (\n"}).result.findings
    assert (finding.place.line, finding.place.column) == (2, 7)


def test_columns_behind_tabs_and_letters_of_two_bytes(tmp_path: Path) -> None:
    sql = "select\n\t'größe' as g, wröng\nfrom {{ ref('orders') }}\n"
    (finding,) = checked(tmp_path, {"models/wrong.sql": sql}).result.findings
    assert finding.place.text[finding.place.column - 1 :][: finding.place.length] == "wröng"


def test_each_version_of_a_model_is_one(tmp_path: Path) -> None:
    files = {
        "models/ver.yml": "models: [{name: ver, latest_version: 2, versions: [{v: 1}, {v: 2}]}]\n",
        "models/ver_v1.sql": "select 1 as a",
        "models/ver_v2.sql": "select 1 as a, 2 as b",
        "models/latest.sql": "select b from {{ ref('ver') }}",
        "models/first.sql": "select b from {{ ref('ver', v=1) }}",
    }
    (finding,) = checked(tmp_path, files).result.findings
    assert finding.place.file == "models/first.sql"


def test_the_environment_of_a_check_reaches_no_runtime(tmp_path: Path) -> None:
    """The profile names a port where nothing listens, and a model's Jinja may ask for the catalog all the same."""
    asked = "{% set found = adapter.get_relation('ptvc', 'public', 'orders') %}"
    sql = (
        asked
        + "select {{ 1 if found and found.is_view else 0 }} as n, {{ 1 if load_relation(this) else 2 }} as m"
    )
    version = checked(tmp_path, {"models/asks.sql": sql + " from {{ ref('orders') }}"})
    assert version.result.findings == []
    assert "select 1 as n, 2 as m" in version.result.checked["model.shop.asks"].sql


def test_dead_letters_are_there_beside_their_source(tmp_path: Path) -> None:
    source = "{{ config(materialized='source') }}(k int) from file '/tmp/in' format json with (on error = dead letter)"
    bad = (
        "select line, reason from {{ ref('clicks').incorporate(path={'identifier': 'clicks_dead_letters'}) }}"
    )
    version = checked(tmp_path, {"models/clicks.sql": source, "models/bad.sql": bad})
    assert version.result.findings == []
    assert columns(version, "model.shop.bad") == {"line": "bigint", "reason": "text"}
