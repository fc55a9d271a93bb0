"""What was found, as JSON: docs/check.md says what is in it, and `VERSION` goes up when that changes."""

from __future__ import annotations

from typing import Any

from ..directory import installed_version
from .changes import Compared
from .checker import Result
from .nodes import Project

VERSION = 1


def report(
    result: Result, project: Project, seconds: float, compared: Compared | None = None
) -> dict[str, Any]:
    """`compared` is None where there was nothing to compare with."""
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
        "changes": None if compared is None else [change.to_json() for change in compared.changes],
        "not_compared": None if compared is None else [node.id for node in compared.not_compared],
    }
