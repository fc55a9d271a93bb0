"""Seeds: unchanged ones are skipped, changed rows arrive at one moment, and dependents stay."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import psycopg
import pytest
from dbt.tests.util import run_dbt, run_dbt_and_capture, write_file

from .test_changes import messages, oids

SEED = "id,name,weight,at\n1,a,1.5,2013-01-01 06:00:00\n2,,2,2013-01-01 07:00:00\n"
MORE = SEED + "3,c,2.25,\n"
DOUBLED = "select id, 2 * weight as weight from {{ ref('seed') }}"


class TestSeeds:
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": SEED}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"doubled.sql": "{{ config(materialized='materialized_view') }}" + DOUBLED}

    def rows(self, project: Any) -> list[tuple[Any, ...]]:
        found = project.run_sql(f"select id, weight from {project.test_schema}.doubled", fetch="all")
        return sorted(tuple(row) for row in found)

    def test_a_seed_goes_in_once(self, project: Any) -> None:
        assert messages(run_dbt(["build"]))["seed"] == "INSERT 2"
        before = oids(project)
        assert self.rows(project) == [(1, 3.0), (2, 4.0)]
        _, log = run_dbt_and_capture(["--debug", "seed"])
        assert "is unchanged: skipped" in log
        assert "copy " not in log
        assert messages(run_dbt(["build"])) == {"seed": "UNCHANGED", "doubled": "UNCHANGED"}
        assert oids(project) == before

    def test_other_rows_replace_the_old_ones_in_place(self, project: Any) -> None:
        before = oids(project)
        write_file(MORE, project.project_root, "seeds", "seed.csv")
        assert messages(run_dbt(["seed"])) == {"seed": "INSERT 3"}
        assert oids(project) == before
        assert self.rows(project) == [(1, 3.0), (2, 4.0), (3, 4.5)]

    def test_what_others_wrote_is_undone(self, project: Any) -> None:
        project.run_sql(f"delete from {project.test_schema}.seed where id = 1")
        assert messages(run_dbt(["seed"])) == {"seed": "INSERT 3"}
        assert self.rows(project) == [(1, 3.0), (2, 4.0), (3, 4.5)]

    def test_a_bad_value_leaves_the_rows_alone(self, project: Any) -> None:
        before = self.rows(project)
        write_file(MORE.replace("\n2,", "\n2x,"), project.project_root, "seeds", "seed.csv")
        config = "seeds:\n  - name: seed\n    config: {column_types: {id: integer}}\n"
        write_file(config, project.project_root, "seeds", "seeds.yml")
        (result,) = run_dbt(["seed"], expect_pass=False)
        assert 'invalid input syntax for type integer: "2x"' in result.message
        assert self.rows(project) == before

    def test_other_columns_need_the_dependents(self, project: Any) -> None:
        write_file(MORE, project.project_root, "seeds", "seed.csv")
        config = "seeds:\n  - name: seed\n    config: {column_types: {id: bigint}}\n"
        write_file(config, project.project_root, "seeds", "seeds.yml")
        (result,) = run_dbt(["seed"], expect_pass=False)
        assert '"doubled"' in result.message
        assert "dbt run --select seed+" in result.message
        assert messages(run_dbt(["build"])) == {"seed": "INSERT 3", "doubled": "CREATE MATERIALIZED VIEW"}


WRITTEN = {
    "jsonb": '"{""flag"": ""PA"", ""decks"": [1, 2.50]}"',
    "json": '"{""a"": 1}"',
    "integer[]": '"{1,2}"',
    "interval": "1 day 3600 s",
    "uuid": "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
    "bytea": "\\x00FF",
    "int4range": '"[1,3]"',
    "char(5)": "a",
    "numeric(10,2)": "1.505",
    "date": "infinity",
    "time": "06:00:00",
    "timestamp(0)": "2013-01-01 06:00:00.4",
    "timestamptz": "2013-01-01 06:00+02",
    "varchar(9)": "a%b",
    "string": "dbt's own name of text",
}


class TestTypesOfColumns:
    """A value that is written in another way than it is stored, for one type a column."""

    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        names = [f"c{i}" for i in range(len(WRITTEN))]
        types = {name: f"'{type_}'" for name, type_ in zip(names, WRITTEN, strict=True)}
        config = ", ".join(f"{name}: {type_}" for name, type_ in types.items())
        rows = ["id," + ",".join(names), "1," + ",".join(WRITTEN.values()), "2" + "," * len(names)]
        return {
            "seed.csv": "\n".join(rows) + "\n",
            "seeds.yml": f"seeds:\n  - name: seed\n    config: {{column_types: {{{config}}}}}\n",
        }

    def test_what_is_loaded_is_unchanged_at_the_next_run(self, project: Any) -> None:
        assert messages(run_dbt(["seed"])) == {"seed": "INSERT 2"}
        assert messages(run_dbt(["seed"])) == {"seed": "UNCHANGED"}

    @pytest.mark.parametrize(
        ("column", "value"), [("c0", "'[1]'"), ("c2", "array[2, 1]"), ("c3", "'2 days'")]
    )
    def test_another_value_is_a_difference(self, project: Any, column: str, value: str) -> None:
        project.run_sql(f"update {project.test_schema}.seed set {column} = {value} where id = 1")
        assert messages(run_dbt(["seed"])) == {"seed": "INSERT 2"}


class TestReadersOfASeed:
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"seed.csv": numbers(1)}

    def test_never_see_a_part_of_it(self, project: Any, server: dict[str, Any]) -> None:
        run_dbt(["seed"])
        seen: set[tuple[int, int]] = set()
        stop = threading.Event()

        def watch() -> None:
            where = (
                f"host={server['host']} port={server['port']} user={server['user']} dbname={server['dbname']}"
            )
            with psycopg.connect(where, autocommit=True) as connection:
                while not stop.is_set():
                    query = f"select count(*), min(run) + max(run) from {project.test_schema}.seed"
                    seen.update(connection.execute(query).fetchall())

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            for run in (2, 3):
                write_file(numbers(run), project.project_root, "seeds", "seed.csv")
                run_dbt(["seed"])
        finally:
            stop.set()
            watcher.join()
        assert seen <= {(2000, 2), (2000, 4), (2000, 6)}
        assert (2000, 2) in seen


@pytest.mark.slow
class TestALargeSeed:
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        weather = random.Random(7)
        rows = [
            f"{origin},2013-{1 + i % 12:02}-{1 + i % 28:02} {i % 24:02}:00:00,{weather.uniform(0, 100):.2f},"
            f"{weather.uniform(0, 1):.2f},{weather.uniform(0, 40):.5f}"
            for i in range(8705)
            for origin in ("EWR", "JFK", "LGA")
        ]
        return {"weather.csv": "origin,time_hour,temp,humid,wind_speed\n" + "\n".join(rows) + "\n"}

    def test_takes_seconds(self, project: Any) -> None:
        started = time.monotonic()
        (result,) = run_dbt(["seed"])
        assert result.message == "INSERT 26115"
        assert time.monotonic() - started < 60
        assert messages(run_dbt(["seed"])) == {"weather": "UNCHANGED"}


def numbers(run: int) -> str:
    return "id,run\n" + "".join(f"{i},{run}\n" for i in range(2000))
