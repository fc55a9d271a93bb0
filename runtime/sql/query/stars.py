"""What `*` stands for in a select list: columns, fewer of them (EXCLUDE), some computed (REPLACE), some under another name (RENAME).

| | of the columns that `*` or `t.*` stands for |
|---|---|
| `* EXCLUDE (a, t.b)`, `* EXCEPT (a)` | all but these |
| `* REPLACE (a + 1 AS a)` | the expression in the place of the column, under its name |
| `* RENAME (a AS b)` | the column under another name |

A name means every column of that name.  All of them look at the columns as they are in FROM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ...errors import SqlSyntaxError, UndefinedColumn
from ...expr.tree.scalar import ColumnRef
from ..scalars.rebuild import parts_of
from ..scalars.scope import Scope, ScopeColumn
from ..syntax import ast
from .grouping import Item


def star_items(scope: Scope, star: ast.Star) -> list[Item]:
    """42703 for a column that is not among those of `*`, 42601 for one that is named twice."""
    columns = scope.star(star.qualifier, star.position)
    if star.is_plain:
        return [_item(column, column.name) for column in columns]
    excluded = _known(columns, star.excluded, "EXCLUDE")
    columns = [column for column in columns if not any(_is(column, name) for name in excluded)]
    values = [ast.Name((str(item.alias),), item.expression.position) for item in star.replaced]
    replaced = dict(zip(_known(columns, values, "REPLACE"), star.replaced, strict=True))
    names = dict(
        zip(_known(columns, [name for name, _ in star.renamed], "RENAME"), star.renamed, strict=True)
    )
    items = []
    for column in columns:
        value = next((item for name, item in replaced.items() if _is(column, name)), None)
        label = next((label for name, (_, label) in names.items() if _is(column, name)), column.name)
        items.append(_item(column, label) if value is None else Item(label, value.expression))
    return items


def _item(column: ScopeColumn, name: str) -> Item:
    return Item(name, None, ColumnRef(column.index, column.type, column.nullable))


def _is(column: ScopeColumn, name: ast.Name) -> bool:
    return column.name == name.parts[-1] and (len(name.parts) == 1 or column.table == name.parts[-2])


def _known(columns: Sequence[ScopeColumn], names: Iterable[ast.Name], clause: str) -> list[ast.Name]:
    """The names, each of a column, and of none that another one means."""
    found: list[ast.Name] = []
    taken: set[int] = set()
    for name in names:
        meant = {column.index for column in columns if _is(column, name)}
        shown = ".".join(name.parts)
        if not meant:
            raise UndefinedColumn(
                f'column "{shown}" in {clause} is not among those of *', position=name.position
            )
        if meant & taken:
            raise SqlSyntaxError(f'column "{shown}" is named twice in {clause}', position=name.position)
        taken |= meant
        found.append(name)
    return found


def grouped_by_all(
    items: Sequence[Item], of_groups: Callable[[ast.Expression], bool], position: int
) -> tuple[ast.Integer, ...]:
    """GROUP BY ALL: the positions of what names a column and is not `of_groups`: no aggregate, no window function is in it."""
    return tuple(
        ast.Integer(number, position)
        for number, item in enumerate(items, 1)
        if item.node is None or (_names_column(item.node) and not of_groups(item.node))
    )


def _names_column(node: ast.Expression) -> bool:
    return any(isinstance(part, ast.Name) for part in parts_of(node))
