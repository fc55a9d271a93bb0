"""What must be there: every object and row that a client was promised, and nothing that it was refused.

What was not answered (the client left, the process died, the store cannot say) may or may not be: so an object has a set of
possible names, and a row a set of possible values.  Each client has tables of its own, and keys of its own in shared ones,
so what it was answered is all that there is to know.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum


class Outcome(Enum):
    DONE = "done"
    REFUSED = "refused"
    UNKNOWN = "unknown"


Effect = Callable[[Outcome], None]
"""What an answer means for the model."""

ABSENT = None


@dataclass(eq=False, slots=True)
class Object:
    """`names` are those that it may have; ABSENT: it may not exist.  It goes with what it is `on`, and may go with what it is
    `perhaps_on`."""

    kind: str
    names: set[str | None] = field(default_factory=lambda: {ABSENT})
    rows: dict[int, set[int | None]] = field(default_factory=dict)
    on: Object | None = None
    perhaps_on: set[Object] = field(default_factory=set)
    cluster: str | None = None

    @property
    def name(self) -> str | None:
        """Its name, if that is certain and it exists."""
        return next(iter(self.names)) if len(self.names) == 1 else None

    def becomes(self, name: str | None, outcome: Outcome) -> None:
        """It was created, renamed or dropped."""
        match outcome:
            case Outcome.DONE:
                self.names = {name}
            case Outcome.UNKNOWN:
                self.names = self.names | {name}

    def insert(self, key: int, value: int, outcome: Outcome) -> None:
        self._change(key, outcome, lambda _: value)

    def update(self, key: int, value: int, outcome: Outcome) -> None:
        self._change(key, outcome, lambda old: ABSENT if old is ABSENT else value)

    def delete(self, key: int, outcome: Outcome) -> None:
        self._change(key, outcome, lambda _: ABSENT)

    def _change(self, key: int, outcome: Outcome, new: Callable[[int | None], int | None]) -> None:
        old = self.rows.get(key, {ABSENT})
        match outcome:
            case Outcome.DONE:
                self.rows[key] = {new(value) for value in old}
            case Outcome.UNKNOWN:
                self.rows[key] = old | {new(value) for value in old}

    def wrong_rows(self, found: dict[int, list[int]], keys: range | None = None) -> list[str]:
        """What of `found`, the values of each key, cannot be; of the `keys` of one client only, if given."""
        wrong = []
        for key in sorted(self.rows.keys() | found.keys()):
            if keys is not None and key not in keys:
                continue
            values, possible = found.get(key, []), self.rows.get(key, {ABSENT})
            if len(values) > 1:
                wrong.append(f"key {key} is there {len(values)} times")
            elif (values[0] if values else ABSENT) not in possible:
                wrong.append(f"key {key} is {values or 'not there'}, and must be one of {_listed(possible)}")
        return wrong


def _listed(values: set[int | None]) -> str:
    return ", ".join(sorted("not there" if value is ABSENT else str(value) for value in values))


class Model:
    """All objects of all clients, with those that have a cluster under their cluster's name."""

    def __init__(self) -> None:
        self.objects: list[Object] = []
        self._drops: dict[str, int] = {}
        self._dropping: dict[str, int] = {}

    def add(self, kind: str, *, on: Object | None = None, cluster: str | None = None) -> Object:
        made = Object(kind, on=on, cluster=cluster)
        self.objects.append(made)
        return made

    def drop_cascade(self, dropped: Object, outcome: Outcome) -> None:
        dropped.becomes(ABSENT, outcome)
        for other in self.objects:
            if dropped in other.perhaps_on and outcome is not Outcome.REFUSED:
                other.names = other.names | {ABSENT}
            elif other.on is dropped and outcome is not Outcome.REFUSED:
                # Whether it came before the drop or after is another question than whether it was done.
                self.drop_cascade(other, outcome)

    def begin_drop(self, cluster: str) -> None:
        self._drops[cluster] = self._drops.get(cluster, 0) + 1
        self._dropping[cluster] = self._dropping.get(cluster, 0) + 1

    def end_drop(self, cluster: str, outcome: Outcome) -> None:
        """Views of other clients may have been created in it before or after."""
        if outcome is not Outcome.UNKNOWN:  # else it may be under way for as long as it likes
            self._dropping[cluster] -= 1
        for other in self.objects:
            if other.cluster == cluster and outcome is not Outcome.REFUSED:
                other.names = other.names | {ABSENT}

    def drops_of(self, cluster: str) -> int:
        """How many drops of it have begun."""
        return self._drops.get(cluster, 0)

    def dropping(self, cluster: str) -> bool:
        """Whether a drop of it may be under way."""
        return self._dropping.get(cluster, 0) > 0

    def wrong_names(self, found: dict[str, str]) -> list[str]:
        """What of `found`, the kinds of all objects by name, cannot be."""
        wrong = []
        expected: set[str] = set()
        for made in self.objects:
            there = sorted(name for name in made.names if name is not ABSENT and name in found)
            expected.update(there)
            if not there and ABSENT not in made.names:
                wrong.append(f"{made.kind} {_names(made.names)} is lost")
            elif len(there) > 1:
                wrong.append(f"{made.kind} is there under {len(there)} names: {', '.join(there)}")
        wrong += [f"{found[name]} {name} must not be there" for name in sorted(found.keys() - expected)]
        return wrong


def _names(names: set[str | None]) -> str:
    return " or ".join(sorted(str(name) for name in names))
