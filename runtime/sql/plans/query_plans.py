"""Planned queries and subscriptions."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from ...expr.tree.relation import Finishing, GlobalId, OrderBy, Relation
from ...expr.tree.scalar import Scalar
from ...repr.schema import Schema

# --- queries -----------------------------------------------------------------------------------------------------


Reads = frozenset[GlobalId]
"""The relations whose columns a statement names, for whom it must be allowed to SELECT; views, not what is below them."""


@dataclass(frozen=True, slots=True)
class AsOf:
    """When to read: at `time`, or, with `at_least`, at the latest time that needs no waiting, not before.

    `time` is a constant expression but for parameters and `mz_now()`: a bigint of milliseconds, or an instant.
    """

    time: Scalar
    at_least: bool


@dataclass(frozen=True, slots=True)
class Select:
    """A one-off query.  `schema` is what the client sees, after `finishing`; without `as_of` it is read now."""

    relation: Relation
    finishing: Finishing
    schema: Schema
    as_of: AsOf | None = None
    reads: Reads = frozenset()


@dataclass(frozen=True, slots=True)
class ServerCall:
    """For each row: a call of a function that acts on the server, whose result is column `column`; `arguments` are columns."""

    name: str
    column: int
    arguments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Calling:
    """The rows of `query`, of which the client sees the columns of `schema`, and what each of them calls, in this order."""

    query: Select
    schema: Schema
    calls: tuple[ServerCall, ...]


class Envelope(enum.Enum):
    NONE = "none"
    UPSERT = "upsert"
    DEBEZIUM = "debezium"


@dataclass(frozen=True, slots=True)
class Subscribe:
    """`relation` and how it changes, as rows of `schema` (see `sql.statement.subscribe`).

    `order` is that of the rows of one time: column 0 is the diff, then come the relation's.  `key` are columns of the
    relation.  `up_to` is a time as in `AsOf`; changes at it are not returned any more.
    """

    relation: Relation
    schema: Schema
    snapshot: bool
    progress: bool
    as_of: AsOf | None
    up_to: Scalar | None
    order: tuple[OrderBy, ...]
    envelope: Envelope
    key: tuple[int, ...]
    reads: Reads = frozenset()


QueryPlan = Select | Subscribe
