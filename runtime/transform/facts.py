"""Facts: what holds for every row of a relation, whatever the tables contain.

| fact       | what it says                                                                  |
|------------|-------------------------------------------------------------------------------|
| keys       | sets of columns; no two rows (nor a row twice) agree on all columns of a set  |
| equal      | pairs of columns with `a = b` TRUE on every row                               |
| predicates | expressions over one column, which cannot fail, TRUE on every row             |
| present    | columns that are never NULL                                                   |

A fact is derived from the tree alone, inputs first; a node that is not known here has none but its schema's.  They
hold wherever the relation has no error: with an error it cannot be read.  An empty key says: one row at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..expr.evaluate import can_fail
from ..expr.tree.relation import (
    AssertSingle,
    Constant,
    Distinct,
    Filter,
    Join,
    JoinKind,
    LetRec,
    Map,
    Project,
    Reduce,
    Relation,
    Threshold,
    TopK,
    Union,
    Window,
)
from ..expr.tree.scalar import (
    And,
    Call,
    Cast,
    ColumnRef,
    Literal,
    Or,
    Parameter,
    PerExecution,
    Scalar,
    columns_of,
    remap,
    walk,
)
from ..repr.types import RANGES, UNSIGNED, Kind, ScalarType
from .null_rejection import rejects_null

Key = frozenset[int]

MAX_KEYS = 8
"""So many keys are remembered per relation: joins multiply them."""

MAX_PREDICATES = 32
"""So many predicates and equalities are remembered per relation."""

_PLAIN = frozenset(
    {"eq", "ne", "lt", "le", "gt", "ge", "in", "any_eq", "like", "not_like", "is_not_null", "not"}
)
"""Functions of predicates that are remembered: functions of their arguments' values, and cheap."""

_IDENTICAL_WHEN_EQUAL = frozenset(
    {Kind.BOOL, Kind.INT2, Kind.INT4, Kind.INT8, Kind.TEXT, Kind.VARCHAR, Kind.NAME, Kind.CHAR, Kind.DATE}
    | {Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.BYTEA, Kind.UUID, Kind.OID}
    | {type_.kind for type_ in RANGES}
    | UNSIGNED
    | {Kind.MZ_TIMESTAMP}
)


@dataclass(frozen=True, slots=True)
class Facts:
    keys: tuple[Key, ...] = ()
    equal: tuple[tuple[int, int], ...] = ()
    predicates: tuple[Scalar, ...] = ()
    present: frozenset[int] = frozenset()

    def is_unique(self, columns: Iterable[int]) -> bool:
        """Whether at most one row has any given values of `columns`."""
        wanted = {equal for column in columns for equal in self.class_of(column)}
        return any(key <= wanted for key in self.keys)

    def about(self, column: int) -> tuple[Scalar, ...]:
        """The predicates on `column`."""
        return tuple(p for p in self.predicates if columns_of(p) == {column})

    def class_of(self, column: int) -> frozenset[int]:
        """The columns that equal `column`, and itself."""
        found, grown = {column}, True
        while grown:
            more = {x for pair in self.equal if found & set(pair) for x in pair} - found
            found |= more
            grown = bool(more)
        return frozenset(found)


