"""Random queries over two small tables, in SQL that PostgreSQL and the runtime both understand.

A query is grown from its inputs: each step wraps one or two smaller queries in an operator.  Whatever could have two
right answers is avoided: orders are total, averages are rounded, floats are multiples of a quarter (their sums are
exact in any order), nothing divides by what may be zero.  Values stay small: sums are taken modulo a constant.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

INT, TEXT, NUMERIC, FLOAT, BOOL = "bigint", "text", "numeric", "double precision", "boolean"

SCHEMA = (
    "CREATE TABLE t (a bigint, b bigint, c numeric(10, 2), d text, e double precision, f boolean)",
    "CREATE TABLE u (a bigint, b bigint, d text, f boolean)",
)
INDEXES = ("CREATE INDEX t_a ON t (a)", "CREATE INDEX t_b ON t (b)", "CREATE INDEX u_a ON u (a)")
TABLES = {
    "t": (("a", INT), ("b", INT), ("c", NUMERIC), ("d", TEXT), ("e", FLOAT), ("f", BOOL)),
    "u": (("a", INT), ("b", INT), ("d", TEXT), ("f", BOOL)),
}
_LITERALS = {
    INT: ("0", "1", "2", "3", "-1", "NULL"),
    TEXT: ("''", "'a'", "'b'", "'ab'", "NULL"),
    NUMERIC: ("0.00", "1.25", "-2.50", "3.10", "NULL"),
    FLOAT: ("0.25", "1.5", "-2.0", "0.0", "NULL"),
    BOOL: ("TRUE", "FALSE", "NULL"),
}
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_MODULUS = 1_000

Columns = tuple[tuple[str, str], ...]
"""(name, type) of every column."""


@dataclass(frozen=True, slots=True)
class Query:
    """`text` is a whole SELECT; `names` the operators that it is made of, outermost first."""

    text: str
    columns: Columns
    names: tuple[str, ...] = ()


def row(random: Random, table: str) -> str:
    """One row of the table as a list of literals for VALUES."""
    return f"({', '.join(random.choice(_LITERALS[type_]) for _, type_ in TABLES[table])})"


def changes(random: Random, rows: int) -> list[str]:
    """The statements of one transaction: inserts of `rows` rows, and deletions and updates of a few."""
    statements = []
    for table in TABLES:
        values = ", ".join(row(random, table) for _ in range(random.randrange(1, rows + 1)))
        statements.append(f"INSERT INTO {table} VALUES {values}")
        key, literal = random.choice("ab"), random.choice(_LITERALS[INT][:-1])
        other = random.choice(_LITERALS[TEXT])
        statements.append(
            random.choice(
                (
                    f"DELETE FROM {table} WHERE {key} = {literal} AND f IS NOT TRUE",
                    f"DELETE FROM {table} WHERE d = {other}",
                    f"UPDATE {table} SET b = a, d = {other} WHERE {key} = {literal}",
                    f"UPDATE {table} SET a = b + 1 WHERE d IS NULL",
                )
            )
        )
    random.shuffle(statements)
    return statements


class Queries:
    """Draws queries.  `joins` bounds how many joins and set operations one query has: answers stay small."""

    def __init__(self, random: Random, joins: int = 3) -> None:
        self._random = random
        self._left = self._joins = joins
        self._aliases = 0

    def query(self, depth: int) -> Query:
        """A query of at most `depth` operators one inside the other, whose columns have distinct names."""
        self._left = self._joins
        return self._renamed(self._grow(depth))

    # -- growth --

    def _grow(self, depth: int) -> Query:
        if depth == 0:
            table = self._random.choice(sorted(TABLES))
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
        kind = self._random.choice(kinds)
        if kind.__name__ in ("_join", "_set_operation", "_exists", "_in", "_lateral", "_twice", "_recursive"):
            self._left -= 1
        query = kind(depth - 1)
        return Query(query.text, query.columns, (kind.__name__[1:], *query.names))

    def _alias(self) -> str:
        self._aliases += 1
        return f"q{self._aliases}"

    def _renamed(self, query: Query) -> Query:
        """Columns c0, c1, ... whatever they were called."""
        alias = self._alias()
        names = [f"c{i}" for i in range(len(query.columns))]
        text = f"SELECT * FROM ({query.text}) AS {alias} ({', '.join(names)})"
        columns = tuple((name, type_) for name, (_, type_) in zip(names, query.columns, strict=True))
        return Query(text, columns, query.names)

    def _from(self, query: Query) -> tuple[str, Columns]:
        """The query as a FROM item, and its columns as they are called there."""
        alias = self._alias()
        names = [f"c{i}" for i in range(len(query.columns))]
        columns = tuple((f"{alias}.{n}", type_) for n, (_, type_) in zip(names, query.columns, strict=True))
        return f"({query.text}) AS {alias} ({', '.join(names)})", columns

    def _some(self, columns: Columns, least: int = 1, most: int = 3) -> Columns:
        count = min(len(columns), self._random.randint(least, most))
        return tuple(self._random.sample(columns, count))

    def _of(self, columns: Columns, *types: str) -> str | None:
        fitting = [name for name, type_ in columns if type_ in types]
        return self._random.choice(fitting) if fitting else None

    # -- expressions --

    def _scalar(self, columns: Columns, type_: str) -> str:
        random = self._random
        column = self._of(columns, type_)
        if column is None or random.random() < 0.15:
            return f"{random.choice(_LITERALS[type_])}::{type_}"
        match type_:
            case "bigint":
                other = self._of(columns, INT)
                forms = (
                    f"{column} + 1",
                    f"{column} * 2 - {other}",
                    f"abs({column}) % 3",
                    f"coalesce({column}, {other}, 7)",
                    f"CASE WHEN {self._predicate(columns, 1)} THEN {column} ELSE {other} END",
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

    def _predicate(self, columns: Columns, depth: int = 2) -> str:
        random = self._random
        if depth and random.random() < 0.4:
            left, right = self._predicate(columns, depth - 1), self._predicate(columns, depth - 1)
            return random.choice((f"({left} AND {right})", f"({left} OR {right})", f"NOT ({left})"))
        column, type_ = random.choice(columns)
        if random.random() < 0.2:
            return f"{column} IS {random.choice(('', 'NOT '))}NULL"
        if type_ == BOOL:
            return column
        right = self._of(columns, type_) if random.random() < 0.4 else None
        return f"{column} {random.choice(_COMPARISONS)} {right or random.choice(_LITERALS[type_][:-1])}"

    def _order(self, columns: Columns) -> str:
        """A total order: every column."""
        names = [name for name, _ in columns]
        self._random.shuffle(names)
        return ", ".join(
            name
            + self._random.choice((" ", " DESC "))
            + self._random.choice(("", "NULLS FIRST", "NULLS LAST"))
            for name in names
        )

    def _aggregates(self, columns: Columns) -> list[tuple[str, str]]:
        """(expression, type) of one to three aggregates."""
        return [self._aggregate_of(columns) for _ in range(self._random.randint(1, 3))]

    def _aggregate_of(self, columns: Columns) -> tuple[str, str]:
        random = self._random
        column, type_ = random.choice(columns)
        distinct = random.choice(("", "", "DISTINCT "))
        filter_ = f" FILTER (WHERE {self._predicate(columns, 1)})" if random.random() < 0.25 else ""
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
                    (f"(sum({distinct}{column}){filter_} % {_MODULUS})::bigint", INT),
                    (f"min({column}){filter_}", INT),
                    (f"max({column}){filter_}", INT),
                    (f"round(avg({distinct}{column}){filter_}, 2)", NUMERIC),
                ]
            case _:
                forms += [
                    (f"sum({distinct}{column}){filter_} % {_MODULUS}", NUMERIC),
                    (f"min({column}){filter_}", NUMERIC),
                    (f"round(var_pop({column}){filter_}, 2)", NUMERIC),
                ]
        return random.choice(forms)

    # -- operators over one query --

    def _filter(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        return Query(f"SELECT * FROM {item} WHERE {self._predicate(columns)}", child.columns, child.names)

    def _map(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        kept = self._some(columns, 1, 3)
        types = [self._random.choice((INT, TEXT, NUMERIC, FLOAT, BOOL)) for _ in range(2)]
        expressions = [name for name, _ in kept] + [self._scalar(columns, type_) for type_ in types]
        return self._select(expressions, [t for _, t in kept] + types, f"FROM {item}", child)

    def _select(self, expressions: Sequence[str], types: Sequence[str], rest: str, *children: Query) -> Query:
        names = [f"c{i}" for i in range(len(expressions))]
        items = ", ".join(f"{e} AS {n}" for e, n in zip(expressions, names, strict=True))
        made_of = tuple(name for child in children for name in child.names)
        return Query(f"SELECT {items} {rest}", tuple(zip(names, types, strict=True)), made_of)

    def _aggregate(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        keys = self._some(columns, 0, 2)
        found = self._aggregates(columns)
        rest = f"FROM {item}"
        if keys:
            rest += f" GROUP BY {', '.join(name for name, _ in keys)}"
        if self._random.random() < 0.3:
            rest += " HAVING count(*) > 1"
        return self._select(
            [name for name, _ in keys] + [e for e, _ in found], [t for _, t in (*keys, *found)], rest, child
        )

    def _whole_group(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        key, type_ = self._random.choice(columns)
        text = self._of(columns, TEXT) or "'x'"
        number = self._of(columns, INT) or "1"
        order = self._order(columns)
        expressions = [
            key,
            f"string_agg({text}, ',' ORDER BY {order})",
            f"array_to_string(array_agg({number} ORDER BY {number} DESC), '/')",
            f"percentile_disc(0.5) WITHIN GROUP (ORDER BY {number})",
        ]
        return self._select(expressions, [type_, TEXT, TEXT, INT], f"FROM {item} GROUP BY {key}", child)

    def _grouping_sets(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        keys = self._some(columns, 1, 2)
        names = ", ".join(name for name, _ in keys)
        sets = self._random.choice((f"ROLLUP ({names})", f"CUBE ({names})", f"GROUPING SETS (({names}), ())"))
        aggregate, type_ = self._aggregate_of(columns)
        expressions = [*(name for name, _ in keys), f"grouping({names})::bigint", aggregate]
        types = [*(t for _, t in keys), INT, type_]
        return self._select(expressions, types, f"FROM {item} GROUP BY {sets}", child)

    def _distinct(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        kept = self._some(columns)
        query = self._select([n for n, _ in kept], [t for _, t in kept], f"FROM {item}", child)
        return Query("SELECT DISTINCT " + query.text.removeprefix("SELECT "), query.columns, query.names)

    def _distinct_on(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        key = self._random.choice(columns)[0]
        text = f"SELECT DISTINCT ON ({key}) * FROM {item} ORDER BY {key}, {self._order(columns)}"
        return Query(text, child.columns, child.names)

    def _top(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        cut = f"LIMIT {self._random.randrange(1, 8)} OFFSET {self._random.randrange(3)}"
        return Query(
            f"SELECT * FROM {item} ORDER BY {self._order(columns)} {cut}", child.columns, child.names
        )

    def _window(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        partition = self._random.choice(columns)[0]
        over = f"OVER (PARTITION BY {partition} ORDER BY {self._order(columns)})"
        value, type_ = self._random.choice(columns)
        form, out = self._random.choice(
            (
                (f"row_number() {over}", INT),
                (f"rank() OVER (PARTITION BY {partition} ORDER BY {value})", INT),
                (f"dense_rank() OVER (ORDER BY {value})", INT),
                (f"lag({value}) {over}", type_),
                (f"lead({value}, 2) {over}", type_),
                (f"first_value({value}) {over}", type_),
                (f"ntile(2) {over}::bigint", INT),
            )
        )
        expressions = [name for name, _ in columns[:4]] + [form]
        types = [t for _, t in columns[:4]] + [out]
        return self._select(expressions, types, f"FROM {item}", child)

    def _frame(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        partition = self._random.choice(columns)[0]
        number = self._of(columns, INT)
        if number is None:
            return self._window_of_count(child, item, columns, partition)
        frame = self._random.choice(
            (
                "",
                "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
                "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
                "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
            )
        )
        function = self._random.choice(("sum", "min", "max", "count"))
        over = f"OVER (PARTITION BY {partition} ORDER BY {self._order(columns)} {frame})"
        expressions = [
            *(name for name, _ in columns[:4]),
            f"({function}({number}) {over} % {_MODULUS})::bigint",
        ]
        return self._select(expressions, [*(t for _, t in columns[:4]), INT], f"FROM {item}", child)

    def _window_of_count(self, child: Query, item: str, columns: Columns, partition: str) -> Query:
        expressions = [*(name for name, _ in columns[:4]), f"count(*) OVER (PARTITION BY {partition})"]
        return self._select(expressions, [*(t for _, t in columns[:4]), INT], f"FROM {item}", child)

    def _series(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        number = self._of(columns, INT) or "2"
        series = f"generate_series(1, abs({number}) % 4) AS s (n)"
        expressions = [*(name for name, _ in columns[:4]), "s.n::bigint"]
        types = [*(t for _, t in columns[:4]), INT]
        join = self._random.choice((f"CROSS JOIN LATERAL {series}", f"LEFT JOIN LATERAL {series} ON TRUE"))
        return self._select(expressions, types, f"FROM {item} {join}", child)

    # -- operators over two --

    def _equal(self, left: Columns, right: Columns) -> str:
        """Columns of both sides that are compared, of one type if there is any."""
        pairs = [(a, b) for a, s in left for b, t in right if s == t and s in (INT, TEXT)]
        if not pairs:
            return f"{self._random.choice(left)[0]} IS NULL AND {self._random.choice(right)[0]} IS NULL"
        a, b = self._random.choice(pairs)
        return f"{a} = {b}"

    def _join(self, depth: int) -> Query:
        left, right = self._grow(depth), self._grow(self._random.randrange(depth + 1))
        left_item, left_columns = self._from(left)
        right_item, right_columns = self._from(right)
        kept = (*self._some(left_columns), *self._some(right_columns))
        kind = self._random.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        on = self._equal(left_columns, right_columns)
        if " = " not in on:
            kind = "JOIN"
        elif kind == "JOIN" and self._random.random() < 0.3:
            on += f" AND {self._predicate((*left_columns, *right_columns))}"
        rest = f"FROM {left_item} {kind} {right_item} ON {on}"
        return self._select([n for n, _ in kept], [t for _, t in kept], rest, left, right)

    def _set_operation(self, depth: int) -> Query:
        left, right = self._grow(depth), self._grow(self._random.randrange(depth + 1))
        types = self._random.sample((INT, TEXT, NUMERIC, BOOL), 2)
        sides = []
        for child in (left, right):
            item, columns = self._from(child)
            sides.append(
                self._select([self._scalar(columns, t) for t in types], types, f"FROM {item}", child)
            )
        operator = self._random.choice(
            ("UNION", "UNION ALL", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL")
        )
        text = f"({sides[0].text}) {operator} ({sides[1].text})"
        return Query(text, sides[0].columns, left.names + right.names)

    def _exists(self, depth: int) -> Query:
        child, other = self._grow(depth), self._grow(self._random.randrange(depth + 1))
        item, columns = self._from(child)
        inner, inner_columns = self._from(other)
        not_ = self._random.choice(("", "NOT "))
        condition = self._equal(columns, inner_columns)
        text = f"SELECT * FROM {item} WHERE {not_}EXISTS (SELECT 1 FROM {inner} WHERE {condition})"
        return Query(text, child.columns, child.names + other.names)

    def _in(self, depth: int) -> Query:
        child, other = self._grow(depth), self._grow(self._random.randrange(depth + 1))
        item, columns = self._from(child)
        inner, inner_columns = self._from(other)
        type_ = self._random.choice((INT, TEXT))
        not_ = self._random.choice(("", "NOT "))
        left, right = self._scalar(columns, type_), self._scalar(inner_columns, type_)
        text = f"SELECT * FROM {item} WHERE {left} {not_}IN (SELECT {right} FROM {inner})"
        return Query(text, child.columns, child.names + other.names)

    def _scalar_subquery(self, depth: int) -> Query:
        child = self._grow(depth)
        item, columns = self._from(child)
        table = self._random.choice(sorted(TABLES))
        inner_columns = tuple((f"i.{name}", type_) for name, type_ in TABLES[table])
        condition = self._equal(columns, inner_columns)
        aggregate = self._random.choice(("count(*)", "max(i.b)", "min(i.a)"))
        expressions = [
            *(n for n, _ in columns[:4]),
            f"(SELECT {aggregate} FROM {table} AS i WHERE {condition})",
        ]
        return self._select(expressions, [*(t for _, t in columns[:4]), INT], f"FROM {item}", child)

    def _lateral(self, depth: int) -> Query:
        child, other = self._grow(depth), self._grow(self._random.randrange(depth + 1))
        item, columns = self._from(child)
        inner, inner_columns = self._from(other)
        kept = self._some(inner_columns)
        names = [f"d{i}" for i in range(len(kept))]
        items = ", ".join(f"{n} AS {name}" for (n, _), name in zip(kept, names, strict=True))
        condition = self._equal(columns, inner_columns)
        limit = f"ORDER BY {self._order(inner_columns)} LIMIT {self._random.randrange(1, 3)}"
        subquery = f"(SELECT {items} FROM {inner} WHERE {condition} {limit}) AS l"
        join = self._random.choice(
            (
                f"CROSS JOIN LATERAL {subquery}",
                f"LEFT JOIN LATERAL {subquery} ON TRUE",
                f", LATERAL {subquery}",
            )
        )
        expressions = [*(n for n, _ in columns[:3]), *(f"l.{name}" for name in names)]
        types = [*(t for _, t in columns[:3]), *(t for _, t in kept)]
        return self._select(expressions, types, f"FROM {item} {join}", child, other)

    def _twice(self, depth: int) -> Query:
        """A common table expression that is read twice."""
        child = self._renamed(self._grow(depth))
        name = self._alias()
        left = tuple((f"x.{n}", t) for n, t in child.columns)
        right = tuple((f"y.{n}", t) for n, t in child.columns)
        kept = (*self._some(left), *self._some(right, 1, 2))
        condition = self._equal(left, right)
        rest = f"FROM {name} AS x JOIN {name} AS y ON {condition}"
        query = self._select([n for n, _ in kept], [t for _, t in kept], rest, child)
        return Query(f"WITH {name} AS ({child.text}) {query.text}", query.columns, query.names)

    def _recursive(self, depth: int) -> Query:
        """What is reachable over edges from one column to another, modulo a few nodes."""
        child = self._grow(depth)
        item, columns = self._from(child)
        name, edges = self._alias(), self._alias()
        ends = [self._scalar(columns, INT) for _ in range(2)]
        edge = ", ".join(f"(abs({end}) % 6)::bigint AS {n}" for end, n in zip(ends, ("a", "b"), strict=True))
        text = (
            f"WITH RECURSIVE {edges} AS (SELECT {edge} FROM {item}), "
            f"{name} (a, b) AS (SELECT a, b FROM {edges} "
            f"UNION SELECT r.a, e.b FROM {name} AS r JOIN {edges} AS e ON r.b = e.a) SELECT a, b FROM {name}"
        )
        return Query(text, (("a", INT), ("b", INT)), child.names)
