"""Whose statement it is that runs: set by the session, and read where a definition becomes durable."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Protocol

from ..backend import Backend
from ..catalog.actor import Actor


class Author(Protocol):
    """A session, as the audit log sees it."""

    user: str
    backend: Backend

    @property
    def actor(self) -> Actor: ...


AUTHOR: ContextVar[Author | None] = ContextVar("author", default=None)
"""None: the runtime itself."""
