"""Chains: Map, Filter and Project over one collection, at one time, computed without a graph.

What a look-up asks of the rows that it found is such a chain, and so is a SELECT without FROM: of a few rows, so that making a
plan and its operators would take longer than running them.  Over many rows it is applied to each piece of them.  The chain is
lowered to the same operator as in a dataflow (`Mfp`), so rows and errors are the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..expr.tree.relation import Constant, Filter, Get, GlobalId, Map, Project, Relation
from ..expr.tree.scalar import NowCompare
from ..interrupt import check_interrupt
from ..repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows, concat_batches, empty_batch, empty_delta
from ..repr.buffers import constant
from ..repr.consolidate import advance
from ..repr.float_facts import FloatFacts
from ..repr.rows import Rows, without_removed
from ..repr.schema import ERROR_SCHEMA, Schema
from .lower.edge import Edge
from .operators.counts import Counts, occurs
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
    chain = chain_of(query)
    if chain is None:
        return None
    rows = _rows(chain.leaf, inputs)
    found = chain.apply(rows.oks)
    if not len(rows.errs):
        return found
    return Delta(found.oks, concat_batches(ERROR_SCHEMA, [rows.errs, found.errs]))


def evaluate_chain_of_rows(
    query: Relation, inputs: Mapping[GlobalId, Rows], time: int, limit: int | None = None
) -> Delta | None:
    """The rows of `query` at `time`, piece by piece, not consolidated; with `limit`, so many of them are enough.  None when it
    is no chain over a collection."""
    chain = chain_of(query)
    if chain is None or isinstance(chain.leaf, Constant) or (rows := inputs.get(chain.leaf.id)) is None:
        return None
    oks, errs, missing = [], [rows.errs], limit
    for piece in rows.pieces if limit is None else rows.present:
        check_interrupt()
        found = chain.apply(piece)
        oks.append(found.oks)
        errs.append(found.errs)
        if missing is not None and (missing := missing - len(found.oks)) <= 0:
            break
    whole = concat_batches(query.schema, without_removed(query.schema, oks))
    if limit is not None:
        whole = whole.slice(0, limit)
    failed = concat_batches(ERROR_SCHEMA, errs)
    if len(failed):  # what a row that was removed has failed with, it takes back
        failed = Counts(ERROR_SCHEMA).update(advance(failed, time), occurs)
    return Delta(Batch(whole.columns, constant(np.uint64(time), len(whole)), whole.diffs), failed)


def source_of_chain(query: Relation, inputs: Mapping[GlobalId, Rows]) -> Rows | None:
    """The collection that a chain is over, of which nothing is computed; None when it is none."""
    leaf = query
    while isinstance(leaf, Map | Filter | Project):
        leaf = leaf.input
    return inputs.get(leaf.id) if isinstance(leaf, Get) else None


def rows_of_chain(query: Relation, inputs: Mapping[GlobalId, Rows]) -> Rows | None:
    """The rows of a chain over a collection, piece by piece; None when it is none, or some row fails."""
    chain = chain_of(query)
    if chain is None or isinstance(chain.leaf, Constant) or (rows := inputs.get(chain.leaf.id)) is None:
        return None
    if query is chain.leaf:
        return rows
    pieces = []
    for piece in rows.pieces:
        check_interrupt()
        found = chain.apply(piece)
        if len(found.errs):
            return None
        pieces.append(found.oks)

    def floats(place: int) -> FloatFacts:
        source = chain.source(place)
        if source is not None:
            return rows.floats(source)
        return FloatFacts.merged(FloatFacts.of(piece.columns[place]) for piece in pieces)

    return Rows(query.schema, rows.time, tuple(pieces), rows.errs, floats)


class Chain:
    """Of at least one row, `apply` has what the chain makes of it."""

    def __init__(self, leaf: Get | Constant, nodes: Sequence[Map | Filter | Project], schema: Schema) -> None:
        self.leaf = leaf
        self._nothing = empty_batch(schema)
        edge = Edge(0, len(leaf.schema), list(range(len(leaf.schema))))
        for node in nodes:
            match node:
                case Map(scalars=scalars):
                    edge.columns += [edge.place(scalar) for scalar in scalars]
                case Project(indices=indices):
                    edge.columns = [edge.columns[i] for i in indices]
                case Filter(predicates=predicates):
                    for predicate in predicates:
                        edge.filter(predicate)
        self._columns = edge.columns
        mfp = edge.mfp()
        self._operator = None if mfp is None else MapFilterProject(mfp, leaf.schema, schema)

    def source(self, place: int) -> int | None:
        """Which of the leaf's columns the one at `place` is; None if it is computed."""
        found = self._columns[place]
        return found if found < len(self.leaf.schema) else None

    def apply(self, rows: Batch) -> Delta:
        if self._operator is None:
            return Delta(rows, NO_ERRORS)
        return self._operator.apply((rows,), 0, 0) if len(rows) else Delta(self._nothing, NO_ERRORS)


def chain_of(query: Relation) -> Chain | None:
    """None when the query is no chain."""
    nodes: list[Map | Filter | Project] = []
    leaf = query
    while isinstance(leaf, Map | Filter | Project):
        nodes.append(leaf)
        if isinstance(leaf, Filter) and any(isinstance(each, NowCompare) for each in leaf.predicates):
            return None
        leaf = leaf.input
    return Chain(leaf, nodes[::-1], query.schema) if isinstance(leaf, Get | Constant) else None


def _rows(leaf: Get | Constant, inputs: Mapping[GlobalId, Batch | Delta]) -> Delta:
    if isinstance(leaf, Constant):
        return Delta(batch_from_rows(leaf.schema, leaf.rows, 0), NO_ERRORS)
    found = inputs.get(leaf.id)
    if found is None:
        return empty_delta(leaf.schema)
    return found if isinstance(found, Delta) else Delta(found, NO_ERRORS)
