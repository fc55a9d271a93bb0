"""The system relations as planning knows them.

A view's definition is stored with the ids and columns of the system relations that it reads: an id is the place in
`SYSTEM_RELATIONS`, which is the same in each version, and columns are found by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...config import DATABASE
from ...errors import Unsupported
from ...expr.tree.relation import Get, GlobalId, Project, Relation
from ...repr.schema import Schema
from ...sql.catalog.catalog_view import CatalogItem, ItemKind, QualifiedName
from ...sql.catalog.system_relations import SYSTEM_RELATIONS


def is_system(id: GlobalId) -> bool:
    return id.startswith("s")


def system_item(schema: str, name: str) -> CatalogItem | None:
    return _BY_NAME.get((schema, name))


def unpinned(ids: Iterable[GlobalId]) -> Iterator[GlobalId]:
    """Those that dependencies are recorded of: as in PostgreSQL, all but what is in pg_catalog."""
    for id_ in ids:
        system = SYSTEM_ITEMS.get(id_)
        if system is None or system.name.schema != "pg_catalog":
            yield id_


def as_now(read: Get) -> Relation:
    """What was read of a system relation, in an earlier version perhaps, of the columns that it has now."""
    now = SYSTEM_ITEMS[read.id]
    if read.schema == now.schema:
        return read
    return Project(Get(read.id, now.schema), _places(read.schema, now), read.schema.names)


def _places(columns: Schema, now: CatalogItem) -> tuple[int, ...]:
    places = {(column.name, column.type): place for place, column in enumerate(now.schema)}
    for column in columns:
        if (column.name, column.type) not in places:
            raise Unsupported(
                f"a view reads column {column.name} of type {column.type} of system relation {now.name}, which it no longer has",
                hint="CREATE OR REPLACE VIEW defines the view anew.",
            )
    return tuple(places[column.name, column.type] for column in columns)


def _items() -> Mapping[GlobalId, CatalogItem]:
    found = {}
    for i, (full, columns) in enumerate(SYSTEM_RELATIONS.items(), 1):
        schema, _, name = full.partition(".")
        found[f"s{i}"] = CatalogItem(f"s{i}", QualifiedName(DATABASE, schema, name), ItemKind.SYSTEM, columns)
    return found


SYSTEM_ITEMS = _items()
_BY_NAME = {(item.name.schema, item.name.name): item for item in SYSTEM_ITEMS.values()}

_WELL_KNOWN = {
    "pg_am": 2601, "pg_attrdef": 2604, "pg_attribute": 1249, "pg_authid": 1260, "pg_cast": 2605, "pg_class": 1259,
    "pg_collation": 3456, "pg_constraint": 2606, "pg_conversion": 2607, "pg_database": 1262, "pg_default_acl": 826,
    "pg_depend": 2608, "pg_description": 2609, "pg_enum": 3501, "pg_event_trigger": 3466, "pg_extension": 3079,
    "pg_foreign_data_wrapper": 2328, "pg_foreign_server": 1417, "pg_foreign_table": 3118, "pg_index": 2610,
    "pg_inherits": 2611, "pg_language": 2612, "pg_namespace": 2615, "pg_opclass": 2616, "pg_operator": 2617,
    "pg_opfamily": 2753, "pg_policy": 3256, "pg_proc": 1255, "pg_publication": 6104, "pg_range": 3541,
    "pg_rewrite": 2618, "pg_sequence": 2224, "pg_shdescription": 2396, "pg_statistic": 2619,
    "pg_statistic_ext": 3381, "pg_subscription": 6100, "pg_tablespace": 1213, "pg_trigger": 2620,
    "pg_ts_config": 3602, "pg_ts_dict": 3600, "pg_ts_parser": 3601, "pg_ts_template": 3764, "pg_type": 1247,
}  # fmt: skip
"""Relations that clients name by their OID in PostgreSQL, as in `classoid = 'pg_class'::regclass`."""

SYSTEM_OIDS = {
    f"s{i}": _WELL_KNOWN.get(name.removeprefix("pg_catalog."), 10_000 + i)
    for i, name in enumerate(SYSTEM_RELATIONS, 1)
}
