"""A query over snapshots by DuckDB, as far as `relations` goes, and by the operators of dataflows from there on.

```
        TopK                          ┐
    Map[lower(name)]   operators      │ DuckDB, over what the operators have computed
  Join                 ┐ DuckDB       ┘
 Get   Get             ┘
```

Nothing here can answer differently from `compute.oneshot`; where it would have to, it leaves the query to that one: when a
collection has errors, a -0.0, or rows that occur very often, when DuckDB fails, and when an operator does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from ...expr.tree.relation import Aggregate, Get, GlobalId, LetRec, Reduce, Relation
from ...expr.tree.relation_tree import inputs as inputs_of
from ...expr.tree.relation_tree import with_inputs
from ...expr.tree.scalar import ColumnRef
from ...interrupt import check_interrupt
from ...repr.batch import NO_ERRORS, Batch, Delta, concat_batches, empty_batch, one_of_each
from ...repr.float_facts import FloatFacts
from ...repr.rows import Rows, without_removed
from ...repr.types import ScalarType
from ..oneshot import evaluate_in_order
from .aggregates import is_split
from .relations import Input, Sql, relation_sql
from .scalars import NotInSql, as_integers
from .sums import UNSCALED, Scale, finished, scale_of, source

MOST_REPEATED = 4
"""Rows are written out as often as they occur when that makes at most so many times as many."""


Pieces = tuple[Batch, ...]
"""The rows of one after the other."""


class _NotHere(Exception):
    """The query is left to the operators."""


def evaluate_by_duckdb(
    relation: Relation, inputs: Mapping[GlobalId, Rows], time: int, limit: int | None = None
) -> Delta | None:
    """The rows of `relation` over the collections as they stand at `time`, not consolidated, or `limit` of them; None when the
    operators are to compute it."""
    if any(len(rows.errs) for rows in inputs.values()):
        return None
    try:
        found = _Evaluation(inputs, time).first_pieces(relation, limit)
    except _NotHere:
        return None
    return Delta(concat_batches(relation.schema, found), NO_ERRORS)


def prepare() -> None:
    """Does what the first query of a process would take tens of milliseconds for."""
    _connection().execute("SELECT 1")


class _Evaluation:
    def __init__(self, inputs: Mapping[GlobalId, Rows], time: int) -> None:
        self._inputs = inputs
        self._time = time
        self._done: dict[int, Pieces] = {}
        self._tables: dict[tuple[int, bool], pa.Table] = {}

    def first_pieces(self, node: Relation, limit: int | None) -> Pieces:
        """The rows, or `limit` of them."""
        if limit is None:
            return self.pieces(node)
        with suppress(NotInSql):
            if not isinstance(node, Get) and not (sql := relation_sql(node, self._is_counted)).counted:
                return self._batches(self._answered(sql, limit), sql, node)
        found = []
        for piece in self.pieces(node):
            found.append(piece.slice(0, limit))
            limit -= len(found[-1])
        return tuple(found)

    def pieces(self, node: Relation) -> Pieces:
        """The rows, each as often as it occurs.  What stands in several places is the same object: it is computed once."""
        if (found := self._done.get(id(node))) is None:
            self._done[id(node)] = found = self._computed(node)
        return found

    def _computed(self, node: Relation) -> Pieces:
        check_interrupt()
        if isinstance(node, Get):
            rows = self._inputs.get(node.id)  # one that is missing is empty
            return () if rows is None else _written_out(rows.present)
        try:
            if isinstance(node, Reduce) and any(map(is_split, node.aggregates)):
                return (self._reduced(node),)
            sql = relation_sql(node, self._is_counted)
        except NotInSql:
            return _written_out((self._by_operators(node),))
        return self._batches(self._answered(sql), sql, node)

    def _is_counted(self, node: Get) -> bool:
        rows = self._inputs.get(node.id)
        return rows is not None and not all(_once_each(piece) for piece in rows.pieces)

    def _reduced(self, node: Reduce) -> Batch:
        scales = [
            self._scale(node, aggregate) if is_split(aggregate) else None for aggregate in node.aggregates
        ]
        sql = relation_sql(
            node, self._is_counted, [None if scale is None else scale.exponent for scale in scales]
        )
        found = iter(self._answered(sql))
        columns = [_typed(next(found), key.type) for key in node.keys]
        for aggregate, scale in zip(node.aggregates, scales, strict=True):
            if scale is None:
                columns.append(_typed(next(found), aggregate.type))
            else:
                columns.append(finished(aggregate, scale, next(found), next(found)))
        return self._batch(columns, node)

    def _scale(self, node: Reduce, aggregate: Aggregate) -> Scale:
        """At which the values of the aggregate are integers."""
        argument = aggregate.argument
        assert argument is not None
        if not argument.type.is_float:
            return UNSCALED
        if not isinstance(argument, ColumnRef):
            raise NotInSql("a sum of computed floats")
        leaf, index = source(node.input, argument.index)
        rows = self._inputs.get(leaf.id)
        scale = scale_of(FloatFacts(), 0) if rows is None else scale_of(rows.floats(index), len(rows))
        if scale is None:
            raise _NotHere
        return scale

    def _by_operators(self, node: Relation) -> Batch:
        """What is below is computed here."""
        if isinstance(node, LetRec):  # its bindings mean something inside it only
            given = {id_: rows.delta for id_, rows in self._inputs.items()}
        else:
            places = [Get(f"computed {number}", child.schema) for number, child in enumerate(inputs_of(node))]
            given = {
                place.id: Delta(concat_batches(child.schema, self.pieces(child)), NO_ERRORS)
                for place, child in zip(places, inputs_of(node), strict=True)
            }
            node = with_inputs(node, tuple(places))
        found = evaluate_in_order(node, given, self._time)
        if len(found.errs):
            raise _NotHere
        return found.oks

    def _table(self, input: Input) -> pa.Table:
        key = id(input.relation), input.counted
        if (found := self._tables.get(key)) is None:
            relation = input.relation
            rows = self._inputs.get(relation.id) if isinstance(relation, Get) else None
            if input.counted:
                assert rows is not None
                pieces = rows.pieces
            else:
                pieces = self.pieces(relation)
            pieces = pieces or (empty_batch(relation.schema),)
            for place, type_ in enumerate(relation.schema.types):
                if type_.is_float and _floats(rows, pieces, place).negative_zero:
                    raise _NotHere
            found = pa.Table.from_batches([_record(piece, counted=input.counted) for piece in pieces])
            self._tables[key] = found
        return found

    def _answered(self, sql: Sql, limit: int | None = None) -> list[pa.Array]:
        text = sql.text if limit is None else f"SELECT * FROM ({sql.text}) LIMIT {limit}"
        tables = {f"i{place}": self._table(input) for place, input in enumerate(sql.inputs)}
        connection = _connection().cursor()
        try:
            for name, table in tables.items():
                connection.register(name, table)
            found = connection.sql(text).to_arrow_table()
        except duckdb.Error as error:  # a sum that is too large, a join that it does not do
            raise _NotHere from error
        finally:
            connection.close()
        return [_one_chunk(column) for column in found.columns]

    def _batches(self, columns: Sequence[pa.Array], sql: Sql, node: Relation) -> Pieces:
        """The answer to `sql`, each row as often as it occurs."""
        if not sql.counted:
            return (self._batch(columns, node),)
        *values, counts = columns
        found = replace(self._batch(values, node), diffs=counts.to_numpy().astype(np.int64))
        return _written_out(without_removed(node.schema, (found,)))

    def _batch(self, columns: Sequence[pa.Array], node: Relation) -> Batch:
        """Of at least one column: a relation without has one that does not count."""
        rows = len(columns[0])
        typed = tuple(
            _typed(column, type_) for column, type_ in zip(columns, node.schema.types, strict=False)
        )
        return Batch(typed, np.full(rows, self._time, np.uint64), np.ones(rows, np.int64))


def _once_each(rows: Batch) -> bool:
    return bool((one_of_each(rows.diffs) == 1).all())


def _written_out(pieces: Iterable[Batch]) -> Pieces:
    """Every row as often as it occurs, each once."""
    found = []
    for rows in pieces:
        if not _once_each(rows):
            diffs = rows.diffs
            if (diffs < 0).any() or diffs.sum() > MOST_REPEATED * len(diffs):
                raise _NotHere
            taken = rows.take(np.repeat(np.arange(len(diffs)), diffs))
            rows = Batch(taken.columns, taken.times, np.ones(len(taken), np.int64))
        found.append(rows)
    return tuple(found)


def _record(rows: Batch, *, counted: bool) -> pa.RecordBatch:
    """For DuckDB; at least one column."""
    columns = {f"c{i}": as_integers(column) for i, column in enumerate(rows.columns)}
    if counted:
        columns["d"] = pa.array(rows.diffs)
    return pa.RecordBatch.from_pydict(columns or {"none": pa.nulls(len(rows), pa.int8())})


def _typed(column: pa.Array, type_: ScalarType) -> pa.Array:
    return column if column.type == type_.arrow else column.view(type_.arrow)


def _floats(rows: Rows | None, pieces: Pieces, place: int) -> FloatFacts:
    """What is true of a column of pieces, which are some of a collection's `rows` if that is not None."""
    if rows is not None:
        return rows.floats(place)
    return FloatFacts.merged(FloatFacts.of(piece.columns[place]) for piece in pieces)


def _one_chunk(column: pa.ChunkedArray) -> pa.Array:
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


@cache
def _connection() -> Any:
    """One of the process, which has nothing but the tables that a query registers."""
    return duckdb.connect(
        ":memory:",
        config={
            "threads": 1,
            "enable_external_access": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "python_enable_replacements": False,
        },
    )
