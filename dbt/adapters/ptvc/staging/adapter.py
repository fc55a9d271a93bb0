"""Staging as the macros see it: the part of the adapter that says what is staged and where, and that ends a run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from multiprocessing.context import SpawnContext
from typing import Any

import psycopg
from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.connections import is_lost, lost, open_handle
from dbt.adapters.ptvc.dependencies import transitive_dependents
from dbt.adapters.ptvc.deploying import default_grants
from dbt.adapters.ptvc.deployment import quoted
from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.names import REFERENCES, Name
from dbt.adapters.ptvc.staging.own_tables import obstacle, reads_by_plain_name, with_own_tables
from dbt.adapters.ptvc.staging.readers import above_readers
from dbt.adapters.ptvc.staging.results import (
    NOT_DONE,
    data_tests_on,
    failed_tests_above,
    not_done,
    refusal,
    reported,
)
from dbt.adapters.ptvc.staging.session import StagingSession
from dbt.adapters.ptvc.staging.sinks import SinksAdapter
from dbt.adapters.ptvc.staging.staged import (
    Staged,
    children_of,
    descendants,
    held,
    name_of,
    staging_schema,
)
from dbt.adapters.ptvc.staging.staging import LaterSink, Staging

_RELATIONS = ("model", "seed", "snapshot")
"""Nodes that are objects; results are also of tests, unit tests, exposures and saved queries."""

_SINK_TIMEOUT_S = 600.0
_ATTEMPTS = 3
_MAYBE_RELEASED = "If the release was complete at that moment, the next run finds nothing to change."
_WORTH_ANOTHER = ("40001", "55000")
"""Another session has defined something on the same objects meanwhile; clusters did not come to rest.  Nothing was changed."""


class StagingAdapter(SinksAdapter):
    """One run of a process stages at a time, as dbt has one adapter of a type."""

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        self._staging = Staging(self._staging_session)
        self._left_as_it_is: dict[tuple[str | None, str | None], str | None] = {}
        self._schemas_there: set[str] = set()
        self._above_readers: frozenset[str] | None = None
        self._going_over: dict[Name, PtvcRelation] = {}
        """Sinks that are waited for, when all that was staged has its place."""
        self._end_was_told = False
        self._guard = threading.Lock()

    # --- what there is ---------------------------------------------------------------------------------------------

    @available.parse_list
    def dependents(self, relation: PtvcRelation) -> list[PtvcRelation]:
        """All that a cascading drop of `relation` would take along, as the catalog is now, but for what this run has staged."""
        found = transitive_dependents(relation, self._dependency_edges())
        return [dependent for dependent in found if dependent.schema not in self._staging.schemas]

    @available.parse(lambda *a, **k: False)
    def reads(self, dependent: PtvcRelation, relation: PtvcRelation) -> bool:
        """Whether the one, as it is in the catalog, reads the other, and not by way of something else."""
        edges = self._dependency_edges()
        return any(
            (name_of(one), name_of(on)) == (name_of(dependent), name_of(relation)) for one, on in edges
        )

    def _relations_cache_for_schemas(self, relation_configs: Any, cache_schemas: Any = None) -> None:
        if not cache_schemas:
            cache_schemas = self._get_cache_schemas(relation_configs)
        self._drop_what_was_left(str(place.schema) for place in cache_schemas)
        super()._relations_cache_for_schemas(relation_configs, cache_schemas)
        self._link_dependencies()

    # --- one run at a time -----------------------------------------------------------------------------------------

    def _staging_session(self) -> StagingSession:
        return StagingSession(partial(open_handle, self.credentials), self._say, self.connections.interrupted)

    def list_schemas(self, database: str) -> list[str]:
        """All there are, which a run asks for before anything else: those of runs that were killed are among them."""
        found: list[str] = super().list_schemas(database)
        self._schemas_there = {str(name).lower() for name in found}
        return found

    def _drop_what_was_left(self, schemas: Iterable[str]) -> None:
        """Staging schemas beside those, of runs that have ended without dropping them; those of runs that are alive are locked."""
        left = {staging_schema(schema) for schema in schemas} & self._schemas_there
        if not left:
            return
        with self.connections.exception_handler(""):
            session = self._staging_session()
            try:
                for schema in sorted(left):
                    if session.try_lock(schema):
                        self._say(f"dropping {schema}, which a run has left that was killed")
                        session.run([f"drop schema if exists {quoted(schema)} cascade"])
            finally:
                session.close()

    @available.parse(lambda *a, **k: True)
    def has_begun(self) -> bool:
        return self._staging.has_begun

    @available.parse(lambda *a, **k: False)
    def begin(self, schemas: Sequence[str]) -> bool:
        """Before anything in these schemas is changed: one run at a time does so.  True if another one was waited for: what was
        there before may be another now."""
        with self.connections.exception_handler(""):
            return self._staging.begin(schemas, self._look_anew)

    def _look_anew(self) -> str | None:
        """Reads the catalog into dbt's cache, and says what of this run is out of date."""
        known = list(self.cache.schemas)
        with self.cache.lock:
            self.cache.clear()  # type: ignore[no-untyped-call]
            for database, schema in known:
                self.cache.update_schemas([(database, schema or "")])
                for relation in self.list_relations_without_caching(
                    PtvcRelation.create(database=database, schema=schema)
                ):
                    self.cache.add(relation)  # type: ignore[no-untyped-call]
            self._link_dependencies()
        hashes = {
            (relation.schema, relation.identifier): relation.definition_hash
            for database, schema in known
            for relation in self.cache.get_relations(database, schema)
        }
        for name, before in list(self._left_as_it_is.items()):
            if hashes.get(name) != before:
                return (
                    f'"{name[0]}"."{name[1]}" was changed by the other run after this one had found it unchanged: run '
                    "dbt again."
                )
        return None

    @available.parse_none
    def leave(self, relation: PtvcRelation) -> None:
        """The run has found `relation` to be what its model says."""
        self._left_as_it_is[relation.schema, relation.identifier] = relation.definition_hash

    # --- what is staged --------------------------------------------------------------------------------------------

    @available
    def reads_staged(self, sql: str) -> bool:
        return bool(self._staging.read_by(sql))

    @available
    def reads_new(self, sql: str) -> bool:
        """Whether a query reads something that this run has staged, and that does not come to it when the run ends."""
        return any(not one.in_place or one.by_name for one in self._staging.read_by(sql))

    @available.parse(lambda *a, **k: False)
    def has_staged(self) -> bool:
        """Whether something is to take its place when the run ends."""
        return bool(self._staging.all)

    @available.parse(lambda *a, **k: False)
    def is_read_by_name(
        self, node: str, sql: str, nodes: Mapping[str, Any], selected: Collection[str]
    ) -> bool:
        """Whether what is made from the model reads the staged one, in this run: see `Staged.by_name`."""
        with self._guard:
            if self._above_readers is None:
                self._above_readers = above_readers(nodes, selected)
        return node in self._above_readers or any(one.by_name for one in self._staging.read_by(sql))

    @available
    def in_place(self, sql: str) -> str:
        """The text with everything that is staged called what it will be called."""
        return self._staging.in_place(sql)

    @available
    def literals_in_place(self, sql: str) -> str:
        """The text whose string literals call everything that is staged what it will be called."""
        return self._staging.literals_in_place(sql)

    @available
    def over_views(self, sql: str) -> str:
        """The text with materialized views called by their names where it names replacements that are not read by name: what
        rests on the view sees the difference when it is replaced."""
        return self._staging.over_views(sql, lambda one: not one.by_name)

    @available
    def over_all_views(self, sql: str) -> str:
        """The text with materialized views called by their names where it names any replacements."""
        return self._staging.over_views(sql, lambda one: True)

    @available
    def as_staged(self, relation: PtvcRelation) -> PtvcRelation:
        """What a `ref` of it is."""
        schema = REFERENCES.schema_of((relation.schema, relation.identifier))
        return relation if schema is None else relation.in_schema(schema)

    @available
    def schema_in_place(self, schema: str) -> str:
        return self._staging.schema_in_place(schema)

    @available.parse(lambda self, target: target)
    def staged_as(self, target: PtvcRelation) -> PtvcRelation:
        """Where to build what is to take the place of `target` when the run ends."""
        with self.connections.exception_handler(""):
            relation = self._staging.relation(target, self._default_privileges)
        self.cache.update_schemas([(relation.database, relation.schema or "")])
        return relation

    def _default_privileges(self, schema: str, staging: str) -> list[str]:
        rows = self.execute_macro("ptvc__deploy_default_privileges")
        return [
            statement.format(staging)
            for name, role, acls in rows
            if name == schema
            for acl in str(acls).split("\n")
            for statement in default_grants(role, acl)
        ]

    @available.parse_none
    def staged(
        self,
        node: str,
        target: PtvcRelation,
        relation: PtvcRelation,
        existing: PtvcRelation | None = None,
        **options: Any,
    ) -> None:
        """`relation` is built, and takes its place when the run ends."""
        options = {
            name: tuple(value) if isinstance(value, list) else value for name, value in options.items()
        }
        staged = Staged(node, target, relation, existing, **options)
        if not target.is_source:
            self._staging.add(staged)
            return
        made = self.own_tables(relation)
        staged = replace(staged, own_tables=tuple(self.own_tables(existing)) if existing is not None else ())
        there = [name_of(found) for found in self._relations_of(target)]
        if (reason := obstacle(staged, made, there)) is not None:
            raise DbtRuntimeError(reason)
        for one in with_own_tables(staged, made):
            self._staging.add(one)

    def _relations_of(self, target: PtvcRelation) -> list[PtvcRelation]:
        """What is in the schema of `target`."""
        return self.list_relations_without_caching(target.include(identifier=False))

    @available.parse(lambda *a, **k: False)
    def reads_by_plain_name(self, node: str, source: str, nodes: Mapping[str, Any]) -> bool:
        """Whether dbt does not know that the node is made from that source."""
        return reads_by_plain_name(node, source, nodes)

    @available.parse_none
    def make_sink_later(
        self, node: str, sink: PtvcRelation, statements: Sequence[str], replaces: bool = False
    ) -> None:
        self._staging.later_sinks.append(LaterSink(node, sink, tuple(statements), replaces))

    # --- the end ---------------------------------------------------------------------------------------------------

    def run_ended(self, results: Sequence[Any], parents: Mapping[str, Sequence[str]]) -> None:
        """Everything that is staged takes its place, but for what is connected with a failure."""
        self._end_was_told = True
        if self._staging.is_empty:
            return
        by_node = {result.node.unique_id: result for result in results}
        failed = {
            node
            for node, result in by_node.items()
            if result.status in NOT_DONE and result.node.resource_type not in ("test", "unit_test")
        }
        made = {
            (result.node.schema, result.node.alias)
            for node, result in by_node.items()
            if node not in failed and result.node.resource_type == "model"
        }
        children = children_of(parents)
        tests = failed_tests_above(by_node, children)
        staged = self._staging.all
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                edges = self._dependency_edges()
                causes = held(staged, failed, children, edges, self._staging.schemas, made, tests)
                going = {
                    name_of(later.sink)
                    for later in self._staging.later_sinks
                    if later.replaces and later.node not in descendants(causes, children) | failed
                }
                taken = [one.without(going) for one in staged if one.node not in causes]
                sinks = {name_of(sink): sink for one in taken for sink in one.sinks}
                reads = {name: name_of(self.reads_now(sink)) for name, sink in sinks.items()}
                self._staging.place(taken, edges, reads)
                break
            except psycopg.Error as error:
                if error.sqlstate in _WORTH_ANOTHER and attempt < _ATTEMPTS:
                    self._say(f"once more, since the release was refused: {error}")
                    continue
                if is_lost(error):
                    self._refused(by_node, parents, f"{lost(self.credentials)} {_MAYBE_RELEASED}", "failed")
                else:
                    self._refused(by_node, parents, str(error).strip())
                return
            except DbtRuntimeError as error:  # of what is asked before the release
                self._refused(by_node, parents, str(error).strip(), "failed")
                return
        for node, cause in causes.items():
            self._keep_old(by_node.get(node), "error" if cause.is_error else "skipped", cause.reason)
        self._have_tested_again(causes, by_node, parents)
        self._settle_sinks(taken, by_node, descendants(causes, children) | failed)

    def run_stopped(self, results: Sequence[Any], parents: Mapping[str, Sequence[str]]) -> bool:
        """Nothing takes its place.  Who interrupts a commit does not know whether it has been; later only sinks are waited for."""
        by_node = {result.node.unique_id: result for result in results}
        going_over, self._going_over = self._going_over, {}
        for name, sink in going_over.items():
            result = _by_name(by_node).get(name)
            cause = "the run was stopped before it had gone over to what is new, which has its place; the next run of its model goes on"
            self._not_done(result, "skipped", f"sink {sink.render()}: {cause}")
        if self._staging.is_empty:
            return bool(going_over)
        cause = "the run was stopped" + (
            " during its release, unless that was complete already" if self._end_was_told else ""
        )
        for node in self._staging.nodes:
            self._keep_old(by_node.get(node), "skipped", cause)
        self._have_tested_again(self._staging.nodes, by_node, parents)
        return True

    def _refused(
        self,
        by_node: Mapping[str, Any],
        parents: Mapping[str, Sequence[str]],
        reason: str,
        happened: str = "was refused",
    ) -> None:
        targets = [(one.node, one.target) for one in self._staging.all]
        nodes = {node: result.node.name for node, result in by_node.items() if node in self._staging.nodes}
        for node, (status, cause) in refusal(reason, nodes, targets, happened).items():
            self._keep_old(by_node[node], status, cause)
        self._have_tested_again(self._staging.nodes, by_node, parents)

    def _have_tested_again(
        self, gone: Collection[str], by_node: Mapping[str, Any], parents: Mapping[str, Sequence[str]]
    ) -> None:
        """What a test has found out about an object that is dropped says nothing of the one that is made next."""
        for test, node in data_tests_on(gone, by_node, parents).items():
            result = by_node[test]
            of = node.split(".", 2)[-1]
            reason = f"the {of} that it has read is dropped, and has not taken its place"
            self._not_done(result, "skipped", f"{result.node.name} is to run again: {reason}")

    def _keep_old(self, result: Any, status: str, cause: str) -> None:
        """What `dbt retry` is to do again."""
        if result is not None:
            self._not_done(result, status, f"{result.node.name} is as it was before: {cause}")

    def _not_done(self, result: Any, status: str, message: str) -> None:
        if result is not None and result.status not in NOT_DONE:
            not_done(result, status, message)
            self._say(message)

    def _settle_sinks(
        self, taken: Sequence[Staged], by_node: Mapping[str, Any], kept: Collection[str]
    ) -> None:
        """Those that read what has been replaced go on with what has taken its place, and those that waited for it are made."""
        by_name = _by_name(by_node)
        going_over = {name_of(sink): sink for one in taken for sink in one.sinks}
        for later in self._staging.later_sinks:
            if later.node not in kept and not later.statements:
                going_over.setdefault(name_of(later.sink), later.sink)
        self._going_over = dict(going_over)
        for sink in going_over.values():
            with reported(by_name.get(name_of(sink))) as said:
                if self.cut_over(sink, _SINK_TIMEOUT_S):
                    said("ALTER SINK")
            del self._going_over[name_of(sink)]
        for later in self._staging.later_sinks:
            if later.node in kept:
                self._keep_old(by_node.get(later.node), "skipped", "what it reads is as it was")
                continue
            result = by_node.get(later.node)
            if result is not None and result.status in NOT_DONE:
                continue
            with reported(result):
                for statement in later.statements:
                    self.execute(statement)
                self.wait_until_running(later.sink, _SINK_TIMEOUT_S)

    def cleanup_connections(self) -> None:
        """The end, however it came: of what is staged still, nothing is left."""
        stopped = self.connections.interrupted.is_set() or sys.exc_info()[1] is not None
        forgotten = sorted(self._staging.nodes) if not (self._end_was_told or stopped) else []
        self._staging.abandon()
        self._left_as_it_is.clear()
        self._above_readers = None
        self._going_over = {}
        self._end_was_told = False
        super().cleanup_connections()
        if forgotten:
            raise DbtRuntimeError(
                f"what was staged for {', '.join(forgotten)} has not taken its place, and was dropped: this command of dbt does "
                "not say when its nodes have ended."
            )


def _by_name(by_node: Mapping[str, Any]) -> dict[Name, Any]:
    """The results of a run's objects, by the names of their places."""
    return {
        (result.node.schema, result.node.alias): result
        for result in by_node.values()
        if result.node.resource_type in _RELATIONS
    }
