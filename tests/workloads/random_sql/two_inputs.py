"""Operators over two queries, or over one that is read twice: joins, set operations, subqueries, loops."""

from __future__ import annotations

from .growth import Growth, Query
from .tables import BOOL, INT, NUMERIC, TABLES, TEXT


class TwoInputs(Growth):
    """Every method wraps a query of at most `depth` operators, and mostly another one that is no deeper."""

    def _join(self, depth: int) -> Query:
        left, right = self.grow(depth), self.grow(self.random.randrange(depth + 1))
        left_item, left_columns = self.from_item(left)
        right_item, right_columns = self.from_item(right)
        kept = (*self.some(left_columns), *self.some(right_columns))
        kind = self.random.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        on = self.equal(left_columns, right_columns)
        if " = " not in on:
            kind = "JOIN"
        elif kind == "JOIN" and self.random.random() < 0.3:
            on += f" AND {self.predicate((*left_columns, *right_columns))}"
        rest = f"FROM {left_item} {kind} {right_item} ON {on}"
        return self.select([n for n, _ in kept], [t for _, t in kept], rest, left, right)

    def _set_operation(self, depth: int) -> Query:
        left, right = self.grow(depth), self.grow(self.random.randrange(depth + 1))
        types = self.random.sample((INT, TEXT, NUMERIC, BOOL), 2)
        sides = []
        for child in (left, right):
            item, columns = self.from_item(child)
            sides.append(self.select([self.scalar(columns, t) for t in types], types, f"FROM {item}", child))
        operator = self.random.choice(
            ("UNION", "UNION ALL", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL")
        )
        text = f"({sides[0].text}) {operator} ({sides[1].text})"
        return Query(text, sides[0].columns, left.names + right.names)

    def _exists(self, depth: int) -> Query:
        child, other = self.grow(depth), self.grow(self.random.randrange(depth + 1))
        item, columns = self.from_item(child)
        inner, inner_columns = self.from_item(other)
        not_ = self.random.choice(("", "NOT "))
        condition = self.equal(columns, inner_columns)
        text = f"SELECT * FROM {item} WHERE {not_}EXISTS (SELECT 1 FROM {inner} WHERE {condition})"
        return Query(text, child.columns, child.names + other.names)

    def _in(self, depth: int) -> Query:
        child, other = self.grow(depth), self.grow(self.random.randrange(depth + 1))
        item, columns = self.from_item(child)
        inner, inner_columns = self.from_item(other)
        type_ = self.random.choice((INT, TEXT))
        not_ = self.random.choice(("", "NOT "))
        left, right = self.scalar(columns, type_), self.scalar(inner_columns, type_)
        text = f"SELECT * FROM {item} WHERE {left} {not_}IN (SELECT {right} FROM {inner})"
        return Query(text, child.columns, child.names + other.names)

    def _scalar_subquery(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        table = self.random.choice(sorted(TABLES))
        inner_columns = tuple((f"i.{name}", type_) for name, type_ in TABLES[table])
        condition = self.equal(columns, inner_columns)
        aggregate = self.random.choice(("count(*)", "max(i.b)", "min(i.a)"))
        expressions = [
            *(n for n, _ in columns[:4]),
            f"(SELECT {aggregate} FROM {table} AS i WHERE {condition})",
        ]
        return self.select(expressions, [*(t for _, t in columns[:4]), INT], f"FROM {item}", child)

    def _lateral(self, depth: int) -> Query:
        child, other = self.grow(depth), self.grow(self.random.randrange(depth + 1))
        item, columns = self.from_item(child)
        inner, inner_columns = self.from_item(other)
        kept = self.some(inner_columns)
        names = [f"d{i}" for i in range(len(kept))]
        items = ", ".join(f"{n} AS {name}" for (n, _), name in zip(kept, names, strict=True))
        condition = self.equal(columns, inner_columns)
        limit = f"ORDER BY {self.order(inner_columns)} LIMIT {self.random.randrange(1, 3)}"
        subquery = f"(SELECT {items} FROM {inner} WHERE {condition} {limit}) AS l"
        join = self.random.choice(
            (
                f"CROSS JOIN LATERAL {subquery}",
                f"LEFT JOIN LATERAL {subquery} ON TRUE",
                f", LATERAL {subquery}",
            )
        )
        expressions = [*(n for n, _ in columns[:3]), *(f"l.{name}" for name in names)]
        types = [*(t for _, t in columns[:3]), *(t for _, t in kept)]
        return self.select(expressions, types, f"FROM {item} {join}", child, other)

    def _twice(self, depth: int) -> Query:
        """A common table expression that is read twice."""
        child = self.renamed(self.grow(depth))
        name = self.alias()
        left = tuple((f"x.{n}", t) for n, t in child.columns)
        right = tuple((f"y.{n}", t) for n, t in child.columns)
        kept = (*self.some(left), *self.some(right, 1, 2))
        condition = self.equal(left, right)
        rest = f"FROM {name} AS x JOIN {name} AS y ON {condition}"
        query = self.select([n for n, _ in kept], [t for _, t in kept], rest, child)
        return Query(f"WITH {name} AS ({child.text}) {query.text}", query.columns, query.names)

    def _recursive(self, depth: int) -> Query:
        """What is reachable over edges from one column to another, modulo a few nodes."""
        child = self.grow(depth)
        item, columns = self.from_item(child)
        name, edges = self.alias(), self.alias()
        ends = [self.scalar(columns, INT) for _ in range(2)]
        edge = ", ".join(f"(abs({end}) % 6)::bigint AS {n}" for end, n in zip(ends, ("a", "b"), strict=True))
        text = (
            f"WITH RECURSIVE {edges} AS (SELECT {edge} FROM {item}), "
            f"{name} (a, b) AS (SELECT a, b FROM {edges} "
            f"UNION SELECT r.a, e.b FROM {name} AS r JOIN {edges} AS e ON r.b = e.a) SELECT a, b FROM {name}"
        )
        return Query(text, (("a", INT), ("b", INT)), child.names)
