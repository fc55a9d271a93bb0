"""Kinds of tests, and how long a case of each takes.

A kind is a function, or a method, whose cases are its parameters.  `tests/durations.json` holds, of each kind that is worth a line,
the mean seconds of a case with what it sets up and tears down, and of its call alone; `--write-durations` renews it (see `durations`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parent.parent / "durations.json"


class Duration(NamedTuple):
    """Seconds.  What a test sets up may serve others as well: of the call that is not so."""

    whole: float
    call: float


def kind_of(case: str) -> str:
    """What the case is one of: the node id without its parameters."""
    return case.partition("[")[0]


def file_of(case: str) -> str:
    return case.partition("::")[0]


def story_of(nodeid: str) -> str:
    """What runs as a whole: the class, whose tests may go on where those before them ended, or the test."""
    above, _, _ = kind_of(nodeid).rpartition("::")
    return above if "::" in above else nodeid


def known_durations(file: Path = FILE) -> dict[str, Duration]:
    """By kind; empty where nothing was measured."""
    if not file.exists():
        return {}
    return {kind: Duration(*seconds) for kind, seconds in json.loads(file.read_text()).items()}


def write_durations(durations: Mapping[str, Duration], file: Path = FILE) -> None:
    lines = (f"{json.dumps(kind)}: {json.dumps(list(durations[kind]))}" for kind in sorted(durations))
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n")
