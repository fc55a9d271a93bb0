"""What a call of a function in Python or JavaScript carries: everything that decides its value."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache

from ...repr.schema import type_to_json
from ...repr.types import ScalarType

DEFAULT_TIMEOUT_MS = 10_000

NAMES = {"python": "Python", "javascript": "JavaScript"}
"""How the languages are written."""


@dataclass(frozen=True, slots=True)
class ExternalFunction:
    """In Python `handler` is what `source` defines: a function of `arguments`, or of an aggregate a class with `accumulate` and
    `finish`.  In JavaScript `source` is the body of a function of `parameters`, or of an aggregate a module.

    `strict`: NULL, without a call, where an argument is.  `volatile`: the same arguments may give another value.  An
    aggregate takes one argument, the array of a group's inputs: records, where there are several.  `timeout_ms` is for one
    call; it belongs to the function since the error of a row that takes longer must be the same again.  `pure`: JavaScript
    finds no clock, no random numbers and nothing that tells when memory is freed.

    The defaults are what a stored plan means that was made when there was Python only.
    """

    name: str
    handler: str
    source: str
    arguments: tuple[ScalarType, ...]
    returns: ScalarType
    strict: bool
    volatile: bool
    aggregate: bool
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    language: str = "python"
    parameters: tuple[str, ...] = ()
    pure: bool = False


@dataclass(frozen=True, slots=True)
class Described:
    """A function as it is sent to a worker; `key` identifies it."""

    key: str
    text: bytes


@lru_cache(maxsize=1024)
def described(function: ExternalFunction) -> Described:
    """JSON of what a worker needs to make the function."""
    text = json.dumps(
        {
            "name": function.name,
            "handler": function.handler,
            "source": function.source,
            "arguments": [type_to_json(type_) for type_ in function.arguments],
            "returns": type_to_json(function.returns),
            "aggregate": function.aggregate,
            "language": function.language,
            "parameters": function.parameters,
            "pure": function.pure,
        }
    ).encode()
    return Described(hashlib.sha256(text).hexdigest(), text)
