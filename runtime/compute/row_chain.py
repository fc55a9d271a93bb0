"""Chains: Map, Filter and Project over one collection, at one time, computed without a graph.

What a look-up asks of the rows that it found is such a chain, and so is a SELECT without FROM.  They are of a few
rows, so that making a plan and its operators would take longer than running them.  The chain is lowered to the same
operator as in a dataflow (`Mfp`), so rows and errors are the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr.tree.relation import Constant, Filter, Get, GlobalId, Map, Project, Relation
from ..expr.tree.scalar import NowCompare
from ..repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows, concat_batches, empty_batch, empty_delta
from ..repr.schema import ERROR_SCHEMA
from .lower.edge import Edge
from .operators.linear import MapFilterProject


def is_chain(query: Relation) -> bool:
    """Whether the query may be one: a temporal filter in it says no after all."""
    leaf = query
    while isinstance(leaf, Map | Filter | Project):
        leaf = leaf.input
    return isinstance(leaf, Get | Constant)


def evaluate_chain(query: Relation, inputs: Mapping[GlobalId, Batch | Delta]) -> Delta | None:
    """The rows of `query` over `inputs`, with the times that these have, those of literal rows at 0; not consolidated.
    None when it is no chain."""
    nodes: list[Map | Filter | Project] = []
    leaf = query
    while isinstance(leaf, Map | Filter | Project):
        nodes.append(leaf)
        leaf = leaf.input
    if not isinstance(leaf, Get | Constant):
        return None
    edge = Edge(0, len(leaf.schema), list(range(len(leaf.schema))))
    for node in reversed(nodes):
        match node:
            case Map(scalars=scalars):
                edge.columns += [edge.place(scalar) for scalar in scalars]
            case Project(indices=indices):
                edge.columns = [edge.columns[i] for i in indices]
            case Filter(predicates=predicates):
                for predicate in predicates:
                    if isinstance(predicate, NowCompare):
                        return None
                    edge.filter(predicate)
    rows = _rows(leaf, inputs)
    mfp = edge.mfp()
    if mfp is None:
        return rows
    if not len(rows.oks):
        return Delta(empty_batch(query.schema), rows.errs)
    found = MapFilterProject(mfp, leaf.schema, query.schema).apply((rows.oks,), 0, 0)
    if not len(rows.errs):
        return found
    return Delta(found.oks, concat_batches(ERROR_SCHEMA, [rows.errs, found.errs]))


def _rows(leaf: Get | Constant, inputs: Mapping[GlobalId, Batch | Delta]) -> Delta:
    if isinstance(leaf, Constant):
        return Delta(batch_from_rows(leaf.schema, leaf.rows, 0), NO_ERRORS)
    found = inputs.get(leaf.id)
    if found is None:
        return empty_delta(leaf.schema)
    return found if isinstance(found, Delta) else Delta(found, NO_ERRORS)
