"""A `json`: the text as it was written, white space, repeated keys and the spelling of numbers included.

So what an expression takes out of one is a piece of that text.  The texts here are known to be JSON: scanning looks for
the ends of values only, by regular expressions that skip strings whole.  Of a key that repeats the last value
counts, where one is asked for; functions that list members list all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from json.encoder import encode_basestring

from ..datetimes.datetime_input import InputError
from ..digits import whole
from ..jsonb.document import check_characters

_SPACE = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SCALAR = re.compile(r"[^ \t\n\r,\]}]+")
_NESTING = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_STRICT = json.JSONDecoder()

Step = str | int


def checked(text: str) -> str:
    """The text; 22P05 and 22P02 where a string of it has an escape that no text can hold."""
    check_characters(text)
    return text


def kind_of(text: str) -> str:
    """As json_typeof says it."""
    match text[_skip(text, 0)]:
        case "{":
            return "object"
        case "[":
            return "array"
        case '"':
            return "string"
        case "t" | "f":
            return "boolean"
        case "n":
            return "null"
        case _:
            return "number"


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def _end(text: str, start: int) -> int:
    """Where the value ends that begins at `start`."""
    if text[start] not in "{[":
        match = (_STRING if text[start] == '"' else _SCALAR).match(text, start)
        assert match is not None
        return match.end()
    depth = 0
    for mark in _NESTING.finditer(text, start):
        if mark[0] in "{[":
            depth += 1
        elif mark[0] in "}]":
            depth -= 1
            if not depth:
                return mark.end()
    raise AssertionError("the text is JSON")


def members(text: str) -> Iterator[tuple[str, str]]:
    """Keys and values of an object, in their order."""
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "}":
        stop = _end(text, at)
        key = string(text[at:stop])
        start = _skip(text, _skip(text, stop) + 1)
        stop = _end(text, start)
        yield key, text[start:stop]
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)


def elements(text: str) -> Iterator[str]:
    """Elements of an array."""
    at = _skip(text, _skip(text, 0) + 1)
    while text[at] != "]":
        stop = _end(text, at)
        yield text[at:stop]
        at = _skip(text, stop)
        if text[at] == ",":
            at = _skip(text, at + 1)


def string(text: str) -> str:
    """The characters of a string."""
    if "\\" not in text:
        return text[1:-1]
    found: str = _STRICT.decode(text)
    return found


def shown(text: str) -> str | None:
    """What ->> gives: a string without its quotes, NULL for null, else the text."""
    if text[0] == '"':
        return string(text)
    return None if text == "null" else text


def _part(text: str, step: Step) -> str | None:
    opening = text[_skip(text, 0)]
    if isinstance(step, str):
        if opening != "{":
            return None
        found = [value for key, value in members(text) if key == step]
        return found[-1] if found else None
    if opening != "[":
        return None
    items = list(elements(text))
    return items[step] if -len(items) <= step < len(items) else None


def get(text: str, step: Step) -> str | None:
    """text -> step"""
    return _part(checked(text), step)


def get_text(text: str, step: Step) -> str | None:
    """text ->> step"""
    found = get(text, step)
    return None if found is None else shown(found)


_INDEX = re.compile(r"[ \t\n\v\f\r]*[+-]?[0-9]+\Z")


def at_path(text: str, path: Sequence[str | None]) -> str | None:
    """text #> path"""
    found: str | None = checked(text)
    if not path:
        return text
    for element in path:
        if element is None or found is None:
            return None
        opening = found[_skip(found, 0)]
        if opening == "[":
            index = whole(element) if _INDEX.match(element) else None
            found = None if index is None or not -(1 << 31) <= index < 1 << 31 else _part(found, index)
        else:
            found = _part(found, element)
    return found


def at_path_text(text: str, path: Sequence[str | None]) -> str | None:
    """text #>> path"""
    found = at_path(text, path)
    return None if found is None else shown(found.strip(" \t\n\r") if not path else found)


def length(text: str) -> int:
    """How many elements an array has."""
    kind = kind_of(text)
    if kind != "array":
        what = "a non-array" if kind == "object" else "a scalar"
        raise InputError("22023", f"cannot get array length of {what}")
    return sum(1 for _ in elements(text))


def listed(text: str, name: str) -> list[str]:
    """The elements of an array, for function `name`."""
    kind = kind_of(text)
    if kind != "array":
        raise InputError("22023", f"cannot call {name} on a {'non-array' if kind == 'object' else 'scalar'}")
    return list(elements(checked(text)))


def paired(text: str, name: str) -> list[tuple[str, str]]:
    """The members of an object, for function `name`."""
    kind = kind_of(text)
    if kind != "object":
        what = "an array" if kind == "array" else "a scalar"
        raise InputError("22023", f"cannot call {name} on {what}")
    return list(members(checked(text)))


# --- texts made anew ---------------------------------------------------------------------------------------------------

_TOKEN = re.compile(r'[ \t\n\r]*("(?:[^"\\]|\\.)*"|[\[\]{}:,]|[^ \t\n\r,:\[\]{}"]+)')


def without_nulls(text: str, in_arrays: bool = False) -> str:
    """json_strip_nulls: fields that are null vanish, and elements of arrays if so wanted; repeated keys stay."""
    out: list[str] = []
    objects: list[bool] = []
    """Of what is open, inner ones last: whether it is an object."""
    first = True  # nothing stands before the next member in what is open
    key: str | None = None

    def begin() -> None:
        out.append("" if first else ",")
        if key is not None:
            out.append(key + ":")

    for found in _TOKEN.finditer(checked(text)):
        token = found[1]
        if token in ",:":
            continue
        if token in "]}":
            out.append(token)
            objects.pop()
            first = False
            continue
        if objects and objects[-1] and key is None:
            key = encode_basestring(string(token))
            continue
        if token in "[{":
            begin()
            out.append(token)
            objects.append(token == "{")
            first = True
        elif token != "null" or not objects or not (objects[-1] or in_arrays):
            begin()
            out.append(encode_basestring(string(token)) if token[0] == '"' else token)
            first = False
        key = None
    return "".join(out)


def object_of_pairs(items: Sequence[str | None]) -> str:
    """json_object of keys and values in turn."""
    if len(items) % 2:
        raise InputError("2202E", "array must have even number of elements")
    return object_of(items[::2], items[1::2])


def object_of(keys: Sequence[str | None], values: Sequence[str | None]) -> str:
    """json_object: strings and nulls under strings."""
    if len(keys) != len(values):
        raise InputError("2202E", "mismatched array dimensions")
    if None in keys:
        raise InputError("22004", "null value not allowed for object key")
    shown = ("null" if value is None else encode_basestring(value) for value in values)
    return (
        "{"
        + ", ".join(
            f"{encode_basestring(key or '')} : {value}" for key, value in zip(keys, shown, strict=True)
        )
        + "}"
    )
