"""What a node's materialization would send to a runtime: the statement that defines it, and where in that its own code begins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.relation_configs import IndexConfig
from dbt.adapters.ptvc.single_relation import named_relation, reads_one_ref

from ..errors import InvalidParameter
from .nodes import Node, Project


@dataclass(frozen=True, slots=True)
class Statement:
    """`sql`, in which the node's code stands `start` characters behind the beginning."""

    sql: str
    start: int

    def offset(self, position: int | None, code: str) -> int | None:
        """Where in the code that is which an error calls `position`; None where it is not in the code."""
        if position is None or not self.start <= position - 1 <= self.start + len(code):
            return None
        return position - 1 - self.start


def relation_name(node: Node) -> str:
    """As dbt renders it: what the runtime has of a source or a sink is compared with this as text."""
    return f"{quoted(node.schema)}.{quoted(node.alias)}"


def definition(node: Node, code: str, project: Project) -> Statement | None:
    """Of a model or a snapshot; None for one that defines nothing: a query that is planned as it is."""
    name = relation_name(node)
    match node.kind:
        case "view":
            return _of(f"create view {name} as\n", code)
        case "materialized_view":
            return _of(f"create materialized view {name} {_options(node)}as\n", code)
        case "snapshot":
            return _snapshot(node, name, code)
        case "source":
            return _of(f"create source {name} ", code)
        case "sink":
            return _sink(node, name, code, project)
        case "index":
            return _index(node, name, code, project)
        case "source_table":
            return _of(f"create table {name} ", code)
        case "ephemeral":
            return None
        case _:  # whatever a materialization of the project's own makes is read like a table
            return _of(f"create table {name} as\n", code)


def _of(before: str, code: str, behind: str = "") -> Statement:
    return Statement(f"{before}{code}{behind}", len(before))


def _options(node: Node) -> str:
    """As the adapter's macro writes them."""
    config = node.config
    options = []
    if config.get("retain_history"):
        options.append("retain history for '" + str(config["retain_history"]).replace("'", "''") + "'")
    options += [f"assert not null {name}" for name in asserted_columns(node)]
    if config.get("partition_by"):
        options.append(f"partition by ({', '.join(config['partition_by'])})")
    if config.get("refresh"):
        options.append(f"refresh = {config['refresh']}")
    return f"with ({', '.join(options)}) " if options else ""


def asserted_columns(node: Node) -> list[str]:
    """The columns that must not be NULL: of `assert_not_null`, and of not_null constraints of an enforced contract."""
    names = [quoted(name) for name in node.config.get("assert_not_null") or ()]
    if node.contract:
        names += [
            quoted(column["name"]) if column.get("quote") else column["name"]
            for name, column in node.columns.items()
            if has_not_null(node, name)
        ]
    return list(dict.fromkeys(names))


def has_not_null(node: Node, column: str) -> bool:
    of_column = node.columns[column].get("constraints") or ()
    return any(_type(c) == "not_null" for c in of_column) or any(
        _type(c) == "not_null" and column in (c.get("columns") or ()) for c in node.constraints
    )


def _type(constraint: object) -> str:
    found = constraint.get("type") if isinstance(constraint, dict) else None
    return str(getattr(found, "value", found))


def quoted(name: str) -> str:
    return '"' + str(name).replace('"', '""') + '"'


_KEPT_BY_SNAPSHOTS = (
    ("dbt_scd_id", "text"),
    ("dbt_updated_at", "timestamp"),
    ("dbt_valid_from", "timestamp"),
    ("dbt_valid_to", "timestamp"),
)


def _snapshot(node: Node, name: str, code: str) -> Statement:
    """The query's columns, and dbt's own, which take the type of what says when a row was changed."""
    names = node.config.get("snapshot_meta_column_names") or {}
    updated = node.config.get("updated_at") if node.config.get("strategy") == "timestamp" else None
    kept = list(_KEPT_BY_SNAPSHOTS)
    if node.config.get("hard_deletes") == "new_record":
        kept.append(("dbt_is_deleted", "text"))
    added = []
    for column, type_ in kept:
        value = f"cast(null as {type_})"
        if type_ == "timestamp" and updated:
            value = f"ptvc_snapshot.{updated}"
        added.append(f"{value} as {names.get(column) or column}")
    return _of(
        f"create table {name} as\nselect ptvc_snapshot.*, {', '.join(added)} from (\n",
        code,
        "\n) as ptvc_snapshot",
    )


