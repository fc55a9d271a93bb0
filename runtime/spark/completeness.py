"""How far collections are complete, by what is durable alone: for jobs that read several as of one time.

A collection's durable upper moves with its own updates only, so that of an idle one stays behind.  But

- tables and sources get their times from one committer, whose times rise, and views follow it: once any collection is durable
  up to a time, nothing will be written to tables and sources below it.  The greatest of all uppers is *closed* for them;
- a view changes only when one of its inputs does, unless it reads `mz_now()`: it is complete up to the first change of an input
  behind its own upper, or as far as its inputs are.

Each upper is read after `closed`, so what it leaves out is not there.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from ..coord.catalog.catalog import Catalog
from ..coord.catalog.items import MaterializedView, Stored, Table
from ..coord.catalog.views import expand
from ..coord.storage.catalog_store import load_catalog
from ..errors import ObjectNotReady
from ..expr.temporal import reads_now
from ..expr.tree.relation_tree import dependencies, scalars_of, walk
from ..persist.client import PersistClient

_ATTEMPTS = 10


class Completeness:
    """As of now; what it says stays true."""

    def __init__(self, persist: PersistClient, catalog: Catalog) -> None:
        self._persist = persist
        self._catalog = catalog
        shards = [item.shard for item in catalog.user_items() if isinstance(item, Stored)]
        self._closed = max((persist.state(shard).upper for shard in shards), default=0)
        self._known: dict[str, int] = {}

    @property
    def closed(self) -> int:
        """All that is committed is below."""
        return self._closed

    def frontier(self, item: Stored) -> int:
        """The stored item's contents are known at all times below, from its since on."""
        if item.id not in self._known:
            self._known[item.id] = self._derived(item)
        return self._known[item.id]

    def _derived(self, item: Stored) -> int:
        state = self._persist.state(item.shard)
        if not isinstance(item, MaterializedView):
            return max(state.upper, self._closed)
        if state.upper <= state.since:
            return state.upper  # it is not hydrated
        definition = expand(item.relation, self._catalog)
        if any(reads_now(scalar) for node in walk(definition) for scalar in scalars_of(node)):
            return state.upper
        found = self._closed
        for id_ in dependencies(definition):
            below = self._catalog.find_by_id(id_)
            if not isinstance(below, Stored):
                return state.upper
            found = min(found, self._unchanged(below, state.upper))
        return max(state.upper, found)

    def _unchanged(self, item: Stored, lower: int) -> int:
        """Where the item changes first, from `lower` on; if it does not, how far that is known."""
        complete = self.frontier(item)
        upper = self._persist.state(item.shard).upper
        if upper <= lower:
            return complete
        try:
            parts = self._persist.updates(item.shard, lower, upper)
        except ObjectNotReady:
            return lower
        return min((part.first_time for part in parts), default=complete)


def frontier_of(persist: PersistClient, id: str) -> int:
    """How far the collection is complete, by the catalog as it is; 0 if it is gone."""
    catalog, version = load_catalog(persist)
    for _ in range(_ATTEMPTS):
        item = catalog.find_by_id(id)
        found = Completeness(persist, catalog).frontier(item) if isinstance(item, Stored) else 0
        catalog, now = load_catalog(persist)
        if now == version:
            return found
        version = now
    raise ObjectNotReady("the catalog changes all the time", hint="Try it again.")


def hold_latest(
    persist: PersistClient, items: Sequence[Stored], lease_ms: int, holder: str | None = None
) -> int:
    """The newest time at which all `items` are complete; a leased hold, under that name, keeps them readable at it.

    ObjectNotReady if there is none, or one of them holds nothing yet.
    """
    holder = holder or f"spark-latest-{secrets.token_hex(8)}"
    for _ in range(_ATTEMPTS):
        catalog, version = load_catalog(persist)
        complete = Completeness(persist, catalog)
        frontiers = {item.full_name: complete.frontier(item) for item in items}
        time = min(frontiers.values()) - 1
        sinces = {item.shard: _since(persist, item, time, frontiers) for item in items}
        try:
            persist.set_holds(holder, sinces, critical=False, lease_ms=lease_ms)
        except ObjectNotReady:  # maintenance runs concurrently
            continue
        if load_catalog(persist)[1] == version:
            return time
        for shard in sinces:
            persist.drop_hold(shard, holder)
    raise ObjectNotReady("the relations change all the time", hint="Try it again.")


def _since(persist: PersistClient, item: Stored, time: int, frontiers: dict[str, int]) -> int:
    """Where the item has to be held for `time`."""
    state = persist.state(item.shard)
    if state.upper <= state.since:
        if isinstance(item, Table):
            return state.since
        raise ObjectNotReady(f'"{item.full_name}" holds nothing yet', hint="Wait until it has been hydrated.")
    since = min(time, state.upper - 1)
    if since < state.since:
        late = min(frontiers, key=lambda name: frontiers[name])
        raise ObjectNotReady(
            f'there is no time at which all of them can be read: "{late}" is complete up to {time}, '
            f'"{item.full_name}" readable from {state.since} on',
            hint=f'Try it again in a moment; RETAIN HISTORY of "{item.full_name}" leaves more room.',
        )
    return since
