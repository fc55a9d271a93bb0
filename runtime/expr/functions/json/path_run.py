"""Running a path over a document: the sequence of its items, lazily, as PostgreSQL's executor finds them.

In lax mode structural mistakes are nothing: a member of an array is that of each of its elements, an element of what is
no array is that itself, what does not exist is no item.  In strict mode each is an error.  A predicate is True, False or
None (unknown, which is what an error inside of one is).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Context, Decimal, Inexact
from typing import Any

import pyarrow as pa

from ....repr.types import FLOAT8
from ...datetimes.datetime_input import InputError
from ...jsonb.document import Document, number_text, type_name
from . import path as p

_ARITHMETIC = Context(prec=200_000, Emax=10**9, Emin=-(10**9))
_NO_MEMBER, _NO_OBJECT, _NO_ARRAY, _BAD_SUBSCRIPT = "2203A", "2203C", "22039", "22033"
_NOT_SINGLE, _NO_NUMBER, _BAD_ARGUMENT = "22038", "2203B", "22036"


@dataclass(frozen=True, slots=True)
class Scope:
    """`strict`: the mode.  `strict_here`: whether structural mistakes are errors at this place (not under `.**`)."""

    root: Document
    current: Document
    variables: dict[str, Document]
    strict: bool
    strict_here: bool
    size: int | None = None


def items(path: p.Path, document: Document, variables: Document) -> Iterator[Document]:
    """The items of `path` over `document`; raises InputError when it comes to a mistake."""
    return _items(path.expression, _whole(path, document, variables))


def any_item(path: p.Path, document: Document, variables: Document) -> bool:
    """Whether the path has an item; raises InputError where a mistake comes before the first one."""
    return _any(path.expression, _whole(path, document, variables))


def _whole(path: p.Path, document: Document, variables: Document) -> Scope:
    if not isinstance(variables, dict):
        raise InputError("22023", '"vars" argument is not an object')
    return Scope(document, document, variables, path.strict, path.strict)


def _any(node: p.Expression, scope: Scope) -> bool:
    """In strict mode all items are wanted: one may be a mistake.  In lax mode a sign passes over what is no number."""
    if scope.strict:
        return bool(list(_items(node, scope)))
    if isinstance(node, p.Sign):
        return any(map(_is_number, _unwrapped(node.arg, scope)))
    return any(True for _ in _items(node, scope))


def _items(node: p.Expression, scope: Scope) -> Iterator[Document]:
    match node:
        case p.Root():
            yield scope.root
        case p.Current():
            yield scope.current
        case p.Value(value=value):
            yield value
        case p.Variable(name=name):
            if name not in scope.variables:
                raise InputError("42704", f'could not find jsonpath variable "{name}"')
            yield scope.variables[name]
        case p.Last():
            assert scope.size is not None
            yield scope.size - 1
        case p.Descendants():
            yield from _descendants(node, scope)
        case p.Member() | p.AnyMember() | p.AnyElement() | p.Subscripts() | p.Filter() | p.Method():
            under = _under(node.of, scope)
            for item in _items(node.of, scope):
                yield from _accessed(node, item, under, not scope.strict)
        case p.Sign() | p.Arithmetic():
            yield from _computed(node, scope)
        case _:
            yield _truth(node, scope)


def _under(node: p.Expression, scope: Scope) -> Scope:
    """The scope of what comes behind `node`: behind `.**` mistakes are nothing."""
    while isinstance(
        node, p.Member | p.AnyMember | p.AnyElement | p.Subscripts | p.Filter | p.Method | p.Descendants
    ):
        if isinstance(node, p.Descendants):
            return replace(scope, strict_here=False)
        node = node.of
    return scope


def _accessed(node: p.Item, item: Document, scope: Scope, unwrap: bool) -> Iterator[Document]:
    match node:
        case p.Member() | p.AnyMember() | p.Filter() if unwrap and isinstance(item, list):
            for element in item:
                yield from _accessed(node, element, scope, False)
        case p.Member(key=key):
            yield from _member(item, key, scope)
        case p.AnyMember():
            if isinstance(item, dict):
                yield from item.values()
            elif scope.strict_here:
                message = "jsonpath wildcard member accessor can only be applied to an object"
                raise InputError(_NO_OBJECT, message)
        case p.AnyElement():
            if isinstance(item, list):
                yield from item
            elif not scope.strict:
                yield item
            elif scope.strict_here:
                message = "jsonpath wildcard array accessor can only be applied to an array"
                raise InputError(_NO_ARRAY, message)
        case p.Subscripts(ranges=ranges):
            yield from _elements(item, ranges, scope)
        case p.Filter(predicate=predicate):
            if _truth(predicate, replace(scope, current=item)) is True:
                yield item
        case p.Method(name=name):
            yield from _method(name, item, scope, unwrap)


def _member(item: Document, key: str, scope: Scope) -> Iterator[Document]:
    if isinstance(item, dict):
        if key in item:
            yield item[key]
        elif scope.strict_here:
            raise InputError(_NO_MEMBER, f'JSON object does not contain key "{key}"')
    elif scope.strict_here:
        raise InputError(_NO_MEMBER, "jsonpath member accessor can only be applied to an object")


def _elements(
    item: Document, ranges: tuple[tuple[p.Expression, p.Expression | None], ...], scope: Scope
) -> Iterator[Document]:
    if not isinstance(item, list):
        if scope.strict:
            if scope.strict_here:
                raise InputError(_NO_ARRAY, "jsonpath array accessor can only be applied to an array")
            return
        item = [item]
    inner = replace(scope, size=len(item))
    for first, last in ranges:
        low = _index(first, inner)
        high = low if last is None else _index(last, inner)
        if scope.strict_here and (low < 0 or low > high or high >= len(item)):
            raise InputError(_BAD_SUBSCRIPT, "jsonpath array subscript is out of bounds")
        yield from item[max(low, 0) : max(high + 1, 0)]


def _index(node: p.Expression, scope: Scope) -> int:
    found = list(_items(node, scope))
    if len(found) != 1 or not _is_number(found[0]):
        raise InputError(_BAD_SUBSCRIPT, "jsonpath array subscript is not a single numeric value")
    index = int(found[0])
    if not -(1 << 31) <= index < 1 << 31:
        raise InputError(_BAD_SUBSCRIPT, "jsonpath array subscript is out of integer range")
    return index


def _descendants(node: p.Descendants, scope: Scope) -> Iterator[Document]:
    first = node.first
    for item in _items(node.of, scope):
        if first == 0:
            yield item
        yield from _below(item, 1, first, node.last)


def _below(item: Document, level: int, first: int | None, last: int | None) -> Iterator[Document]:
    """Members of `item`, which are at `level`, and theirs, as far as they are between the levels; None: the leaves."""
    if last is not None and level > last:
        return
    children = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
    for child in children:
        leaf = not isinstance(child, dict | list)
        if (first is None and leaf) or (first is not None and level >= first):
            yield child
        yield from _below(child, level + 1, first, last)


# --- methods, arithmetic -----------------------------------------------------------------------------------------------


def _is_number(item: Document) -> bool:
    return isinstance(item, int | Decimal) and not isinstance(item, bool)


def _method(name: str, item: Document, scope: Scope, unwrap: bool) -> Iterator[Document]:
    if name == "type":
        yield type_name(item)
    elif name == "size":
        if not isinstance(item, list) and scope.strict:
            if scope.strict_here:
                raise InputError(_NO_ARRAY, "jsonpath item method .size() can only be applied to an array")
            return
        yield len(item) if isinstance(item, list) else 1
    elif unwrap and isinstance(item, list):
        for element in item:
            yield from _method(name, element, scope, False)
    elif name == "double":
        yield _double(item)
    elif not _is_number(item):
        raise InputError(
            _BAD_ARGUMENT, f"jsonpath item method .{name}() can only be applied to a numeric value"
        )
    elif name == "abs":
        yield abs(item) if isinstance(item, int) else item.copy_abs()
    else:
        yield _rounded(item, "ROUND_FLOOR" if name == "floor" else "ROUND_CEILING")


def _rounded(item: Decimal | int, rounding: str) -> int:
    return item if isinstance(item, int) else int(item.to_integral_value(rounding, _ARITHMETIC))


def _double(item: Document) -> Document:
    from ...text.text_input import from_text  # which knows jsonb, too

    if not isinstance(item, str) and not _is_number(item):
        message = "jsonpath item method .double() can only be applied to a string or numeric value"
        raise InputError(_BAD_ARGUMENT, message)
    text = item if isinstance(item, str) else number_text(item)
    parsed = from_text(pa.array([text]), FLOAT8)
    value = parsed.values[0].as_py()
    if value is None:
        message = f'argument "{text}" of jsonpath item method .double() is invalid for type double precision'
        raise InputError(_BAD_ARGUMENT, message)
    if value - value != 0:
        raise InputError(_BAD_ARGUMENT, "NaN or Infinity is not allowed for jsonpath item method .double()")
    return Decimal(number_text(Decimal(f"{value:.15g}"))) if isinstance(item, str) else item


def _unwrapped(node: p.Expression, scope: Scope) -> Iterator[Document]:
    for item in _items(node, scope):
        if isinstance(item, list) and not scope.strict:
            yield from item
        else:
            yield item


def _computed(node: p.Sign | p.Arithmetic, scope: Scope) -> Iterator[Document]:
    if isinstance(node, p.Sign):
        for item in _unwrapped(node.arg, scope):
            if not _is_number(item):
                message = f"operand of unary jsonpath operator {node.sign} is not a numeric value"
                raise InputError(_NO_NUMBER, message)
            yield item if node.sign == "+" else _ARITHMETIC.minus(Decimal(item))
        return
    sides: list[Decimal] = []
    for side, name in ((node.left, "left"), (node.right, "right")):
        found = list(_unwrapped(side, scope))
        if len(found) != 1 or not _is_number(found[0]):
            message = f"{name} operand of jsonpath operator {node.sign} is not a single numeric value"
            raise InputError(_NOT_SINGLE, message)
        sides.append(Decimal(found[0]))
    yield _arithmetic(node.sign, *sides)


def _arithmetic(sign: str, left: Decimal, right: Decimal) -> Decimal:
    """As numeric computes it, the digits after the point included."""
    match sign:
        case "+":
            return _ARITHMETIC.add(left, right)
        case "-":
            return _ARITHMETIC.subtract(left, right)
        case "*":
            return _ARITHMETIC.multiply(left, right)
    if not right:
        raise InputError("22012", "division by zero")
    if sign == "%":
        scale = max(_scale(left), _scale(right))
        return _ARITHMETIC.remainder(left, right).quantize(Decimal((0, (1,), -scale)), context=_ARITHMETIC)
    scale = _quotient_scale(left, right)
    quotient = _ARITHMETIC.copy()
    quotient.prec = max(left.adjusted() - right.adjusted(), 0) + scale + 30
    quotient.rounding = "ROUND_DOWN"
    exact = quotient.divide(left, right)
    if quotient.flags[Inexact]:  # never a tie then: what was cut off counts
        sticky = Decimal((exact.as_tuple().sign, (1,), -(scale + 25)))
        exact = _ARITHMETIC.add(exact, sticky)
    return exact.quantize(Decimal((0, (1,), -scale)), rounding="ROUND_HALF_UP", context=_ARITHMETIC)


def _scale(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    assert isinstance(exponent, int)
    return max(-exponent, 0)


def _quotient_scale(left: Decimal, right: Decimal) -> int:
    """PostgreSQL's select_div_scale: at least 16 significant digits, counted in groups of four."""
    (weight, first), (other_weight, other_first) = _group(left), _group(right)
    weight -= other_weight + (first <= other_first)
    return min(max(16 - weight * 4, _scale(left), _scale(right), 0), 1000)


