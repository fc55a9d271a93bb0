"""Functions: CREATE OR REPLACE, RENAME and SET SCHEMA as catalog changes.

What calls a function has its body in it, so a function that is called by views and indexes keeps what it means.  One that is
created again as it was is left alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import DependentObjectsExist, DuplicateObject
from ...expr.python.source import check_packages, check_source, check_version
from ...repr.types import ScalarType
from ...sql.syntax.function_definition import FunctionDefinition
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, renamed
from ..catalog.items import Function
from .dependents import depends


def check_python(name: str, definition: FunctionDefinition) -> None:
    """Raises where the source of a function in Python is none, or what it needs is not there."""
    options = definition.python
    if options is None:
        return
    if options.runtime_version is not None:
        check_version(options.runtime_version)
    check_packages(options.packages)
    check_source(name, definition.body, name if options.handler is None else options.handler)


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
