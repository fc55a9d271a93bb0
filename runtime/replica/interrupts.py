"""The interrupts of what a replica has under way, by name: a request to stop may come before its work has begun."""

from __future__ import annotations

from typing import Generic, TypeVar

from ..interrupt import Interrupt

K = TypeVar("K")


class Interrupts(Generic[K]):
    """For any thread.  No lock: each step is one operation of a dict."""

    def __init__(self) -> None:
        self._by_key: dict[K, Interrupt] = {}
        self._stopping = False

    def of(self, key: K) -> Interrupt:
        """That of the work, which may be set already."""
        interrupt = self._by_key.setdefault(key, Interrupt())
        if self._stopping:
            interrupt.set()
        return interrupt

    def is_set(self, key: K) -> bool:
        interrupt = self._by_key.get(key)
        return self._stopping or (interrupt is not None and interrupt.error is not None)

    def set(self, key: K) -> None:
        self.of(key).set()

    def set_known(self, key: K) -> None:
        """As `set`, where `of` was asked for it and `forget` was not: else it has ended."""
        if (interrupt := self._by_key.get(key)) is not None:
            interrupt.set()

    def set_all(self) -> None:
        """Whatever there is, and whatever begins from now on."""
        self._stopping = True
        for interrupt in list(self._by_key.values()):
            interrupt.set()

    def forget(self, key: K) -> None:
        """The work has ended, and no request to stop it is to come."""
        self._by_key.pop(key, None)
