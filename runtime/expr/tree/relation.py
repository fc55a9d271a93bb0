"""Relation algebra: what a query means, independent of how it is maintained.

A tree of frozen nodes; every node knows its schema.  Semantics are those of SQL multisets: a collection maps
rows to multiplicities.  NULL keys match nothing in a join (unless `null_safe`) and form one group in a Reduce.
`sql/` builds these trees, `transform/` rewrites them, `compute/lower` turns them into operators.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ...repr.schema import Column, Schema
from ...repr.types import INT8, ScalarType
from .derived_schema import DerivedSchema
from .scalar import Literal, Scalar
from .windows import DEFAULT_FRAME, Frame

GlobalId = str
"""Identity of a catalog object for life: `u12` for a user's, `s3` for a system relation.  Names may change."""


@dataclass(frozen=True, slots=True)
class Get:
    """The current contents of a catalog object."""

    id: GlobalId
    schema: Schema


@dataclass(frozen=True, slots=True)
class Changes(Get):
    """What has changed in the stored `object`, a row each: its columns, when, and how many more rows there were.

    `bounds` are nothing, or the first and the last time that is asked for (see `sql.query.as_of`).  In one-off queries only, where
    `id` is its own in the query.
    """

    object: GlobalId = ""
    bounds: tuple[Scalar, ...] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    """Literal rows (VALUES); a row may repeat."""

    rows: tuple[tuple[Any, ...], ...]
    schema: Schema


@dataclass(frozen=True, slots=True)
class Map(DerivedSchema):
    """Appends one column per scalar; a later scalar does not see an earlier one."""

    input: Relation
    scalars: tuple[Scalar, ...]
    names: tuple[str, ...]

    def derive_schema(self) -> Schema:
        added = tuple(
            Column(name, scalar.type, scalar.nullable)
            for name, scalar in zip(self.names, self.scalars, strict=True)
        )
        return Schema(self.input.schema.columns + added)


@dataclass(frozen=True, slots=True)
class Filter(DerivedSchema):
    """Rows on which every predicate is TRUE; an error in a predicate is an error of the collection,
    unless another predicate is FALSE on that row."""

    input: Relation
    predicates: tuple[Scalar, ...]

    def derive_schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True, slots=True)
class Project(DerivedSchema):
    """The input's columns at `indices`, renamed where `names` is given."""

    input: Relation
    indices: tuple[int, ...]
    names: tuple[str, ...] | None = None

    def derive_schema(self) -> Schema:
        schema = self.input.schema.project(self.indices)
        if self.names is None:
            return schema
        return Schema(tuple(column.named(name) for column, name in zip(schema, self.names, strict=True)))


class JoinKind(enum.Enum):
    INNER = "inner"
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"
    SEMI = "semi"  # left rows with a match; the output is the left input's columns
    ANTI = "anti"  # left rows without a match


@dataclass(frozen=True, slots=True)
class Join(DerivedSchema):
    """Rows that agree on the keys and on which every `residual` predicate is TRUE.

    `left_keys[i] = right_keys[i]`, of equal types, each an expression over its own side; no keys is a cross
    join.  `residual` is over the left columns followed by the right ones.  With `null_safe`, NULL equals NULL.
    """

    left: Relation
    right: Relation
    kind: JoinKind
    left_keys: tuple[Scalar, ...]
    right_keys: tuple[Scalar, ...]
    residual: tuple[Scalar, ...] = ()
    null_safe: bool = False

    def derive_schema(self) -> Schema:
        left, right = self.left.schema.columns, self.right.schema.columns
        if self.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return self.left.schema
        if self.kind in (JoinKind.RIGHT, JoinKind.FULL):
            left = tuple(column.or_null() for column in left)
        if self.kind in (JoinKind.LEFT, JoinKind.FULL):
            right = tuple(column.or_null() for column in right)
        return Schema(left + right)


