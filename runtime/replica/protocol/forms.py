"""Forms: how the values of a field cross, which its annotation says.

| annotation | in JSON |
|---|---|
| None, bool, int, float, str | itself |
| tuple, list, frozenset | a list |
| Mapping | a list of keys, each followed by its value |
| a class of the vocabulary | the place of its row: a number; where an int may be, too, in a box |
| bytes, arrays of numpy and Arrow | the place of its buffer: a number |
| an enumeration, a path | a text |
| Any | itself; what is none of the first line, a list of a mark and what it is made of |

Whoever reads checks each value against the annotation before anything is made of it, so that a message which was read is one
that the other end could have written.
"""

from __future__ import annotations

import enum
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np
import pyarrow as pa

from .values import (
    PLAIN,
    ProtocolError,
    Raw,
    Reading,
    Writing,
    bad_type,
    read_any,
    read_array,
    read_bytes,
    read_words,
    write_any,
    write_array,
    write_bytes,
    write_words,
)

_MAY_BE = {float: frozenset({float, int, bool}), int: frozenset({int, bool})}
"""As Python has it: a bool is an int, and an int is taken for a float."""
_LIST = frozenset({list})
_PLACE = frozenset({int})
_TEXT = frozenset({str})
_MOST_SEEN = 256


Write = Callable[[Any, Writing], Raw]
Read = Callable[[Raw, Reading], Any]


@dataclass(frozen=True, slots=True)
class Form:
    """`types` are the Python types of the values, `raw` those that they have in JSON.  Without `write` and `read`, these are the values.
    `classes` are those of the vocabulary, where it is one of them."""

    types: frozenset[Any]
    raw: frozenset[Any]
    write: Write | None = None
    read: Read | None = None
    classes: frozenset[Any] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class ClassForm:
    """A class of the vocabulary, whose rows begin with its number.  `values` gives those of an object's fields, `raw` are the types that a
    row may have at each place, `writes` and `reads` convert the values at some.  `seen` are types of rows that were found to be right."""

    cls: Any
    values: Callable[[Any], tuple[Any, ...]]
    raw: tuple[frozenset[Any], ...]
    writes: tuple[tuple[int, Write], ...]
    reads: tuple[tuple[int, Read], ...]
    seen: set[tuple[type, ...]] = field(default_factory=set)

    def check(self, kinds: tuple[type, ...]) -> None:
        """Raises ProtocolError unless a row may have values of these types."""
        if len(kinds) != len(self.raw):
            raise ProtocolError(f"a {self.cls.__name__} has {len(self.raw)} values, and not {len(kinds)}")
        for kind, allowed in zip(kinds, self.raw, strict=True):
            if kind not in allowed:
                raise bad_type({kind})
        if len(self.seen) < _MOST_SEEN:
            self.seen.add(kinds)


@cache
def class_form(cls: Any) -> ClassForm:
    """Of a dataclass, or a named tuple."""
    hints = get_type_hints(cls, localns={})  # not what a class has by that name, as `bytes` of Values
    names = [one.name for one in fields(cls)] if is_dataclass(cls) else list(cls._fields)
    forms = [form_of(hints[name]) for name in names]
    return ClassForm(
        cls,
        _values_of(names),
        (_PLACE, *(form.raw for form in forms)),
        tuple((place, form.write) for place, form in enumerate(forms, 1) if form.write is not None),
        tuple((place, form.read) for place, form in enumerate(forms, 1) if form.read is not None),
    )


