"""The sample project on the real file: while flights arrive, every view equals what PostgreSQL makes of the same rows."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from threading import Event, Thread
from types import ModuleType

import psycopg
import pytest
from oracle import own_database

from .conftest import running
from .flights import SEED, Flights, Postgres, Record, answer, check, compare, copy_project


@pytest.fixture(scope="module")
def flights(replay: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flights]:
    project = copy_project(tmp_path_factory.mktemp("flights"))
    with running("job_min_rows=20000") as runtime:
        flights = Flights(runtime, project, replay)
        flights.append(2000)  # so that there is something to hydrate views from
        flights.dbt("build", "--exclude-resource-type", "test", "unit_test")
        yield flights


@pytest.fixture(scope="module")
def postgres(oracle_uri: str, flights: Flights) -> Iterator[Postgres]:
    with own_database(oracle_uri, "flights") as uri, psycopg.connect(uri, autocommit=True) as connection:
        yield Postgres(connection, flights)


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
