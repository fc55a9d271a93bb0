"""Constraints of a table, resolved: names given, columns found, checks typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...errors import DuplicateObject, PtvcError, UndefinedColumn, UndefinedObject, Unsupported
from ...expr.tree.relation import Get
from ...expr.tree.scalar import MzNow, NowCompare, Scalar, columns_of, walk
from ...repr.schema import Schema
from ...repr.types import Kind
from ..catalog.catalog_view import ItemKind, QualifiedName
from ..query.planner import Planner
from ..scalars.expressions import Expressions
from ..scalars.scope import Scope, ScopeColumn
from ..syntax import ast
from ..syntax.constraints import Constraint, ConstraintKind, generated_name
from ..syntax.definition_statements import ConstraintDefinition

_KEY_WORDS = {ConstraintKind.PRIMARY_KEY: "primary key", ConstraintKind.UNIQUE: "unique"}


def plan_constraints(
    planner: Planner,
    table: QualifiedName,
    schema: Schema,
    definitions: Sequence[ConstraintDefinition],
    existing: Sequence[Constraint] = (),
) -> tuple[Schema, tuple[Constraint, ...]]:
    """The new constraints, and the schema with a primary key's columns NOT NULL.

    Those with names come first, so that no generated name takes theirs.
    """
    seen = sum(constraint.kind is ConstraintKind.PRIMARY_KEY for constraint in existing)
    taken = {constraint.name for constraint in existing}
    found: dict[int, Constraint] = {}
    order = sorted(range(len(definitions)), key=lambda i: definitions[i].name is None)
    for index in order:
        definition = definitions[index]
        if definition.kind is ConstraintKind.PRIMARY_KEY:
            seen += 1
            if seen > 1:
                raise PtvcError(
                    f'multiple primary keys for table "{table.name}" are not allowed',
                    sqlstate="42P16",
                    position=definition.position,
                )
        constraint = _planned(planner, table, schema, definition)
        found[index] = replace(constraint, name=_name(planner, table, schema, definition, constraint, taken))
        taken.add(found[index].name)
    constraints = tuple(found[index] for index in range(len(definitions)))
    present = {i for c in constraints if c.kind is ConstraintKind.PRIMARY_KEY for i in c.columns}
    columns = tuple(replace(c, nullable=c.nullable and i not in present) for i, c in enumerate(schema))
    return Schema(columns), constraints


def _planned(
    planner: Planner, table: QualifiedName, schema: Schema, definition: ConstraintDefinition
) -> Constraint:
    if definition.check is not None:
        check = _check(planner, table, schema, definition.check)
        return Constraint(
            "", definition.kind, tuple(sorted(columns_of(check))), check=check, text=definition.text
        )
    columns: list[int] = []
    for name in definition.columns:
        if name.parts[-1] not in schema.names:
            raise UndefinedColumn(
                f'column "{name.parts[-1]}" named in key does not exist', position=name.position
            )
        index = schema.names.index(name.parts[-1])
        if index in columns:
            raise PtvcError(
                f'column "{name.parts[-1]}" appears twice in {_KEY_WORDS[definition.kind]} constraint',
                sqlstate="42701",
                position=name.position,
            )
        if schema[index].type.leaf.kind is Kind.JSON:
            raise UndefinedObject(
                f'data type {schema[index].type} has no default operator class for access method "btree"',
                hint="Use jsonb.",
                position=name.position,
            )
        columns.append(index)
    return Constraint("", definition.kind, tuple(columns), definition.nulls_distinct)


def _check(planner: Planner, table: QualifiedName, schema: Schema, node: ast.Expression) -> Scalar:
    scope = Scope(None, tables={table.name: 1})
    for index, column in enumerate(schema):
        scope.columns.append(ScopeColumn(table.name, column.name, column.type, True, index))
    expressions = Expressions(planner, scope, Get("", schema), "check constraints")
    expressions.allow_subqueries = False
    planner.maintained, planner.open, planner.defining = True, False, "a check constraint"
    known, planner.uses = planner.uses, set()
    check = expressions.predicate(node, "CHECK")
    if any(planner.context.catalog.item_by_id(id_).kind is ItemKind.TYPE for id_ in planner.uses):
        raise Unsupported(
            "types that were created are not supported in check constraints",
            hint="Write the list or the map that the name stands for.",
            position=node.position,
        )
    planner.uses |= known
    if planner.parameter_count:
        raise PtvcError("there is no parameter $1", sqlstate="42P02", position=node.position)
    if any(isinstance(part, MzNow | NowCompare) for part in walk(check)):
        raise Unsupported("mz_now() cannot be used in a check constraint", position=node.position)
    return check


def _name(
    planner: Planner,
    table: QualifiedName,
    schema: Schema,
    definition: ConstraintDefinition,
    constraint: Constraint,
    taken: set[str],
) -> str:
    if definition.name is not None:
        if definition.name in taken and definition.kind is not ConstraintKind.CHECK:
            raise DuplicateObject(
                f'relation "{definition.name}" already exists', position=definition.position
            )
        if definition.name in taken:
            raise DuplicateObject(
                f'constraint "{definition.name}" for relation "{table.name}" already exists',
                sqlstate="42710",
                position=definition.position,
            )
        return definition.name
    names = tuple(schema[index].name for index in constraint.columns)
    parts: tuple[str, ...]
    match constraint.kind:
        case ConstraintKind.PRIMARY_KEY:
            parts, suffix = (table.name,), "pkey"
        case ConstraintKind.UNIQUE:
            parts, suffix = (table.name, *names), "key"
        case ConstraintKind.CHECK:
            parts, suffix = (table.name, *(names if len(names) == 1 else ())), "check"
    name = generated_name(parts, suffix, taken)
    catalog = planner.context.catalog
    while constraint.is_key and catalog.item(table.schema, name) is not None:
        taken = taken | {name}  # keys share the relations' name space
        name = generated_name(parts, suffix, taken)
    return name
