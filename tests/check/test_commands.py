"""`ptvc check` and `ptvc lineage` from outside: what they print, and what they exit with."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from ptvc.check import artifacts
from ptvc.cli import app
from typer.testing import CliRunner

from .generated_project import write_compiled, write_project
from .mistakes import FILES, write

WRONG = "select\n    id,\n    {{ cents('prise') }} as cents\nfrom {{ ref('orders') }}\n"


def run(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, FILES)
    return tmp_path


def of(root: Path) -> tuple[str | Path, ...]:
    return "--project-dir", root, "--profiles-dir", root


def test_a_project_that_is_right(root: Path) -> None:
    code, output, _ = run("check", *of(root))
    assert code == 0
    assert output.startswith("0 errors in 3 models, 1 seed, 1 source (")


def test_a_mistake_is_shown_where_it_is(root: Path) -> None:
    write(root, {"models/wrong.sql": WRONG, "models/above.sql": "select * from {{ ref('wrong') }}\n"})
    code, output, _ = run("check", *of(root))
    assert code == 1
    assert (
        output.rpartition(" (")[0]
        == """\
error[42703]: column "prise" does not exist
 --> models/wrong.sql:3:5
  |
3 |     {{ cents('prise') }} as cents
  |     ^^^^^^^^^^^^^^^^^^^^
 ::: compiled, line 3
  |
3 |     round(prise * 100) as cents
  |           ^^^^^

not checked: above
  = model wrong has errors

