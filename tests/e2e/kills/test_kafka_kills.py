"""Kill -9 and stops of runtimes, their replicas and the broker, from a topic through a source, a view and a sink.

The steps of the sink's transactions are gone through one by one in tests/storage/sink/kafka/test_kills.py; here the moments
are random, and all processes are those of a user.
"""

from __future__ import annotations

from functools import partial
from random import Random
from threading import Event
from time import monotonic

import pytest
from servers.kafka.broker import KafkaBroker

from ..conftest import running
from .kafka_pipeline import TRANSACTION_TIMEOUT_S, Load, Pipeline
from .process_faults import KILLS, kill_replica, kill_server, name_of, stop_replica, stops_of

AT_ONCE = 10
CHECKED_EACH = 4
SHORT_S, BEYOND_S = 0.4, TRANSACTION_TIMEOUT_S + 3
"""Stops during which nothing has timed out, and such that the broker has given up the sink's transaction."""
_PAUSE = Event()
QUICK = (kill_replica, kill_server, *stops_of(SHORT_S), partial(stop_replica, BEYOND_S))
"""Behind which nobody has to start Spark."""
ALL = (*KILLS, kill_replica, kill_server, *stops_of(SHORT_S), *stops_of(BEYOND_S))


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kills"), [(0, 3), *((seed, AT_ONCE) for seed in range(20))])
def test_what_is_read_and_written_is_exact_whatever_is_killed(
    kafka: KafkaBroker, seed: int, kills: int
) -> None:
    random = Random(seed)
    settings = ("tick_ms=100", "checkpoint_rows=50", "checkpoint_interval_ms=300", "spill_rows=50")
    done = 0
    with running(*settings) as runtime:
        pipeline = Pipeline(runtime, kafka, random)
        load = Load(pipeline, kafka, Random(seed))
        pipeline.create()
        print(f"seed {seed}: {pipeline}", flush=True)
        while done < kills:
            with load:
                for _ in range(min(random.randrange(1, CHECKED_EACH), kills - done)):
                    _PAUSE.wait(random.random() * 2)
                    fault = random.choice(ALL if kills == AT_ONCE else QUICK)
                    begun = monotonic()
                    fault(runtime, kafka)
                    done += 1
                    print(f"{done}: {name_of(fault)}, after {monotonic() - begun:.1f} s", flush=True)
            begun = monotonic()
            pipeline.check()
            print(f"exact after {monotonic() - begun:.1f} s", flush=True)
