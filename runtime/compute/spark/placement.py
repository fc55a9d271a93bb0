"""Where resident tasks had better run: on machines that have none of the same cluster, and few of others.

It is a preference: Spark waits half a minute for such an executor, and takes any other then.  A task goes where Spark puts it again after its
executor has gone, whatever was preferred.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from time import monotonic, sleep
from typing import Any

from pyspark import SparkContext

AWAITED_S = 100.0
"""So long a resident waits for another machine to come, where each has one of its cluster."""
_LOOK_S = 0.2
_MOST_ATTEMPTS = 1_000


def least_used(
    hosts: Sequence[str], residents: Mapping[str, str], name: str, left: str | None = None
) -> list[str]:
    """Those of the hosts that fit the resident of that name best, all alike; `residents` are the others' hosts by their names, and `left` is
    a host that it was taken from, as it may have fallen silent."""
    siblings = Counter(siblings_of(name, residents))
    all_of_them = Counter(residents.values())
    ranks = {host: (host == left, siblings[host], all_of_them[host]) for host in hosts}
    best = min(ranks.values(), default=None)
    return [host for host in dict.fromkeys(hosts) if ranks[host] == best]


def siblings_of(name: str, residents: Mapping[str, str]) -> list[str]:
    """The hosts of those of the same cluster, with whose name and a dash theirs begin."""
    cluster = name.partition("-")[0]
    return [host for other, host in residents.items() if other.partition("-")[0] == cluster]


class Placement:
    """Of the residents of one application on a cluster.  It may be asked from any thread."""

    def __init__(self, context: SparkContext) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._preferred: dict[str, str] = {}
        self._cores: dict[str, int] = {}
        self._left: dict[str, str] = {}

    def prefer(self, name: str, cores: int) -> str | None:
        """A host for the resident of that name and so many cores, which it is taken to be on until it is seen to be elsewhere.  Executors come in
        one by one after the start, and again when they have gone: it waits for the first, and for the next if it would be beside another
        of its cluster.  None: it was forgotten meanwhile, or the application has ended."""
        with self._lock:
            self._cores[name] = cores
        deadline: float | None = None
        while not self._context._jsc.sc().isStopped():
            with self._lock:
                if name not in self._cores:
                    return None
                others = {other: host for other, host in self._hosts().items() if other != name}
                best = least_used(self._executors(), others, name, self._left.get(name))
                if best:
                    deadline = deadline or monotonic() + AWAITED_S
                    if best[0] not in siblings_of(name, others) or monotonic() > deadline:
                        self._left.pop(name, None)
                        self._preferred[name] = best[0]
                        return best[0]
            sleep(_LOOK_S)
        return None

    def forget(self, name: str) -> None:
        """It is about to be ended; if it is begun once more, then elsewhere."""
        with self._lock:
            host = running_on(self._context, name) or self._preferred.pop(name, None)
            self._preferred.pop(name, None)
            self._cores.pop(name, None)
            if host is not None:
                self._left[name] = host

    @property
    def cores_taken(self) -> int:
        """By all of them together."""
        with self._lock:
            return sum(self._cores.values())

    def _executors(self) -> list[str]:
        """The hosts of the executors that are there, sorted."""
        # PySpark has no name for what Spark's store of statuses knows of executors.
        summaries: Any = self._context._jsc.sc().statusStore().executorList(True)
        found = [summaries.apply(index) for index in range(summaries.size())]
        return sorted(each.hostPort().rpartition(":")[0] for each in found if each.id() != "driver")

    def _hosts(self) -> dict[str, str]:
        """Of the residents: where they run, or else where they were preferred."""
        return {name: running_on(self._context, name) or host for name, host in self._preferred.items()}


def group_of(name: str) -> str:
    """The group of the jobs of a resident."""
    return f"resident-{name}"


def running_on(context: SparkContext, name: str) -> str | None:
    """The host on which the resident of that name runs; None: on none yet."""
    # PySpark has no name for what Spark's store of statuses knows of tasks.
    store: Any = context._jsc.sc().statusStore()
    tracker = context.statusTracker()
    for job in tracker.getJobIdsForGroup(group_of(name)):
        info = tracker.getJobInfo(job)
        for stage in () if info is None or info.status != "RUNNING" else info.stageIds:
            tasks = store.taskList(stage, 0, _MOST_ATTEMPTS)
            for index in range(tasks.size()):
                task = tasks.apply(index)
                if task.status() == "RUNNING":
                    return str(task.host())
    return None
