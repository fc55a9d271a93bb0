"""One-off queries, and their answers, a chunk at a time."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr.tree.relation import GlobalId, Relation
from .commits import Import


@dataclass(frozen=True, slots=True)
class Peek:
    """A one-off query at `as_of`: `relation` over the contents of `inputs`; with `limit`, so many of its rows are enough, whichever.
    Equal rows may come apart, unless the answer is to be `consolidated`."""

    peek_id: int
    relation: Relation
    as_of: int
    inputs: tuple[Import, ...]
    limit: int | None = None
    consolidated: bool = False


@dataclass(frozen=True, slots=True)
class PeekIndex:
    """Rows of an index at `as_of`: all of them, or those whose key equals a row of `keys` (Arrow IPC).

    `wanted` of them: columns, or a relation that reads the index as `Get(index_id)`.  Equal rows may come apart, unless the answer
    is to be `consolidated`.
    """

    peek_id: int
    index_id: GlobalId
    keys: bytes | None
    wanted: tuple[int, ...] | Relation
    as_of: int
    consolidated: bool = False


@dataclass(frozen=True, slots=True)
class CancelPeek:
    peek_id: int


@dataclass(frozen=True, slots=True)
class LargeQueries:
    """Queries over `rows` rows or more are for DuckDB."""

    rows: int


@dataclass(frozen=True, slots=True)
class PeekRows:
    """A chunk of a peek's answer: one Arrow IPC batch of rows with their multiplicities; `done` on the last."""

    peek_id: int
    payload: bytes
    done: bool


@dataclass(frozen=True, slots=True)
class PeekFailed:
    peek_id: int
    sqlstate: str
    message: str
    hint: str | None = None
