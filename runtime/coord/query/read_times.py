"""The time that a statement names itself: AS OF t, and AS OF AT LEAST t.

```
            since ........................ frontier
AS OF t       |  read at t: at once            |  read at t, when it is complete
AT LEAST t    |  the last time before the frontier of all inputs, or t if that is later
```

Times before `since` are compacted, so reading there is an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from ...errors import InvalidTransactionState, ObjectNotReady, Unsupported
from ...expr.tree.relation import Changes, GlobalId, Relation
from ...expr.tree.relation_tree import dependencies
from ...replica.protocol import Import
from ...sql.plans.query_plans import AsOf
from ...sql.query.as_of import time_at
from ..catalog.catalog import Catalog
from ..catalog.system_items import is_system
from ..catalog.views import expand
from ..storage.storage import Storage
from .read_context import ReadContext

_RETAIN_HINT = (
    "A relation keeps the history that it is told to, by RETAIN HISTORY FOR '1h' in the WITH of its CREATE, or by "
    "ALTER ... SET (RETAIN HISTORY FOR '1h')."
)
_LAST_DATE_MS = 253_402_300_800_000


class ReadTimes:
    def __init__(self, storage: Storage, catalog: Catalog) -> None:
        self._oracle = storage.oracle
        self._collections = storage.collections
        self._catalog = catalog

    def chosen(self, as_of: AsOf, relation: Relation, context: ReadContext) -> int:
        """When `relation` is read.  Raises when that does not agree with the transaction, or with what is read."""
        now = self._oracle.read_time
        time = time_at(as_of.time, now)
        reads = dependencies(relation)
        fixed = context.time
        if fixed is not None:
            if time != fixed and not (as_of.at_least and time < fixed):
                raise InvalidTransactionState(
                    f"AS OF {shown_time(time)} does not agree with the transaction, which reads as of {shown_time(fixed)}",
                    sqlstate="25001",
                    hint="Read it in a transaction of its own; the first read of a block decides.",
                )
            return fixed
        if context.overlay:
            raise InvalidTransactionState(
                "AS OF cannot be used in a transaction that has written before",
                sqlstate="25001",
                hint="Read it in a transaction of its own.",
            )
        if any(map(is_system, reads)):
            if time != now and not (as_of.at_least and time < now):
                raise Unsupported(
                    "catalog relations have no history: they can be read as of now only",
                    hint="Leave AS OF out, or write AS OF mz_now().",
                )
            return now
        if not as_of.at_least:
            return time
        stored = dependencies(expand(relation, context.catalog))
        there = [self._collections[id_] for id_ in stored if id_ in self._collections]
        complete = min((self._collections.frontier(found.id) - 1 for found in there), default=now)
        since = max((self._collections.frontiers(found.shard).since for found in there), default=0)
        return max(time, complete, since)

    def check_readable(self, ids: Iterable[GlobalId], time: int) -> None:
        """Raises ObjectNotReady, and says from when on, if some collections cannot be read at `time` any more."""
        found = [self._collections[id_] for id_ in ids if id_ in self._collections]
        sinces = {collection.id: self._collections.frontiers(collection.shard).since for collection in found}
        gone = sorted(
            (self._catalog.get(id_).full_name, since) for id_, since in sinces.items() if since > time
        )
        if gone:
            names = ", ".join(f'"{name}"' for name, _ in gone)
            readable = "; ".join(f'"{name}" from {shown_time(since)} on' for name, since in gone)
            raise ObjectNotReady(
                f"{names} cannot be read as of {shown_time(time)} any more",
                detail=f"Readable are {readable}.",
                hint=_RETAIN_HINT,
            )

    def changes(self, node: Changes, time: int) -> Import:
        """What has changed up to `time`, as an input.  ObjectNotReady, which says from when on history is there, if more is asked
        for."""
        bounds = [time_at(bound, time, "CHANGES") for bound in node.bounds]
        times = (bounds[0], bounds[1]) if bounds else None
        width = len(node.schema) - 2
        try:
            return self._collections.changes_of(node.object, node.id, width, times, time)
        except ObjectNotReady:
            name = self._catalog.get(node.object).full_name
            since = self._collections.frontiers(self._collections[node.object].shard).since
            begin = shown_time(bounds[0]) if bounds else "its beginning"
            raise ObjectNotReady(
                f'the changes of "{name}" from {begin} on are not there any more',
                detail=f"Those behind {shown_time(since)} are.",
                hint=_RETAIN_HINT,
            ) from None


def shown_time(milliseconds: int) -> str:
    """`1700000000000 (2023-11-14 22:13:20.000)`"""
    if milliseconds >= _LAST_DATE_MS:  # what cannot change any more is complete for ever
        return str(milliseconds)
    at = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return f"{milliseconds} ({at:%Y-%m-%d %H:%M:%S}.{milliseconds % 1000:03d})"
