"""Operators over one query: filters, projections, aggregates, top k, windows, table functions."""

from __future__ import annotations

from .growth import Growth, Query
from .tables import BOOL, FLOAT, INT, NUMERIC, TEXT, Columns
from .terms import MODULUS


class OneInput(Growth):
    """Every method wraps a query of at most `depth` operators."""

    def _filter(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        return Query(f"SELECT * FROM {item} WHERE {self.predicate(columns)}", child.columns, child.names)

    def _map(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        kept = self.some(columns, 1, 3)
        types = [self.random.choice((INT, TEXT, NUMERIC, FLOAT, BOOL)) for _ in range(2)]
        expressions = [name for name, _ in kept] + [self.scalar(columns, type_) for type_ in types]
        return self.select(expressions, [t for _, t in kept] + types, f"FROM {item}", child)

    def _aggregate(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        keys = self.some(columns, 0, 2)
        found = self.aggregates(columns)
        rest = f"FROM {item}"
        if keys:
            rest += f" GROUP BY {', '.join(name for name, _ in keys)}"
        if self.random.random() < 0.3:
            rest += " HAVING count(*) > 1"
        return self.select(
            [name for name, _ in keys] + [e for e, _ in found], [t for _, t in (*keys, *found)], rest, child
        )

    def _whole_group(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        key, type_ = self.random.choice(columns)
        text = self.of(columns, TEXT) or "'x'"
        number = self.of(columns, INT) or "1"
        order = self.order(columns)
        expressions = [
            key,
            f"string_agg({text}, ',' ORDER BY {order})",
            f"array_to_string(array_agg({number} ORDER BY {number} DESC), '/')",
            f"percentile_disc(0.5) WITHIN GROUP (ORDER BY {number})",
        ]
        return self.select(expressions, [type_, TEXT, TEXT, INT], f"FROM {item} GROUP BY {key}", child)

    def _grouping_sets(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        keys = self.some(columns, 1, 2)
        names = ", ".join(name for name, _ in keys)
        sets = self.random.choice((f"ROLLUP ({names})", f"CUBE ({names})", f"GROUPING SETS (({names}), ())"))
        aggregate, type_ = self.aggregate_of(columns)
        expressions = [*(name for name, _ in keys), f"grouping({names})::bigint", aggregate]
        types = [*(t for _, t in keys), INT, type_]
        return self.select(expressions, types, f"FROM {item} GROUP BY {sets}", child)

    def _distinct(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        kept = self.some(columns)
        query = self.select([n for n, _ in kept], [t for _, t in kept], f"FROM {item}", child)
        return Query("SELECT DISTINCT " + query.text.removeprefix("SELECT "), query.columns, query.names)

    def _distinct_on(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        key = self.random.choice(columns)[0]
        text = f"SELECT DISTINCT ON ({key}) * FROM {item} ORDER BY {key}, {self.order(columns)}"
        return Query(text, child.columns, child.names)

    def _top(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        cut = f"LIMIT {self.random.randrange(1, 8)} OFFSET {self.random.randrange(3)}"
        return Query(f"SELECT * FROM {item} ORDER BY {self.order(columns)} {cut}", child.columns, child.names)

    def _window(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        partition = self.random.choice(columns)[0]
        over = f"OVER (PARTITION BY {partition} ORDER BY {self.order(columns)})"
        value, type_ = self.random.choice(columns)
        form, out = self.random.choice(
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
        return self.select(expressions, types, f"FROM {item}", child)

    def _frame(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        partition = self.random.choice(columns)[0]
        number = self.of(columns, INT)
        if number is None:
            return self._window_of_count(child, item, columns, partition)
        frame = self.random.choice(
            (
                "",
                "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
                "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
                "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
            )
        )
        function = self.random.choice(("sum", "min", "max", "count"))
        over = f"OVER (PARTITION BY {partition} ORDER BY {self.order(columns)} {frame})"
        expressions = [
            *(name for name, _ in columns[:4]),
            f"({function}({number}) {over} % {MODULUS})::bigint",
        ]
        return self.select(expressions, [*(t for _, t in columns[:4]), INT], f"FROM {item}", child)

    def _window_of_count(self, child: Query, item: str, columns: Columns, partition: str) -> Query:
        expressions = [*(name for name, _ in columns[:4]), f"count(*) OVER (PARTITION BY {partition})"]
        return self.select(expressions, [*(t for _, t in columns[:4]), INT], f"FROM {item}", child)

    def _series(self, depth: int) -> Query:
        child = self.grow(depth)
        item, columns = self.from_item(child)
        number = self.of(columns, INT) or "2"
        series = f"generate_series(1, abs({number}) % 4) AS s (n)"
        expressions = [*(name for name, _ in columns[:4]), "s.n::bigint"]
        types = [*(t for _, t in columns[:4]), INT]
        join = self.random.choice((f"CROSS JOIN LATERAL {series}", f"LEFT JOIN LATERAL {series} ON TRUE"))
        return self.select(expressions, types, f"FROM {item} {join}", child)
