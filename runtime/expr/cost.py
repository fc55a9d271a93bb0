"""What an expression over constants may cost at most, told from its functions and the sizes of their arguments.

```
repeat('a', 10000000) LIKE '%_a%'  ──>  size 1, work 50,000,000
```

Threads of the coordinator plan statements for all clients, and one call of a kernel can neither be stopped nor does it
leave the interpreter to others.  So what is computed there is bounded before it begins: planning folds a call only within
`FOLDED`, and a query over no collection is computed there only within `COMPUTED_HERE`.  What is beyond goes to a process
of a replica, which can be killed.

A bound is never less than the truth, and need not be near it: what is not known is `UNBOUNDED`.  Of a function that is not
named here the value is at most a few times as long as its arguments, and the time goes with their length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, assert_never

from ..errors import PtvcError
from ..repr.types import JSON, NESTED, Kind, ScalarType
from .tree.relation import (
    AssertSingle,
    Constant,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    LetRec,
    LocalGet,
    Map,
    Negate,
    Project,
    Reduce,
    Relation,
    TableCall,
    Threshold,
    TopK,
    Union,
    Window,
)
from .tree.relation_tree import inputs, scalars_of, walk
from .tree.scalar import (
    And,
    Call,
    Case,
    Cast,
    Coalesce,
    ColumnRef,
    ExternalCall,
    Literal,
    MzNow,
    NowCompare,
    Or,
    Parameter,
    PerExecution,
    Scalar,
    children,
)

UNBOUNDED = 1 << 62

FOLDED = 1 << 18
"""So much work planning does for one call: some milliseconds."""

COMPUTED_HERE = 1 << 22
"""So much work the coordinator does for one query."""

_FIXED = 32
"""Bytes of a value of a fixed width, and those that a value has beside its text."""
_ASSUMED = 1024
"""Bytes of a value in a catalog relation, which is a name mostly."""
_GROWTH = 8
"""A function that is not named here makes no more than so many bytes of one."""
_SLOW = 8
"""Python looks at a byte in the time in which a kernel looks at so many."""
_PER_ROW = 16

_TEXTS = frozenset((Kind.TEXT, Kind.VARCHAR, Kind.BPCHAR))
_LONG = frozenset((*_TEXTS, Kind.BYTEA, JSON.kind, Kind.JSONB, *NESTED))
"""Kinds of values that may have any length."""

_QUICK_ELEMENTS = _TEXTS | {Kind.BOOL, Kind.INT2, Kind.INT4, Kind.INT8, Kind.FLOAT4, Kind.FLOAT8, Kind.UUID}
"""Kinds of elements that Arrow, or numpy, casts to each other: 100,000 in some 10 ms."""

_READ_ONE_BY_ONE = NESTED | {
    JSON.kind,
    Kind.JSONB,
    Kind.INTERVAL,
    Kind.TIMESTAMP,
    Kind.TIMESTAMPTZ,
    Kind.BYTEA,
}
"""Kinds of elements whose text takes Python some microseconds each."""

_QUICK = frozenset(
    (
        "bit_length", "char_length", "character_length", "concat", "concat_op", "eq", "ge", "gt", "is_null", "is_not_null",
        "le", "left", "length", "lower", "lt", "md5", "ne", "octet_length", "right", "sha256", "starts_with", "strpos",
        "substr", "substring", "upper", "greatest", "least", "nullif",
    )
)  # fmt: skip
"""Their kernels look at each byte once."""

_SUMS = frozenset(
    (
        "array_append", "array_cat", "array_of", "array_prepend", "btrim", "concat", "concat_op", "greatest", "jsonb_concat",
        "least", "left", "list of", "list_append", "list_cat", "list_prepend", "ltrim", "map of", "nullif",
        "reverse", "right", "rtrim", "split_part", "substr", "substring", "trim",
    )
)  # fmt: skip
"""What they make is no longer than their arguments together."""

_SEARCHES = re.compile(
    r"like|regex|similar|jsonb_path|jsonb_contain|array_contain|overlaps|translate|position|levenshtein"
)
"""Functions whose time goes with the product of their arguments' lengths."""

_MANY = re.compile(r"\{\s*\d")
_WIDTH = re.compile(r"\d{4}|\*")


