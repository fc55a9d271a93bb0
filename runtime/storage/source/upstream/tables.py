"""A table of a database, as it was when something was made of it."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, Self, TypeVar


class ColumnThere(Protocol):
    @property
    def name(self) -> str: ...


C = TypeVar("C", bound=ColumnThere)


@dataclass(frozen=True, slots=True)
class TableThere(Generic[C]):
    """A table upstream, or the columns of it that something was made of.

    `key` are the columns of its primary key, `excluded` the columns that it has and that were left out.  `obstacle` says why it cannot be
    read whole, if so; it is as of the asking.  `names_rows`: messages of errors say of which row they are.  Those of tables that an earlier
    version made do not, and stay as they are: an error goes when the same one is taken back.
    """

    schema: str
    name: str
    columns: tuple[C, ...]
    key: tuple[str, ...] = field(default=(), kw_only=True)
    excluded: tuple[str, ...] = field(default=(), kw_only=True)
    obstacle: str | None = field(default=None, compare=False, kw_only=True)
    names_rows: bool = field(default=False, compare=False, kw_only=True)

    @property
    def reference(self) -> str:
        return f"{self.schema}.{self.name}"

    def without(self, excluded: AbstractSet[str]) -> Self:
        """The table with the other columns only."""
        return replace(
            self,
            columns=tuple(column for column in self.columns if column.name not in excluded),
            excluded=self.excluded + tuple(column.name for column in self.columns if column.name in excluded),
        )
