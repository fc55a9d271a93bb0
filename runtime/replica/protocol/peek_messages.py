"""One-off queries, and their answers, a chunk at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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
class LookUp:
    """Columns of the rows of an index at `as_of`, by some keys, asked for by several clients at once.

    `keys` has a list for each of the key's columns, of values from which Arrow makes arrays of their types: of a few values these
    take a tenth of the time of an array, here and there.  Answered by a `LookedUp`.
    """

    peek_id: int
    index_id: GlobalId
    keys: tuple[list[Any], ...]
    columns: tuple[int, ...]
    as_of: int


@dataclass(frozen=True, slots=True)
class LookedUp:
    """Of the rows (`to_record`), each as often as it occurs, so many have the first key, and so on: `counts`.  None if they cannot be
    had like this: the index is not there, not readable then, or has errors, or the rows are too many.  Whoever asked asks otherwise, and
    is told what is wrong."""

    peek_id: int
    rows: bytes | None
    counts: tuple[int, ...] = ()


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
