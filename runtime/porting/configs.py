"""Configs of other warehouses: what becomes of each here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fate:
    """`value`: what takes the place of the config's value; None: the config goes.  `doubt`: whether the user is to decide."""

    why: str
    value: str | None = None
    doubt: bool = False
    hint: str | None = None


_LAYOUT = "how a warehouse lays rows out has no meaning here; `indexes` keep a view in memory by a key"
_COMPUTE = "compute is a `cluster` here"
_REFRESH = "a materialized view is always up to date"
_STORAGE = "tables are stored in one way here"
_LABELS = "the warehouse's own labels and tags"
_RIGHTS = "masks and shares of the warehouse"

_GONE: Mapping[str, Mapping[str, str]] = {
    "snowflake": {
        **dict.fromkeys(("cluster_by", "automatic_clustering"), _LAYOUT),
        **dict.fromkeys(("snowflake_warehouse", "snowflake_initialization_warehouse"), _COMPUTE),
        **dict.fromkeys(("target_lag", "refresh_mode", "initialize", "scheduler"), _REFRESH),
        **dict.fromkeys(
            (
                "transient",
                "table_format",
                "catalog_name",
                "external_volume",
                "base_location_root",
                "base_location_subpath",
            ),
            _STORAGE,
        ),
        **dict.fromkeys(("query_tag", "table_tag"), _LABELS),
        **dict.fromkeys(("secure", "row_access_policy", "immutable_where", "change_tracking"), _RIGHTS),
        "copy_grants": "an object that is changed in place keeps its privileges",
        "tmp_relation_type": "the adapter decides what it needs in between",
    },
    "bigquery": {
        **dict.fromkeys(("partition_by", "cluster_by", "partitions", "require_partition_filter"), _LAYOUT),
        **dict.fromkeys(("partition_expiration_days", "hours_to_expiration"), "nothing expires by itself here: filter by mz_now()"),
        **dict.fromkeys(("enable_refresh", "refresh_interval_minutes", "max_staleness"), _REFRESH),
        **dict.fromkeys(("kms_key_name", "storage_uri", "file_format", "base_location_subpath", "base_location_root", "table_format"), _STORAGE),
        **dict.fromkeys(("labels", "resource_tags", "labels_from_meta", "job_execution_timeout_seconds"), _LABELS),
        **dict.fromkeys(("grant_access_to", "policy_tags"), _RIGHTS),
        **dict.fromkeys(("copy_partitions", "enable_change_history", "description"), _STORAGE),
        **dict.fromkeys(("compute_region", "dataproc_cluster_name", "submission_method", "reservation"), _COMPUTE),
    },
    "redshift": {
        **dict.fromkeys(("sort", "sort_type", "dist", "sortkey", "distkey"), _LAYOUT),
        **dict.fromkeys(("auto_refresh",), _REFRESH),
        **dict.fromkeys(("backup",), _STORAGE),
        "bind": "views follow what they rest on here",
        "query_group": _LABELS,
    },
    "duckdb": {
        **dict.fromkeys(("location", "format", "options", "plugin", "glue_register", "partition_by"), _STORAGE),
    },
    "databricks": {
        **dict.fromkeys(
            ("partition_by", "clustered_by", "buckets", "liquid_clustered_by", "auto_liquid_cluster", "zorder"), _LAYOUT
        ),
        **dict.fromkeys(
            (
                "file_format",
                "location_root",
                "tblproperties",
                "options",
                "compression",
                "include_full_name_in_path",
                "table_format",
                "use_safer_relation_operations",
                "skip_non_matched_step",
                "skip_matched_step",
                "use_managed_iceberg",
                "catalog",
                "view_update_via_alter",
                "skip_optimize",
                "merge_with_schema_evolution",
            ),
            _STORAGE,
        ),
        **dict.fromkeys(("databricks_compute", "submission_method", "job_cluster_config", "cluster_id", "http_path"), _COMPUTE),
        **dict.fromkeys(("databricks_tags", "query_tags"), _LABELS),
        **dict.fromkeys(("schedule", "refresh"), _REFRESH),
        **dict.fromkeys(("row_filter",), _RIGHTS),
    },
}  # fmt: skip

_MATERIALIZED: Mapping[str, Fate] = {
    "dynamic_table": Fate("a dynamic table is a materialized view here", "materialized_view"),
    "streaming_table": Fate(
        "a streaming table reads each row once; a materialized view is kept up to date with all of them",
        "materialized_view",
        doubt=True,
        hint="Look whether rows that change or go are to change the result.",
    ),
    "external": Fate(
        "a file that dbt writes is no materialization here",
        "table",
        doubt=True,
        hint="Write a sink on the table, or export it with COPY.",
    ),
    "copy": Fate("BigQuery's copy of a table is a table here", "table", doubt=True, hint="Write the query."),
}

_STRATEGIES: Mapping[str, Fate] = {
    "insert_overwrite": Fate(
        "there are no partitions to overwrite",
        "delete+insert",
        doubt=True,
        hint="Name the partition's column as unique_key, use microbatch, or make it a materialized_view.",
    ),
    "replace_where": Fate(
        "there is no replace_where",
        "delete+insert",
        doubt=True,
        hint="Name a unique_key, or make it a materialized_view.",
    ),
}

_SQL_INSIDE = ("pre_hook", "post_hook", "pre-hook", "post-hook", "sql_header", "incremental_predicates")
ONE_DATABASE = Fate("there is one database: schemas tell its relations apart")


def fate(dialect: str, name: str, value: Any) -> Fate | None:
    """Of a config; None where it may stay."""
    name = name.removeprefix("+")
    if name == "materialized":
        return _MATERIALIZED.get(str(value))
    if name == "incremental_strategy":
        return _STRATEGIES.get(str(value))
    if name == "database" or (name == "project" and dialect == "bigquery"):
        return ONE_DATABASE
    if name in _SQL_INSIDE and value:
        return Fate(
            "SQL in it is not translated", "", doubt=True, hint="Look whether it means the same here."
        )
    why = _GONE[dialect].get(name)
    return None if why is None else Fate(why)
