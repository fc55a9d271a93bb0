"""A function as a worker has loaded it: how rows become its arguments, what is called, and what its failures say."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from ...repr.types import ScalarType
from .transport import Convert

_MOST_TEXT = 500
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


class Unusable(Exception):
    """There is nothing to be called: SQLSTATE and message."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """`read` makes of a column what `call` takes, with `Misfit` objects for what it cannot take; `convert` of what it gives a
    value for `transport(returns)`, or raises Misfit.  `failure` is SQLSTATE and message of what else was raised.
    `settle` comes after the rows of a batch."""

    name: str
    arguments: tuple[ScalarType, ...]
    returns: ScalarType
    read: Callable[[pa.Array, ScalarType], list[Any]]
    call: Callable[..., Any]
    convert: Convert
    failure: Callable[[BaseException], tuple[str, str]]
    settle: Callable[[], None] = lambda: None


def said(name: str, before: str, text: str) -> str:
    """The same for the same error in any process, so that it retracts: without addresses in memory."""
    if len(text) > _MOST_TEXT:
        text = f"{text[:_MOST_TEXT]}..."
    text = _ADDRESS.sub("0x...", text).replace("\0", "")
    return f"function {name} {before}{text}".encode(errors="replace").decode()


def error_text(error: BaseException) -> str:
    """`ValueError: what it says`"""
    try:
        text = str(error)
    except BaseException:  # code of users, again
        text = ""
    kind = type(error).__name__
    return f"{kind}: {text}" if text else kind