1 error, 1 not checked in 5 models, 1 seed, 1 source"""
    )


def test_json(root: Path) -> None:
    write(root, {"models/wrong.sql": WRONG})
    code, output, _ = run("check", *of(root), "--json")
    document = json.loads(output)
    assert code == 1
    parts = {"version", "ptvc", "project", "summary", "findings", "not_checked", "changes", "not_compared"}
    assert set(document) == parts
    assert (document["version"], document["project"], document["changes"]) == (1, "shop", None)
    assert document["summary"] | {"seconds": 0} == {
        "checked": 5,
        "errors": 1,
        "warnings": 0,
        "not_checked": 0,
        "seconds": 0,
    }
    assert document["findings"] == [
        {
            "severity": "error",
            "code": "42703",
            "message": 'column "prise" does not exist',
            "detail": None,
            "hint": None,
            "node": "model.shop.wrong",
            "file": "models/wrong.sql",
            "line": 3,
            "column": 5,
            "length": 20,
        }
    ]


def test_what_dbt_does_not_parse_is_wrong_too(root: Path) -> None:
    write(root, {"models/wrong.sql": "select * from {{ ref('ordres') }}"})
    code, output, _ = run("check", *of(root))
    assert code == 1
    assert " --> models/wrong.sql:1:23\n" in output
    assert "1 error, and nothing else is known of the project" in output


def test_strict_takes_what_is_not_checked_for_an_error(root: Path) -> None:
    write(root, {"models/sources.yml": "sources: [{name: raw, tables: [{name: orders}]}]\n"})
    assert run("check", *of(root))[0] == 0
    code, output, _ = run("check", *of(root), "--strict")
    assert code == 1
    assert "= the columns of source raw.orders are not declared with a data_type each" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--project-dir", "/nonexistent"), "does not exist"),
        (("--manifest", "/nonexistent"), "there is no manifest at /nonexistent"),
        (("--path", "/nonexistent"), "no runtime serves /nonexistent"),
        (("--host", "127.0.0.1", "--port", "1"), "refused"),
        (("--catalog", "/nonexistent"), "there is no catalog at /nonexistent"),
    ],
)
def test_what_cannot_be_looked_at(arguments: tuple[str, ...], message: str) -> None:
    code, _, problems = run("check", *arguments)
    assert code == 2
    assert message in problems


@pytest.mark.parametrize("option", ["manifest", "catalog"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it is empty"),
        (b"\xff", "it is no text in UTF-8"),
        (b"[1", "Expecting ',' delimiter: line 1 column 3 (char 2)"),
        (b"[]", "its JSON has another structure"),
        (b'{"nodes": {"n": {}}}', "is missing in it"),
        (b"[" * 100_000, "its JSON has another structure"),
    ],
)
def test_what_is_no_artifact(option: str, content: bytes, message: str, root: Path, tmp_path: Path) -> None:
    (file := tmp_path / "other.json").write_bytes(content)
    code, _, problems = run("check", "--project-dir", root, f"--{option}", file)
    assert code == 2
    assert f"{file} is no {option}.json of dbt: " in problems
    assert message in problems


@pytest.mark.parametrize("option", ["manifest", "catalog", "state"])
@pytest.mark.parametrize("kind", ["device", "pipe", "directory with a pipe", "too long"])
def test_what_has_no_end_is_no_artifact(
    option: str, kind: str, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "manifest" if option == "state" else option
    path, what = Path("/dev/zero"), "it is no regular file"
    if kind == "pipe":
        os.mkfifo(path := tmp_path / "pipe")
    elif kind == "directory with a pipe":
        (path := tmp_path / "other").mkdir()
        os.mkfifo(path / f"{name}.json")
    elif kind == "too long":
        (path := tmp_path / "long.json").write_text("[]" + " " * 100)
        monkeypatch.setattr(artifacts, "MOST_BYTES", 100)
        what = "it has more than 100 bytes"
    code, _, problems = run("check", *of(root), f"--{option}", path)
    assert code == 2
    assert f"there is no {name} at {path}" in problems
    assert what in problems


def test_a_file_that_a_manifest_names_is_not_read_for_ever(tmp_path: Path) -> None:
    write_project(tmp_path, 1)
    compiled = write_compiled(tmp_path)
    manifest = json.loads(compiled.read_text())
    for node in manifest["nodes"].values():
        node["original_file_path"], node["compiled_code"] = "/dev/zero", "select 1 from nowhere"
    compiled.write_text(json.dumps(manifest))
    code, output, _ = run("check", "--manifest", compiled, "--project-dir", tmp_path)
    assert code == 1
    assert "--> /dev/zero" in output


def test_a_manifest_is_taken_as_it_is(tmp_path: Path) -> None:
    write_project(tmp_path, 10)
    compiled = write_compiled(tmp_path)
    code, output, _ = run("check", "--manifest", compiled, "--project-dir", tmp_path)
    assert (code, output.partition(" (")[0]) == (0, "0 errors in 10 models, 2 sources, 2 tests")
    code, _, problems = run("check", "--manifest", tmp_path / "target", "--project-dir", tmp_path)
    assert code == 2
    assert "has no compiled code" in problems


def test_a_manifest_that_a_run_has_written_names_what_it_has_staged(root: Path) -> None:
    """`dbt build` leaves in it what it has run: a model that reads one that was staged names that where it was."""
    compiled = write_compiled(root)
    text, place, staged = (
        compiled.read_text(),
        r"from \"public\".\"orders\"",
        r"from \"public__dbt_next\".\"orders\"",
    )
    assert place in text
    compiled.rename(root / "target" / "manifest.json")
    (root / "target").rename(root / "state")
    (root / "state" / "manifest.json").write_text(text.replace(place, staged))
    assert run("check", "--manifest", root / "state", "--project-dir", root, "--strict")[0] == 0
    totals = FILES["models/totals.sql"]
    for edit, change in ((totals, []), (totals.replace("sum(amount)", "sum(amount + 1)"), ["in place"])):
        write(root, {"models/totals.sql": edit})
        document = json.loads(run("check", *of(root), "--state", root / "state", "--json")[1])
        assert [found["action"] for found in document["changes"]] == change
        assert document["not_compared"] == []


def test_a_manifest_that_was_compiled_for_a_later_run(root: Path) -> None:
    """An incremental model then reads its own table."""
    sql = "{{ config(materialized='incremental') }}select id from {{ ref('orders') }} where id > 0"
    write(root, {"models/added.sql": sql, "models/over.sql": "select * from {{ ref('added') }}"})
    compiled = write_compiled(root)
    own = 'where id > (select max(id) from "public"."added")'
    compiled.write_text(compiled.read_text().replace('where id > 0"', f'{json.dumps(own)[1:-1]}"'))
    code, output, _ = run("check", "--manifest", compiled, "--project-dir", root)
    assert code == 0
    assert "model added was compiled for a later run: the columns that its table has are not known" in output
    document = json.loads(compiled.read_text())
    document["nodes"]["model.shop.added"]["columns"] = {"id": {"name": "id", "data_type": "bigint"}}
    compiled.write_text(json.dumps(document))
    assert run("check", "--manifest", compiled, "--project-dir", root, "--strict")[0] == 0


def test_a_catalog_has_columns_of_sources(root: Path) -> None:
    write(root, {"models/sources.yml": "sources: [{name: raw, tables: [{name: orders}]}]\n"})
    types = {
        "id": "bigint",
        "customer": "integer",
        "amount": "numeric",
        "placed_at": "timestamp without time zone",
    }
    columns = {name: {"name": name, "type": type_, "index": 1} for name, type_ in types.items()}
    catalog = root / "catalog.json"
    catalog.write_text(json.dumps({"nodes": {}, "sources": {"source.shop.raw.orders": {"columns": columns}}}))
    assert run("check", *of(root), "--strict", "--catalog", catalog)[0] == 0


def test_changes(root: Path) -> None:
    assert run("check", *of(root))[0] == 0
    (root / "target").rename(root / "state")
    write(root, {"models/totals.sql": FILES["models/totals.sql"].replace("sum(amount)", "max(id)")})
    _, output, _ = run("check", *of(root), "--state", root / "state")
    assert (
        output.rpartition("\n\n")[0]
        == """\
