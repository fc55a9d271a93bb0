"""A condition of an optimized plan as SQL, over columns of given names.

What it is read as is for the caller to compare: optimizing loses how a condition was written, and some have no text at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from ....expr.coercion.type_rules import base_name
from ....expr.functions.system.system import quote_ident, quote_literal
from ....expr.text.text_output import to_text
from ....expr.tree.scalar import And, Call, Case, Cast, Coalesce, ColumnRef, Literal, Or, Scalar
from ....repr.types import BOOL, INT4

_INFIX = {
    "eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "add": "+", "subtract": "-",
    "multiply": "*", "divide": "/", "modulo": "%", "concat_op": "||", "like": "LIKE", "not_like": "NOT LIKE",
    "ilike": "ILIKE", "not_ilike": "NOT ILIKE", "is_distinct_from": "IS DISTINCT FROM",
    "is_not_distinct_from": "IS NOT DISTINCT FROM",
}  # fmt: skip
_POSTFIX = {
    "is_null": "IS NULL", "is_not_null": "IS NOT NULL", "is_true": "IS TRUE", "is_not_true": "IS NOT TRUE",
    "is_false": "IS FALSE", "is_not_false": "IS NOT FALSE",
}  # fmt: skip


def condition_text(scalar: Scalar, names: Sequence[str]) -> str | None:
    """None for what is not written."""
    match scalar:
        case ColumnRef(index=index):
            return quote_ident(names[index])
        case Literal():
            return _literal(scalar)
        case Call(function="not", args=(arg,)):
            return _joined("(NOT {})", [arg], names)
        case Call(function=function, args=(arg,)) if function in _POSTFIX:
            return _joined(f"({{}} {_POSTFIX[function]})", [arg], names)
        case Call(function=function, args=(left, right)) if function in _INFIX:
            return _joined(f"({{}} {_INFIX[function]} {{}})", [left, right], names)
        case Call(function="in", args=(arg, *choices)):
            return _joined(f"({{}} IN ({', '.join('{}' for _ in choices)}))", [arg, *choices], names)
        case Call(function=function, args=args) if function.isidentifier():
            return _joined(f"{function}({', '.join('{}' for _ in args)})", args, names)
        case Cast(arg=arg, explicit=False):
            return condition_text(arg, names)  # whoever reads it, casts it
        case Cast(arg=arg, type=type_):
            return _joined(f"CAST({{}} AS {type_})", [arg], names)
        case And(args=args):
            return _joined(f"({' AND '.join('{}' for _ in args)})", args, names)
        case Or(args=args):
            return _joined(f"({' OR '.join('{}' for _ in args)})", args, names)
        case Coalesce(args=args):
            return _joined(f"coalesce({', '.join('{}' for _ in args)})", args, names)
        case Case(branches=branches, otherwise=otherwise):
            parts = [part for branch in branches for part in branch]
            whens = " ".join("WHEN {} THEN {}" for _ in branches)
            return _joined(f"CASE {whens} ELSE {{}} END", [*parts, otherwise], names)
        case _:
            return None


def _joined(form: str, parts: Sequence[Scalar], names: Sequence[str]) -> str | None:
    texts = [condition_text(part, names) for part in parts]
    return None if None in texts else form.format(*texts)


def _literal(literal: Literal) -> str:
    """A whole number, a text and a truth value as they are; others as strings of their type."""
    value, type_ = literal.value, literal.type
    if value is None:
        return f"CAST(NULL AS {type_})"
    if type_ == BOOL:
        return "true" if value else "false"
    if type_ == INT4 and value >= 0:
        return str(value)
    text: str = to_text(pa.array([value], type_.arrow), type_)[0].as_py()
    quoted = quote_literal(text).strip()
    return quoted if base_name(type_) == "text" else f"CAST({quoted} AS {type_})"
