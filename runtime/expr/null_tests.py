"""NULL tests of computed values as NULL tests of what they are computed from.

```
md5(a::text) IS NULL       a IS NULL
a || b IS NULL             a IS NULL OR b IS NULL
a || b IS NOT NULL         a IS NOT NULL AND b IS NOT NULL
```

That is so for functions and casts that are NULL where an argument is, and nowhere else, and that never fail.  Then nothing is
computed, and the statistics of the columns say which parts have such rows.  Rows of arrays and records are left
alone: a comparison of two that hold NULLs may be NULL.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..repr.types import JSONB, NESTED
from .coercion.casts import cast_can_fail
from .registry import overload_of, resolve_call
from .tree.scalar import And, Call, Cast, Or, Scalar

NULL_TESTS = frozenset(("is_null", "is_not_null"))


def null_test(test: Call) -> Scalar:
    """The same value as `test`, a call of one of NULL_TESTS."""
    (value,) = test.args
    sources = tuple(dict.fromkeys(_sources(value)))
    if sources == (value,):
        return test
    tests = tuple(resolve_call(test.function, (source,)) for source in sources)
    if len(tests) == 1:
        return tests[0]
    return Or(tests) if test.function == "is_null" else And(tests)


def _sources(value: Scalar) -> Iterator[Scalar]:
    """Values of which one is NULL exactly where `value` is."""
    args = _strict_args(value)
    if not args:
        yield value
    for arg in args:
        yield from _sources(arg)


def _strict_args(value: Scalar) -> tuple[Scalar, ...]:
    match value:
        case Call(function=function, args=args) if _plain(args):
            overload = overload_of(function, tuple(arg.type for arg in args))
            certain = overload.strict and overload.nullable is None and not overload.can_fail
            return args if certain else ()
        case Cast(arg=arg, type=type_) if (
            _plain((arg,)) and not value.can_make_null and not cast_can_fail(arg.type, type_)
        ):
            return (arg,)
        case _:
            return ()


def _plain(args: tuple[Scalar, ...]) -> bool:
    return all(arg.type.kind not in NESTED and arg.type != JSONB for arg in args)
