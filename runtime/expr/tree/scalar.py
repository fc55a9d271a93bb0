"""Typed scalar expressions: what is computed per row.

Every expression is resolved: its type is known, its casts are explicit, its columns are positions of the input.
A `Call` names a function of the registry (`expr/functions/`), which holds its kernel over Arrow arrays.
`Case`, `Coalesce`, `And` and `Or` are not calls, since what they do with errors is their own: an error in a
branch that is not taken does not exist, and FALSE AND error is FALSE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, assert_never

from ...interrupt import check_interrupt
from ...repr.types import BOOL, DATE, MZ_TIMESTAMP, TIME, TIMESTAMP, TIMESTAMPTZ, Kind, ScalarType
from .external_function import ExternalFunction


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """The input's column at position `index`."""

    index: int
    type: ScalarType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant, as the Python value that pyarrow takes for the type (None is NULL)."""

    value: Any
    type: ScalarType

    @property
    def nullable(self) -> bool:
        return self.value is None


@dataclass(frozen=True, slots=True)
class Call:
    """`function` is a key of the registry, such as `add`; its overload follows from the arguments' types."""

    function: str
    args: tuple[Scalar, ...]
    type: ScalarType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class ExternalCall:
    """A call of a function in Python or JavaScript, by value; fails per row.  It is made for rows that need its value only."""

    function: ExternalFunction
    args: tuple[Scalar, ...]

    @property
    def type(self) -> ScalarType:
        return self.function.returns

    @property
    def nullable(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Cast:
    """`arg::type`, by PostgreSQL's rules; fails per row (22P02, 22003, ...).

    `explicit` is false for an assignment cast, which refuses a varchar that is too long instead of cutting it.
    """

    arg: Scalar
    type: ScalarType
    explicit: bool = True

    @property
    def nullable(self) -> bool:
        return self.arg.nullable or self.can_make_null

    @property
    def can_make_null(self) -> bool:
        """Whether a value may become NULL: the document `null` as a scalar, the time of day of an infinite timestamp."""
        source, target = self.arg.type.kind, self.type.kind
        if source is Kind.JSONB:
            return target not in (Kind.JSONB, Kind.JSON, Kind.TEXT, Kind.VARCHAR, Kind.BPCHAR)
        return source in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ) and target is Kind.TIME


@dataclass(frozen=True, slots=True)
class Case:
    """The first branch whose condition is true; errors of the others do not exist."""

    branches: tuple[tuple[Scalar, Scalar], ...]
    otherwise: Scalar
    type: ScalarType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Coalesce:
    """The first argument that is not NULL; errors of those after it do not exist."""

    args: tuple[Scalar, ...]
    type: ScalarType

    @property
    def nullable(self) -> bool:
        return all(arg.nullable for arg in self.args)


@dataclass(frozen=True, slots=True)
class And:
    """Three-valued; FALSE wins over NULL and over an error."""

    args: tuple[Scalar, ...]
    type: ScalarType = BOOL

    @property
    def nullable(self) -> bool:
        return any(arg.nullable for arg in self.args)


