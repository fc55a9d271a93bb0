"""CREATE, DROP, ALTER and COMMENT ON FUNCTION.

A body is planned when its function is created, over one row of arguments, so that its errors are raised then.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import (
    DuplicateObject,
    PtvcError,
    UndefinedObject,
    UndefinedSchema,
    Unsupported,
    WrongObjectType,
)
from ...expr.external.kernel import check_type
from ...expr.tree.external_function import NAMES
from ...expr.tree.relation import Constant
from ...repr.schema import Column, Schema
from ...repr.types import ScalarType
from ..calls.builtin_names import is_builtin
from ..calls.function_body import body_query
from ..calls.function_names import described, missing, referred, word_of
from ..calls.user_aggregates import check_aggregate
from ..catalog.catalog_view import CatalogItem, ItemKind, PlanContext, QualifiedName
from ..catalog.names import SYSTEM_SCHEMAS, new_name
from ..plans import definition_plans, session_plans
from ..query.planner import Planner
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.scope import Scope
from ..syntax import ast
from ..syntax.function_definition import FunctionArgument, FunctionDefinition, FunctionKind
from ..syntax.function_statements import (
    AlterFunctionStatement,
    ArgumentDefinition,
    CommentFunctionStatement,
    CreateFunctionStatement,
    DropFunctionStatement,
    FunctionReference,
)
from ..syntax.role_statements import AlterOwner
from ..syntax.vocabulary import ObjectKind
from .skipping import missing_schema, skipping

MAX_ARGUMENTS = 100
"""PostgreSQL's."""


def create_function(planner: Planner, node: CreateFunctionStatement) -> definition_plans.CreateFunction:
    if node.kind is FunctionKind.AGGREGATE and node.external is None and (node.returned or node.strict):
        raise Unsupported(
            "RETURN and STRICT of aggregates are not supported",
            hint="Write AS $$ expression over aggregates $$.",
            position=node.name.position,
        )
    with _nowhere():
        name = new_name(node.name, planner.context)
    if name.schema == planner.context.temp_schema:
        raise Unsupported("temporary functions are not supported", position=node.name.position)
    if is_builtin(name.name):
        raise Unsupported(
            f"function {name.name} is one of the system's, beside which others of the name are not supported",
            hint="Give it another name.",
            position=node.name.position,
        )
    if len(node.arguments) > MAX_ARGUMENTS:
        raise PtvcError(
            f"functions cannot have more than {MAX_ARGUMENTS} arguments",
            sqlstate="54023",
            position=node.name.position,
        )
    definition = FunctionDefinition(
        _arguments(planner, node.arguments),
        _type(planner, node.returns),
        node.body,
        node.kind,
        node.returned,
        node.strict,
        node.volatility,
        node.parallel,
        node.external,
    )
    old = _namesake(planner, name, definition)
    if old is not None:
        if not node.or_replace:
            raise DuplicateObject(
                f'function "{name.name}" already exists with same argument types', sqlstate="42723"
            )
        assert old.function is not None
        _check_replaceable(name.name, old.function, definition)
    item = CatalogItem(
        "" if old is None else old.id, name, ItemKind.FUNCTION, Schema(()), function=definition
    )
    with _positions(node.offset):
        if node.external is not None:
            _check_types(definition)
        elif node.kind is FunctionKind.AGGREGATE:
            check_aggregate(planner, name.name, definition)
        else:
            _check_body(planner, item, definition)
    return definition_plans.CreateFunction(name, definition, node.or_replace)


def _check_types(definition: FunctionDefinition) -> None:
    """The source is looked at when the function is made, by who may make it: see coord/ddl/functions.py."""
    if definition.kind is FunctionKind.AGGREGATE and not definition.arguments:
        raise PtvcError(f"an aggregate in {NAMES[definition.language]} needs an argument", sqlstate="42P13")
    for type_ in definition.types:
        check_type(type_, "arguments", definition.language)
    check_type(definition.returns, "results", definition.language)


def _arguments(planner: Planner, nodes: tuple[ArgumentDefinition, ...]) -> tuple[FunctionArgument, ...]:
    found: list[FunctionArgument] = []
    for node in nodes:
        type_ = _argument_type(planner, node.type)
        if node.name is not None and any(argument.name == node.name for argument in found):
            raise PtvcError(
                f'parameter name "{node.name}" used more than once', sqlstate="42P13", position=node.position
            )
        if node.default is not None:
            with _positions(node.start):
                planner.functions.default(node.default, type_)
        elif found and found[-1].default is not None:
            raise PtvcError(
                "input parameters after one with a default value must also have defaults",
                sqlstate="42P13",
                position=node.position,
            )
        found.append(FunctionArgument(node.name, type_, node.default))
    return tuple(found)


def _argument_type(planner: Planner, name: ast.TypeName) -> ScalarType:
    try:
        return _type(planner, name)
    except UndefinedObject as error:  # in PostgreSQL's words
        shown = ".".join((*name.schema, name.name))
        raise UndefinedObject(f"type {shown} does not exist", position=error.position) from None


def _type(planner: Planner, name: ast.TypeName) -> ScalarType:
    """Without length and precision, which are forgotten as in PostgreSQL."""
    return planner.type(name).unrestricted


def _namesake(planner: Planner, name: QualifiedName, definition: FunctionDefinition) -> CatalogItem | None:
    """The function that the statement would replace."""
    for item in planner.context.catalog.functions(name.name):
        if (
            item.name.schema == name.schema
            and item.function is not None
            and item.function.types == definition.types
        ):
            return item
    return None