def _values_of(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    if len(names) < 2:
        return lambda value: tuple(getattr(value, name) for name in names)
    return attrgetter(*names)


def form_of(annotation: Any) -> Form:
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is types.UnionType or origin is Union:
        return _union([form_of(arg) for arg in args])
    if origin is tuple:
        return _sequence(form_of(args[0])) if args[1:] == (...,) else _fixed([form_of(arg) for arg in args])
    if origin is list:
        return _list(form_of(args[0]))
    if origin is frozenset:
        return _set(form_of(args[0]))
    if origin in (dict, Mapping):
        return _mapping(form_of(args[0]), form_of(args[1]))
    if origin is np.ndarray:
        return Form(frozenset({np.ndarray}), _PLACE, write_words, read_words)
    assert origin is None, annotation
    return _simple(getattr(annotation, "__supertype__", annotation))  # of a NewType


def _simple(annotation: Any) -> Form:
    if annotation is Any:
        return Form(frozenset({object}), PLAIN | _LIST, write_any, read_any)
    if annotation in PLAIN:
        found = _MAY_BE.get(annotation, frozenset({annotation}))
        return Form(found, found)
    if annotation is bytes:
        return Form(frozenset({bytes}), _PLACE, write_bytes, read_bytes)
    if annotation is pa.Array:
        return Form(frozenset({pa.Array}), _PLACE, write_array, read_array)
    if annotation is Path:
        return Form(frozenset({Path}), _TEXT, lambda path, _: str(path), lambda text, _: Path(text))
    if issubclass(annotation, enum.Enum):
        return Form(frozenset({annotation}), _TEXT, lambda one, _: one.name, lambda name, _: annotation[name])
    return _object(frozenset({annotation}))


def _object(classes: frozenset[Any]) -> Form:
    bases = tuple(classes)

    def read(place: int, reading: Reading) -> Any:
        found = reading.objects[place] if place >= 0 else None
        if type(found) not in classes and not isinstance(found, bases):
            raise ProtocolError(f"a {type(found).__name__} is where none may be")
        return found

    return Form(classes, _PLACE, lambda value, writing: writing.put(value), read, classes)


def _boxed(form: Form) -> Form:
    """Of an object where an int may be, too."""
    write, read = form.write, form.read
    assert write is not None
    assert read is not None

    def read_boxed(box: dict[str, Raw], reading: Reading) -> Any:
        match box:
            case {"at": int(place)} if len(box) == 1:
                return read(place, reading)
        raise ProtocolError("a box has no object")

    return Form(
        form.types, frozenset({dict}), lambda value, writing: {"at": write(value, writing)}, read_boxed
    )


def _union(forms: list[Form]) -> Form:
    """Told apart by their types, which is why no two that are converted have one in common."""
    plain = frozenset[Any]().union(*(form.types for form in forms if form.read is None))
    converted = [form for form in forms if form.read is not None and not form.classes]
    classes = frozenset[Any]().union(*(form.classes for form in forms))
    if classes:
        converted.append(_boxed(_object(classes)) if int in plain else _object(classes))
    by_raw = {found: form.read for form in converted for found in form.raw}
    assert len(by_raw) == sum(len(form.raw) for form in converted), forms
    assert not plain & by_raw.keys(), forms
    if not converted:
        return Form(plain, plain)

    @cache
    def write_of(kind: Any) -> Write | None:
        if kind in plain:
            return None
        for form in converted:
            if issubclass(kind, tuple(form.types)):
                return form.write
        raise TypeError(f"a {kind.__name__} is where none may be")

    def write(value: Any, writing: Writing) -> Raw:
        kind: Any = type(value)
        convert = write_of(kind)
        return value if convert is None else convert(value, writing)

    def read(raw: Raw, reading: Reading) -> Any:
        convert = by_raw.get(type(raw))
        return raw if convert is None else convert(raw, reading)

    writes = any(form.write is not None for form in converted)
    return Form(
        plain.union(*(form.types for form in converted)), plain.union(by_raw), write if writes else None, read
    )


def _read_each(form: Form, values: list[Raw], reading: Reading) -> list[Any]:
    if not form.raw.issuperset(map(type, values)):
        raise bad_type(set(map(type, values)) - form.raw)
    read = form.read
    return values if read is None else [read(value, reading) for value in values]


def _sequence(form: Form) -> Form:
    write = form.write

    def write_each(values: tuple[Any, ...], writing: Writing) -> Raw:
        assert write is not None
        return [write(value, writing) for value in values]

    return Form(
        frozenset({tuple}),
        _LIST,
        None if write is None else write_each,
        lambda values, reading: tuple(_read_each(form, values, reading)),
    )


def _fixed(forms: list[Form]) -> Form:
    def write(values: tuple[Any, ...], writing: Writing) -> Raw:
        return [
            value if form.write is None else form.write(value, writing)
            for form, value in zip(forms, values, strict=True)
        ]

    def read(values: list[Raw], reading: Reading) -> tuple[Any, ...]:
        if len(values) != len(forms):
            raise ProtocolError("a tuple has another number of values than it may have")
        return tuple(_read_each(form, [value], reading)[0] for form, value in zip(forms, values, strict=True))

    return Form(frozenset({tuple}), _LIST, write, read)


def _list(form: Form) -> Form:
    def write(values: list[Any], writing: Writing) -> Raw:
        if form.write is None or PLAIN.issuperset(map(type, values)):
            return values
        return [form.write(value, writing) for value in values]

    def read(values: list[Raw], reading: Reading) -> list[Any]:
        if PLAIN.issuperset(map(type, values)) and form.raw >= PLAIN:
            return values
        return _read_each(form, values, reading)

    return Form(frozenset({list}), _LIST, write, read)


def _set(form: Form) -> Form:
    each = _list(form)
    assert each.write is not None
    assert each.read is not None
    write, read = each.write, each.read
    return Form(
        frozenset({frozenset}),
        _LIST,
        lambda values, writing: write(list(values), writing),
        lambda values, reading: frozenset(read(values, reading)),
    )


def _mapping(key: Form, value: Form) -> Form:
    keys, values = _list(key), _list(value)
    assert keys.write is not None
    assert values.write is not None

    def write(mapping: Mapping[Any, Any], writing: Writing) -> Raw:
        return [keys.write(list(mapping), writing), values.write(list(mapping.values()), writing)]  # type: ignore[misc]

    def read(raw: list[Raw], reading: Reading) -> dict[Any, Any]:
        if len(raw) != 2 or not _LIST.issuperset(map(type, raw)):
            raise ProtocolError("a mapping is no list of keys and one of values")
        pairs = zip(keys.read(raw[0], reading), values.read(raw[1], reading), strict=True)  # type: ignore[misc]
        return dict(pairs)

    return Form(frozenset({Mapping}), _LIST, write, read)
