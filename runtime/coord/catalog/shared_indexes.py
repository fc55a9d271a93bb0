"""Which indexes a view or an index shares: chosen when it is created, and kept with it.

The choice is a part of the definition, as its physical plan depends on it: so every replica and every restart runs the
same plan, and state that was saved for it stays valid.  An index that is created later is used by what is created after
it.  One that is dropped stays named in the plans of its readers, which hold the arrangement themselves from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...compute.lower.shared_arrangements import IndexKey
from ...expr.tree.relation import GlobalId
from ...expr.tree.scalar import ColumnRef
from .catalog import Catalog
from .items import Index, Maintained


def indexes_for(catalog: Catalog, inputs: Iterable[GlobalId], cluster: str) -> tuple[IndexKey, ...]:
    """The indexes on plain columns that a dataflow of the cluster over these stored objects may share: none where its workers each hold
    what they look up, as an index is in one place."""
    if catalog.cluster_options(cluster).workers > 1:
        return ()
    return tuple(
        IndexKey(index.id, id_, tuple(key.index for key in index.keys if isinstance(key, ColumnRef)))
        for id_ in sorted(inputs)
        for index in catalog.indexes_on(id_)
        if index.cluster == cluster and index.keys and _plain(index)
    )


def _plain(index: Index) -> bool:
    columns = {key.index for key in index.keys if isinstance(key, ColumnRef)}
    return len(columns) == len(index.keys)


def sharing(catalog: Catalog, index: Index) -> Iterator[Maintained]:
    """The items that were created to share `index`, where their joins have a use for it."""
    for item in catalog.user_items():
        if (
            isinstance(item, Maintained)
            and item.cluster == index.cluster
            and any(known.index == index.id for known in item.shares)
        ):
            yield item
