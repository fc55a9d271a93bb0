"""Which stored collections are append-only, so that views over them may forget what can never come back.

A source says so by its connector and envelope (`storage/connectors.py`), a materialized view by its definition, over what
it reads in turn (`transform/append_only.py`).  From tables, rows may be deleted.  The answer is derived from the catalog
whenever a plan is made, and kept nowhere: so it is that of the definitions as they are.
"""

from __future__ import annotations

from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.relation_tree import dependencies
from ...storage.connectors import only_appends
from ...storage.envelope import EnvelopeKind
from ...storage.row_retention import RowRetention
from ...transform.append_only import AppendOnly
from .catalog import Catalog
from .connectors import connector_options, connector_word
from .items import AnySource, MaterializedView, Source, SourceTable, WebhookSource
from .views import expand


def append_only(relation: Relation, catalog: Catalog) -> frozenset[GlobalId]:
    """The append-only collections among those that `relation`, whose views are expanded, reads."""
    known: dict[GlobalId, bool] = {}
    return frozenset(id_ for id_ in dependencies(relation) if _is_append_only(id_, catalog, known))


def _is_append_only(id: GlobalId, catalog: Catalog, known: dict[GlobalId, bool]) -> bool:
    if id not in known:
        known[id] = _derived(id, catalog, known)
    return known[id]


def _derived(id: GlobalId, catalog: Catalog, known: dict[GlobalId, bool]) -> bool:
    match catalog.find_by_id(id):
        case Source(retention=RowRetention()) | SourceTable(retention=RowRetention()):
            return False
        case Source(connector=connector, envelope=envelope):
            return only_appends(
                connector_word(connector), connector_options(connector), EnvelopeKind(envelope.value)
            )
        case SourceTable(reference=reference) as table:
            source = catalog.get(table.source)
            assert isinstance(source, AnySource)
            word, options = connector_word(source.connector), connector_options(source.connector)
            return only_appends(word, options, EnvelopeKind.NONE, reference)
        case WebhookSource():
            return True
        case MaterializedView(relation=relation, replaced=False, replaces=None):
            definition = expand(relation, catalog)
            below = frozenset(i for i in dependencies(definition) if _is_append_only(i, catalog, known))
            return AppendOnly(below).holds(definition)
        case _:
            # Of a view that was replaced, or will be, rows go by the difference to its earlier definition.
            return False
