"""The function registry: every function and operator by name, and the choice among overloads.

`resolve_call` turns a name and typed arguments into a `Call` whose arguments have exactly the types of one
overload: the choice is PostgreSQL's (exact match, then implicit casts, then preferred types, then the category of
untyped literals), and every cast that it implies becomes explicit in the result.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NoReturn

from ..errors import DatatypeMismatch, UndefinedFunction, Unsupported
from ..repr.types import JSON, NESTED, TEXT, UNSIGNED, Kind, ScalarType
from .coercion.comparands import comparands
from .coercion.literals import coerce_argument
from .coercion.type_rules import (
    CastContext,
    as_signed,
    base_name,
    can_cast_kind,
    category,
    is_preferred,
    same_kind,
)
from .functions.catalog import CATALOG
from .functions.comparison.comparison import OPERATOR_SIGNS as COMPARISONS
from .functions.comparison.comparison_keys import check_records, comparison_keys, has_keys
from .tree.function import CallInfo, Datum, Function, Overload
from .tree.scalar import Call, Scalar

FUNCTIONS: Mapping[str, Function] = CATALOG

KNOWN_ELSEWHERE = frozenset(
    [
        "array_agg",
        "array_sample",
        "array_shuffle",
        "convert",
        "gamma",
        "gen_random_uuid",
        "json_array",
        "json_exists",
        "json_populate_record",
        "json_populate_recordset",
        "json_query",
        "json_scalar",
        "json_serialize",
        "json_table",
        "json_to_record",
        "json_to_recordset",
        "json_value",
        "jsonb_path_exists_tz",
        "jsonb_path_match_tz",
        "jsonb_path_query_array_tz",
        "jsonb_path_query_first_tz",
        "jsonb_path_query_tz",
        "jsonb_populate_record",
        "jsonb_populate_record_valid",
        "jsonb_populate_recordset",
        "datemultirange",
        "int4multirange",
        "int8multirange",
        "multirange",
        "mz_environment_id",
        "nummultirange",
        "range_agg",
        "tsmultirange",
        "tstzmultirange",
        "plainto_tsquery",
        "to_tsquery",
        "to_tsvector",
        "ts_headline",
        "ts_rank",
        "websearch_to_tsquery",
        "jsonb_to_record",
        "jsonb_to_recordset",
        "lgamma",
        "pg_input_error_info",
        "random",
        "random_normal",
        "regexp_matches",
        "scale",
        "setseed",
        "statement_timestamp",
        "timeofday",
        "to_ascii",
        "unicode_assigned",
        "uuidv4",
        "uuidv7",
    ]
)
"""PostgreSQL's functions that do not exist here: refused as such, rather than called unknown."""

_OTHER_FORMS: Mapping[str, tuple[int, tuple[Kind, ...]]] = {
    "array_fill": (3, tuple(Kind)),
    "length": (2, (Kind.BYTEA,)),
    "pg_size_pretty": (1, (Kind.NUMERIC,)),
    "substring": (3, (Kind.TEXT, Kind.VARCHAR, Kind.NAME)),
    "timezone": (1, (Kind.TIME, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)),
}
"""Forms of a function that do not exist here: how many arguments they have, and the kinds of the first."""

_AMBIGUOUS = frozenset(("bit_count", "pg_size_pretty", "trunc"))
"""Functions with overloads for types that are not here, so that untyped literals alone choose none."""

_OF_ANY_ARRAY = frozenset(
    (
        "array_dims",
        "array_length",
        "array_lower",
        "array_ndims",
        "array_reverse",
        "array_sort",
        "array_to_string",
        "array_upper",
        "cardinality",
        "trim_array",
    )
)
"""Functions of an array of any type, which an untyped literal does not tell."""

_FUNCTION_HINT = (
    "No function matches the given name and argument types. You might need to add explicit type casts."
)
_UNIQUE_HINT = "Could not choose a best candidate function. You might need to add explicit type casts."
_OPERATOR_HINT = (
    "No operator matches the given name and argument types. You might need to add explicit type casts."
)


