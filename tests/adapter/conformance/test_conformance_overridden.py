"""dbt's own conformance tests where the original names another database: what differs is overridden, with the reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from dbt.adapters.base.relation import BaseRelation
from dbt.tests.adapter.basic import expected_catalog, test_docs_generate, test_get_catalog_for_single_relation
from dbt.tests.adapter.dbt_show import test_dbt_show
from dbt.tests.adapter.empty import test_empty
from dbt.tests.adapter.ephemeral import test_ephemeral
from dbt.tests.adapter.hooks import test_model_hooks, test_run_hooks
from dbt.tests.adapter.materialized_view import changes
from dbt.tests.adapter.materialized_view.basic import MaterializedViewBasic
from dbt.tests.adapter.query_comment import fixtures as query_comment_fixtures
from dbt.tests.adapter.query_comment import test_query_comment
from dbt.tests.adapter.simple_copy import test_copy_uppercase
from dbt.tests.adapter.simple_seed import test_seed
from dbt.tests.adapter.simple_snapshot import test_various_configs
from dbt.tests.adapter.store_test_failures_tests import basic
from dbt.tests.adapter.utils import (
    test_current_timestamp,
    test_date_spine,
    test_get_intervals_between,
    test_timestamps,
)
from dbt.tests.util import (
    check_relations_equal,
    copy_file,
    get_model_file,
    run_dbt,
    run_sql_with_adapter,
    set_model_file,
)
from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, TableMetadata

from adapter.conformance import slow

pytestmark = slow


class RelationKind:
    @staticmethod
    def query_relation_type(project: Any, relation: BaseRelation) -> str | None:
        row = project.run_sql(
            "select o.type from mz_catalog.mz_objects o join mz_catalog.mz_schemas s on s.id = o.schema_id "
            f"where s.name = '{relation.schema}' and o.name = '{relation.identifier}'",
            fetch="one",
        )
        return row[0].replace("-", "_") if row else None


class TestMaterializedView(RelationKind, MaterializedViewBasic):
    def insert_record(self, project: Any, table: BaseRelation, record: tuple[int, int]) -> None:
        project.run_sql(f"insert into {table} (id, value) values ({record[0]}, {record[1]})")

    def refresh_materialized_view(self, project: Any, materialized_view: BaseRelation) -> None:
        """There is nothing to refresh: a view is maintained."""

    def query_row_count(self, project: Any, relation: BaseRelation) -> int:
        return int(project.run_sql(f"select count(*) from {relation}", fetch="one")[0])

    @pytest.mark.skip(
        reason="a view is up to date without a refresh: test_updates_without_refresh inverts it"
    )
    def test_materialized_view_only_updates_after_refresh(self) -> None: ...

    def test_updates_without_refresh(
        self, project: Any, my_materialized_view: BaseRelation, my_seed: BaseRelation, target_name: str
    ) -> None:
        if target_name == "postgres":
            pytest.skip("PostgreSQL does not maintain its materialized views")
        before = self.query_row_count(project, my_materialized_view)
        self.insert_record(project, my_seed, (4, 400))
        assert self.query_row_count(project, my_materialized_view) == before + 1
        model = get_model_file(project, my_materialized_view)
        set_model_file(project, my_materialized_view, model)
        run_dbt(["run", "--models", my_materialized_view.identifier])
        assert self.query_row_count(project, my_materialized_view) == before + 1


class ChangedMaterializedView(RelationKind, changes.MaterializedViewChanges):
    """Abstract in the original.  Another condition is applied in place, another column by a new view."""

    @staticmethod
    def rows_and_columns(project: Any, view: BaseRelation) -> tuple[int, int]:
        rows = project.run_sql(f"select * from {view}", fetch="all")
        return len(rows), len(rows[0])

    def check_start_state(self, project: Any, materialized_view: BaseRelation) -> None:  # type: ignore[override]
        assert self.rows_and_columns(project, materialized_view) == (3, 2)

    @staticmethod
    def change_config_via_alter(project: Any, materialized_view: BaseRelation) -> None:
        model = get_model_file(project, materialized_view)
        set_model_file(project, materialized_view, model.rstrip() + " where id > 1")

    def check_state_alter_change_is_applied(  # type: ignore[override]
        self, project: Any, materialized_view: BaseRelation
    ) -> None:
        assert self.rows_and_columns(project, materialized_view)[0] == 2

    @staticmethod
    def change_config_via_replace(project: Any, materialized_view: BaseRelation) -> None:
        model = get_model_file(project, materialized_view)
        set_model_file(project, materialized_view, model.replace("select *", "select *, 1 as more"))

    def check_state_replace_change_is_applied(  # type: ignore[override]
        self, project: Any, materialized_view: BaseRelation
    ) -> None:
        assert self.rows_and_columns(project, materialized_view)[1] == 3


class TestMaterializedViewApply(ChangedMaterializedView, changes.MaterializedViewChangesApplyMixin):
    pass


class TestMaterializedViewContinue(ChangedMaterializedView, changes.MaterializedViewChangesContinueMixin):
    pass


class TestMaterializedViewFail(ChangedMaterializedView, changes.MaterializedViewChangesFailMixin):
    pass


class Stats(dict[str, Any]):
    """Those of some relation: its rows and its time, or of what its columns are made."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, dict)
        shown = {name for name in other if name != "has_stats"}
        return shown in ({"row_count", "up_to_date"}, {"column_lineage"})


