"""Planned statements about a session: settings, transactions, prepared statements, cursors."""

from __future__ import annotations

from dataclasses import dataclass

from ...expr.tree.scalar import Literal
from ...repr.schema import Schema
from ..catalog.catalog_view import Prepared
from ..syntax.vocabulary import Direction, Discarded
from .query_plans import Select, Subscribe

# --- session -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetVariable:
    """SET [LOCAL] name = value, or with `reset` RESET; `value` None: what the session began with."""

    name: str
    value: str | None
    local: bool
    reset: bool


@dataclass(frozen=True, slots=True)
class ShowVariable:
    """`name` None is SHOW ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Begin:
    """BEGIN, or with `start` START TRANSACTION; `read_only` None: it does not choose."""

    read_only: bool | None
    start: bool


@dataclass(frozen=True, slots=True)
class SetTransaction:
    """`read_only` None: it does not choose."""

    read_only: bool | None


@dataclass(frozen=True, slots=True)
class Commit:
    pass


@dataclass(frozen=True, slots=True)
class Rollback:
    pass


@dataclass(frozen=True, slots=True)
class Savepoint:
    name: str


@dataclass(frozen=True, slots=True)
class RollbackTo:
    """ROLLBACK TO SAVEPOINT, in a block that has failed, too."""

    name: str


@dataclass(frozen=True, slots=True)
class Release:
    name: str


@dataclass(frozen=True, slots=True)
class Prepare:
    """PREPARE: EXECUTE and the messages of the extended protocol will find `prepared` under `name`."""

    name: str
    prepared: Prepared


@dataclass(frozen=True, slots=True)
class Execute:
    """EXECUTE: `parameters` are of the types that `prepared` has.  `prepared` is None where the statement was only to be
    described and there is none of that name (yet)."""

    prepared: Prepared | None
    parameters: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class DeclareCursor:
    """`text` is the statement's own; with `hold` the cursor outlives its transaction."""

    name: str
    query: Select | Subscribe
    hold: bool
    binary: bool
    text: str


@dataclass(frozen=True, slots=True)
class Fetch:
    """FETCH, or MOVE, which goes there without showing a row.

    FORWARD and BACKWARD: the next `count` rows (None: all that are left); ABSOLUTE and RELATIVE: one row, so far from the
    start (from the end, if negative) or from here.  `schema` is what the cursor shows, None if there is none (yet).
    Of a subscription, rows are waited for until `timeout_ms` have passed; None: until there is one.
    """

    name: str
    direction: Direction
    count: int | None
    move: bool
    schema: Schema | None
    timeout_ms: int | None = None


@dataclass(frozen=True, slots=True)
class CloseCursor:
    """`name` None is ALL."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Deallocate:
    """DEALLOCATE name | ALL (`name` None)."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Discard:
    """DISCARD: of what the session has made for itself, all, the temporary objects, or caches that hold nothing here."""

    what: Discarded


@dataclass(frozen=True, slots=True)
class NoOp:
    """Accepted, nothing to do (VACUUM, ANALYZE, ALTER ... IF EXISTS of what is not there); `tag` is the command tag."""

    tag: str
    notices: tuple[str, ...] = ()


SessionPlan = (
    SetTransaction
    | SetVariable
    | ShowVariable
    | Begin
    | Commit
    | Rollback
    | Savepoint
    | RollbackTo
    | Release
    | Prepare
    | Execute
    | Fetch
    | CloseCursor
    | Deallocate
    | Discard
    | NoOp
)
"""Statements that need no privilege; what EXECUTE runs is checked as what it is."""
