"""How a query is grown: each step wraps one or two smaller queries in an operator."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from .tables import Columns
from .terms import Terms


@dataclass(frozen=True, slots=True)
class Query:
    """`text` is a whole SELECT; `names` the operators that it is made of, outermost first."""

    text: str
    columns: Columns
    names: tuple[str, ...] = ()


class Growth(Terms, ABC):
    """What operators are made with; aliases are unique over all queries of one growth."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self._aliases = 0

    @abstractmethod
    def grow(self, depth: int) -> Query:
        """A query of at most `depth` operators one inside the other."""

    def alias(self) -> str:
        self._aliases += 1
        return f"q{self._aliases}"

    def renamed(self, query: Query) -> Query:
        """Columns c0, c1, ... whatever they were called."""
        alias = self.alias()
        names = [f"c{i}" for i in range(len(query.columns))]
        text = f"SELECT * FROM ({query.text}) AS {alias} ({', '.join(names)})"
        columns = tuple((name, type_) for name, (_, type_) in zip(names, query.columns, strict=True))
        return Query(text, columns, query.names)

    def from_item(self, query: Query) -> tuple[str, Columns]:
        """The query as a FROM item, and its columns as they are called there."""
        alias = self.alias()
        names = [f"c{i}" for i in range(len(query.columns))]
        columns = tuple((f"{alias}.{n}", type_) for n, (_, type_) in zip(names, query.columns, strict=True))
        return f"({query.text}) AS {alias} ({', '.join(names)})", columns

    def select(self, expressions: Sequence[str], types: Sequence[str], rest: str, *children: Query) -> Query:
        names = [f"c{i}" for i in range(len(expressions))]
        items = ", ".join(f"{e} AS {n}" for e, n in zip(expressions, names, strict=True))
        made_of = tuple(name for child in children for name in child.names)
        return Query(f"SELECT {items} {rest}", tuple(zip(names, types, strict=True)), made_of)
