"""What moves data: the contents of a collection, what is committed to it, how far it is complete."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr.tree.relation import GlobalId
from ...persist.client import PartRef, ShardId
from ...persist.key_search import KeySearch
from ...repr.schema import Schema


@dataclass(frozen=True, slots=True)
class ChangesOf:
    """Of an input that tells changes, those in `[lower, upper)`, of the collection's first `width` columns."""

    lower: int
    upper: int
    width: int


@dataclass(frozen=True, slots=True)
class Import:
    """One input of a dataflow, a sink or a query.

    The contents at `as_of` are in `snapshot`; `updates` holds every update with `as_of < time < upper`; what comes
    later arrives in `Progress` or is handed over by a dataflow of the same replica.  A `timestamped` collection is
    complete below `Progress.closed`.

    With `changes`, which a query has only, the contents are rows that tell what is in `updates`; `snapshot` are the parts
    that have errors.

    With `columns`, which a query may have, it reads of `schema` these only, in this order; rows that `search` does not ask for
    may be left out.
    """

    id: GlobalId
    shard: ShardId
    schema: Schema
    timestamped: bool
    as_of: int
    snapshot: tuple[PartRef, ...]
    updates: tuple[PartRef, ...]
    upper: int
    changes: ChangesOf | None = None
    columns: tuple[int, ...] | None = None
    search: KeySearch | None = None


@dataclass(frozen=True, slots=True)
class Updates:
    """Parts of one collection with times in `[lower, upper)`, just committed.

    `schema` is given when it is not that of every `Import` of the collection: columns were added meanwhile.
    """

    id: GlobalId
    lower: int
    upper: int
    parts: tuple[PartRef, ...]
    schema: Schema | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Every collection that the coordinator stamps is complete below `closed`; those in `uppers` below theirs.

    Nothing will be read from an index before `since`.
    """

    closed: int
    since: int
    updates: tuple[Updates, ...] = ()
    uppers: tuple[tuple[GlobalId, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Append:
    """The outputs of one step: written views, and the frontiers of all dataflows that moved.

    Or, before these, how far indexes have come, in `uppers`, and, in `computed`, views whose output is yet to be written."""

    writes: tuple[Updates, ...]
    uppers: tuple[tuple[GlobalId, int], ...]
    computed: tuple[tuple[GlobalId, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Appended:
    """The answer to `Append`: these views are durable below their upper."""

    uppers: tuple[tuple[GlobalId, int], ...]