TYPES = {
    "id_type": "integer",
    "text_type": "text",
    "time_type": "timestamp without time zone",
    "view_type": "VIEW",
    "table_type": "BASE TABLE",
}


class TestDocsGenerate(test_docs_generate.TestDocsGenerate):
    """The original knows no adapter with stats of relations, but for Snowflake's and the like."""

    @pytest.fixture(scope="class")
    def expected_catalog(self, project: Any, profile_user: str) -> Any:
        return expected_catalog.base_expected_catalog(
            project, role=profile_user, model_stats=Stats(), **TYPES
        )


class TestDocsGenReferences(test_docs_generate.TestDocsGenReferences):
    @pytest.fixture(scope="class")
    def expected_catalog(self, project: Any, profile_user: str) -> Any:
        return expected_catalog.expected_references_catalog(
            project, role=profile_user, bigint_type="bigint", model_stats=Stats(), **TYPES
        )


class TestGetCatalogForSingleRelation(test_get_catalog_for_single_relation.BaseGetCatalogForSingleRelation):
    """Abstract in the original: the entries, with this runtime's names of types and of the owner."""

    def entry(self, project: Any, kind: str, name: str, timestamp: str) -> CatalogTable:
        types = {
            "id": "integer",
            "first_name": "text",
            "email": "text",
            "ip_address": "text",
            "updated_at": timestamp,
        }
        metadata = TableMetadata(
            type=kind, schema=project.test_schema, name=name, database=project.database, owner="ptvc"
        )
        columns = {
            column: ColumnMetadata(type=type_, index=index, name=column)
            for index, (column, type_) in enumerate(types.items(), 1)
        }
        return CatalogTable(metadata=metadata, columns=columns, stats=Stats())

    @pytest.fixture(scope="class")
    def expected_catalog_my_seed(self, project: Any) -> CatalogTable:
        return self.entry(project, "BASE TABLE", "my_seed", "timestamp without time zone")

    @pytest.fixture(scope="class")
    def expected_catalog_my_view_model(self, project: Any) -> CatalogTable:
        return self.entry(project, "VIEW", "my_view_model", "timestamp without time zone")


class TestMetadataWithEmptyFlag(test_empty.MetadataWithEmptyFlag):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        """The original names a column in Snowflake's case."""
        models = test_empty.MetadataWithEmptyFlag.models.__wrapped__(self)  # type: ignore[attr-defined]
        name = "alter_column_type.sql"
        return {**models, name: models[name].replace("MY_VALUE", "my_value")}


