"""Random relations over two base tables: what the tests of whole dataflows run on."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from random import Random

from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import And, Case, Cast, Coalesce, ColumnRef, Literal, NowCompare, Or, Scalar
from ptvc.expr.tree.windows import DEFAULT_FRAME, Bound, BoundKind, Frame, FrameUnit
from ptvc.repr.schema import Schema
from ptvc.repr.types import BOOL, FLOAT8, INT4, INT8, TEXT, Kind, ScalarType, derived_numeric

from .histories import schema_of
from .reference import Row

NUMBER = ScalarType(Kind.NUMERIC, 10, 2)
TABLES: dict[str, Schema] = {
    "u1": schema_of(INT4, TEXT, FLOAT8, INT4),
    "u2": schema_of(INT4, NUMBER, BOOL, TEXT),
}
_BOUNDS = (
    (Bound(BoundKind.UNBOUNDED_PRECEDING), Bound(BoundKind.CURRENT)),
    (Bound(BoundKind.PRECEDING, Literal(2, INT8)), Bound(BoundKind.CURRENT)),
    (Bound(BoundKind.PRECEDING, Literal(1, INT8)), Bound(BoundKind.FOLLOWING, Literal(1, INT8))),
    (Bound(BoundKind.CURRENT), Bound(BoundKind.UNBOUNDED_FOLLOWING)),
)
_VALUES: dict[ScalarType, tuple[object, ...]] = {
    INT4: (None, 0, 1, 2, 3, -7),
    INT8: (None, 0, 1, 2, 10),
    TEXT: (None, "", "a", "b", "ab"),
    FLOAT8: (None, 0.5, 1.25, -3.0, 1e300, -1e300, 0.1),
    NUMBER: (None, Decimal("0.50"), Decimal("1.25"), Decimal("-3.00")),
    BOOL: (None, True, False),
}


_FUNCTIONS = (
    "count", "count", "sum", "min", "max", "bool_and", "bool_or", "var_pop", "stddev", "bit_xor", "bit_and",
    "any_value", "string_agg", "mode", "percentile_disc", "rank",
)  # fmt: skip


_WINDOWED = _FUNCTIONS[: _FUNCTIONS.index("any_value")]
"""Those that windows have too."""


def random_row(random: Random, schema: Schema) -> Row:
    return tuple(random.choice(_VALUES[column.type]) for column in schema)


class Views:
    """Draws relations.  `joins` bounds how many joins one view may have, as the reference is quadratic in each;
    `loops` how many recursions, each of which stops after a few iterations, as nothing says that it converges;
    `temporal`: some filters are bounds on the time."""

    def __init__(self, random: Random, joins: int = 2, loops: int = 0, *, temporal: bool = False) -> None:
        self._random = random
        self._joins = joins
        self._temporal = temporal
        self._loops = loops
        self._bound: list[r.LocalGet] = []
        self._named = 0

    def relation(self, depth: int) -> r.Relation:
        random = self._random
        if self._bound and random.random() < (0.7 if depth == 0 else 0.1):
            return random.choice(self._bound)
        if depth == 0:
            id_ = random.choice(sorted(TABLES))
            return r.Get(id_, TABLES[id_])
        kinds = [
            self._map,
            self._filter,
            self._project,
            self._reduce,
            self._reduce,
            self._distinct,
            self._top_k,
            self._flat_map,
            self._window,
            self._union,
            self._except,
        ]
        if self._joins > 0:
            kinds += [self._join] * 3
        if self._loops > 0:
            kinds += [self.let_rec] * 2
        return random.choice(kinds)(depth - 1)

    def _column(self, schema: Schema, types: Sequence[ScalarType] | None = None) -> ColumnRef | None:
        fitting = [
            ColumnRef(i, column.type, column.nullable)
            for i, column in enumerate(schema)
            if types is None or column.type in types
        ]
        return self._random.choice(fitting) if fitting else None

    def scalar(self, schema: Schema) -> Scalar:
        """An expression that cannot fail."""
        random = self._random
        column = self._column(schema)
        assert column is not None
        number = self._column(schema, (INT4,))
        if number is not None and random.random() < 0.4:
            small = Case(
                ((resolve_call("lt", (number, Literal(100, INT4))), number),), Literal(None, INT4), INT4
            )
            return resolve_call("add", (small, Literal(random.randrange(3), INT4)))
        if random.random() < 0.3:
            return Coalesce((column, column), column.type)
        return column

    def predicate(self, schema: Schema) -> Scalar:
        random = self._random
        draw = random.random()
        if draw < 0.2:
            parts = (self.predicate(schema), self.predicate(schema))
            return random.choice((And, Or))(parts)
        truth = self._column(schema, (BOOL,))
        if truth is not None and draw < 0.4:
            return truth
        column = self._column(schema, (INT4, TEXT, NUMBER))
        if column is None:
            return Literal(True, BOOL)
        other = self._column(schema, (column.type,)) if draw < 0.6 else None
        value = random.choice([v for v in _VALUES[column.type] if v is not None])
        function = random.choice(("eq", "ne", "lt", "le", "gt", "ge"))
        return resolve_call(function, (column, other or Literal(value, column.type)))

    def _map(self, depth: int) -> r.Relation:
        child = self.relation(depth)
        scalars = tuple(self.scalar(child.schema) for _ in range(self._random.randint(1, 2)))
        return r.Map(child, scalars, tuple(f"map_{i}" for i in range(len(scalars))))

    def _filter(self, depth: int) -> r.Relation:
        child = self.relation(depth)
        bounds = self._bounds(child.schema) if self._temporal else ()
        least = 0 if bounds else 1
        return r.Filter(
            child, (*bounds, *(self.predicate(child.schema) for _ in range(self._random.randint(least, 2))))
        )

    def _bounds(self, schema: Schema) -> tuple[Scalar, ...]:
        random = self._random
        column = self._column(schema, (INT4, INT8))
        if column is None:
            return ()
        bound = column if column.type == INT8 else Cast(column, INT8)
        return tuple(
            NowCompare(random.choice(("eq", "lt", "le", "gt", "ge")), bound)
            for _ in range(random.choice((1, 1, 2)))
        )

    def _project(self, depth: int) -> r.Relation:
        child = self.relation(depth)
        width = len(child.schema)
        indices = tuple(self._random.randrange(width) for _ in range(self._random.randint(1, width)))
        return r.Project(child, indices)

    def _distinct(self, depth: int) -> r.Relation:
        return r.Distinct(self.relation(depth))

    def _join(self, depth: int) -> r.Relation:
        self._joins -= 1
        random = self._random
        left, right = self.relation(depth), self.relation(min(depth, 1))
        pairs: list[tuple[Scalar, Scalar]] = []
        for _ in range(random.choice((0, 1, 1, 1, 2))):
            left_key = self._column(left.schema)
            assert left_key is not None
            right_key = self._column(right.schema, (left_key.type,))
            if right_key is not None:
                pairs.append((left_key, right_key))
        both = Schema(left.schema.columns + right.schema.columns)
        residual = (self.predicate(both),) if random.random() < 0.3 else ()
        left_keys, right_keys = tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)
        kind = random.choice(list(r.JoinKind))
        return r.Join(left, right, kind, left_keys, right_keys, residual, random.random() < 0.3)

    def _aggregate(self, schema: Schema, index: int, functions: Sequence[str] = _FUNCTIONS) -> r.Aggregate:
        random = self._random
        name = f"aggregate_{index}"
        condition = self.predicate(schema) if random.random() < 0.3 else None
        column = self._column(schema)
        function = random.choice(functions)
        if function == "sum":
            column = self._column(schema, (INT4, INT8, FLOAT8, NUMBER))
        elif function in ("var_pop", "stddev"):
            column = self._column(schema, (INT4, INT8, NUMBER))
        elif function in ("bit_and", "bit_xor"):
            column = self._column(schema, (INT4, INT8))
        elif function in ("bool_and", "bool_or"):
            column = self._column(schema, (BOOL,))
        elif function in ("min", "max", "any_value"):
            column = self._column(schema, (INT4, INT8, FLOAT8, NUMBER, TEXT))
        elif function in ("string_agg", "mode", "percentile_disc", "rank"):
            return self._whole_group(schema, function, name, condition)
        if column is None or (function == "count" and random.random() < 0.4):
            return r.Aggregate("count", None, INT8, name, filter=condition, nullable=False)
        _, result = resolve_aggregate(function, column.type)
        return r.Aggregate(function, column, result, name, random.random() < 0.3, condition)

    def _whole_group(self, schema: Schema, function: str, name: str, condition: Scalar | None) -> r.Aggregate:
        """Falls back to count(*) where no column fits."""
        random = self._random
        column = self._column(schema, (TEXT,) if function == "string_agg" else (INT4, TEXT, NUMBER))
        if column is None:
            return r.Aggregate("count", None, INT8, name, filter=condition, nullable=False)
        order = (r.ScalarOrder(column, random.random() < 0.5, random.random() < 0.5),)
        if function == "string_agg":
            other = self._column(schema)
            assert other is not None
            if random.random() < 0.5:
                order = (r.ScalarOrder(other, random.random() < 0.5),)
            rest = (Literal("|", TEXT),)
            return r.Aggregate(function, column, TEXT, name, filter=condition, rest=rest, order=order)
        direct: tuple[Literal, ...] = ()
        type_ = column.type if column.type != NUMBER else derived_numeric(2)
        if function == "percentile_disc":
            direct = (Literal(random.choice((0.0, 0.3, 1.0)), FLOAT8),)
        elif function == "rank":
            direct, type_ = (Literal(random.choice(_VALUES[column.type]), column.type),), INT8
        return r.Aggregate(
            function,
            None,
            type_,
            name,
            filter=condition,
            nullable=function != "rank",
            order=order,
            direct=direct,
        )

    def _reduce(self, depth: int) -> r.Relation:
        random = self._random
        child = self.relation(depth)
        keys = tuple(self.scalar(child.schema) for _ in range(random.choice((0, 1, 1, 1, 2))))
        aggregates = tuple(
            self._aggregate(child.schema, i) for i in range(random.randint(0 if keys else 1, 4))
        )
        names = tuple(f"key_{i}" for i in range(len(keys)))
        return r.Reduce(child, keys, names, aggregates, scalar=not keys and random.random() < 0.7)

    def _top_k(self, depth: int) -> r.Relation:
        random = self._random
        child = self.relation(depth)
        columns = list(range(len(child.schema)))
        group = tuple(random.sample(columns, random.randrange(min(2, len(columns)) + 1)))
        order = tuple(
            r.OrderBy(i, random.random() < 0.5, random.random() < 0.5)
            for i in random.sample(columns, random.randint(0, min(2, len(columns))))
        )
        return r.TopK(child, group, order, random.choice((None, 0, 1, 2, 3)), random.choice((0, 0, 1)))

    def _flat_map(self, depth: int) -> r.Relation:
        """Few rows for each: bounds are small, or NULL."""
        random = self._random
        child = self.relation(depth)
        calls = []
        for _ in range(random.choice((1, 1, 2))):
            number, text = self._column(child.schema, (INT4,)), self._column(child.schema, (TEXT,))
            if number is not None and random.random() < 0.7:
                low = resolve_call("lt", (number, Literal(4, INT4)))
                last = Case(((low, number),), Literal(None, INT4), INT4)
                calls.append(r.TableCall("generate_series", (Literal(1, INT4), last), INT4, False))
            elif text is not None:
                delimiter = Literal(random.choice(("a", "", None)), TEXT)
                calls.append(r.TableCall("string_to_table", (text, delimiter), TEXT, False))
            else:
                calls.append(r.TableCall("once", (Literal(7, INT4),), INT4, False))
        width = len(child.schema)
        kept = tuple(sorted(random.sample(range(width), random.randrange(width + 1))))
        ordinality = random.random() < 0.5
        names = tuple(f"value_{i}" for i in range(len(calls) + ordinality))
        return r.FlatMap(child, tuple(calls), names, kept, ordinality, random.random() < 0.3)

    def _window(self, depth: int) -> r.Relation:
        random = self._random
        child = self.relation(depth)
        columns = list(range(len(child.schema)))
        partition = tuple(random.sample(columns, random.randrange(min(2, len(columns)) + 1)))
        order = tuple(
            r.OrderBy(i, random.random() < 0.5, random.random() < 0.5)
            for i in random.sample(columns, random.randint(0, min(2, len(columns))))
        )
        calls = tuple(self._window_call(child.schema, i) for i in range(random.randint(1, 2)))
        return r.Window(child, partition, order, calls)

    def _window_call(self, schema: Schema, index: int) -> r.WindowCall:
        random = self._random
        name = f"window_{index}"
        function = random.choice(
            ("row_number", "rank", "dense_rank", "lag", "lead", "first_value", "sum", "sum")
        )
        if function in ("row_number", "rank", "dense_rank"):
            return r.WindowCall(function, (), INT8, name, nullable=False)
        if function in ("lag", "lead"):
            column = self.scalar(schema)
            return r.WindowCall(function, (column, Literal(random.randrange(3), INT4)), column.type, name)
        start, end = random.choice(_BOUNDS)
        frame = Frame(random.choice((FrameUnit.ROWS, FrameUnit.ROWS, FrameUnit.RANGE)), start, end)
        if frame.unit is FrameUnit.RANGE:
            frame = DEFAULT_FRAME
        if function == "first_value":
            column = self.scalar(schema)
            return r.WindowCall(function, (column,), column.type, name, frame)
        aggregate = self._aggregate(schema, index, _WINDOWED)
        args = () if aggregate.argument is None else (aggregate.argument,)
        return r.WindowCall(aggregate.function, args, aggregate.type, name, frame, aggregate.filter)

    def _alike(self, depth: int) -> tuple[r.Relation, r.Relation]:
        """Two relations of the same column types: of one shape, one of them filtered."""
        child = self.relation(depth)
        other = r.Filter(child, (self.predicate(child.schema),))
        if self._random.random() < 0.5:
            return child, other
        return other, child

    def _union(self, depth: int) -> r.Relation:
        left, right = self._alike(depth)
        return r.Union((left, right), left.schema)

    def _except(self, depth: int) -> r.Relation:
        left, right = self._alike(depth)
        return r.Threshold(r.Union((left, r.Negate(right)), left.schema))

    def let_rec(self, depth: int) -> r.Relation:
        """One or two bindings that may read each other, and a body over them."""
        self._loops -= 1
        random = self._random
        outer = list(self._bound)
        own = []
        for _ in range(random.choice((1, 1, 2))):
            types = [random.choice((INT4, INT4, TEXT)) for _ in range(random.randint(1, 2))]
            self._named += 1
            own.append(r.LocalGet(f"l{self._named}", schema_of(*types)))
        self._bound = outer + own
        bindings = tuple(
            r.Binding(local.id, self._shaped(self.relation(depth), local.schema)) for local in own
        )
        body = self.relation(min(depth, 1))
        self._bound = outer
        return r.LetRec(bindings, body, random.randint(1, 5), return_at_limit=True)

    def _shaped(self, relation: r.Relation, schema: Schema) -> r.Relation:
        """Its rows with columns of the types of `schema`; often only the distinct ones."""
        scalars = tuple(
            self._column(relation.schema, (column.type,))
            or Literal(self._random.choice(_VALUES[column.type]), column.type)
            for column in schema
        )
        width = len(relation.schema)
        mapped = r.Map(relation, scalars, schema.names)
        shaped: r.Relation = r.Project(mapped, tuple(range(width, width + len(scalars))))
        return r.Distinct(shaped) if self._random.random() < 0.6 else shaped
