"""Predicates on one column hold for every column that equals it.

`a.x = b.x AND a.x > 5` filters b as well; `x = 1 AND x = 2` has no rows; what a filter says that is known below is not
said again; a join that treats NULLs as equal is a plain one where they cannot meet.

| join   | predicates on the keys go |
|--------|---------------------------|
| inner, semi  | both ways           |
| left, anti   | left to right       |
| right        | right to left       |

Only predicates that cannot fail travel, and only between columns whose equal values are identical (-0.0 = 0.0 are
not).  Rows that meet no row of the other side are dropped earlier than before, and with them errors that a later
expression would have had on them; no error is new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..expr.evaluate import fold
from ..expr.tree.relation import Constant, Filter, Join, JoinKind, Relation
from ..expr.tree.scalar import Call, Case, ColumnRef, Literal, Scalar, columns_of, remap, transform
from .facts import Analysis, Facts, conjuncts, equality, identical_when_equal, is_simple
from .rewrite import bottom_up, filtered, unique

_TO_RIGHT = (JoinKind.INNER, JoinKind.SEMI, JoinKind.LEFT, JoinKind.ANTI)
_TO_LEFT = (JoinKind.INNER, JoinKind.SEMI, JoinKind.RIGHT)


def propagate_equivalences(relation: Relation) -> Relation:
    analysis = Analysis()

    def change(node: Relation) -> Relation:
        match node:
            case Filter():
                return _filter(node, analysis)
            case Join():
                return _join(node, analysis)
            case _:
                return node

    return bottom_up(relation, change)


def _filter(relation: Filter, analysis: Analysis) -> Relation:
    below = analysis.facts(relation.input)
    parts = [p for p in conjuncts(relation.predicates) if not _known(p, below)]
    others = tuple(p for p in parts if not _says_present(p))
    present = analysis.facts(Filter(relation.input, others)) if len(others) < len(parts) else below
    kept = unique([p for p in parts if not (_says_present(p) and _known(p, present))])
    result: Relation = Filter(relation.input, kept) if kept else relation.input
    if kept == relation.predicates:
        result = relation
    if isinstance(result, Filter) and _contradicts(analysis.facts(result), result):
        return Constant((), relation.schema)
    return result


def _says_present(predicate: Scalar) -> bool:
    return isinstance(predicate, Call) and predicate.function == "is_not_null"


def _known(predicate: Scalar, facts: Facts) -> bool:
    """Whether the facts say that the predicate is TRUE."""
    match predicate:
        case Call(function="is_not_null", args=(ColumnRef(index=index),)):
            return index in facts.present
    pair = equality(predicate)
    if pair is not None:
        return pair[1] in facts.class_of(pair[0])
    return is_simple(predicate) and any(_same(predicate, known) for known in facts.predicates)


def _same(a: Scalar, b: Scalar) -> bool:
    """Equality of expressions, apart from what is known of NULLs."""
    return a == b or repr(transform(a, _bare)) == repr(transform(b, _bare))


def _bare(node: Scalar) -> Scalar:
    return replace(node, nullable=True) if isinstance(node, ColumnRef | Call | Case) else node


def _contradicts(facts: Facts, relation: Filter) -> bool:
    """Whether the predicates on some column that must be a given value, or one that equals it, cannot all hold."""
    types = relation.schema.types
    for fixed in facts.predicates:
        value = _fixed(fixed)
        if value is None:
            continue
        (column,) = columns_of(fixed)
        for other in facts.class_of(column):
            if other != column and not (types[other] == types[column] and identical_when_equal(types[other])):
                continue
            for predicate in facts.about(other):
                if predicate is fixed and value.value is not None:
                    continue  # what it says of itself
                result = fold(transform(predicate, _put(value)))
                if isinstance(result, Literal) and result.value is not True:
                    return True
    return False


def _put(value: Literal) -> Callable[[Scalar], Scalar]:
    """Puts the literal in the place of the column."""
    return lambda node: value if isinstance(node, ColumnRef) else node


def _fixed(predicate: Scalar) -> Literal | None:
    """The literal that a column must be."""
    match predicate:
        case (
            Call(function="eq", args=(ColumnRef(type=s), Literal(type=t) as literal))
            | Call(function="eq", args=(Literal(type=t) as literal, ColumnRef(type=s)))
        ) if s == t and identical_when_equal(t):
            return literal
        case _:
            return None


def _join(join: Join, analysis: Analysis) -> Relation:
    left, right = analysis.facts(join.left), analysis.facts(join.right)
    pairs = [
        (a.index, b.index)
        for a, b in zip(join.left_keys, join.right_keys, strict=True)
        if isinstance(a, ColumnRef) and isinstance(b, ColumnRef) and identical_when_equal(a.type)
    ]
    to_left: list[Scalar] = []
    to_right: list[Scalar] = []
    for a, b in pairs:
        if join.kind in _TO_RIGHT:
            to_right += _carried(join.left, left, a, right, b)
        if join.kind in _TO_LEFT:
            to_left += _carried(join.right, right, b, left, a)
    if to_left:
        join = replace(join, left=_under(join.left, to_left, analysis))
    if to_right:
        join = replace(join, right=_under(join.right, to_right, analysis))
    if join.null_safe and _never_both_null(join, analysis):
        join = replace(join, null_safe=False)
    return join


def _carried(source: Relation, facts: Facts, column: int, known: Facts, target: int) -> list[Scalar]:
    """The predicates on `column`, about `target`; NULLs do not meet, so IS NOT NULL is left out."""
    types = source.schema.types
    found: list[Scalar] = []
    for equal in sorted(facts.class_of(column)):
        if types[equal] != types[column]:
            continue
        for predicate in facts.about(equal):
            moved = remap(predicate, lambda _: target)
            if not _says_present(moved) and not _known(moved, known):
                found.append(moved)
    return found


def _under(relation: Relation, predicates: Sequence[Scalar], analysis: Analysis) -> Relation:
    below = filtered(relation, predicates)
    return _filter(below, analysis) if isinstance(below, Filter) else below


def _never_both_null(join: Join, analysis: Analysis) -> bool:
    left, right = analysis.facts(join.left), analysis.facts(join.right)
    return all(
        _present(a, left) or _present(b, right) for a, b in zip(join.left_keys, join.right_keys, strict=True)
    )


def _present(scalar: Scalar, facts: Facts) -> bool:
    return not scalar.nullable or (isinstance(scalar, ColumnRef) and scalar.index in facts.present)