def _group(number: Decimal) -> tuple[int, int]:
    """The power of 10,000 that a number begins at, and its digit there."""
    if not number:
        return 0, 0
    weight = number.adjusted() // 4
    return weight, int(_ARITHMETIC.scaleb(abs(number), -4 * weight))


# --- predicates ----------------------------------------------------------------------------------------------------------


def _truth(node: p.Expression, scope: Scope) -> bool | None:
    match node:
        case p.Connective(sign=sign, left=left, right=right):
            absorbing = sign == "||"
            first = _truth(left, scope)
            if first is absorbing:
                return absorbing
            second = _truth(right, scope)
            return absorbing if second is absorbing else None if None in (first, second) else not absorbing
        case p.Not(arg=arg):
            found = _truth(arg, scope)
            return None if found is None else not found
        case p.IsUnknown(arg=arg):
            return _truth(arg, scope) is None
        case p.Exists(arg=arg):
            try:
                return _any(arg, scope)
            except InputError as error:
                _raise_unless_unknown(error)
                return None
        case p.Comparison(sign=sign, left=left, right=right):
            return _pairs(left, right, lambda a, b: _compared(sign, a, b), scope)
        case p.StartsWith(arg=arg, prefix=prefix):
            return _pairs(arg, prefix, _starts, scope)
        case _:
            raise InputError("42601", "a predicate is expected in jsonpath input")


