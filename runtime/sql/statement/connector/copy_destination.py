"""COPY ... TO 'place': a directory of the server, or a prefix of S3 by a connection."""

from __future__ import annotations

import re

from ....errors import InvalidParameter, SqlSyntaxError, Unsupported
from ....storage.connections.options import ConnectionKind
from ....storage.connections.uri import s3_uri
from ...plans.data_plans import CopyDestination
from ...query.planner import Planner
from ...syntax.data_statements import CopyPlace
from ...syntax.vocabulary import CopyFormat, CopyOptions
from .message_schemas import connection_of

MAX_FILE_BYTES = 256 << 20
_LEAST_BYTES = 1 << 20
_SIZE = re.compile(r"\s*(\d{1,9})\s*(kB|MB|GB)?\s*", re.IGNORECASE)
_UNITS = {"": 0, "kb": 10, "mb": 20, "gb": 30}


def copy_destination(planner: Planner, place: CopyPlace, options: CopyOptions) -> CopyDestination:
    if options.format not in (CopyFormat.CSV, CopyFormat.PARQUET):
        raise Unsupported(
            f"COPY to files in FORMAT {options.format.name} is not supported",
            hint="WITH (FORMAT PARQUET) and WITH (FORMAT CSV) are.",
            position=place.position,
        )
    size = MAX_FILE_BYTES if place.max_file_size is None else _bytes(place.max_file_size, place.position)
    if re.match(r"[a-zA-Z0-9+.-]+://", place.place) is None:
        if place.connection is not None:
            raise InvalidParameter(
                f'"{place.place}" is a directory, which takes no AWS CONNECTION',
                hint="A prefix of S3 is written 's3://bucket/prefix'.",
                position=place.position,
            )
        if not place.place.startswith("/"):
            raise InvalidParameter(
                "relative path not allowed for COPY to files",
                sqlstate="42602",
                hint="Give an absolute path on the server, or a prefix of S3: 's3://bucket/prefix'.",
                position=place.position,
            )
        return CopyDestination(None, "", place.place, size)
    bucket, prefix = s3_uri(place.place, place.position)
    if place.connection is None:
        raise SqlSyntaxError(
            "COPY to S3 needs a connection",
            hint="WITH (FORMAT PARQUET, AWS CONNECTION = name).",
            position=place.position,
        )
    connection = connection_of(planner, place.connection, ConnectionKind.AWS)
    return CopyDestination(connection.id, bucket, prefix, size)


def _bytes(text: str, position: int) -> int:
    found = _SIZE.fullmatch(text)
    size = 0 if found is None else int(found[1]) << _UNITS[(found[2] or "").lower()]
    if not _LEAST_BYTES <= size <= 1 << 40:
        raise InvalidParameter(
            f'MAX FILE SIZE "{text}" is not supported',
            hint="It is between '1MB' and '1024GB'.",
            position=position,
        )
    return size