@dataclass(frozen=True, slots=True)
class Or:
    """Three-valued; TRUE wins over NULL and over an error."""

    args: tuple[Scalar, ...]
    type: ScalarType = BOOL

    @property
    def nullable(self) -> bool:
        return any(arg.nullable for arg in self.args)


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$number`, whose value each execution of a plan puts in (transform/bind_parameters.py); it may be NULL.

    To a rule it is an expression that reads no column and cannot fail.  None is left in what is evaluated.
    """

    number: int
    type: ScalarType
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class PerExecution:
    """What each execution puts in of a plain view or a DEFAULT that it reads (sql/scalars/per_execution.py): what `function`,
    such as `now`, is then; or the SEED of the call `number` of a function that draws, or the ROW that it draws for.

    To a rule it is as a Parameter is.  None is left in what is evaluated, and none gets into what is maintained.
    """

    function: str
    type: ScalarType
    nullable: bool = False
    number: int = 0


SEED, ROW = "seed", "row"
CLOCKS = {
    "current_date": DATE,
    "current_timestamp": TIMESTAMPTZ,
    "localtime": TIME,
    "localtimestamp": TIMESTAMP,
}
"""Types of the functions of the clock that are key words: what each execution puts in, a moment, is cast to them."""


@dataclass(frozen=True, slots=True)
class MzNow:
    """`mz_now()`: the time that a collection is looked at, in milliseconds since 1970.

    A one-off query puts its time in its place (expr/temporal.py); what is maintained compares with it only.
    """

    type: ScalarType = MZ_TIMESTAMP
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class NowCompare:
    """`mz_now() operator bound`; `operator` is eq, lt, le, gt or ge.

    `bound` is a bigint or a numeric of milliseconds, or a timestamp, which is cut to whole milliseconds.  As a
    predicate of a Filter it is a temporal filter: the row is there for as long as it holds.
    """

    operator: str
    bound: Scalar
    type: ScalarType = BOOL

    @property
    def nullable(self) -> bool:
        return self.bound.nullable


Scalar = (
    ColumnRef
    | Literal
    | Call
    | ExternalCall
    | Cast
    | Case
    | Coalesce
    | And
    | Or
    | Parameter
    | PerExecution
    | MzNow
    | NowCompare
)


def children(scalar: Scalar) -> tuple[Scalar, ...]:
    """The arguments.  Whatever looks at an expression comes by here or by `transform`, and can be cancelled there."""
    check_interrupt()
    match scalar:
        case ColumnRef() | Literal() | Parameter() | PerExecution() | MzNow():
            return ()
        case Call(args=args) | ExternalCall(args=args) | Coalesce(args=args) | And(args=args) | Or(args=args):
            return args
        case Cast(arg=arg) | NowCompare(bound=arg):
            return (arg,)
        case Case(branches=branches, otherwise=otherwise):
            return (*(part for branch in branches for part in branch), otherwise)
        case _:
            assert_never(scalar)


def transform(scalar: Scalar, rewrite: Callable[[Scalar], Scalar]) -> Scalar:
    """`rewrite` applied to every node, children first."""
    check_interrupt()
    new: Scalar
    match scalar:
        case ColumnRef() | Literal() | Parameter() | PerExecution() | MzNow():
            new = scalar
        case NowCompare(operator, bound):
            new = NowCompare(operator, transform(bound, rewrite))
        case Call(function, args, type_, nullable):
            new = Call(function, tuple(transform(a, rewrite) for a in args), type_, nullable)
        case ExternalCall(called, args):
            new = ExternalCall(called, tuple(transform(a, rewrite) for a in args))
        case Cast(arg, type_, explicit):
            new = Cast(transform(arg, rewrite), type_, explicit)
        case Case(branches, otherwise, type_, nullable):
            new = Case(
                tuple((transform(c, rewrite), transform(r, rewrite)) for c, r in branches),
                transform(otherwise, rewrite),
                type_,
                nullable,
            )
        case Coalesce(args, type_):
            new = Coalesce(tuple(transform(a, rewrite) for a in args), type_)
        case And(args):
            new = And(tuple(transform(a, rewrite) for a in args))
        case Or(args):
            new = Or(tuple(transform(a, rewrite) for a in args))
        case _:
            assert_never(scalar)
    return rewrite(new)


def walk(scalar: Scalar) -> Iterator[Scalar]:
    """The expression and everything in it, outermost first."""
    pending = [scalar]
    while pending:
        node = pending.pop()
        yield node
        if below := children(node):
            pending.extend(reversed(below))


def calls_external(scalar: Scalar) -> bool:
    """Whether code of users runs where it is evaluated."""
    if isinstance(scalar, ColumnRef | Literal):
        return False
    return isinstance(scalar, ExternalCall) or any(map(calls_external, children(scalar)))


def columns_of(scalar: Scalar) -> set[int]:
    """Positions of the input that the expression reads."""
    return {node.index for node in walk(scalar) if isinstance(node, ColumnRef)}


def remap(scalar: Scalar, mapping: Callable[[int], int]) -> Scalar:
    """The same expression over an input whose columns stand elsewhere."""

    def move(node: Scalar) -> Scalar:
        if isinstance(node, ColumnRef):
            return ColumnRef(mapping(node.index), node.type, node.nullable)
        return node

    return transform(scalar, move)
