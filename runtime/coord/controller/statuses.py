"""How it goes with the objects that run, and whom a failure concerns.

An object that fails goes no further, and neither does whatever is maintained from it: who waits for one of them hears
why.  When it goes on, so does what waited for it alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ...expr.relation import GlobalId
from ..catalog import Catalog
from ..collections import Collections, Failure


@dataclass(frozen=True, slots=True)
class ObjectStatus:
    state: str
    reason: str | None
    since_ms: int


class Statuses:
    """Nothing is known of an object before somebody has said something of it."""

    def __init__(self, catalog: Catalog, collections: Collections, now_ms: Callable[[], int]) -> None:
        self._catalog = catalog
        self._collections = collections
        self._now_ms = now_ms
        self._by_id: dict[GlobalId, ObjectStatus] = {}

    def get(self, id: GlobalId) -> ObjectStatus | None:
        return self._by_id.get(id)

    def set(self, id: GlobalId, state: str, reason: str | None, failure: Failure | None = None) -> None:
        self._by_id[id] = ObjectStatus(state, reason, self._now_ms())
        if state == "failed":
            self._fail(id, failure or Failure(reason or "unknown reason"))
        else:
            self._recover(id)

    def forget(self, id: GlobalId) -> None:
        """The object was dropped."""
        self._by_id.pop(id, None)

    def _recover(self, id: GlobalId) -> None:
        """The object goes on, and so does what waited for it alone."""
        self._collections.recover(id)
        for dependent in self._catalog.dependents(id):
            status = self._by_id.get(dependent.id)
            if status is None or status.state != "failed":
                self._recover(dependent.id)

    def _fail(self, id: GlobalId, failure: Failure) -> None:
        """The object, and everything that is maintained from it, goes no further."""
        self._collections.fail(id, failure)
        for dependent in self._catalog.dependents(id):
            reason = f'"{self._catalog.get(id).name}", which it reads, failed: {failure.reason}'
            self._fail(dependent.id, replace(failure, reason=reason))
