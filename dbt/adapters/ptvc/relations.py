"""What there is, and what rests on what: the part of the adapter that its other parts are over."""

from __future__ import annotations

from dbt.adapters.base.meta import available
from dbt.adapters.events.types import AdapterEventInfo, AdapterEventWarning
from dbt.adapters.sql.impl import SQLAdapter
from dbt_common.events.functions import fire_event
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.connections import PtvcConnectionManager
from dbt.adapters.ptvc.credentials import PtvcCredentials
from dbt.adapters.ptvc.dependencies import Edge
from dbt.adapters.ptvc.relation import PtvcRelation, PtvcRelationType, hash_in, parse_kind


class RelationsAdapter(SQLAdapter):
    """The catalog as dbt's relations, in its cache and out of it."""

    Relation = PtvcRelation
    ConnectionManager = PtvcConnectionManager
    connections: PtvcConnectionManager

    @property
    def credentials(self) -> PtvcCredentials:
        credentials = self.config.credentials
        assert isinstance(credentials, PtvcCredentials)
        return credentials

    @available
    def verify_database(self, database: str | None) -> str:
        """Refuse another database than the profile's: one connection sees one."""
        mine = self.credentials.database
        if database is not None and database.strip('"').lower() != mine.lower():
            raise DbtRuntimeError(
                f'database "{database}" is not the profile\'s "{mine}": one connection sees one database. '
                "Remove the `database` setting, or use a `schema` instead."
            )
        return ""

    def _relation(self, schema: str, name: str, kind: str, definition: str | None = None) -> PtvcRelation:
        return PtvcRelation.create(
            database=self.credentials.database,
            schema=schema,
            identifier=name,
            quote_policy={"database": True, "schema": True, "identifier": True},
            type=parse_kind(kind),  # type: ignore[arg-type]
            definition_hash=hash_in(definition),
            index_definition=definition if parse_kind(kind) is PtvcRelationType.Index else None,
        )

    def list_relations_without_caching(  # type: ignore[override]
        self, schema_relation: PtvcRelation
    ) -> list[PtvcRelation]:
        """One query a schema: names, kinds and the hashes of definitions."""
        self.verify_database(schema_relation.database)
        rows = self.execute_macro(
            "list_relations_without_caching", kwargs={"schema_relation": schema_relation}
        )
        found = [self._relation(schema, name, kind, text) for schema, name, kind, text in rows]
        # Functions have names of their own, and several may share one; to dbt a name is one thing.
        functions = {relation.identifier: relation for relation in found if relation.is_function}
        others = [relation for relation in found if not relation.is_function]
        taken = {relation.identifier for relation in others}
        return others + [relation for name, relation in functions.items() if name not in taken]

    def _link_dependencies(self) -> None:
        with self.connections.exception_handler("dependencies"):
            for edge in self._dependency_edges():
                # A link to what is elsewhere would have the cache believe that it knows all of that schema.
                if all((relation.database, relation.schema or "") in self.cache for relation in edge):
                    dependent, referenced = edge
                    self.cache.add_link(referenced, dependent)  # type: ignore[no-untyped-call]

    def _dependency_edges(self) -> list[Edge]:
        rows = self.execute_macro("ptvc__get_relations")
        return [
            (self._relation(schema, name, kind), self._relation(on_schema, on_name, on_kind))
            for schema, name, kind, on_schema, on_name, on_kind in rows
        ]

    @available.parse_list
    def own_tables(self, source: PtvcRelation) -> list[PtvcRelation]:
        """The tables that the statement of `source` has made itself."""
        rows = self.execute_macro("ptvc__get_own_tables")
        return [
            self._relation(schema, name, "table")
            for source_schema, source_name, schema, name in rows
            if (source_schema, source_name) == (source.schema, source.identifier)
        ]

    @available.parse_none
    def rename_relation(self, from_relation: PtvcRelation, to_relation: PtvcRelation) -> None:
        """ALTER names the kind, and dbt's own materializations say `table` whatever it is: the catalog knows."""
        known = self.get_relation(
            from_relation.database, from_relation.schema or "", from_relation.identifier or ""
        )
        if known is not None and known.type is not None:
            from_relation = from_relation.incorporate(type=known.type)  # type: ignore[no-untyped-call]
        super().rename_relation(from_relation, to_relation)  # type: ignore[no-untyped-call]

    @available.parse_none
    def take_place(self, existing: PtvcRelation, successor: PtvcRelation, target: PtvcRelation) -> None:
        """Drops `existing`, which nothing rests on, and gives `successor` the name of `target`, in one transaction: readers find
        the one or the other."""
        self.cache_dropped(existing)
        self.cache_renamed(successor, target)
        kwargs = {"existing": existing, "successor": successor, "target": target}
        self.execute_macro("ptvc__take_place", kwargs=kwargs)

    @available.parse_none
    def move_relation(self, relation: PtvcRelation, target: PtvcRelation) -> None:
        """To the schema and the name of `target`."""
        self.cache_renamed(relation, target)
        self.execute_macro("ptvc__move_relation", kwargs={"from_relation": relation, "to_relation": target})

    def _say(self, message: str) -> None:
        fire_event(AdapterEventInfo(name="ptvc", base_msg=message, args=[]))

    def _warn(self, message: str) -> None:
        fire_event(AdapterEventWarning(name="ptvc", base_msg=message, args=[]))
