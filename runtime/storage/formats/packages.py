"""Packages that formats need and that an extra brings."""

from __future__ import annotations

from ...errors import PtvcError


def missing_package(format: str, package: str) -> PtvcError:
    return PtvcError(
        f"{format} needs the package {package}, which is not installed",
        sqlstate="58000",
        hint="pip install 'dbt-ptvc[kafka]', and start the runtime again.",
    )
