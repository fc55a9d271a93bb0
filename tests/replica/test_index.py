"""What an index answers, and at which times."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pytest
from ptvc.errors import ObjectNotReady
from ptvc.replica.index import Index
from ptvc.repr.batch import Batch

from .support import SCHEMA, delta

READS: dict[str, Callable[[Index, int], Batch]] = {
    "rows": lambda index, time: index.rows(time),
    "lookup": lambda index, time: index.lookup((pa.array([1], SCHEMA.columns[0].type.arrow),), time),
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
