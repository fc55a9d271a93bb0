"""What a query says, part by part, in words that two queries can be compared by.

Expressions are written over the columns of the relations that the query reads, whatever derived tables and names stand between: so
what is written otherwise and means the same has the same parts, as far as no rule is needed to see it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..expr.tree import relation as rel
from ..expr.tree.relation_tree import inputs
from ..expr.tree.scalar import Scalar
from ..sql.plans.explain_tree import aggregate_text, call_text, show

MOST_TEXT = 500
"""Longer expressions are told apart by a hash."""

PARTS = ("reads", "filter", "join", "group", "order", "window", "other")


@dataclass(slots=True)
class Parts:
    """`columns` are expressions by name; each other part is a list of what is written, in no order."""

    columns: Mapping[str, str] = field(default_factory=dict)
    parts: dict[str, list[str]] = field(default_factory=lambda: {part: [] for part in PARTS})

    def settled(self, columns: Mapping[str, str]) -> Parts:
        return Parts(columns, {part: sorted(found) for part, found in self.parts.items()})


def parts_of(relation: rel.Relation, names: Sequence[str], name_of: Callable[[rel.GlobalId], str]) -> Parts:
    """`names` are those of the relation's columns."""
    reader = _Reader(name_of)
    columns = reader.columns(relation)
    return reader.found.settled(dict(zip(names, columns, strict=False)))


class _Reader:
    def __init__(self, name_of: Callable[[rel.GlobalId], str]) -> None:
        self._name_of = name_of
        self.found = Parts()

    def _say(self, part: str, text: str) -> None:
        if text:
            self.found.parts[part].append(text)

    def columns(self, relation: rel.Relation) -> list[str]:
        """The expressions of the relation's columns; what decides about its rows is said on the way."""
        match relation:
            case rel.Get(id=id_, schema=schema):
                name = self._name_of(id_)
                self._say("reads", name)
                return [f"{name}.{column.name}" for column in schema]
            case rel.Constant(rows=rows, schema=schema):
                if schema.columns:
                    self._say("other", f"{len(rows)} literal rows {_short(repr(rows))}")
                return [f"literal {column.name}" for column in schema]
            case rel.LocalGet(id=id_, schema=schema):
                return [f"{id_}.{column.name}" for column in schema]
            case rel.Map(input=child, scalars=scalars):
                below = self.columns(child)
                return [*below, *(_text(scalar, below) for scalar in scalars)]
            case rel.Project(input=child, indices=indices):
                below = self.columns(child)
                return [below[index] for index in indices]
            case rel.Filter(input=child, predicates=predicates):
                below = self.columns(child)
                for predicate in predicates:
                    self._say("filter", _text(predicate, below))
                return below
            case rel.Join():
                return self._join(relation)
            case rel.Reduce(input=child, keys=keys, aggregates=aggregates):
                below = self.columns(child)
                shown = [_text(key, below) for key in keys]
                self._say("group", ", ".join(sorted(shown)) if shown else "all rows")
                return shown + [_short(aggregate_text(aggregate, below)) for aggregate in aggregates]
            case rel.Distinct(input=child):
                below = self.columns(child)
                self._say("group", f"distinct {_short(', '.join(below))}")
                return below
            case rel.TopK(input=child, group=group, order=order, limit=limit, offset=offset):
                below = self.columns(child)
                by = [below[index] for index in group]
                self._say(
                    "order",
                    f"{'all' if limit is None else limit} from {offset} by {_keys(order, below)}"
                    + (f" of each {', '.join(by)}" if by else ""),
                )
                return below
            case rel.Window(input=child, partition=partition, order=order, calls=calls):
                below = self.columns(child)
                over = f"over ({', '.join(below[i] for i in partition)}; {_keys(order, below)})"
                added = [_short(f"{call_text(call, below)} {over}") for call in calls]
                for text in added:
                    self._say("window", text)
                return below + added
            case rel.Union(inputs=children):
                each = [self.columns(child) for child in children]
                self._say("other", f"union of {len(children)}")
                return [_short(" | ".join(column)) for column in zip(*each, strict=True)]
            case rel.FlatMap(input=child, calls=calls, kept=kept, outer=outer, ordinality=ordinality):
                below = self.columns(child)
                added = [
                    _short(f"{call.function}({', '.join(_text(arg, below) for arg in call.args)})")
                    for call in calls
                ]
                self._say("join", f"{'outer ' if outer else ''}{', '.join(added)}")
                return [*(below[i] for i in kept), *added, *(["ordinality"] if ordinality else [])]
            case rel.LetRec(bindings=bindings, body=body, limit=limit):
                for binding in bindings:
                    self._say(
                        "other", f"recursion {_short(', '.join(self.columns(binding.value)))} to {limit}"
                    )
                return self.columns(body)
            case rel.Negate() | rel.Threshold() | rel.AssertSingle():
                self._say("other", type(relation).__name__.lower())
                return self.columns(inputs(relation)[0])
        raise AssertionError(relation)

    def _join(self, join: rel.Join) -> list[str]:
        left, right = self.columns(join.left), self.columns(join.right)
        both = left + right
        pairs = zip(join.left_keys, join.right_keys, strict=True)
        conditions = [f"{_text(a, left)} = {_text(b, right)}" for a, b in pairs]
        conditions += [_text(predicate, both) for predicate in join.residual]
        self._say(
            "join", f"{join.kind.value} on {' and '.join(sorted(conditions)) or 'true'}" if both else ""
        )
        one_sided = join.kind in (rel.JoinKind.SEMI, rel.JoinKind.ANTI)
        return left if one_sided else both


def _text(scalar: Scalar, names: Sequence[str]) -> str:
    return _short(show(scalar, names))


def _keys(order: Iterable[rel.OrderBy], names: Sequence[str]) -> str:
    return ", ".join(
        names[key.index] + (" desc" if key.descending else "") + (" nulls first" if key.nulls_first else "")
        for key in order
    )


def _short(text: str) -> str:
    if len(text) <= MOST_TEXT:
        return text
    return f"{text[:100]} ... ({hashlib.sha256(text.encode()).hexdigest()[:12]})"
