"""The form of WITH RECURSIVE: where a query may refer to itself.

What PostgreSQL refuses is refused with its words (42P19); what it allows and is no fixpoint, with a hint (0A000).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from ...errors import PtvcError, Unsupported
from ...expr.functions.aggregates import AGGREGATES
from ..syntax import ast

MUTUAL_HINT = "WITH MUTUALLY RECURSIVE evaluates such queries: declare the columns and their types."
_INVALID = "42P19"

_REFUSED = {
    "base": "its non-recursive term",
    "subquery": "a subquery",
    "outer": "an outer join",
    "intersect": "INTERSECT",
    "except": "EXCEPT",
}
"""Where PostgreSQL allows no recursive reference, as it names the place."""


def check_form(table: ast.CommonTable) -> None:
    """The table refers to itself: as PostgreSQL allows it, and so that it is a fixpoint."""
    query = table.query
    body = query.body
    while isinstance(body, ast.Query) and not (query.with_tables or query.recursion or query.order_by):
        query, body = body, body.body
    if not isinstance(body, ast.SetBody) or body.word != "union":
        raise PtvcError(
            f'recursive query "{table.name}" does not have the form '
            "non-recursive-term UNION [ALL] recursive-term",
            sqlstate=_INVALID,
            position=table.position,
        )
    for present, clause in (
        (bool(query.order_by), "ORDER BY"),
        (query.offset is not None, "OFFSET"),
        (query.limit is not None, "LIMIT"),
    ):
        if present:
            raise Unsupported(f"{clause} in a recursive query is not implemented", position=table.position)
    if query.with_tables or query.recursion:
        raise Unsupported(
            "WITH around the terms of a recursive query is not supported",
            hint="Write it in front of the recursive query.",
            position=table.position,
        )
    if query is not table.query:
        raise Unsupported("parentheses around a recursive query are not supported", position=table.position)
    check = _Check(table.name, every=body.all)
    check.query(body.left, "base")
    if check.found == 0:
        check.query(body.right, None)


class _Check:
    """Walks the terms of the recursive query `name`; `every`: it is UNION ALL.

    `place` is the key in `_REFUSED` of where the walk is, None where a reference is allowed.
    """

    def __init__(self, name: str, *, every: bool) -> None:
        self._name = name
        self._every = every
        self.found = 0

    def query(self, node: ast.Query, place: str | None) -> None:
        if self._hidden(node):
            return
        inner = _tables(node)
        before = self.found
        for table in inner:
            self.query(table.query, place)
        if self.found > before:
            raise self._unsupported("inside WITH", inner[0].position)
        self._body(node, place)
        if self.found > before and (node.limit is not None or node.offset is not None):
            raise self._unsupported("under LIMIT", node.start + 1)
        self._rest((node.order_by, node.limit, node.offset))

    def _hidden(self, node: ast.Query) -> bool:
        """Whether the query defines the name anew."""
        return any(table.name == self._name for table in _tables(node))

    def _body(self, node: ast.Query, place: str | None) -> None:
        match node.body:
            case ast.Query():
                self.query(node.body, place)
            case ast.SetBody():
                self._set(node.body, place)
            case ast.SelectBody():
                self._select(node.body, place)
            case ast.ValuesBody():
                self._rest(node.body.rows)

    def _set(self, body: ast.SetBody, place: str | None) -> None:
        left = right = place
        if place is None and body.word == "intersect" and body.all:
            left = right = "intersect"
        elif place is None and body.word == "except":
            left, right = ("except" if body.all else None), "except"
        before = self.found
        self.query(body.left, left)
        self.query(body.right, right)
        if self.found > before and (self._every or body.word == "union"):
            raise self._unsupported(f"in an arm of {body.word.upper()}", body.position)

    def _select(self, body: ast.SelectBody, place: str | None) -> None:
        before = self.found
        direct = False
        for item in body.from_items:
            direct |= self._from(item, place)
        if self.found > before:
            self._check_select(body, direct=direct)
        rest = (
            body.items,
            body.distinct_on,
            body.where,
            body.group_by,
            body.having,
            body.qualify,
            body.windows,
        )
        self._rest(rest)

    def _from(self, item: ast.FromItem, place: str | None) -> bool:
        """Whether the reference is in this FROM itself."""
        match item:
            case ast.TableRef(name=name):
                if name != (self._name,):
                    return False
                self._reference(item.position, place)
                return True
            case ast.DerivedTable(query=query):
                self.query(query, place)
                return False
            case ast.TableFunction(functions=functions):
                self._rest(functions)
                return False
            case ast.JoinedTable(kind=kind):
                left = "outer" if place is None and kind in ("right", "full") else place
                right = "outer" if place is None and kind in ("left", "full") else place
                found = self._from(item.left, left) | self._from(item.right, right)
                self._rest((item.on,))
                return found

    def _reference(self, position: int, place: str | None) -> None:
        self.found += 1
        if place is not None:
            raise PtvcError(
                f'recursive reference to query "{self._name}" must not appear within {_REFUSED[place]}',
                sqlstate=_INVALID,
                position=position,
            )
        if self.found > 1:
            raise PtvcError(
                f'recursive reference to query "{self._name}" must not appear more than once',
                sqlstate=_INVALID,
                position=position,
            )

    def _check_select(self, body: ast.SelectBody, *, direct: bool) -> None:
        """A SELECT over the reference must treat rows one by one, or remove duplicates that UNION removes anyway."""
        functions = list(_functions((body.items, body.having, body.qualify, body.distinct_on)))
        aggregates = [f for f in functions if f.over is None and f.name[-1] in AGGREGATES]
        if aggregates and direct:
            raise PtvcError(
                "aggregate functions are not allowed in a recursive query's recursive term",
                sqlstate=_INVALID,
                position=aggregates[0].position,
            )
        if aggregates:
            raise self._unsupported("under an aggregate", aggregates[0].position)
        if windows := [f for f in functions if f.over is not None]:
            raise self._unsupported("under a window function", windows[0].position)
        if body.distinct_on:
            raise self._unsupported("under DISTINCT ON", body.position)
        if self._every and (body.distinct or body.group_by or body.having is not None):
            raise self._unsupported("under DISTINCT or GROUP BY with UNION ALL", body.position)

    def _rest(self, nodes: Any) -> None:
        """Expressions: a reference can only be in a subquery of theirs."""
        for query in _queries(nodes):
            self.query(query, "subquery")

    def _unsupported(self, where: str, position: int) -> Unsupported:
        return Unsupported(
            f'a recursive reference to query "{self._name}" {where} is not supported',
            hint=MUTUAL_HINT,
            position=position,
        )


# --- walking syntax trees ---


def _tables(node: ast.Query) -> list[ast.CommonTable | ast.RecursiveTable]:
    """What the query's WITH defines."""
    return [*node.with_tables, *(node.recursion.tables if node.recursion else ())]


def _children(node: Any) -> Iterator[Any]:
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node) and type(node).__module__ == ast.__name__:
        for field in fields(node):
            yield getattr(node, field.name)


def _queries(node: Any) -> Iterator[ast.Query]:
    """The outermost queries inside."""
    if isinstance(node, ast.Query):
        yield node
        return
    for child in _children(node):
        yield from _queries(child)


def _functions(node: Any) -> Iterator[ast.Function]:
    """The functions outside of subqueries."""
    if isinstance(node, ast.Query):
        return
    if isinstance(node, ast.Function):
        yield node
    for child in _children(node):
        yield from _functions(child)


def references(node: Any) -> set[str]:
    """Unqualified table names that the tree refers to and does not define itself."""
    if isinstance(node, ast.TableRef):
        return {node.name[0]} if len(node.name) == 1 else set()
    if not isinstance(node, ast.Query):
        return {name for child in _children(node) for name in references(child)}
    tables = _tables(node)
    every = {table.name for table in tables}
    found: set[str] = set()
    known = every if node.recursive or node.recursion else set[str]()
    for table in tables:
        found |= references(table.query) - known
        known = known | {table.name}
    rest = (node.body, node.order_by, node.limit, node.offset)
    return found | (references(rest) - every)
