"""Window: functions, frames, ties and multiplicities, with many times in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest
from ptvc.compute.lower import lower
from ptvc.compute.operators.windows import collected
from ptvc.compute.operators.windows import state as window_state
from ptvc.compute.operators.windows import window as window_module
from ptvc.compute.operators.windows.grid import Cells, Entries, Lines
from ptvc.compute.operators.windows.window import Window
from ptvc.compute.plan import WindowOp
from ptvc.expr.functions.aggregates import AGGREGATES, resolve_aggregate, resolve_arguments
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.expr.tree.windows import DEFAULT_FRAME, Bound, BoundKind, Exclusion, Frame, FrameUnit
from ptvc.repr.batch import NO_ERRORS, Delta, batch_from_rows
from ptvc.repr.types import FLOAT8, INT4, INT8, TEXT, ScalarType

from ..histories import batch_of, check, consolidated, history, run, schema_of
from ..reference import Row, Rows, as_of, evaluate

SCHEMA = schema_of(INT4, TEXT, FLOAT8, INT4)
GET = r.Get("t", SCHEMA)
GROUP, NAME, FLOAT, NUMBER = (ColumnRef(i, column.type) for i, column in enumerate(SCHEMA))
ONE, TWO = Literal(1, INT4), Literal(2, INT4)


def row(random: Random) -> Row:
    return (
        random.choice((1, 2, None)),
        random.choice((None, "", "a", "b", "abc")),
        random.choice((None, 0.5, -1.0, 2.0)),
        random.choice((None, 0, 1, 2, 5, 9)),
    )


def bound(kind: BoundKind, offset: int | None = None, type_: ScalarType = INT8) -> Bound:
    return Bound(kind, None if offset is None else Literal(offset, type_))


START, HERE, END = (
    bound(kind) for kind in (BoundKind.UNBOUNDED_PRECEDING, BoundKind.CURRENT, BoundKind.UNBOUNDED_FOLLOWING)
)


def before(offset: int) -> Bound:
    return bound(BoundKind.PRECEDING, offset)


def behind(offset: int) -> Bound:
    return bound(BoundKind.FOLLOWING, offset)


def call(
    function: str,
    *args: Scalar,
    frame: Frame = DEFAULT_FRAME,
    filter: Scalar | None = None,
) -> r.WindowCall:
    if function in AGGREGATES:
        found = (
            resolve_arguments(function, [arg.type for arg in args])
            if args
            else resolve_aggregate(function, None)
        )
        type_ = found[1]
    elif function in ("percent_rank", "cume_dist"):
        type_ = FLOAT8
    elif function == "ntile":
        type_ = INT4
    else:
        type_ = args[0].type if args else INT8
    return r.WindowCall(function, args, type_, function, frame, filter)


RANKS = (
    call("row_number"),
    call("rank"),
    call("dense_rank"),
    call("percent_rank"),
    call("cume_dist"),
    call("ntile", Literal(3, INT4)),
)
OFFSETS = (
    call("lag", NAME),
    call("lead", NAME, TWO),
    call("lag", NAME, Literal(-1, INT4), Literal("none", TEXT)),
    call("lag", NUMBER, NUMBER, GROUP),
)
SKIPPING = tuple(
    replace(call, ignore_nulls=True)
    for call in (
        *OFFSETS,
        call("lag", FLOAT, Literal(0, INT4)),
        call("first_value", NAME),
        call("last_value", NUMBER),
        call("nth_value", FLOAT, TWO),
    )
)
ORDERS: dict[str, tuple[r.OrderBy, ...]] = {
    "by nothing": (),
    "by number": (r.OrderBy(3),),
    "by number, backwards": (r.OrderBy(3, True, True),),
    "by text, then float": (r.OrderBy(1, True), r.OrderBy(2, False, True)),
}
BOUNDS = {
    "all": (START, END),
    "so far": (START, HERE),
    "from here": (HERE, END),
    "around": (before(1), behind(1)),
    "behind": (behind(1), behind(2)),
    "before": (before(3), before(2)),
    "up to": (START, behind(1)),
}


def over(
    calls: Sequence[r.WindowCall], order: tuple[r.OrderBy, ...], partition: tuple[int, ...] = (0,)
) -> r.Window:
    return r.Window(GET, partition, order, tuple(calls))


def framed(frame: Frame) -> tuple[r.WindowCall, ...]:
    return (
        call("count", frame=frame),
        call("sum", NUMBER, frame=frame),
        call("sum", FLOAT, frame=frame),
        call("min", NAME, frame=frame),
        call("max", NUMBER, frame=frame),
        call("first_value", NAME, frame=frame),
        call("last_value", NAME, frame=frame),
        call("nth_value", NAME, TWO, frame=frame),
    )


def operator(node: r.Window) -> Window:
    """The operator of a window over columns, without the plan around it."""
    plan = lower(node)
    (window,) = [n for n in plan.nodes if isinstance(n.op, WindowOp)]
    assert isinstance(window.op, WindowOp)
    (schema,) = plan.input_schemas(window)
    assert schema == SCHEMA, "arguments are columns"
    return Window(window.op, schema, window.schema)


def agrees(
    node: r.Window, seed: int, times: int = 8, per_time: int = 5, row: Callable[[Random], Row] = row
) -> None:
    random = Random(seed)

    def expected(contents: list[Rows]) -> Rows:
        return evaluate(node, {"t": contents[0]})

    check(
        lambda: operator(node),
        [(SCHEMA, history(random, row, times=times, per_time=per_time))],
        expected,
        random,
        times,
    )


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("partition", [(), (0,), (0, 1)], ids=["one", "by column", "by columns"])
@pytest.mark.parametrize("seed", range(2))
def test_places_and_neighbours(seed: int, partition: tuple[int, ...], order: tuple[r.OrderBy, ...]) -> None:
    agrees(over((*RANKS, *OFFSETS), order, partition), seed)


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
@pytest.mark.parametrize("partition", [(), (0, 1)], ids=["one", "by columns"])
def test_nulls_are_passed_over(partition: tuple[int, ...], order: tuple[r.OrderBy, ...]) -> None:
    agrees(over((*OFFSETS, *SKIPPING), order, partition), 3)


@pytest.mark.parametrize("exclusion", Exclusion)
@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
def test_frames_without_nulls(bounds: tuple[Bound, Bound], exclusion: Exclusion) -> None:
    frame = Frame(FrameUnit.ROWS, *bounds, exclusion)
    calls = (
        call("first_value", NAME, frame=frame),
        call("last_value", NUMBER, frame=frame),
        call("nth_value", NAME, TWO, frame=frame),
    )
    skipping = [replace(call, ignore_nulls=True) for call in calls]
    agrees(over((*calls, *skipping), ORDERS["by number"]), 5, times=5, per_time=4)


@pytest.mark.parametrize("exclusion", Exclusion)
@pytest.mark.parametrize("unit", FrameUnit)
@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
def test_collected(bounds: tuple[Bound, Bound], unit: FrameUnit, exclusion: Exclusion) -> None:
    frame = Frame(unit, *bounds, exclusion)
    calls = (
        call("array_agg", NAME, frame=frame),
        call("array_agg", NUMBER, frame=frame),
        call("string_agg", NAME, Literal("/", TEXT), frame=frame),
        call("string_agg", NAME, NAME, frame=frame),
    )
    agrees(over(calls, ORDERS["by number"]), 5, times=5, per_time=4)


def test_frames_are_written_out_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collected, "MAX_CELLS", 5)
    calls = (call("array_agg", NUMBER), call("string_agg", NAME, Literal("/", TEXT)))
    agrees(over(calls, ORDERS["by number"], ()), 7)


@pytest.mark.parametrize("exclusion", Exclusion)
@pytest.mark.parametrize("unit", FrameUnit)
@pytest.mark.parametrize("bounds", BOUNDS.values(), ids=BOUNDS)
@pytest.mark.parametrize("order", ["by number", pytest.param("by number, backwards", marks=pytest.mark.slow)])
def test_frames(order: str, bounds: tuple[Bound, Bound], unit: FrameUnit, exclusion: Exclusion) -> None:
    agrees(over(framed(Frame(unit, *bounds, exclusion)), ORDERS[order]), 5, times=5, per_time=4)


def wide(random: Random) -> Row:
    """Rows of few partitions and many places in order, a tenth of them ties."""
    number = random.choice((None, *range(12)))
    return (random.choice((1, 1, 1, 2)), random.choice("abc"), random.choice((None, 0.5)), number)


def rows_frame(function: str, start: Bound, end: Bound, *args: Scalar) -> r.WindowCall:
    return call(function, *args, frame=Frame(FrameUnit.ROWS, start, end))


BLOCKED: dict[str, tuple[r.WindowCall, ...]] = {
    "row_number": (call("row_number"),),
    "rank": (call("rank"),),
    "dense_rank": (call("dense_rank"),),
    "lag": (call("lag", NAME, ONE, Literal("none", TEXT)),),
    "lag 3, lead 2": (call("lag", NUMBER, Literal(3, INT4)), call("lead", NAME, TWO)),
    "running sum": (call("sum", NUMBER),),
    "running sum of rows": (rows_frame("sum", START, HERE, NUMBER), rows_frame("count", START, HERE)),
    "running, shifted": (
        rows_frame("sum", START, behind(2), NUMBER),
        rows_frame("sum", START, before(3), NUMBER),
    ),
    "moving": (
        rows_frame("sum", before(2), behind(1), FLOAT),
        rows_frame("max", before(3), before(1), NUMBER),
        rows_frame("nth_value", behind(1), behind(2), NAME, ONE),
    ),
    "peers": (call("count", frame=Frame(FrameUnit.RANGE, HERE, HERE, Exclusion.CURRENT_ROW)),),
    "several": (call("dense_rank"), call("lead", NAME), rows_frame("sum", START, HERE, NUMBER)),
}


@pytest.mark.parametrize("calls", BLOCKED.values(), ids=BLOCKED)
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_blocks(
    seed: int, rows: int, calls: tuple[r.WindowCall, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With small blocks, partitions are cut, blocks vanish, and steps read parts of partitions."""
    monkeypatch.setattr(window_state, "BLOCK_ROWS", rows)
    node = over(calls, ORDERS["by number, backwards" if seed else "by number"])
    assert isinstance(operator(node)._state, window_state.Blocks)
    agrees(node, seed, times=12, per_time=6, row=wide)


