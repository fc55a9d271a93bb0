"""Random objects of the vocabulary, as the annotations of their fields allow them."""

from __future__ import annotations

import enum
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa

DEEP = 3
TEXTS = ("", "a", "é\0\x7f日本", "\ud800", '"\\', "x" * 300)
NUMBERS = (0, 1, -1, 2**31, 2**63, 2**64 - 1, -(2**63), 10**40)
FLOATS = (0.0, -0.0, 1.5, 1e308, 5e-324, float("inf"), float("-inf"), float("nan"))
TIMES = (
    date(2024, 2, 29),
    datetime(1, 1, 1, 0, 0, 0, 1),
    datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC),
    datetime(2024, 1, 1, tzinfo=timezone(timedelta(hours=-3, minutes=-30))),
    time(23, 59, 59, 5),
    timedelta(-1, 5, 7),
)
BYTES = (b"", b"\x00\xff", b"y" * 1_000)


def draw_object(cls: Any, random: Random, depth: int = 0) -> Any:
    hints = get_type_hints(cls, localns={})
    names = [field.name for field in fields(cls)] if is_dataclass(cls) else cls._fields
    return cls(*[draw(hints[name], random, depth + 1) for name in names])


def draw(annotation: Any, random: Random, depth: int) -> Any:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is types.UnionType or origin is Union:
        return draw(_chosen(args, random, depth), random, depth)
    few = range(0 if depth > DEEP else random.choice((0, 1, 1, 2)))
    if origin is tuple and args[1:] != (...,):
        return tuple(draw(arg, random, depth) for arg in args)
    if origin is tuple:
        return tuple(draw(args[0], random, depth) for _ in few)
    if origin is frozenset:
        return frozenset(draw(args[0], random, depth) for _ in few)
    if origin is list:
        return [draw(args[0], random, depth) for _ in few]
    if origin in (dict, Mapping):
        return {draw(args[0], random, depth): draw(args[1], random, depth) for _ in few}
    if origin is np.ndarray:
        return np.array([random.getrandbits(64) for _ in few], dtype=np.uint64)
    return _simple(getattr(annotation, "__supertype__", annotation), random, depth)


def _chosen(args: tuple[Any, ...], random: Random, depth: int) -> Any:
    """Where there is much already, one that has no other objects in it, if there is one."""
    if depth > DEEP:
        small = [arg for arg in args if not (is_dataclass(arg) and _holds_more(arg, args))]
        args = tuple(small) or args
    return random.choice(args)


def _holds_more(cls: Any, others: tuple[Any, ...]) -> bool:
    text = repr(get_type_hints(cls, localns={}))
    return any(is_dataclass(other) and other.__qualname__ in text for other in others)


def _simple(annotation: Any, random: Random, depth: int) -> Any:
    plain: dict[Any, tuple[Any, ...]] = {
        type(None): (None,),
        bool: (False, True),
        int: NUMBERS,
        float: FLOATS,
        str: TEXTS,
        bytes: BYTES,
        Path: (Path("/a/b"), Path("c")),
        pa.Array: (pa.array([1, None]), pa.array(["a"]), pa.array([], pa.decimal128(38, 2))),
    }
    if annotation is Any:
        return draw_any(random, depth)
    if annotation in plain:
        return random.choice(plain[annotation])
    if issubclass(annotation, enum.Enum):
        return random.choice(list(annotation))
    return draw_object(annotation, random, depth)


def draw_any(random: Random, depth: int) -> Any:
    plain = (None, True, *NUMBERS, *FLOATS, *TEXTS, *BYTES[:2], Decimal("-1.50"), Decimal("NaN"), *TIMES)
    shape = random.choice(("plain", "plain", "list", "tuple", "dict")) if depth <= DEEP else "plain"
    few = range(random.randrange(3))
    if shape == "list":
        return [draw_any(random, depth + 1) for _ in few]
    if shape == "tuple":
        return tuple(draw_any(random, depth + 1) for _ in few)
    if shape == "dict":
        return {random.choice(TEXTS): draw_any(random, depth + 1) for _ in few}
    return random.choice(plain)


def described(value: Any) -> Any:
    """What makes two values the same: types, too, and of floats the bits."""
    if is_dataclass(value) and not isinstance(value, type):
        return type(value), tuple(described(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, tuple | list):
        return type(value), tuple(map(described, value))
    if isinstance(value, frozenset):
        return frozenset, frozenset(map(described, value))
    if isinstance(value, dict):
        return dict, tuple((described(key), described(one)) for key, one in value.items())
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.tolist()
    if isinstance(value, pa.Array):
        return str(value.type), value.to_pylist()
    return type(value), repr(value)
