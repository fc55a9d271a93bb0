"""Lineage of a plan's columns.

It is read off the relation as it was resolved, where no rule has moved anything: what a query says is what is found.  A column is made
of input columns as a `copy` or by a `transform` (casts and aggregates, too), or `window` says that it depends on where a row stands among
others.  Which rows there are follows from input columns by a `filter` (semijoins, too), a `join`, a `group` (DISTINCT, too) or an
`order` with a limit (ties fall to the other columns, which is not counted).  Those hold for the whole relation.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

from ..expr.tree.relation import (
    AssertSingle,
    Constant,
    Distinct,
    Filter,
    Finishing,
    FlatMap,
    Get,
    GlobalId,
    Join,
    JoinKind,
    LetRec,
    LocalGet,
    Map,
    Negate,
    Project,
    Reduce,
    Relation,
    Threshold,
    TopK,
    Union,
    Window,
)
from ..expr.tree.scalar import ColumnRef, Scalar, columns_of


class Kind(enum.Enum):
    """How an output depends on an input; the first three are of columns, the others of rows."""

    COPY = "copy"
    TRANSFORM = "transform"
    WINDOW = "window"
    FILTER = "filter"
    JOIN = "join"
    GROUP = "group"
    ORDER = "order"


@dataclass(frozen=True, slots=True, order=True)
class Field:
    """A column of an input, by its place."""

    relation: GlobalId
    column: int


Inputs = Mapping[Field, frozenset[Kind]]

_NONE: Inputs = {}


@dataclass(frozen=True, slots=True)
class Lineage:
    """`columns` has an entry for each of the relation's; `rows` is of all of them."""

    columns: tuple[Inputs, ...]
    rows: Inputs = field(default_factory=dict)

    def project(self, indices: Iterable[int]) -> Lineage:
        return Lineage(tuple(self.columns[i] for i in indices), self.rows)

    def ordered(self, indices: Iterable[int]) -> Lineage:
        """Of the first rows in the order of these columns."""
        return Lineage(self.columns, _merged(self.rows, self.of_columns(indices, Kind.ORDER)))

    def of_columns(self, indices: Iterable[int], kind: Kind) -> Inputs:
        """All that these columns are made of, as inputs of a kind."""
        return {found: frozenset((kind,)) for index in indices for found in self.columns[index]}

    def with_rows(self, scalars: Iterable[Scalar], kind: Kind) -> Lineage:
        indices = set[int]().union(*map(columns_of, scalars))
        return Lineage(self.columns, _merged(self.rows, self.of_columns(indices, kind)))

    def of_scalar(self, scalar: Scalar) -> Inputs:
        if isinstance(scalar, ColumnRef):
            return self.columns[scalar.index]
        return self.of_scalars((scalar,))

    def of_scalars(self, scalars: Iterable[Scalar]) -> Inputs:
        """Of what is computed of them."""
        indices = set[int]().union(*map(columns_of, scalars))
        found = _merged(*(self.columns[index] for index in sorted(indices)))
        return {place: (kinds - {Kind.COPY}) | {Kind.TRANSFORM} for place, kinds in found.items()}

    def of_other(self, old: GlobalId, new: GlobalId) -> Lineage:
        """With another relation, which has the same columns, in the place of `old`."""

        def inputs(some: Inputs) -> Inputs:
            return {
                Field(new, place.column) if place.relation == old else place: kinds
                for place, kinds in some.items()
            }

        return Lineage(tuple(map(inputs, self.columns)), inputs(self.rows))

    def to_json(self) -> list[Any]:
        """Of each column, then of the rows, a list of inputs."""
        return [_inputs_to_json(inputs) for inputs in (*self.columns, self.rows)]

    @staticmethod
    def from_json(value: list[Any]) -> Lineage:
        *columns, rows = map(_inputs_from_json, value)
        return Lineage(tuple(columns), rows)


def _inputs_to_json(inputs: Inputs) -> list[Any]:
    return [
        [place.relation, place.column, *sorted(kind.value for kind in kinds)]
        for place, kinds in inputs.items()
    ]


def _inputs_from_json(value: list[Any]) -> Inputs:
    return {
        Field(GlobalId(relation), column): frozenset(map(Kind, kinds)) for relation, column, *kinds in value
    }


def _merged(*inputs: Inputs) -> Inputs:
    found: dict[Field, frozenset[Kind]] = {}
    for some in inputs:
        for place, kinds in some.items():
            found[place] = found.get(place, frozenset()) | kinds
    return found


def lineage(relation: Relation) -> Lineage:
    return _lineage(relation, {})


def of_query(relation: Relation, finishing: Finishing) -> Lineage:
    """Of the columns that the client sees."""
    found = lineage(relation)
    if finishing.limit is not None or finishing.offset:
        found = found.ordered(key.index for key in finishing.order)
    return found.project(finishing.indices)


