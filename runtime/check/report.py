"""What was found, as JSON: docs/check.md says what is in it, and `VERSION` goes up when that changes."""

from __future__ import annotations

from typing import Any

from ..directory import installed_version
from .checker import Result
from .nodes import Project

VERSION = 1


def report(result: Result, project: Project, seconds: float) -> dict[str, Any]:
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
    }
