"""Tables of Delta Lake by their places: below a path of this machine, or in S3 with the keys of an AWS connection."""

from __future__ import annotations

from time import monotonic
from urllib.parse import urlsplit

import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from ..connections import aws
from ..connections.addresses import Addresses
from ..connections.values import Values

CONNECT_S = 15.0
ERRORS: tuple[type[Exception], ...] = (DeltaError, OSError, ValueError, pa.ArrowException)
"""What the library raises for what is outside."""


def storage_options(values: Values | None) -> dict[str, str]:
    """Of a client of the store; raises ConnectionFailed where it cannot be reached.  Nothing comes from the server's own environment."""
    if values is None:
        return {}
    settings = aws.settings(values)
    url = urlsplit(settings["endpoint"])
    assert url.hostname is not None, "the option was checked"
    port = url.port or (443 if url.scheme == "https" else 80)
    Addresses(link_local=values.link_local).reachable(url.hostname, port, monotonic() + CONNECT_S)
    found = {
        "aws_endpoint": settings["endpoint"],
        "aws_region": settings["region"],
        "aws_access_key_id": settings["access_key_id"],
        "aws_secret_access_key": settings["secret_access_key"],
        "aws_virtual_hosted_style_request": "false",
        "aws_conditional_put": "etag",  # a version is made once, whoever else makes it
        "allow_http": str(url.scheme == "http").lower(),
        "connect_timeout": f"{CONNECT_S:.0f}s",
    }
    return found | ({"aws_session_token": settings["session_token"]} if "session_token" in settings else {})


def delta_table(uri: str, storage: dict[str, str]) -> DeltaTable | None:
    """The newest version; None: there is no table."""
    return DeltaTable(uri, storage_options=storage) if DeltaTable.is_deltatable(uri, storage) else None
