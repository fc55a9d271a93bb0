"""Queries over few rows of materialized views: looked up in a replica that maintains them, as soon as it has computed them.

Whoever reads the view otherwise waits until its output is durable.  The replica has computed it from commits that are, so it
would be the same after a restart: the rows at a time are what they will be for good.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.relation_tree import dependencies
from ...repr.batch import Batch
from ..catalog.catalog import Catalog
from ..catalog.items import MaterializedView
from ..catalog.unaltered import check_columns
from ..controller.clusters import Clusters
from ..controller.replicas import ReplicaClient
from ..storage.collections import Collections
from ..storage.part_choice import filtered_reads
from .changes_reads import changes_in
from .key_choice import key_reads, view_reads
from .keyed_rows import KeyedRows, are_few
from .read_context import ReadContext


class ComputedRows:
    def __init__(
        self,
        catalog: Catalog,
        collections: Collections,
        clusters: Clusters,
        keyed: KeyedRows,
    ) -> None:
        self._catalog = catalog
        self._collections = collections
        self._clusters = clusters
        self._keyed = keyed

    async def evaluated(self, relation: Relation, context: ReadContext, time: int) -> Batch | None:
        """The rows of `relation` at `time`, which is held, if it reads views of the cluster by some of their columns, and beside them nothing
        but tables by their keys.  None where it is to be answered in another way, or what is wrong is to be said."""
        if context.catalog is not self._catalog:
            return None
        ids = dependencies(relation)
        views = {id_ for id_ in ids if self._is_view_of(id_, context.cluster)}
        if not views or changes_in(relation):
            return None
        reads = filtered_reads(relation)
        searches = {**key_reads(reads, self._catalog), **view_reads(reads, self._catalog)}
        if searches.keys() != ids or not are_few(searches):
            return None
        replica = await self.replica(ids, views, context.cluster, time)
        context.check()
        check_columns(relation, self._catalog)
        if replica is None or self._catalog.widened(relation) is not relation:
            return None
        return await self._keyed.evaluated(relation, searches, context.overlay, replica, time)

    async def replica(
        self, ids: Collection[GlobalId], views: Collection[GlobalId], cluster: str, time: int
    ) -> ReplicaClient | None:
        """One that has computed the `views` at `time`, which is held, once all of `ids` are known there; None if there is none then."""
        if not self._are_readable(ids, time):
            return None
        await self._collections.wait_until_readable(ids, time, in_memory=True)
        if not self._are_readable(
            ids, time
        ):  # maintenance may have gone on before the read began to hold its time
            return None
        first, *others = (self._clusters.with_view(cluster, view, time) for view in views)
        return first if all(other is first for other in others) else None

    def _is_view_of(self, id: GlobalId, cluster: str) -> bool:
        item = self._catalog.find_by_id(id)
        return isinstance(item, MaterializedView) and item.cluster == cluster

    def _are_readable(self, ids: Iterable[GlobalId], time: int) -> bool:
        """Whether nothing of them is compacted beyond `time`."""
        return all(
            id_ in self._collections
            and self._collections.frontiers(self._collections[id_].shard).since <= time
            for id_ in ids
        )
