"""How it goes with the objects that run, and whom a failure concerns.

An object that fails goes no further, and neither does whatever is maintained from it: who waits for one of them hears
why.  When it goes on, so does what waited for it alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...expr.tree.relation import GlobalId
from ..catalog.catalog import Catalog
from ..storage.collections import Collections, Failure

KEPT = 256
"""Changes of an object's status that are remembered, the newest ones."""


@dataclass(frozen=True, slots=True)
class ObjectStatus:
    state: str
    reason: str | None
    since_ms: int


class Statuses:
    """The status of each object, and what it was before, since the process began; none before the first report."""

    def __init__(self, catalog: Catalog, collections: Collections, now_ms: Callable[[], int]) -> None:
        self._catalog = catalog
        self._collections = collections
        self._now_ms = now_ms
        self._by_id: dict[GlobalId, deque[ObjectStatus]] = {}
        self._failed: dict[GlobalId, Failure] = {}

    def get(self, id: GlobalId) -> ObjectStatus | None:
        history = self.history(id)
        return history[-1] if history else None

    def history(self, id: GlobalId) -> Sequence[ObjectStatus]:
        """The oldest first. What is reported again is no change."""
        return self._by_id.get(id, ())

    def set(self, id: GlobalId, state: str, reason: str | None, failure: Failure | None = None) -> None:
        if self._catalog.find_by_id(id) is None:
            return  # a late report: the object was dropped meanwhile
        history = self._by_id.setdefault(id, deque(maxlen=KEPT))
        if not history or (history[-1].state, history[-1].reason) != (state, reason):
            history.append(ObjectStatus(state, reason, self._now_ms()))
        if state == "failed":
            self._failed[id] = failure or Failure(reason or "unknown reason")
            self._fail(id)
        else:
            self._failed.pop(id, None)
            self._recover(id)

    def forget(self, id: GlobalId) -> None:
        """The object was dropped."""
        self._by_id.pop(id, None)
        self._failed.pop(id, None)

    def _recover(self, id: GlobalId) -> None:
        """The object goes on, and so does what waited for it alone."""
        if not self._collections.any_failed:
            return
        for object_id in self._maintained_from(id):
            self._collections.recover(object_id)
        for other in self._failed:
            self._fail(other)

    def _fail(self, id: GlobalId) -> None:
        """The object, and everything that is maintained from it, goes no further."""
        reasons = {id: self._failed[id]}
        for object_id, source in self._maintained_from(id).items():
            if source is not None:
                before = reasons[source]
                reason = f'"{self._catalog.get(source).name}", which it reads, failed: {before.reason}'
                reasons[object_id] = replace(before, reason=reason)
            self._collections.fail(object_id, reasons[object_id])

    def _maintained_from(self, id: GlobalId) -> dict[GlobalId, GlobalId | None]:
        """The object, and those that are maintained from it and have not failed themselves: each once, with the one
        of its inputs by way of which it was found."""
        found: dict[GlobalId, GlobalId | None] = {id: None}
        waiting = deque([id])
        while waiting:
            source = waiting.popleft()
            for dependent in self._catalog.dependents(source):
                if dependent.id not in found and dependent.id not in self._failed:
                    found[dependent.id] = source
                    waiting.append(dependent.id)
        return found
