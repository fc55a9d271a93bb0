"""Relations as DuckDB's SQL: those whose rows are PostgreSQL's, whatever the input, or an error (`scalars`).

Every level is a subquery whose columns are c0, c1, ..., and d where rows are counted; DuckDB's optimizer takes the levels apart
again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ...expr.tree.relation import (
    Distinct,
    Filter,
    Get,
    Join,
    JoinKind,
    Map,
    Negate,
    OrderBy,
    Project,
    Reduce,
    Relation,
    Threshold,
    TopK,
    Union,
)
from .aggregates import adds_up, aggregate_sql, is_split, split_sql
from .scalars import Column, NotInSql, is_comparable, of, scalar_sql, sql_type

_JOINS = {
    JoinKind.INNER: "JOIN",
    JoinKind.LEFT: "LEFT JOIN",
    JoinKind.RIGHT: "RIGHT JOIN",
    JoinKind.FULL: "FULL JOIN",
    JoinKind.SEMI: "SEMI JOIN",
    JoinKind.ANTI: "ANTI JOIN",
}


@dataclass(frozen=True, slots=True)
class Input:
    """A relation behind a table; `counted`: its last column, `d`, says how often a row occurs, and equal rows may be there several
    times, else every row occurs once."""

    relation: Relation
    counted: bool


@dataclass(frozen=True, slots=True)
class Sql:
    """A SELECT whose rows are the relation's, with `d` if they are `counted`; `inputs` are its tables i0, i1, ..."""

    text: str
    inputs: tuple[Input, ...]
    counted: bool


IsCounted = Callable[[Get], bool]
"""Whether some rows of a collection occur not once each."""


def relation_sql(relation: Relation, is_counted: IsCounted, scales: Sequence[int | None] = ()) -> Sql:
    """Raises NotInSql when the relation itself is not written here; what is below it and is not becomes an input.

    `scales` are of a Reduce's aggregates: one that `is_split` has two columns, the sum of its values times 2^scale, which must be
    integers, as DECIMAL(38, 0), and how many there are.
    """
    writer = _Writer(is_counted)
    written = writer.reduce(relation, scales) if isinstance(relation, Reduce) else writer.select(relation)
    return Sql(written.text, tuple(writer.inputs), written.counted)


def is_sql(relation: Relation) -> bool:
    """Whether all of it is written here."""
    scales = (
        [0 if is_split(each) else None for each in relation.aggregates]
        if isinstance(relation, Reduce)
        else ()
    )
    try:
        sql = relation_sql(relation, lambda _: False, scales)
    except NotInSql:
        return False
    return all(isinstance(each.relation, Get) for each in sql.inputs)


@dataclass(frozen=True, slots=True)
class _Select:
    text: str
    counted: bool = False


@dataclass(frozen=True, slots=True)
class _Source:
    """What stands in FROM; `count` is how often a row of it occurs, None: once."""

    text: str
    count: str | None


