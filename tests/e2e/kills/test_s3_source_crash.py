"""Kill -9 of a runtime, and of its replica, while an S3 source reads objects of a real server.

Object i has the numbers from 100 i on.  At every time each number is there once or not at all, and of an object that is small all or nothing.
"""

from __future__ import annotations

import threading
from random import Random

import pytest
from servers.s3_server import S3Server

from ..conftest import running
from ..test_restart_cost import kill_coordinator, kill_worker, worker

pytestmark = pytest.mark.slow

_PAUSE = threading.Event()
EACH = "SELECT id / 100 AS object, count(*), count(DISTINCT id) FROM s GROUP BY 1"


@pytest.mark.parametrize("seed", [21, 22])
def test_objects_are_there_once_after_kills(s3: S3Server, seed: int) -> None:
    random = Random(seed)
    bucket = s3.bucket()
    numbers = list(range(200))
    random.shuffle(numbers)  # keys come in any order
    written = 0

    def write(count: int) -> None:
        nonlocal written
        for number in numbers[written : written + count]:
            lines = b"".join(b'{"id": %d}\n' % (100 * number + i) for i in range(100))
            s3.write(bucket, f"in/{number:04}.jsonl", lines)
        written += count

    with running() as runtime:
        options = f"ENDPOINT '{s3.endpoint}', ACCESS KEY ID 'testing', SECRET ACCESS KEY SECRET k"
        runtime.run(
            "CREATE SECRET k AS 'testing-secret'",
            f"CREATE CONNECTION c TO AWS ({options})",
            f"CREATE SOURCE s (id int) FROM S3 CONNECTION c (URI 's3://{bucket}/in', SCAN INTERVAL '100ms') FORMAT JSON",
            "CREATE MATERIALIZED VIEW counted AS SELECT count(*) AS n, sum(id) AS total FROM s",
        )
        for kill in (kill_worker, kill_coordinator, kill_worker, kill_coordinator):
            runtime.eventually(lambda: worker(runtime))
            write(40)
            _PAUSE.wait(random.choice([0.0, 0.1, 0.3, 1.0]))
            write(10)
            kill(runtime)
            runtime.eventually(lambda: len(runtime.run(EACH)) == written)
            assert {row[1:] for row in runtime.run(EACH)} == {(100, 100)}
        total = sum(range(20_000))
        runtime.eventually(lambda: runtime.run("SELECT n, total FROM counted") == [(20_000, total)])
