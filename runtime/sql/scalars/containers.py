"""Arrays, lists and maps: what makes one of its elements, and subscripts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import DatatypeMismatch, PtvcError, Unsupported
from ...expr.coercion.type_rules import CastContext, base_name, can_cast
from ...expr.tree.scalar import Literal
from ...repr.types import INT4, NESTED, PAIR, TEXT, Kind, ScalarType, map_of
from ..syntax import ast
from ..syntax.types import refuse_element
from .scope import Scope
from .typed import Typed, at
from .zone import fold

if TYPE_CHECKING:
    from .expressions import Expressions


def array(expressions: Expressions, node: ast.Array, target: ScalarType | None = None) -> Typed:
    """`ARRAY[...]` or `LIST[...]`, of the type that it is cast to, if any.  With a column called "list" in scope,
    `list[1]` is its element."""
    if node.list and len(node.items) == 1 and _is_column(expressions, "list"):
        column = ast.Name(("list",), node.position)
        return subscript(expressions, ast.Subscript(column, node.items[0], node.position))
    if not node.items and target is None:
        raise PtvcError(
            f"cannot determine type of empty {'list' if node.list else 'array'}",
            sqlstate="42P18",
            hint="Explicitly cast to the desired type, for example "
            + ("LIST[]::integer list." if node.list else "ARRAY[]::integer[]."),
            position=node.position,
        )
    word, kind = ("LIST", Kind.LIST) if node.list else ("ARRAY", Kind.ARRAY)
    element = target.element if target is not None and target.kind is kind else None
    items = [_element(expressions, item, node, element) for item in node.items]
    if element is not None:
        with at(node.position):
            for item in items:
                if not item.unknown and not can_cast(item.scalar.type, element, CastContext.EXPLICIT):
                    raise PtvcError(
                        f"cannot cast type {base_name(item.scalar.type)} to {base_name(element)}",
                        sqlstate="42846",
                    )
            scalars = [fold(expressions.coerce(item, element, word)) for item in items]
    else:
        scalars, element = expressions.unify(items, word, node.position, node.items)
        scalars = [fold(scalar) for scalar in scalars]
    if node.list:
        refuse_element(element, node.position)
    elif element.kind in NESTED and element.kind is not Kind.RECORD:
        raise Unsupported(
            "arrays of several dimensions are not supported"
            if element.kind is Kind.ARRAY
            else f"arrays of {element} are not supported",
            position=node.position,
        )
    if all(isinstance(scalar, Literal) for scalar in scalars):
        type_ = ScalarType(kind, element=element)
        return Typed(Literal([s.value for s in scalars if isinstance(s, Literal)], type_))
    made = "list of" if node.list else "array_of"
    return expressions.apply(made, [Typed(scalar) for scalar in scalars], node.position)


def _is_column(expressions: Expressions, name: str) -> bool:
    """Of this query, or of one around it.  A table of that name is none."""
    scope: Scope | None = expressions.scope
    while scope is not None:
        if any(c.name == name and not c.row and not c.hidden for c in scope.columns):
            return True
        scope = scope.parent
    return False


def map_(expressions: Expressions, node: ast.Map, target: ScalarType | None = None) -> Typed:
    """`MAP[key => value, ...]`, of the type that it is cast to, if any."""
    element = target.element if target is not None and target.kind is Kind.MAP else None
    if not node.pairs:
        if element is None:
            raise PtvcError(
                "cannot determine type of empty map",
                sqlstate="42P18",
                hint="Explicitly cast to the desired type, for example MAP[]::map[text=>integer].",
                position=node.position,
            )
        return Typed(Literal([], map_of(element)))
    keys = [expressions.coerce(expressions.resolve_raw(key), TEXT, "MAP") for key, _ in node.pairs]
    values = [
        map_(expressions, value, element) if isinstance(value, ast.Map) else expressions.resolve_raw(value)
        for _, value in node.pairs
    ]
    with at(node.position):
        if element is None:
            found, element = expressions.unify(
                values, "MAP", node.position, [value for _, value in node.pairs]
            )
        else:
            for value in values:
                if not value.unknown and not can_cast(value.scalar.type, element, CastContext.EXPLICIT):
                    raise PtvcError(
                        f"cannot cast type {base_name(value.scalar.type)} to {base_name(element)}",
                        sqlstate="42846",
                    )
            found = [expressions.coerce(value, element, "MAP") for value in values]
    refuse_element(element, node.position, "map")
    pairs = [Typed(part) for pair in zip(keys, found, strict=True) for part in pair]
    return Typed(fold(expressions.apply("map of", pairs, node.position).scalar))


def _element(
    expressions: Expressions, item: ast.Expression, node: ast.Array, type_: ScalarType | None
) -> Typed:
    if not isinstance(item, ast.Array) or not item.list:
        return expressions.resolve_raw(item)
    if not item.items and type_ is None and any(other != item for other in node.items):
        return Typed(Literal("{}", TEXT), unknown=True)  # of the others' type
    return array(expressions, item, type_)


def subscript(expressions: Expressions, node: ast.Subscript) -> Typed:
    """`value[i]` or `value[i:j]`, of an array, a list or a document."""
    array, inner = expressions.resolve_raw(node.arg), node.arg
    if (
        node.further
        and isinstance(inner, ast.Subscript)
        and not inner.further
        and expressions.resolve_raw(inner.arg).scalar.type.kind not in (Kind.JSONB, Kind.LIST)
    ):
        raise Unsupported("arrays of several dimensions are not supported", position=node.position)
    if array.scalar.type.kind is Kind.JSONB and not array.unknown:
        if node.slice:
            raise Unsupported("jsonb subscript does not support slices", position=node.position)
        assert node.index is not None
        return expressions.apply(
            "jsonb subscript", (array, expressions.resolve_raw(node.index)), node.position
        )
    if array.scalar.type.kind is Kind.LIST and not array.unknown:
        return _list_subscript(expressions, node, array)
    if array.unknown or array.scalar.type.kind is not Kind.ARRAY:
        name = base_name(None if array.unknown else array.scalar.type)
        raise DatatypeMismatch(
            f"cannot subscript type {name} because it does not support subscripting",
            position=node.arg.position,
        )
    if array.scalar.type == PAIR or (node.slice and array.scalar.type.is_vector):
        raise Unsupported("this subscript is not supported", position=node.position)
    if not node.slice:
        bound = _bound(expressions, node.index)
        if array.scalar.type.is_vector:  # its first element has the number 0
            bound = expressions.apply("add", (bound, Typed(Literal(1, INT4))), node.position)
        return expressions.apply("array_subscript", (array, bound), node.position)
    return expressions.apply("array_slice", (array, *_slice(expressions, node)), node.position)


def _slice(expressions: Expressions, node: ast.Subscript) -> tuple[Typed, Typed]:
    first = Typed(Literal(1, INT4)) if node.index is None else _bound(expressions, node.index)
    return first, Typed(Literal(2**31 - 1, INT4)) if node.upper is None else _bound(expressions, node.upper)


def _list_subscript(expressions: Expressions, node: ast.Subscript, items: Typed) -> Typed:
    """Subscripts of a list go down, one layer each."""
    if node.further and isinstance(node.arg, ast.Subscript) and node.arg.slice:
        raise Unsupported(
            "a subscript behind a slice of a list is not supported",
            hint="Put the slice in parentheses.",
            position=node.position,
        )
    if node.slice:
        return expressions.apply("list slice", (items, *_slice(expressions, node)), node.position)
    return expressions.apply("list subscript", (items, _bound(expressions, node.index)), node.position)


def _bound(expressions: Expressions, node: ast.Expression | None) -> Typed:
    assert node is not None
    found = expressions.resolve_raw(node)
    if not found.unknown and not can_cast(found.scalar.type, INT4, CastContext.ASSIGNMENT):
        raise DatatypeMismatch("array subscript must have type integer", position=node.position)
    return Typed(expressions.coerce(found, INT4, "subscript"))
