"""The syntax tree of queries: what the text says, before any name is resolved.

Nodes are frozen values; `position` is 1-based in the text.  Sugar is gone where it has one meaning: `a::t` is a
`Cast`, `x NOT LIKE y` an operator, `EXTRACT(f FROM x)` a function call.
"""

from __future__ import annotations

from dataclasses import dataclass

from .literal_rows import LiteralRows


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as written: `name` without its schema, folded; `modifiers` such as (10, 2); array dimensions; an
    interval's `fields`, such as ("day", "second"); the `element` of a list; the `schema` (and its database) of a type that
    is not the system's."""

    name: str
    modifiers: tuple[int, ...]
    dimensions: int
    position: int
    fields: tuple[str, ...] = ()
    element: TypeName | None = None
    schema: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Name:
    """A column reference, one to four parts."""

    parts: tuple[str, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Star:
    """`*` or `t.*`.  In a select list it may leave columns out (EXCLUDE), have expressions in the place of some (REPLACE), and call some
    otherwise (RENAME: pairs of a column and its new name).  As an `argument` of a function `t.*` is the table's row."""

    qualifier: tuple[str, ...]
    position: int
    excluded: tuple[Name, ...] = ()
    replaced: tuple[SelectItem, ...] = ()
    renamed: tuple[tuple[Name, str], ...] = ()
    argument: bool = False

    @property
    def is_plain(self) -> bool:
        return not (self.excluded or self.replaced or self.renamed)


@dataclass(frozen=True, slots=True)
class Integer:
    value: int
    position: int


@dataclass(frozen=True, slots=True)
class Decimal:
    text: str
    position: int


@dataclass(frozen=True, slots=True)
class String:
    value: str
    position: int


@dataclass(frozen=True, slots=True)
class Boolean:
    value: bool
    position: int


@dataclass(frozen=True, slots=True)
class Null:
    position: int


@dataclass(frozen=True, slots=True)
class Default:
    position: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$number`, counted from 1."""

    number: int
    position: int


@dataclass(frozen=True, slots=True)
class Function:
    """`name(args)`; `star` for `count(*)`; `within` is the ORDER BY of WITHIN GROUP; `nulls`: `ignore` or
    `respect`, where a window function has it."""

    name: tuple[str, ...]
    args: tuple[Expression, ...]
    position: int
    star: bool = False
    distinct: bool = False
    order_by: tuple[SortKey, ...] = ()
    filter: Expression | None = None
    over: Window | None = None
    within: tuple[SortKey, ...] = ()
    nulls: str | None = None


@dataclass(frozen=True, slots=True)
class FrameBound:
    """`kind` in the words of SQL, such as `unbounded preceding`; `offset` goes with preceding and following."""

    kind: str
    offset: Expression | None
    position: int


@dataclass(frozen=True, slots=True)
class FrameClause:
    """`unit` is rows, range or groups; `exclusion` current row, group, ties or no others."""

    unit: str
    start: FrameBound
    end: FrameBound
    exclusion: str
    position: int


@dataclass(frozen=True, slots=True)
class Window:
    """A window definition.  `name` is a window that it is based on; `OVER name` is that very window (`copied`
    False), `OVER (name ...)` a copy with additions."""

    partition_by: tuple[Expression, ...]
    order_by: tuple[SortKey, ...]
    frame: FrameClause | None = None
    name: str | None = None
    copied: bool = True
    position: int = 0


@dataclass(frozen=True, slots=True)
class NamedWindow:
    """An entry of the WINDOW clause."""

    name: str
    window: Window
    position: int


@dataclass(frozen=True, slots=True)
class Operator:
    """An infix operator (two arguments) or a prefix one."""

    symbol: str
    args: tuple[Expression, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Logical:
    """AND or OR over two or more arguments."""

    word: str
    args: tuple[Expression, ...]
    position: int


@dataclass(frozen=True, slots=True)
class Not:
    arg: Expression
    position: int


@dataclass(frozen=True, slots=True)
class Is:
    """`arg IS [NOT] what`; `what` is null, true, false, unknown."""

    arg: Expression
    what: str
    negated: bool
    position: int


@dataclass(frozen=True, slots=True)
class DistinctFrom:
    left: Expression
    right: Expression
    negated: bool
    position: int


@dataclass(frozen=True, slots=True)
class InList:
    """`literals` are the items of a long list, which then has no `items`."""

    arg: Expression
    items: tuple[Expression, ...]
    negated: bool
    position: int
    literals: LiteralRows | None = None


@dataclass(frozen=True, slots=True)
class InQuery:
    arg: Expression
    query: Query
    negated: bool
    position: int


@dataclass(frozen=True, slots=True)
class Quantified:
    """`left symbol ANY|ALL (right)`, over an array or a query."""

    symbol: str
    left: Expression
    all: bool
    right: Expression | Query
    position: int


@dataclass(frozen=True, slots=True)
class Case:
    operand: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None
    position: int


@dataclass(frozen=True, slots=True)
class Cast:
    """`attempt`: TRY_CAST, which is NULL instead of an error."""

    arg: Expression
    type: TypeName
    position: int
    attempt: bool = False


@dataclass(frozen=True, slots=True)
class Subquery:
    """`kind` is scalar, exists or array."""

    kind: str
    query: Query
    position: int


@dataclass(frozen=True, slots=True)
class Array:
    """ARRAY[...], or `LIST[...]`."""

    items: tuple[Expression, ...]
    position: int
    list: bool = False


@dataclass(frozen=True, slots=True)
class Map:
    """`MAP[key => value, ...]`."""

    pairs: tuple[tuple[Expression, Expression], ...]
    position: int


@dataclass(frozen=True, slots=True)
class Field:
    """`(arg).name`: a field of a composite value."""

    arg: Expression
    name: str
    position: int


@dataclass(frozen=True, slots=True)
class AllFields:
    """`(arg).*` in a select list: every field of a composite value."""

    arg: Expression
    position: int


@dataclass(frozen=True, slots=True)
class Subscript:
    """`arg[index]`; with `slice` `arg[index:upper]`, of which either bound may be left out; `further` behind another
    subscript without parentheses between: another dimension of an array, or one step deeper into a document."""

    arg: Expression
    index: Expression | None
    position: int
    slice: bool = False
    upper: Expression | None = None
    further: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    items: tuple[Expression, ...]
    position: int


@dataclass(frozen=True, slots=True)
class NamedArgument:
    """`name => value`, of a call."""

    name: str
    value: Expression
    position: int


Expression = (
    Name
    | Star
    | Integer
    | Decimal
    | String
    | Boolean
    | Null
    | Default
    | Parameter
    | Function
    | Operator
    | Logical
    | Not
    | Is
    | DistinctFrom
    | InList
    | InQuery
    | Quantified
    | Case
    | Cast
    | Subquery
    | Array
    | Map
    | Subscript
    | Field
    | AllFields
    | Row
    | NamedArgument
)


@dataclass(frozen=True, slots=True)
class SortKey:
    expression: Expression
    descending: bool
    nulls_first: bool


@dataclass(frozen=True, slots=True)
class SelectItem:
    expression: Expression
    alias: str | None


@dataclass(frozen=True, slots=True)
class TableRef:
    """With `changes` it is what has changed: of all times that are known, or between two."""

    name: tuple[str, ...]
    alias: str | None
    columns: tuple[str, ...]
    position: int
    changes: tuple[Expression, ...] | None = None


@dataclass(frozen=True, slots=True)
class DerivedTable:
    query: Query
    alias: str | None
    columns: tuple[str, ...]
    lateral: bool
    position: int


@dataclass(frozen=True, slots=True)
class TableFunction:
    """`name(args)` in FROM, or with several functions ROWS FROM (...)."""

    functions: tuple[Function, ...]
    ordinality: bool
    alias: str | None
    columns: tuple[str, ...]
    position: int


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """`kind` is inner, left, right, full or cross.  `using_alias` names the columns of `using` as a table."""

    kind: str
    left: FromItem
    right: FromItem
    on: Expression | None
    using: tuple[str, ...] | None
    natural: bool
    position: int
    using_alias: str | None = None


FromItem = TableRef | DerivedTable | TableFunction | JoinedTable


@dataclass(frozen=True, slots=True)
class GroupingSets:
    """`kind` is sets, rollup or cube; a Row among `items` is several columns that belong together, or none."""

    kind: str
    items: tuple[Expression | GroupingSets, ...]
    position: int


@dataclass(frozen=True, slots=True)
class SelectBody:
    items: tuple[SelectItem, ...]
    distinct: bool
    distinct_on: tuple[Expression, ...]
    from_items: tuple[FromItem, ...]
    where: Expression | None
    group_by: tuple[Expression | GroupingSets, ...]
    having: Expression | None
    qualify: Expression | None
    position: int
    windows: tuple[NamedWindow, ...] = ()
    group_distinct: bool = False
    group_all: bool = False  # GROUP BY ALL: by what of the select list has no aggregate in it


@dataclass(frozen=True, slots=True)
class ValuesBody:
    """`literals` stands for `rows`, which are empty then, in a long list of plain literals."""

    rows: tuple[tuple[Expression, ...], ...]
    position: int
    literals: LiteralRows | None = None

    @property
    def width(self) -> int:
        return len(self.rows[0]) if self.literals is None else len(self.literals.columns)


@dataclass(frozen=True, slots=True)
class SetBody:
    """`word` is union, intersect or except."""

    word: str
    all: bool
    left: Query
    right: Query
    position: int


@dataclass(frozen=True, slots=True)
class CommonTable:
    name: str
    columns: tuple[str, ...]
    query: Query
    position: int


@dataclass(frozen=True, slots=True)
class RecursiveTable:
    """A binding of WITH MUTUALLY RECURSIVE."""

    name: str
    columns: tuple[tuple[str, TypeName], ...]
    query: Query
    position: int


@dataclass(frozen=True, slots=True)
class Recursion:
    """WITH MUTUALLY RECURSIVE, with its limit on iterations if there is one."""

    tables: tuple[RecursiveTable, ...]
    limit: int | None
    return_at_limit: bool


@dataclass(frozen=True, slots=True)
class AsOf:
    """`AS OF [AT LEAST] time`, behind a whole query."""

    time: Expression
    at_least: bool
    position: int


@dataclass(frozen=True, slots=True)
class Query:
    """`start` and `end` are 0-based offsets of its text.  `recursive`: `with_tables` may refer to themselves."""

    body: SelectBody | ValuesBody | SetBody | Query
    with_tables: tuple[CommonTable, ...]
    order_by: tuple[SortKey, ...]
    limit: Expression | None
    offset: Expression | None
    start: int
    end: int
    recursive: bool = False
    recursion: Recursion | None = None
