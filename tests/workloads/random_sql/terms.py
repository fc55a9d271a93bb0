"""Random terms over given columns: scalars, predicates, total orders, aggregates, conditions of joins.

No term has two right answers: averages are rounded, floats are multiples of a quarter (their sums are exact in any
order), nothing divides by what may be zero.  Values stay small: sums are taken modulo a constant.
"""

from __future__ import annotations

from random import Random

from .tables import BOOL, FLOAT, INT, LITERALS, NUMERIC, TEXT, Columns

COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
MODULUS = 1_000


class Terms:
    """Columns are (name, type), named as they are called where the term stands."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def some(self, columns: Columns, least: int = 1, most: int = 3) -> Columns:
        count = min(len(columns), self.random.randint(least, most))
        return tuple(self.random.sample(columns, count))

    def of(self, columns: Columns, *types: str) -> str | None:
        fitting = [name for name, type_ in columns if type_ in types]
        return self.random.choice(fitting) if fitting else None

    def scalar(self, columns: Columns, type_: str) -> str:
        random = self.random
        column = self.of(columns, type_)
        if column is None or random.random() < 0.15:
            return f"{random.choice(LITERALS[type_])}::{type_}"
        match type_:
            case "bigint":
                other = self.of(columns, INT)
                forms = (
                    f"{column} + 1",
                    f"{column} * 2 - {other}",
                    f"abs({column}) % 3",
                    f"coalesce({column}, {other}, 7)",
                    f"CASE WHEN {self.predicate(columns, 1)} THEN {column} ELSE {other} END",
                )
            case "text":
                forms = (
                    f"{column} || 'x'",
                    f"upper({column})",
                    f"coalesce({column}, 'none')",
                    f"left({column}, 1)",
                )
            case "numeric":
                forms = (f"{column} * 2", f"{column} + 0.5", f"round({column}, 1)", f"-{column}")
            case "double precision":
                forms = (f"{column} + 0.25", f"abs({column})", f"greatest({column}, 1.0)")
            case _:
                forms = (f"NOT {column}", f"{column} IS TRUE", f"coalesce({column}, FALSE)")
        return random.choice((column, column, *forms))

    def predicate(self, columns: Columns, depth: int = 2) -> str:
        random = self.random
        if depth and random.random() < 0.4:
            left, right = self.predicate(columns, depth - 1), self.predicate(columns, depth - 1)
            return random.choice((f"({left} AND {right})", f"({left} OR {right})", f"NOT ({left})"))
        column, type_ = random.choice(columns)
        if random.random() < 0.2:
            return f"{column} IS {random.choice(('', 'NOT '))}NULL"
        if type_ == BOOL:
            return column
        right = self.of(columns, type_) if random.random() < 0.4 else None
        return f"{column} {random.choice(COMPARISONS)} {right or random.choice(LITERALS[type_][:-1])}"

    def order(self, columns: Columns) -> str:
        """A total order: every column."""
        names = [name for name, _ in columns]
        self.random.shuffle(names)
        return ", ".join(
            name + self.random.choice((" ", " DESC ")) + self.random.choice(("", "NULLS FIRST", "NULLS LAST"))
            for name in names
        )

    def aggregates(self, columns: Columns) -> list[tuple[str, str]]:
        """(expression, type) of one to three aggregates."""
        return [self.aggregate_of(columns) for _ in range(self.random.randint(1, 3))]

    def aggregate_of(self, columns: Columns) -> tuple[str, str]:
        random = self.random
        column, type_ = random.choice(columns)
        distinct = random.choice(("", "", "DISTINCT "))
        filter_ = f" FILTER (WHERE {self.predicate(columns, 1)})" if random.random() < 0.25 else ""
        forms = [(f"count({distinct}{column}){filter_}", INT), (f"count(*){filter_}", INT)]
        match type_:
            case "boolean":
                forms += [(f"bool_and({column}){filter_}", BOOL), (f"bool_or({column}){filter_}", BOOL)] * 2
            case "text":
                forms += [(f"min({column}){filter_}", TEXT), (f"max({column}){filter_}", TEXT)] * 2
            case "double precision":
                forms += [
                    (f"sum({distinct}{column}){filter_}", FLOAT),
                    (f"max({column}){filter_}", FLOAT),
                ] * 2
            case "bigint":
                forms += [
                    (f"(sum({distinct}{column}){filter_} % {MODULUS})::bigint", INT),
                    (f"min({column}){filter_}", INT),
                    (f"max({column}){filter_}", INT),
                    (f"round(avg({distinct}{column}){filter_}, 2)", NUMERIC),
                ]
            case _:
                forms += [
                    (f"sum({distinct}{column}){filter_} % {MODULUS}", NUMERIC),
                    (f"min({column}){filter_}", NUMERIC),
                    (f"round(var_pop({column}){filter_}, 2)", NUMERIC),
                ]
        return random.choice(forms)

    def equal(self, left: Columns, right: Columns) -> str:
        """Columns of both sides that are compared, of one type if there is any."""
        pairs = [(a, b) for a, s in left for b, t in right if s == t and s in (INT, TEXT)]
        if not pairs:
            return f"{self.random.choice(left)[0]} IS NULL AND {self.random.choice(right)[0]} IS NULL"
        a, b = self.random.choice(pairs)
        return f"{a} = {b}"
