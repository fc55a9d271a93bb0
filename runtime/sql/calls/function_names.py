"""Functions that are defined in SQL, by name: what a call means of all that the search path shows, and what DROP, ALTER,
COMMENT and GRANT refer to.

As in PostgreSQL those of one name and the same arguments hide each other along the path; of the others the one is chosen
whose arguments need the fewest casts, as for functions of the system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from ...errors import PermissionDenied, SqlSyntaxError, UndefinedFunction, UndefinedSchema, WrongObjectType
from ...expr.coercion.type_rules import base_name
from ...expr.registry import best_signature, no_such_function
from ...repr.types import ScalarType
from ..catalog.catalog_view import CatalogItem, PlanContext
from ..catalog.named_types import types_in
from ..catalog.names import SYSTEM_SCHEMAS, effective_path, schema_of
from ..scalars.typed import at
from ..syntax import ast
from ..syntax.function_definition import FunctionDefinition, FunctionKind
from ..syntax.function_statements import FunctionReference
from ..syntax.types import resolve_type

NO_DEFAULT = -1
"""The place of an argument that a call leaves to its default."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """`places` says for every argument of the function which one of the call it is, or NO_DEFAULT."""

    item: CatalogItem
    definition: FunctionDefinition
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    chosen: Chosen
    rank: int

    @property
    def missing(self) -> int:
        return self.chosen.places.count(NO_DEFAULT)

    def taken(self, count: int) -> tuple[ScalarType, ...]:
        """The types that the call's arguments take."""
        types = self.chosen.definition.types
        by_place = {place: types[number] for number, place in enumerate(self.chosen.places)}
        return tuple(by_place[place] for place in range(count))


def visible(parts: tuple[str, ...], context: PlanContext, position: int) -> list[tuple[int, CatalogItem]]:
    """The functions of that name, each with the rank of its schema in the search path; none are those of the system."""
    items = context.catalog.functions(parts[-1])
    if len(parts) == 1:
        if not items:
            return []
        ranks = {schema: rank for rank, schema in enumerate(effective_path(context))}
        return [(ranks[item.name.schema], item) for item in items if item.name.schema in ranks]
    schema = schema_of(parts, context, position)
    if not context.catalog.schema_exists(schema):
        raise UndefinedSchema(f'schema "{schema}" does not exist', position=position)
    if schema in context.hidden:
        raise PermissionDenied(f"permission denied for schema {schema}", position=position)
    return [(0, item) for item in items if item.name.schema == schema]


def is_ours(parts: tuple[str, ...], context: PlanContext) -> bool:
    """Whether the name is in a schema that is no system's."""
    return len(parts) > 1 and parts[-2] not in SYSTEM_SCHEMAS


def choose(
    name: ast.Function,
    found: Sequence[tuple[int, CatalogItem]],
    types: Sequence[ScalarType | None],
    names: Sequence[str],
) -> Chosen:
    """The function that is called; 42883 if it is none, 42725 if it could be several.  `types` are those of the call's arguments
    (None: of a literal that has none), of which the last ones have `names`."""
    shown = ".".join(name.name)
    candidates = [
        candidate
        for rank, item in found
        if (candidate := _candidate(item, rank, len(types) - len(names), names)) is not None
        and _elements_fit(types, candidate.taken(len(types)))
    ]
    candidates = _nearest(candidates, len(types))
    taken = [candidate.taken(len(types)) for candidate in candidates]
    with at(name.position), _named(shown, types, names):
        number = best_signature(shown, taken, types)
        if taken.count(taken[number]) > 1:
            raise no_such_function(shown, None, types, ambiguous=True)
    return candidates[number].chosen


@contextmanager
def _named(name: str, types: Sequence[ScalarType | None], names: Sequence[str]) -> Iterator[None]:
    """Errors that list the call's arguments say the names of those that have one."""
    try:
        yield
    except UndefinedFunction as error:
        if not names:
            raise
        shown = [base_name(type_) for type_ in types]
        for place, word in enumerate(names, len(types) - len(names)):
            shown[place] = f"{word} => {shown[place]}"
        what = "does not exist" if error.sqlstate == UndefinedFunction.sqlstate else "is not unique"
        raise UndefinedFunction(
            f"function {name}({', '.join(shown)}) {what}", sqlstate=error.sqlstate, hint=error.hint
        ) from None


