"""What has become of a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ..check.findings import Place


class Outcome(Enum):
    PORTED = "ported"
    KEPT = "kept"  # in the other dialect, with the config `dialect`
    DOUBTFUL = "doubtful"
    UNTOUCHED = "untouched"


class Weight(Enum):
    """`DOUBT` is for the user to decide.  `CHANGE` is done, `ADVICE` is not."""

    DOUBT = "doubt"
    CHANGE = "change"
    ADVICE = "advice"


@dataclass(frozen=True, slots=True)
class Note:
    weight: Weight
    place: Place
    message: str
    hint: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.weight.value,
            "file": self.place.file,
            "line": self.place.line or None,
            "column": self.place.column or None,
            "message": self.message,
            "hint": self.hint,
        }


@dataclass(slots=True)
class Ported:
    """A file.  `text` is None where it stays as it is.  `planned`: whether the runtime's planner took what has become of it."""

    file: str
    outcome: Outcome
    text: str | None = None
    notes: list[Note] = field(default_factory=list)
    planned: bool = False

    @property
    def doubts(self) -> list[Note]:
        return [note for note in self.notes if note.weight is Weight.DOUBT]

    def to_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "outcome": self.outcome.value,
            "changed": self.text is not None,
            "planned": self.planned,
            "notes": [note.to_json() for note in self.notes],
        }