def upstream(node: Node, code: str, project: Project) -> str | None:
    """The one relation that a node reads whole; None if it is a query of another kind."""
    if len(node.depends_on) == 1 and reads_one_ref(node.raw):
        read = project.nodes.get(node.depends_on[0])
        if read is not None:
            return relation_name(read)
    return named_relation(code)


def _sink(node: Node, name: str, code: str, project: Project) -> Statement:
    read, config = upstream(node, code, project), node.config
    if read is None:
        return _of(f"create sink {name} ", code)
    if not config.get("connector"):
        raise InvalidParameter(
            f"sink {node.name} selects from {read} but says not where to",
            hint="Set `connector`, for instance \"file '/data/out'\", or write the clause that follows CREATE SINK name as the body.",
        )
    key = f" key ({', '.join(config['key'])})" if config.get("key") else ""
    of_rows = config["connector"].split()[0].lower() == "postgres"
    format_ = "" if of_rows else f" format {config.get('format') or 'json'}"
    envelope = config.get("envelope") or (
        "upsert" if config.get("key") else "none" if of_rows else "debezium"
    )
    sql = f"create sink {name} from {read} into {config['connector']}{format_}{key} envelope {envelope}"
    return Statement(sql, len(sql))


def _index(node: Node, name: str, code: str, project: Project) -> Statement:
    read = upstream(node, code, project)
    if read is None:
        return _of(f"create view {name} as\n", code)
    columns = ", ".join(node.config.get("columns") or ())
    sql = f"create index {quoted(node.alias)} on {read} ({columns})" if columns else f"select * from {read}"
    return Statement(sql, len(sql))


def index_statements(node: Node) -> Iterator[str]:
    """Those of the config `indexes`, on the node's own relation; one on all columns says nothing of them."""
    configs = list(node.config.get("indexes") or ())
    if node.kind == "index" and node.config.get("columns"):
        configs.append({"columns": node.config["columns"]})
    for raw in configs:
        try:
            columns = IndexConfig.parse(raw).columns
        except DbtRuntimeError as error:
            raise InvalidParameter(str(error.msg)) from error
        if columns:
            yield f"create index on {relation_name(node)} ({', '.join(columns)})"


def function(node: Node, code: str) -> Statement:
    """As dbt's macros and the adapter's write it."""
    javascript = node.language == "sql" and node.config.get("language") == "javascript"
    quote = '"' if javascript else ""  # it tells the case of names apart
    arguments = ", ".join(
        f"{quote}{argument['name']}{quote} {argument['data_type']}"
        + (f" default {argument['default_value']}" if argument.get("default_value") is not None else "")
        for argument in node.extra.get("arguments") or ()
    )
    aggregate = "aggregate " if node.config.get("type") == "aggregate" else ""
    returns = (node.extra.get("returns") or {}).get("data_type")
    head = f"create or replace {aggregate}function {relation_name(node)} ({arguments})\nreturns {returns}\n"
    volatility = {"deterministic": "immutable", "stable": "stable", "non-deterministic": "volatile"}.get(
        str(node.config.get("volatility")), ""
    )
    if node.language == "python":
        packages = ", ".join("'" + str(p).replace("'", "''") + "'" for p in node.config.get("packages") or ())
        head += (
            f"language python {volatility} runtime_version = '{node.config.get('runtime_version')}'"
            f" handler = '{node.config.get('entry_point')}'"
            + (f" packages = ({packages})" if packages else "")
        )
        return _of(f"{head} as $python$\n", code, "\n$python$")
    if javascript:
        return _of(f"{head}language javascript {volatility} as $javascript$\n", code, "\n$javascript$")
    return _of(f"{head}{volatility} as\n$$\n", code, "\n$$ language sql")
