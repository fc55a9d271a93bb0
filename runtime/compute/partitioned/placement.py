"""Where the rows of each node lie when a plan runs in parts, and which exchanges it can do without.

Rows that were exchanged by some columns lie by the hash of these, and go on doing so through every operator that keeps the columns:
what brings them together by the same columns, or by more, need not move them again.

```
Join by customer ─ Reduce by (customer, segment)      no exchange between the two: whoever has all rows of a customer
                                                      has all rows of a customer and a segment
Join by customer ─ Reduce by nation, of DISTINCT      sums move, and no values: whoever has all rows of a customer
                   customers                          knows when a nation's first row of it comes, and when the last one goes
Join by customer ─ Join with 25 nations               no exchange: everybody has all nations (`broadcast`)
```
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ...expr.tree.relation import GlobalId, JoinKind
from ..consolidated import consolidated_nodes
from ..operators.reductions.combine import adds_up, counts_distinct
from ..plan import (
    ArrangeOp,
    AssertSingleOp,
    ConstantOp,
    DataflowPlan,
    DistinctOp,
    DividedFeedbackOp,
    DividedIterateOp,
    EnterOp,
    Exchange,
    FlatMapOp,
    Import,
    IterateOp,
    JoinOp,
    LookupOp,
    Mfp,
    NegateOp,
    Node,
    ReduceOp,
    TemporalFilterOp,
    ThresholdOp,
    TopKOp,
    UnionOp,
    WindowOp,
)
from ..spark.hot_keys import splittable
from .broadcast import NO_BROADCAST, Broadcast, broadcast, kept_beside
from .loop_placement import Columns, divisible, inside, opened

Placements = frozenset[Columns]
"""Lists of columns, by the hash of each of which the rows lie; `()`: all of them are in the first part.  Empty: nobody knows."""

_NOWHERE: Placements = frozenset()


def undivided(plan: DataflowPlan, index_key: Columns | None = None) -> str | None:
    """Why the plan runs in one part, or None; with `index_key` its output is arranged by these columns."""
    for node in plan:
        match node.op:
            case ArrangeOp(index=index) if index is not None:
                return "it was made to share the arrangement of an index, when the cluster had one worker"
    if index_key:
        return None
    loops = any(isinstance(node.op, IterateOp) and divisible(node.op) for node in plan)
    if not loops and not any(any(node.exchange) or _is_total(node) for node in plan):
        return "nothing in it brings rows together by a key, or adds them up"
    return None


def _is_total(node: Node) -> bool:
    """Whether it makes one row of all, that each part can add up for itself before."""
    return node.exchange == ((),) and adds_up(node.op)


@dataclass(frozen=True, slots=True)
class Division:
    """A plan in parts: `plan` has those exchanges only that move rows; `dealt` says by which columns the rows of an import are dealt
    out to the parts, where any operator wants them by columns of their own.  `placements` are those of the nodes' outputs, `inside` those of
    the nodes in each loop that is divided.  `split` are joins of which keys may be split (`split_keys`): nobody counts on where their rows
    lie.  `in_place` are reductions whose DISTINCT arguments are counted by who has their rows before these would move: what moves are sums.
    `broadcast` says which rows are in all parts; `few` are the positions of imports that were to be.

    With `index_key` the output is arranged in an index by these columns, and comes out where its rows lie by them.  If they do not by
    themselves, the plan has one node behind its `operators`, to which they move."""

    plan: DataflowPlan
    dealt: Mapping[GlobalId, Columns]
    placements: tuple[Placements, ...]
    inside: Mapping[int, tuple[Placements, ...]]
    split: frozenset[int] = frozenset()
    in_place: frozenset[int] = frozenset()
    broadcast: Broadcast = NO_BROADCAST
    few: tuple[int, ...] = ()
    index_key: Columns | None = None
    operators: int = 0

    @property
    def shown(self) -> DataflowPlan:
        """Its operators only, which have the numbers that they have undivided."""
        if len(self.plan.nodes) == self.operators:
            return self.plan
        (output,) = self.plan.nodes[self.plan.output].inputs
        return replace(self.plan, nodes=self.plan.nodes[: self.operators], output=output)

    @property
    def output_lies(self) -> bool:
        """Whether equal rows of the output come out in one part."""
        return _output_lies(self.plan, self.placements)

    @property
    def output_lies_unsplit(self) -> bool:
        """Whether they do as long as no keys are split."""
        return _output_lies(self.plan, _placements(self.plan, self.dealt, self.inside))


def _output_lies(plan: DataflowPlan, placements: Sequence[Placements]) -> bool:
    return bool(placements[plan.output]) or consolidated_nodes(plan)[plan.output]


def divided(plan: DataflowPlan, index_key: Columns | None = None, few: Collection[int] = ()) -> Division:
    """The plan as it runs in parts; with `index_key`, its output arranged by these columns.  Of the imports at the positions `few` those are
    broadcast that can be.  Keys of a join may be split where that moves nothing else."""
    operators = len(plan.nodes)
    plan = replace(plan, nodes=tuple(map(_opened, plan)))
    if index_key:
        plan = _arranged(plan, index_key)
    found = _with_broadcast(plan, frozenset(plan.imports[at] for at in few))
    for node in plan:
        if splittable(node) and node.id not in found.broadcast.beside:
            other = _divided(plan, found.split | {node.id}, found.broadcast)
            alike = found.in_place == other.in_place and _moves_alike(found.plan, other.plan, node.id)
            if alike and not _astray(other):
                found = other
    found = replace(found, few=tuple(few), index_key=index_key or None, operators=operators)
    if len(plan.nodes) == operators or found.plan.nodes[-1].exchange != (None,):
        return found
    return replace(found, plan=found.shown, placements=found.placements[:operators])


def _arranged(plan: DataflowPlan, key: Columns) -> DataflowPlan:
    """The plan with a node behind it that wants the rows of the output by the key."""
    number = len(plan.nodes)
    moved = Node(number, UnionOp(), (plan.output,), plan.schema, (key,))
    return replace(plan, nodes=(*plan.nodes, moved), output=number)


def _with_broadcast(plan: DataflowPlan, imports: frozenset[GlobalId]) -> Division:
    """With those of the imports broadcast that can be."""
    while True:
        found = _divided(plan, frozenset(), broadcast(plan, imports))
        if not (astray := _astray(found)):
            return found
        imports = found.broadcast.imports - astray


def _astray(division: Division) -> frozenset[GlobalId]:
    """Imports that are broadcast, and for which rows stay of which nobody knows where they lie: these would not be where their retractions
    are, nor their state anybody's."""
    plan, broadcast = division.plan, division.broadcast
    found: set[GlobalId] = set()
    for id_ in broadcast.beside:
        node = plan.nodes[id_]
        if any(i not in broadcast.nodes and not division.placements[i] for i in node.inputs):
            found |= kept_beside(plan, broadcast, node)
    return frozenset(found)


