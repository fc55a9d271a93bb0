from __future__ import annotations

import numpy as np
from ptvc.compute.arrangement import Arrangement, keyed
from ptvc.repr.types import INT8, TEXT

from .histories import batch_of, schema_of, updates_of

SCHEMA = schema_of(INT8, TEXT)
UPDATES = [((1, "a"), 1, 1), ((None, "b"), 1, 1), ((2, None), 2, 1), ((None, None), 3, 1)]


def test_null_in_a_key_equals_nothing() -> None:
    delta = keyed(batch_of(SCHEMA, UPDATES), (0,))
    assert updates_of(delta.batch) == [UPDATES[0], UPDATES[2]]
    assert delta.kept is not None
    assert delta.kept.tolist() == [0, 2]
    both = keyed(batch_of(SCHEMA, UPDATES), (0, 1))
    assert updates_of(both.batch) == UPDATES[:1]


def test_null_safe_keys_keep_every_row() -> None:
    batch = batch_of(SCHEMA, UPDATES)
    delta = keyed(batch, (0, 1), null_safe=True)
    assert delta.batch is batch
    assert delta.kept is None
    arrangement = Arrangement(SCHEMA, (0, 1))
    arrangement.insert(delta)
    (matches,) = arrangement.matches(delta)
    assert sorted(matches.probe.tolist()) == [0, 1, 2, 3]
    wanted = [UPDATES[i] for i in matches.probe]
    assert updates_of(matches.rows) == wanted


def test_nothing_has_no_keys() -> None:
    delta = keyed(batch_of(SCHEMA, []), (1,))
    assert len(delta) == 0
    assert delta.hashes.dtype == np.uint64
    assert list(Arrangement(SCHEMA, (1,)).matches(delta)) == []
