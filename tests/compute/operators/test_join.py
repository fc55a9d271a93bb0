from __future__ import annotations

from random import Random

import numpy as np
import pytest
from ptvc.compute import arrangement
from ptvc.compute import spine as spine_module
from ptvc.compute.operators.joins.join import Join
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.batch import Delta, empty_delta
from ptvc.repr.types import FLOAT8, INT4, INT8, TEXT, ScalarType

from ..histories import batch_of, check, history, run, schema_of
from ..reference import Row, Rows, as_of, join

LEFT = schema_of(INT8, TEXT)
RIGHT = schema_of(TEXT, INT8, INT4)


def left_row(random: Random) -> Row:
    return (random.choice((1, 2, 3, None)), random.choice(("a", "b", None)))


def right_row(random: Random) -> Row:
    return (random.choice(("a", "b", "", None)), random.choice((1, 2, 4, None)), random.randrange(3))


def keys(schema: object, positions: tuple[int, ...], types: tuple[ScalarType, ...]) -> tuple[ColumnRef, ...]:
    return tuple(ColumnRef(p, types[p]) for p in positions)


@pytest.mark.parametrize("null_safe", [False, True])
@pytest.mark.parametrize(
    ("left_key", "right_key"),
    [((0,), (1,)), ((0, 1), (1, 0)), ((), ())],
    ids=["one key", "two keys", "cross"],
)
@pytest.mark.parametrize("seed", range(6))
def test_join_matches_recomputation(
    seed: int,
    left_key: tuple[int, ...],
    right_key: tuple[int, ...],
    null_safe: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether steps count as large, and are put in order, or not."""
    monkeypatch.setattr(arrangement, "ORDERED_ROWS", seed % 2 * 1_000)
    random = Random(seed)
    node = r.Join(
        r.Get("left", LEFT),
        r.Get("right", RIGHT),
        r.JoinKind.INNER,
        keys(LEFT, left_key, LEFT.types),
        keys(RIGHT, right_key, RIGHT.types),
        null_safe=null_safe,
    )

    def expected(contents: list[Rows]) -> Rows:
        return join(node, *contents)

    inputs = [(LEFT, history(random, left_row)), (RIGHT, history(random, right_row, negative=True))]
    check(lambda: Join(LEFT, RIGHT, left_key, right_key, (), null_safe), inputs, expected, random)


def test_float_keys_are_equal_as_sql_says() -> None:
    schema = schema_of(FLOAT8)
    nan = float("nan")
    updates = [((0.0,), 1, 1), ((nan,), 1, 1), ((None,), 1, 1)]
    other = [((-0.0,), 2, 1), ((-nan,), 2, 1), ((None,), 2, 1)]
    output, _ = run(Join(schema, schema, (0,), (0,)), [(schema, updates), (schema, other)], [0, 3])
    assert sorted(map(str, as_of(output, 2))) == ["(0.0, -0.0)", "(nan, nan)"]


def test_pairs_come_in_pieces_of_bounded_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hot key gives many pairs: they are formed a piece at a time, all of them."""
    probe_chunks = spine_module.Spine.probe_chunks
    monkeypatch.setitem(probe_chunks.__kwdefaults__, "limit", 7)
    left = [((1, str(i)), 1, 1) for i in range(10)]
    right = [(("x", 1, i), 2, 1) for i in range(12)]
    output, _ = run(Join(LEFT, RIGHT, (0,), (1,)), [(LEFT, left), (RIGHT, right)], [0, 3])
    assert len(output) == 120
    assert as_of(output, 2) == {(1, str(i), "x", 1, j): 1 for i in range(10) for j in range(12)}


def test_nothing_in_nothing_out() -> None:
    join_ = Join(LEFT, RIGHT, (0,), (1,))
    assert not join_.step((empty_delta(LEFT), empty_delta(RIGHT)), 0, 5)
    assert {name: spine.since for name, spine in join_.spines().items()} == {"left": 5, "right": 5}


def test_errors_of_inputs_pass() -> None:
    errs = batch_of(schema_of(TEXT, TEXT), [(("22012", "division by zero"), 3, 1)])
    out = Join(LEFT, RIGHT, (0,), (1,)).step(
        (Delta(empty_delta(LEFT).oks, errs), Delta(empty_delta(RIGHT).oks, errs)), 0, 5
    )
    assert len(out.oks) == 0
    assert out.errs.columns[0].to_pylist() == ["22012", "22012"]
    assert np.array_equal(out.errs.times, [3, 3])