def _lineage(relation: Relation, bound: Mapping[str, Lineage]) -> Lineage:
    """`bound` are the bindings of recursions around it."""
    match relation:
        case Get(id=id_, schema=schema):
            return Lineage(tuple({Field(id_, i): frozenset((Kind.COPY,))} for i in range(len(schema))))
        case Constant(schema=schema):
            return Lineage((_NONE,) * len(schema))
        case LocalGet(id=id_):
            return bound[id_]
        case Map(input=child, scalars=scalars):
            below = _lineage(child, bound)
            return Lineage((*below.columns, *map(below.of_scalar, scalars)), below.rows)
        case Filter(input=child, predicates=predicates):
            return _lineage(child, bound).with_rows(predicates, Kind.FILTER)
        case Project(input=child, indices=indices):
            return _lineage(child, bound).project(indices)
        case Join():
            return _join(relation, bound)
        case Reduce():
            return _reduce(relation, bound)
        case Distinct(input=child):
            below = _lineage(child, bound)
            return Lineage(
                below.columns, _merged(below.rows, below.of_columns(range(len(below.columns)), Kind.GROUP))
            )
        case TopK(input=child, group=group, order=order):
            return _lineage(child, bound).ordered([*group, *(key.index for key in order)])
        case Window():
            return _window(relation, bound)
        case Union(inputs=children):
            return _union(children, bound)
        case Threshold(input=child):
            below = _lineage(child, bound)
            everything = below.of_columns(range(len(below.columns)), Kind.FILTER)
            return Lineage(below.columns, _merged(below.rows, everything))
        case Negate(input=child) | AssertSingle(input=child):
            return _lineage(child, bound)
        case FlatMap(input=child, calls=calls, kept=kept, ordinality=ordinality):
            below = _lineage(child, bound)
            arguments = [argument for call in calls for argument in call.args]
            added = [below.of_scalars(call.args) for call in calls]
            if ordinality:
                added.append(_NONE)
            widened = below.with_rows(arguments, Kind.JOIN)
            return Lineage((*(below.columns[i] for i in kept), *added), widened.rows)
        case LetRec():
            return _recursive(relation, bound)
        case _:
            assert_never(relation)


def _join(join: Join, bound: Mapping[str, Lineage]) -> Lineage:
    left, right = _lineage(join.left, bound), _lineage(join.right, bound)
    both = Lineage(left.columns + right.columns, _merged(left.rows, right.rows))
    one_sided = join.kind in (JoinKind.SEMI, JoinKind.ANTI)
    kind = Kind.FILTER if one_sided else Kind.JOIN
    rows = _merged(
        both.rows,
        left.with_rows(join.left_keys, kind).rows,
        right.with_rows(join.right_keys, kind).rows,
        both.with_rows(join.residual, kind).rows,
    )
    return Lineage(left.columns if one_sided else both.columns, rows)


def _reduce(reduce: Reduce, bound: Mapping[str, Lineage]) -> Lineage:
    below = _lineage(reduce.input, bound)
    keys = tuple(below.of_scalar(key) for key in reduce.keys)
    aggregates = tuple(below.of_scalars(aggregate.scalars) for aggregate in reduce.aggregates)
    return Lineage(keys + aggregates, below.with_rows(reduce.keys, Kind.GROUP).rows)


def _window(window: Window, bound: Mapping[str, Lineage]) -> Lineage:
    """What a call looks at beside its arguments is where the row stands."""
    below = _lineage(window.input, bound)
    among = below.of_columns([*window.partition, *(key.index for key in window.order)], Kind.WINDOW)
    calls = tuple(_merged(below.of_scalars(call.scalars), among) for call in window.calls)
    return Lineage(below.columns + calls, below.rows)


def _union(children: Sequence[Relation], bound: Mapping[str, Lineage]) -> Lineage:
    """Rows that are taken away (EXCEPT) give no values."""
    columns: list[Inputs] | None = None
    rows: Inputs = {}
    for child in children:
        found = _lineage(child, bound)
        rows = _merged(rows, found.rows)
        if isinstance(child, Negate):
            rows = _merged(rows, found.of_columns(range(len(found.columns)), Kind.FILTER))
        elif columns is None:
            columns = list(found.columns)
        else:
            columns = [_merged(one, other) for one, other in zip(columns, found.columns, strict=True)]
    width = len(children[0].schema)
    return Lineage(tuple(columns) if columns is not None else (_NONE,) * width, rows)


def _recursive(recursion: LetRec, bound: Mapping[str, Lineage]) -> Lineage:
    """What a binding is made of follows from what it was made of before: until that is all."""
    empty = {b.id: Lineage((_NONE,) * len(b.value.schema)) for b in recursion.bindings}
    known: dict[str, Lineage] = {**bound, **empty}
    changed = True
    while changed:
        changed = False
        for binding in recursion.bindings:
            found = _lineage(binding.value, known)
            if found != known[binding.id]:
                known[binding.id] = found
                changed = True
    return _lineage(recursion.body, known)