@dataclass(frozen=True, slots=True)
class ScalarOrder:
    """One sort key: an expression."""

    scalar: Scalar
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate of a Reduce.

    `function` is one of AGGREGATES (expr/functions/aggregates.py); `argument` is None for `count(*)` and for those that
    aggregate what they are ordered by (`WITHIN GROUP`); rows on which `filter` is not TRUE do not count; with
    `distinct`, equal arguments count once.  `rest` are the arguments after the first, `order` is the ORDER BY of
    the call (ties fall to the total order of the arguments), `direct` the constants of an ordered-set aggregate.
    """

    function: str
    argument: Scalar | None
    type: ScalarType
    name: str
    distinct: bool = False
    filter: Scalar | None = None
    nullable: bool = True
    rest: tuple[Scalar, ...] = ()
    order: tuple[ScalarOrder, ...] = ()
    direct: tuple[Literal, ...] = ()

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All expressions over the input's columns."""
        first = () if self.argument is None else (self.argument,)
        condition = () if self.filter is None else (self.filter,)
        return (*first, *self.rest, *(key.scalar for key in self.order), *condition)

    def mapped(self, change: Callable[[Scalar], Scalar]) -> Aggregate:
        """The same aggregate with `change` applied to each of `scalars`."""
        return replace(
            self,
            argument=None if self.argument is None else change(self.argument),
            filter=None if self.filter is None else change(self.filter),
            rest=tuple(change(scalar) for scalar in self.rest),
            order=tuple(replace(key, scalar=change(key.scalar)) for key in self.order),
        )


@dataclass(frozen=True, slots=True)
class Reduce(DerivedSchema):
    """One row per group: the keys, then the aggregates.

    Without keys and without `scalar`, an empty input has no row; with `scalar` (an aggregate query without
    GROUP BY) it has one row always.
    """

    input: Relation
    keys: tuple[Scalar, ...]
    key_names: tuple[str, ...]
    aggregates: tuple[Aggregate, ...]
    scalar: bool = False

    def derive_schema(self) -> Schema:
        keys = tuple(
            Column(name, key.type, key.nullable) for name, key in zip(self.key_names, self.keys, strict=True)
        )
        return Schema(keys + tuple(Column(a.name, a.type, a.nullable) for a in self.aggregates))


@dataclass(frozen=True, slots=True)
class Distinct(DerivedSchema):
    """Every row that occurs, once."""

    input: Relation

    def derive_schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True, slots=True)
class OrderBy:
    """One sort key: a column of the input by position."""

    index: int
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class TopK(DerivedSchema):
    """Per group of equal `group` columns: the rows `[offset, offset + limit)` in the given order.

    Ties are broken by the total order of whole rows, so that the answer is a function of the multiset.
    `limit` None keeps everything past `offset`.  DISTINCT ON is a TopK, and so is what `row_number() <= k` keeps.
    """

    input: Relation
    group: tuple[int, ...]
    order: tuple[OrderBy, ...]
    limit: int | None
    offset: int = 0

    def derive_schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True, slots=True)
class WindowCall:
    """One function of a Window: of WINDOW_FUNCTIONS or AGGREGATES, over scalars of the input.

    Rows on which `filter` is not TRUE do not count for an aggregate.  Functions that do not look at the frame
    ignore it.  `ignore_nulls`: a function of NULLS_IGNORED passes over rows on which its first argument is NULL.
    """

    function: str
    args: tuple[Scalar, ...]
    type: ScalarType
    name: str
    frame: Frame = DEFAULT_FRAME
    filter: Scalar | None = None
    nullable: bool = True
    ignore_nulls: bool = False

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """All expressions over the input's columns."""
        return self.args if self.filter is None else (*self.args, self.filter)

    def mapped(self, change: Callable[[Scalar], Scalar]) -> WindowCall:
        """The same call with `change` applied to each of `scalars`."""
        condition = None if self.filter is None else change(self.filter)
        return replace(self, args=tuple(change(arg) for arg in self.args), filter=condition)


@dataclass(frozen=True, slots=True)
class Window(DerivedSchema):
    """Every row of the input, a column per call behind its own.

    Rows with equal `partition` columns make a partition.  Ties of `order` fall to the total order of whole rows,
    so that the answer is a function of the multiset; a row of multiplicity m is m rows, peers of one another.
    """

    input: Relation
    partition: tuple[int, ...]
    order: tuple[OrderBy, ...]
    calls: tuple[WindowCall, ...]

    def derive_schema(self) -> Schema:
        added = tuple(Column(call.name, call.type, call.nullable) for call in self.calls)
        return Schema(self.input.schema.columns + added)


