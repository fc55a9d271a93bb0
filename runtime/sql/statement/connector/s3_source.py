"""CREATE SOURCE ... FROM S3: where its objects are."""

from __future__ import annotations

from typing import Any

from ....errors import InvalidParameter, SqlSyntaxError
from ....storage.connections.options import ConnectionKind
from ....storage.connections.uri import s3_uri
from ....storage.source.s3.options import S3Options
from ...parser.columns import duration_ms
from ...query.planner import Planner
from ...syntax.definition_statements import Option, S3SourceClause
from ..definitions import unknown_option
from .message_schemas import connection_of

_OPTIONS = ("uri", "pattern", "scan_interval", "on_delete")
_LEAST_SCAN_MS, _MOST_SCAN_MS = 100, 86_400_000


def s3_connector(
    planner: Planner, clause: S3SourceClause, format: str, *, header: bool, delimiter: str
) -> S3Options:
    connection = connection_of(planner, clause.connection, ConnectionKind.AWS)
    found: dict[str, Any] = {}
    for option in clause.options:
        if option.name not in _OPTIONS:
            raise unknown_option(option, _OPTIONS)
        found[option.name] = option
    if "uri" not in found:
        raise SqlSyntaxError(
            "option URI must be given", hint="URI 's3://bucket/prefix'.", position=clause.position
        )
    bucket, prefix = s3_uri(text_option(found["uri"]), found["uri"].position)
    more: dict[str, Any] = {}
    if "pattern" in found:
        more["pattern"] = text_option(found["pattern"])
    if "scan_interval" in found:
        more["scan_ms"] = scan_ms(found["scan_interval"])
    if "on_delete" in found:
        more["keep_deleted"] = _keeps_deleted(found["on_delete"])
    return S3Options(connection.id, bucket, prefix, format, delimiter, header, **more)


def text_option(option: Option) -> str:
    if not isinstance(option.value, str) or not option.value:
        words = option.name.upper().replace("_", " ")
        raise InvalidParameter(f"{words} must be a text", position=option.position)
    return option.value


def _keeps_deleted(option: Option) -> bool:
    found = option.value.lower() if isinstance(option.value, str) else option.value
    if found not in ("ignore", "stall"):
        raise InvalidParameter("ON DELETE must be IGNORE or STALL", position=option.position)
    return found == "ignore"


def scan_ms(option: Option) -> int:
    found = duration_ms(text_option(option), option.position)
    if not _LEAST_SCAN_MS <= found <= _MOST_SCAN_MS:
        raise InvalidParameter("SCAN INTERVAL must be between 100 ms and a day", position=option.position)
    return found