@dataclass(frozen=True, slots=True)
class Cost:
    """Both in bytes: `size`, of the value, and `work`, those that are looked at or made on the way to it."""

    size: int
    work: int


Sizes = Callable[[int], int]
"""The longest value of a column of the input."""


def cost(scalar: Scalar, sizes: Sizes | None = None) -> Cost:
    """The most that the expression may cost on one row; `sizes` of its columns (default: of catalog relations)."""
    match scalar:
        case Literal(value=value):
            return Cost(_size(value), 0)
        case ColumnRef(index=index, type=type_):
            return Cost((sizes(index) if sizes is not None else _ASSUMED) if _is_long(type_) else _FIXED, 0)
        case Parameter(type=type_) | PerExecution(type=type_):
            return Cost(UNBOUNDED if _is_long(type_) else _FIXED, 0)
        case MzNow() | NowCompare() | And() | Or():
            return Cost(_FIXED, _total(cost(child, sizes).work for child in children(scalar)))
        case ExternalCall():  # it runs in a process of its own, and what it returns is anything
            of_args = [cost(child, sizes) for child in children(scalar)]
            size = UNBOUNDED if _is_long(scalar.type) else _FIXED
            return Cost(size, _total(c.work + c.size for c in of_args))
        case Case() | Coalesce():
            parts = [cost(child, sizes) for child in children(scalar)]
            return Cost(max(part.size for part in parts), _total(part.work for part in parts))
        case Cast(arg=arg, type=type_):
            return _cast(cost(arg, sizes), arg.type, type_)
        case Call():
            return _call(scalar, [cost(arg, sizes) for arg in scalar.args])
        case _:
            assert_never(scalar)


def is_cheap(scalar: Scalar) -> bool:
    """Whether planning may compute a constant expression."""
    return cost(scalar).work <= FOLDED


def check_cheap(scalar: Scalar, what: str) -> None:
    """Raises 54000 for a constant of a statement, `what`, that takes more work than the coordinator does."""
    if cost(scalar).work > COMPUTED_HERE:
        raise PtvcError(
            f"{what} takes too much computation",
            sqlstate="54000",
            hint="Compute it by a SELECT before, which runs in a cluster, and write its result.",
        )


def is_computed_here(relation: Relation) -> bool:
    """Whether the coordinator may compute a query that reads nothing but constants and catalog relations.

    How many rows a catalog has is not counted: that is the server's own, and what each of them costs is.
    """
    return _relation(relation, 1, _ASSUMED).work <= COMPUTED_HERE


def is_cheap_over(relation: Relation, rows: int, longest: int) -> bool:
    """Whether a query over collections of so many rows, with values of at most so many bytes, is the work of some milliseconds."""
    return _relation(relation, rows, longest).work <= FOLDED


# --- expressions -----------------------------------------------------------------------------------------------------


def _call(call: Call, args: Sequence[Cost]) -> Cost:
    given = _total(arg.size for arg in args)
    below = _total(arg.work for arg in args)
    size = _made(call, [arg.size for arg in args], given) if _is_long(call.type) else _FIXED
    looked = given if call.function in _QUICK else given * _SLOW
    if _SEARCHES.search(call.function) and args:
        subject, rest = args[0].size, _total(arg.size for arg in args[1:])
        looked = max(looked, subject * rest * _repeated(call.args[1:]))
    return _cost(size, below + looked + size)


