"""WITH RECURSIVE and WITH MUTUALLY RECURSIVE: recursive queries to LetRec.

WITH MUTUALLY RECURSIVE is LetRec as it stands: columns and types are declared, so every binding can be planned with all
of them known.

WITH RECURSIVE evaluates `base UNION [ALL] term` on a working table: the term sees only the rows that its last
evaluation has yielded.  That is a fixpoint when the term treats every row by itself, as then

    term(x UNION ALL y) = term(x) UNION ALL term(y)

and PostgreSQL refuses most of what does not (aggregates, outer joins, subqueries, two references).  The rest, DISTINCT
under UNION ALL for instance, is refused here (0A000): nothing is approximated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from ..errors import DatatypeMismatch, PtvcError, SqlSyntaxError, Unsupported
from ..expr.aggregates import AGGREGATES
from ..expr.coercion import CastContext, base_name, can_cast, common_type
from ..expr.relation import Binding, Distinct, LetRec, LocalGet, Relation, Union, free_locals
from ..repr.schema import Column, Schema
from ..repr.types import TEXT, ScalarType
from . import ast
from .expressions import at
from .scope import Scope
from .types import resolve_type

if TYPE_CHECKING:
    from .planner import CommonTableBinding, Planner, QueryPlan

_MUTUAL_HINT = "WITH MUTUALLY RECURSIVE evaluates such queries: declare the columns and their types."
_INVALID = "42P19"

_REFUSED = {
    "base": "its non-recursive term",
    "subquery": "a subquery",
    "outer": "an outer join",
    "intersect": "INTERSECT",
    "except": "EXCEPT",
}
"""Where PostgreSQL allows no recursive reference, as it names the place."""


# --- WITH MUTUALLY RECURSIVE ---


def bind_mutual(planner: Planner, node: ast.Recursion, parent: Scope | None) -> tuple[Binding, ...]:
    """Makes the names of `node` known to `planner` and plans what they stand for."""
    from .planner import CommonTableBinding, Output, QueryPlan

    _check_unique([table.name for table in node.tables], [table.position for table in node.tables])
    locals_ = []
    environment = dict(planner.environment)
    for table in node.tables:
        columns = []
        for name, type_name in table.columns:
            columns.append(Column(name, resolve_type(type_name)))
        local = LocalGet(planner.local_id(table.name), Schema(tuple(columns)))
        locals_.append(local)
        outputs = tuple(Output(c.name, c.type, True) for c in columns)
        common = ast.CommonTable(
            table.name, (), ast.Query(table.query, (), (), None, None, 0, 0), table.position
        )
        environment[table.name] = CommonTableBinding(
            common, environment, parent, QueryPlan(local, 0, outputs)
        )
    planner.environment = environment
    bindings = []
    for table, local in zip(node.tables, locals_, strict=True):
        plan = planner.query(table.query, parent)
        bindings.append(Binding(local.id, _declared(planner, plan, local.schema, table)))
    return tuple(bindings)


def _declared(planner: Planner, plan: QueryPlan, schema: Schema, table: ast.RecursiveTable) -> Relation:
    """The plan's rows as the declared columns."""
    if len(plan.outputs) != len(schema):
        raise DatatypeMismatch(
            f'"{table.name}" is declared with {len(schema)} columns but its query has {len(plan.outputs)}',
            position=table.position,
        )
    for output, column in zip(plan.outputs, schema, strict=True):
        if not output.unknown and not can_cast(output.type, column.type, CastContext.ASSIGNMENT):
            raise DatatypeMismatch(
                f'column "{column.name}" of "{table.name}" is declared as {base_name(column.type)} '
                f"but its query yields {base_name(output.type)}",
                hint="You will need to rewrite or cast the expression.",
                position=table.position,
            )
    return planner.converted(plan, schema.types, schema.names, explicit=False)


def let_rec(node: ast.Recursion, bindings: tuple[Binding, ...], body: Relation) -> Relation:
    """The body over its bindings; alone if it reads none."""
    if free_locals(body).isdisjoint(binding.id for binding in bindings):
        return body
    return LetRec(bindings, body, node.limit, node.return_at_limit)


# --- WITH RECURSIVE ---


