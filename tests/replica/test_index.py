"""What an index answers, and at which times."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pyarrow as pa
import pytest
from ptvc.compute.spine import Run, Spine
from ptvc.errors import ObjectNotReady
from ptvc.replica.index import Index
from ptvc.repr.batch import Batch

from .support import SCHEMA, delta

ONE = (pa.array([1], SCHEMA.columns[0].type.arrow),)
READS: dict[str, Callable[[Index, int], Batch]] = {
    "rows": lambda index, time: index.rows(time),
    "lookup": lambda index, time: index.lookup(ONE, time),
    "lookup_each": lambda index, time: index.lookup_each(ONE, time, (0,))[0],
    "errors": lambda index, time: index.errors(time),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_a_time_at_which_it_is_not_complete_is_refused(read: Callable[[Index, int], Batch]) -> None:
    """An empty answer there would be a wrong one."""
    index = Index(SCHEMA, (0,))
    index.begin(5)
    index.insert(delta((1, 5, 1)), 7)
    assert len(read(index, 5)) == len(read(index, 6)) == (read is not READS["errors"])
    for time in (4, 7):
        with pytest.raises(ObjectNotReady, match=f"readable from 5 to 6, not at {time}"):
            read(index, time)


def test_what_is_compacted_while_it_is_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runs may be those of after it."""
    index = Index(SCHEMA, (0,))
    index.begin(5)
    index.insert(delta((1, 5, 1)), 9)
    handle = Spine.handle

    def compacted_first(spine: Spine) -> tuple[Run, ...]:
        index.advance_since(7)
        return handle(spine)

    monkeypatch.setattr(Spine, "handle", compacted_first)
    with pytest.raises(ObjectNotReady, match="readable from 7 to 8, not at 6"):
        index.lookup(ONE, 6)


def test_other_threads_look_up_while_one_inserts() -> None:
    """At every time that is readable there is all that was inserted up to it, and nothing of later; steps of merges too."""
    index = Index(SCHEMA, (0,))
    index.begin(0)
    index.insert(delta((1, 0, 1)), 1)
    key = ONE
    done = threading.Event()
    wrong: list[tuple[int, int]] = []
    answered = [0, 0]

    def look(reader: int) -> None:
        while not done.is_set():
            time = index.upper - 1 if reader else index.since
            try:
                found = index.lookup(key, time)
            except ObjectNotReady:
                continue  # it was compacted meanwhile
            if (count := int(found.diffs.sum())) != time + 1:
                wrong.append((time, count))
            answered[reader] += 1

    readers = [threading.Thread(target=look, args=(reader,)) for reader in range(2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    for reader in readers:
        reader.start()
    for time in range(1, 3_000):
        index.insert(delta((1, time, 1), (time + 10, time, 1)), time + 1)
        if time % 7 == 0:
            index.advance_since(time - 3)
    done.set()
    for reader in readers:
        reader.join()
    sys.setswitchinterval(interval)
    assert not wrong
    assert min(answered) > 0
