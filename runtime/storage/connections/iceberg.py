"""Iceberg's catalogs: one is asked for its namespaces."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from ..lake.packages import needed
from .addresses import Addresses
from .options import Value
from .values import Values


def validate(values: Values, addresses: Addresses, deadline: float) -> None:
    """Raises ConnectionFailed, and PtvcError where the library is not installed."""
    needed("pyiceberg")
    needed("sqlalchemy")
    from ..lake.catalogs import validate

    validate(values, addresses, deadline)


def local_path(text: str) -> str | None:
    """Of a warehouse `file:///...`, or of a SQLite database; None where it is elsewhere."""
    url = urlsplit(text)
    if url.scheme == "sqlite":
        return text.removeprefix("sqlite:///")
    return unquote(url.path) if url.scheme == "file" else None


def local_paths(values: Mapping[str, Value]) -> list[str]:
    """Those on this machine that a connection leads to."""
    texts = [str(values[name]) for name in ("URL", "WAREHOUSE") if name in values]
    return [path for text in texts if (path := local_path(text)) is not None]
