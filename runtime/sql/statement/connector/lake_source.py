"""CREATE SOURCE ... FROM ICEBERG CATALOG and FROM DELTA: the connections, and the table."""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import SqlSyntaxError
from ....storage.connections.options import ConnectionKind
from ....storage.source.delta.options import DeltaSourceOptions
from ....storage.source.iceberg.options import IcebergSourceOptions
from ....storage.source.lake.options import SCAN_MS
from ...query.planner import Planner
from ...syntax.definition_statements import LakeSourceClause, Option
from ..definitions import unknown_option
from .lake_sink import check_identifier, check_keys, place_of
from .message_schemas import connection_of
from .s3_source import scan_ms, text_option

_ICEBERG = ("namespace", "table", "scan_interval")
_DELTA = ("uri", "scan_interval")


def lake_connector(planner: Planner, clause: LakeSourceClause) -> DeltaSourceOptions | IcebergSourceOptions:
    files = None if clause.files is None else connection_of(planner, clause.files, ConnectionKind.AWS)
    given = _given(clause.options, _DELTA if clause.connection is None else _ICEBERG)
    interval = scan_ms(given["scan_interval"]) if "scan_interval" in given else SCAN_MS
    if clause.connection is None:
        _require(given, ("uri",), clause)
        uri = place_of(text_option(given["uri"]), given["uri"].position)
        check_keys(uri, files is not None, given["uri"].position)
        return DeltaSourceOptions(uri, None if files is None else files.id, interval)
    connection = connection_of(planner, clause.connection, ConnectionKind.ICEBERG_CATALOG)
    _require(given, ("namespace", "table"), clause)
    namespace, table = text_option(given["namespace"]), text_option(given["table"])
    check_identifier(namespace, table, given["namespace"].position)
    return IcebergSourceOptions(
        connection.id, namespace, table, None if files is None else files.id, interval
    )


def _given(options: Sequence[Option], known: Sequence[str]) -> dict[str, Option]:
    given: dict[str, Option] = {}
    for option in options:
        if option.name not in known:
            raise unknown_option(option, known)
        given[option.name] = option
    return given


def _require(given: dict[str, Option], names: Sequence[str], clause: LakeSourceClause) -> None:
    for name in names:
        if name not in given:
            raise SqlSyntaxError(f"option {name.upper()} must be given", position=clause.position)