def _raise_unless_unknown(error: InputError) -> None:
    """A mistake inside of a predicate makes it unknown; a missing variable is missing everywhere."""
    if error.sqlstate == "42704":
        raise error


def _pairs(
    left: p.Expression,
    right: p.Expression,
    test: Callable[[Document, Document], bool | None],
    scope: Scope,
) -> bool | None:
    try:
        lefts, rights = list(_unwrapped(left, scope)), list(_unwrapped(right, scope))
    except InputError as error:
        _raise_unless_unknown(error)
        return None
    found = unclear = False
    for a in lefts:
        for b in rights:
            result = test(a, b)
            if result is None:
                if scope.strict:
                    return None
                unclear = True
            elif result:
                if not scope.strict:
                    return True
                found = True
    return True if found else None if unclear else False


def _starts(text: Document, prefix: Document) -> bool | None:
    return text.startswith(prefix) if isinstance(text, str) and isinstance(prefix, str) else None


_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def _compared(sign: str, left: Document, right: Document) -> bool | None:
    kind = type_name(left)
    if kind != type_name(right):
        return sign == "!=" if left is None or right is None else None
    if kind in ("array", "object"):
        return None
    if left is None:
        return sign in ("==", "<=", ">=")
    return _OPERATORS[sign](left, right)
