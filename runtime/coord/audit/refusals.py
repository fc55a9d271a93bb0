"""Logins that were refused, so that a flood of them is few events: the first of a kind at once, those behind it as a number.

A kind is a name, an address and a reason.  Names that are no role's cost a client nothing to make up: of one address a few are told
apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

WINDOW_MS = 60_000
"""For so long those of a kind are counted together."""
MOST_KINDS = 1_000
"""Beyond, they are told apart by their reason only."""
MOST_KINDS_OF_STRANGERS = 500
"""So many of these may be of names that are no role's, so that those of roles are told apart in a flood of others."""
MOST_OF_AN_ADDRESS = 5
"""So many kinds of one address may be of names that are no role's; beyond, their names are not told apart."""
NAME_LENGTH = 63
"""Of a name that is kept; a role has none that is longer."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """`user` is who the client said that it is, and `network` where it is; None of those that are counted together."""

    user: str | None
    network: str | None
    reason: str


@dataclass(slots=True)
class _Counted:
    since_ms: int
    is_role: bool
    more: int = 0


class Refusals:
    def __init__(self) -> None:
        self._counted: dict[Refusal, _Counted] = {}
        self._strangers: Counter[str | None] = Counter()
        """Kinds of names that are no role's, by the address."""

    def __len__(self) -> int:
        return len(self._counted)

    def add(self, refusal: Refusal, now_ms: int, *, is_role: bool) -> Refusal | None:
        """What is an event of its own; None: it was counted.  `is_role`: there is a role of that name."""
        if refusal.user is not None and len(refusal.user) > NAME_LENGTH:
            refusal = Refusal(refusal.user[:NAME_LENGTH], refusal.network, refusal.reason)
        if not is_role and refusal not in self._counted:
            refusal = self._of_a_stranger(refusal)
        if refusal not in self._counted and len(self._counted) >= MOST_KINDS:
            refusal = Refusal(None, None, refusal.reason)
        found = self._counted.get(refusal)
        if found is not None:
            found.more += 1
            return None
        self._counted[refusal] = _Counted(now_ms, is_role)
        if not is_role:
            self._strangers[refusal.network] += 1
        return refusal

    def _of_a_stranger(self, refusal: Refusal) -> Refusal:
        """As much of it as there is room for."""
        if self._strangers[refusal.network] >= MOST_OF_AN_ADDRESS:
            refusal = Refusal(None, refusal.network, refusal.reason)
        if refusal not in self._counted and self._strangers.total() >= MOST_KINDS_OF_STRANGERS:
            refusal = Refusal(None, None, refusal.reason)
        return refusal

    def ended(self, now_ms: int, *, all_of_them: bool = False) -> Iterator[tuple[Refusal, int, int]]:
        """Of each kind whose time is over, how many more there were, and since when; from then on it begins anew."""
        for refusal, found in list(self._counted.items()):
            if all_of_them or now_ms - found.since_ms >= WINDOW_MS:
                del self._counted[refusal]
                if not found.is_role:
                    self._strangers -= Counter((refusal.network,))
                if found.more:
                    yield refusal, found.more, found.since_ms
