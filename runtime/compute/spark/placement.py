"""Where resident tasks had better run: on machines that have none of the same cluster, and few of others.

It is a preference: Spark waits half a minute for such an executor, and takes any other then.  A task goes where Spark puts it again after its
executor has gone, whatever was preferred.  One that is beside another of its cluster for long, while another machine has room, moves there.
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
MOVED_AFTER_S = 30.0
"""So long a resident is beside another of its cluster, while another machine has room, before it moves; twice as long after each time."""
MOST_PATIENCE_S = 1_800.0
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


def is_misplaced(rooms: Mapping[str, int], residents: Mapping[str, str], name: str, cores: int) -> bool:
    """Whether it runs beside another of its cluster, and a host with none of them has so many cores free.  Of several beside each other the first
    stays.  `rooms` has the free cores of hosts, `residents` the hosts of all."""
    cluster, here = name.partition("-")[0], residents[name]
    siblings = {other: host for other, host in residents.items() if other.partition("-")[0] == cluster}
    if not any(host == here and other < name for other, host in siblings.items()):
        return False
    return any(free >= cores for host, free in rooms.items() if host not in siblings.values())


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
        self._misplaced_since: dict[str, float] = {}
        self._patience_s: dict[str, float] = {}
        self._moving: set[str] = set()

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
            for known in (self._cores, self._misplaced_since, self._patience_s):
                known.pop(name, None)
            self._moving.discard(name)
            if host is not None:
                self._left[name] = host

    def is_to_move(self, name: str) -> bool:
        """Whether it has been misplaced for long, and is to be ended; to be asked now and then.  It is begun again elsewhere then."""
        with self._lock:
            running = {each: host for each in self._cores if (host := running_on(self._context, each))}
            misplaced = name in running and is_misplaced(
                self._rooms(running), running, name, self._cores[name]
            )
            if not misplaced:
                self._misplaced_since.pop(name, None)
                return False
            patience = self._patience_s.get(name, MOVED_AFTER_S)
            if monotonic() - self._misplaced_since.setdefault(name, monotonic()) < patience:
                return False
            del self._misplaced_since[name]
            self._patience_s[name] = min(2 * patience, MOST_PATIENCE_S)
            self._left[name] = running[name]
            self._moving.add(name)
            return True

    def moves(self, name: str) -> bool:
        """Whether it was ended to be begun elsewhere; asked once it has ended."""
        with self._lock:
            moves = name in self._moving
            self._moving.discard(name)
            return moves

    @property
    def cores_taken(self) -> int:
        """By all of them together."""
        with self._lock:
            return sum(self._cores.values())

    def _executors(self) -> list[str]:
        """The hosts of the executors that are there, sorted."""
        return sorted(host for host, _ in executors(self._context))

    def _rooms(self, running: Mapping[str, str]) -> dict[str, int]:
        """The cores of each host that no resident has taken: tasks of jobs are over soon."""
        free: Counter[str] = Counter()
        for host, cores in executors(self._context):
            free[host] += cores
        for name, host in running.items():
            free[host] -= self._cores[name]
        return free

    def _hosts(self) -> dict[str, str]:
        """Of the residents: where they run, or else where they were preferred."""
        return {name: running_on(self._context, name) or host for name, host in self._preferred.items()}


def group_of(name: str) -> str:
    """The group of the jobs of a resident."""
    return f"resident-{name}"


def executors(context: SparkContext) -> list[tuple[str, int]]:
    """The host and the cores of each executor that is there."""
    # PySpark has no name for what Spark's store of statuses knows of executors.
    summaries: Any = context._jsc.sc().statusStore().executorList(True)
    found = [summaries.apply(index) for index in range(summaries.size())]
    # One that has gone comes back without an address when Spark hears of its tasks afterwards.
    return [
        (each.hostPort().rpartition(":")[0], each.totalCores())
        for each in found
        if each.id() != "driver" and each.hostPort()
    ]


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
