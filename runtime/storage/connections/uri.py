"""Places in S3 as users write them: `s3://bucket/prefix`."""

from __future__ import annotations

import re

from ...errors import InvalidParameter

_URI = re.compile(r"s3a?://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(?P<prefix>[^?#]*))?")


def s3_uri(uri: str, position: int | None = None) -> tuple[str, str]:
    """(bucket, prefix), the prefix without slashes around it.  Raises InvalidParameter."""
    found = _URI.fullmatch(uri)
    prefix = ((found["prefix"] or "") if found else "").strip("/")
    if found is None or any(part in ("", ".", "..") for part in prefix.split("/") if prefix):
        raise InvalidParameter(
            f'"{uri}" is not a place in S3',
            hint="It is written s3://bucket/prefix; region and endpoint are the connection's.",
            position=position,
        )
    return found["bucket"], prefix
