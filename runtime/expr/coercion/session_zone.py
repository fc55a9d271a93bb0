"""The session's time zone: what an expression over instants means by its clocks.

An expression is made as if the session were in UTC, as all kernels are.  For a session in another zone it is then put
into that zone: each node whose answer depends on the zone becomes one that names the zone.

```
at::date             -> timezone('Europe/Berlin', at)::date
at + interval        -> date_add(at, interval, 'Europe/Berlin')
at = some_date       -> at = timezone('Europe/Berlin', some_date::timestamp)
```

Functions of instants are therefore of three kinds: those that no zone changes (`_SAME`), those that have such a form,
and all others, which are refused outside UTC.  A node in its new form is left as it is when it is met again.

While a statement is planned its zone is `current()`; text without a zone is read in it at once (`read_text`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import pyarrow as pa

from ...errors import Unsupported
from ...repr.types import NESTED, TEXT, TIMESTAMP, TIMESTAMPTZ, Kind, ScalarType
from ..columns.row_errors import Evaluated
from ..datetimes.zones import Zone, find_zone
from ..text.text_input import from_text
from ..tree.scalar import Call, Cast, Literal, Scalar, transform


@dataclass(slots=True)
class SessionZone:
    """`used`: something that was planned depends on it."""

    name: str
    zone: Zone
    used: bool = False


_current: ContextVar[SessionZone | None] = ContextVar("session zone", default=None)


@contextmanager
def planning_in(name: str) -> Iterator[SessionZone]:
    """Until the end, `current()` is the zone of that name."""
    here = SessionZone(name, find_zone(name))
    token = _current.set(here)
    try:
        yield here
    finally:
        _current.reset(token)


def current() -> SessionZone | None:
    """The zone of the statement that is being planned; None: UTC."""
    return _current.get()


def read_text(array: pa.Array, type_: ScalarType) -> Evaluated:
    """As `from_text`, for text of the statement that is being planned."""
    here = _current.get()
    if here is None or not has_instants(type_):
        return from_text(array, type_)
    read = from_text(array, type_, zone=here.zone)
    here.used = here.used or not read.values.equals(from_text(array, type_).values)
    return read


def has_instants(type_: ScalarType) -> bool:
    """Whether its values are, or hold, timestamps with a time zone."""
    inner = type_.subtype if type_.is_range else type_.element
    within = [field for _, field in type_.fields] if inner is None else [inner]
    return type_.kind is Kind.TIMESTAMPTZ or any(has_instants(part) for part in within)


def in_current_zone(scalar: Scalar) -> Scalar:
    """`scalar` as the session's clocks have it.  Raises Unsupported for what has no such form."""
    here = _current.get()
    if here is None:
        return scalar
    name = Literal(here.name, TEXT)

    def change(node: Scalar) -> Scalar:
        match node:
            case Cast():
                new = _cast(node, name)
            case Call():
                new = _call(node, name)
            case _:
                return node
        here.used = here.used or new is not node
        return new

    return transform(scalar, change)


def refusal(what: str) -> Unsupported:
    return Unsupported(
        f"{what} is supported in time zone UTC only",
        hint="Write AT TIME ZONE and a zone's name, or SET TIME ZONE 'UTC'.",
    )


# --- casts -----------------------------------------------------------------------------------------------------------

_LOCAL = (Kind.DATE, Kind.TIMESTAMP)


def _cast(node: Cast, name: Literal) -> Scalar:
    source, target = node.arg.type, node.type
    if has_instants(source) == has_instants(target) and (source.kind in NESTED) == (target.kind in NESTED):
        return node
    if source.kind in NESTED or target.kind in NESTED or Kind.JSONB in (source.kind, target.kind):
        if not has_instants(source) and not has_instants(target):
            return node
        printed = source.kind not in NESTED or source.kind is Kind.ARRAY
        if has_instants(source) and target.is_string_category and printed:
            return _text(node, name)
        raise refusal(f"a cast of {source} to {target}")
    if target.is_range and source.is_string_category:
        return _read_text(node.arg, target, name)
    if target.kind is Kind.TIMESTAMPTZ:
        instant = _instant(node.arg, name)
        return instant if target == TIMESTAMPTZ else Cast(instant, target, node.explicit)
    if target.is_string_category:
        return _text(node, name)
    local = _local(node.arg, name)
    return local if target == TIMESTAMP else Cast(local, target, node.explicit)


