"""Which changes of a catalog are applications of replacements: a view has the definition and the state of another, which is gone,
and what reads that reads the view.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...expr.tree.relation import GlobalId
from .entries import Change
from .items import Maintained, MaterializedView


@dataclass(frozen=True, slots=True)
class Application:
    """The view as it was and as it becomes; its replacement goes."""

    before: MaterializedView
    after: MaterializedView
    replacement: MaterializedView


@dataclass(frozen=True, slots=True)
class Repointed:
    """What reads replacements, as it was and as it is with the views in their places; if it is a replacement itself, as the
    view that it becomes.  `reads` are the replacements that its dataflow reads."""

    before: Maintained
    after: Maintained
    reads: frozenset[GlobalId]


def applications(changes: Iterable[Change]) -> tuple[Application, ...]:
    changes = list(changes)
    gone = {
        change.before.state_name: change.before
        for change in changes
        if isinstance(change.before, MaterializedView) and change.after is None
    }
    return tuple(
        Application(before, after, gone[after.state_name])
        for before, after in ((change.before, change.after) for change in changes)
        if isinstance(before, MaterializedView)
        and isinstance(after, MaterializedView)
        and after.state_name != before.state_name
    )