def resolve_call(name: str, args: Sequence[Scalar], unknown: Sequence[bool] = ()) -> Call:
    """The call of function `name` on `args`, with implicit casts inserted.

    `unknown[i]` marks an untyped literal (a `Literal` of type TEXT, or NULL): it takes the type that the other
    arguments ask for, its text parsed as that type's input.  Missing flags are False.
    Raises UndefinedFunction (42883; 42725 when the choice is ambiguous) with PostgreSQL's message, DataError when
    an untyped literal is not valid input for the type it must take.
    """
    flags = tuple(unknown) + (False,) * (len(args) - len(unknown))
    if name in COMPARISONS:
        args = comparands(args, flags)
    types = [None if flag else arg.type for arg, flag in zip(args, flags, strict=True)]
    function = FUNCTIONS.get(name)
    if function is not None and types and not any(types) and name in _AMBIGUOUS:
        raise no_such_function(name, function, types, ambiguous=True)
    if types and types[0] is None and (name in _OF_ANY_ARRAY or (name == "range_merge" and not any(types))):
        raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")
    if function is None:
        if name in KNOWN_ELSEWHERE:
            raise Unsupported(f"function {name} is not supported")
        raise no_such_function(name, None, types)
    try:
        if function.resolver is not None:
            return function.resolver(tuple(args), flags)
        overload = _choose(function, types)
    except UndefinedFunction:
        count, kinds = _OTHER_FORMS.get(name, (0, ()))
        if types and len(types) == count and (types[0] is None or types[0].kind in kinds):
            raise Unsupported(f"this form of {name} is not supported") from None
        raise
    assert overload.params is not None
    nested = {type_.kind: type_.unrestricted for type_ in types if type_ is not None and type_.kind in NESTED}
    coerced = tuple(
        # Functions of arrays take any: an untyped literal is one like the other argument.
        coerce_argument(arg, flag, nested.get(param.kind, param))
        for arg, flag, param in zip(args, flags, overload.params, strict=True)
    )
    if name in COMPARISONS and coerced[0].type.leaf == JSON:
        equality = "an equality operator" if name in ("eq", "ne") else "a comparison function"
        raise UndefinedFunction(f"could not identify {equality} for type json")
    if name in COMPARISONS and _elements_differ(coerced):
        raise no_such_function(name, function, types)
    if name in COMPARISONS and coerced[0].type.kind is Kind.RECORD:
        check_records(*(arg.type for arg in coerced))
    if name in COMPARISONS and any(has_keys(arg.type) for arg in coerced):
        return resolve_call(name, comparison_keys(name, coerced))
    nullable = overload.nullable
    if nullable is None:
        nullable = any(arg.nullable for arg in coerced) if overload.strict else True
    return Call(name, coerced, overload.result_type(coerced), nullable)


def _elements_differ(args: Sequence[Scalar]) -> bool:
    """Arrays of two types do not compare, although single values of these might."""
    elements = [arg.type.element for arg in args if arg.type.element is not None]
    return len(elements) == 2 and not same_kind(elements[0], elements[1])


def function_exists(name: str) -> bool:
    return name in FUNCTIONS


@lru_cache(maxsize=4096)
def overload_of(name: str, types: tuple[ScalarType, ...]) -> Overload:
    """The overload that a resolved call of `name` on arguments of `types` runs."""
    function = FUNCTIONS.get(name)
    if function is not None:
        for overload in function.overloads:
            if overload.accepts(types):
                return overload
    raise no_such_function(name, function, list(types))


def no_such_function(
    name: str, function: Function | None, types: Sequence[ScalarType | None], *, ambiguous: bool = False
) -> UndefinedFunction:
    """The error that PostgreSQL gives when no overload, or more than one, takes arguments of `types`."""
    names = [base_name(type_) for type_ in types]
    operator = function.operator if function is not None else None
    if operator is not None and len(names) == 2:
        spelled, noun, hint = f"{names[0]} {operator} {names[1]}", "operator", _OPERATOR_HINT
    elif operator is not None and len(names) == 1:
        spelled, noun, hint = f"{operator} {names[0]}", "operator", _OPERATOR_HINT
    else:
        spelled, noun, hint = f"{name}({', '.join(names)})", "function", _FUNCTION_HINT
    if ambiguous:
        if noun == "operator":
            return UndefinedFunction(f"operator is not unique: {spelled}", sqlstate="42725")
        return UndefinedFunction(f"function {spelled} is not unique", sqlstate="42725", hint=_UNIQUE_HINT)
    if noun == "operator":
        return UndefinedFunction(f"operator does not exist: {spelled}", hint=hint)
    return UndefinedFunction(f"function {spelled} does not exist", hint=hint)


def best_signature(
    name: str, signatures: Sequence[Sequence[ScalarType]], types: Sequence[ScalarType | None]
) -> int:
    """Which of the signatures, all of as many arguments as there are `types`, a call chooses (None: an untyped literal), by the
    rules of the system's functions; 42883 and 42725 as `resolve_call`."""
    overloads = tuple(Overload(tuple(params), TEXT, _no_kernel) for params in signatures)
    chosen = _choose(Function(name, overloads), types)
    return next(number for number, overload in enumerate(overloads) if overload is chosen)


def _no_kernel(args: Sequence[Datum], info: CallInfo) -> NoReturn:
    raise AssertionError("a chosen signature has a body")


# --- PostgreSQL's func_select_candidate and oper_select_candidate ----------------------------------------------------