def _divided(plan: DataflowPlan, split: frozenset[int], broadcast: Broadcast) -> Division:
    dealt = _dealt(plan, split, broadcast)
    nodes: list[Node] = []
    lies: list[Placements] = []
    within: dict[int, tuple[Placements, ...]] = {}
    for node in plan:
        inputs = [lies[i] for i in node.inputs]
        here = node
        if node.id in broadcast.beside:
            here = replace(node, exchange=(None,) * len(inputs))
        elif node.id not in split:
            here = replace(node, exchange=_needed(node, plan, inputs))
        if isinstance(here.op, DividedIterateOp):
            op, within[node.id] = _loop(here.op, arriving(here, inputs))
            here = replace(here, op=op)
        nodes.append(here)
        lies.append(_NOWHERE if node.id in split else _placed(here, plan, inputs, dealt, within))
    in_place = (node.id for node in nodes if _counted_in_place(node, [lies[i] for i in node.inputs]))
    plan = replace(plan, nodes=tuple(nodes))
    return Division(plan, dealt, tuple(lies), within, split, frozenset(in_place), broadcast)


def _counted_in_place(node: Node, inputs: Sequence[Placements]) -> bool:
    """Whether rows of a reduction would move that lie so that whoever has one has all others of its group with the same DISTINCT value."""
    if not isinstance(node.op, ReduceOp) or not isinstance(node.exchange[0], tuple):
        return False
    arguments, keys = counts_distinct(node.op), range(node.op.keys)
    return bool(arguments) and all(
        any(columns and set(columns) <= {*keys, argument} for columns in inputs[0]) for argument in arguments
    )


def _opened(node: Node) -> Node:
    return opened(node) if isinstance(node.op, IterateOp) and divisible(node.op) else node