rebuilt   materialized view totals
          columns: total numeric -> total bigint
          column total: sum(orders.amount) -> max(orders.id)
          not in place: column "total" is of type bigint instead of numeric"""
    )
    document = json.loads(run("check", *of(root), "--state", root / "state", "--json")[1])
    (change,) = document["changes"]
    assert change["node"] == "model.shop.totals"
    assert change["action"] == "rebuilt"
    assert change["reasons"][1] == {
        "part": "column total",
        "before": "sum(orders.amount)",
        "after": "max(orders.id)",
    }


def test_a_change_that_would_be_refused_is_an_error(root: Path) -> None:
    """The target of a sink into files has records of the columns that it was begun with."""
    feed = "{{ config(materialized='sink', connector=\"file '/tmp/feed'\") }}\nselect * from {{ ref('totals') }}\n"
    write(root, {"models/feed.sql": feed})
    assert run("check", *of(root))[0] == 0
    (root / "target").rename(root / "state")
    write(root, {"models/totals.sql": FILES["models/totals.sql"].replace("sum(amount)", "max(id)")})
    code, output, _ = run("check", *of(root), "--state", root / "state")
    assert code == 1
    assert output.rpartition("\n\n")[0].endswith(
        """\
refused   sink feed: reads what takes the place of totals
          its target: column "total" is of type bigint instead of numeric"""
    )


# --- lineage ---


def test_lineage_of_a_model(root: Path) -> None:
    code, output, _ = run("lineage", "totals", *of(root))
    assert code == 0
    assert (
        output
        == """\
model totals
  customer  <- orders.customer (copy)
  day       <- orders.day (copy)
  total     <- orders.amount (transform)
  rows: group by orders.customer, orders.day
"""
    )


def test_lineage_up_and_down(root: Path) -> None:
    assert (
        run("lineage", "totals.day", "--upstream", *of(root))[1]
        == """\
totals.day
└── orders.day (copy)
    └── raw.orders.placed_at (transform)
"""
    )
    assert (
        run("lineage", "raw.orders.placed_at", "--downstream", *of(root))[1]
        == """\
raw.orders.placed_at
├── orders.placed_at (copy)
│   └── recent.placed_at (copy)
└── orders.day (transform)
    ├── totals.day (copy)
    ├── recent.day (copy)
    └── rows of totals (group)
