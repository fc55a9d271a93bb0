"""The libraries of lakes, which extras bring: they are loaded by what uses them, and nothing else."""

from __future__ import annotations

import importlib
from typing import Any

from ...errors import PtvcError

_EXTRAS = {"pyiceberg": "iceberg", "sqlalchemy": "iceberg", "deltalake": "delta"}


def needed(package: str) -> Any:
    """The package.  PtvcError 58000 where it is not installed."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise PtvcError(
            f"this needs the package {package}, which is not installed",
            sqlstate="58000",
            hint=f"pip install 'dbt-ptvc[{_EXTRAS[package]}]', and start the runtime again.",
        ) from None
