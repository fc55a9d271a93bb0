"""The one way to change the catalog: durable first, and in the same moment so for everybody.

```
validated ── storage: durable ── [memory: storage's, then the catalog and what runs]
```

`coord.storage.catalog_transactions` makes the changes durable, and the shards that they need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from ...compute.plan import DataflowPlan
from ...errors import DuplicateObject, PtvcError, SerializationFailure, UndefinedSchema
from ..audit.log import AuditLog
from ..catalog.applications import applications
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, ClusterEntry
from ..catalog.items import (
    AnySource,
    Apart,
    Connection,
    External,
    Item,
    ItemBase,
    Maintained,
    Relational,
    Running,
    Secret,
    Sink,
    Source,
    SourceTable,
)
from ..catalog.maintained_plan import planning
from ..catalog.system_items import is_system
from ..controller import Controller
from ..controller.replacement import Switch
from ..storage.catalog_transactions import Append, created, dropped
from ..storage.storage import Storage
from ..thread_pool import PLANNING
from .apply_replacement import ranks, repointed
from .replacements import Release, Replacements, Switched
from .replication_slots import ReplicationSlots
from .sinks import switched as sink_switched


class CatalogChanges:
    """Those of one statement, or of one block, at a time: the lock of definitions is held."""

    def __init__(
        self,
        storage: Storage,
        catalog: Catalog,
        controller: Controller,
        replacements: Replacements,
        slots: ReplicationSlots,
        audit: AuditLog,
    ) -> None:
        self._storage = storage
        self._catalog = catalog
        self._controller = controller
        self._replacements = replacements
        self._slots = slots
        self._audit = audit

    async def apply(self, changes: Iterable[Change], append: Append | None = None) -> None:
        """Makes the changes durable, and then so; those of a block in one transaction with its rows: `append` makes them
        durable, or raises."""
        # Until the catalog has a view, nothing else keeps its inputs readable at the time at which it begins.
        with self._storage.reads.at(self._storage.oracle.read_time) as now:
            changes = self._with_ids(_born(change, now) for change in changes)
            if not changes:
                return
            validate(self._catalog, changes)
            if (release := self.release(changes)) is not None:
                after = self._catalog.fork(changes)
                plans = [await _planned(item.after, after) for item in release.moved]
                await self._replacements.apply(
                    release, lambda switched: self._switch(changes, now, append, release, plans, switched)
                )
            else:
                audited = self._audit.of(changes)

                def begin() -> None:
                    self._begin(changes)
                    self._audit.recorded(audited)

                await self._storage.transact_catalog(changes, now, begin, append, audited=audited)

    def release(self, changes: Sequence[Change]) -> Release | None:
        """The replacements that are applied with the changes, if any are."""
        if not (applied := applications(changes)):
            return None
        moved = repointed(self._catalog, changes, applied)
        return Release(applied, moved, ranks(self._catalog, applied, moved))

    async def _switch(
        self,
        changes: list[Change],
        now: int,
        append: Append | None,
        release: Release,
        plans: Sequence[DataflowPlan],
        switched: Switched,
    ) -> None:
        """As `apply`, with the differences of views that take other definitions.  All of them stand still."""
        # A sink is given what a view has behind the change: it would tell of the one before.
        changes = [sink_switched(change, switched.last) for change in changes]
        moved = tuple(zip(release.moved, plans, strict=True))
        switch = Switch(switched.uppers, release.applied, moved)
        audited = self._audit.of(changes)

        def begin() -> None:
            self._storage.oracle.release_reads()
            self._begin(changes, switch)
            self._audit.recorded(audited)

        await self._storage.transact_catalog(
            changes, now, begin, append, switched.timed, lambda: self._controller.adopt(switch), audited
        )

    def _with_ids(self, changes: Iterable[Change]) -> list[Change]:
        changes = list(changes)
        if changes and (ids := self._catalog.ids_change()) is not None:
            changes.append(ids)
        return changes

    # -- in memory --

    def _begin(self, changes: list[Change], switch: Switch | None = None) -> None:
        """The changes are durable, and from now on so for everybody.  What maintains replacements of a `switch` goes on."""
        left = self._slots.left_by(changes, self._catalog)
        self._catalog.apply(changes)
        adopted = {} if switch is None else switch.views
        for item in dropped(changes):
            if item.id not in adopted:
                self._controller.uninstall(item)
        self._slots.drop(left)
        if switch is not None:
            self._controller.withdraw(switch)
        self._change_clusters(changes)
        for item in created(changes):
            self._controller.install(item)  # from now on indexes that it shares are held readable, too
        self._set_outputs(changes)
        for item in (*reconnected(self._catalog, changes), *_refiltered(self._catalog, changes)):
            self._controller.reconnect(item)

    def _set_outputs(self, changes: list[Change]) -> None:
        """Sources go on with the tables that they have now."""
        tables = [item for item in (*created(changes), *dropped(changes)) if isinstance(item, SourceTable)]
        for id_ in dict.fromkeys(table.source for table in tables):
            if isinstance(source := self._catalog.find_by_id(id_), AnySource):
                self._controller.set_outputs(source)

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


def reconnected(catalog: Catalog, changes: Iterable[Change]) -> list[External]:
    """What goes through connections of which the changes have made others, by their options or a secret."""
    found: dict[str, External] = {}
    for change in changes:
        match change:
            case Change(Connection() as old, Connection() as new) if old.options != new.options:
                altered = [new]
            case Change(Secret() as old, Secret() as new) if old.sealed != new.sealed:
                altered = [item for item in catalog.dependents(new.id) if isinstance(item, Connection)]
            case _:
                continue
        for connection in altered:
            for item in catalog.dependents(connection.id):
                if isinstance(item, External):
                    found[item.id] = item
    return list(found.values())


def _refiltered(catalog: Catalog, changes: Iterable[Change]) -> list[External]:
    """Sources of which the changes have narrowed what they keep, or a table."""
    found: dict[str, External] = {}
    for change in changes:
        match change:
            case Change(Source() as old, Source() as new) if old.kept != new.kept:
                found[new.id] = new
            case Change(SourceTable() as old, SourceTable() as new) if old.kept != new.kept:
                maker = catalog.get(new.source)
                assert isinstance(maker, AnySource)
                found[maker.id] = maker
            case _:
                continue
    return list(found.values())


async def _planned(item: Maintained, catalog: Catalog) -> DataflowPlan:
    make, long = planning(item, catalog)
    return await PLANNING.run(make) if long else make()


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
    if isinstance(item, Apart) and after.find_apart(item.kind, item.schema_name, item.name) is not item:
        raise DuplicateObject(f'{item.kind.value} "{item.name}" already exists', sqlstate="42710")
    for id_ in item.uses:
        if not is_system(id_) and after.find_by_id(id_) is None:
            raise SerializationFailure(detail=f'Something that "{item.name}" uses was dropped meanwhile.')


def _born(change: Change, now: int) -> Change:
    """What a block creates or switches, for everybody else, when it commits."""
    if change.before is None and isinstance(change.after, Item):
        return Change(None, replace(change.after, created_at=now))
    return sink_switched(change, now)
