"""Scopes: which names a clause sees, and where their columns stand.

A scope belongs to one SELECT.  Its relation begins with a prefix of columns of the enclosing queries: a subquery is
planned over the distinct outer values that it depends on (its domain), so what it needs of the outer row is part of
its own rows.  A name that resolves to an outer column which is not in the prefix raises `Correlated`: the planner of
that subquery adds the column to the domain and starts again.

An interval of an outer row is in the domain as its text: outer rows that are equal as keys ('1 mon' and '30 days') are not the
same to `now + outer.span`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from ...errors import AmbiguousColumn, PtvcError, UndefinedColumn, UndefinedTable, Unsupported
from ...expr.tree.scalar import Cast, ColumnRef, Literal, Parameter
from ...repr.schema import NO_ORIGIN, Origin
from ...repr.types import TEXT, ScalarType
from .equal_keys import holds_intervals

OuterColumn = tuple[int, int]
"""(levels up, ordinal in that scope): level 1 is the directly enclosing query."""


ColumnUse = Callable[[], None]
_SYSTEM_COLUMNS = frozenset(("ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"))


class Correlated(Exception):
    """Internal: the subquery of `scope` needs `column` of an enclosing query in its domain."""

    def __init__(self, scope: Scope, column: OuterColumn) -> None:
        super().__init__(column)
        self.scope = scope
        self.column = column


@dataclass(frozen=True, slots=True)
class ScopeColumn:
    """`index` is the position in the scope's relation; `hidden` ones (the second of a USING pair) are reached by
    their qualified name only; `absent` marks a column that is NULL in every row.  `row` is the
    row of a function of one value, which is that value: the table's name alone reaches it, behind all columns.
    `schema` is that of a table without an alias.  `value` is what it is in every row, where that is known: the argument of a
    function.  `used` notes that a column of a table is used; `origin` is which column of a relation it is.  `extended`: an outer join
    may have put a row of NULLs in the place of its table's; `tells`: it is NULL there, and nowhere else."""

    table: str | None
    name: str
    type: ScalarType
    nullable: bool
    index: int
    hidden: bool = False
    absent: bool = False
    row: bool = False
    schema: str | None = None
    value: Literal | Parameter | None = None
    used: ColumnUse | None = field(default=None, compare=False)
    origin: Origin = field(default=NO_ORIGIN, compare=False)
    extended: bool = False
    tells: bool = False

    def null_extended(self) -> ScopeColumn:
        """The column behind an outer join that keeps rows of the other side."""
        return replace(self, nullable=True, extended=True, tells=self.tells or not self.nullable)

    def use(self) -> None:
        """The statement names the column."""
        if self.used is not None:
            self.used()


