"""Growing loops, worked off in waves: equal to recomputation and to exact iterations, and no row moves without need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.operators.loops import appearances, iterate, limits, waves
from ptvc.compute.operators.loops.appearances import Appearances
from ptvc.compute.operators.loops.waves import Waves, growing
from ptvc.compute.plan import DataflowPlan, IterateOp
from ptvc.errors import PtvcError
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.schema import Schema
from ptvc.repr.types import INT4

from ..histories import batch_of, history, random_cuts, schema_of, updates_of
from ..reference import Row, Update, as_of, collect

PAIRS = schema_of(INT4, INT4)
NODES = schema_of(INT4)
EDGE = r.Get("u1", PAIRS)
ROOT = r.Get("u2", NODES)
SCHEMAS = {"u1": PAIRS, "u2": NODES}


def column(index: int) -> ColumnRef:
    return ColumnRef(index, INT4)


def number(value: int) -> Literal:
    return Literal(value, INT4)


def distinct(schema: Schema, *inputs: r.Relation) -> r.Relation:
    return r.Distinct(r.Union(inputs, schema))


def along(nodes: r.Relation, *, back: bool = False) -> r.Relation:
    """The other ends of the edges at `nodes`."""
    by, other = (1, 1) if back else (0, 2)
    return r.Project(r.Join(nodes, EDGE, r.JoinKind.INNER, (column(0),), (column(by),)), (other,))


def reachable() -> r.LetRec:
    itself = r.LocalGet("reach", NODES)
    return r.LetRec((r.Binding("reach", distinct(NODES, ROOT, along(itself))),), itself)


def closure() -> r.LetRec:
    """Pairs with a way from one to the other: the bindings joined with themselves."""
    itself = r.LocalGet("path", PAIRS)
    twice = r.Project(r.Join(itself, itself, r.JoinKind.INNER, (column(1),), (column(0),)), (0, 3))
    return r.LetRec((r.Binding("path", distinct(PAIRS, EDGE, twice)),), itself)


def mutual() -> r.LetRec:
    """Nodes after an even number of edges, forwards, and an odd one, backwards; a third binding reads both, and is
    read in the next iteration; two are read outside, one of them without a way round."""
    even, odd, both = (r.LocalGet(id_, NODES) for id_ in ("even", "odd", "both"))
    big = r.Filter(both, (resolve_call("gt", (column(0), number(3))),))
    met = r.Project(r.Join(even, odd, r.JoinKind.INNER, (column(0),), (column(0),)), (0,))
    bindings = (
        r.Binding("even", distinct(NODES, ROOT, along(odd))),
        r.Binding("odd", distinct(NODES, along(even, back=True), big)),
        r.Binding("both", r.Distinct(met)),
        r.Binding("pairs", r.Join(odd, both, r.JoinKind.INNER, (), ())),
    )
    body = r.Union((r.LocalGet("pairs", PAIRS), r.Project(even, (0, 0))), PAIRS)
    return r.LetRec(bindings, body)


def mapped(*, failing: bool) -> r.LetRec:
    """Nodes, and what they become by a formula, which fails for 3 if so wished: 60 / (n - 3) % 12."""
    itself = r.LocalGet("n", NODES)
    off = resolve_call("subtract", (column(0), number(3)))
    by = off if failing else resolve_call("add", (resolve_call("abs", (off,)), number(1)))
    formula: Scalar = resolve_call("mod", (resolve_call("divide", (number(60), by)), number(12)))
    value = distinct(NODES, ROOT, r.Project(r.Map(along(itself), (formula,), ("next",)), (1,)))
    return r.LetRec((r.Binding("n", value),), itself)


Fixpoint = Callable[[set[Row], set[Row]], set[Row]]
"""The rows that edges and roots lead to."""


def fixpoint(start: set[Row], follow: Callable[[set[Row]], set[Row]]) -> set[Row]:
    found = start
    while not (more := follow(found)) <= found:
        found = found | more
    return found


def after(nodes: set[Row], edges: set[Row]) -> set[Row]:
    return {(b,) for a, b in edges if a is not None and (a,) in nodes}


def reachable_rows(edges: set[Row], roots: set[Row]) -> set[Row]:
    return fixpoint(roots, lambda nodes: after(nodes, edges))


def closure_rows(edges: set[Row], roots: set[Row]) -> set[Row]:
    def follow(ways: set[Row]) -> set[Row]:
        return {(a, d) for a, b in ways for c, d in ways if b == c and b is not None}

    return fixpoint(edges, follow)


def mutual_rows(edges: set[Row], roots: set[Row]) -> set[Row]:
    back = {(b, a) for a, b in edges}
    even, odd, both = set(roots), set[Row](), set[Row]()
    size = -1
    while size != len(even) + len(odd):
        size = len(even) + len(odd)
        odd |= after(even, back) | {row for row in both if row[0] > 3}
        even |= after(odd, edges)
        both = {row for row in even & odd if row[0] is not None}
    pairs = {(a, b) for (a,) in odd for (b,) in both}
    return pairs | {(n, n) for (n,) in even}


def mapped_rows(edges: set[Row], roots: set[Row]) -> set[Row]:
    def follow(nodes: set[Row]) -> set[Row]:
        return {(None if n is None else 60 // (abs(n - 3) + 1) % 12,) for (n,) in after(nodes, edges)}

    return fixpoint(roots, follow)


PROGRAMS: dict[str, tuple[r.LetRec, Fixpoint]] = {
    "reachable": (reachable(), reachable_rows),
    "closure": (closure(), closure_rows),
    "mutual": (mutual(), mutual_rows),
    "mapped": (mapped(failing=False), mapped_rows),
}


def loop_of(plan: DataflowPlan) -> IterateOp:
    (loop,) = [node.op for node in plan.nodes if isinstance(node.op, IterateOp)]
    return loop


def given(histories: dict[str, list[Update]], begin: int, end: int) -> dict[str, Delta]:
    return {
        id_: Delta(batch_of(SCHEMAS[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
        for id_, updates in histories.items()
    }


def random_graph(random: Random, times: int, per_time: int = 3) -> dict[str, list[Update]]:
    nodes = random.choice((4, 7, 12))

    def edge(rng: Random) -> Row:
        return (rng.randrange(nodes), rng.choice((rng.randrange(nodes), rng.randrange(nodes), None)))

    return {
        "u1": history(random, edge, times=times, per_time=random.choice((1, per_time))),
        "u2": history(random, lambda rng: (rng.randrange(nodes),), times=times, per_time=1),
    }


def expected_at(rows: Fixpoint, histories: dict[str, list[Update]], time: int) -> set[Row]:
    return rows(set(as_of(histories["u1"], time)), set(as_of(histories["u2"], time)))


@pytest.fixture
def exactly() -> Iterator[pytest.MonkeyPatch]:
    """Dataflows that are made while it is active take no waves."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("seed", range(8))
