"""Queries drawn at random, operator by operator."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .growth import Query
from .one_input import OneInput
from .tables import TABLES
from .two_inputs import TwoInputs


class Queries(OneInput, TwoInputs):
    """Draws queries.  `joins` bounds how many joins and set operations one query has: answers stay small."""

    def __init__(self, random: Random, joins: int = 3) -> None:
        super().__init__(random)
        self._left = self._joins = joins

    def query(self, depth: int) -> Query:
        """A query of at most `depth` operators one inside the other, whose columns have distinct names."""
        self._left = self._joins
        return self.renamed(self.grow(depth))

    def grow(self, depth: int) -> Query:
        if depth == 0:
            table = self.random.choice(sorted(TABLES))
            return Query(f"SELECT * FROM {table}", TABLES[table])
        kinds: list[Callable[[int], Query]] = [
            self._filter,
            self._map,
            self._aggregate,
            self._aggregate,
            self._whole_group,
            self._grouping_sets,
            self._distinct,
            self._distinct_on,
            self._top,
            self._window,
            self._frame,
            self._series,
        ]
        if self._left > 0:
            kinds += [
                self._join,
                self._join,
                self._set_operation,
                self._exists,
                self._in,
                self._scalar_subquery,
                self._lateral,
                self._twice,
                self._recursive,
            ]
        kind = self.random.choice(kinds)
        if kind.__name__ in ("_join", "_set_operation", "_exists", "_in", "_lateral", "_twice", "_recursive"):
            self._left -= 1
        query = kind(depth - 1)
        return Query(query.text, query.columns, (kind.__name__[1:], *query.names))
