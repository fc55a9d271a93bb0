"""The one way to change the catalog: durable first, and in the same moment so for everybody.

```
validated ── storage: durable ── [memory: storage's, then the catalog and what runs]
```

`coord.storage.catalog_transactions` makes the changes durable, and the shards that they need.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...errors import DuplicateObject, PtvcError, SerializationFailure, UndefinedSchema
from ...replica.protocol import Updates
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, ClusterEntry
from ..catalog.items import (
    Item,
    ItemBase,
    MaterializedView,
    Relational,
    Running,
    Sink,
)
from ..controller import Controller
from ..storage.catalog_transactions import Append, created
from ..storage.storage import Storage
from .sinks import switched


class CatalogChanges:
    """Those of one statement, or of one block, at a time: the lock of definitions is held."""

    def __init__(self, storage: Storage, catalog: Catalog, controller: Controller) -> None:
        self._storage = storage
        self._catalog = catalog
        self._controller = controller

    async def apply(self, changes: Iterable[Change], append: Append | None = None) -> None:
        """Makes the changes durable, and then so; those of a block in one transaction with its rows: `append` makes them
        durable, or raises."""
        # Until the catalog has a view, nothing else keeps its inputs readable at the time at which it begins.
        with self._storage.reads.at(self._storage.oracle.read_time) as now:
            changes = self._with_ids(_born(change, now) for change in changes)
            if changes:
                validate(self._catalog, changes)
                await self._storage.transact_catalog(changes, now, lambda: self._begin(changes), append)

    async def replace(
        self, view: MaterializedView, replacement: MaterializedView, difference: Updates
    ) -> None:
        """Gives the view the definition and the dataflow of its replacement, which goes, and the difference between them:
        all of it in one transaction.  Both dataflows stand still where the difference ends."""
        new = replaced(view, replacement)
        changes = self._with_ids([Change(view, new), Change(replacement, None)])
        validate(self._catalog, changes)

        def switch() -> None:
            self._catalog.apply(changes)
            self._controller.withdraw(view, replacement, difference.upper - 1)

        def adopt() -> None:
            self._controller.adopt(new, replacement, difference.upper)

        await self._storage.replace_view(changes, difference, switch, adopt)

    def _with_ids(self, changes: Iterable[Change]) -> list[Change]:
        changes = list(changes)
        if changes and (ids := self._catalog.ids_change()) is not None:
            changes.append(ids)
        return changes

    # -- in memory --

    def _begin(self, changes: list[Change]) -> None:
        """The changes are durable, and from now on so for everybody."""
        self._catalog.apply(changes)
        for change in changes:
            if isinstance(change.before, ItemBase) and change.after is None:
                self._controller.uninstall(change.before)
        self._change_clusters(changes)
        for item in created(changes):
            self._controller.install(item)  # from now on indexes that it shares are held readable, too

    def _change_clusters(self, changes: list[Change]) -> None:
        """What runs in renamed clusters goes on under their new names; what was dropped has been stopped."""
        names: dict[str, str] = {}
        for change in changes:
            match change:
                case Change(ClusterEntry() as old, ClusterEntry() as new) if old.name != new.name:
                    names[old.name] = new.name
        if names:
            self._controller.rename_clusters(names)
        for change in changes:
            match change:
                case Change(ClusterEntry() as old, None):
                    self._controller.drop_cluster(old)
                case Change(None, ClusterEntry() as new):
                    self._controller.set_cluster(new)
                case Change(ClusterEntry() as old, ClusterEntry() as new) if old.options != new.options:
                    self._controller.set_cluster(new)
                case Change(Sink() as sink, Sink() as moved):
                    place = names.get(sink.cluster, sink.cluster)
                    if place != moved.cluster or sink.generation != moved.generation:
                        self._controller.move(replace(sink, cluster=place), moved)


def validate(catalog: Catalog, changes: list[Change]) -> None:
    """Whether the changes fit the catalog as it is now, under the lock: what was planned may be older.

    What is accepted behind this cannot fail for a reason that a user could cause.  Raises 42704, 3F000, 42P07 or 40001.
    """
    after = catalog.fork(changes)
    for change in changes:
        before = change.before
        if isinstance(before, Item) and catalog.find_by_id(before.id) is not before:
            raise SerializationFailure(detail=f'"{before.full_name}" was changed meanwhile.')
        match change.after:
            case ItemBase() as item:
                _validate_item(after, item)


def _validate_item(after: Catalog, item: Item) -> None:
    if isinstance(item, Running) and after.cluster(item.cluster) is None:
        raise PtvcError(
            f'unknown cluster "{item.cluster}"',
            sqlstate="42704",
            hint="CREATE CLUSTER makes one; SET cluster = ... chooses another.",
        )
    if not item.temporary and not after.schema_exists(item.schema_name):
        raise UndefinedSchema(f'schema "{item.schema_name}" does not exist')
    if item.owner not in after.roles.by_id:
        raise PtvcError("the role that was to own it does not exist any more", sqlstate="42704")
    if isinstance(item, Relational) and after.find(item.schema_name, item.name) is not item:
        raise DuplicateObject(f'relation "{item.name}" already exists')
    for id_ in item.uses:
        if after.find_by_id(id_) is None:
            raise SerializationFailure(detail=f'Something that "{item.name}" uses was dropped meanwhile.')


def _born(change: Change, now: int) -> Change:
    """What a block creates or switches, for everybody else, when it commits."""
    if change.before is None and isinstance(change.after, Item):
        return Change(None, replace(change.after, created_at=now))
    return switched(change, now)


def replaced(view: MaterializedView, replacement: MaterializedView) -> MaterializedView:
    """The view with the definition of its replacement."""
    retained = replacement.retain_history_ms
    return replace(
        view,
        cluster=replacement.cluster,
        relation=replacement.relation,
        definition_sql=replacement.definition_sql,
        uses=replacement.uses,
        columns=replacement.columns,
        # Columns may have been renamed meanwhile.
        named=replacement.named or replacement.schema.names != view.schema.names,
        shares=replacement.shares,
        retain_history_ms=view.retain_history_ms if retained is None else retained,
        assert_not_null=replacement.assert_not_null,
        replaces=None,
        replaced=True,
        state=replacement.state_name,
    )
