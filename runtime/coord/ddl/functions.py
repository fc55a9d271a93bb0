"""Functions: CREATE OR REPLACE, RENAME and SET SCHEMA as catalog changes.

What calls a function has its body in it, so a function that is called by views and indexes keeps what it means.  One that is
created again as it was is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import DependentObjectsExist, DuplicateObject
from ...expr.external import javascript_code, python_source
from ...repr.types import ScalarType
from ...sql.syntax.function_definition import FunctionDefinition, FunctionKind
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, renamed
from ..catalog.items import Function
from .dependents import depends


def check_external(name: str, definition: FunctionDefinition) -> None:
    """Raises where the source of a function in Python or JavaScript is none, or what it needs is not there."""
    options = definition.external
    if options is None:
        return
    if options.language == "javascript":
        javascript_code.check_engine()
        aggregate = definition.kind is FunctionKind.AGGREGATE
        javascript_code.check_source(name, definition.body, definition.parameters, aggregate=aggregate)
        return
    if options.runtime_version is not None:
        python_source.check_version(options.runtime_version)
    python_source.check_packages(options.packages)
    python_source.check_source(name, definition.body, options.handler or name)


def replaced_function(catalog: Catalog, old: Function, definition: FunctionDefinition) -> Change | None:
    """Owner, privileges and comment stay.  None: it is what it was."""
    before = old.definition
    dependents = catalog.dependents(old.id)
    if dependents and not definition.means_the_same(before):
        raise DependentObjectsExist(
            f"cannot replace function {before.signature(old.name)} because other objects depend on it",
            detail=depends(dependents, old),
            hint="What is over a function has its body in it. Drop them first, or DROP ... CASCADE and create them anew.",
        )
    return None if definition == before else renamed(old, definition=definition)


def renamed_function(catalog: Catalog, item: Function, name: str) -> Change:
    refuse_taken(catalog, item.schema_name, name, item.definition.types)
    return renamed(item, name=name)


def moved_function(catalog: Catalog, item: Function, schema: str) -> Change:
    refuse_taken(catalog, schema, item.name, item.definition.types)
    return renamed(item, schema_name=schema)


def refuse_taken(catalog: Catalog, schema: str, name: str, types: Sequence[ScalarType]) -> None:
    """42723 where there is such a function."""
    found = catalog.find_function(schema, name, types)
    if found is not None:
        raise DuplicateObject(
            f'function {found.definition.signature(name, ", ")} already exists in schema "{schema}"',
            sqlstate="42723",
        )
