"""The optimizer: RULES, in order, each named like its file.

A rule maps a relation to one with the same rows and the same column types; names of inner columns may change,
those of the result do not.  It introduces no error.  The order matters: what planning wrote for correlated subqueries
is looked for first; filters reach outer joins before those are narrowed, and move on through what has become an inner
join afterwards; predicates on one side of a join go to the other when filters stand where they belong; columns are
narrowed last.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from ..expr.tree.relation import Constant, Filter, Get, Map, Project, Relation
from ..interrupt import check_interrupt
from .bound_row_numbers import bound_row_numbers
from .drop_empty import drop_empty
from .elide_distinct import elide_distinct
from .elide_domains import elide_domains
from .elide_reduce import elide_reduce
from .elide_self_joins import elide_self_joins
from .flatten_unions import flatten_unions
from .fold_constants import fold_constants
from .fuse_top_k import fuse_top_k
from .narrow_columns import narrow_columns
from .order_joins import order_joins
from .outer_to_inner import outer_to_inner
from .pin_ties import pin_ties
from .propagate_equivalences import propagate_equivalences
from .push_predicates import push_predicates
from .type_check import check_types

Rule = Callable[[Relation], Relation]

RULES: tuple[Rule, ...] = (
    elide_domains,
    pin_ties,
    fold_constants,
    flatten_unions,
    push_predicates,
    outer_to_inner,
    push_predicates,
    outer_to_inner,
    push_predicates,
    propagate_equivalences,
    push_predicates,
    bound_row_numbers,
    fold_constants,
    drop_empty,
    flatten_unions,
    elide_distinct,
    elide_self_joins,
    elide_reduce,
    fuse_top_k,
    order_joins,
    narrow_columns,
)

CHAIN_RULES: tuple[Rule, ...] = (
    fold_constants,
    push_predicates,
    propagate_equivalences,
    fold_constants,
    drop_empty,
    narrow_columns,
)
"""Those of RULES that find something in a chain of filters, maps and projections over one collection.  Of what planning
a look-up takes, the others were a fifth."""

CHECKED = bool(os.environ.get("PTVC_CHECK_PLANS"))
"""Whether relations are type-checked between rules."""


def optimize(relation: Relation) -> Relation:
    """`relation` after every rule.  The same rows; deterministic; no more than a few milliseconds."""
    if CHECKED:
        return _checked(relation)
    for rule in CHAIN_RULES if is_chain(relation) else RULES:
        check_interrupt()
        relation = rule(relation)
    return relation


def is_chain(relation: Relation) -> bool:
    """Whether it is filters, maps and projections over one collection, or rows."""
    while isinstance(relation, Map | Filter | Project):
        relation = relation.input
    return isinstance(relation, Get | Constant)


def _checked(relation: Relation) -> Relation:
    """As `optimize`; a rule that breaks a relation is an AssertionError that names it, and so is one that
    `CHAIN_RULES` lacks."""
    check_types(relation)
    schema = relation.schema
    shortened = None
    if is_chain(relation):
        shortened = relation
        for rule in CHAIN_RULES:
            shortened = rule(shortened)
    for rule in RULES:
        relation = rule(relation)
        try:
            check_types(relation)
            assert relation.schema.types == schema.types, f"{relation.schema.types}, not {schema.types}"
        except AssertionError as error:
            raise AssertionError(f"{rule.__name__}: {error}") from error
    assert relation.schema.names == schema.names, f"{relation.schema.names}, not {schema.names}"
    assert shortened is None or repr(shortened) == repr(relation), f"{shortened}, not {relation}"
    return relation