@dataclass(slots=True)
class Scope:
    """What a SELECT sees; `prefix` maps outer columns to positions of the relation.

    A scope of items of FROM that are planned over the items to their left is `lateral`: its parent is the scope of
    those, which only LATERAL items and table functions (for as long as `open` is set) see.
    """

    parent: Scope | None
    prefix: dict[OuterColumn, int] = field(default_factory=dict)
    columns: list[ScopeColumn] = field(default_factory=list)
    tables: dict[str, int] = field(default_factory=dict)
    lateral: bool = False
    open: bool = False

    def resolve(
        self, parts: tuple[str, ...], position: int
    ) -> tuple[ColumnRef | Literal | Parameter | Cast, ScopeColumn | None]:
        """The column of that name, as a reference into this scope's relation, and its entry when it is our own."""
        table, name = _split(parts, position)
        schema = parts[-3] if len(parts) > 2 else None
        level, scope = 0, self
        while True:
            found = scope.lookup(table, name, position, schema)
            if found is not None:
                break
            if table is not None and table in scope.tables:
                raise self._missing(table, name, position, schema)
            above = scope.enclosing() if level == 0 and not self.open else (1, scope.parent)
            if above[1] is None:
                raise self._missing(table, name, position, schema)
            level, scope = level + above[0], above[1]
        column = scope.columns[found]
        if column.absent:
            return Literal(None, column.type), None
        if column.value is not None:
            return column.value, None
        if level == 0:
            return ColumnRef(column.index, column.type, column.nullable), column
        index = self.outer((level, found))
        if holds_intervals(column.type):
            return Cast(ColumnRef(index, TEXT, column.nullable), column.type), None
        return ColumnRef(index, column.type, column.nullable), None

    def origin(self, parts: tuple[str, ...]) -> Origin:
        """Of which column of a relation the column of that name is, if it is of this scope."""
        table, name = _split(parts, 0)
        found = self.lookup(table, name, 0, parts[-3] if len(parts) > 2 else None)
        return NO_ORIGIN if found is None else self.columns[found].origin

    def enclosing(self) -> tuple[int, Scope | None]:
        """The scope of the enclosing query, past the items of FROM that only LATERAL sees, and how many levels up
        it is."""
        level, scope = 1, self
        while scope.lateral:
            assert scope.parent is not None
            level, scope = level + 1, scope.parent
        return level, scope.parent

    def outer(self, column: OuterColumn) -> int:
        index = self.prefix.get(column)
        if index is None:
            raise Correlated(self, column)
        return index

    def lookup(self, table: str | None, name: str, position: int, schema: str | None = None) -> int | None:
        """The ordinal of the one column that matches; 42702 when several do."""
        found: int | None = None
        for ordinal, column in enumerate(self.columns):
            if (
                column.row
                or column.name != name
                or (column.table != table if table is not None else column.hidden)
                or (schema is not None and column.schema != schema)
            ):
                continue
            if found is not None:
                raise AmbiguousColumn(f'column reference "{name}" is ambiguous', position=position)
            found = ordinal
        if found is None and table is None:
            found = next((i for i, c in enumerate(self.columns) if c.row and c.name == name), None)
        if found is not None:
            self.columns[found].use()
        return found

    def ancestor(self, level: int) -> Scope:
        scope: Scope = self
        for _ in range(level):
            assert scope.parent is not None
            scope = scope.parent
        return scope

    def add_table(self, name: str, position: int) -> None:
        if name in self.tables:
            raise PtvcError(
                f'table name "{name}" specified more than once', sqlstate="42712", position=position
            )
        self.tables[name] = position

    def star(self, qualifier: tuple[str, ...], position: int) -> list[ScopeColumn]:
        """The columns that `*` or `t.*` stands for."""
        if not qualifier:
            if not self.tables:
                raise PtvcError(
                    "SELECT * with no tables specified is not valid", sqlstate="42601", position=position
                )
            return _used([column for column in self.columns if not column.hidden])
        table = qualifier[-1]
        if table not in self.tables:
            raise UndefinedTable(f'missing FROM-clause entry for table "{table}"', position=position)
        return _used(
            [
                column
                for column in self.columns
                if column.table == table and not column.row and not (column.hidden and column.absent)
            ]
        )

    def _missing(self, table: str | None, name: str, position: int, schema: str | None = None) -> PtvcError:
        if table is not None:
            scope: Scope | None = self
            while scope is not None and table not in scope.tables:
                scope = scope.parent
            if scope is None:
                return UndefinedTable(f'missing FROM-clause entry for table "{table}"', position=position)
            if not any(c.table == table and schema in (None, c.schema) for c in scope.columns):
                return UndefinedTable(
                    f'invalid reference to FROM-clause entry for table "{table}"',
                    detail=f'There is an entry for table "{table}", but it cannot be referenced from here.',
                    position=position,
                )
        if name in _SYSTEM_COLUMNS:
            return Unsupported(f"the system column {name} is not supported", position=position)
        if table is None and any(name in scope.tables for scope in self._visible()):
            return Unsupported(
                f"the whole row of {name} as a value is not supported",
                hint="Name the columns.",
                position=position,
            )
        shown = name if table is None else f"{table}.{name}"
        quoted = f'"{shown}"' if table is None else shown
        return UndefinedColumn(
            f"column {quoted} does not exist", hint=self._suggestion(table, name), position=position
        )

    def _visible(self) -> Iterator[Scope]:
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def _suggestion(self, table: str | None, name: str) -> str | None:
        names = {c.name: c for c in self.columns if table is None or c.table == table}
        close = difflib.get_close_matches(name, list(names), 1, 0.6)
        if not close:
            return None
        column = names[close[0]]
        shown = column.name if column.table is None else f"{column.table}.{column.name}"
        return f'Perhaps you meant to reference the column "{shown}".'


def _used(columns: list[ScopeColumn]) -> list[ScopeColumn]:
    for column in columns:
        column.use()
    return columns


def _split(parts: tuple[str, ...], position: int) -> tuple[str | None, str]:
    if len(parts) > 4:
        raise PtvcError(
            f"improper qualified name (too many dotted names): {'.'.join(parts)}",
            sqlstate="42601",
            position=position,
        )
    if len(parts) == 4 and parts[0] != "ptvc":
        raise Unsupported(
            f"cross-database references are not implemented: {'.'.join(parts)}", position=position
        )
    return (parts[-2] if len(parts) > 1 else None), parts[-1]
