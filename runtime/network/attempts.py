"""Logins that failed, and how long the next ones wait for that.

```
attempt ── wait ── proof ── failed ── wait ── refused: the next one of this client as this role waits longer
                     └───── succeeded: what was counted of the two is forgotten
```

A client that is wrong waits; nobody else is locked out.  What is counted is of a client and the role that it names, so who guesses the
password of a role slows only himself down.  Attempts at the same time as one role wait for each other: many at once are no faster than
one.  Who goes through many roles from one place is counted by his address as well.  That delays refusals only: somebody beside him with
the right password comes in at once.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from ..errors import PtvcError

FREE_ATTEMPTS = 3
"""So many failures of a client as a role cost nothing: a password is mistyped."""
FREE_OF_ADDRESS = 30
"""So many failures of a client as anybody cost nothing."""
MOST_DELAY_S = 10.0
MOST_WAIT_S = 30.0
"""Who would wait longer is refused without a proof."""
FORGOTTEN_AFTER_S = 900.0
MOST_KEPT = 10_000
"""So many are counted; the one that failed longest ago makes way."""

NAME_LENGTH = 63
"""Of a name that is kept; a role has none that is longer."""

Key = tuple[str, str | None]


class TooManyFailures(PtvcError):
    """An attempt that was not heard: too many before it have failed."""

    sqlstate = "28000"


@dataclass(slots=True)
class _Failures:
    """`free_at` is when the next attempt may be made, if it waits."""

    count: int
    last: float
    free_at: float


class Attempts:
    """`first_delay_s` is what the first failure costs that is not free; each further one costs twice as much, up to a limit.  0: none
    costs anything."""

    def __init__(self, first_delay_s: float = 0.5, now: Callable[[], float] = monotonic) -> None:
        self._first_delay_s = first_delay_s
        self._now = now
        self._failures: OrderedDict[Key, _Failures] = OrderedDict()

    def __len__(self) -> int:
        return len(self._failures)

    def wait_s(self, network: str, user: str) -> float:
        """How long the attempt that is made now as the role has to wait; one behind it waits for it too.  Raises TooManyFailures."""
        found = self._remembered(_keys(network, user)[0])
        if found is None or not (delay := self._delay(found.count - FREE_ATTEMPTS)):
            return 0.0
        now = self._now()
        until = max(found.free_at, now) + delay
        if until - now > MOST_WAIT_S:
            raise TooManyFailures(
                f'too many failed logins as "{user[:NAME_LENGTH]}"',
                hint="Try again in a minute, one login at a time.",
            )
        found.free_at = until
        return until - now

    def refusal_wait_s(self, network: str) -> float:
        """How long a client that was wrong just now waits to hear it, for what it was wrong before as anybody."""
        found = self._remembered((network, None))
        return 0.0 if found is None else self._delay(found.count - FREE_OF_ADDRESS)

    def failed(self, network: str, user: str) -> None:
        now = self._now()
        for key in _keys(network, user):
            found = self._remembered(key) or _Failures(0, now, now)
            found.count += 1
            found.last = now
            self._failures[key] = found
            self._failures.move_to_end(key)
        while len(self._failures) > MOST_KEPT:
            self._failures.popitem(last=False)

    def succeeded(self, network: str, user: str) -> None:
        """The client's other failures stay: who has an account is not free to guess at those of others."""
        self._failures.pop(_keys(network, user)[0], None)

    def _remembered(self, key: Key) -> _Failures | None:
        found = self._failures.get(key)
        if found is not None and self._now() - found.last > FORGOTTEN_AFTER_S:
            del self._failures[key]
            return None
        return found

    def _delay(self, paid: int) -> float:
        """What the failures cost of which so many are not free."""
        if paid <= 0:
            return 0.0
        return min(self._first_delay_s * 2.0 ** min(paid - 1, 30), MOST_DELAY_S)


def _keys(network: str, user: str) -> tuple[Key, Key]:
    """Of the client as the role, and of the client."""
    return (network, user[:NAME_LENGTH]), (network, None)
