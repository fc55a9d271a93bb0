"""What a statement needs, before it is executed: every kind of statement is here, and none passes that is not.

A plan may have been made for somebody else and cached, so nothing of this is in it but which relations it reads.  For a
superuser it costs a look at the role: only where a view is not a superuser's, what is below it is checked for them, too.  Statements about roles and grants check for themselves what they change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from ...errors import PermissionDenied
from ...expr.tree.relation import Constant, GlobalId
from ...sql.catalog import catalog_view
from ...sql.plans import (
    connection_plans,
    data_plans,
    definition_plans,
    explain_plans,
    query_plans,
    session_plans,
)
from ...sql.plans.data_plans import MERGE_DELETE, MERGE_INSERT, MERGE_UPDATE
from ...sql.plans.plans import PlannedStatement
from ...sql.syntax.function_definition import FunctionDefinition
from ...sql.syntax.role_statements import PrivilegeDefinition, RoleDefinition
from ...sql.syntax.vocabulary import ObjectKind
from ...storage.sink.delta.options import DeltaSinkOptions
from ...storage.source.delta.options import DeltaSourceOptions
from .catalog import Catalog
from .connectors import Connector, connections_of
from .entries import ClusterEntry, Owned, SchemaEntry
from .items import Function, Index, Item, NamedType
from .privileges import CREATE, DELETE, INSERT, TRUNCATE, UPDATE, USAGE, Privileges
from .role import RoleEntry
from .system_items import is_system

_MERGE = {MERGE_INSERT: INSERT, MERGE_UPDATE: UPDATE, MERGE_DELETE: DELETE}


class Authorization:
    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self.privileges = Privileges(catalog)

    def check(self, planned: PlannedStatement, role: RoleEntry, cluster: str) -> None:
        """Raises 42501 if the role may not execute the statement in a session with that cluster."""
        if role.superuser and not self.privileges.views_are_limited:
            return
        if isinstance(planned, session_plans.SessionPlan | RoleDefinition | PrivilegeDefinition):
            return
        if isinstance(planned, definition_plans.Create):
            self._create(planned, role, cluster)
            return
        if isinstance(planned, definition_plans.Alter):
            self._alter(planned, role)
            return
        if isinstance(planned, data_plans.Write | data_plans.CopyFrom):
            self._write(planned, role, cluster)
            return
        match planned:
            case data_plans.CopyTo(query=query, destination=data_plans.CopyDestination() as to):
                if to.connection is None and not role.superuser:
                    _needs_superuser("files of the server")
                self._use(() if to.connection is None else (to.connection,), role)
                self._query(query, role, cluster)
            case (
                data_plans.CopyTo(query=query)
                | session_plans.DeclareCursor(query=query)
                | query_plans.Calling(query=query)
            ):
                self._query(query, role, cluster)
            case query_plans.Select() | query_plans.Subscribe():
                self._query(planned, role, cluster)
            case data_plans.Replay(source=id_, reads=reads):
                self.privileges.must_own(role, self._catalog.get(id_))
                self.privileges.must_read(role, reads)
                self._cluster_of(reads, role, cluster)
            case connection_plans.ValidateConnection(id=id_):
                self._use((id_,), role)
            case explain_plans.Explain(object=id_) | explain_plans.ExplainPushdown(object=id_):
                self._explained(planned.reads, id_, role)
            case explain_plans.ExplainSource(reads=reads):
                self.privileges.must_read(role, reads)
                self._cluster_of(reads, role, cluster)
            case explain_plans.ExplainTimestamp(query=query):
                self._query(query, role, cluster)
            case explain_plans.ExplainAnalyze(query=explained, object=id_):
                if explained is not None:
                    self._query(explained, role, cluster)
                self._explained(frozenset(), id_, role)
            case _:
                assert_never(planned)

    # -- data --

    def _query(self, query: query_plans.QueryPlan, role: RoleEntry, cluster: str) -> None:
        self.privileges.must_read(role, query.reads)
        if not isinstance(query.relation, Constant):
            self._cluster_of(query.reads, role, cluster)

    def _cluster_of(self, reads: query_plans.Reads, role: RoleEntry, cluster: str) -> None:
        """What is computed of users' relations needs the session's cluster; the catalog's do not."""
        if any(self._is_computed(id_) for id_ in reads):
            self.privileges.must_use_cluster(role, cluster)

    def _is_computed(self, id: GlobalId) -> bool:
        if is_system(id):
            return False
        item = self._catalog.find_by_id(id)
        return not isinstance(item, Function | NamedType)

    def _explained(self, reads: query_plans.Reads, id: GlobalId | None, role: RoleEntry) -> None:
        self.privileges.must_read(role, reads)
        if id is not None:
            item = self._catalog.get(id)
            if isinstance(item, Index):
                item = self._catalog.get(item.on)
            self.privileges.must_read(role, (item.id,))

    def _write(
        self,
        planned: data_plans.Write | data_plans.CopyFrom,
        role: RoleEntry,
        cluster: str,
    ) -> None:
        must = self.privileges
        match planned:
            case data_plans.Truncate(tables=tables):
                for table in tables:
                    must.must_have(role, self._catalog.get(table), TRUNCATE)
                return
            case data_plans.CopyFrom(table=table):
                must.must_have(role, self._catalog.get(table), INSERT)
                return
            case data_plans.Insert(conflict=conflict):
                letters = INSERT + (UPDATE if conflict is not None and conflict.assignments else "")
            case data_plans.Update():
                letters = UPDATE
            case data_plans.Delete():
                letters = DELETE
            case data_plans.Merge(actions=actions):
                letters = "".join(_MERGE[action] for action in actions)
        must.must_have(role, self._catalog.get(planned.table), letters)
        must.must_read(role, planned.reads)
        self._cluster_of(planned.reads, role, cluster)

    # -- definitions --

    def _create(
        self,
        planned: definition_plans.Create,
        role: RoleEntry,
        cluster: str,
    ) -> None:
        must = self.privileges
        match planned:
            case definition_plans.CreateSchema():
                must.must_have(role, self._catalog.database, CREATE)
            case definition_plans.CreateCluster():
                if not (role.superuser or role.create_cluster):
                    raise PermissionDenied(
                        "permission denied to create cluster",
                        detail="Only roles with the CREATECLUSTER attribute may create clusters.",
                    )
            case definition_plans.CreateTable(name=name, query=query):
                must.must_create_in(role, name.schema)
                if query is not None:
                    self._query(query, role, cluster)
            case definition_plans.CreateType(name=name):
                must.must_create_in(role, name.schema)
            case definition_plans.CreateFunction(name=name, definition=definition):
                self._may_run(definition, role)
                must.must_create_in(role, name.schema)
                known = self._catalog.find_function(name.schema, name.name, definition.types)
                if known is not None and planned.or_replace:
                    must.must_own(role, known)
            case definition_plans.CreateView(name=name, or_replace=or_replace):
                must.must_create_in(role, name.schema)
                self._replaces(name, or_replace, role)
            case definition_plans.CreateMaterializedView(
                name=name, cluster=place, uses=uses, or_replace=or_replace
            ):
                must.must_create_in(role, name.schema)
                self._replaces(name, or_replace, role)
                must.must_use_cluster(role, place, CREATE)
                must.must_read(role, uses)
                if planned.replaces is not None:
                    must.must_own(role, self._catalog.get(planned.replaces))
            case definition_plans.CreateIndex(name=name, on=on, cluster=place, uses=uses):
                must.must_own(role, self._catalog.get(on))
                must.must_create_in(role, name.schema)
                must.must_use_cluster(role, place, CREATE)
                must.must_read(role, (on, *uses))
            case connection_plans.CreateSecret(name=name):
                must.must_create_in(role, name.schema)
            case connection_plans.CreateConnection(name=name, options=options):
                must.must_create_in(role, name.schema)
                self._use(options.secrets, role)
            case definition_plans.CreateSource():
                self._may_connect("sources of", planned.connector, role)
                for name in (planned.name, *(table.name for table in planned.tables)):
                    must.must_create_in(role, name.schema)
                must.must_use_cluster(role, planned.cluster, CREATE)
            case definition_plans.CreateSourceTable(source=str() as source):
                must.must_own(role, self._catalog.get(source))
                must.must_create_in(role, planned.name.schema)
            case definition_plans.CreateSourceTable():
                raise AssertionError("the source of a table that is created by itself is known")
            case definition_plans.CreateWebhook(name=name, webhook=webhook):
                must.must_create_in(role, name.schema)
                self._use(() if webhook.check is None else webhook.check.secrets, role)
            case definition_plans.CreateSink():
                self._may_connect("sinks into", planned.connector, role)
                must.must_read(role, (planned.from_id,))
                must.must_create_in(role, planned.name.schema)
                must.must_use_cluster(role, planned.cluster, CREATE)
            case _:
                assert_never(planned)

    def _may_run(self, definition: FunctionDefinition, role: RoleEntry) -> None:
        if definition.external is None or role.superuser:
            return
        may = (
            "may do what the server's process may."
            if definition.language == "python"
            else "takes the machine's time and memory."
        )
        raise PermissionDenied(
            f"permission denied for language {definition.language}",
            hint=f"Only a superuser may create such functions: their code {may}",
        )

    def _may_connect(self, what: str, connector: Connector, role: RoleEntry) -> None:
        if _is_local(connector) and not role.superuser:
            _needs_superuser(f"{what} the server's files")
        self._use(connections_of(connector), role)

    def _replaces(self, name: catalog_view.QualifiedName, or_replace: bool, role: RoleEntry) -> None:
        old = self._catalog.find(name.schema, name.name) if or_replace else None
        if old is not None:
            self.privileges.must_own(role, old)

    def _alter(
        self,
        planned: definition_plans.Alter,
        role: RoleEntry,
    ) -> None:
        must = self.privileges
        match planned:
            case definition_plans.AlterCluster(name=name):
                self._own(ObjectKind.CLUSTER, (name,), role)
            case (
                definition_plans.AlterRetention(id=id_)
                | definition_plans.AlterTable(id=id_)
                | connection_plans.AlterSecret(id=id_)
            ):
                must.must_own(role, self._catalog.get(id_))
            case connection_plans.AlterConnection(id=id_, secrets=secrets):
                must.must_own(role, self._catalog.get(id_))
                self._use(secrets, role)
            case definition_plans.Drop(kind=kind, ids=ids, names=names):
                self._own(kind, names, role)
                for item in map(self._catalog.get, ids):
                    schema = self._catalog.schema_entry(item.schema_name)
                    if schema is None or not must.owns(role, schema):
                        must.must_own(role, item)
            case definition_plans.Rename(kind=kind, target=target):
                self._own(kind, (target,), role)
                if kind is ObjectKind.SCHEMA:
                    must.must_have(role, self._catalog.database, CREATE)
                elif kind is not ObjectKind.CLUSTER:
                    must.must_create_in(role, self._catalog.get(target).schema_name)
            case definition_plans.SetSchema(kind=kind, id=id_, schema=schema_name):
                self._own(kind, (id_,), role)
                must.must_create_in(role, schema_name)
            case definition_plans.AddWhere(id=id_) | definition_plans.ApplyOffers(id=id_):
                must.must_own(role, self._catalog.get(id_))
            case definition_plans.AlterSink(id=id_, from_id=from_id, cluster=place):
                must.must_own(role, self._catalog.get(id_))
                if from_id is not None:
                    must.must_read(role, (from_id,))
                if place is not None:
                    must.must_use_cluster(role, place, CREATE)
            case definition_plans.Swap(kind=kind, first=first, second=second):
                self._own(kind, (first, second), role)
                if kind not in (ObjectKind.SCHEMA, ObjectKind.CLUSTER):
                    for item in map(self._catalog.get, (first, second)):
                        must.must_create_in(role, item.schema_name)
            case definition_plans.ApplyReplacement(id=id_, replacement=replacement):
                must.must_own(role, self._catalog.get(id_))
                must.must_own(role, self._catalog.get(replacement))
            case definition_plans.Comment(kind=kind, target=target):
                self._own(kind, (target,), role)
            case _:
                assert_never(planned)

    def _use(self, ids: Iterable[GlobalId], role: RoleEntry) -> None:
        """Secrets and connections."""
        for id_ in ids:
            self.privileges.must_have(role, self._catalog.get(id_), USAGE)

    def _own(self, kind: ObjectKind, targets: tuple[str, ...], role: RoleEntry) -> None:
        """Objects by id, schemas and clusters by name; those of the system are for the statement to refuse."""
        for target in targets:
            entry = entry_of(self._catalog, kind.value, target)
            if entry is not None:
                self.privileges.must_own(role, entry)


def entry_of(catalog: Catalog, kind: str, target: str) -> Owned | None:
    """What a definition names: an object by id, a schema or a cluster by name, or the database."""
    found: Item | SchemaEntry | ClusterEntry | None
    match kind:
        case "SCHEMA":
            found = catalog.schema_entry(target)
        case "CLUSTER":
            found = catalog.cluster(target)
        case "DATABASE":
            return catalog.database
        case _:
            found = catalog.find_by_id(target)
    return found


def _needs_superuser(what: str) -> None:
    raise PermissionDenied(
        f"permission denied for {what}",
        detail="They are read and written with the rights of the server's process.",
        hint="Only a superuser may create them; others may be granted what they are of.",
    )


def _is_local(connector: object) -> bool:
    """Whether it reads or writes what its statement calls by a path of the server."""
    if isinstance(connector, DeltaSourceOptions | DeltaSinkOptions):
        return connector.local_path is not None
    return isinstance(connector, definition_plans.FileConnector | definition_plans.FileSinkConnector)