def test_growing_loops_match_recomputation(program: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if seed % 2:  # as large changes are sorted
        monkeypatch.setattr(appearances, "_PACKED_ROWS", 0)
    random = Random(f"{program} {seed}")
    relation, rows = PROGRAMS[program]
    plan = lower(relation)
    assert growing(loop_of(plan))
    times = 16
    histories = random_graph(random, times)
    expected = [expected_at(rows, histories, time) for time in range(times + 1)]
    for cuts in (list(range(times + 2)), random_cuts(random, times)):
        dataflow = Dataflow(plan, cuts[0])
        output: list[Update] = []
        for begin, end in pairwise(cuts):
            delta = dataflow.step(given(histories, begin, end), begin, end)
            assert not len(delta.errs)
            output += updates_of(delta.oks)
        for time in range(times + 1):
            assert set(as_of(output, time)) == expected[time], f"at {time}, steps {cuts}"


@pytest.mark.parametrize("seed", range(12))
def test_errors_inside_match_those_of_exact_iterations(seed: int, exactly: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    plan = lower(mapped(failing=True))
    in_waves = Dataflow(plan, 0)
    exactly.setattr(iterate, "growing", lambda _: False)
    exact = Dataflow(plan, 0)
    histories = random_graph(random, 30)
    failed = 0
    for time in range(31):
        delta, other = (d.step(given(histories, time, time + 1), time, time + 1) for d in (in_waves, exact))
        assert collect((row, n) for row, _, n in updates_of(delta.oks)) == collect(
            (row, n) for row, _, n in updates_of(other.oks)
        )
        errors = sorted(updates_of(delta.errs))
        assert errors == sorted(updates_of(other.errs))
        failed += len(errors)
    assert failed


@pytest.mark.parametrize("seed", range(6))
def test_waves_go_on_from_exact_iterations(seed: int, exactly: pytest.MonkeyPatch) -> None:
    """State of either kind, saved and loaded again and again; what waves do not need to move stays where it is."""
    random = Random(seed)
    relation, rows = random.choice(list(PROGRAMS.values()))
    plan = lower(relation)
    times = 60
    histories = random_graph(random, times, 2)
    exactly.setattr(iterate, "growing", lambda _: False)
    dataflow = Dataflow(plan, 0)
    exactly.undo()
    output: list[Update] = []
    for time in range(times + 1):
        output += updates_of(dataflow.step(given(histories, time, time + 1), time, time + 1).oks)
        if time % 5 == 4:
            following = Dataflow(plan, 0)
            following.load({id_: spine.handle() for id_, spine in dataflow.spines().items()}, time + 1)
            dataflow = following
        assert set(as_of(output, time)) == expected_at(rows, histories, time)


def waves_of(dataflow: Dataflow, histories: dict[str, list[Update]], time: int) -> list[int]:
    """Steps; how many rows of the binding each wave changed."""
    moved: list[int] = []
    original = Waves._wave

    def noted(self: Waves, results: dict[int, Delta], *args: object, **kwargs: object) -> object:
        fed = original(self, results, *args, **kwargs)  # type: ignore[arg-type]
        moved.append(sum(len(delta.oks) for delta in fed.values()))
        return fed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(waves.Waves, "_wave", noted)
        dataflow.step(given(histories, time, time + 1), time, time + 1)
    return moved


def test_a_row_moves_only_when_nothing_holds_it() -> None:
    """A chain: shorter ways come and go, and nothing moves; the last way to a row goes, and it moves with what follows."""
    chain = [((i, i + 1), 1, 1) for i in range(100)]
    later = [
        ((0, 50), 2, 1),  # a way to all the rest that is 49 edges shorter
        ((0, 50), 3, -1),
        ((0, 50), 4, 1),
        ((10, 11), 5, -1),  # 11 to 49 are lost, the rest is held by the short way
        ((10, 11), 6, 1),
        ((99, 100), 7, -1),
    ]
    dataflow = Dataflow(lower(reachable()), 1)
    histories = {"u1": chain + later, "u2": [((0,), 1, 1)]}
    assert len(waves_of(dataflow, histories, 1)) == 102
    assert waves_of(dataflow, histories, 2) == [0]
    assert waves_of(dataflow, histories, 3) == [0]
    assert waves_of(dataflow, histories, 4) == [0]
    assert waves_of(dataflow, histories, 5) == [1] * 39 + [0]
    assert waves_of(dataflow, histories, 6) == [1] * 39 + [0]
    assert waves_of(dataflow, histories, 7) == [1, 0]


def test_rows_of_many_ranks_share_a_wave() -> None:
    edges = [((i, i + 1), 1, 1) for i in range(100)]
    edges += [((10 * i, 1000 + i), 1, 1) for i in range(10)]
    cut = [((10 * i, 1000 + i), 2, -1) for i in range(10)]
    dataflow = Dataflow(lower(reachable()), 1)
    histories = {"u1": edges + cut, "u2": [((0,), 1, 1)]}
    waves_of(dataflow, histories, 1)
    assert waves_of(dataflow, histories, 2) == [10, 0]


def test_what_is_growing() -> None:
    itself = r.LocalGet("n", NODES)
    step = along(itself)

    def loop(value: r.Relation, limit: int | None = None) -> IterateOp:
        return loop_of(lower(r.LetRec((r.Binding("n", value),), itself, limit, True)))

    assert growing(loop(distinct(NODES, ROOT, step)))
    assert not growing(loop(distinct(NODES, ROOT, step), 10))
    assert not growing(loop(r.Union((ROOT, step), NODES)))  # what goes round may be there more than once
    assert not growing(loop(distinct(NODES, ROOT, r.Threshold(r.Union((ROOT, r.Negate(step)), NODES)))))


def test_waves_without_end_name_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ITERATIONS", 50)
    itself = r.LocalGet("n", NODES)
    following = r.Map(itself, (resolve_call("add", (column(0), number(1))),), ("next",))
    value = distinct(NODES, ROOT, r.Project(following, (1,)))
    dataflow = Dataflow(lower(r.LetRec((r.Binding("n", value),), itself)), 1)
    with pytest.raises(PtvcError, match="has not come to an end after 50 iterations"):
        dataflow.step(given({"u2": [((0,), 1, 1)]}, 1, 2), 1, 2)


def test_ranks_of_appearances() -> None:
    """The table of the module's text."""
    rows = Appearances(NODES)

    def update(*changes: tuple[int, int], coming: bool = False) -> list[tuple[int, int]]:
        batch = batch_of(NODES, [((7,), rank, diff) for rank, diff in changes])
        return [(rank, diff) for _, rank, diff in updates_of(rows.update(batch, coming=coming))]

    assert update((4, 1), (6, 1)) == []
    assert rows.waiting
    assert update(coming=True) == [(4, 1)]
    assert update((2, 1)) == []
    assert update((3, -1)) == []
    assert not rows.waiting
    assert update((4, -1)) == [(4, -1)]
    assert update((6, -1), (9, 1)) == []  # it was to come at 6
    assert update((5, 1)) == []
    assert update(coming=True) == [(5, 1)]
    assert update((5, -1), (9, -1)) == [(5, -1)]
    assert update(coming=True) == []
