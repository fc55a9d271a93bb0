"""The sample project on a cluster: dbt builds it, and every view equals what PostgreSQL makes of the same rows, while executors are killed."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from random import Random
from types import ModuleType

import psycopg
import pytest
from oracle import own_database
from servers.standalone_spark import executors

from ..flights import Flights, Postgres, Record, check, copy_project
from ..runtime_process import Runtime
from .conftest import Cluster

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

KILLS = 2
BACK_WITHIN_S = 300.0


class FlightsOfAllMachines(Flights):
    """A source that follows files reads those of the machine on which its replica is: each has the same."""

    def __init__(self, cluster: Cluster, runtime: Runtime, project: Path, replay: ModuleType) -> None:
        super().__init__(runtime, project, replay)
        self._cluster = cluster

    def append_records(self, records: list[Record], pieces: int = 1) -> None:
        super().append_records(records, pieces)
        for node in self._cluster.nodes:
            file = node.path(str(self.file))
            file.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.file, new := file.with_name(".new"))
            # In place: a file that another takes the place of would be read anew.
            with file.open("ab") as old, new.open("rb") as found:
                found.seek(old.tell())
                shutil.copyfileobj(found, old)
            new.unlink()

    def wait_until_read(self) -> None:
        """A replica that was killed does not know how much it had read: the rows tell."""

        def read() -> bool:
            with self.runtime.connect() as connection:
                cursor = connection.execute("SELECT * FROM flights")
                assert cursor.description is not None
                names = [column.name for column in cursor.description]
                got = sorted(tuple(map(str, row)) for row in cursor)
            return got == sorted(tuple(str(record[name]) for name in names) for record in self.state.values())

        assert self.runtime.eventually(read, BACK_WITHIN_S)


@pytest.fixture(scope="module")
def flights(
    cluster: Cluster, replay: ModuleType, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Flights]:
    project = copy_project(tmp_path_factory.mktemp("flights"))
    with cluster.runtime() as runtime:
        flights = FlightsOfAllMachines(cluster, runtime, project, replay)
        flights.append(2000)
        # What a sink has written to files stays on its machine.
        flights.dbt("build", "--exclude-resource-type", "test", "unit_test", "--exclude", "long_delays_feed")
        yield flights


@pytest.fixture(scope="module")
def postgres(oracle_uri: str, flights: Flights) -> Iterator[Postgres]:
    with own_database(oracle_uri, "flights") as uri, psycopg.connect(uri, autocommit=True) as connection:
        yield Postgres(connection, flights)


def test_every_view_equals_postgresql_while_executors_are_killed(
    cluster: Cluster, flights: Flights, postgres: Postgres
) -> None:
    random = Random(1)
    assert len(postgres.models) == 12
    sizes = check(flights, postgres)
    assert all(sizes.values()), sizes
    for _ in range(KILLS):
        flights.append(300, pieces=5)
        os.kill(random.choice(sorted(executors(cluster.node_of_replica()))), signal.SIGKILL)
        flights.append(300, pieces=5)
        sizes = flights.runtime.eventually(lambda: check(flights, postgres), BACK_WITHIN_S)
        assert all(sizes.values()), sizes
