"""What is wrong, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ERROR, WARNING = "error", "warning"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a file of the project.  `line` and `column` count from 1; 0: it is not known.  `text` is the line, of which
    `length` characters are meant."""

    file: str
    line: int = 0
    column: int = 0
    length: int = 1
    text: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """`code` is an SQLSTATE where the runtime would refuse, else a word.  `compiled` is where the text that dbt made of the file
    is meant, and the file's own line does not show it."""

    severity: str
    code: str
    message: str
    node: str
    place: Place
    detail: str | None = None
    hint: str | None = None
    compiled: Place | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "detail": self.detail,
            "hint": self.hint,
            "node": self.node,
            "file": self.place.file or None,
            "line": self.place.line or None,
            "column": self.place.column or None,
            "length": self.place.length if self.place.column else None,
        }


@dataclass(frozen=True, slots=True)
class NotChecked:
    """A node of which nothing can be said, and why."""

    node: str
    reason: str
    because_of: str | None = None  # the node whose columns are not known

    def to_json(self) -> dict[str, Any]:
        return {"node": self.node, "reason": self.reason, "because_of": self.because_of}


class NotParsed(Exception):
    """What dbt's parser has to say of the project: nothing else is known of it."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding
