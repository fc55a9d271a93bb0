"""ALTER TABLE, resolved: the actions, one after the other, to the definition that results."""

from __future__ import annotations

from dataclasses import replace

from ...errors import PtvcError, UndefinedObject, Unsupported
from ...expr.cost import check_cheap
from ...expr.evaluate import evaluate
from ...expr.text.text_format import to_text
from ...expr.tree.scalar import remap
from ...repr.schema import Column, Schema
from ..catalog.catalog_view import CatalogItem, ItemKind
from ..catalog.named_types import find_altered
from ..catalog.names import find_object
from ..plans import definition_plans, session_plans
from ..query.planner import Planner
from ..scalars.assignments import column_index
from ..scalars.per_execution import bound, draws
from ..syntax import ast
from ..syntax.constraints import Constraint, ConstraintKind
from ..syntax.definition_statements import (
    AddColumn,
    AddConstraint,
    AlterTableStatement,
    DropColumn,
    DropConstraint,
    RenameColumn,
    RenameConstraint,
    SetDefault,
    SetNotNull,
    TableAction,
)
from .definitions import column_default
from .rename_in_text import renamed_in_text
from .skipping import absent, skipping
from .table_constraints import plan_constraints


def alter_table(
    planner: Planner, node: AlterTableStatement
) -> definition_plans.AlterTable | session_plans.NoOp:
    columns_only = all(isinstance(action, RenameColumn) for action in node.actions)
    item = (find_altered if columns_only else find_object)(node.kind, node.name, planner.context)
    if item is None:
        return absent(node.kind, node.name, node.if_exists, planner.context)
    if item.source is not None or item.kind is ItemKind.SOURCE:
        what = (
            f'source "{item.name.name}"' if item.source is None else f'table "{item.name.name}" of a source'
        )
        raise PtvcError(
            f"cannot alter columns or constraints of {what}",
            sqlstate="42809",
            hint="It has the columns that its source offers.",
            position=node.name.position,
        )
    defaults = item.defaults or (None,) * len(item.schema)
    plan = definition_plans.AlterTable(item.id, node.kind, item, item.schema, defaults, item.constraints)
    drops = [isinstance(action, DropColumn) for action in node.actions]
    if any(drops) and not all(drops):
        raise Unsupported(
            "DROP COLUMN and other actions in one statement are not supported",
            hint="Write a statement of its own.",
            position=node.name.position,
        )
    for action in node.actions:
        plan = _act(planner, plan, action)
    if plan.missing and (plan.present or any(c not in item.constraints for c in plan.constraints)):
        raise Unsupported(
            "ADD COLUMN and a new constraint in one statement are not supported",
            hint="Add the column, then the constraint.",
            position=node.name.position,
        )
    return plan


def _act(
    planner: Planner, plan: definition_plans.AlterTable, action: TableAction
) -> definition_plans.AlterTable:
    now = replace(plan.before, schema=plan.schema, defaults=plan.defaults, constraints=plan.constraints)
    match action:
        case AddConstraint(constraint=definition):
            schema, added = plan_constraints(planner, now.name, plan.schema, (definition,), plan.constraints)
            present = _newly(plan.schema, schema)
            return replace(
                plan,
                schema=schema,
                constraints=plan.constraints + added,
                present=plan.present + present,
            )
        case AddColumn():
            return _add_column(planner, plan, now, action)
        case DropColumn():
            return _drop_column(plan, now, action)
        case DropConstraint(name=name, if_exists=if_exists):
            if if_exists and name.parts[-1] not in (c.name for c in plan.constraints):
                notice = skipping(f'constraint "{name.parts[-1]}" of relation "{now.name.name}"')
                return replace(plan, notices=(*plan.notices, notice))
            dropped = _constraint(now, name)
            return replace(plan, constraints=tuple(c for c in plan.constraints if c is not dropped))
        case RenameConstraint(name=name, new_name=new_name):
            found = _constraint(now, name)
            _check_free(now, new_name, name.position)
            constraints = tuple(replace(c, name=new_name) if c is found else c for c in plan.constraints)
            return replace(plan, constraints=constraints)
        case RenameColumn():
            return _rename_column(plan, now, action)
        case SetNotNull(column=column, not_null=not_null):
            return _set_not_null(plan, now, column_index(now, column), not_null, column)
        case SetDefault(column=column, default=node):
            index = column_index(now, column)
            default = column_default(planner, node, column.position, plan.schema[index])
            return replace(
                plan, defaults=tuple(default if i == index else d for i, d in enumerate(plan.defaults))
            )


