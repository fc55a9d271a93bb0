"""A session's transaction: what it has read, what it will write.

Writes wait, encoded, until COMMIT makes them durable together at one time.  They are only ever added to, so a savepoint
notes how many there are, and costs what the block has of tables and not of rows.  What a write was computed from is checked
then: if somebody has written to it since, the transaction is refused (40001), or, for a single statement, run again.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ...errors import InvalidTransactionState
from ...expr.tree.relation import GlobalId
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import Shape, Table
from ..results.cursor import Cursor
from ..storage.expectation import Expected, KeyId
from ..storage.key_counts import KeyCounts
from ..storage.parts import WrittenPart
from ..variables import VariablesState
from .block_catalog import BlockCatalog


@dataclass(frozen=True, slots=True)
class Savepoint:
    """What a block would have written when it set the savepoint: of each table so many parts, with what they were
    computed from and the keys that they change; what it had defined; and the session's variables, and its cursors."""

    name: str
    parts: dict[GlobalId, int]
    expect: dict[GlobalId, Expected]
    keys: dict[KeyId, KeyCounts]
    upserted: frozenset[int]
    shapes: dict[GlobalId, Shape]
    definitions: Mapping[str, Change] | None
    variables: VariablesState
    cursors: tuple[Cursor, ...]


class TransactionKind(enum.Enum):
    IMPLICIT = "implicit"  # one statement, or the statements of one simple Query or up to one Sync
    EXPLICIT = "explicit"  # BEGIN ... COMMIT


