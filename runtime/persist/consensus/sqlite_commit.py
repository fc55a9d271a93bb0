"""A transaction of consensus as statements of SQLite: compare, then write."""

from __future__ import annotations

import json

import apsw

from ..state import Change
from .base import Conflict, Outcome, Superseded, Transaction
from .copies import ORACLE


class NotApplied(Exception):
    """Leaves a transaction, rolling it back, with an outcome."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome


def apply(db: apsw.Connection, transaction: Transaction) -> None:
    """Writes all of it, within the transaction that is open.  Raises NotApplied if something is not as it is expected."""
    if transaction.epoch is not None:
        name, expected = transaction.epoch
        current = db.execute("SELECT value FROM epoch WHERE name = ?", (name,)).get or 0
        if current != expected:
            raise NotApplied(Superseded(name, current))
    lost = tuple(change.after.shard for change in transaction.changes if not _apply_head(db, change))
    if lost:
        raise NotApplied(Conflict(lost))
    for change in transaction.changes:
        _apply_batches(db, change)
        if change.hold is not None:
            h = change.hold
            # A heartbeat may have come since the head was read: beats only go up.
            db.execute(
                "INSERT INTO hold VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (shard, holder) DO UPDATE SET"
                " since = excluded.since, critical = excluded.critical, lease_ms = excluded.lease_ms,"
                " version = excluded.version, beat = max(beat, excluded.beat)",
                (h.shard, h.holder, h.since, h.critical, h.lease_ms, h.version, h.beat),
            )
        if change.after.dropped:
            db.execute("DELETE FROM hold WHERE shard = ?", (change.after.shard,))
    if (row := transaction.writer) is not None:
        db.execute(
            "INSERT OR REPLACE INTO writer VALUES (?, ?, ?)", (row.writer, row.fingerprint, row.committed_ms)
        )
    if transaction.mark is not None:
        db.execute(
            "INSERT INTO mark VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = max(value, excluded.value)",
            (ORACLE, transaction.mark),
        )


def _apply_head(db: apsw.Connection, change: Change) -> bool:
    """Compare-and-set of one shard's row; False if it is not as expected."""
    before, after = change.before, change.after
    if before is None:
        db.execute(
            "INSERT OR IGNORE INTO shard VALUES (?, ?, ?, ?, ?, ?, 1, 0)",
            (after.shard, after.version, after.rewrites, after.start, after.since, after.upper),
        )
        if not db.changes():
            return False
        db.execute("INSERT INTO schema VALUES (?, 1, ?)", (after.shard, json.dumps(after.schema.to_json())))
        return True
    db.execute(
        "UPDATE shard SET version = ?, rewrites = ?, since = ?, upper = ?, dropped = ?"
        " WHERE id = ? AND version = ?",
        (after.version, after.rewrites, after.since, after.upper, after.dropped, after.shard, before.version),
    )
    if not db.changes():
        return False
    if after.schema is not before.schema:
        db.execute("UPDATE shard SET schema = schema + 1 WHERE id = ?", (after.shard,))
        db.execute(
            "INSERT INTO schema SELECT id, schema, ? FROM shard WHERE id = ?",
            (json.dumps(after.schema.to_json()), after.shard),
        )
    if (ended := change.dropped_hold) is not None:
        db.execute(
            "DELETE FROM hold WHERE shard = ? AND holder = ? AND beat = ?",
            (ended.shard, ended.holder, ended.beat),
        )
        return bool(db.changes())
    return True


def _apply_batches(db: apsw.Connection, change: Change) -> None:
    shard, version = change.after.shard, change.after.version
    for batch in change.removed:
        db.execute("DELETE FROM batch WHERE shard = ? AND lower = ?", (shard, batch.lower))
        db.execute(
            "INSERT OR IGNORE INTO garbage SELECT blob, shard, ? FROM part"
            " WHERE shard = ? AND lower = ? AND blob IS NOT NULL",
            (version, shard, batch.lower),
        )
        db.execute("DELETE FROM part WHERE shard = ? AND lower = ?", (shard, batch.lower))
    for batch in change.inserted:
        db.execute(
            "INSERT INTO batch VALUES (?, ?, ?, ?, ?)",
            (shard, batch.lower, batch.upper, batch.since, batch.version),
        )
        for ordinal, part in enumerate(batch.parts):
            db.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)",
                (shard, batch.lower, ordinal, part.metadata(), part.blob, part.inline),
            )