def _add_column(
    planner: Planner, plan: definition_plans.AlterTable, now: CatalogItem, action: AddColumn
) -> definition_plans.AlterTable:
    """Rows that are there have the column's DEFAULT, which is kept with the column rather than in each of them."""
    definition = action.column
    if definition.name in plan.schema.names:
        if action.if_not_exists:
            notice = f'column "{definition.name}" of relation "{now.name.name}" already exists, skipping'
            return replace(plan, notices=(*plan.notices, notice))
        raise PtvcError(
            f'column "{definition.name}" of relation "{now.name.name}" already exists',
            sqlstate="42701",
            position=definition.position,
        )
    if action.constraints:
        raise Unsupported(
            "ADD COLUMN with a constraint other than NOT NULL is not supported",
            hint="Add the column, then the constraint.",
            position=action.constraints[0].position,
        )
    column = Column(definition.name, planner.type(definition.type), not definition.not_null)
    default = column_default(planner, definition.default, definition.position, column)
    missing = None
    if default is not None:
        if draws(default):
            raise Unsupported(
                "ADD COLUMN with a DEFAULT that draws a value for each row is not supported",
                hint="Add the column, UPDATE the table, then ALTER COLUMN ... SET DEFAULT.",
                position=definition.position,
            )
        value = bound(planner, default, None)
        check_cheap(value, "the DEFAULT of a column that is added")
        result = evaluate(value, (), 1)
        if result.errors is not None and len(result.errors.indices):
            raise PtvcError(result.errors.messages[0].as_py(), sqlstate=result.errors.sqlstates[0].as_py())
        missing = to_text(result.values, column.type)[0].as_py()
    index = len(plan.schema)
    return replace(
        plan,
        schema=Schema((*plan.schema.columns, column)),
        defaults=(*plan.defaults, default),
        missing=(*plan.missing, missing),
        empty=index if definition.not_null and missing is None else plan.empty,
    )


def _drop_column(
    plan: definition_plans.AlterTable, now: CatalogItem, action: DropColumn
) -> definition_plans.AlterTable:
    """The column goes from the definition, with the constraints that name it; rows stay as they are stored."""
    name = action.name.parts[-1]
    if action.if_exists and name not in plan.schema.names:
        notice = skipping(f'column "{name}" of relation "{now.name.name}"')
        return replace(plan, notices=(*plan.notices, notice))
    gone = column_index(now, action.name)
    if len(plan.schema) == 1:
        raise Unsupported("the last column of a table cannot be dropped", position=action.name.position)

    def moved(index: int) -> int:
        return index - (index > gone)

    constraints = tuple(
        replace(
            constraint,
            columns=tuple(moved(index) for index in constraint.columns),
            check=None if constraint.check is None else remap(constraint.check, moved),
        )
        for constraint in plan.constraints
        if gone not in constraint.columns
    )
    left = [index for index in range(len(plan.before.schema)) if index not in plan.dropped]
    return replace(
        plan,
        schema=Schema(tuple(column for index, column in enumerate(plan.schema) if index != gone)),
        defaults=tuple(default for index, default in enumerate(plan.defaults) if index != gone),
        constraints=constraints,
        dropped=(*plan.dropped, left[gone]),
        cascade=plan.cascade or action.cascade,
    )


def _newly(before: Schema, after: Schema) -> tuple[int, ...]:
    """Columns that have become NOT NULL."""
    pairs = enumerate(zip(before, after, strict=True))
    return tuple(i for i, (old, new) in pairs if old.nullable and not new.nullable)


def _rename_column(
    plan: definition_plans.AlterTable, now: CatalogItem, action: RenameColumn
) -> definition_plans.AlterTable:
    index = column_index(now, action.name)
    old, new = plan.schema.names[index], action.new_name
    if new in plan.schema.names:
        raise PtvcError(
            f'column "{new}" of relation "{now.name.name}" already exists',
            sqlstate="42701",
            position=action.name.position,
        )
    columns = tuple(replace(c, name=new) if i == index else c for i, c in enumerate(plan.schema))
    constraints = tuple(
        replace(c, text=renamed_in_text(c.text, old, new)) if c.check is not None else c
        for c in plan.constraints
    )
    return replace(plan, schema=Schema(columns), constraints=constraints)


def _set_not_null(
    plan: definition_plans.AlterTable, now: CatalogItem, index: int, not_null: bool, column: ast.Name
) -> definition_plans.AlterTable:
    if plan.schema[index].nullable is not not_null:
        return plan
    if not not_null and any(
        c.kind is ConstraintKind.PRIMARY_KEY and index in c.columns for c in plan.constraints
    ):
        raise PtvcError(
            f'column "{plan.schema[index].name}" is in a primary key',
            sqlstate="42P16",
            position=column.position,
        )
    columns = tuple(replace(c, nullable=not not_null) if i == index else c for i, c in enumerate(plan.schema))
    if not_null:
        return replace(plan, schema=Schema(columns), present=(*plan.present, index))
    return replace(plan, schema=Schema(columns), nullable=(*plan.nullable, index))


def _constraint(item: CatalogItem, name: ast.Name) -> Constraint:
    for constraint in item.constraints:
        if constraint.name == name.parts[-1]:
            return constraint
    raise UndefinedObject(
        f'constraint "{name.parts[-1]}" of relation "{item.name.name}" does not exist', position=name.position
    )


def _check_free(item: CatalogItem, name: str, position: int) -> None:
    if any(constraint.name == name for constraint in item.constraints):
        raise PtvcError(
            f'constraint "{name}" for relation "{item.name.name}" already exists',
            sqlstate="42710",
            position=position,
        )