def _text(node: Cast, name: Literal) -> Scalar:
    text = Call("instant text", (name, node.arg), TEXT, node.arg.nullable)
    return text if node.type == TEXT else Cast(text, node.type, node.explicit)


def _local(instant: Scalar, name: Literal) -> Scalar:
    """What the zone's clocks show."""
    return Call("timezone", (name, instant), TIMESTAMP, instant.nullable)


def _instant(scalar: Scalar, name: Literal) -> Scalar:
    """The instant of a date, of a local time, or of what text says."""
    if scalar.type.kind is Kind.TIMESTAMPTZ:
        return scalar
    if scalar.type.is_string_category:
        return _read_text(scalar, TIMESTAMPTZ, name)
    local = scalar if scalar.type.kind is Kind.TIMESTAMP else Cast(scalar, TIMESTAMP)
    return Call("timezone", (name, local), TIMESTAMPTZ, scalar.nullable)


def _read_text(scalar: Scalar, type_: ScalarType, name: Literal) -> Scalar:
    text = scalar if scalar.type == TEXT else Cast(scalar, TEXT)
    return Call("text instant", (name, text), type_, scalar.nullable)


# --- functions -------------------------------------------------------------------------------------------------------

_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_SAME = frozenset(
    (
        "timezone", "date_bin", "isfinite", "instant text", "text instant", "assert not null", "array_of",
        "array_subscript", "array_slice", "array_append", "array_prepend", "array_cat", "trim_array", "array_reverse",
        "array_sort", "array_fill", "array_remove", "array_replace", "array_position", "array_positions",
        "array_contains", "array_contained", "array_overlaps", "array_ndims", "array_lower", "array_upper",
        "array_dims", "array_length", "cardinality", "is_null", "is_not_null", "is_distinct_from",
        "is_not_distinct_from", "in", "nullif", "greatest", "least", "num_nulls", "num_nonnulls", "width_bucket",
        *(f"{word}_{sign}" for word in ("any", "all") for sign in _COMPARISONS),
    )
)  # fmt: skip
"""Functions that give the same in all zones, on arguments that are all instants."""

_OF_RANGES = frozenset(
    (
        "tstzrange", "add", "subtract", "multiply", "shift_left", "shift_right", "lower", "upper", "isempty",
        "lower_inc", "lower_inf", "upper_inc", "upper_inf", "elem_contained_by_range", "range_contains_elem",
        "range low end", "range high end", "range of ends",
        *(
            f"range_{word}"
            for word in (
                "adjacent", "contained_by", "contains", "intersect", "merge", "minus", "overlaps", "overleft",
                "overright", "union",
            )
        ),
    )
)  # fmt: skip
"""Functions that give the same in all zones where an argument, or the result, is a range."""

_PRINTING = frozenset(("concat", "concat_ws", "format", "quote_literal", "quote_nullable"))
"""Functions that print their arguments."""


def _call(node: Call, name: Literal) -> Scalar:
    types = [arg.type for arg in node.args]
    if not has_instants(node.type) and not any(map(has_instants, types)):
        return node
    if node.function in _OF_RANGES and any(type_.is_range for type_ in (node.type, *types)):
        return node
    mixed = any(type_.kind in _LOCAL for type_ in types)
    if node.function in _SAME and (not mixed or node.function == "timezone"):
        return node
    if node.function in _COMPARISONS:
        return (
            _rebuilt(node, node.function, tuple(_instant(arg, name) for arg in node.args)) if mixed else node
        )
    form = _FORMS.get(node.function)
    new = None if form is None or (mixed and form is not _spelled) else form(node, name)
    if new is None:
        raise refusal(f"this use of {node.function} with timestamps with time zone")
    return new


