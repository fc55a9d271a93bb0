"""A transaction of consensus as one SQL statement: one round trip, and nothing is ever half done or left open.

```
fence ─┐                                     ┌─> shard, schema
found ─┼─> go: is everything as expected? ───┼─> batch, part, garbage        each only if so
ending ┘   (rows locked, in order of id)     └─> hold, writer, mark
```

The rows that were expected are locked before anything is written; one that another transaction holds is waited for, and
looked at again as that one has left it (`READ COMMITTED`).  So of two that expect the same version one finds it, and the
other finds nothing, and writes nothing.  The epoch's row is locked against a change, but not against other commits: once
somebody has taken a newer epoch, nothing of an older one is under way any more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

from ..state import Change
from .base import Committed, Conflict, Outcome, Superseded, Transaction
from .copies import ORACLE
from .postgres_connection import Connection

_OK = "(SELECT ok FROM go)"


@dataclass(slots=True)
class _Statement:
    """Its pieces: what is looked at, what must be so, what is written then; and the parameters of all."""

    looks: dict[str, str] = field(default_factory=dict)
    conditions: list[str] = field(default_factory=list)
    writes: list[str] = field(default_factory=list)
    parameters: dict[str, object] = field(default_factory=dict)

    def rows(self, name: str, columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[object]]) -> str:
        """Rows as parameters, an array per column of (name, type): an item of FROM.  There is at least one row."""
        for (column, _), values in zip(columns, zip(*rows, strict=True), strict=True):
            self.parameters[f"{name}_{column}"] = list(values)
        arrays = ", ".join(f"%({name}_{column})b::{type_}[]" for column, type_ in columns)
        return f"unnest({arrays}) AS {name}({', '.join(column for column, _ in columns)})"

    def text(self) -> bytes:
        looks = [f"{name} AS MATERIALIZED ({look})" for name, look in self.looks.items()]
        go = f"go AS MATERIALIZED (SELECT {' AND '.join(self.conditions) or 'true'} AS ok)"
        results = [
            "(SELECT value FROM fence)" if "fence" in self.looks else "NULL::bigint",
            "ARRAY(SELECT id FROM found)" if "found" in self.looks else "NULL::text[]",
            "ARRAY(SELECT id FROM taken)" if "taken" in self.looks else "NULL::text[]",
            "ARRAY(SELECT shard FROM ending)" if "ending" in self.looks else "NULL::text[]",
        ]
        pieces = ",\n".join([*looks, go, *self.writes])
        return f"WITH {pieces}\nSELECT ok, {', '.join(results)} FROM go".encode()


def commit(connection: Connection, transaction: Transaction) -> Outcome:
    """Applies all of it durably, or nothing, and says which."""
    statement = _statement(transaction)
    cursor = connection.execute(statement.text(), statement.parameters, binary=True)
    ((ok, epoch, found, taken, ending),) = cursor.fetchall()
    if ok:
        return Committed()
    if transaction.epoch is not None and (epoch or 0) != transaction.epoch[1]:
        return Superseded(transaction.epoch[0], epoch or 0)

    def expected(change: Change) -> bool:
        if change.before is None:
            return change.after.shard not in taken
        return change.after.shard in found and (change.dropped_hold is None or change.after.shard in ending)

    return Conflict(tuple(c.after.shard for c in transaction.changes if not expected(c)))


def _statement(transaction: Transaction) -> _Statement:
    statement = _Statement()
    # In one order, so that of two transactions one waits for the other, and never each for the other.
    changes = sorted(transaction.changes, key=lambda change: change.after.shard)
    if transaction.epoch is not None:
        writes = bool(changes) or transaction.writer is not None or transaction.mark is not None
        _expect_epoch(statement, *transaction.epoch, lock=writes)
    if stepped := [change for change in changes if change.before is not None]:
        _step(statement, stepped)
    if created := [change for change in changes if change.before is None]:
        _create(statement, created)
    _end_holds(statement, changes)
    _replace_batches(statement, changes)
    _set_holds(statement, changes)
    if (row := transaction.writer) is not None:
        statement.parameters.update(
            writer=row.writer, fingerprint=row.fingerprint, committed_ms=row.committed_ms
        )
        statement.writes.append(
            "writing AS (INSERT INTO writer SELECT %(writer)b, %(fingerprint)b, %(committed_ms)b"
            f" WHERE {_OK} ON CONFLICT (writer) DO UPDATE"
            " SET fingerprint = excluded.fingerprint, committed_ms = excluded.committed_ms)"
        )
    if transaction.mark is not None:
        statement.parameters.update(oracle=ORACLE, mark=transaction.mark)
        statement.writes.append(
            f"marking AS (INSERT INTO mark SELECT %(oracle)b, %(mark)b WHERE {_OK}"
            " ON CONFLICT (name) DO UPDATE SET value = greatest(mark.value, excluded.value))"
        )
    return statement


def _expect_epoch(statement: _Statement, name: str, value: int, *, lock: bool) -> None:
    statement.parameters.update(epoch=name, epoch_value=value)
    share = " FOR SHARE" if lock else ""
    statement.looks["fence"] = f"SELECT value FROM epoch WHERE name = %(epoch)b{share}"
    statement.conditions.append("coalesce((SELECT value FROM fence), 0) = %(epoch_value)b")


def _step(statement: _Statement, changes: Sequence[Change]) -> None:
    """Compare-and-set of the heads."""
    expected = statement.rows(
        "asked",
        (("id", "text"), ("version", "bigint")),
        [(c.after.shard, c.before.version) for c in changes if c.before is not None],
    )
    statement.looks["found"] = (
        f"SELECT s.id FROM {expected} JOIN shard s"
        " ON s.id = asked.id AND s.version = asked.version ORDER BY s.id FOR NO KEY UPDATE OF s"
    )
    statement.parameters["stepped"] = len(changes)
    statement.conditions.append("(SELECT count(*) FROM found) = %(stepped)b")
    evolved = [c.before is not None and c.after.schema is not c.before.schema for c in changes]
    heads = statement.rows(
        "head",
        (
            ("id", "text"),
            ("version", "bigint"),
            ("rewrites", "bigint"),
            ("since", "bigint"),
            ("upper", "bigint"),
            ("dropped", "boolean"),
            ("evolved", "bigint"),
        ),
        [
            (h.shard, h.version, h.rewrites, h.since, h.upper, h.dropped, int(wider))
            for h, wider in zip((c.after for c in changes), evolved, strict=True)
        ],
    )
    statement.writes.append(
        "stepping AS (UPDATE shard s SET version = head.version, rewrites = head.rewrites, since = head.since,"
        " upper = head.upper, dropped = head.dropped, schema = s.schema + head.evolved"
        f" FROM {heads} WHERE s.id = head.id AND {_OK} RETURNING s.id, s.schema)"
    )
    if any(evolved):
        schemas = statement.rows(
            "wider",
            (("id", "text"), ("columns", "text")),
            [(c.after.shard, json.dumps(c.after.schema.to_json())) for c in compress(changes, evolved)],
        )
        statement.writes.append(
            "evolving AS (INSERT INTO schema SELECT stepping.id, stepping.schema, wider.columns"
            f" FROM stepping JOIN {schemas} ON wider.id = stepping.id)"
        )


def _create(statement: _Statement, changes: Sequence[Change]) -> None:
    """Of two that create a shard at once, the unique key refuses one, which then finds it taken."""
    shards = statement.rows(
        "made",
        (
            ("id", "text"),
            ("version", "bigint"),
            ("rewrites", "bigint"),
            ("start", "bigint"),
            ("since", "bigint"),
            ("upper", "bigint"),
        ),
        [(h.shard, h.version, h.rewrites, h.start, h.since, h.upper) for h in (c.after for c in changes)],
    )
    statement.looks["taken"] = "SELECT id FROM shard WHERE id = ANY(%(made_id)b::text[])"
    statement.conditions.append("NOT EXISTS (SELECT FROM taken)")
    statement.writes.append(
        f"making AS (INSERT INTO shard SELECT made.*, 1, false FROM {shards} WHERE {_OK})"
    )
    schemas = statement.rows(
        "typed",
        (("id", "text"), ("columns", "text")),
        [(c.after.shard, json.dumps(c.after.schema.to_json())) for c in changes],
    )
    statement.writes.append(
        f"typing AS (INSERT INTO schema SELECT typed.id, 1, typed.columns FROM {schemas} WHERE {_OK})"
    )


def _end_holds(statement: _Statement, changes: Sequence[Change]) -> None:
    """Holds that end must be as they were: a heartbeat shows in no version."""
    if ended := [c.dropped_hold for c in changes if c.dropped_hold is not None]:
        holds = statement.rows(
            "ended",
            (("shard", "text"), ("holder", "text"), ("beat", "bigint")),
            [(h.shard, h.holder, h.beat) for h in ended],
        )
        statement.looks["ending"] = (
            f"SELECT h.shard, h.holder FROM {holds} JOIN hold h"
            " ON h.shard = ended.shard AND h.holder = ended.holder AND h.beat = ended.beat"
            " ORDER BY h.shard, h.holder FOR UPDATE OF h"
        )
        statement.parameters["ends"] = len(ended)
        statement.conditions.append("(SELECT count(*) FROM ending) = %(ends)b")
        statement.writes.append(
            "released AS (DELETE FROM hold h USING ending"
            f" WHERE h.shard = ending.shard AND h.holder = ending.holder AND {_OK})"
        )
    if gone := [c.after.shard for c in changes if c.after.dropped]:
        statement.parameters["gone"] = gone
        statement.writes.append(f"freed AS (DELETE FROM hold WHERE shard = ANY(%(gone)b::text[]) AND {_OK})")


def _replace_batches(statement: _Statement, changes: Sequence[Change]) -> None:
    after = ""
    removed = [(b.shard, b.lower, c.after.version) for c in changes for b in c.removed]
    if removed:
        columns = (("shard", "text"), ("lower", "bigint"), ("version", "bigint"))
        batches, parts = statement.rows("cut", columns, removed), statement.rows("cleared", columns, removed)
        statement.writes.append(
            f"cutting AS (DELETE FROM batch b USING {batches}"
            f" WHERE b.shard = cut.shard AND b.lower = cut.lower AND {_OK} RETURNING b.lower)"
        )
        statement.writes.append(
            f"clearing AS (DELETE FROM part p USING {parts}"
            f" WHERE p.shard = cleared.shard AND p.lower = cleared.lower AND {_OK}"
            " RETURNING p.blob, p.shard, cleared.version)"
        )
        statement.writes.append(
            "wasting AS (INSERT INTO garbage SELECT blob, shard, version FROM clearing WHERE blob IS NOT NULL"
            " ON CONFLICT DO NOTHING)"
        )
        # What is put in the place of others, under the key of the first of them, waits until they are gone.
        after = " AND (SELECT count(*) FROM cutting) + (SELECT count(*) FROM clearing) >= 0"
    inserted = [batch for change in changes for batch in change.inserted]
    if inserted:
        names = ("lower", "upper", "since", "version")
        batches = statement.rows(
            "added",
            (("shard", "text"), *((name, "bigint") for name in names)),
            [(b.shard, b.lower, b.upper, b.since, b.version) for b in inserted],
        )
        statement.writes.append(f"adding AS (INSERT INTO batch SELECT * FROM {batches} WHERE {_OK}{after})")
    rows: list[tuple[Any, ...]] = [
        (batch.shard, batch.lower, ordinal, part.metadata(), part.blob or "", part.inline or b"")
        for batch in inserted
        for ordinal, part in enumerate(batch.parts)
    ]
    if rows:
        parts = statement.rows(
            "filled",
            (
                ("shard", "text"),
                ("lower", "bigint"),
                ("ordinal", "bigint"),
                ("metadata", "text"),
                ("blob", "text"),
                ("inline", "bytea"),
            ),
            rows,
        )
        statement.writes.append(
            "filling AS (INSERT INTO part SELECT shard, lower, ordinal, metadata, nullif(blob, ''),"
            f" CASE WHEN blob = '' THEN inline END FROM {parts} WHERE {_OK}{after})"
        )


def _set_holds(statement: _Statement, changes: Sequence[Change]) -> None:
    if holds := [c.hold for c in changes if c.hold is not None]:
        rows = statement.rows(
            "held",
            (
                ("shard", "text"),
                ("holder", "text"),
                ("since", "bigint"),
                ("critical", "boolean"),
                ("lease_ms", "bigint"),
                ("version", "bigint"),
                ("beat", "bigint"),
            ),
            # No lease has a length below zero.
            [
                (
                    h.shard,
                    h.holder,
                    h.since,
                    h.critical,
                    -1 if h.lease_ms is None else h.lease_ms,
                    h.version,
                    h.beat,
                )
                for h in holds
            ],
        )
        # A heartbeat may have come since the head was read: beats only go up.
        statement.writes.append(
            "holding AS (INSERT INTO hold SELECT shard, holder, since, critical, nullif(lease_ms, -1), version, beat"
            f" FROM {rows} WHERE {_OK} ON CONFLICT (shard, holder) DO UPDATE SET since = excluded.since,"
            " critical = excluded.critical, lease_ms = excluded.lease_ms, version = excluded.version,"
            " beat = greatest(hold.beat, excluded.beat))"
        )