def test_a_large_grid_is_cut_by_time(monkeypatch: pytest.MonkeyPatch) -> None:
    updates = history(Random(3), row, times=40, per_time=4)
    node = over((*RANKS, *OFFSETS), ORDERS["by number"])
    whole, _ = run(operator(node), [(SCHEMA, updates)], [0, 41])
    monkeypatch.setattr(window_module, "GRID_CELLS", 50)
    monkeypatch.setattr(window_state, "GRID_CELLS", 50)
    cut, _ = run(operator(node), [(SCHEMA, updates)], [0, 41])
    assert consolidated(whole) == consolidated(cut)
    assert len(consolidated(whole)) > 50


LOCAL = {"lag": 0.0, "moving": 0.0, "row_number": 19_990.0, "running sum of rows": 19_990.0}
"""Where in a partition of 20,000 rows the changes are, by calls of BLOCKED."""


@pytest.mark.parametrize(("name", "low"), LOCAL.items())
def test_a_change_costs_its_surroundings_and_not_the_partition(
    name: str, low: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = operator(over(BLOCKED[name], ORDERS["by number"]))
    rows = [(1, "a", 0.5, i) for i in range(20_000)]
    window.step((Delta(batch_from_rows(SCHEMA, rows, 1), NO_ERRORS),), 0, 2)
    looked_at: list[int] = []
    cells_of = window_state.cells_of

    def counting(op: WindowOp, lines: Lines) -> tuple[Entries, Cells]:
        looked_at.append(len(lines.batch))
        return cells_of(op, lines)

    monkeypatch.setattr(window_module, "cells_of", counting)
    monkeypatch.setattr(window_state, "cells_of", counting)
    random = Random(1)
    for time in range(2, 30):
        place = random.randrange(int(low), 20_000)
        delta = Delta(batch_from_rows(SCHEMA, [(1, "b", None, place)], time, 1), NO_ERRORS)
        window.step((delta,), time, time + 1)
    assert max(looked_at) < 2_000


@pytest.mark.parametrize("name", ["row_number", "running sum of rows", "dense_rank"])
def test_what_is_carried_on_as_before_is_not_followed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is replaced by one in the same place changes itself only, wherever it is."""
    window = operator(over(BLOCKED[name], ORDERS["by number"]))
    rows = [(1, "a", 0.5, i) for i in range(20_000)]
    window.step((Delta(batch_from_rows(SCHEMA, rows, 1), NO_ERRORS),), 0, 2)
    gone, come = (1, "a", 0.5, 7), (1, "b", 0.5, 7)
    batch = batch_of(SCHEMA, [(gone, 2, -1), (come, 2, 1)])
    looked_at: list[int] = []
    cells_of = window_state.cells_of

    def counting(op: WindowOp, lines: Lines) -> tuple[Entries, Cells]:
        looked_at.append(len(lines.batch))
        return cells_of(op, lines)

    monkeypatch.setattr(window_module, "cells_of", counting)
    monkeypatch.setattr(window_state, "cells_of", counting)
    out = window.step((Delta(batch, NO_ERRORS),), 2, 3)
    assert sum(looked_at) < 2_000
    assert len(out.oks) == 2


def test_a_value_that_does_not_exist_is_an_error_of_its_row() -> None:
    updates = [((1, "a", 1.0, 0), 1, 1), ((1, "b", 1.0, 2), 2, 1), ((1, "a", 1.0, 0), 3, -1)]
    tile = over((call("ntile", NUMBER),), ORDERS["by number"])
    for cuts in ([0, 4], [0, 1, 2, 3, 4]):
        oks, errs = run(operator(tile), [(SCHEMA, updates)], cuts)
        message = "argument of ntile must be greater than zero"
        assert as_of(errs, 1) == {("22014", message): 1}
        assert as_of(errs, 2) == {("22014", message): 2}
        assert as_of(errs, 3) == {}
        assert as_of(oks, 3) == {(1, "b", 1.0, 2, 1): 1}


@pytest.mark.parametrize(
    ("frame", "sqlstate"),
    [
        (Frame(FrameUnit.ROWS, before(-1), HERE), "22013"),
        (Frame(FrameUnit.GROUPS, START, behind(-1)), "22013"),
        (Frame(FrameUnit.RANGE, before(-1), HERE), "22013"),
        (Frame(FrameUnit.ROWS, Bound(BoundKind.PRECEDING, Literal(None, INT8)), HERE), "22004"),
    ],
)
def test_a_frame_that_does_not_exist_is_an_error_of_every_row(frame: Frame, sqlstate: str) -> None:
    updates = [((1, "a", 1.0, 0), 1, 1), ((1, "b", 1.0, 2), 1, 1)]
    node = over((call("count", frame=frame),), ORDERS["by number"])
    oks, errs = run(operator(node), [(SCHEMA, updates)], [0, 2])
    assert oks == []
    assert [(u[0][0], u[2]) for u in errs] == [(sqlstate, 1)] * 2