class TestSnapshotDbtValidToCurrent(test_various_configs.BaseSnapshotDbtValidToCurrent):
    @pytest.fixture(autouse=True)
    def ordered(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The original counts on rows in the order of their insertion, without asking for it."""
        versions = "row_number() over (partition by id order by test_valid_from)"

        def ordered(adapter: Any, sql: str, fetch: str) -> Any:
            return run_sql_with_adapter(adapter, f"{sql} order by {versions}, id", fetch)

        monkeypatch.setattr(test_various_configs, "run_sql_with_adapter", ordered)


class TestStoreTestFailuresAsExceptions(basic.StoreTestFailuresAsExceptions):
    def test_tests_run_unsuccessfully_and_raise_appropriate_exception(self, project: Any) -> None:
        """The original lists the accepted values without materialized_view."""
        (result,) = run_dbt(["test"], expect_pass=False)
        assert "Compilation Error" in result.message
        assert "'error' is not a valid value" in result.message
        accepted = "Accepted values are: ['ephemeral', 'table', 'view', 'materialized_view']"
        assert accepted in result.message


class OfPostgres:
    """The original has a branch for the type of target `postgres`, which is the one that fits: '2023-09-01'::date."""

    def interpolate_macro_namespace(self, model_sql: str, macro_name: str) -> str:
        ours = model_sql.replace("target.type == 'postgres'", "target.type == 'ptvc'")
        return str(super().interpolate_macro_namespace(ours, macro_name))  # type: ignore[misc]


class TestDateSpine(OfPostgres, test_date_spine.TestDateSpine):
    pass


class TestGetIntervalsBetween(OfPostgres, test_get_intervals_between.TestGetIntervalsBetween):
    def interpolate_macro_namespace(self, model_sql: str, macro_name: str) -> str:
        """Dates are written as ISO 8601 has them: month first depends on PostgreSQL's DateStyle."""
        iso = model_sql.replace("09/01/2023", "2023-09-01").replace("09/12/2023", "2023-09-12")
        return super().interpolate_macro_namespace(iso, macro_name)


def without_blanks(sql: str) -> str:
    return "".join(sql.split())


def compiled(project: Any, model: str) -> str:
    """The query of `model` as dbt compiled it."""
    path = Path(project.project_root) / "target" / "compiled" / "test" / "models" / f"{model}.sql"
    return without_blanks(path.read_text())


class TestEphemeralMulti(test_ephemeral.TestEphemeralMulti):
    def test_ephemeral_multi(self, project: Any) -> None:
        """The original compares dbt-postgres's CREATE VIEW in a database named dbt: here it is the query."""
        run_dbt(["seed"])
        assert len(run_dbt(["run"])) == 3
        for model in ("dependent", "double_dependent", "super_dependent"):
            check_relations_equal(project.adapter, ["seed", model])
        assert compiled(project, "double_dependent") == without_blanks(
            f"with __dbt__cte__base as (select * from {project.test_schema}.seed), "
            "__dbt__cte__base_copy as (select * from __dbt__cte__base)"
            "-- base_copy just pulls from base. Make sure the listed"
            "-- graph of CTEs all share the same dbt_cte__base cte"
            "select * from __dbt__cte__base where gender = 'Male' "
            "union all select * from __dbt__cte__base_copy where gender = 'Female'"
        )


class TestEphemeralNested(test_ephemeral.TestEphemeralNested):
    def test_ephemeral_nested(self, project: Any) -> None:
        """As above; a relation is named without its database."""
        assert len(run_dbt(["run"])) == 2
        assert compiled(project, "root_view") == without_blanks(
            "with __dbt__cte__ephemeral_level_two as ("
            f'select * from "{project.test_schema}"."source_table"), '
            "__dbt__cte__ephemeral as (select * from __dbt__cte__ephemeral_level_two)"
            "select * from __dbt__cte__ephemeral"
        )


class TestSimpleCopyUppercase(test_copy_uppercase.TestSimpleCopyUppercase):
    @pytest.fixture(scope="class")
    def dbt_profile_target(self, server: dict[str, Any]) -> dict[str, Any]:
        """The original's is a PostgreSQL with a database named dbtMixedCase: there is one database here."""
        where = {name: server[name] for name in ("host", "port", "user")}
        return {"type": "ptvc", "threads": 4, **where}


class HookContext:
    """The hooks record the profile; the originals expect PostgreSQL's."""

    @pytest.fixture(scope="class")
    def test_data_dir(self) -> Path:
        return Path(test_model_hooks.__file__).parent / "data"

    def check_hooks(self, state: str, project: Any, host: str | None, count: int = 1) -> None:
        for context in self.get_ctx_vars(state, count, project):  # type: ignore[attr-defined]
            assert context["test_state"] == state
            assert context["target_host"] == host
            assert (context["target_type"], context["target_dbname"]) == ("ptvc", "ptvc")
            assert (context["target_user"], context["target_pass"]) == ("ptvc", "")
            assert (context["target_name"], context["target_schema"]) == ("default", project.test_schema)
            assert context["target_threads"] == 4
            assert context["run_started_at"]
            assert context["invocation_id"]
            assert context["thread_id"].startswith(("Thread-", "MainThread"))


class TestPrePostModelHooks(HookContext, test_model_hooks.TestPrePostModelHooks):
    pass


class TestPrePostModelHooksUnderscores(HookContext, test_model_hooks.TestPrePostModelHooksUnderscores):
    pass


class TestHookRefs(HookContext, test_model_hooks.TestHookRefs):
    pass


class TestHooksRefsOnSeeds(HookContext, test_model_hooks.TestHooksRefsOnSeeds):
    pass


class TestPrePostModelHooksInConfig(HookContext, test_model_hooks.TestPrePostModelHooksInConfig):
    pass


class TestPrePostModelHooksInConfigWithCount(
    HookContext, test_model_hooks.TestPrePostModelHooksInConfigWithCount
):
    pass


class TestPrePostModelHooksInConfigKwargs(HookContext, test_model_hooks.TestPrePostModelHooksInConfigKwargs):
    pass


class TestDuplicateHooksInConfigs(HookContext, test_model_hooks.TestDuplicateHooksInConfigs):
    pass


class TestPrePostRunHooks(HookContext, test_run_hooks.TestPrePostRunHooks):
    def check_hooks(self, state: str, project: Any, host: str | None) -> None:
        context = self.get_ctx_vars(state, project)
        assert (context["target_type"], context["target_dbname"]) == ("ptvc", "ptvc")
        assert (context["test_state"], context["target_host"]) == (state, host)


class TestAfterRunHooks(HookContext, test_run_hooks.TestAfterRunHooks):
    pass


class NoMark:
    """A view's text carries the mark of its definition, which is a comment: the model is a table."""

    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        return {"x.sql": "{{ config(materialized='table') }}" + query_comment_fixtures.MODELS__X_SQL}


class TestEmptyQueryComments(NoMark, test_query_comment.TestEmptyQueryComments):
    pass


class TestNullQueryComments(NoMark, test_query_comment.TestNullQueryComments):
    pass


class TestShowDoesNotHandleDoubleLimit(test_dbt_show.TestShowDoesNotHandleDoubleLimit):
    DATABASE_ERROR_MESSAGE = "multiple LIMIT clauses not allowed"


class TestSimpleSeedWithBOM(test_seed.TestSimpleSeedWithBOM):
    @pytest.fixture(scope="class", autouse=True)
    def setUp(self, project: Any) -> None:
        """The file lies beside the original test."""
        project.run_sql(test_seed.seeds.seeds__expected_sql)
        folder = Path(test_seed.__file__).parent
        copy_file(folder, "seed_bom.csv", project.project_root / Path("seeds") / "seed_bom.csv", "")


class TestSeedSpecificFormats(test_seed.TestSeedSpecificFormats):
    @pytest.fixture(scope="class")
    def test_data_dir(self, tmp_path_factory: pytest.TempPathFactory) -> Path:
        """The original makes and removes `data` beside the tests."""
        return tmp_path_factory.mktemp("seeds") / "data"


class TestCurrentTimestamps(test_timestamps.TestCurrentTimestamps):
    @pytest.fixture(scope="class")
    def project_config_update(self) -> dict[str, Any]:
        """A view cannot hold now(): the model is a table."""
        return {"models": {"+materialized": "table"}}


class TestCurrentTimestamp(test_current_timestamp.TestCurrentTimestamp):
    @pytest.fixture(scope="class")
    def models(self) -> dict[str, str]:
        """A view cannot hold now(): the model is a table."""
        model = "{{ config(materialized='table') }}" + test_current_timestamp.models__current_ts_sql
        return {"current_ts.sql": model}
