"""What is built anew takes its predecessor's place in one moment: a reader finds the one or the other, and never neither."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from dbt.tests.util import run_dbt, write_file

NAMES = ("a_table", "a_view", "a_maintained", "an_incremental", "a_seed")
COLUMNS = ("1 as a", "1 as a, 2 as b")


@contextmanager
def reader(server: dict[str, Any], schema: str) -> Iterator[dict[str, int]]:
    """Reads all relations over and over meanwhile; how often each was read.  The first error is raised at the end."""
    stop = threading.Event()
    reads = dict.fromkeys(NAMES, 0)
    failures: list[BaseException] = []

    def work() -> None:
        address = {name: server[name] for name in ("host", "port", "user", "dbname")}
        try:
            with psycopg.connect(**address, autocommit=True) as connection:
                while not stop.is_set():
                    for name in NAMES:
                        connection.execute(f'SELECT count(*) FROM "{schema}".{name}')  # type: ignore[arg-type]
                        reads[name] += 1
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield reads
    finally:
        stop.set()
        thread.join()
    if failures:
        raise failures[0]


class TestSwaps:
    @pytest.fixture(scope="class")
    def seeds(self) -> dict[str, str]:
        return {"a_seed.csv": "id,name\n1,a\n"}

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {f"{name}.sql": self.text(kind, COLUMNS[0]) for name, kind in self.kinds().items()}

    @staticmethod
    def kinds() -> dict[str, str]:
        kinds = ("table", "view", "materialized_view", "incremental")
        return dict(zip(NAMES, kinds, strict=False))

    @staticmethod
    def text(kind: str, columns: str) -> str:
        return f"{{{{ config(materialized='{kind}') }}}} select {columns}"

    @pytest.mark.slow
    def test_a_reader_always_finds_a_relation(self, project: Any, server: dict[str, Any]) -> None:
        run_dbt(["seed"])
        run_dbt(["run"])
        with reader(server, project.test_schema) as reads:
            for columns in (*COLUMNS[1:], COLUMNS[0]):
                for name, kind in self.kinds().items():
                    if kind != "incremental":  # it takes new columns by on_schema_change, in place
                        write_file(self.text(kind, columns), project.project_root, "models", f"{name}.sql")
                run_dbt(["run"])
                run_dbt(["seed", "--full-refresh"])
                run_dbt(["run", "--full-refresh"])
        assert all(reads.values())
        assert not self.left_over(project)

    def test_a_kind_that_changes(self, project: Any, server: dict[str, Any]) -> None:
        run_dbt(["seed"])
        run_dbt(["run"])
        rotated = list(self.kinds().values())
        with reader(server, project.test_schema):
            rotated = rotated[1:] + rotated[:1]
            for name, kind in zip(NAMES, rotated, strict=False):
                write_file(self.text(kind, COLUMNS[0]), project.project_root, "models", f"{name}.sql")
            run_dbt(["run", "--full-refresh"])
        assert not self.left_over(project)

    @staticmethod
    def left_over(project: Any) -> list[str]:
        rows = project.run_sql(
            "select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace "
            f"where n.nspname = '{project.test_schema}' and relname like '%dbt%'",
            fetch="all",
        )
        return [name for (name,) in rows]