def _made(call: Call, sizes: Sequence[int], given: int) -> int:
    match call.function:
        case "repeat":
            return _times(sizes[0], call.args[1])
        case "lpad" | "rpad":
            return _times(4, call.args[1])
        case "array_fill":
            extents = call.args[1].value if isinstance(call.args[1], Literal) else None
            if not isinstance(extents, list | tuple):
                return UNBOUNDED
            made = sizes[0]
            for extent in extents:
                made *= max(extent or 0, 0)
            return made
        case "format":
            template = call.args[0]
            if not isinstance(template, Literal) or _WIDTH.search(str(template.value)):
                return UNBOUNDED
            return sizes[0] * (1000 + given)
        case "to_char":
            return sizes[-1] * 64
        case "replace":
            return sizes[0] * (1 + sizes[2])
        case "regexp_replace":
            return sizes[0] * (1 + sizes[2])
        case "array_to_string":
            return sizes[0] * (1 + sizes[1] // 8)
        case "array_replace":
            return sizes[0] * (1 + sizes[2] // 8)
        case "concat_ws":
            return given + sizes[0] * len(sizes)
        case "jsonb_pretty":
            return given * (1 + given // 8)
        case name if name in _SUMS:
            return given
        case _:
            return given * _GROWTH


def _times(size: int, count: Scalar) -> int:
    if not isinstance(count, Literal):
        return UNBOUNDED
    return size * max(int(count.value or 0), 0)


def _repeated(patterns: Sequence[Scalar]) -> int:
    """How many times as long a pattern may become that counts its repetitions."""
    known = all(isinstance(pattern, Literal) for pattern in patterns)
    counted = any(isinstance(p, Literal) and _MANY.search(str(p.value)) for p in patterns)
    return 1000 if counted else 1 if known else 2


def _cast(arg: Cost, source: ScalarType, target: ScalarType) -> Cost:
    if source == target or (source.kind in _TEXTS and target.kind in _TEXTS):
        padding = target.length or 0 if target.kind is Kind.BPCHAR else 0
        return _cost(arg.size + padding, arg.work + padding + arg.size // _PER_ROW)
    if not _is_long(target):
        return _cost(_FIXED, arg.work + arg.size * _SLOW)
    if source.kind is target.kind is Kind.ARRAY:
        assert source.element is not None
        assert target.element is not None
        return _cast_elements(arg, source.element, target.element)
    size = arg.size * _GROWTH if _is_long(source) else 2 * _FIXED + (target.length or 0)
    return _cost(size, arg.work + arg.size * _SLOW + size)


def _cast_elements(arg: Cost, source: ScalarType, target: ScalarType) -> Cost:
    """Of an array: an element of a fixed width is counted as `_FIXED` bytes before and afterwards."""
    same_size = not _is_long(target) or (source.kind in _TEXTS and target.kind in _TEXTS)
    size = arg.size if same_size else arg.size * _GROWTH
    if source.kind in _QUICK_ELEMENTS and target.kind in _QUICK_ELEMENTS:
        looked = arg.size // _PER_ROW
    elif target.kind in _READ_ONE_BY_ONE:
        looked = arg.size * _SLOW
    else:
        looked = arg.size
    return _cost(size, arg.work + looked + (0 if same_size else size))


def _is_long(type_: ScalarType) -> bool:
    return type_.kind in _LONG


_SHORT = frozenset({int, float, bool, type(None)})
"""Types of which every value has a fixed size."""


def _size(value: Any) -> int:
    match value:
        case str() | bytes():
            return len(value) + _FIXED
        case list() | tuple():
            if _SHORT.issuperset(map(type, value)):  # drivers send keys by the thousand
                return _FIXED * (1 + len(value))
            return _FIXED + sum(map(_size, value))
        case dict():
            return _FIXED + sum(_size(part) for pair in value.items() for part in pair)
        case _:
            return _FIXED


def _cost(size: int, work: int) -> Cost:
    return Cost(min(size, UNBOUNDED), min(work, UNBOUNDED))


def _total(numbers: Iterable[int]) -> int:
    return min(sum(numbers), UNBOUNDED)


# --- relations -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Rows:
    """How many rows there are, how long their values, and the work to have them, at most."""

    count: int
    sizes: Sizes
    work: int


def _relation(relation: Relation, read: int, longest: int) -> _Rows:
    """`read` rows of each collection, and the `longest` of their values."""
    match relation:
        case Constant(rows=rows):
            return _Rows(len(rows), _of_rows(rows), 0)
        case Get() | LocalGet():
            return _Rows(read, lambda index: longest, 0)
        case LetRec() if not _reads(relation):
            return _Rows(UNBOUNDED, lambda index: UNBOUNDED, UNBOUNDED)
        case _:
            pass
    below = [_relation(child, read, longest) for child in inputs(relation)]
    work = _total(child.work for child in below)
    count = max(child.count for child in below)
    first = below[0]
    match relation:
        case Map(input=child, scalars=scalars):
            return _mapped(first, len(child.schema), scalars, work)
        case Project(indices=indices):
            return _Rows(count, lambda index: first.sizes(indices[index]), work)
        case FlatMap():
            return _flat_map(relation, first)
        case Join(left=left):
            second, width = below[1], len(left.schema)
            count = min(first.count * max(second.count, 1) + second.count, UNBOUNDED)

            def both(index: int) -> int:
                return first.sizes(index) if index < width else second.sizes(index - width)

            return _Rows(count, both, _with_scalars(work, count, relation, both))
        case Union():
            total = _total(child.count for child in below)
            return _Rows(
                total, lambda index: max(child.sizes(index) for child in below), work + total * _PER_ROW
            )
        case Reduce():  # an aggregate may put all values of its group into one
            whole = min(count * _ASSUMED, UNBOUNDED) if count <= _PER_ROW else UNBOUNDED
            return _Rows(count, lambda index: whole, _with_scalars(work, count, relation, first.sizes))
        case Filter() | Distinct() | TopK() | Negate() | Threshold() | AssertSingle():
            return _Rows(count, first.sizes, _with_scalars(work, count, relation, first.sizes))
        case Window():
            width, whole = len(relation.input.schema), count * _ASSUMED

            def framed(index: int) -> int:
                return first.sizes(index) if index < width else whole

            return _Rows(count, framed, _with_scalars(work, count * count, relation, first.sizes))
        case LetRec():
            return _Rows(count, lambda index: _ASSUMED, work)
        case _:
            assert_never(relation)


def _with_scalars(work: int, count: int, relation: Relation, sizes: Sizes) -> int:
    """With every expression of the node on each row."""
    each = _PER_ROW + _total(_looked(scalar, sizes) for scalar in scalars_of(relation))
    return min(work + count * each, UNBOUNDED)


def _looked(scalar: Scalar, sizes: Sizes) -> int:
    if isinstance(scalar, Literal):
        return 0
    return cost(scalar, sizes).work


def _mapped(rows: _Rows, width: int, scalars: Sequence[Scalar], work: int) -> _Rows:
    """Each expression may read what those before it have made."""
    made: list[int] = []

    def sizes(index: int) -> int:
        return rows.sizes(index) if index < width else made[index - width]

    for scalar in scalars:
        found = cost(scalar, sizes)
        made.append(found.size)
        work = min(work + rows.count * found.work, UNBOUNDED)
    return _Rows(rows.count, sizes, work)


def _flat_map(relation: FlatMap, rows: _Rows) -> _Rows:
    reads = _reads(relation)
    each = max(_produced(call, rows.sizes, reads) for call in relation.calls)
    given = [cost(arg, rows.sizes) for call in relation.calls for arg in call.args]
    count = min(rows.count * max(each, 1), UNBOUNDED)
    of_args = _total(arg.work + arg.size * _SLOW for arg in given)
    kept = len(relation.kept)
    longest = _total(arg.size for arg in given)

    def sizes(index: int) -> int:
        return rows.sizes(relation.kept[index]) if index < kept else longest

    return _Rows(count, sizes, min(rows.work + rows.count * of_args + count * _PER_ROW, UNBOUNDED))


def _produced(call: TableCall, sizes: Sizes, reads: bool) -> int:
    """Rows of one call; `reads`: over a catalog, which is asked for the subscripts of its arrays."""
    if call.function != "generate_series":
        return _total(cost(arg, sizes).size for arg in call.args)
    ends = [arg.value for arg in call.args if isinstance(arg, Literal)]
    if len(ends) != len(call.args):
        return 1 if reads else UNBOUNDED
    if None in ends:
        return 0
    step: Any = ends[2] if len(ends) > 2 else 1
    try:
        return max(int((ends[1] - ends[0]) // step) + 1, 0) if step else 0
    except (TypeError, ArithmeticError, ValueError):  # instants, whose steps are calendars'
        return UNBOUNDED


def _reads(relation: Relation) -> bool:
    """Whether a catalog is read."""
    return any(isinstance(node, Get) for node in walk(relation))


def _of_rows(rows: Sequence[tuple[Any, ...]]) -> Sizes:
    found: dict[int, int] = {}

    def longest(index: int) -> int:
        if index not in found:
            found[index] = max((_size(row[index]) for row in rows), default=0)
        return found[index]

    return longest
