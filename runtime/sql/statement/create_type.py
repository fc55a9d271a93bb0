"""CREATE TYPE: a name for a list or a map."""

from __future__ import annotations

from ...errors import Unsupported
from ..catalog.catalog_view import PlanContext
from ..catalog.named_types import check_type_name, types_in
from ..catalog.names import new_name
from ..plans.definition_plans import CreateType
from ..syntax.definition_statements import CreateTypeStatement
from ..syntax.types import resolve_type


def create_type(node: CreateTypeStatement, context: PlanContext) -> CreateType:
    name = new_name(node.name, context)
    if name.schema == context.temp_schema:
        raise Unsupported("temporary types are not supported", position=node.name.position)
    check_type_name(name.name)
    return CreateType(name, resolve_type(node.type, types_in(context)))
