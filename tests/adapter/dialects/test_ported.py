"""Projects that `ptvc port` has rewritten, built: their relations hold what the other warehouse would have, or what the adapter makes of the
same models by their `dialect`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import duckdb
import jinja2
import psycopg
import pytest
import yaml
from dbt.cli.main import dbtRunner
from ptvc.porting import run
from ptvc.porting.jinja import refs
from ptvc.porting.models import Way

from tests.porting.test_projects import FROM, PROJECTS

pytestmark = [pytest.mark.usefixtures("logs_dir"), pytest.mark.timeout(300)]

Rows = list[tuple[Any, ...]]
Built = Callable[[str, Way], dict[str, Rows]]

UNLIKE = {"titles", "exploded"}
"""Models that are refused."""


def plain(value: Any) -> Any:
    match value:
        case datetime():
            return value.replace(tzinfo=None).isoformat()
        case date():
            return f"{value.isoformat()}T00:00:00"
        case Decimal() | float() | int() if not isinstance(value, bool):
            return round(float(value), 9)
        case _:
            return value


def answer(rows: Rows) -> Rows:
    return sorted((tuple(plain(value) for value in row) for row in rows), key=repr)


@pytest.fixture(scope="class")
def built(server: dict[str, Any], target_name: str, tmp_path_factory: pytest.TempPathFactory) -> Built:
    if target_name == "postgres":
        pytest.skip("the projects are run by the runtime")

    def build(name: str, way: Way) -> dict[str, Rows]:
        """All relations of the ported project that can be built, by name."""
        folder = tmp_path_factory.mktemp("ported") / name
        found = run.port(PROJECTS / name, FROM[name], way=way)
        run.copy(PROJECTS / name, folder)
        run.write(found, folder)
        schema = f"{name}_{way.value}"
        profile = found.profile()
        profile[name]["outputs"]["dev"] = {"type": "ptvc", "schema": schema, "threads": 4} | {
            key: server[key] for key in ("host", "port", "user")
        }
        (folder / "profiles.yml").write_text(yaml.safe_dump(profile))
        where = ["--project-dir", str(folder), "--profiles-dir", str(folder)]
        done = dbtRunner().invoke(["build", *where, "--exclude", *UNLIKE])
        assert done.success, [(one.node.name, one.message) for one in done.result or () if one.message]
        again = dbtRunner().invoke(
            ["run", *where, "--exclude", *UNLIKE]
        )  # of incremental models the other text
        assert again.success, [(one.node.name, one.message) for one in again.result or () if one.message]
        rows = {}
        with psycopg.connect(
            **{key: server[key] for key in ("host", "port", "user", "dbname")}
        ) as connection:
            for result in done.result:
                node = result.node
                if node.resource_type in ("model", "seed") and node.name not in rows:
                    query = f'select * from "{node.schema}"."{node.alias}"'
                    rows[node.name] = answer(connection.execute(query.encode()).fetchall())
        return rows

    return build


def of_duckdb(name: str) -> dict[str, Rows]:
    """The project as DuckDB has it: seeds with the types of the project, models in their order."""
    root = PROJECTS / name
    config = yaml.safe_load((root / "dbt_project.yml").read_text())
    environment = jinja2.Environment()
    environment.globals.update(
        config=lambda **_: "",
        ref=lambda model: model,
        var=lambda variable: config["vars"][variable],
        is_incremental=lambda: False,
    )
    models = {
        path.stem: path.read_text() for path in (root / "models").rglob("*.sql") if path.stem not in UNLIKE
    }
    rows: dict[str, Rows] = {}
    with duckdb.connect() as connection:
        for seed in sorted((root / "seeds").glob("*.csv")):
            types = config["seeds"][name].get(seed.stem, {}).get("+column_types", {})
            connection.execute(
                f"create table {seed.stem} as select * from read_csv('{seed}', types={types or {'id': 'integer'}})"
            )
            rows[seed.stem] = answer(connection.execute(f"select * from {seed.stem}").fetchall())
        while left := [model for model in models if model not in rows]:
            for model in left:
                if all(read in rows for read in refs(models[model])):
                    sql = environment.from_string(models[model]).render()
                    connection.execute(f"create table {model} as {sql}")
                    rows[model] = answer(connection.execute(f"select * from {model}").fetchall())
    return rows


class TestPorted:
    def test_rewritten_it_has_duckdb_s_values(self, built: Built) -> None:
        theirs, ours = of_duckdb("library"), built("library", Way.REWRITE)
        assert set(ours) == set(theirs)
        assert {name for name in ours if ours[name] != theirs[name]} == set()
        assert all(ours[name] for name in ours)

    def test_kept_it_has_duckdb_s_values(self, built: Built) -> None:
        theirs, ours = of_duckdb("library"), built("library", Way.KEEP)
        assert {name for name in theirs if ours[name] != theirs[name]} == set()

    def test_both_ways_have_the_same_values(self, built: Built) -> None:
        rewritten, kept = built("fleet", Way.REWRITE), built("fleet", Way.KEEP)
        assert rewritten == kept
        assert {name: len(rows) for name, rows in kept.items()} == {"trips": 3, "base_trips": 3, "trucks": 2}
