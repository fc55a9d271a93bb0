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

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...errors import DatatypeMismatch, PtvcError, SqlSyntaxError, Unsupported
from ...expr.coercion.type_rules import CastContext, base_name, can_cast, common_type
from ...expr.tree.relation import Binding, Distinct, LetRec, LocalGet, Relation, Union
from ...expr.tree.relation_tree import free_locals
from ...repr.schema import Column, Schema
from ...repr.types import TEXT, ScalarType
from ..scalars.scope import Scope
from ..scalars.typed import at
from ..syntax import ast
from .recursive_form import MUTUAL_HINT, check_form, references

if TYPE_CHECKING:
    from .planner import CommonTableBinding, Planner, Prefix, QueryPlan

# --- WITH MUTUALLY RECURSIVE ---


def bind_mutual(planner: Planner, node: ast.Recursion, parent: Scope | None) -> tuple[Binding, ...]:
    """Makes the names of `node` known to `planner` and plans what they stand for."""
    from .planner import CommonTableBinding, Output, QueryPlan

    _check_names([table.name for table in node.tables], [table.position for table in node.tables])
    locals_ = []
    environment = dict(planner.environment)
    for table in node.tables:
        columns = []
        for name, type_name in table.columns:
            columns.append(Column(name, planner.type(type_name)))
        local = LocalGet(planner.local_id(table.name), Schema(tuple(columns)))
        locals_.append(local)
        outputs = tuple(Output(c.name, c.type, True) for c in columns)
        common = ast.CommonTable(table.name, (), table.query, table.position)
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

    check_unique(tables)
    _check_acyclic(tables)
    environment = dict(planner.environment)
    for table in tables:
        binding = CommonTableBinding(table, environment, parent)
        if table.name in references(table.query):
            check_form(table)
            binding.recursive = True
        environment[table.name] = binding
    planner.environment = environment


def plan_recursive(
    planner: Planner,
    binding: CommonTableBinding,
    prefix: Prefix | None = None,
    domain: Relation | None = None,
) -> QueryPlan:
    """The plan of a table that refers to itself, in the environment of its definition.

    Where it looks at columns of queries around it, it is one recursion for all rows of `domain`: the first columns of its
    rows, those of `prefix`, say for which, and the term joins by them.
    """
    from .planner import CommonTableBinding, Output, QueryPlan

    table = binding.table
    body = table.query.body
    assert isinstance(body, ast.SetBody)
    planner.environment = binding.environment
    left = planner.query(body.left, binding.parent, prefix, domain)
    if len(table.columns) > len(left.outputs):
        raise PtvcError(
            f'WITH query "{table.name}" has {len(left.outputs)} columns available '
            f"but {len(table.columns)} columns specified",
            sqlstate="42P10",
            position=table.position,
        )
    names = [*table.columns, *(output.name for output in left.outputs[len(table.columns) :])]
    types = [TEXT if output.unknown else output.type for output in left.outputs]
    own = tuple(Column(name, type_) for name, type_ in zip(names, types, strict=True))
    around = () if domain is None else tuple(column.or_null() for column in domain.schema)
    local = LocalGet(planner.local_id(table.name), Schema(around + own))
    outputs = tuple(Output(name, type_, True) for name, type_ in zip(names, types, strict=True))
    plan, needed = QueryPlan(local, len(around), outputs), tuple(prefix or ())
    itself = CommonTableBinding(table, binding.environment, binding.parent, plan, needed=needed)
    planner.environment = {**binding.environment, table.name: itself}
    right = planner.query(body.right, binding.parent, prefix, domain)
    _check_types(table, types, right)
    arms = (planner.converted(left, types, names), planner.converted(right, types, names))
    value: Relation = Union(arms, local.schema)
    if not body.all:
        value = Distinct(value)
    return QueryPlan(LetRec((Binding(local.id, value),), local), len(around), outputs)


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


def check_unique(tables: Sequence[ast.CommonTable]) -> None:
    """42712 where two items of one WITH have one name."""
    _check_names([table.name for table in tables], [table.position for table in tables])


def _check_names(names: Sequence[str], positions: Sequence[int]) -> None:
    for number, name in enumerate(names):
        if name in names[:number]:
            raise PtvcError(
                f'WITH query name "{name}" specified more than once',
                sqlstate="42712",
                position=positions[number],
            )


def _check_acyclic(tables: Sequence[ast.CommonTable]) -> None:
    """Tables may refer to themselves and to each other, but not in a circle of two or more."""
    reads = {table.name: references(table.query) for table in tables}
    for table in tables:
        reached: set[str] = set()
        open_ = [name for name in reads[table.name] if name in reads and name != table.name]
        while open_:
            name = open_.pop()
            if name == table.name:
                raise Unsupported(
                    "mutual recursion between WITH items is not implemented",
                    hint=MUTUAL_HINT,
                    position=table.position,
                )
            if name not in reached:
                reached.add(name)
                open_ += [other for other in reads[name] if other in reads and other != name]
