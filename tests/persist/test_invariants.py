"""Each invariant lets the real transitions through and refuses a change that breaks it, by name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from persist_support import SCHEMA
from ptvc.persist import invariants, state
from ptvc.persist.invariants import INVARIANTS, InvariantViolation, check
from ptvc.persist.part import PartRef
from ptvc.persist.state import Change, Head, Hold, ShardBatch, Write


def part(low: int, high: int, shard: str = "s") -> PartRef:
    return PartRef(shard, "ipc1", b"", None, 1, 0, 10, low, high, 0)


HEAD = Head("s", 5, 1, 0, 10, 20, SCHEMA)
APPEND = state.appended(HEAD, Write(20, 25, (part(20, 24),)))
OLD = tuple(ShardBatch("s", low, low + 4, 0, 2, (part(low, low + 3),)) for low in (4, 8, 14))
MERGE = state.merged(HEAD, OLD, 10, (part(10, 17),))
HOLD = state.held(HEAD, Hold("s", "h", 12, True, None, 0))
DROP = state.dropped(HEAD, OLD)
GOOD = {
    "create": state.created("s", SCHEMA, 3),
    "append": APPEND,
    "progress": state.appended(HEAD, Write(20, 30)),
    "merge": MERGE,
    "merge to nothing": state.merged(HEAD, OLD, 10, ()),
    "hold": HOLD,
    "release": state.released(HOLD.after, HOLD.after.holds[0]),
    "drop": DROP,
    "evolve": state.evolved(HEAD, SCHEMA),
}


def after(change: Change, **values: object) -> Change:
    return replace(change, after=replace(change.after, **values))  # type: ignore[arg-type]


def inserted(change: Change, **values: object) -> Change:
    return replace(change, inserted=tuple(replace(batch, **values) for batch in change.inserted))  # type: ignore[arg-type]


BAD = [
    (after(APPEND, upper=19), invariants.frontiers_never_regress),
    (after(HOLD, since=9), invariants.frontiers_never_regress),
    (after(HOLD, since=21), invariants.since_is_not_beyond_upper),
    (after(APPEND, version=7), invariants.version_rises_by_one),
    (after(GOOD["create"], version=2), invariants.version_rises_by_one),
    (after(MERGE, rewrites=1), invariants.removing_batches_counts_as_a_rewrite),
    (after(APPEND, rewrites=2), invariants.removing_batches_counts_as_a_rewrite),
    (replace(APPEND, before=replace(HEAD, dropped=True)), invariants.dropped_shards_stay_as_they_are),
    (after(HOLD, since=13), invariants.since_is_allowed_by_every_hold),
    (inserted(APPEND, upper=26), invariants.batches_are_intervals_below_upper),
    (inserted(APPEND, lower=25), invariants.batches_are_intervals_below_upper),
    (inserted(APPEND, lower=19), invariants.appended_batches_begin_at_the_old_upper),
    (inserted(APPEND, upper=24), invariants.appended_batches_begin_at_the_old_upper),
    (inserted(APPEND, since=11), invariants.batch_since_is_within_shard_since),
    (inserted(MERGE, lower=5), invariants.merged_batches_fill_the_place_of_those_removed),
    (inserted(MERGE, upper=17), invariants.merged_batches_fill_the_place_of_those_removed),
    (replace(MERGE, removed=OLD[::-1]), invariants.merged_batches_fill_the_place_of_those_removed),
    (replace(DROP, inserted=MERGE.inserted), invariants.merged_batches_fill_the_place_of_those_removed),
    (inserted(APPEND, parts=(part(19, 22),)), invariants.times_are_within_their_batch),
    (inserted(APPEND, parts=(part(20, 25),)), invariants.times_are_within_their_batch),
    (inserted(APPEND, parts=(part(20, 22, "t"),)), invariants.parts_belong_to_the_shard),
    (
        inserted(APPEND, parts=(replace(part(20, 22), inline=None),)),
        invariants.parts_belong_to_the_shard,
    ),
]


@pytest.mark.parametrize("name", GOOD)
def test_transitions_keep_the_invariants(name: str) -> None:
    assert [invariant.__name__ for invariant in INVARIANTS if not invariant(GOOD[name])] == []
    check(GOOD[name])


@pytest.mark.parametrize("case", range(len(BAD)))
def test_a_violation_is_refused_by_name(case: int) -> None:
    change, broken = BAD[case]
    assert not broken(change)
    with pytest.raises(InvariantViolation) as caught:
        check(change)
    assert caught.value.sqlstate == "XX000"
    assert 'shard "s"' in caught.value.message


def test_every_invariant_is_tested() -> None:
    assert {broken for _, broken in BAD} == set(INVARIANTS)