def _choose(function: Function, types: Sequence[ScalarType | None]) -> Overload:
    kinds = [None if type_ is None else type_.kind for type_ in types]
    if function.operator is not None and function.name in ("multiply", "divide") and not any(kinds):
        raise no_such_function(
            function.name, function, types, ambiguous=True
        )  # intervals and money take part
    overloads = [o for o in function.overloads if o.params is not None and len(o.params) == len(kinds)]
    if exact := _exact_match(function, overloads, kinds):
        return exact
    if any(kind in UNSIGNED for kind in kinds):
        for others in (_widest(kinds), [kind and as_signed(ScalarType(kind)).kind for kind in kinds]):
            if exact := _exact_match(function, overloads, others):
                return exact
        kinds = others
    candidates = [o for o in overloads if _coercible(o, kinds)]
    if not candidates:
        raise no_such_function(function.name, function, types)
    for narrow in (_most_exact, _most_preferred, _by_unknown_category, _by_assumed_type):
        if len(candidates) == 1:
            break
        candidates = narrow(candidates, kinds)
    if len(candidates) > 1:
        raise no_such_function(function.name, function, types, ambiguous=True)
    return candidates[0]


def _widest(kinds: list[Kind | None]) -> list[Kind | None]:
    """Where all are unsigned integers, the widest of them for each."""
    known = [kind for kind in kinds if kind is not None]
    if not UNSIGNED.issuperset(known):
        return kinds
    widest = max(known, key=lambda kind: ScalarType(kind).typlen)
    return [kind and widest for kind in kinds]


def _kinds(overload: Overload) -> list[Kind]:
    assert overload.params is not None
    return [param.kind for param in overload.params]


def _exact_match(
    function: Function, overloads: Sequence[Overload], kinds: Sequence[Kind | None]
) -> Overload | None:
    """Exactly these types; for an operator, an untyped side is first assumed to be of the other side's type."""
    assumed = list(kinds)
    if function.operator is not None and len(kinds) == 2 and kinds.count(None) == 1:
        known = kinds[0] if kinds[0] is not None else kinds[1]
        assumed = [known, known]
    for overload in overloads:
        if _kinds(overload) == assumed:
            return overload
    return None


def _coercible(overload: Overload, kinds: Sequence[Kind | None]) -> bool:
    return all(
        kind is None or can_cast_kind(kind, param, CastContext.IMPLICIT)
        for kind, param in zip(kinds, _kinds(overload), strict=True)
    )


def _best(candidates: list[Overload], scores: list[int]) -> list[Overload]:
    top = max(scores)
    return [candidate for candidate, score in zip(candidates, scores, strict=True) if score == top]


def _most_exact(candidates: list[Overload], kinds: Sequence[Kind | None]) -> list[Overload]:
    scores = [
        sum(kind is param for kind, param in zip(kinds, _kinds(c), strict=True) if kind is not None)
        for c in candidates
    ]
    return _best(candidates, scores)


def _most_preferred(candidates: list[Overload], kinds: Sequence[Kind | None]) -> list[Overload]:
    def score(candidate: Overload) -> int:
        return sum(
            kind is param or (category(kind) == category(param) and is_preferred(param))
            for kind, param in zip(kinds, _kinds(candidate), strict=True)
            if kind is not None
        )

    return _best(candidates, [score(candidate) for candidate in candidates])


def _by_unknown_category(candidates: list[Overload], kinds: Sequence[Kind | None]) -> list[Overload]:
    """At each untyped position: strings if any candidate takes them, else the one category; then its preferred
    type if a candidate takes that."""
    wanted: dict[int, tuple[str, bool]] = {}
    for position, kind in enumerate(kinds):
        if kind is not None:
            continue
        params = [_kinds(candidate)[position] for candidate in candidates]
        categories = {category(param) for param in params}
        if "S" in categories:
            chosen = "S"
        elif len(categories) == 1:
            chosen = categories.pop()
        else:
            return candidates
        preferred = any(category(param) == chosen and is_preferred(param) for param in params)
        wanted[position] = (chosen, preferred)

    def fits(candidate: Overload) -> bool:
        params = _kinds(candidate)
        return all(
            category(params[position]) == chosen and (not preferred or is_preferred(params[position]))
            for position, (chosen, preferred) in wanted.items()
        )

    return [candidate for candidate in candidates if fits(candidate)] or candidates


def _by_assumed_type(candidates: list[Overload], kinds: Sequence[Kind | None]) -> list[Overload]:
    """All typed arguments of one type, some untyped: assume that the untyped ones are of that type too."""
    known = {kind for kind in kinds if kind is not None}
    if len(known) != 1 or None not in kinds:
        return candidates
    (assumed,) = known
    chosen = [
        candidate
        for candidate in candidates
        if all(can_cast_kind(assumed, param, CastContext.IMPLICIT) for param in _kinds(candidate))
    ]
    return chosen if len(chosen) == 1 else candidates
