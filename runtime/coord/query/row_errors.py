"""What is said of an error that is data: where it may come from, and what makes it go."""

from __future__ import annotations

from collections.abc import Collection

from ...errors import COLLECTION_ERROR_HINT, ENDED_TABLE, ROW_ERROR_HINT, PtvcError
from ...expr.tree.relation import GlobalId
from ..catalog.catalog import Catalog
from ..catalog.items import Source


def explain(error: PtvcError, catalog: Catalog, reads: Collection[GlobalId]) -> None:
    """Adds to an error of a collection what the query `reads`.  Others are left alone."""
    if error.hint != COLLECTION_ERROR_HINT:
        return
    if not reads or error.sqlstate == ENDED_TABLE:
        error.hint = None  # there is no row to be corrected
        return
    if error.detail is None:
        found = (catalog.find_by_id(id_) for id_ in reads)
        names = sorted(f'"{item.full_name}"' for item in found if item is not None)
        error.detail = f"The query reads {', '.join(names)}."
    if not any(isinstance(item, Source) for item in catalog.below(reads)):
        error.hint = ROW_ERROR_HINT  # there are no records
