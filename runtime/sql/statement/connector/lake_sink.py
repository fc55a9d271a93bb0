"""CREATE SINK ... INTO ICEBERG CATALOG and INTO DELTA: the connections, the table, and how it is partitioned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from ....errors import PtvcError, SqlSyntaxError
from ....storage.connections.options import ConnectionKind
from ....storage.lake.partitions import IDENTITY, PartitionField
from ....storage.sink.delta.options import DeltaSinkOptions
from ....storage.sink.iceberg.options import IcebergSinkOptions
from ....storage.sink.lake.intervals import DEFAULT_INTERVAL_MS
from ...catalog.catalog_view import CatalogItem
from ...query.planner import Planner
from ...scalars.assignments import column_index
from ...syntax.sink_statements import DeltaSinkClause, IcebergSinkClause, LakeSinkOption, PartitionClause
from .message_schemas import connection_of


def iceberg_options(planner: Planner, clause: IcebergSinkClause, item: CatalogItem) -> IcebergSinkOptions:
    """But for the sink's identity, which the catalog adds."""
    connection = connection_of(planner, clause.connection, ConnectionKind.ICEBERG_CATALOG)
    files = None if clause.files is None else connection_of(planner, clause.files, ConnectionKind.AWS)
    given = _given(clause.options)
    for name in ("NAMESPACE", "TABLE"):
        if name not in given:
            raise SqlSyntaxError(f"option {name} must be given", position=clause.position)
    namespace, table = _text(given["NAMESPACE"]), _text(given["TABLE"])
    check_identifier(namespace, table, given["NAMESPACE"].position)
    interval = clause.commit_interval_ms or DEFAULT_INTERVAL_MS
    return IcebergSinkOptions(
        connection.id,
        namespace,
        table,
        None if files is None else files.id,
        _partitions(item, given.get("PARTITION BY")),
        interval,
    )


def delta_options(planner: Planner, clause: DeltaSinkClause, item: CatalogItem) -> DeltaSinkOptions:
    """But for the sink's identity, which the catalog adds."""
    given = _given(clause.options)
    if "URI" not in given:
        raise SqlSyntaxError("option URI must be given", position=clause.position)
    uri = place_of(_text(given["URI"]), given["URI"].position)
    files = None if clause.files is None else connection_of(planner, clause.files, ConnectionKind.AWS)
    check_keys(uri, files is not None, given["URI"].position)
    return DeltaSinkOptions(
        uri,
        None if files is None else files.id,
        _partitions(item, given.get("PARTITION BY")),
        clause.commit_interval_ms or DEFAULT_INTERVAL_MS,
    )


def check_identifier(namespace: str, table: str, position: int) -> None:
    """Of a table in a catalog of Iceberg.  Raises PtvcError."""
    if not all(namespace.split(".")) or "." in table or not table:
        raise PtvcError(
            f'"{namespace}" and "{table}" are not the names of a namespace and of a table in it',
            sqlstate="22023",
            hint="Levels of a namespace are separated by dots; the name of a table has none.",
            position=position,
        )


def check_keys(uri: str, given: bool, position: int) -> None:
    """What is in S3, and only that, is reached with the keys of an AWS connection.  Raises SqlSyntaxError."""
    if given is not uri.startswith("s3://"):
        what = "is not in S3, and takes no" if given else "needs"
        raise SqlSyntaxError(f'"{uri}" {what} USING AWS CONNECTION', position=position)


def place_of(text: str, position: int) -> str:
    """`s3://bucket/...`, or an absolute path.  Raises PtvcError."""
    uri = text.rstrip("/")
    path = unquote(urlsplit(uri).path) if uri.startswith("file:///") else uri
    if re.fullmatch(r"s3://[a-z0-9][a-z0-9.-]+/[^?#]+", uri) or path.startswith("/"):
        return path
    raise PtvcError(
        f'"{uri}" is no place of a table',
        sqlstate="22023",
        hint="It is s3://bucket/path, or an absolute path on the server.",
        position=position,
    )


def _given(options: Sequence[LakeSinkOption]) -> dict[str, LakeSinkOption]:
    return {option.name: option for option in options}


def _text(option: LakeSinkOption) -> str:
    assert isinstance(option.value, str)
    return option.value


def _partitions(item: CatalogItem, option: LakeSinkOption | None) -> tuple[PartitionField, ...]:
    if option is None:
        return ()
    assert isinstance(option.value, tuple)
    return tuple(_partition(item, field) for field in option.value)


def _partition(item: CatalogItem, clause: PartitionClause) -> PartitionField:
    column = item.schema[column_index(item, clause.column)].name
    return PartitionField(column, clause.transform or IDENTITY, clause.argument)
