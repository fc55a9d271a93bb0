"""What was found, as JSON: docs/check.md says what is in it, and `VERSION` goes up when that changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..directory import installed_version
from .changes import Change
from .checker import Result
from .nodes import Project

VERSION = 1


def report(
    result: Result, project: Project, seconds: float, changes: Sequence[Change] | None = None
) -> dict[str, Any]:
    """`changes` are None where nothing was compared with."""
    return {
        "version": VERSION,
        "ptvc": installed_version(),
        "project": project.name,
        "summary": {
            "checked": len(result.checked),
            "errors": result.errors,
            "warnings": result.warnings,
            "not_checked": len(result.not_checked),
            "seconds": round(seconds, 3),
        },
        "findings": [found.to_json() for found in result.findings],
        "not_checked": [left.to_json() for left in result.not_checked],
        "changes": None if changes is None else [change.to_json() for change in changes],
    }