def bind_recursive(planner: Planner, tables: Sequence[ast.CommonTable], parent: Scope | None) -> None:
    """Makes all names known to all queries; one that refers to itself is planned by `plan_recursive`."""
    from .planner import CommonTableBinding

    _check_unique([table.name for table in tables], [table.position for table in tables])
    _check_acyclic(tables)
    environment = dict(planner.environment)
    for table in tables:
        binding = CommonTableBinding(table, environment, parent)
        if table.name in _references(table.query):
            _check_form(table)
            binding.recursive = True
        environment[table.name] = binding
    planner.environment = environment


def plan_recursive(planner: Planner, binding: CommonTableBinding) -> QueryPlan:
    """The plan of a table that refers to itself, in the environment of its definition."""
    from .planner import CommonTableBinding, Output, QueryPlan

    table = binding.table
    body = table.query.body
    assert isinstance(body, ast.SetBody)
    left = planner.query(body.left, binding.parent)
    if len(table.columns) > len(left.outputs):
        raise PtvcError(
            f'WITH query "{table.name}" has {len(left.outputs)} columns available '
            f"but {len(table.columns)} columns specified",
            sqlstate="42P10",
            position=table.position,
        )
    names = [*table.columns, *(output.name for output in left.outputs[len(table.columns) :])]
    types = [TEXT if output.unknown else output.type for output in left.outputs]
    local = LocalGet(
        planner.local_id(table.name),
        Schema(tuple(Column(name, type_) for name, type_ in zip(names, types, strict=True))),
    )
    outputs = tuple(Output(name, type_, True) for name, type_ in zip(names, types, strict=True))
    itself = CommonTableBinding(table, binding.environment, binding.parent, QueryPlan(local, 0, outputs))
    planner.environment = {**planner.environment, table.name: itself}
    right = planner.query(body.right, binding.parent)
    _check_types(table, types, right)
    arms = (planner.converted(left, types, names), planner.converted(right, types, names))
    value: Relation = Union(arms, local.schema)
    if not body.all:
        value = Distinct(value)
    return QueryPlan(LetRec((Binding(local.id, value),), local), 0, outputs)


def _check_types(table: ast.CommonTable, types: Sequence[ScalarType], right: QueryPlan) -> None:
    """The recursive term may not widen what the other one has."""
    if len(right.outputs) != len(types):
        raise SqlSyntaxError("each UNION query must have the same number of columns", position=table.position)
    for number, (type_, output) in enumerate(zip(types, right.outputs, strict=True), 1):
        with at(table.position):
            overall = common_type([type_, None if output.unknown else output.type], "UNION")
        if overall != type_:
            raise DatatypeMismatch(
                f'recursive query "{table.name}" column {number} has type {type_} in non-recursive term '
                f"but type {overall} overall",
                hint="Cast the output of the non-recursive term to the correct type.",
                position=table.position,
            )


def _check_unique(names: Sequence[str], positions: Sequence[int]) -> None:
    for number, name in enumerate(names):
        if name in names[:number]:
            raise PtvcError(
                f'WITH query name "{name}" specified more than once',
                sqlstate="42712",
                position=positions[number],
            )


def _check_acyclic(tables: Sequence[ast.CommonTable]) -> None:
    """Tables may refer to themselves and to each other, but not in a circle of two or more."""
    reads = {table.name: _references(table.query) for table in tables}
    for table in tables:
        reached: set[str] = set()
        open_ = [name for name in reads[table.name] if name in reads and name != table.name]
        while open_:
            name = open_.pop()
            if name == table.name:
                raise Unsupported(
                    "mutual recursion between WITH items is not implemented",
                    hint=_MUTUAL_HINT,
                    position=table.position,
                )
            if name not in reached:
                reached.add(name)
                open_ += [other for other in reads[name] if other in reads and other != name]


def _check_form(table: ast.CommonTable) -> None:
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
            hint=_MUTUAL_HINT,
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


def _references(node: Any) -> set[str]:
    """Unqualified table names that the tree refers to and does not define itself."""
    if isinstance(node, ast.TableRef):
        return {node.name[0]} if len(node.name) == 1 else set()
    if not isinstance(node, ast.Query):
        return {name for child in _children(node) for name in _references(child)}
    tables = _tables(node)
    every = {table.name for table in tables}
    found: set[str] = set()
    known = every if node.recursive or node.recursion else set[str]()
    for table in tables:
        found |= _references(table.query) - known
        known = known | {table.name}
    rest = (node.body, node.order_by, node.limit, node.offset)
    return found | (_references(rest) - every)
