"""Errors as Spark passes them on: the text of an exception, so detail and hint have to be in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import PtvcError


@contextmanager
def explained() -> Iterator[None]:
    """Puts SQLSTATE, detail and hint of a PtvcError into its traceback, below its message."""
    try:
        yield
    except PtvcError as error:
        if not getattr(error, "__notes__", ()):
            error.add_note(f"SQLSTATE: {error.sqlstate}")
            for name, text in (("DETAIL", error.detail), ("HINT", error.hint)):
                if text:
                    error.add_note(f"{name}: {text}")
        raise