class _Writer:
    def __init__(self, is_counted: IsCounted) -> None:
        self.inputs: list[Input] = []
        self._is_counted = is_counted
        self._tables: dict[tuple[int, bool], int] = {}

    def _from(self, relation: Relation, alias: str, *, once: bool = False) -> _Source:
        """A relation in FROM; with `once`, every row of it occurs once."""
        if not isinstance(relation, Get):
            known = len(self.inputs)
            try:
                found = self.select(relation)
                if found.counted and once:
                    raise NotInSql("counted rows")
                return _Source(f"({found.text}) AS {alias}", f"{alias}.d" if found.counted else None)
            except NotInSql:
                for forgotten in self.inputs[known:]:
                    del self._tables[id(forgotten.relation), forgotten.counted]
                del self.inputs[known:]
        for column in relation.schema:
            sql_type(column.type)
        counted = isinstance(relation, Get) and not once and self._is_counted(relation)
        place = self._tables.setdefault((id(relation), counted), len(self.inputs))
        if place == len(self.inputs):
            self.inputs.append(Input(relation, counted))
        return _Source(f"i{place} AS {alias}", f"{alias}.d" if counted else None)

    def select(self, relation: Relation) -> _Select:
        width = len(relation.schema)
        for column in relation.schema:
            sql_type(column.type)
        match relation:
            case Map(input=child, scalars=scalars):
                added = [scalar_sql(scalar, of("t")) for scalar in scalars]
                return _each(self._from(child, "t"), [*_columns("t", range(len(child.schema))), *added])
            case Filter(input=child, predicates=predicates):
                where = " AND ".join(scalar_sql(predicate, of("t")) for predicate in predicates)
                return _each(self._from(child, "t"), _columns("t", range(width)), f" WHERE {where}")
            case Project(input=child, indices=indices):
                return _each(self._from(child, "t"), _columns("t", indices))
            case Distinct(input=child):
                return _distinct(self._from(child, "t"), _columns("t", range(width)))
            case Union(inputs=children):
                return _union([self._from(child, "t") for child in children], _columns("t", range(width)))
            case Threshold(input=Union(inputs=(left, Negate(input=right)))):
                first, second = (
                    _each(self._from(side, "t", once=True), _columns("t", range(width))).text
                    for side in (left, right)
                )
                return _Select(f"({first}) EXCEPT ALL ({second})")
            case Join():
                return self._join(relation)
            case TopK():
                return self._top_k(relation)
            case Reduce():
                return self.reduce(relation, ())
            case _:
                raise NotInSql(type(relation).__name__)

    def _join(self, join: Join) -> _Select:
        width = len(join.left.schema)
        equals = "IS NOT DISTINCT FROM" if join.null_safe else "="
        conditions = []
        for a, b in zip(join.left_keys, join.right_keys, strict=True):
            if not is_comparable(a.type, b.type):
                raise NotInSql("keys of other types")
            conditions.append(f"{scalar_sql(a, of('l'))} {equals} {scalar_sql(b, of('r'))}")
        if not conditions:
            raise NotInSql("a join without keys")
        both: Column = lambda index: f"l.c{index}" if index < width else f"r.c{index - width}"  # noqa: E731
        conditions += [scalar_sql(predicate, both) for predicate in join.residual]
        names = _columns("l", range(width))
        if join.kind not in (JoinKind.SEMI, JoinKind.ANTI):
            names += _columns("r", range(len(join.right.schema)))
        # A row without a partner shows whether others exist, and not only how many pairs there are.
        left = self._from(join.left, "l", once=join.kind in (JoinKind.RIGHT, JoinKind.FULL))
        right = self._from(join.right, "r", once=join.kind not in (JoinKind.INNER, JoinKind.RIGHT))
        counts = [side.count for side in (left, right) if side.count is not None]
        tables = f"{left.text} {_JOINS[join.kind]} {right.text} ON {' AND '.join(conditions)}"
        return _each(_Source(tables, " * ".join(counts) or None), names)

    def _top_k(self, top: TopK) -> _Select:
        width = len(top.schema)
        order = _ordered(top.order, width)
        rows = _each(self._from(top.input, "t", once=True), _columns("t", range(width))).text
        if not top.group:
            limit = "" if top.limit is None else f" LIMIT {top.limit}"
            return _Select(f"{rows} ORDER BY {order}{limit} OFFSET {top.offset}")
        group = ", ".join(_columns("t", top.group))
        number = f"row_number() OVER (PARTITION BY {group} ORDER BY {order})"
        wanted = f"{number} > {top.offset}"
        if top.limit is not None:
            wanted += f" AND {number} <= {top.offset + top.limit}"
        return _Select(f"{rows} QUALIFY {wanted}")

    def reduce(self, reduce: Reduce, scales: Sequence[int | None]) -> _Select:
        for key in reduce.keys:
            sql_type(key.type)
        source = self._from(reduce.input, "t", once=not all(map(adds_up, reduce.aggregates)))
        values: list[str] = []
        for aggregate, scale in zip(
            reduce.aggregates, scales or [None] * len(reduce.aggregates), strict=True
        ):
            values += (
                [aggregate_sql(aggregate, source.count)]
                if scale is None
                else split_sql(aggregate, scale, source.count)
            )
        keys = [scalar_sql(key, of("t")) for key in reduce.keys]
        columns = _named([*keys, *values]) if keys or values else "count(*) >= 0 AS none"  # one row: a group
        text = f"SELECT {columns} FROM {source.text}"
        if keys:
            text += f" GROUP BY {', '.join(map(str, range(1, len(keys) + 1)))}"
        if source.count is not None and not reduce.scalar:
            return _Select(f"{text} HAVING sum({source.count}) > 0")
        return _Select(text if keys or reduce.scalar else f"{text} HAVING count(*) > 0")


def _each(source: _Source, columns: Sequence[str], rest: str = "") -> _Select:
    """A row for each of the source."""
    count = "" if source.count is None else f", {source.count} AS d"
    return _Select(f"SELECT {_named(columns)}{count} FROM {source.text}{rest}", source.count is not None)


def _distinct(source: _Source, columns: Sequence[str]) -> _Select:
    if source.count is None:
        return _Select(f"SELECT DISTINCT {_named(columns)} FROM {source.text}")
    group = f" GROUP BY {', '.join(columns)}" if columns else ""
    return _Select(f"SELECT {_named(columns)} FROM {source.text}{group} HAVING sum({source.count}) > 0")


def _union(sources: Sequence[_Source], columns: Sequence[str]) -> _Select:
    counted = any(source.count is not None for source in sources)
    parts = (
        _each(replace(source, count=source.count or "1") if counted else source, columns)
        for source in sources
    )
    return _Select(" UNION ALL ".join(f"({part.text})" for part in parts), counted)


def _named(expressions: Sequence[str]) -> str:
    """A select list; a relation without columns has one that is left out of the answer."""
    return ", ".join(f"{text} AS c{i}" for i, text in enumerate(expressions)) or "TRUE AS none"


def _ordered(order: Sequence[OrderBy], width: int) -> str:
    keys = [
        f"t.c{key.index} {'DESC' if key.descending else 'ASC'} NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for key in order
    ]
    rest = [f"t.c{i} ASC NULLS LAST" for i in range(width) if all(key.index != i for key in order)]
    return ", ".join([*keys, *rest]) or "1"


def _columns(alias: str, indices: Sequence[int]) -> list[str]:
    return [f"{alias}.c{index}" for index in indices]
