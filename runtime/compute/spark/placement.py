"""Where resident tasks had better run: on machines that have none of the same cluster, and few of others.

It is a preference: Spark waits half a minute for such an executor, and takes any other then.  A task goes where Spark puts it again after its
executor has gone, whatever was preferred.  One that is beside another of its cluster for long, while another machine has room, moves there.

A resident on several machines has as many places, which go by names of their own (`place_of`) and are of one cluster; it moves as a whole.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
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


def place_of(name: str, number: int) -> str:
    """The name of a place of a resident: of its first, that of the resident."""
    return f"{name}.{number}" if number else name


def place_name(place: str) -> str:
    """The name of the resident of which it is a place."""
    return place.partition(".")[0]


def least_used(
    hosts: Sequence[str], residents: Mapping[str, str], name: str, left: Container[str] = ()
) -> list[str]:
    """Those of the hosts that fit the resident of that name best, all alike; `residents` are the others' hosts by their names, and `left` are
    hosts that it was taken from, as they may have fallen silent.  Its own other places are avoided first."""
    own = Counter(host for other, host in residents.items() if place_name(other) == place_name(name))
    siblings = Counter(siblings_of(name, residents))
    all_of_them = Counter(residents.values())
    ranks = {host: (own[host], host in left, siblings[host], all_of_them[host]) for host in hosts}
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
        self._preferred: dict[str, list[str]] = {}
        self._cores: dict[str, int] = {}
        self._left: dict[str, frozenset[str]] = {}
        self._misplaced_since: dict[str, float] = {}
        self._patience_s: dict[str, float] = {}
        self._moving: set[str] = set()

    def prefer(self, name: str, cores: int, machines: int = 1) -> list[str] | None:
        """A host for each machine of the resident of that name, where it takes so many cores; it is taken to be there until it is seen to be
        elsewhere.  Executors come in one by one after the start, and again when they have gone: it waits for the first, and for more if it
        would be beside itself, or another of its cluster.  None: it was forgotten meanwhile, or the application has ended."""
        with self._lock:
            self._cores[name] = cores
        deadline: float | None = None
        while not self._context._jsc.sc().isStopped():
            with self._lock:
                if name not in self._cores:
                    return None
                others = {place: host for place, host in self._hosts().items() if place_name(place) != name}
                if chosen := self._chosen(name, machines, others):
                    deadline = deadline or monotonic() + AWAITED_S
                    alone = len(set(chosen)) == machines and not set(chosen) & set(siblings_of(name, others))
                    if alone or monotonic() > deadline:
                        self._left.pop(name, None)
                        self._preferred[name] = chosen
                        return chosen
            sleep(_LOOK_S)
        return None

    def _chosen(self, name: str, machines: int, others: Mapping[str, str]) -> list[str]:
        """The best hosts that there are now, one for each machine; none while there is no executor."""
        executors, taken, chosen = self._executors(), dict(others), list[str]()
        left = self._left.get(name, frozenset())
        for number in range(machines if executors else 0):
            place = place_of(name, number)
            taken[place] = least_used(executors, taken, place, left)[0]
            chosen.append(taken[place])
        return chosen

    def forget(self, name: str, left: Collection[int] = (0,)) -> None:
        """It is about to be ended; if it is begun once more, then elsewhere than on these of its machines."""
        with self._lock:
            running = running_on(self._context, name)
            preferred = self._preferred.pop(name, [])
            for known in (self._cores, self._misplaced_since, self._patience_s):
                known.pop(name, None)
            self._moving.discard(name)
            hosts = {**dict(enumerate(preferred)), **running}
            if gone := frozenset(hosts[number] for number in left if number in hosts):
                self._left[name] = gone

    def is_to_move(self, name: str) -> bool:
        """Whether it has been misplaced for long, and is to be ended; to be asked now and then.  It is begun again elsewhere then."""
        with self._lock:
            running = {
                place_of(each, number): host
                for each in self._cores
                for number, host in running_on(self._context, each).items()
            }
            rooms = self._rooms(running)
            misplaced = [
                host
                for place, host in running.items()
                if place_name(place) == name and is_misplaced(rooms, running, place, self._cores[name])
            ]
            if not misplaced:
                self._misplaced_since.pop(name, None)
                return False
            patience = self._patience_s.get(name, MOVED_AFTER_S)
            if monotonic() - self._misplaced_since.setdefault(name, monotonic()) < patience:
                return False
            del self._misplaced_since[name]
            self._patience_s[name] = min(2 * patience, MOST_PATIENCE_S)
            self._left[name] = frozenset(misplaced)
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
            return sum(cores * len(self._preferred.get(name, (name,))) for name, cores in self._cores.items())

    def _executors(self) -> list[str]:
        """The hosts of the executors that are there, sorted."""
        return sorted(host for host, _ in executors(self._context))

    def _rooms(self, running: Mapping[str, str]) -> dict[str, int]:
        """The cores of each host that no resident has taken: tasks of jobs are over soon."""
        free: Counter[str] = Counter()
        for host, cores in executors(self._context):
            free[host] += cores
        for place, host in running.items():
            free[host] -= self._cores[place_name(place)]
        return free

    def _hosts(self) -> dict[str, str]:
        """Of the residents' places: where they run, or else where they were preferred."""
        return {
            place_of(name, number): host
            for name, hosts in self._preferred.items()
            for number, host in (running_on(self._context, name) or dict(enumerate(hosts))).items()
        }


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


def running_on(context: SparkContext, name: str) -> dict[int, str]:
    """The hosts on which the resident of that name runs, by the number of the machine."""
    # PySpark has no name for what Spark's store of statuses knows of tasks.
    store: Any = context._jsc.sc().statusStore()
    tracker = context.statusTracker()
    found: dict[int, str] = {}
    for job in tracker.getJobIdsForGroup(group_of(name)):
        info = tracker.getJobInfo(job)
        for stage in () if info is None or info.status != "RUNNING" else info.stageIds:
            tasks = store.taskList(stage, 0, _MOST_ATTEMPTS)
            for index in range(tasks.size()):
                task = tasks.apply(index)
                if task.status() == "RUNNING":
                    found[int(task.partitionId())] = str(task.host())
    return found
