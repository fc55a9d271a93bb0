"""Definitions as changes to a catalog: what CREATE, DROP, ALTER and COMMENT mean, without doing anything.

The catalog is everybody's, for a statement by itself, or that of a block, for one inside of it: then the changes are
made when the block commits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict, assert_never

from ...compute.lower.shared_arrangements import IndexKey
from ...errors import DependentObjectsExist, DuplicateObject, UndefinedSchema, Unsupported
from ...expr.tree.relation import GlobalId, Relation
from ...expr.tree.relation_tree import dependencies
from ...lineage.columns import Lineage
from ...repr.schema import Schema
from ...repr.types import SYSTEM_OIDS
from ...sql.catalog.catalog_view import ItemKind, QualifiedName
from ...sql.plans.connection_plans import AlterConnection, AlterSecret, CreateConnection, CreateSecret
from ...sql.plans.definition_plans import (
    AddWhere,
    AlterCluster,
    AlterRetention,
    AlterSink,
    ApplyOffers,
    ApplyReplacement,
    Comment,
    CreateCluster,
    CreateFunction,
    CreateIndex,
    CreateMaterializedView,
    CreateSchema,
    CreateSink,
    CreateSource,
    CreateSourceTable,
    CreateTable,
    CreateType,
    CreateView,
    CreateWebhook,
    Drop,
    Rename,
    SetSchema,
    Swap,
)
from ...sql.plans.plans import PlannedStatement
from ...sql.syntax.function_definition import FunctionKind
from ...sql.syntax.role_statements import AlterSystem, RoleDefinition, Securable
from ...sql.syntax.vocabulary import ObjectKind
from ..catalog.catalog import SYSTEM_SCHEMAS, Catalog
from ..catalog.entries import Change, SchemaEntry, entry_key
from ..catalog.items import (
    Connection,
    Function,
    Identity,
    Index,
    Item,
    MaterializedView,
    NamedType,
    Relational,
    Secret,
    Table,
    View,
)
from ..catalog.shared_indexes import indexes_for
from ..catalog.views import expand
from ..results.results import Command, Notice
from ..secrets.key_ring import KeyRing
from .alterations import (
    comment_changes,
    move_changes,
    refuse_namesake,
    refuse_type,
    rename_changes,
    retention_change,
    schema_entry,
    swap_changes,
)
from .apply_replacement import apply_changes, check_cycle, check_losable
from .connections import altered_connection, new_connection
from .default_privileges import first_acl
from .dependents import depends, dropped_with, refuse_unless_empty
from .functions import check_external, replaced_function
from .secrets import altered_secret, new_secret
from .sinks import sink_changes
from .view_texts import with_texts
from .webhooks import new_webhook, unguarded

Pure = (
    CreateSchema
    | CreateTable
    | CreateView
    | CreateMaterializedView
    | CreateIndex
    | CreateWebhook
    | AlterRetention
    | AlterSink
    | ApplyReplacement
    | Drop
    | Rename
    | SetSchema
    | Swap
    | Comment
    | CreateFunction
    | CreateType
    | CreateSecret
    | AlterSecret
    | CreateConnection
    | AlterConnection
)
"""Statements that are changes to the catalog and nothing else, but for Drop of clusters."""


def refused_in_block(plan: PlannedStatement) -> str | None:
    """What the definition is called if it cannot be part of a block; None when it can."""
    match plan:
        case Drop(kind=ObjectKind.CLUSTER):
            return "DROP CLUSTER"
        case AlterCluster():
            return "ALTER CLUSTER ... SET"
        case CreateMaterializedView(replaces=str()):
            return "CREATE REPLACEMENT MATERIALIZED VIEW"
        case CreateCluster():
            return "CREATE CLUSTER"
        case CreateSource():
            return "CREATE SOURCE"
        case CreateSourceTable():
            return "CREATE TABLE ... FROM SOURCE"
        case CreateSink():
            return "CREATE SINK"
        case AddWhere(kind=kind):
            return f"ALTER {kind.value} ... ADD WHERE"
        case ApplyOffers(kind=kind):
            return f"ALTER {kind.value} ... APPLY"
        case AlterSystem():
            return "ALTER SYSTEM"
        case _ if isinstance(plan, RoleDefinition):
            return "A change of roles"
        case _:
            return None


def dropped_on_commit(catalog: Catalog) -> list[Change]:
    """Temporary tables that a block has created until its end, with what is over them."""
    unbuilt = map(catalog.get, catalog.unbuilt)
    roots = [item for item in unbuilt if isinstance(item, Table) and item.dropped_on_commit]
    return [Change(item, None) for item in dropped_with(catalog, roots, cascade=True)] if roots else []


@dataclass(frozen=True, slots=True)
class Definitions:
    """`now` is when what is created was created, `owner` the role that it belongs to.  `keys` (None: there is no runtime) seal
    secrets."""

    catalog: Catalog
    now: int
    owner: str
    notices: list[Notice]
    keys: KeyRing | None = None

    def changes(self, plan: Pure) -> tuple[Command, list[Change]]:
        match plan:
            case CreateSchema():
                return Command("CREATE SCHEMA"), self._create_schema(plan)
            case CreateTable():
                return self._create_table(plan)
            case CreateView():
                return Command("CREATE VIEW"), self._create_view(plan)
            case CreateMaterializedView():
                return self._create_materialized_view(plan)
            case CreateIndex():
                return Command("CREATE INDEX"), self._create_index(plan)
            case CreateWebhook():
                return Command("CREATE SOURCE"), self._create_webhook(plan)
            case AlterRetention():
                return Command(f"ALTER {plan.kind.value}"), [retention_change(self.catalog, plan)]
            case Drop():
                return Command(f"DROP {plan.kind.value}"), self._drop(plan)
            case Rename():
                return Command(f"ALTER {plan.kind.value}"), self._named(rename_changes(self.catalog, plan))
            case SetSchema():
                return Command(f"ALTER {plan.kind.value}"), self._named(move_changes(self.catalog, plan))
            case AlterSink():
                return Command("ALTER SINK"), sink_changes(self.catalog, plan)
            case Swap():
                return Command(f"ALTER {plan.kind.value}"), self._named(swap_changes(self.catalog, plan))
            case ApplyReplacement():
                return Command("ALTER MATERIALIZED VIEW"), apply_changes(self.catalog, plan)
            case Comment():
                return Command("COMMENT"), comment_changes(self.catalog, plan)
            case CreateType():
                return Command("CREATE TYPE"), [self._create_type(plan)]
            case CreateFunction():
                return self._create_function(plan)
            case CreateSecret():
                return Command("CREATE SECRET"), self._create_secret(plan)
            case AlterSecret():
                return Command("ALTER SECRET"), [altered_secret(plan, self.catalog, self._own_keys)]
            case CreateConnection():
                return Command("CREATE CONNECTION"), self._create_connection(plan)
            case AlterConnection():
                return Command("ALTER CONNECTION"), [altered_connection(plan, self.catalog)]
            case _:
                assert_never(plan)

    # -- create --

    def exists(self, name: QualifiedName, if_not_exists: bool) -> bool:
        """Whether the name is taken, which IF NOT EXISTS notices; raises without, and when there is no such schema."""
        if not self.catalog.schema_exists(name.schema) and not name.schema.startswith("pg_temp_"):
            raise UndefinedSchema(
                f'schema "{name.schema}" does not exist', hint=f'CREATE SCHEMA "{name.schema}" first.'
            )
        if self.catalog.item(name.schema, name.name) is None:
            refuse_type(self.catalog, name.schema, name.name)
            return False
        if not if_not_exists:
            raise DuplicateObject(f'relation "{name.name}" already exists')
        self.notices.append(skipping(f'relation "{name.name}" already exists', "42P07"))
        return True

    def identity(self, name: QualifiedName, granted: Securable | None = None) -> Identity:
        """That of an object which is not in the catalog yet, with ids that nothing else has had; `granted` is what default
        privileges are granted on, where they are."""
        id_, oid = self.catalog.allocate()
        return {
            "id": id_,
            "oid": oid,
            "schema_name": name.schema,
            "name": name.name,
            "created_at": self.now,
            "owner": self.owner,
            "acl": None if granted is None else first_acl(self.catalog, self.owner, granted, name.schema),
        }

    def _create_schema(self, plan: CreateSchema) -> list[Change]:
        if self.catalog.schema_exists(plan.name):
            if not plan.if_not_exists:
                raise DuplicateObject(f'schema "{plan.name}" already exists', sqlstate="42P06")
            self.notices.append(skipping(f'schema "{plan.name}" already exists', "42P06"))
            return []
        acl = first_acl(self.catalog, self.owner, Securable.SCHEMA)
        oid = self.catalog.allocate_oid()
        return [Change(None, SchemaEntry(plan.name, oid, owner=self.owner, acl=acl))]

    def _create_table(self, plan: CreateTable) -> tuple[Command, list[Change]]:
        """CREATE TABLE AS is finished by the session: it inserts the query's rows."""
        if self.exists(plan.name, plan.if_not_exists):
            return Command("CREATE TABLE" if plan.query is None else "CREATE TABLE AS"), []
        constraints = tuple(replace(c, oid=self.catalog.allocate_oid()) for c in plan.constraints)
        identity = self.identity(plan.name, Securable.TABLE)
        item = Table(
            **identity,
            schema=plan.schema,
            shard=identity["id"],
            defaults=plan.defaults,
            constraints=constraints,
            retain_history_ms=plan.retain_history_ms,
            dropped_on_commit=plan.drop_on_commit,
        )
        return Command("CREATE TABLE" if plan.query is None else "SELECT 0"), [Change(None, item)]

    def _create_view(self, plan: CreateView) -> list[Change]:
        old = self.catalog.find(plan.name.schema, plan.name.name)
        if old is not None and plan.or_replace:
            return [self._replaced_view(old, plan)]
        if self.exists(plan.name, plan.if_not_exists):
            return []
        return [Change(None, View(**self.identity(plan.name, Securable.TABLE), **_body(plan)))]

    def _replaced_view(self, old: Relational, plan: CreateView) -> Change:
        """As in PostgreSQL the columns stay; what is maintained from the old definition forbids a new one."""
        if not isinstance(old, View):
            raise DuplicateObject(f'"{old.name}" is not a view', sqlstate="42809")
        dependents = self.catalog.dependents(old.id)
        if dependents:
            raise DependentObjectsExist(
                f"cannot replace view {old.name} because other objects depend on it",
                detail=depends(dependents, old),
                hint="Drop them first, or DROP ... CASCADE and create them anew.",
            )
        return Change(old, replace(old, **_body(plan)))

    def _create_materialized_view(self, plan: CreateMaterializedView) -> tuple[Command, list[Change]]:
        word = "" if plan.replaces is None else "REPLACEMENT "
        tag = Command(f"CREATE {word}MATERIALIZED VIEW")
        dropped: list[Item] = []
        old = self.catalog.find(plan.name.schema, plan.name.name)
        if old is not None and plan.or_replace:
            dropped = dropped_with(self.catalog, [old], cascade=False)
        elif self.exists(plan.name, plan.if_not_exists):
            return tag, []
        shares = self._shares(plan.relation, plan.cluster)
        if plan.replaces is not None:
            view = self.catalog.get_as(plan.replaces, MaterializedView)
            check_cycle(self.catalog, view, tuple(plan.uses))
            check_losable(self.catalog, view)
        identity = self.identity(plan.name, Securable.TABLE)
        item = MaterializedView(
            **identity,
            **_body(plan),
            cluster=plan.cluster,
            shard=identity["id"],
            shares=shares,
            retain_history_ms=plan.retain_history_ms,
            assert_not_null=plan.assert_not_null,
            replaces=plan.replaces,
        )
        if old is not None:
            item = replace(item, owner=old.owner, acl=old.acl)
        return tag, [*(Change(gone, None) for gone in dropped), Change(None, item)]

    def _create_index(self, plan: CreateIndex) -> list[Change]:
        if self.exists(plan.name, plan.if_not_exists):
            return []
        shares = self._shares(plan.relation, plan.cluster)
        index = Index(
            **self.identity(plan.name),
            cluster=plan.cluster,
            relation=plan.relation,
            uses=(plan.on, *plan.uses),
            keys=plan.keys,
            shares=shares,
            retain_history_ms=plan.retain_history_ms,
            key_texts=plan.texts,
            key_columns=plan.columns if plan.texts else {},
        )
        return [Change(None, replace(index, owner=self.catalog.get(plan.on).owner))]

    def _create_webhook(self, plan: CreateWebhook) -> list[Change]:
        if self.exists(plan.name, plan.if_not_exists):
            return []
        if plan.webhook.check is None:
            self.notices.append(unguarded(plan.name.name))
        return [Change(None, new_webhook(plan, self.identity(plan.name, Securable.TABLE)))]

    def _shares(self, relation: Relation, cluster: str) -> tuple[IndexKey, ...]:
        """The indexes that a dataflow shares."""
        chosen = indexes_for(self.catalog, dependencies(expand(relation, self.catalog)), cluster)
        return tuple(key for key in chosen if key.index not in self.catalog.unbuilt)

    def _create_function(self, plan: CreateFunction) -> tuple[Command, list[Change]]:
        aggregate = plan.definition.kind is FunctionKind.AGGREGATE
        tag = Command("CREATE AGGREGATE" if aggregate else "CREATE FUNCTION")
        check_external(plan.name.name, plan.definition)
        old = self.catalog.find_function(plan.name.schema, plan.name.name, plan.definition.types)
        if old is not None:
            change = replaced_function(self.catalog, old, plan.definition)
            return tag, [] if change is None else [change]
        function = Function(**self.identity(plan.name, Securable.FUNCTION), definition=plan.definition)
        return tag, [Change(None, function)]

    def _create_secret(self, plan: CreateSecret) -> list[Change]:
        if self._exists_apart(Secret.kind, plan.name, plan.if_not_exists):
            return []
        return [new_secret(plan, self.identity(plan.name, Securable.SECRET), self._own_keys)]

    def _create_connection(self, plan: CreateConnection) -> list[Change]:
        if self._exists_apart(Connection.kind, plan.name, plan.if_not_exists):
            return []
        return [new_connection(plan, self.identity(plan.name, Securable.CONNECTION))]

    def _exists_apart(self, kind: ItemKind, name: QualifiedName, if_not_exists: bool) -> bool:
        """As `exists`, of what has its names to itself."""
        if if_not_exists and self.catalog.find_apart(kind, name.schema, name.name) is not None:
            self.notices.append(skipping(f'{kind.value} "{name.name}" already exists', "42710"))
            return True
        refuse_namesake(self.catalog, kind, name.schema, name.name)
        return False

    @property
    def _own_keys(self) -> KeyRing:
        if self.keys is None:
            raise Unsupported("there is no runtime to keep a secret")
        return self.keys

    def _create_type(self, plan: CreateType) -> Change:
        # A relation's rows have a type of its name.
        if self.catalog.item(plan.name.schema, plan.name.name) is not None:
            raise DuplicateObject(f'type "{plan.name.name}" already exists', sqlstate="42710")
        refuse_type(self.catalog, plan.name.schema, plan.name.name)
        item = NamedType(**self.identity(plan.name), type=plan.type)
        while item.oid in SYSTEM_OIDS:
            item = replace(item, oid=self.catalog.allocate_oid())
        return Change(None, item)

    # -- drop --

    def _drop(self, plan: Drop) -> list[Change]:
        self.notices.extend(Notice("NOTICE", text, "00000") for text in plan.notices)
        if plan.kind is ObjectKind.SCHEMA:
            return self._drop_schemas(plan.names, plan.cascade)
        roots = [self.catalog.get(id_) for id_ in plan.ids]
        return [Change(item, None) for item in dropped_with(self.catalog, roots, plan.cascade)]

    def _named(self, changes: list[Change]) -> list[Change]:
        return with_texts(self.catalog, changes)

    def _drop_schemas(self, names: tuple[str, ...], cascade: bool) -> list[Change]:
        """Each by itself, though they go together: what one takes along, the next has not."""
        changes: dict[str, Change] = {}
        for name in dict.fromkeys(names):
            if name in SYSTEM_SCHEMAS:
                raise DependentObjectsExist(f"cannot drop schema {name} because it is required by the system")
            entry = schema_entry(self.catalog, name)
            roots = [i for i in self.catalog.user_objects() if i.schema_name == name and i.id not in changes]
            refuse_unless_empty(f"schema {name}", roots, cascade, f"depends on schema {name}")
            dropped = dropped_with(self.catalog, roots, cascade)
            changes |= {item.id: Change(item, None) for item in dropped}
            changes |= {entry_key(d): Change(d, None) for d in self.catalog.default_acls_in(entry.oid)}
            changes[entry_key(entry)] = Change(entry, None)
        return list(changes.values())


class _Body(TypedDict):
    schema: Schema
    relation: Relation
    definition_sql: str
    uses: tuple[GlobalId, ...]
    columns: tuple[tuple[GlobalId, int], ...]
    named: bool
    lineage: Lineage | None


def _body(plan: CreateView | CreateMaterializedView) -> _Body:
    """What a view is made from."""
    return {
        "schema": plan.schema,
        "relation": plan.relation,
        "definition_sql": plan.definition_sql,
        "uses": tuple(sorted(plan.uses)),
        "columns": tuple(sorted(plan.columns)),
        "named": plan.named,
        "lineage": plan.lineage,
    }


def skipping(message: str, sqlstate: str) -> Notice:
    return Notice("NOTICE", f"{message}, skipping", sqlstate)