def _loop(
    op: DividedIterateOp, inputs: Sequence[Placements]
) -> tuple[DividedIterateOp, tuple[Placements, ...]]:
    """The loop with those exchanges only that move rows, whose inputs arrive so; and where the rows of its nodes lie."""
    graph = inside(op)
    lies = [_source(node, inputs) for node in op.nodes]
    moves: list[tuple[Exchange, ...]] = [() for _ in op.nodes]
    for node in op.nodes:
        if node.inputs:
            came = [lies[i] for i in node.inputs]
            moves[node.id] = _needed(node, graph, came)
            lies[node.id] = _placed(replace(node, exchange=moves[node.id]), graph, came, {}, {})
    nodes, results = list(op.nodes), list(op.results)
    for binding, result in enumerate(results):
        # Whether a row still changes at the limit is asked where all that there is of it is.
        if op.limit is not None and not op.return_at_limit and not lies[result]:
            results[binding] = len(nodes)
            every = tuple(range(len(nodes[result].schema)))
            nodes.append(Node(len(nodes), UnionOp(), (result,), nodes[result].schema, (every,)))
            moves.append((every,))
            lies.append(frozenset((every,)))
    for node in op.nodes:
        if isinstance(node.op, DividedFeedbackOp):
            by, places = node.op.by, lies[results[node.op.binding]]
            if by in places:
                by = None
            elif by is None and not places:  # what comes to nothing must meet, or it goes round for ever
                by = tuple(range(len(node.schema)))
            nodes[node.id] = replace(node, op=DividedFeedbackOp(node.op.binding, by))
    laid = replace(op, nodes=tuple(nodes), results=tuple(results), moves=tuple(moves))
    return laid, tuple(lies)


def _source(node: Node, inputs: Sequence[Placements]) -> Placements:
    """Where rows lie that enter a loop, or go round."""
    match node.op:
        case EnterOp(input=number):
            return inputs[number]
        case DividedFeedbackOp(by=by) if isinstance(by, tuple):
            return frozenset((by,))
        case _:
            return _NOWHERE


def _placements(
    plan: DataflowPlan, dealt: Mapping[GlobalId, Columns], within: Mapping[int, tuple[Placements, ...]]
) -> list[Placements]:
    """Of a plan that is divided, where no keys are split."""
    lies: list[Placements] = []
    for node in plan:
        lies.append(_placed(node, plan, [lies[i] for i in node.inputs], dealt, within))
    return lies


def _moves_alike(one: DataflowPlan, other: DataflowPlan, join: int) -> bool:
    """Whether the plans have the same exchanges, but for the join's own: what it has of an import moves in either, when the step begins or
    later."""
    for before, after in zip(one.nodes, other.nodes, strict=True):
        if before.id != join:
            if before.exchange != after.exchange or before.op != after.op:  # a loop has exchanges inside
                return False
            continue
        for i, by, then in zip(before.inputs, before.exchange, after.exchange, strict=True):
            source = one.nodes[i]
            if isinstance(source.op, Mfp):
                source = one.nodes[source.inputs[0]]
            if by != then and not isinstance(source.op, Import):
                return False
    return True


def _dealt(plan: DataflowPlan, split: frozenset[int], broadcast: Broadcast) -> dict[GlobalId, Columns]:
    """By import the columns by which most of its readers want its rows; none where all want them by expressions, or as they come, or
    what they come to, or may split keys: then they are sent from where they are read.  What is beside something broadcast wants only
    that equal rows are together."""
    wanted: dict[GlobalId, Counter[Columns]] = {}
    beside: dict[GlobalId, Columns] = {}
    for node in plan:
        if adds_up(node.op) or node.id in split:
            continue
        for i, by in zip(node.inputs, node.exchange, strict=True):
            if node.id in broadcast.beside:
                if (all_ := _of_import(plan, i, tuple(range(len(plan.nodes[i].schema))))) is not None:
                    beside.setdefault(*all_)
            elif isinstance(by, tuple) and (found := _of_import(plan, i, by)) is not None:
                id_, columns = found
                if len(columns) == len(by):
                    wanted.setdefault(id_, Counter())[columns] += 1
    dealt = beside | {id_: counts.most_common(1)[0][0] for id_, counts in wanted.items()}
    return {id_: columns for id_, columns in dealt.items() if id_ not in broadcast.imports}


def _of_import(plan: DataflowPlan, at: int, columns: Columns) -> tuple[GlobalId, Columns] | None:
    """The import whose rows a node has, as they are or mapped and filtered, and those of the columns that are columns of it; None if it has
    others, or none of these."""
    source = plan.nodes[at]
    if isinstance(source.op, Mfp):
        width = len(plan.input_schemas(source)[0])
        columns = tuple(c for c in (source.op.projection[c] for c in columns) if c < width)
        source = plan.nodes[source.inputs[0]]
    return (source.op.id, columns) if isinstance(source.op, Import) and columns else None


def _needed(node: Node, plan: DataflowPlan, inputs: Sequence[Placements]) -> tuple[Exchange, ...]:
    match node.op:
        case JoinOp() as op:
            return _of_join(op, node, plan, inputs)
        case ReduceOp() | DistinctOp() | ThresholdOp() | TopKOp() | WindowOp() | AssertSingleOp():
            (by,) = node.exchange
            together = any(_keeps_together(columns, by) for columns in inputs[0])
            return (None if together else by,)
        case _:
            # A stream meets an arrangement's rows where these lie: by exactly the key.
            return tuple(
                None if by in places else by for by, places in zip(node.exchange, inputs, strict=True)
            )


