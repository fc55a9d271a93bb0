"""The catalog as a block sees it: everybody's, and the definitions of the block on top of it.

```
shared catalog ── fork ── + changes of the block = what its later statements are planned over
      │                                                      │ COMMIT
      └── others define something ── the fork is made anew, or the block cannot be committed (40001)
```

`changes` are net: one for each entry, from what it is for everybody to what it is in the block.  Nothing else remembers a
definition before the commit, so that to forget the changes is to take it back.  Objects that the block has created have
their ids and no shards; rows for them are encoded parts, as all that a block will write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...errors import SerializationFailure
from ...sql.cache.plan_cache import PlanCache
from ..catalog.authorize import Authorization
from ..catalog.catalog import Catalog
from ..catalog.conflicts import conflict, over
from ..catalog.entries import Change, ClusterEntry, Entry, entry_key

PLANS = 100
"""A block's plans are kept until its next definition."""


class BlockCatalog:
    """`catalog` and `plans` are what the block's statements are planned with, `authorization` who may execute them."""

    def __init__(self, shared: Catalog) -> None:
        self._shared = shared
        self._changes: dict[str, Change] = {}
        self._version = shared.version
        self._base = shared.fork(())
        self.catalog: Catalog
        self.plans: PlanCache
        self.authorization: Authorization
        self._fork()

    @property
    def changes(self) -> Mapping[str, Change]:
        """By the entry's key.  Never changed in place: a savepoint keeps it."""
        return self._changes

    def shared_cluster(self, name: str) -> str:
        """What the cluster that the block calls so is called by everybody else, and by who runs it."""
        entry = self.catalog.cluster(name)
        change = self._changes.get(entry_key(entry)) if entry is not None else None
        before = change.before if change is not None else None
        return before.name if isinstance(before, ClusterEntry) else name

    def add(self, changes: Iterable[Change]) -> None:
        """What one more definition of the block has changed."""
        self._changes = _followed_by(self._changes, changes)
        self._fork()

    def restore(self, changes: Mapping[str, Change]) -> None:
        """Goes back to what the block had changed before."""
        self._changes = over(changes, self._base)
        self._fork()

    def refresh(self) -> None:
        """Takes over what others have defined since; 40001 if the block's definitions do not go together with it."""
        if self._version == self._shared.version:
            return
        found = conflict(self._base.entries(), self._shared, self._changes)
        if found is not None:
            raise SerializationFailure(
                detail=f"While this transaction defined something, {found}; the two do not go together."
            )
        self._version = self._shared.version
        self._base = self._shared.fork(())
        self._changes = over(self._changes, self._base)
        self._fork()

    def _fork(self) -> None:
        self.catalog = self._base.fork(self._changes.values())
        self.plans = PlanCache(PLANS)
        self.authorization = Authorization(self.catalog)


def _followed_by(earlier: Mapping[str, Change], later: Iterable[Change]) -> dict[str, Change]:
    """Both as one change of each entry; none of an entry that is what it was."""
    net = dict(earlier)
    for change in later:
        key = _key(change)
        before: Entry | None = net[key].before if key in net else change.before
        if before == change.after:
            net.pop(key, None)
        else:
            net[key] = Change(before, change.after)
    return net


def _key(change: Change) -> str:
    entry = change.after if change.after is not None else change.before
    assert entry is not None
    return entry_key(entry)
