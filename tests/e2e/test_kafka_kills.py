"""Kill -9 and stops of runtimes, their replicas and the broker, from a topic through a source, a view and a sink.

The steps of the sink's transactions are gone through one by one in tests/storage/sink/kafka/test_kills.py; here the moments
are random, and all processes are those of a user.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from random import Random
from threading import Event
from time import monotonic

import pytest
from servers.kafka_broker import KafkaBroker

from .conftest import running
from .kafka_pipeline import TRANSACTION_TIMEOUT_S, Load, Pipeline
from .runtime_process import Runtime

KILLS = 10
CHECKED_EACH = 4
SHORT_S, BEYOND_S = 0.4, TRANSACTION_TIMEOUT_S + 3
"""Stops during which nothing has timed out, and such that the broker has given up the sink's transaction."""
_PAUSE = Event()


def signalled(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue  # it was one of Spark's that end by themselves, or went with another one


def worker(runtime: Runtime) -> int:
    """The process of the replica that is there, which may be another one in a moment."""
    query = "SELECT process_id FROM mz_internal.mz_cluster_replica_statuses WHERE status = 'online'"
    return int(runtime.eventually(lambda: runtime.run(query))[0][0])


@contextmanager
def stopped(pids: set[int]) -> Iterator[None]:
    signalled(pids, signal.SIGSTOP)
    try:
        yield
    finally:
        signalled(pids, signal.SIGCONT)


def kill_everything(runtime: Runtime, kafka: KafkaBroker) -> None:
    everything = runtime.everything() - {runtime.process.pid}
    runtime.kill()
    signalled(everything, signal.SIGKILL)
    runtime.start()


def kill_coordinator(runtime: Runtime, kafka: KafkaBroker) -> None:
    runtime.kill()
    runtime.start()


def kill_replica(runtime: Runtime, kafka: KafkaBroker) -> None:
    signalled({worker(runtime)}, signal.SIGKILL)


def kill_broker(runtime: Runtime, kafka: KafkaBroker) -> None:
    kafka.restart()


def stop_everything(seconds: float, runtime: Runtime, kafka: KafkaBroker) -> None:
    with stopped(runtime.everything()):
        _PAUSE.wait(seconds)


def stop_coordinator(seconds: float, runtime: Runtime, kafka: KafkaBroker) -> None:
    with stopped({runtime.process.pid}):
        _PAUSE.wait(seconds)


def stop_replica(seconds: float, runtime: Runtime, kafka: KafkaBroker) -> None:
    with stopped({worker(runtime)}):
        _PAUSE.wait(seconds)


def stop_broker(seconds: float, runtime: Runtime, kafka: KafkaBroker) -> None:
    kafka.pause()
    _PAUSE.wait(seconds)
    kafka.resume()


Kill = Callable[[Runtime, KafkaBroker], None]
STOPS = (stop_everything, stop_coordinator, stop_replica, stop_broker)
QUICK: tuple[Kill, ...] = (
    kill_replica,
    kill_broker,
    *(partial(stop, SHORT_S) for stop in STOPS),
    partial(stop_replica, BEYOND_S),
)
"""Behind which nobody has to start Spark."""
ALL: tuple[Kill, ...] = (
    *(kill_replica, kill_replica, kill_broker, kill_broker, kill_everything, kill_coordinator),
    *(partial(stop, seconds) for stop in STOPS for seconds in (SHORT_S, BEYOND_S)),
)


def name_of(kill: Kill) -> str:
    if isinstance(kill, partial):
        return f"{kill.func.__name__} for {kill.args[0]} s"
    return kill.__name__


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "kills"), [(0, 3), *((seed, KILLS) for seed in range(20))])
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
                    kill = random.choice(ALL if kills == KILLS else QUICK)
                    begun = monotonic()
                    kill(runtime, kafka)
                    done += 1
                    print(f"{done}: {name_of(kill)}, after {monotonic() - begun:.1f} s", flush=True)
            begun = monotonic()
            pipeline.check()
            print(f"exact after {monotonic() - begun:.1f} s", flush=True)