@dataclass(frozen=True, slots=True)
class Union:
    """UNION ALL: multiplicities add.  All inputs have the column types of `schema`."""

    inputs: tuple[Relation, ...]
    schema: Schema


@dataclass(frozen=True, slots=True)
class Negate(DerivedSchema):
    """Multiplicities change sign; only inside a Threshold or a Union."""

    input: Relation

    def derive_schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True, slots=True)
class Threshold(DerivedSchema):
    """Rows with a negative multiplicity vanish (EXCEPT ALL, INTERSECT ALL)."""

    input: Relation

    def derive_schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True, slots=True)
class AssertSingle(DerivedSchema):
    """The input, with error 21000 for every group of equal `group` columns that has more than one row.

    The guard of a scalar subquery: `group` are the columns of the outer query that it depends on.
    """

    input: Relation
    group: tuple[int, ...]

    def derive_schema(self) -> Schema:
        return self.input.schema


@dataclass(frozen=True, slots=True)
class TableCall:
    """One call of a table function: for a row, the values of one column.

    `function` is one of TABLE_FUNCTIONS (expr/tables/table_functions.py); `type` and `nullable` are those of its values.
    """

    function: str
    args: tuple[Scalar, ...]
    type: ScalarType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class FlatMap(DerivedSchema):
    """For every row of the input, as many rows as the longest of `calls` has values.

    A row is the input's columns at `kept`, then one value of each call in step, NULL where a call has run out, then
    with `ordinality` its number from 1 on.  With `outer`, a row for which no call has a value is there once, with
    NULLs.  `names` are those of the added columns.
    """

    input: Relation
    calls: tuple[TableCall, ...]
    names: tuple[str, ...]
    kept: tuple[int, ...]
    ordinality: bool = False
    outer: bool = False

    def derive_schema(self) -> Schema:
        padded = self.outer or len(self.calls) > 1
        added = [
            Column(name, call.type, call.nullable or padded)
            for name, call in zip(self.names, self.calls, strict=False)
        ]
        if self.ordinality:
            added.append(Column(self.names[-1], INT8, self.outer))
        return Schema(self.input.schema.project(self.kept).columns + tuple(added))


@dataclass(frozen=True, slots=True)
class LocalGet:
    """A binding of an enclosing LetRec, as it stands when it is read: empty in the first iteration.

    Ids are scoped lexically: an inner LetRec that binds the same id hides the outer one.
    """

    id: str
    schema: Schema


@dataclass(frozen=True, slots=True)
class Binding:
    """`id` stands for `value` wherever `LocalGet(id)` reads it; column types of both are equal."""

    id: str
    value: Relation


@dataclass(frozen=True, slots=True)
class LetRec(DerivedSchema):
    """The rows of `body` once `bindings` have reached a fixpoint (WITH MUTUALLY RECURSIVE).

    All bindings are empty at first.  An iteration computes them in their order: a reference to an earlier one sees
    what it is now, one to itself or to a later one what it was after the iteration before.  That goes on until an
    iteration changes nothing.  With `limit`, there are at most so many iterations: then `return_at_limit` takes what
    is there; without it, a change in the last one is an error of the collection (54000).
    """

    bindings: tuple[Binding, ...]
    body: Relation
    limit: int | None = None
    return_at_limit: bool = False

    def derive_schema(self) -> Schema:
        return self.body.schema


Relation = (
    Get
    | Constant
    | Map
    | Filter
    | Project
    | Join
    | Reduce
    | Distinct
    | TopK
    | Window
    | Union
    | Negate
    | Threshold
    | AssertSingle
    | FlatMap
    | LocalGet
    | LetRec
)


@dataclass(frozen=True, slots=True)
class Finishing:
    """What happens to the rows of a one-off query after it is computed: order, cut, then project.

    `order` refers to columns of the relation; `indices` are the columns that the client sees.
    """

    order: tuple[OrderBy, ...]
    limit: int | None
    offset: int
    indices: tuple[int, ...]
