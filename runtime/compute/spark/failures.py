"""What Spark says of a job that has failed, in a line."""

from __future__ import annotations

import re

_STACK = re.compile(r"^\s+at |^\s*Traceback |^\s*File |^Driver stacktrace|^\s*\.\.\. \d+ more|^Caused by: ")
_MOST = 500


def reason_of(error: Exception) -> str:
    """The last that a Python worker has said, or else the first that Spark says; 500 characters at most."""
    java = getattr(error, "java_exception", None)  # of one that Spark has raised
    text = str(error) if java is None else str(java.getMessage())
    before_stack, _, _ = text.partition("Driver stacktrace:")
    # A worker's traceback ends with its error, which Java's frames follow.
    _, found, rest = before_stack.partition("Traceback (most recent call last)")
    if found:
        lines = [line for line in re.split(r"\n\s*at ", rest)[0].splitlines() if line.strip()]
        said = next(
            (line for line in reversed(lines) if not line.startswith(" ") and not _STACK.match(line)), ""
        )
    else:
        said = next(
            (line for line in before_stack.splitlines() if line.strip() and not _STACK.match(line)), ""
        )
    return (said or type(error).__name__).strip()[:_MOST]