def _check_replaceable(name: str, before: FunctionDefinition, after: FunctionDefinition) -> None:
    """42P13 for what a replacement may not change."""
    hint = f"Use DROP {_word(before).upper()} {before.signature(name)} first."
    if before.kind is not after.kind:
        raise WrongObjectType(
            "cannot change routine kind",
            detail=f'"{name}" is {"an aggregate function" if _word(before) == "aggregate" else "a function"}.',
        )
    if before.language != after.language:
        raise PtvcError("cannot change language of existing function", sqlstate="42P13", hint=hint)
    if before.returns != after.returns:
        raise PtvcError("cannot change return type of existing function", sqlstate="42P13", hint=hint)
    for old, new in zip(before.arguments, after.arguments, strict=True):
        if old.name is not None and old.name != new.name:
            raise PtvcError(
                f'cannot change name of input parameter "{old.name}"', sqlstate="42P13", hint=hint
            )
    if any(_loses(old, new) for old, new in zip(before.arguments, after.arguments, strict=True)):
        raise PtvcError(
            "cannot remove parameter defaults from existing function", sqlstate="42P13", hint=hint
        )


def _loses(old: FunctionArgument, new: FunctionArgument) -> bool:
    return old.default is not None and new.default is None


def _word(definition: FunctionDefinition) -> str:
    return "aggregate" if definition.kind is FunctionKind.AGGREGATE else "function"


def _check_body(planner: Planner, item: CatalogItem, definition: FunctionDefinition) -> None:
    """Plans it over a row of arguments of which nothing is known; positions of errors count in the body."""
    columns = tuple(
        Column(argument.name or f"${number}", argument.type, True)
        for number, argument in enumerate(definition.arguments, 1)
    )
    row = Constant(((None,) * len(columns),), Schema(columns)) if columns else build.UNIT
    expressions = Expressions(planner, Scope(None), row)
    if not definition.returned:
        body_query(definition)  # here its errors say where
    node = ast.Function((item.name.name,), (), 0)
    uses = set(planner.uses)
    planner.functions.created = item
    planner.functions.value(expressions, node, item, build.refs(row, range(len(columns))))
    if item.id and item.id in planner.uses - uses:
        raise Unsupported(
            f"function {item.name.name} calls itself, which is not supported",
            hint="WITH RECURSIVE and WITH MUTUALLY RECURSIVE are.",
        )


@contextmanager
def _nowhere() -> Iterator[None]:
    """Errors point at nothing, as PostgreSQL's."""
    try:
        yield
    except PtvcError as error:
        error.position = None
        raise


@contextmanager
def _positions(offset: int | None) -> Iterator[None]:
    """Errors that point into the body point into the statement's text; nowhere, if that is written otherwise."""
    try:
        yield
    except PtvcError as error:
        if error.position is not None:
            error.position = None if offset is None else error.position + offset
        raise


# --- the others ------------------------------------------------------------------------------------------------------


def drop_function(planner: Planner, node: DropFunctionStatement) -> definition_plans.Drop:
    ids: list[str] = []
    notices: list[str] = []
    for reference in node.functions:
        if node.if_exists and (notice := _skipped(reference, planner.context)) is not None:
            notices.append(notice)
            continue
        item = referred(reference, planner.context)
        if item is None:
            missing(reference, planner.context)
        if item.id not in ids:
            ids.append(item.id)
    return definition_plans.Drop(ObjectKind.FUNCTION, tuple(ids), (), tuple(notices), node.cascade)


def _skipped(reference: FunctionReference, context: PlanContext) -> str | None:
    """What DROP ... IF EXISTS says of a function that is not there; None of one that is."""
    if (schema := missing_schema(reference.name, context)) is not None:
        return schema
    try:
        if referred(reference, context) is not None:
            return None
    except UndefinedObject as error:  # a type
        return f"{error.message}, skipping"
    return skipping(f"{word_of(reference.kind)} {described(reference, context)}")


def alter_function(
    planner: Planner, node: AlterFunctionStatement
) -> definition_plans.Rename | definition_plans.SetSchema | AlterOwner | session_plans.NoOp:
    item = existing(planner, node.function)
    if node.new_name is not None:
        if is_builtin(node.new_name):
            raise Unsupported(
                f"function {node.new_name} is one of the system's", hint="Give it another name."
            )
        return definition_plans.Rename(ObjectKind.FUNCTION, item.id, node.new_name)
    if node.owner is not None:
        return AlterOwner(ObjectKind.FUNCTION.value, item.id, node.owner)
    assert node.schema is not None
    if node.schema in SYSTEM_SCHEMAS or node.schema.startswith("pg_temp"):
        raise PtvcError("cannot move objects into or out of system schemas", sqlstate="0A000")
    if not planner.context.catalog.schema_exists(node.schema):
        raise UndefinedSchema(f'schema "{node.schema}" does not exist')
    return definition_plans.SetSchema(ObjectKind.FUNCTION, item.id, node.schema)


def comment_function(planner: Planner, node: CommentFunctionStatement) -> definition_plans.Comment:
    return definition_plans.Comment(ObjectKind.FUNCTION, existing(planner, node.function).id, None, node.text)


def existing(planner: Planner, reference: FunctionReference) -> CatalogItem:
    """The function that a statement refers to; 42883 if there is none."""
    item = referred(reference, planner.context)
    if item is None:
        missing(reference, planner.context)
    return item
