"""A port as JSON: docs/sql/dialects.md says what is in it, and `VERSION` goes up when that changes."""

from __future__ import annotations

from typing import Any

from ..directory import installed_version
from .outcomes import Outcome
from .run import Port

VERSION = 1


def report(
    found: Port, seconds: float, written_to: str | None, checked: dict[str, Any] | None
) -> dict[str, Any]:
    """`checked`: what `ptvc check` says of the result, if it was asked."""
    return {
        "version": VERSION,
        "ptvc": installed_version(),
        "project": found.project.name,
        "from": found.dialect,
        "written_to": written_to,
        "summary": {
            **{outcome.value: len(found.with_outcome(outcome)) for outcome in Outcome},
            "seconds": round(seconds, 3),
        },
        "files": [one.to_json() for one in found.files],
        "profiles": found.profile(),
        "check": checked,
    }