def _keeps_together(columns: Columns, by: Exchange) -> bool:
    """Whether rows that lie by `columns` are in one place if they agree in `by`.  All rows in one part are, but then the work of
    a key is one part's; so they are dealt out again where they can be."""
    return isinstance(by, tuple) and (set(columns) <= set(by) if columns else not by)


def _of_join(
    op: JoinOp, node: Node, plan: DataflowPlan, inputs: Sequence[Placements]
) -> tuple[Exchange, ...]:
    """Both sides lie by the same of the keys' columns: of all of them, or of those by which a side lies already."""
    pairs = list(zip(op.left_key, op.right_key, strict=True))
    if not pairs:  # all of them are in one place, or get there
        return tuple(None if by in places else by for by, places in zip(node.exchange, inputs, strict=True))
    if not _alike(plan, node, pairs):
        return node.exchange
    lefts = {way: columns for columns in inputs[0] if (way := _within(columns, op.left_key))}
    rights = {way: columns for columns in inputs[1] if (way := _within(columns, op.right_key))}
    if lefts.keys() & rights.keys():
        return None, None
    if lefts:
        way = max(lefts, key=lambda way: (len(way), way))
        return None, tuple(op.right_key[i] for i in way)
    if rights:
        way = max(rights, key=lambda way: (len(way), way))
        return tuple(op.left_key[i] for i in way), None
    return node.exchange


def _within(columns: Columns, key: Columns) -> Columns | None:
    """The positions in the key of all the columns; None when the key has not all of them, or there are none."""
    return tuple(map(key.index, columns)) if columns and set(columns) <= set(key) else None


def _alike(plan: DataflowPlan, node: Node, pairs: Sequence[tuple[int, int]]) -> bool:
    """Whether equal keys of both sides have equal hashes, column by column."""
    left, right = plan.input_schemas(node)
    return all(left[i].type == right[j].type for i, j in pairs)


def arriving(node: Node, inputs: Sequence[Placements]) -> list[Placements]:
    """By which columns the rows of each input lie when they have arrived at a node of a divided plan, from where they lay before."""
    return [
        places if by is None else frozenset((by,)) if isinstance(by, tuple) else _NOWHERE
        for by, places in zip(node.exchange, inputs, strict=True)
    ]


def _placed(
    node: Node,
    plan: DataflowPlan,
    inputs: Sequence[Placements],
    dealt: Mapping[GlobalId, Columns],
    within: Mapping[int, tuple[Placements, ...]],
) -> Placements:
    """By which columns of its output the rows of a node lie; `within` has where they do inside loops."""
    if isinstance(node.op, Import):
        return frozenset((dealt[node.op.id],)) if node.op.id in dealt else _NOWHERE
    if isinstance(node.op, DividedIterateOp):
        outputs = node.op.outputs
        return within[node.id][node.op.results[outputs[0]]] if len(outputs) == 1 else _NOWHERE
    came = arriving(node, inputs)
    if isinstance(node.op, ConstantOp) or (came and all(() in places for places in came)):
        return frozenset(((),))
    match node.op:
        case Mfp(projection=kept):
            return _projected(came[0], kept)
        case FlatMapOp(kept=kept):
            return _projected(came[0], kept)
        case WindowOp(width=width):
            return frozenset(columns for columns in came[0] if all(c < width for c in columns))
        case ReduceOp(keys=keys):
            return frozenset(columns for columns in came[0] if all(c < keys for c in columns))
        case UnionOp():
            return frozenset.intersection(*came)
        case JoinOp(kind=kind):
            width = len(plan.input_schemas(node)[0])
            left, right = came[0], frozenset(tuple(width + c for c in columns) for columns in came[1])
            match kind:
                case JoinKind.INNER:
                    return left | right
                case JoinKind.LEFT | JoinKind.SEMI | JoinKind.ANTI:
                    return left
                case JoinKind.RIGHT:
                    return right
                case _:
                    return _NOWHERE
        case LookupOp():
            width = len(plan.input_schemas(node)[0])
            return came[0] | frozenset(tuple(width + c for c in columns) for columns in came[1])
        case (
            NegateOp()
            | ArrangeOp()
            | DistinctOp()
            | ThresholdOp()
            | TopKOp()
            | AssertSingleOp()
            | TemporalFilterOp()
        ):
            return came[0]
        case _:
            return _NOWHERE


def _projected(lies: Placements, kept: Columns) -> Placements:
    """Of a column that is kept several times, rows lie by the first copy and by the last, which is where the key of an index is."""
    first = {c: i for i, c in reversed(list(enumerate(kept)))}
    last = {c: i for i, c in enumerate(kept)}
    return frozenset(
        tuple(at[c] for c in columns) for columns in lies if set(columns) <= set(kept) for at in (first, last)
    )
