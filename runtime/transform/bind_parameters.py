"""Parameters get their values: what an execution does to a plan that was made without them.

```
plan over $1, $2 ── values in their places, these expressions folded ──> plan
```

Only nodes that read a parameter, and those above them, are looked at.  What the values decide (`$1 = 'all' OR a = $1` becomes TRUE, or a filter
FALSE) may be worth more than a fold: then every rule is applied again.  A VALUES of parameters becomes its row.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..expr.tree.constant_list import as_array
from ..expr.tree.relation import Constant, Filter, Join, Map, Project, Relation
from ..expr.tree.relation_tree import inputs, scalars_of, with_scalars
from ..expr.tree.scalar import Literal, Parameter, Scalar, transform, walk
from .fold_constants import fold_node
from .pipeline import optimize
from .rewrite import bottom_up


def bind_parameters(
    relation: Relation, values: Sequence[Literal], free: Sequence[Relation] | None = None
) -> Relation:
    """`relation`, an optimized one, with `values[n - 1]` for `$n`; optimized again where they decide something.

    `free` is `parameter_free(relation)`, if it is known.
    """
    decided = False

    def change(node: Relation) -> Relation:
        nonlocal decided
        if any(map(has_parameter, scalars_of(node))):
            bound = with_scalars(node, lambda scalar: bind_scalar(scalar, values))
            node = fold_node(bound)
            decided = decided or _decides(bound, node)
        return _rows(node)

    bound = bottom_up(relation, change, parameter_free(relation) if free is None else free)
    return optimize(bound) if decided else bound


def parameter_free(relation: Relation) -> tuple[Relation, ...]:
    """The largest trees in `relation` in which no parameter is read."""
    known: dict[int, bool] = {}
    found: list[Relation] = []

    def is_free(node: Relation) -> bool:
        if (free := known.get(id(node))) is None:
            below = inputs(node)
            each = [is_free(child) for child in below]
            free = known[id(node)] = all(each) and not any(map(has_parameter, scalars_of(node)))
            if not free:
                found.extend(child for child, child_free in zip(below, each, strict=True) if child_free)
        return free

    return (relation,) if is_free(relation) else tuple(found)


def bind_scalar(scalar: Scalar, values: Sequence[Literal]) -> Scalar:
    """The expression with `values[n - 1]` for `$n`."""

    def bound(node: Scalar) -> Scalar:
        return values[node.number - 1] if isinstance(node, Parameter) else as_array(node)

    return transform(scalar, bound)


def has_parameter(scalar: Scalar) -> bool:
    return any(isinstance(node, Parameter) for node in walk(scalar))


def _decides(before: Relation, after: Relation) -> bool:
    """Whether folding has taken a predicate away, or taken one apart."""
    match before, after:
        case Filter(predicates=old), Filter(predicates=new):
            return len(old) != len(new)
        case Join(residual=old), Join(residual=new):
            return len(old) != len(new) or any(isinstance(predicate, Literal) for predicate in new)
        case Filter(), _:
            return True
        case _:
            return False


def _rows(node: Relation) -> Relation:
    """Literals beside a literal row are a literal row."""
    match node:
        case Map(input=Constant(rows=(row,)), scalars=scalars):
            added = tuple(scalar.value for scalar in scalars if isinstance(scalar, Literal))
            if len(added) == len(scalars):
                return Constant((row + added,), node.schema)
        case Project(input=Constant(rows=(row,)), indices=indices):
            return Constant((tuple(row[i] for i in indices),), node.schema)
    return node
