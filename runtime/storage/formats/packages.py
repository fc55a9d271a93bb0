"""Packages that formats need and that an extra brings."""

from __future__ import annotations

from ...errors import PtvcError

_EXTRAS = {"fastavro": "avro", "protobuf": "kafka"}


def missing_package(format: str, package: str) -> PtvcError:
    return PtvcError(
        f"{format} needs the package {package}, which is not installed",
        sqlstate="58000",
        hint=f"pip install 'dbt-ptvc[{_EXTRAS[package]}]', and start the runtime again.",
    )
