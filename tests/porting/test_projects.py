"""Whole projects, as people write them for other warehouses: what becomes of each file, and that the result is right.

That what is rewritten has the values that it had is tested in tests/adapter/dialects, where both are built.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from ptvc.porting import run
from ptvc.porting.commands import check_of
from ptvc.porting.models import MARK, Way
from ptvc.porting.outcomes import Outcome, Weight
from ptvc.porting.run import Port

PROJECTS = Path(__file__).parent / "projects"
FROM = {
    "roastery": "snowflake",
    "webshop": "bigquery",
    "clinic": "redshift",
    "library": "duckdb",
    "fleet": "databricks",
}

DOUBTFUL = {
    "roastery": {
        "models/marts/hashed.sql": [3, 4],
        "models/marts/by_method.sql": [3],
    },
    "webshop": {"models/hits.sql": [5], "models/sessions.sql": [3]},
    "clinic": {
        "dbt_project.yml": [4, 9],
        "macros/hours.sql": [3],
        "models/hours.sql": [1],
        "models/now.sql": [1],
        "models/wards.sql": [8],
    },
    "library": {"models/marts/titles.sql": [3, 4]},
    "fleet": {"models/exploded.sql": [1], "models/trucks.sql": [1]},
}
"""By file the lines."""

REFUSED = {
    "roastery": {"models/marts/hashed.sql"},
    "webshop": set(),
    "clinic": {"models/hours.sql", "models/now.sql", "models/wards.sql"},
    "library": {"models/marts/titles.sql"},
    "fleet": {"models/exploded.sql"},
}
"""Of the result, by `ptvc check`: what was doubtful, in its dialect still.  Of `webshop/hits` nothing is known."""


def ported(name: str, way: Way = Way.REWRITE) -> Port:
    return run.port(PROJECTS / name, FROM[name], way=way)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    return tmp_path / "written"


def write(found: Port, target: Path) -> Path:
    run.copy(found.project.root, target)
    run.write(found, target)
    return target


@pytest.mark.parametrize("name", FROM)
def test_what_is_doubtful_has_its_line(name: str) -> None:
    found = {one.file: one for one in ported(name).files}
    lines = {file: [note.place.line for note in one.doubts] for file, one in found.items() if one.doubts}
    assert lines == DOUBTFUL[name]
    for file in lines:
        source = (PROJECTS / name / file).read_text().splitlines()
        assert all(source[note.place.line - 1] == note.place.text for note in found[file].doubts)


@pytest.mark.parametrize("name", FROM)
def test_the_result_is_right_but_for_that(name: str, written: Path) -> None:
    found = ported(name)
    write(found, written)
    with run.profiles(found) as profiles:
        checked = check_of(written, profiles, found.project.name)
    assert {one["file"] for one in checked["findings"]} == REFUSED[name]
    for one in found.files:
        if one.outcome is Outcome.PORTED and one.file.startswith("models/") and one.file.endswith(".sql"):
            assert one.planned


@pytest.mark.parametrize("name", FROM)
def test_what_is_doubtful_keeps_its_text_and_gets_its_dialect(name: str) -> None:
    for one in ported(name).with_outcome(Outcome.DOUBTFUL):
        if not one.file.startswith("models/") or one.planned:
            continue
        source, text = (PROJECTS / name / one.file).read_text(), one.text or ""
        assert f"dialect='{FROM[name]}'" in text
        assert MARK in text
        kept = [line for line in text.splitlines() if MARK not in line and "config(" not in line]
        assert kept == [line for line in source.splitlines() if "config(" not in line]


@pytest.mark.parametrize("name", FROM)
def test_once_more_changes_nothing(name: str, written: Path) -> None:
    """A project that was ported is not read as the other warehouse's again, but for what still is."""
    write(ported(name), written)
    again = run.port(written, FROM[name])
    changed = [one.file for one in again.files if one.text is not None]
    assert changed == []
    assert {one.file for one in again.files if one.outcome is Outcome.PORTED} == set()


def test_layout_comments_and_jinja_stay() -> None:
    found = {one.file: one.text for one in ported("roastery").files}
    assert (
        found["models/marts/fct_payments.sql"]
        == """\
{{
    config(
        materialized='incremental',
        unique_key='payment_id'
    )
}}

select
    p.payment_id,
    datediff('day', o.ordered_at, p.day) as days,
    p.amount,
    p.day,
    cast(p.day + cast(1 as integer) * interval '1 month' as date) as due
from {{ ref('stg_payments') }} p
left join {{ ref('stg_orders') }} o using (order_id)
{% if is_incremental() %}
where p.day > (select cast(max(day) + cast(-3 as integer) * interval '1 day' as date) from {{ this }})
{% endif %}
qualify row_number() over (partition by p.payment_id order by p.day desc) = 1
"""
    )
    assert "-- cents" in (found["models/staging/stg_payments.sql"] or "")
    assert "{{ dbt.hash('order_id') }} as sk" in (found["models/staging/stg_payments.sql"] or "")
    assert "where ordered_at >= '{{ var(\"start_date\") }}'" in (found["models/staging/stg_orders.sql"] or "")