def _candidate(item: CatalogItem, rank: int, positional: int, names: Sequence[str]) -> _Candidate | None:
    """How the function could be called with so many arguments and then those with `names`; None if it could not."""
    definition = item.function
    assert definition is not None
    if positional > len(definition.arguments):
        return None
    places = [*range(positional), *[NO_DEFAULT] * (len(definition.arguments) - positional)]
    known = {argument.name: number for number, argument in enumerate(definition.arguments)}
    for offset, name in enumerate(names):
        number = known.get(name)
        if number is None or places[number] != NO_DEFAULT:
            return None
        places[number] = positional + offset
    for place, argument in zip(places, definition.arguments, strict=True):
        if place == NO_DEFAULT and argument.default is None:
            return None
    return _Candidate(Chosen(item, definition, tuple(places)), rank)


def _elements_fit(given: Sequence[ScalarType | None], taken: Sequence[ScalarType]) -> bool:
    """Arrays are what they are: no element is cast."""
    return all(
        one is None or one.element is None or other.element is None or one.element.kind is other.element.kind
        for one, other in zip(given, taken, strict=True)
    )


def _nearest(candidates: Sequence[_Candidate], count: int) -> list[_Candidate]:
    """Without those that another one hides: in an earlier schema, or with fewer arguments left to their defaults."""
    best: dict[tuple[ScalarType, ...], list[_Candidate]] = {}
    for candidate in sorted(candidates, key=lambda c: (c.rank, c.missing)):
        same = best.setdefault(candidate.taken(count), [])
        if not same or (same[0].rank, same[0].missing) == (candidate.rank, candidate.missing):
            same.append(candidate)
    return [candidate for same in best.values() for candidate in same]


def argument_names(node: ast.Function) -> tuple[list[ast.Expression], list[str]]:
    """The values of the arguments, and the names of the last ones of them."""
    names: list[str] = []
    values: list[ast.Expression] = []
    for arg in node.args:
        if isinstance(arg, ast.NamedArgument):
            if arg.name in names:
                raise SqlSyntaxError(f'argument name "{arg.name}" used more than once', position=arg.position)
            names.append(arg.name)
            values.append(arg.value)
        elif names:
            raise SqlSyntaxError("positional argument cannot follow named argument", position=arg.position)
        else:
            values.append(arg)
    return values, names


# --- references ------------------------------------------------------------------------------------------------------


def referred(reference: FunctionReference, context: PlanContext) -> CatalogItem | None:
    """The function of that name and those arguments, or the only one of that name; None if there is none."""
    found = sorted(visible(reference.name.parts, context, reference.name.position), key=lambda pair: pair[0])
    word = word_of(reference.kind)
    if reference.types is not None:
        known = types_in(context)
        types = tuple(resolve_type(type_, known).unrestricted for type_ in reference.types)
        items = [item for _, item in found if item.function is not None and item.function.types == types]
    else:
        items = [item for _, item in found]
    if not items:
        return None
    shown = ".".join(reference.name.parts)
    if reference.types is None and len(items) > 1:
        raise UndefinedFunction(
            f'{word} name "{shown}" is not unique',
            sqlstate="42725",
            hint=f"Specify the argument list to select the {word} unambiguously.",
        )
    definition = items[0].function
    assert definition is not None
    if reference.kind not in (None, definition.kind):
        if definition.kind is FunctionKind.AGGREGATE:
            raise WrongObjectType(
                f"{definition.signature(items[0].name.name)} is an aggregate function",
                hint="Use AGGREGATE instead.",
            )
        raise WrongObjectType(f"function {definition.signature(items[0].name.name)} is not an aggregate")
    return items[0]


def described(reference: FunctionReference, context: PlanContext) -> str:
    """`name(type, ...)`, as the statement has it."""
    shown = ".".join(reference.name.parts)
    if reference.types is None:
        return f"{shown}()"
    types = [base_name(resolve_type(type_, types_in(context))) for type_ in reference.types]
    return f"{shown}({','.join(types)})"


def missing(reference: FunctionReference, context: PlanContext) -> NoReturn:
    """42883, in PostgreSQL's words."""
    word = word_of(reference.kind)
    if reference.types is None:
        article = "an" if reference.kind is FunctionKind.AGGREGATE else "a"
        shown = ".".join(reference.name.parts)
        raise UndefinedFunction(f'could not find {article} {word} named "{shown}"')
    shown = described(reference, context).replace(",", ", ")
    raise UndefinedFunction(f"{word} {shown} does not exist")


def word_of(kind: FunctionKind | None) -> str:
    return "aggregate" if kind is FunctionKind.AGGREGATE else "function"
