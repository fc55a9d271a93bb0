"""What went wrong in a model: the exception, and the line of the user's own file.

Spark computes late, often when the model has returned: then the line is in the text of the exception, where Spark has put it,
or a worker's traceback.
"""

from __future__ import annotations

import linecache
import re
import sys
import traceback
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ...errors import PtvcError

_TRACEBACK = "Traceback (most recent call last):"
_FRAME = re.compile(r'File "(?P<file>[^"\n]+)", line (?P<line>\d+)')
_CALLED_FROM = re.compile(r"was called from\n(?P<file>[^\n]+):(?P<line>\d+)")
_PLAN = re.compile(r";\n'?[A-Z]\w*.*", re.DOTALL)
_LIMIT = 2_000


@dataclass(frozen=True)
class Failure:
    """`line` is that of the user's file, if the exception has to do with one, and `code` what stands there; `trace` is for the log."""

    message: str
    line: int | None
    code: str | None
    trace: str

    def fields(self) -> dict[str, Any]:
        return asdict(self)


def failure_of(error: BaseException, file: str) -> Failure:
    """`file` is the name under which the model's code was compiled."""
    line = _line(error, file)
    code = linecache.getline(file, line).strip() if line is not None else None
    trace = "".join(traceback.format_exception(error))
    return Failure(_message(error)[:_LIMIT], line, code or None, trace)


def _line(error: BaseException, file: str) -> int | None:
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    frames = [
        line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file
    ]
    if frames:
        return frames[-1]
    text = _text(error)
    found = [match for pattern in (_FRAME, _CALLED_FROM) for match in pattern.finditer(text)]
    lines = [int(match["line"]) for match in found if match["file"] == file]
    return lines[-1] if lines else None


def _text(error: BaseException) -> str:
    return str(error)


def _message(error: BaseException) -> str:
    """The exception's kind and text; of an error of ours, what to do; of Spark's, what stands before its plans."""
    if isinstance(error, PtvcError):
        parts = [
            error.message,
            f"DETAIL: {error.detail}" if error.detail else "",
            f"HINT: {error.hint}" if error.hint else "",
        ]
        return "\n".join(part for part in parts if part)
    if isinstance(error, ModuleNotFoundError) and error.name:
        package = error.name.partition(".")[0]
        return (
            f"ModuleNotFoundError: {error}\nHINT: Install what provides it where dbt runs, for instance: "
            f"{sys.executable} -m pip install {package}"
        )
    text = _text(error).strip()
    if _TRACEBACK in text:  # of a worker: what it raised stands at the end
        return _after_frames(text.rpartition(_TRACEBACK)[2])
    text = _PLAN.sub("", text.partition("\n\nJVM stacktrace:")[0])
    text = text.partition("\n== DataFrame ==")[0].strip()
    kind = type(error).__name__
    return f"{kind}: {text}" if text else kind


def _after_frames(trace: str) -> str:
    """The last lines of a traceback, which are not indented."""
    lines = trace.strip("\n").split("\n")
    start = next((i for i, line in enumerate(lines) if line and not line.startswith(" ")), 0)
    kept = []
    for line in lines[start:]:
        if not line.strip():
            break
        kept.append(line)
    return "\n".join(kept)


def cache_source(file: str, code: str) -> None:
    """Tracebacks, and Spark's, show lines of the code as it was compiled."""
    if not Path(file).is_file():
        linecache.cache[file] = (len(code), None, code.splitlines(True), file)
