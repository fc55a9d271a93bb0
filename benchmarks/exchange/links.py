"""Steps of two workers on two machines, with a link between these: network namespaces with a cable that takes its time.

```
this machine: leader, worker 0 ── bridge ── slow cable, so many ms each way ── node: worker 1
```

The namespaces are those of the tests; they take a right that root has.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from ptvc.compute.dataflow import Dataflow
from ptvc.compute.merge import merge_worker
from ptvc.replica.workers.spread import members_of
from ptvc.replica.workers.team import DividedDataflow, Team
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from rich.table import Table

from ..engine import WrongAnswer, repeats
from ..measure import Latencies, load
from ..report import console, new_table, shows
from ..workloads import ORDERS, WORKLOADS, Data
from .other_machine import spread_over, start
from .steps import WARM_UP, updates_of_batch

LINKS_MS = (0, 1)
"""Each way."""
MOST_ROWS = 10_000
"""Of a change: what takes in more is read from the store by all workers, and the machines here share none."""
_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True)
class LinkedStep:
    """`link_ms`: what a message takes more, each way.  From the leader's inputs to the output there."""

    workload: str
    link_ms: int
    base_rows: int
    rows: int
    whole: Latencies
    divided: Latencies
    load_1min: float


class NoMachines(Exception):
    """There can be no namespaces here; the text says why."""


def run_links(names: Sequence[str], base_rows: int, sizes: Sequence[int], scale: float) -> list[LinkedStep]:
    """Raises WrongAnswer unless one process puts out the same.  Where there can be no such machines it says so, and there are no results."""
    results = []
    try:
        for link_ms in LINKS_MS:
            with team_over_link(link_ms) as team:
                for name in names:
                    results += _run(team, name, link_ms, base_rows, sizes, scale)
    except NoMachines as reason:
        console.log(f"no steps over links: {reason}")
    return results


@contextmanager
def team_over_link(link_ms: int) -> Iterator[Team]:
    """Of two workers.  Raises NoMachines."""
    machines: Any = import_module("tests.servers.namespaces")
    try:
        with machines.network() as network, tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
            node = network.node()
            if link_ms:
                node.delay(link_ms)
            with _led(network.address, node, Path(folder) / "other.log") as team:
                yield team
    except machines.NotPermitted as reason:
        raise NoMachines(str(reason)) from reason


@contextmanager
def _led(address: str, node: Any, log: Path) -> Iterator[Team]:
    with socket.create_server((address, 0)) as listener:
        listener.settimeout(_WITHIN_S)
        command = [sys.executable, "-m", "benchmarks.exchange.other_machine"]
        command += [address, str(listener.getsockname()[1]), node.address]
        process = node.start([*_in_checkout(), *command], os.environ, log)
        try:
            channel, _ = listener.accept()
            secret = secrets.token_bytes(32)
            with channel:
                channel.sendall(secret)
                own = start(address)
                members = members_of(spread_over(channel, 0, address, secret), own, 1)
            with closing(Team(2, own, members=members)) as team:
                yield team
        finally:
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()


def _in_checkout() -> list[str]:
    """What a command follows that is to be run where this one was."""
    return ["env", f"--chdir={os.getcwd()}"]


def _run(
    team: Team, name: str, link_ms: int, base_rows: int, sizes: Sequence[int], scale: float
) -> list[LinkedStep]:
    plan, data = WORKLOADS[name].plan(), Data(WORKLOADS[name], base_rows)
    whole, results, at = Dataflow(plan, 0), [], 0
    with closing(DividedDataflow(team, plan, 0)) as divided:
        _both(whole, divided, data.base(0), 0, f"{name}, hydrated")
        merge_worker().drain()
        for rows in (size for size in sizes if size <= min(base_rows, MOST_ROWS)):
            taken: list[tuple[float, float]] = []
            while len(taken) < repeats(rows, scale) + WARM_UP:
                at += 1
                change = {ORDERS: data.change(rows, at)}
                taken.append(_both(whole, divided, change, at, f"{name}, {rows} rows"))
            one, several = zip(*taken[WARM_UP:], strict=True)
            of_size = Latencies.of(one), Latencies.of(several)
            results.append(LinkedStep(name, link_ms, base_rows, rows, *of_size, load()))
    return results


def _both(
    whole: Dataflow, divided: DividedDataflow, given: Mapping[str, Batch], at: int, what: str
) -> tuple[float, float]:
    """Seconds of the step in one process, and in two."""
    inputs = {id_: Delta(batch, NO_ERRORS) for id_, batch in given.items()}
    begun = time.perf_counter()
    one = whole.step(inputs, at, at + 1)
    between = time.perf_counter()
    several = divided.step(inputs, at, at + 1)
    ended = time.perf_counter()
    if updates_of_batch(one.oks) != updates_of_batch(several.oks):
        raise WrongAnswer(what)
    return between - begun, ended - between


@shows(LinkedStep)
def _table(results: list[LinkedStep]) -> Table:
    table = new_table(
        "Steps of two workers on two machines (milliseconds: least, median)",
        *(
            "workload",
            "link, each way",
            "base",
            "change",
            "one process",
            "",
            "two machines",
            "",
            "p99",
            "load",
        ),
    )
    for r in results:
        table.add_row(
            r.workload,
            f"{r.link_ms} ms",
            f"{r.base_rows:,}",
            f"{r.rows:,}",
            f"{r.whole.least_ms:.2f}",
            f"{r.whole.median_ms:.2f}",
            f"{r.divided.least_ms:.2f}",
            f"{r.divided.median_ms:.2f}",
            f"{r.divided.p99_ms:.2f}",
            f"{r.load_1min:.1f}",
        )
    return table
