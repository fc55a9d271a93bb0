"""Kill -9 and stops of runtimes, their replicas and PostgreSQL, while many write to it, and alter its tables."""

from __future__ import annotations

from functools import partial
from random import Random
from threading import Event
from time import monotonic

import pytest
from servers.postgres_listening import logical_postgres

from ..conftest import running
from .bank import PASSWORD, USER, Bank, Work
from .process_faults import KILLS, kill_replica, kill_server, name_of, stop_replica, stops_of

AT_ONCE = 10
CHECKED_EACH = 4
SHORT_S, LONG_S = 0.4, 6.0
_PAUSE = Event()
QUICK = (kill_replica, kill_server, *stops_of(SHORT_S), partial(stop_replica, LONG_S))
"""Behind which nobody has to start Spark."""
ALL = (*KILLS, kill_replica, kill_server, *stops_of(SHORT_S), *stops_of(LONG_S))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("version", [16, 18])
@pytest.mark.parametrize(("seed", "kills"), [(0, 3), *((seed, AT_ONCE) for seed in range(5))])
def test_sums_over_tables_are_equal_at_every_time_whatever_is_killed(
    version: int, seed: int, kills: int
) -> None:
    random = Random(seed)
    settings = ("tick_ms=100", "checkpoint_rows=200", "checkpoint_interval_ms=500", "spill_rows=500")
    done = tables = 0
    with logical_postgres(USER, PASSWORD, version) as server, running(*settings) as runtime:
        bank = Bank(server, runtime)
        work = Work(bank, runtime, seed)
        while done < kills:
            tables += 1
            with work.going_on():
                for _ in range(min(random.randrange(1, CHECKED_EACH), kills - done)):
                    _PAUSE.wait(random.random() * 2)
                    fault = random.choice(ALL if kills == AT_ONCE else QUICK)
                    begun = monotonic()
                    fault(runtime, server)
                    done += 1
                    print(f"{done}: {name_of(fault)}, after {monotonic() - begun:.1f} s", flush=True)
                bank.add_table(f"history_{tables}")
                _PAUSE.wait(random.random())
            begun = monotonic()
            bank.check(f"history_{tables}")
            bank.drop_table(f"history_{tables}")
            print(f"exact after {monotonic() - begun:.1f} s", flush=True)
        print(f"{work.committed} transactions, {work.defined} definitions, {work.seen} reads", flush=True)
        assert min(work.committed, work.defined, work.seen) > 0
