"""What a worker is asked: a relation, and where the rows that it reads are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...compute.run import RunFile
from ...compute.run_file import read_run
from ...expr.tree.relation import GlobalId, Relation
from ...repr.batch import Batch, from_ipc, to_ipc
from ...repr.rows import Rows, gathered
from ...repr.schema import ERROR_SCHEMA, Schema
from ..index import HeldRows, contents
from ..protocol import Import


@dataclass(frozen=True, slots=True)
class IndexContents:
    """Rows of an index, not consolidated, as Arrow IPC and as runs on file, which exist while the query's sender holds their
    `RunFile`; and its errors."""

    id: GlobalId
    schema: Schema
    rows: tuple[bytes, ...]
    files: tuple[RunFile, ...]
    errors: bytes | None

    @classmethod
    def of_rows(cls, id: GlobalId, schema: Schema, rows: Batch, errors: Batch) -> IndexContents:
        return cls(id, schema, (to_ipc(schema, rows),), (), _errors(errors))

    @classmethod
    def of_held(cls, id: GlobalId, schema: Schema, held: HeldRows, errors: Batch) -> IndexContents:
        """All rows: mapped runs are mapped by the worker, too, the others travel."""
        travelling = tuple(to_ipc(schema, batch) for batch in held.unmapped)
        return cls(id, schema, travelling, held.mapped, _errors(errors))

    def at(self, as_of: int) -> Rows:
        """The contents at `as_of`."""
        updates = [from_ipc(payload) for payload in self.rows]
        updates += [read_run(file, mapped=True).batch for file in self.files]
        pieces = [batch.filter(batch.times <= np.uint64(as_of)) for batch in updates]
        errors = contents(ERROR_SCHEMA, [] if self.errors is None else [from_ipc(self.errors)], as_of)
        return Rows(self.schema, as_of, gathered(self.schema, pieces), errors)


def _errors(errors: Batch) -> bytes | None:
    return to_ipc(ERROR_SCHEMA, errors) if len(errors) else None


@dataclass(frozen=True, slots=True)
class Query:
    """`relation` at `as_of`, over collections and at most one index; its answer is sent as that of `peek_id`.  With `limit`, so
    many of its rows are enough, whichever; if `consolidated`, equal rows are answered once.  DuckDB computes it over `duckdb_min_rows` rows or more."""

    peek_id: int
    relation: Relation
    as_of: int
    inputs: tuple[Import, ...] = ()
    index: IndexContents | None = None
    limit: int | None = None
    consolidated: bool = False
    duckdb_min_rows: int = 0
