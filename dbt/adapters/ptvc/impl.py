"""The adapter: what dbt and its Jinja macros may ask of the runtime.

Statements are written in macros; here is what Jinja cannot do: hashes, COPY, closures over dependencies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
from dbt.adapters.base.impl import ConstraintSupport, PythonJobHelper
from dbt.adapters.base.meta import available
from dbt.adapters.capability import Capability, CapabilityDict, CapabilitySupport, Support
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.protocol import AdapterConfig
from dbt_common.contracts.constraints import ColumnLevelConstraint, ConstraintType
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.catalog import Stats, catalog_table
from dbt.adapters.ptvc.column import PtvcColumn
from dbt.adapters.ptvc.connections import PtvcAdapterResponse
from dbt.adapters.ptvc.constraints import Constraint, ConstraintChanges, with_not_null
from dbt.adapters.ptvc.definition_hash import definition_hash
from dbt.adapters.ptvc.deploying import Deploying, Server
from dbt.adapters.ptvc.deployment import DEFAULT_CLUSTER, Deployment, as_in_production
from dbt.adapters.ptvc.dialect import become_parent_of, package_of_default
from dbt.adapters.ptvc.fixtures import has_diffs, rows_left
from dbt.adapters.ptvc.python.models import SUBMISSION_METHOD, PtvcPythonJob, PythonResult, start_spark
from dbt.adapters.ptvc.relation import (
    PtvcRelation,
    mark,
    mark_as_test,
    marker,
    shorten,
)
from dbt.adapters.ptvc.relation_configs import IndexChanges, IndexSuccession, index_statement_is
from dbt.adapters.ptvc.seeds import copy_value, difference
from dbt.adapters.ptvc.single_relation import named_relation, reads_one_ref
from dbt.adapters.ptvc.source_body import closing_parenthesis, is_of_source
from dbt.adapters.ptvc.staging.adapter import StagingAdapter
from dbt.adapters.ptvc.staging.retired import stands_for
from dbt.adapters.ptvc.staging.run_phases import tell_of_runs
from dbt.adapters.ptvc.translation import dialect_of, translated_model, why_not

if TYPE_CHECKING:
    import agate
    from dbt_common.contracts.metadata import CatalogTable

logger = AdapterLogger("ptvc")

_INT4_MAX = 2**31 - 1
_NOT_REPLACEABLE = ("42P16", "42P17", "55000")
"""Why a definition cannot be replaced in place: its columns, a cycle, what rests on it."""


@dataclass
class PtvcConfig(AdapterConfig):
    """Options of a model beyond dbt's own.  `hydration_timeout` is in seconds, and so is a Python model's `timeout`."""

    cluster: str | None = None
    indexes: list[dict[str, Any]] | None = None
    columns: list[str] | None = None
    retain_history: str | None = None
    refresh: str | None = None
    refresh_interval: dict[str, Any] | None = None
    partition_by: list[str] | None = None
    assert_not_null: list[str] | None = None
    wait_for_hydration: bool = True
    hydration_timeout: float = 600.0
    connector: str | None = None
    format: str | None = None
    envelope: str | None = None
    key: list[str] | None = None
    timeout: float | None = None
    dialect: str | None = None
    spark_config: dict[str, Any] | None = None


class PtvcAdapter(StagingAdapter):
    Column = PtvcColumn
    AdapterSpecificConfigs = PtvcConfig

    CONSTRAINT_SUPPORT = {
        ConstraintType.check: ConstraintSupport.ENFORCED,
        ConstraintType.not_null: ConstraintSupport.ENFORCED,
        ConstraintType.unique: ConstraintSupport.ENFORCED,
        ConstraintType.primary_key: ConstraintSupport.ENFORCED,
        ConstraintType.foreign_key: ConstraintSupport.NOT_SUPPORTED,
    }

    _capabilities = CapabilityDict(
        {
            Capability.SchemaMetadataByRelations: CapabilitySupport(support=Support.Full),
            Capability.GetCatalogForSingleRelation: CapabilitySupport(support=Support.Full),
            Capability.TableLastModifiedMetadata: CapabilitySupport(support=Support.Full),
            Capability.TableLastModifiedMetadataBatch: CapabilitySupport(support=Support.Full),
            Capability.MicrobatchConcurrency: CapabilitySupport(support=Support.NotImplemented),
        }
    )

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        tell_of_runs(type(self))
        become_parent_of(self.type())

    @classmethod
    def date_function(cls) -> str:
        return "now()"

    def debug_query(self) -> None:
        """`dbt debug`: one round trip, and say which runtime answered."""
        _, table = self.execute("select version()", fetch=True)
        info = self.connections.get_thread_connection().handle.info
        message = f"  runtime: {table.rows[0][0]} at {info.host}:{info.port}"
        if self.credentials.path is not None:
            message += f", embedded under {self.credentials.path}"
        self._say(message)

    def valid_incremental_strategies(self) -> list[str]:
        return ["append", "delete+insert", "merge", "microbatch"]

    @classmethod
    def render_column_constraint(cls, constraint: ColumnLevelConstraint) -> str | None:
        """As dbt renders it, with the constraint's name, which dbt leaves out: errors and ALTER TABLE say it."""
        rendered: str | None = super().render_column_constraint(constraint)
        if rendered is None or not constraint.name or constraint.type is ConstraintType.custom:
            return rendered
        return f"constraint {constraint.name} {rendered}"

    # --- names -----------------------------------------------------------------------------------------------------

    @available
    def shorten(self, identifier: str, suffix: str) -> str:
        return shorten(identifier, suffix)

    @available
    def has_diffs(self, rows: list[dict[str, Any]]) -> bool:
        """Whether some of a unit test's rows say how often they come, or go."""
        return has_diffs(rows)

    @available
    def take_back(self, rows: list[dict[str, Any]], name: str) -> None:
        """Leave in `rows`, a unit test's, what is not taken back by others of them."""
        rows[:] = rows_left(rows, name)

    def get_catalog_for_single_relation(self, relation: PtvcRelation) -> CatalogTable | None:  # type: ignore[override]
        rows = self.execute_macro("get_catalog_for_single_relation", kwargs={"relation": relation})
        return catalog_table(rows, self._stats(rows))

    def _get_one_catalog(self, *args: Any, **kwargs: Any) -> agate.Table:
        rows = super()._get_one_catalog(*args, **kwargs)
        return self._stats(rows).added_to(rows)

    def _get_one_catalog_by_relations(self, *args: Any, **kwargs: Any) -> agate.Table:
        rows = super()._get_one_catalog_by_relations(*args, **kwargs)
        return self._stats(rows).added_to(rows)

    def _stats(self, rows: agate.Table) -> Stats:
        return Stats.of(rows, self.execute_macro, lambda schema, name: self._relation(schema, name, "table"))

    @available
    def stands_for(self, identifier: str, name: str | None) -> bool:
        return stands_for(identifier, name)

    @available.parse(lambda *a, **k: "")
    def package_of_default(self, materialization: str) -> str:
        return package_of_default(self._macro_resolver, self.config.project_name, materialization)

    # --- other dialects ----------------------------------------------------------------------------------------------

    @available
    def translated(self, sql: str, model: Mapping[str, Any]) -> str:
        """The query of a model as PostgreSQL's, if its config says that it is in another dialect."""
        nodes = getattr(self._macro_resolver, "nodes", {})
        read = [nodes[cte["id"]] for cte in model.get("extra_ctes") or () if cte["id"] in nodes]
        ephemeral = (dialect_of(node.config) for node in read)
        return translated_model(
            sql,
            model,
            self._types_of,
            next((dialect for dialect in ephemeral if dialect is not None), None),
            Path(self.config.project_target_path),
        )

    def _types_of(self, schema: str | None, name: str) -> dict[str, str] | None:
        relation = self.get_relation(self.credentials.database, schema or self.credentials.schema, name)
        if relation is None:
            return None
        columns = self.get_columns_in_relation(relation)  # type: ignore[no-untyped-call]
        return {column.name: column.data_type for column in columns}

    @available
    def assert_no_dialect(self, unit_test: Mapping[str, Any]) -> None:
        """Inputs of unit tests are written in PostgreSQL's SQL, into the model's own text."""
        tested = getattr(self._macro_resolver, "nodes", {}).get(unit_test.get("tested_node_unique_id"))
        if tested is not None and dialect_of(tested.config) is not None:
            raise DbtRuntimeError(f"unit tests of {tested.name} are not supported: it has a `dialect`")

    def pre_model_hook(self, config: Any) -> Any:
        """Called before the materialization: those of dbt's own would send the text as it is."""
        node = getattr(config, "model", None)
        if node is not None and node.config.get("dialect") and node.resource_type in ("model", "snapshot"):
            kind = "snapshot" if node.resource_type == "snapshot" else str(node.config.materialized)
            if (reason := why_not(kind, getattr(node, "language", "sql"), ctes=False)) is not None:
                raise DbtRuntimeError(f"{node.name}: {reason}")
        return super().pre_model_hook(config)

    # --- what changed ----------------------------------------------------------------------------------------------

    @available
    def definition_hash(
        self, kind: str, sql: str, options: Mapping[str, Any], existing: PtvcRelation | None = None
    ) -> str:
        """Of the definition as it is in production: what a deployment has built is unchanged when it is promoted, and what this run
        has staged has the names of its place.  That of the `existing` relation if it has the same definition."""
        known = existing.definition_hash if existing is not None else None
        return definition_hash(kind, as_in_production(self._staging.in_place(sql)), options, known)

    @available
    def definition_marker(self, value: str) -> str:
        return marker(value)

    @available
    def marked_query(self, sql: str, value: str | None) -> str:
        """The query of a view, with the hash of the definition in its text."""
        return sql if value is None else mark(sql, value)

    @available
    def stored_test(self, sql: str, node: Mapping[str, Any], config: Mapping[str, Any]) -> str:
        """The query of a test's stored failures, with what `ptvc watch` has to know of the test in its text."""
        tested = [node["attached_node"]] if node.get("attached_node") else node["depends_on"]["nodes"]
        said = {name: config.get(name) for name in ("severity", "fail_calc", "warn_if", "error_if")}
        models = [str(unique_id).split(".", 2)[-1] for unique_id in tested]
        return mark_as_test(sql, {"name": node["name"], "models": models, **said})

    @available
    def source_clause(self, sql: str, cluster_clause: str) -> str:
        """The body of a source with IN CLUSTER where it belongs: after the columns, if there are any."""
        end = closing_parenthesis(sql)
        return f"{sql[:end]} {cluster_clause}\n{sql[end:]}" if cluster_clause else sql

    @available
    def is_of_source(self, sql: str) -> bool:
        return is_of_source(sql)

    @available
    def index_is(self, index: PtvcRelation, on: str, columns: Iterable[str], cluster: str | None) -> bool:
        return index_statement_is(index.index_definition, on, columns, cluster)

    @available
    def reads_one_ref(self, raw_code: str) -> bool:
        return reads_one_ref(raw_code)

    @available
    def named_relation(self, sql: str) -> str | None:
        return named_relation(sql)

    @available.parse(lambda *a, **k: None)
    def index_changes(
        self, relation: PtvcRelation, relation_hash: str | None, raw: Iterable[object] | None
    ) -> IndexChanges:
        """How the indexes of `relation` differ from the config's.  Served by the relation cache."""
        cached = self.list_relations(relation.database, relation.schema or "")
        existing = [
            str(item.identifier) for item in cached if isinstance(item, PtvcRelation) and item.is_index
        ]
        return IndexChanges.between(relation.identifier or "", relation_hash, raw or [], existing)

    @available.parse(lambda *a, **k: None)
    def index_succession(
        self, existing: PtvcRelation, wanted: PtvcRelation, raw: Sequence[object]
    ) -> IndexSuccession:
        """What becomes of the indexes of `existing` with the definition of `wanted`."""
        cached = self.list_relations(existing.database, existing.schema or "")
        there = [str(item.identifier) for item in cached if isinstance(item, PtvcRelation) and item.is_index]
        return IndexSuccession.between(
            existing.identifier or "", existing.definition_hash, wanted.definition_hash, raw, there
        )

    @available
    def columns_with_not_null(self, columns: Any, constraints: Any) -> dict[str, dict[str, Any]]:
        return with_not_null(columns, constraints)

    @available.parse(lambda *a, **k: ConstraintChanges([], []))
    def constraint_changes(self, existing: PtvcRelation, wanted: PtvcRelation) -> ConstraintChanges:
        """How the constraints of a table differ from those of another one that has what the contract asks for."""
        there, asked = (
            [
                Constraint(*row)
                for row in self.execute_macro("ptvc__get_constraints", kwargs={"relation": table})
            ]
            for table in (existing, wanted)
        )
        return ConstraintChanges.between(there, asked)

    @available.parse(lambda *a, **k: False)
    def begin_replacement(self, sql: str) -> bool:
        """Run CREATE REPLACEMENT MATERIALIZED VIEW; False when the new definition cannot take the place of the old one.

        That is so when its columns are others, when it reads the view itself, or when what rests on the view relies on
        it to lose no rows.
        """
        handle = self.connections.get_thread_connection().handle
        with self.connections.exception_handler(sql):
            try:
                handle.execute(self.connections._add_query_comment(sql))
            except psycopg.Error as error:
                if error.sqlstate not in _NOT_REPLACEABLE:
                    raise
                logger.debug(f"not replaced in place: {error}")
                return False
        return True

    # --- deployment ------------------------------------------------------------------------------------------------

    @available
    def deployed_schema(self, name: str, variable: object, target: str) -> str:
        """The schema that a deployment builds in instead of that one."""
        return Deployment.parse(variable, target).schema(name)

    @available
    def deployed_cluster(
        self, name: str | None, session: str | None, variable: object, target: str
    ) -> str | None:
        """The cluster that a deployment runs an object in; `session` is that of the profile."""
        chosen = name or session or DEFAULT_CLUSTER
        deployed = Deployment.parse(variable, target).cluster(chosen)
        return name if deployed == chosen else deployed

    @available
    def schema_in_production(self, name: str) -> str:
        return as_in_production(name)

    @available.parse_none
    def deploy(self, step: str, variable: object, target: str, **options: Any) -> None:
        """A step of a deployment: `init`, `wait`, `promote` or `cleanup`."""
        server = Server(
            query=lambda macro, **arguments: self.execute_macro(macro, kwargs=arguments),
            run=self.execute,
            say=self._say,
            pause=self.connections.interrupted.wait,
        )
        getattr(Deploying(server, Deployment.parse(variable, target)), step)(**options)

    # --- what is being built ---------------------------------------------------------------------------------------

    @available.parse_none
    def building(self, relation: PtvcRelation) -> None:
        """The model of this thread is about to create `relation`: if the run is interrupted it goes, as nothing but its own
        hydration would be left of it."""
        self.connections.building.setdefault(self.connections.get_thread_identifier(), []).append(relation)

    @available.parse_none
    def built(self, relation: PtvcRelation) -> None:
        """It is there, and stays."""
        self.connections.building[self.connections.get_thread_identifier()].remove(relation)

    def post_model_hook(self, config: Mapping[str, Any], context: Any) -> None:
        """Called when the model's materialization has ended, in whichever way."""
        unfinished = self.connections.building.pop(self.connections.get_thread_identifier(), [])
        if self.connections.interrupted.is_set():
            with self.connections.lock:
                pass  # the statements that the interrupt cancels have been: what follows is none of them
            for relation in unfinished:
                self.drop_relation(relation)  # type: ignore[no-untyped-call]
        super().post_model_hook(config, context)

    # --- Python models ---------------------------------------------------------------------------------------------

    @property
    def default_python_submission_method(self) -> str:
        return SUBMISSION_METHOD

    @property
    def python_submission_helpers(self) -> dict[str, type[PythonJobHelper]]:
        # What dbt calls with a model and credentials need not be a class.
        helper = partial(PtvcPythonJob, connections=self.connections, say=self._say)
        return {SUBMISSION_METHOD: helper}  # type: ignore[dict-item]

    def run_begins(self, nodes: Sequence[Any]) -> None:
        start_spark(nodes, self.credentials)

    def generate_python_submission_response(self, submission_result: PythonResult) -> PtvcAdapterResponse:
        rows = submission_result.rows
        return PtvcAdapterResponse(_message=f"PYTHON {rows}", code="PYTHON", rows_affected=rows)

    # --- seeds -----------------------------------------------------------------------------------------------------

    @classmethod
    def convert_number_type(cls, agate_table: agate.Table, col_idx: int) -> str:
        import agate

        if agate_table.aggregate(agate.MaxPrecision(col_idx)):
            return "float8"
        return cls.convert_integer_type(agate_table, col_idx)

    @classmethod
    def convert_integer_type(cls, agate_table: agate.Table, col_idx: int) -> str:
        values = [value for value in agate_table.columns[col_idx].values() if value is not None]
        return "bigint" if any(abs(value) > _INT4_MAX for value in values) else "integer"

    @available.parse_none
    def copy_rows(self, sql: str, agate_table: agate.Table) -> None:
        """Send the rows of a seed through COPY ... FROM STDIN."""
        handle = self.connections.get_thread_connection().handle
        with self.connections.exception_handler(sql):
            self._copy(handle, sql, agate_table)

    @available.parse_none
    def replace_rows(self, delete: str, copy: str, agate_table: agate.Table) -> None:
        """DELETE and COPY in one transaction: nobody sees the table empty or half filled."""
        handle = self.connections.get_thread_connection().handle
        with self.connections.exception_handler(copy), handle.transaction():
            handle.execute(self.connections._add_query_comment(delete))
            self._copy(handle, copy, agate_table)

    def _copy(self, handle: psycopg.Connection[Any], sql: str, agate_table: agate.Table) -> None:
        logger.debug(f"{sql}: {len(agate_table.rows)} rows")
        columns = [[copy_value(value) for value in column.values()] for column in agate_table.columns]
        with handle.cursor() as cursor, cursor.copy(self.connections._add_query_comment(sql)) as copy:
            for row in zip(*columns, strict=True):
                copy.write_row(row)

    @available.parse(lambda *a, **k: "columns")
    def seed_difference(
        self, relation: PtvcRelation, columns: Mapping[str, str], agate_table: agate.Table
    ) -> str:
        """`columns`, `rows` or `none`: where a table differs from a seed with these columns, by quoted name and type."""
        handle = self.connections.get_thread_connection().handle
        name = relation.render()
        values = [column.values() for column in agate_table.columns]
        with self.connections.exception_handler(name), handle.cursor() as cursor:
            return difference(cursor, self.connections._add_query_comment, name, columns, values)
