"""The sample project in a runtime and in PostgreSQL, on the real file of flights.

dbt builds the project in a runtime.  The text that it compiled for each model is a view in PostgreSQL, over a table that
holds the flights; so both answer the same SQL, and their answers are compared by value.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from decimal import Decimal
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import psycopg

from .runtime_process import Runtime

SAMPLE = Path(__file__).resolve().parents[2] / "sample_project"
WEATHER_DAYS = 40
SEED = 7

Row = tuple[Any, ...]
Record = dict[str, Any]


def copy_project(folder: Path) -> Path:
    """The project alone, in a new folder."""
    project = folder / "project"
    left_out = shutil.ignore_patterns("target", "logs", "data", "seeds", ".ptvc*")
    shutil.copytree(SAMPLE, project, ignore=left_out)
    return project


class Flights:
    """The project in a runtime, the file that its source follows, and what the file says of each flight."""

    def __init__(self, runtime: Runtime, project: Path, replay: ModuleType) -> None:
        import prepare

        self.runtime = runtime
        self.project = project
        self.data = project / "data"
        self.key: tuple[str, ...] = replay.KEY
        self.state: dict[Row, Record] = {}
        self.written = 0
        self.before_start = 0
        self._line = replay.line
        self._events = replay.events(replay.flights(), SEED)
        prepare.prepare(self.data, project / "seeds", WEATHER_DAYS)
        self.file = self.data / "flights" / "flights.jsonl"

    def dbt(self, *arguments: str) -> str:
        done = subprocess.run(
            [Path(sys.executable).parent / "dbt", "--no-use-colors", *arguments, "--profiles-dir", "."],
            cwd=self.project,
            env={**os.environ, "PTVC_TARGET": "server", "PTVC_PORT": str(self.runtime.port)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:] + self.runtime.log()
        return done.stdout

    def append(self, count: int, pieces: int = 1) -> list[Record]:
        """The next events, at the end of the file; in `pieces` writes, which cut through lines."""
        records = [event[2] for event in islice(self._events, count)]
        self.append_records(records, pieces)
        return records

    def append_records(self, records: list[Record], pieces: int = 1) -> None:
        content = "".join(map(self._line, records)).encode()
        cuts = sorted(random.Random(self.written).choices(range(len(content)), k=pieces - 1))
        with self.file.open("ab", buffering=0) as file:
            for start, stop in zip([0, *cuts], [*cuts, len(content)], strict=True):
                file.write(content[start:stop])
        for record in records:
            name = tuple(record[column] for column in self.key)
            if record.keys() == set(self.key):
                self.state.pop(name, None)
            else:
                self.state[name] = record
        self.written += len(records)

    def wait_until_read(self) -> None:
        """Statistics count from the start of the runtime."""
        query = "SELECT records, errors FROM mz_internal.mz_source_statistics"
        expected = [(self.written - self.before_start, 0)]
        self.runtime.eventually(lambda: self.runtime.run(query) == expected)

    def models(self) -> dict[str, str]:
        """What dbt compiled for each view, inputs first."""
        manifest = json.loads((self.project / "target" / "manifest.json").read_text())
        nodes = {
            id_: node
            for id_, node in manifest["nodes"].items()
            if node["resource_type"] == "model"
            and node["config"]["materialized"] in ("view", "materialized_view")
        }
        ordered: dict[str, str] = {}
        while len(ordered) < len(nodes):
            for node in nodes.values():
                needs = {nodes[id_]["name"] for id_ in node["depends_on"]["nodes"] if id_ in nodes}
                if node["name"] not in ordered and needs <= ordered.keys():
                    ordered[node["name"]] = node["compiled_code"]
        return ordered


class Postgres:
    """The same project in PostgreSQL: seeds and flights as tables, models as views."""

    def __init__(self, connection: psycopg.Connection[Any], flights: Flights) -> None:
        self._connection = connection
        self.models = flights.models()
        with flights.runtime.connect() as runtime:
            for table in ("flights", "airlines", "airports", "planes", "weather"):
                self._create(runtime, table)
                if table != "flights":
                    rows = runtime.execute(f"SELECT * FROM {table}".encode()).fetchall()
                    assert rows
                    self.load(table, rows)
        for name, text in self.models.items():
            connection.execute(f"CREATE VIEW {name} AS {text}".encode())

    def _create(self, runtime: psycopg.Connection[Any], table: str) -> None:
        columns = runtime.execute(
            "SELECT column_name, data_type FROM information_schema.columns"
            " WHERE table_name = %s AND table_schema = 'public' ORDER BY ordinal_position",
            (table,),
        ).fetchall()
        assert columns
        listed = ", ".join(f"{name} {type_}" for name, type_ in columns)
        self._connection.execute(f"CREATE TABLE {table} ({listed})".encode())

    def load(self, table: str, rows: list[Row]) -> None:
        with self._connection.cursor() as cursor:
            cursor.execute(f"TRUNCATE {table}".encode())
            with cursor.copy(f"COPY {table} FROM STDIN".encode()) as copy:
                for row in rows:
                    copy.write_row(row)

    def answer(self, name: str) -> Answer:
        return answer(self._connection, name)


Answer = tuple[list[tuple[str, int]], list[tuple[str, ...]]]


def answer(connection: psycopg.Connection[Any], relation: str) -> Answer:
    """Columns with their types, and the rows, each value in its one spelling, in a total order."""
    cursor = connection.execute(f"SELECT * FROM {relation}".encode())
    assert cursor.description is not None
    rows = sorted(tuple(map(spelled, row)) for row in cursor)
    return [(column.name, column.type_code) for column in cursor.description], rows


def spelled(value: object) -> str:
    """1.5 and 1.50 are one value."""
    return f"{value.normalize():f}" if isinstance(value, Decimal) else str(value)


def compare(flights: Flights, postgres: Postgres) -> dict[str, int]:
    """Every view, and the source itself, at one time: equal to PostgreSQL over the source's rows at that time.

    Returns the number of rows of each view.
    """
    with flights.runtime.connect() as connection:
        connection.execute("BEGIN READ ONLY")
        rows = connection.execute("SELECT * FROM flights").fetchall()
        live = {name: answer(connection, name) for name in postgres.models}
        connection.execute("COMMIT")
    postgres.load("flights", rows)
    for name, got in live.items():
        assert got == postgres.answer(name), name
    return {name: len(got[1]) for name, got in live.items()}


def check(flights: Flights, postgres: Postgres) -> dict[str, int]:
    """After all lines were read: the source holds what they say, and every view follows from it."""
    flights.wait_until_read()
    with flights.runtime.connect() as connection:
        names = [name for name, _ in answer(connection, "flights")[0]]
        cursor = connection.execute("SELECT * FROM flights")
        got = sorted(tuple(map(str, row)) for row in cursor)
    assert got == sorted(tuple(str(record[name]) for name in names) for record in flights.state.values())
    return compare(flights, postgres)