class Analysis:
    """Facts by relation; each node is looked at once, by identity."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Relation, Facts]] = {}

    def facts(self, relation: Relation) -> Facts:
        found = self._known.get(id(relation))
        if found is None:
            found = relation, _bounded(_derive(relation, self.facts), relation)
            self._known[id(relation)] = found  # keeps the relation, so that its id stays its own
        return found[1]


def identical_when_equal(type_: ScalarType) -> bool:
    """Whether values of the type that are equal cannot be distinguished: -0.0 = 0.0 can."""
    return type_.kind in _IDENTICAL_WHEN_EQUAL or (type_.kind is Kind.NUMERIC and type_.scale is not None)


def conjuncts(predicates: Iterable[Scalar]) -> list[Scalar]:
    """The predicates with every AND taken apart."""
    out: list[Scalar] = []
    for predicate in predicates:
        out.extend(conjuncts(predicate.args) if isinstance(predicate, And) else (predicate,))
    return out


def equality(predicate: Scalar) -> tuple[int, int] | None:
    """The two columns of `#a = #b`, of one type."""
    match predicate:
        case Call(function="eq", args=(ColumnRef(index=a, type=s), ColumnRef(index=b, type=t))) if (
            s == t and a != b
        ):
            return a, b
        case _:
            return None


def is_simple(predicate: Scalar) -> bool:
    """Whether a predicate is worth remembering: over one column, of plain functions, and it cannot fail."""
    for node in walk(predicate):
        match node:
            case ColumnRef() | Literal() | Parameter() | PerExecution() | And() | Or() | Cast():
                pass
            case Call(function=function) if function in _PLAIN:
                pass
            case _:
                return False
    return len(columns_of(predicate)) == 1 and not can_fail(predicate)


def _bounded(facts: Facts, relation: Relation) -> Facts:
    schema = relation.schema
    declared = frozenset(i for i, column in enumerate(schema) if not column.nullable)
    return Facts(
        _minimal(facts.keys)[:MAX_KEYS],
        tuple(dict.fromkeys(facts.equal))[:MAX_PREDICATES],
        _once(facts.predicates)[:MAX_PREDICATES],
        facts.present | declared,
    )


def _minimal(keys: Iterable[Key]) -> tuple[Key, ...]:
    """Without the keys that contain another one."""
    kept: list[Key] = []
    for key in sorted(set(keys), key=lambda k: (len(k), sorted(k))):
        if not any(smaller <= key for smaller in kept):
            kept.append(key)
    return tuple(kept)


def _once(predicates: Sequence[Scalar]) -> tuple[Scalar, ...]:
    return tuple({repr(predicate): predicate for predicate in predicates}.values())


def _derive(relation: Relation, facts: Callable[[Relation], Facts]) -> Facts:
    match relation:
        case Constant(rows=rows):
            return Facts(keys=(frozenset(),) if len(rows) <= 1 else ())
        case Filter(input=child, predicates=predicates):
            return _filtered(facts(child), predicates)
        case Map(input=child, scalars=scalars):
            return _mapped(facts(child), len(child.schema), scalars)
        case Project(input=child, indices=indices):
            return _projected(facts(child), indices)
        case Join():
            return _joined(relation, facts(relation.left), facts(relation.right))
        case Reduce():
            return _reduced(relation, facts(relation.input))
        case Distinct(input=child):
            below = facts(child)
            whole = frozenset(range(len(child.schema)))
            return Facts((*below.keys, whole), below.equal, below.predicates, below.present)
        case TopK(input=child, group=group, limit=limit):
            below = facts(child)
            first = (frozenset(group),) if limit is not None and limit <= 1 else ()
            return Facts((*below.keys, *first), below.equal, below.predicates, below.present)
        case Window(input=child):
            return facts(child)
        case AssertSingle(input=child, group=group):
            below = facts(child)
            return Facts((*below.keys, frozenset(group)), below.equal, below.predicates, below.present)
        case Threshold(input=child):
            below = facts(child)
            return Facts((), below.equal, below.predicates, below.present)
        case Union(inputs=arms):
            return _united([facts(arm) for arm in arms])
        case LetRec(body=body):
            return facts(body)
        case _:
            return Facts()


def _filtered(below: Facts, predicates: Sequence[Scalar]) -> Facts:
    parts = conjuncts(predicates)
    equal = tuple(pair for part in parts if (pair := equality(part)) is not None)
    simple = tuple(part for part in parts if is_simple(part))
    present = {i for part in parts for i in columns_of(part) if rejects_null(part, {i})}
    return Facts(below.keys, below.equal + equal, below.predicates + simple, below.present | present)


def _mapped(below: Facts, width: int, scalars: Sequence[Scalar]) -> Facts:
    equal, present, predicates = list(below.equal), set(below.present), list(below.predicates)
    for i, scalar in enumerate(scalars, width):
        if isinstance(scalar, ColumnRef) and scalar.index in below.present:
            equal.append((scalar.index, i))
            present.add(i)
            predicates += (remap(p, lambda _, i=i: i) for p in below.about(scalar.index))  # type: ignore[misc]
    return Facts(below.keys, tuple(equal), tuple(predicates), frozenset(present))


def _projected(below: Facts, indices: Sequence[int]) -> Facts:
    places: dict[int, int] = {}
    equal: list[tuple[int, int]] = []
    for place, index in enumerate(indices):
        if index not in places:
            places[index] = place
        elif index in below.present:
            equal.append((places[index], place))
    # A column that is left out may go on as one that equals it: in a key that is as good.
    stands: dict[int, int] = dict(places)
    for column in {c for pair in below.equal for c in pair} - set(places):
        kept = sorted(below.class_of(column) & set(places))
        if kept:
            stands[column] = places[kept[0]]
    keys = [frozenset(stands[c] for c in key) for key in below.keys if key <= stands.keys()]
    for a, b in below.equal:
        if a in stands and b in stands and stands[a] != stands[b]:
            equal.append((stands[a], stands[b]))
    predicates = [remap(p, places.__getitem__) for p in below.predicates if columns_of(p) <= places.keys()]
    present = frozenset(place for place, index in enumerate(indices) if index in below.present)
    return Facts(tuple(keys), tuple(equal), tuple(predicates), present)


def _shifted(facts: Facts, by: int) -> Facts:
    return Facts(
        tuple(frozenset(c + by for c in key) for key in facts.keys),
        tuple((a + by, b + by) for a, b in facts.equal),
        tuple(remap(p, lambda i: i + by) for p in facts.predicates),
        frozenset(c + by for c in facts.present),
    )


def key_columns(keys: Sequence[Scalar]) -> list[int]:
    return [key.index for key in keys if isinstance(key, ColumnRef)]


def _joined(join: Join, left: Facts, right: Facts) -> Facts:
    width = len(join.left.schema)
    pairs = [
        (a.index, width + b.index)
        for a, b in zip(join.left_keys, join.right_keys, strict=True)
        if isinstance(a, ColumnRef) and isinstance(b, ColumnRef)
    ]
    if join.null_safe:
        pairs = [(a, b) for a, b in pairs if a in left.present or b - width in right.present]
    matched = _filtered(Facts(), join.residual)
    kind = join.kind
    if kind is JoinKind.ANTI:
        return left
    if kind is JoinKind.SEMI:
        present = {a for a, _ in pairs} | {c for c in matched.present if c < width}
        simple = tuple(p for p in matched.predicates if max(columns_of(p)) < width)
        return Facts(left.keys, left.equal, left.predicates + simple, left.present | present)
    keys = _joined_keys(join, left, right)
    moved = _shifted(right, width)
    match kind:
        case JoinKind.INNER:
            present = {c for pair in pairs for c in pair} | matched.present
            return Facts(
                keys,
                (*left.equal, *moved.equal, *pairs, *matched.equal),
                left.predicates + moved.predicates + matched.predicates,
                left.present | moved.present | present,
            )
        case JoinKind.LEFT:
            return Facts(keys, left.equal, left.predicates, left.present)
        case JoinKind.RIGHT:
            return Facts(keys, moved.equal, moved.predicates, moved.present)
        case JoinKind.FULL:
            return Facts()


def _joined_keys(join: Join, left: Facts, right: Facts) -> tuple[Key, ...]:
    width = len(join.left.schema)
    moved = [frozenset(c + width for c in key) for key in right.keys]
    keys = [a | b for a in left.keys for b in moved]
    if join.kind in (JoinKind.INNER, JoinKind.LEFT) and right.is_unique(key_columns(join.right_keys)):
        keys += left.keys
    if join.kind in (JoinKind.INNER, JoinKind.RIGHT) and left.is_unique(key_columns(join.left_keys)):
        keys += moved
    return tuple(keys)


def _reduced(reduce: Reduce, below: Facts) -> Facts:
    places: dict[int, int] = {}
    for place, key in enumerate(reduce.keys):
        if isinstance(key, ColumnRef):
            places.setdefault(key.index, place)
    at = frozenset(range(len(reduce.keys)))
    keys = [at]
    keys += (frozenset(places[c] for c in key) for key in below.keys if key <= places.keys())
    equal = [(places[a], places[b]) for a, b in below.equal if a in places and b in places]
    predicates = [remap(p, places.__getitem__) for p in below.predicates if columns_of(p) <= places.keys()]
    present = frozenset(place for column, place in places.items() if column in below.present)
    return Facts(tuple(keys), tuple(equal), tuple(predicates), present)


def _united(arms: Sequence[Facts]) -> Facts:
    """What all arms say.  An equality or predicate may be written otherwise in another arm: then it is lost."""
    first, *others = arms
    return Facts(
        (),
        tuple(pair for pair in first.equal if all(pair in arm.equal for arm in others)),
        tuple(p for p in first.predicates if all(p in arm.predicates for arm in others)),
        first.present.intersection(*(arm.present for arm in others)),
    )
