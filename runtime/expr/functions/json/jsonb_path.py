"""Functions and operators of SQL/JSON paths: @?, @@, jsonb_path_exists, _match, _query_array, _query_first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ....errors import DataError, PtvcError, UndefinedFunction, Unsupported
from ....repr.types import BOOL, JSONB, TEXT, ScalarType
from ...coercion.literals import coerce_unknown
from ...coercion.type_rules import base_name
from ...datetimes.datetime_input import InputError
from ...jsonb.columns import growing, over_documents
from ...jsonb.document import ABSENT, Document
from ...tree.function import Function, Overload
from ...tree.scalar import Call, Literal, Scalar
from .path_parser import parse_path
from .path_run import any_item, items

_SUPPRESSED = ("2203A", "2203C", "22039", "22033", "22038", "2203B", "22036", "22012", "22003")


def found(document: Document, path: str, variables: Document, silent: bool) -> Iterator[Document]:
    """The items of the path; with `silent`, none from a mistake on."""
    try:
        yield from items(parse_path(path), document, variables)
    except InputError as error:
        if not silent or error.sqlstate not in _SUPPRESSED:
            raise


def _exists(document: Document, path: str, variables: Document, silent: bool) -> Any:
    try:
        return any_item(parse_path(path), document, variables)
    except InputError as error:
        if silent and error.sqlstate in _SUPPRESSED:
            return ABSENT
        raise


def _match(document: Document, path: str, variables: Document, silent: bool) -> Any:
    results = list(found(document, path, variables, silent))
    if len(results) == 1:
        if results[0] is None:
            return ABSENT
        if isinstance(results[0], bool):
            return results[0]
    if silent:
        return ABSENT
    raise InputError("22038", "single boolean result is expected")


def _array(document: Document, path: str, variables: Document, silent: bool) -> Document:
    return list(found(document, path, variables, silent))


def _first(document: Document, path: str, variables: Document, silent: bool) -> Any:
    results = list(found(document, path, variables, silent))
    return results[0] if results else ABSENT


def path_arguments(
    name: str, args: Sequence[Scalar], unknown: Sequence[bool], sign: str | None = None
) -> tuple[Scalar, ...]:
    """Document, path, variables and silence, of which the last two may be left out.

    There is no type jsonpath: a path is a literal, checked here, or a parameter, which is text by the time that it has a
    value.
    """
    known = [None if flag else arg.type for arg, flag in zip(args, unknown, strict=True)]
    if len(known) > 1 and isinstance(args[1], Literal) and args[1].type == TEXT:
        known[1] = None
    wanted = (JSONB, None, JSONB, BOOL)
    fits = 2 <= len(args) <= 4 and all(
        type_ is None or (expected is not None and type_.kind is expected.kind)
        for type_, expected in zip(known, wanted, strict=False)
    )
    if not fits:
        names = [base_name(type_) for type_ in known]
        if len(known) > 1 and known[1] is not None and known[1].is_string_category:
            hint = "Write the path as a literal: there is no type jsonpath."
        else:
            hint = "You might need to add explicit type casts."
        if sign is not None:
            raise UndefinedFunction(f"operator does not exist: {names[0]} {sign} {names[1]}", hint=hint)
        raise UndefinedFunction(f"function {name}({', '.join(names)}) does not exist", hint=hint)
    document = coerce_unknown(args[0], JSONB) if unknown[0] else args[0]
    path = args[1]
    assert isinstance(path, Literal)
    if path.value is not None:
        try:
            parse_path(path.value)
        except InputError as error:
            wrong: type[PtvcError] = Unsupported if error.sqlstate == "0A000" else DataError
            raise wrong(error.message, sqlstate=error.sqlstate) from None
    rest: list[Scalar] = [Literal("{}", JSONB), Literal(sign is not None, BOOL)]
    for place, type_ in ((2, JSONB), (3, BOOL)):
        if len(args) > place:
            rest[place - 2] = coerce_unknown(args[place], type_) if unknown[place] else args[place]
    return (document, Literal(path.value, TEXT), *rest)


def _function(name: str, one: Callable[..., Any], result: ScalarType, sign: str | None = None) -> Function:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        return Call(name, path_arguments(name, args, unknown, sign), result, True)

    overload = Overload(None, result, over_documents(one), can_fail=True, nullable=True)
    return Function(name, (overload,), sign, resolve)


FUNCTIONS: tuple[Function, ...] = (
    _function("jsonb_path_exists", _exists, BOOL),
    _function("jsonb_path_match", _match, BOOL),
    _function("jsonb_path_query_array", growing(_array), JSONB),
    _function("jsonb_path_query_first", _first, JSONB),
    _function("jsonb_path_exists_opr", _exists, BOOL, "@?"),
    _function("jsonb_path_match_opr", _match, BOOL, "@@"),
)

__all__ = ["FUNCTIONS", "found", "path_arguments"]
