"""The connection that a session serves, as other sessions see it: its number, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def _nothing() -> None:
    """There is no connection."""


@dataclass(frozen=True, slots=True)
class Backend:
    """`cancel` ends the statement that runs, `terminate` the connection as well; both may be called at any time.  `address` is the
    client's, with its port; None where it has none."""

    pid: int = 0
    cancel: Callable[[], None] = _nothing
    terminate: Callable[[], None] = _nothing
    address: tuple[str, int] | None = None


DETACHED = Backend()
"""Of a session without a connection."""