@dataclass(slots=True)
class Transaction:
    """`time` is fixed by the first read of a block; `expect` is what writes were computed from, by table; `failed` holds after an error until the block ends; `batch` is an implicit transaction of
    several statements, and `first` that the one that runs is the first of its message or pipeline; `own` is the catalog with what the block has defined, if it has; `keys` are the changes to the keys of unique constraints, by the constraint's oid, and
    `upserted` those of them that an ON CONFLICT looked at; `shapes` is what the written rows were made for; `savepoints`
    are those of the block, the newest last."""

    kind: TransactionKind
    now_us: int
    time: int | None = None
    failed: bool = False
    batch: bool = False
    first: bool = True
    writes: dict[GlobalId, list[WrittenPart]] = field(default_factory=dict)
    expect: dict[GlobalId, Expected] = field(default_factory=dict)
    keys: dict[KeyId, KeyCounts] = field(default_factory=dict)
    upserted: set[int] = field(default_factory=set)
    shapes: dict[GlobalId, Shape] = field(default_factory=dict)
    savepoints: list[Savepoint] = field(default_factory=list)
    own: BlockCatalog | None = None
    _release: Callable[[], None] | None = None

    @property
    def single(self) -> bool:
        """Nothing but one statement, which may commit at once and be run again."""
        return self.kind is TransactionKind.IMPLICIT and not self.batch

    @property
    def in_block(self) -> bool:
        """Whether the statement that runs is part of something larger, as PostgreSQL sees it when a command says that it cannot
        be, or has to be."""
        return self.kind is TransactionKind.EXPLICIT or not self.first

    def begin_block(self) -> None:
        """BEGIN: an implicit transaction becomes the block, with what it has done so far; a block stays one."""
        self.kind = TransactionKind.EXPLICIT

    def check_may_write(self) -> None:
        """Raises 25001 when it is too late for a read-only transaction to become another."""
        if self.savepoints:
            raise InvalidTransactionState(
                "cannot set transaction read-write mode inside a read-only transaction", sqlstate="25001"
            )
        if self.time is not None:
            raise InvalidTransactionState(
                "transaction read-write mode must be set before any query", sqlstate="25001"
            )

    def fix_time(self, time: int, hold: Callable[[int], Callable[[], None]]) -> None:
        """All reads from now on are at `time`, which stays readable until `end`."""
        self.time = time
        self._release = hold(time)

    def end(self) -> None:
        if self._release is not None:
            self._release()
            self._release = None

    def extent(self) -> tuple[int, int]:
        """Grows with all that the transaction will write or define."""
        defined = len(self.own.changes) if self.own is not None else 0
        return sum(map(len, self.writes.values())), defined

    def overlay(self) -> dict[GlobalId, tuple[WrittenPart, ...]]:
        return {id_: tuple(parts) for id_, parts in self.writes.items()}

    def settle(self) -> bool:
        """What the block has dropped itself has no rows and no keys.  Whether it leaves definitions behind."""
        own = self.own
        if own is None:
            return False
        self.writes = {id_: parts for id_, parts in self.writes.items() if id_ in self.shapes}
        items = [item for item in map(own.catalog.find_by_id, self.writes) if isinstance(item, Table)]
        oids = {constraint.oid for item in items for constraint in item.constraints}
        self.keys = {oid: counts for oid, counts in self.keys.items() if oid in oids}
        if not own.changes:
            self.own = None
        return bool(own.changes)

    def add(self, id: GlobalId, parts: tuple[WrittenPart, ...]) -> None:
        if parts:
            self.writes.setdefault(id, []).extend(parts)

    def define(self, shared: Catalog) -> BlockCatalog:
        """From now on the block has a catalog of its own."""
        if self.own is None:
            self.own = BlockCatalog(shared)
        return self.own

    def defined(self, changes: Iterable[Change]) -> None:
        """What one more definition of the block has changed; rows that it has written already are as they are stored."""
        assert self.own is not None
        changes = list(changes)
        self.own.add(changes)
        for change in changes:
            if isinstance(change.after, Table) and change.after.id in self.shapes:
                self.shapes[change.after.id] = change.after.shape
            elif isinstance(change.before, Table) and change.after is None:
                self.shapes.pop(change.before.id, None)

    def fail(self) -> None:
        """After an error: what was written since the newest savepoint is gone already, and the rest cannot be used before
        the block goes back to one or ends."""
        self.failed = True
        if self.savepoints:
            self._rewind(self.savepoints[-1])
        else:
            self.forget()

    def set_savepoint(self, name: str, variables: VariablesState, cursors: tuple[Cursor, ...]) -> None:
        """An older one of the same name is hidden until this one is released."""
        self.savepoints.append(
            Savepoint(
                name,
                {id_: len(parts) for id_, parts in self.writes.items()},
                dict(self.expect),
                {oid: counts.copy() for oid, counts in self.keys.items()},
                frozenset(self.upserted),
                dict(self.shapes),
                self.own.changes if self.own is not None else None,
                variables,
                cursors,
            )
        )

    def rollback_to(self, name: str) -> Savepoint:
        """Everything since the newest savepoint of that name is forgotten, later ones too; it stays.  3B001 without one."""
        index = self._find(name)
        del self.savepoints[index + 1 :]
        savepoint = self.savepoints[index]
        self._rewind(savepoint)
        self.failed = False
        return savepoint

    def release(self, name: str) -> None:
        """The newest savepoint of that name is gone, with later ones; what was written since stays."""
        del self.savepoints[self._find(name) :]

    def _find(self, name: str) -> int:
        for index in range(len(self.savepoints) - 1, -1, -1):
            if self.savepoints[index].name == name:
                return index
        raise InvalidTransactionState(f'savepoint "{name}" does not exist', sqlstate="3B001")

    def _rewind(self, savepoint: Savepoint) -> None:
        for id_ in list(self.writes):
            count = savepoint.parts.get(id_, 0)
            if count:
                del self.writes[id_][count:]
            else:
                del self.writes[id_]
        self.expect = dict(savepoint.expect)
        self.keys = {oid: counts.copy() for oid, counts in savepoint.keys.items()}
        self.upserted = set(savepoint.upserted)
        self.shapes = dict(savepoint.shapes)
        if savepoint.definitions is None:
            self.own = None
        elif self.own is not None:
            self.own.restore(savepoint.definitions)

    def forget(self) -> None:
        """Nothing of what would have been written is."""
        self.writes.clear()
        self.expect.clear()
        self.keys.clear()
        self.upserted.clear()
        self.shapes.clear()
        self.own = None

    def read_for_write(self, reads: Mapping[GlobalId, Expected]) -> None:
        for id_, expected in reads.items():
            self.expect[id_] = expected.and_(self.expect.get(id_))
