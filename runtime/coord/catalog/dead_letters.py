"""Which table has the dead letters of a source."""

from __future__ import annotations

from ...expr.tree.relation import GlobalId
from .catalog import Catalog
from .items import SourceTable


def dead_letters_of(catalog: Catalog, source: GlobalId) -> SourceTable | None:
    """None if its records in error are errors of the source."""
    tables = (item for item in catalog.dependents(source) if isinstance(item, SourceTable))
    return next((table for table in tables if table.is_dead_letters), None)