"""
    )


def test_lineage_as_json(root: Path) -> None:
    document = json.loads(run("lineage", "totals.total", "--json", "--upstream", *of(root))[1])
    (model,) = document["models"]
    assert model["columns"] == [
        {
            "name": "total",
            "type": "numeric",
            "inputs": [{"node": "model.shop.orders", "column": "amount", "kinds": ["transform"]}],
        }
    ]
    assert document["upstream"][-1] == {
        "node": "model.shop.orders",
        "column": "amount",
        "input": {"node": "source.shop.raw.orders", "column": "amount"},
        "kinds": ["copy"],
    }


def test_what_a_source_makes_itself_is_called_as_a_dataset_is(root: Path) -> None:
    market = "{{ config(materialized='source') }} from load generator auction for all tables\n"
    sums = "select sum(amount) as total from {{ ref('market').own_table('bids') }}\n"
    write(root, {"models/market.sql": market, "models/sums.sql": sums})
    (dataset,) = json.loads(run("lineage", "sums", "--openlineage", *of(root))[1])
    (total,) = dataset["facets"]["columnLineage"]["fields"]["total"]["inputFields"]
    assert (total["name"], total["field"]) == ("ptvc.public.bids", "amount")


def test_lineage_as_openlineage(root: Path) -> None:
    datasets = json.loads(run("lineage", "--openlineage", *of(root))[1])
    by_name = {dataset["name"]: dataset["facets"] for dataset in datasets}
    facet: dict[str, Any] = by_name["ptvc.public.totals"]["columnLineage"]
    (total,) = facet["fields"]["total"]["inputFields"]
    assert (total["name"], total["field"]) == ("ptvc.public.orders", "amount")
    assert total["transformations"][0]["type"] == "DIRECT"
    assert [(found["field"], found["transformations"][0]["subtype"]) for found in facet["dataset"]] == [
        ("customer", "GROUP_BY"),
        ("day", "GROUP_BY"),
    ]
    assert "columnLineage" not in by_name["ptvc.raw.orders"]


@pytest.mark.parametrize(
    ("name", "message"), [("nothing", "there is no model"), ("totals.nothing", 'has no column "nothing"')]
)
def test_lineage_of_what_is_not_there(root: Path, name: str, message: str) -> None:
    code, _, problems = run("lineage", name, *of(root))
    assert code == 2
    assert message in problems


_TEXT = {"type": "string"}
_URL = {"type": "string", "pattern": "^https://"}
_INPUT = {
    "type": "object",
    "required": ["namespace", "name", "field"],
    "properties": {
        "namespace": _TEXT,
        "name": _TEXT,
        "field": _TEXT,
        "transformations": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["type"],
                "properties": {
                    "type": {"enum": ["DIRECT", "INDIRECT"]},
                    "subtype": _TEXT,
                    "description": _TEXT,
                    "masking": {"type": "boolean"},
                },
            },
        },
    },
}
_INPUTS = {"type": "array", "items": _INPUT}
_OF_A_COLUMN = {"type": "object", "required": ["inputFields"], "properties": {"inputFields": _INPUTS}}
FACET = {
    "type": "object",
    "required": ["_producer", "_schemaURL", "fields"],
    "properties": {
        "_producer": _URL,
        "_schemaURL": _URL,
        "fields": {"type": "object", "additionalProperties": _OF_A_COLUMN},
        "dataset": _INPUTS,
    },
}
"""What OpenLineage asks of a `columnLineage` facet (1-2-0), and of every facet."""


def test_the_facet_has_what_openlineage_asks_for(root: Path) -> None:
    datasets = json.loads(run("lineage", "--openlineage", *of(root))[1])
    columns = {
        (dataset["namespace"], dataset["name"]): {
            column["name"] for column in dataset["facets"]["schema"]["fields"]
        }
        for dataset in datasets
    }
    facets = [
        dataset["facets"]["columnLineage"] for dataset in datasets if "columnLineage" in dataset["facets"]
    ]
    assert facets
    for facet in facets:
        jsonschema.validate(facet, FACET)
        inputs = [*facet["dataset"], *(i for made in facet["fields"].values() for i in made["inputFields"])]
        assert all(i["field"] in columns[i["namespace"], i["name"]] for i in inputs)