def test_configs_of_the_project() -> None:
    found = {one.file: one.text for one in ported("roastery").files}
    project = yaml.safe_load(found["dbt_project.yml"] or "")
    assert project["models"] == {
        "roastery": {
            "staging": {"+materialized": "view"},
            "marts": {"+materialized": "materialized_view"},
        }
    }
    assert project["seeds"]["roastery"]["+column_types"] == {"id": "numeric(38,0)", "amount": "numeric(12,2)"}
    assert "# fresh" in (found["dbt_project.yml"] or "")
    source = yaml.safe_load(found["models/staging/sources.yml"] or "")["sources"][0]
    assert "database" not in source
    assert [column["data_type"] for column in source["tables"][0]["columns"]] == [
        "numeric(38,0)",
        "numeric(38,0)",
        "numeric(38,0)",
        "timestamp",
        "text",
    ]


def test_an_incremental_model_that_filters_is_a_view_by_advice() -> None:
    advised = {
        one.file for one in ported("library").files if any(note.weight is Weight.ADVICE for note in one.notes)
    }
    assert advised == {"models/marts/latest.sql"}


def test_an_ephemeral_model_below_a_dialect_is_a_view() -> None:
    found = {one.file: one for one in ported("fleet").files}
    assert "materialized='view'" in (found["models/base_trips.sql"].text or "")


def test_kept_in_their_dialect(written: Path) -> None:
    found = ported("roastery", Way.KEEP)
    outcomes = {one.file: one.outcome for one in found.files}
    assert outcomes["models/staging/stg_orders.sql"] is Outcome.KEPT
    # Its macro writes PostgreSQL's SQL.
    assert outcomes["models/staging/stg_payments.sql"] is Outcome.PORTED
    # A snapshot has no dialect.
    assert outcomes["snapshots/snap.sql"] is Outcome.PORTED
    write(found, written)
    project = yaml.safe_load((written / "dbt_project.yml").read_text())
    assert project["models"]["roastery"]["+dialect"] == "snowflake"
    assert "iff(" in (written / "models/staging/stg_orders.sql").read_text()
    with run.profiles(found) as profiles:
        checked = check_of(written, profiles, found.project.name)
    assert {one["file"] for one in checked["findings"]} == REFUSED["roastery"]


def test_columns_of_a_catalog(tmp_path: Path) -> None:
    """Types that no YAML declares are those of the other warehouse's catalog."""
    root = tmp_path / "shop"
    files = {
        "dbt_project.yml": "name: shop\nprofile: shop\n",
        "models/sources.yml": "sources: [{name: raw, tables: [{name: items}]}]\n",
        "models/prices.sql": "select zeroifnull(price) as price, iff(sold, 1, 0) as n from {{ source('raw', 'items') }}\n",
        "catalog.json": """{"nodes": {}, "sources": {"source.shop.raw.items": {"columns": {
            "PRICE": {"name": "PRICE", "type": "NUMBER"}, "SOLD": {"name": "SOLD", "type": "BOOLEAN"}}}}}""",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (without,) = [one for one in run.port(root, "snowflake").files if one.file == "models/prices.sql"]
    assert without.outcome is Outcome.DOUBTFUL
    assert "which is not known" in without.doubts[0].message
    found = run.port(root, "snowflake", catalog=root / "catalog.json")
    (within,) = [one for one in found.files if one.file == "models/prices.sql"]
    assert within.outcome is Outcome.PORTED
    assert within.text == (
        "select coalesce(price, 0) as price, case when sold then 1 else 0 end as n from {{ source('raw', 'items') }}\n"
    )


def test_what_is_declared_may_not_be_all(tmp_path: Path) -> None:
    """A source's YAML that leaves columns out says nothing of them: what needs no type is ported all the same."""
    root = tmp_path / "shop"
    shutil.copytree(PROJECTS / "webshop", root)
    (root / "models/more.sql").write_text(
        "SELECT user_id, device, IF(seconds > 1, 'a', 'b') AS c FROM {{ source('events', 'page_views') }}\n"
    )
    (found,) = [one for one in run.port(root, "bigquery").files if one.file == "models/more.sql"]
    assert found.outcome is Outcome.PORTED
    assert not found.planned


def test_what_is_doubtful_in_yaml_is_marked() -> None:
    (project,) = [one for one in ported("clinic").files if one.file == "dbt_project.yml"]
    lines = (project.text or "").splitlines()
    marked = [
        lines[at + 1].strip() for at, line in enumerate(lines) if line.strip().startswith("# ptvc port: ")
    ]
    assert [line.split(":")[0] for line in marked] == ["name", "on-run-end", "+post-hook"]
    assert yaml.safe_load(project.text or "")["models"]["clinic"] == {"+post-hook": "analyze {{ this }}"}


def test_comments_are_not_put_into_what_goes_over_lines(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    (root / "models").mkdir(parents=True)
    (root / "dbt_project.yml").write_text("name: shop\nprofile: shop\n")
    sql = "select\n    'a\n    b' || hash(1) as x, /* of\n    y */ hash(2) as y\n"
    (root / "models/m.sql").write_text(sql)
    (found,) = [one for one in run.port(root, "snowflake").files if one.file == "models/m.sql"]
    assert [note.place.line for note in found.doubts] == [3, 4]
    lines = (found.text or "").splitlines()
    assert [at for at, line in enumerate(lines) if MARK in line] == [2]
    assert lines[3:] == sql.splitlines()[1:]