def _rebuilt(node: Call, function: str, args: tuple[Scalar, ...]) -> Call:
    return Call(function, args, node.type, node.nullable)


def _kinds(node: Call) -> tuple[Kind, ...]:
    return tuple(arg.type.kind for arg in node.args)


def _moved(function: str) -> Callable[[Call, Literal], Scalar | None]:
    def form(node: Call, name: Literal) -> Scalar | None:
        match _kinds(node):
            case (Kind.TIMESTAMPTZ, Kind.INTERVAL):
                return _rebuilt(node, function, (*node.args, name))
            case (Kind.INTERVAL, Kind.TIMESTAMPTZ):
                return _rebuilt(node, function, (node.args[1], node.args[0], name))
            case (Kind.TIMESTAMPTZ, Kind.INTERVAL, Kind.TEXT):
                return node
            case (Kind.TIMESTAMPTZ, Kind.TIMESTAMPTZ) if function == "date_subtract":
                return node
            case _:
                return None

    return form


def _truncated(node: Call, name: Literal) -> Scalar:
    return node if len(node.args) == 3 else _rebuilt(node, "date_trunc", (*node.args, name))


def _field(node: Call, name: Literal) -> Scalar | None:
    field, instant = node.args
    if not isinstance(field, Literal) or str(field.value).lower().startswith("timezone"):
        return None
    if str(field.value).lower() == "epoch":
        return node
    return _rebuilt(node, node.function, (field, _local(instant, name)))


def _age(node: Call, name: Literal) -> Scalar | None:
    if len(node.args) != 2:
        return None
    return _rebuilt(node, "age", tuple(_local(arg, name) for arg in node.args))


def _names_no_zone(template: Scalar) -> bool:
    """Whether the template of to_char or to_timestamp certainly says nothing of the zone."""
    return isinstance(template, Literal) and not (
        template.value is not None and any(word in template.value.lower() for word in ("tz", "of"))
    )


def _printed(node: Call, name: Literal) -> Scalar | None:
    instant, template = node.args
    return _rebuilt(node, "to_char", (_local(instant, name), template)) if _names_no_zone(template) else None


def _read(node: Call, name: Literal) -> Scalar | None:
    if len(node.args) == 1:  # seconds
        return node
    if not _names_no_zone(node.args[1]):
        return None
    return Call("timezone", (name, _local(node, Literal("UTC", TEXT))), TIMESTAMPTZ, node.nullable)


def _made(node: Call, name: Literal) -> Scalar:
    return node if len(node.args) == 7 else _rebuilt(node, node.function, (*node.args, name))


def _overlaps(node: Call, name: Literal) -> Scalar | None:
    return None if Kind.INTERVAL in _kinds(node) else node


def _spelled(node: Call, name: Literal) -> Scalar | None:
    if any(has_instants(arg.type) and arg.type.kind in NESTED for arg in node.args):
        return node if has_instants(node.type) else None
    return _rebuilt(
        node,
        node.function,
        tuple(
            Call("instant text", (name, arg), TEXT, arg.nullable) if has_instants(arg.type) else arg
            for arg in node.args
        ),
    )


_FORMS: dict[str, Callable[[Call, Literal], Scalar | None]] = {
    "add": _moved("date_add"),
    "date_add": _moved("date_add"),
    "subtract": _moved("date_subtract"),
    "date_subtract": _moved("date_subtract"),
    "date_trunc": _truncated,
    "extract": _field,
    "date_part": _field,
    "age": _age,
    "to_char": _printed,
    "to_timestamp": _read,
    "make_timestamptz": _made,
    "overlaps": _overlaps,
    "concat_op": _spelled,
    **dict.fromkeys(_PRINTING, _spelled),
}
"""What gives a call in the zone; None where there is no such form."""
