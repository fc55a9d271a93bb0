"""Columns that are not read are not carried: joins and groupings get the columns that they need, no others.

`_narrow` answers with a relation and where the wanted columns are in it; `_exact` puts them in a given order.
A relation keeps one column at least.  A left join of which no right column is read, and whose right side has one row
per key at most, is not needed at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ..expr.tree.relation import (
    AssertSingle,
    Constant,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    JoinKind,
    LetRec,
    LocalGet,
    Map,
    Negate,
    OrderBy,
    Project,
    Reduce,
    Relation,
    Threshold,
    TopK,
    Union,
    Window,
)
from ..expr.tree.scalar import Scalar, columns_of, remap
from .facts import Analysis, key_columns
from .rewrite import projected

Places = dict[int, int]


def narrow_columns(relation: Relation) -> Relation:
    names = relation.schema.names
    return projected(_exact(relation, range(len(names))), range(len(names)), names)


def _exact(relation: Relation, columns: Sequence[int]) -> Relation:
    narrowed, places = _narrow(relation, set(columns))
    return projected(narrowed, [places[column] for column in columns])


def _tight(relation: Relation, needed: set[int]) -> tuple[Relation, Places]:
    """Exactly the needed columns, in their order."""
    columns = sorted(needed) or ([0] if len(relation.schema) else [])
    return _exact(relation, columns), {column: place for place, column in enumerate(columns)}


def _read(scalars: Iterable[Scalar]) -> set[int]:
    return {column for scalar in scalars for column in columns_of(scalar)}


def _move(scalars: Sequence[Scalar], places: Places) -> tuple[Scalar, ...]:
    return tuple(remap(scalar, places.__getitem__) for scalar in scalars)


def _narrow(relation: Relation, needed: set[int]) -> tuple[Relation, Places]:
    match relation:
        case Get() | Constant() | LocalGet():
            return relation, {column: column for column in range(len(relation.schema))}
        case Filter(input=child, predicates=predicates):
            narrowed, places = _narrow(child, needed | _read(predicates))
            return Filter(narrowed, _move(predicates, places)), places
        case Project(input=child, indices=indices):
            narrowed, places = _narrow(child, {indices[column] for column in needed})
            kept = sorted(needed) or [0]
            if not indices:
                return relation, {}
            if not needed:
                narrowed, places = _narrow(child, {indices[0]})
            names = relation.schema.names
            result = projected(narrowed, [places[indices[c]] for c in kept], [names[c] for c in kept])
            return result, {column: place for place, column in enumerate(kept)}
        case Map():
            return _map(relation, needed)
        case Join():
            return _join(relation, needed)
        case Reduce():
            return _reduce(relation, needed)
        case TopK(input=child, group=group, order=order):
            narrowed, places = _tight(child, needed | set(group) | {key.index for key in order})
            moved = tuple(OrderBy(places[k.index], k.descending, k.nulls_first) for k in order)
            top = replace(relation, input=narrowed, group=tuple(places[g] for g in group), order=moved)
            return top, places
        case Window():
            return _window(relation, needed)
        case AssertSingle(input=child, group=group):
            narrowed, places = _tight(child, needed | set(group))
            return AssertSingle(narrowed, tuple(places[g] for g in group)), places
        case FlatMap():
            return _flat_map(relation, needed)
        case Union(inputs=arms):
            columns = sorted(needed) or ([0] if len(relation.schema) else [])
            schema = relation.schema.project(columns)
            union = Union(_arms(arms, columns), schema)
            return union, {column: place for place, column in enumerate(columns)}
        case Negate(input=child):
            narrowed, places = _narrow(child, needed)
            return Negate(narrowed), places
        case LetRec(bindings=bindings, body=body):
            # A binding keeps its columns: what reads it may be another binding, or itself.
            bound = tuple(replace(b, value=_exact(b.value, range(len(b.value.schema)))) for b in bindings)
            narrowed, places = _narrow(body, needed)
            return replace(relation, bindings=bound, body=narrowed), places
        case Distinct(input=child) | Threshold(input=child):
            columns = list(range(len(relation.schema)))
            whole = replace(relation, input=_exact(child, columns))
            return whole, {column: column for column in columns}


def _arms(arms: Sequence[Relation], columns: Sequence[int]) -> tuple[Relation, ...]:
    """Arms that are maps of one relation (grouping sets) stay that: it is narrowed once, to what any of them reads."""
    parts = [(arm.indices, arm.input) if isinstance(arm, Project) else (None, arm) for arm in arms]
    maps = [below for _, below in parts if isinstance(below, Map)]
    if len(maps) < len(arms) or any(m.input != maps[0].input for m in maps[1:]):
        return tuple(_exact(arm, columns) for arm in arms)
    width = len(maps[0].input.schema)
    wanted = [list(columns) if at is None else [at[column] for column in columns] for at, _ in parts]
    needed: set[int] = set()
    for arm, places in zip(maps, wanted, strict=True):
        needed |= {i for i in places if i < width} | _read(
            arm.scalars[i - width] for i in places if i >= width
        )
    narrowed, moved = _narrow(maps[0].input, needed)
    base = len(narrowed.schema)
    out = []
    for arm, places in zip(maps, wanted, strict=True):
        kept = sorted({i - width for i in places if i >= width})
        scalars = _move([arm.scalars[i] for i in kept], moved)
        mapped = Map(narrowed, scalars, tuple(arm.names[i] for i in kept)) if kept else narrowed
        at = moved | {width + i: base + place for place, i in enumerate(kept)}
        out.append(projected(mapped, [at[i] for i in places]))
    return tuple(out)


def _map(relation: Map, needed: set[int]) -> tuple[Relation, Places]:
    width = len(relation.input.schema)
    kept = sorted(column - width for column in needed if column >= width)
    scalars = [relation.scalars[i] for i in kept]
    narrowed, places = _narrow(relation.input, {c for c in needed if c < width} | _read(scalars))
    if not kept:
        return narrowed, places
    mapped = Map(narrowed, _move(scalars, places), tuple(relation.names[i] for i in kept))
    base = len(narrowed.schema)
    return mapped, places | {width + i: base + place for place, i in enumerate(kept)}


def _flat_map(relation: FlatMap, needed: set[int]) -> tuple[Relation, Places]:
    """Calls stay even when they are not read: they say how many rows there are."""
    width = len(relation.kept)
    kept = sorted(column for column in needed if column < width)
    read = {relation.kept[column] for column in kept}
    narrowed, places = _narrow(relation.input, read | _read(a for call in relation.calls for a in call.args))
    calls = tuple(replace(call, args=_move(call.args, places)) for call in relation.calls)
    ordinality = relation.ordinality and width + len(calls) in needed
    names = relation.names[: len(calls) + ordinality]
    moved = tuple(places[relation.kept[column]] for column in kept)
    result = FlatMap(narrowed, calls, names, moved, ordinality, relation.outer)
    added = {width + i: len(kept) + i for i in range(len(names))}
    return result, {column: place for place, column in enumerate(kept)} | added


def _join(join: Join, needed: set[int]) -> tuple[Relation, Places]:
    width = len(join.left.schema)
    if join.kind is JoinKind.LEFT and all(column < width for column in needed):
        right_columns = key_columns(join.right_keys)
        if Analysis().facts(join.right).is_unique(right_columns):
            return _narrow(join.left, needed)  # every row is there once, whatever it meets
    columns = needed | _read(join.residual)
    left, left_places = _tight(join.left, {c for c in columns if c < width} | _read(join.left_keys))
    right, right_places = _tight(
        join.right, {c - width for c in columns if c >= width} | _read(join.right_keys)
    )
    base = len(left.schema)
    places = left_places | {width + column: base + place for column, place in right_places.items()}
    joined = replace(
        join,
        left=left,
        right=right,
        left_keys=_move(join.left_keys, left_places),
        right_keys=_move(join.right_keys, right_places),
        residual=_move(join.residual, places),
    )
    return joined, left_places if join.kind in (JoinKind.SEMI, JoinKind.ANTI) else places


def _reduce(relation: Reduce, needed: set[int]) -> tuple[Relation, Places]:
    count = len(relation.keys)
    kept = [i for i in range(len(relation.aggregates)) if count + i in needed]
    if not kept and not count:
        kept = [0] if relation.aggregates else []
    aggregates = [relation.aggregates[i] for i in kept]
    read = _read(relation.keys)
    for aggregate in aggregates:
        read |= _read(aggregate.scalars)
    narrowed, places = _tight(relation.input, read)
    moved = tuple(
        aggregate.mapped(lambda scalar: remap(scalar, places.__getitem__)) for aggregate in aggregates
    )
    reduced = replace(relation, input=narrowed, keys=_move(relation.keys, places), aggregates=moved)
    result = {key: key for key in range(count)} | {count + i: count + place for place, i in enumerate(kept)}
    return reduced, result


def _window(relation: Window, needed: set[int]) -> tuple[Relation, Places]:
    """Without the calls that are not read; without any, the rows are the input's."""
    width = len(relation.input.schema)
    kept = [i for i in range(len(relation.calls)) if width + i in needed]
    below = {column for column in needed if column < width}
    if not kept:
        return _narrow(relation.input, below)
    calls = [relation.calls[i] for i in kept]
    read = below | set(relation.partition) | {key.index for key in relation.order}
    for call in calls:
        read |= _read(call.scalars)
    narrowed, places = _tight(relation.input, read)
    base = len(narrowed.schema)
    window = Window(
        narrowed,
        tuple(places[column] for column in relation.partition),
        tuple(replace(key, index=places[key.index]) for key in relation.order),
        tuple(call.mapped(lambda scalar: remap(scalar, places.__getitem__)) for call in calls),
    )
    return window, places | {width + i: base + place for place, i in enumerate(kept)}
