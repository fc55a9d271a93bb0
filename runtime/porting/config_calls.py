"""The arguments of `{{ config(...) }}`, changed in its text: what is not changed stays as it was written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from jinja2 import nodes

from .configs import Fate
from .jinja import dotted, expression
from .templates import Dynamic, Piece


@dataclass(frozen=True, slots=True)
class Argument:
    """`name = value` at `start:end` in the piece, commas aside.  `value` is None where it is not constant."""

    name: str
    value: Any
    start: int
    end: int
    value_start: int


def is_config(piece: Piece) -> bool:
    return re.match(r"(do\s+)?config\s*\(", piece.code) is not None


def arguments(piece: Piece) -> list[Argument]:
    """Raises Dynamic where they cannot be told apart."""
    opening = piece.raw.index("(")
    values = _values(piece)
    found, at = [], opening + 1
    for start, end in _between_commas(piece.raw, at):
        match = re.match(r"\s*(\w+)\s*=\s*", piece.raw[start:end])
        if match is None:
            if piece.raw[start:end].strip():
                raise Dynamic("arguments of config", piece.start)
            continue
        name_start = start + match.start(1)
        length = len(piece.raw[start:end].rstrip())
        found.append(
            Argument(match[1], values.get(match[1]), name_start, start + length, start + match.end())
        )
    return found


def _values(piece: Piece) -> Mapping[str, Any]:
    call = expression(Piece(piece.kind, "{{" + re.sub(r"^do\s+", "", piece.code) + "}}", piece.start))
    if not isinstance(call, nodes.Call) or dotted(call.node) != "config":
        raise Dynamic("arguments of config", piece.start)
    found = {}
    for one in call.kwargs:
        try:
            found[one.key] = one.value.as_const()
        except nodes.Impossible:
            found[one.key] = None
    return found


_TOKEN = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[()\[\]{},]""", re.DOTALL)


def _between_commas(raw: str, at: int) -> list[tuple[int, int]]:
    """Of a call whose opening parenthesis is before `at`."""
    found, depth, start = [], 0, at
    for match in _TOKEN.finditer(raw, at):
        sign = match[0]
        if sign in "([{":
            depth += 1
        elif sign in ")]}":
            if depth == 0:
                found.append((start, match.start()))
                return found
            depth -= 1
        elif sign == "," and depth == 0:
            found.append((start, match.start()))
            start = match.end()
    return found


def changed(piece: Piece, fates: Callable[[Argument], Fate | None], added: Mapping[str, str]) -> str:
    """The piece with each argument as its fate is, and others, with values as Jinja has them, behind.  Empty if nothing is left in it."""
    raw = piece.raw
    kept, dropped = [], False
    for argument in arguments(piece):
        fate = fates(argument)
        if fate is None or fate.value == "":
            kept.append((argument, raw[argument.start : argument.end]))
        elif fate.value is None:
            dropped = True
        else:
            kept.append((argument, f"{raw[argument.start : argument.value_start]}'{fate.value}'"))
    more = [f"{name}={value}" for name, value in added.items()]
    given = arguments(piece)
    if not kept and not more:
        return "" if given else raw
    begin, end = raw.index("(") + 1, raw.rindex(")")
    if not dropped:
        text, at = "", begin
        for argument, written in kept:
            text += raw[at : argument.start] + written
            at = argument.end
        tail = raw[at:end]
        if more:
            comma = "" if not given or tail.strip().startswith(",") else ","
            between = re.match(r"\s*", raw[begin:])
            apart = between[0] if between is not None and "\n" in between[0] else " " if given else ""
            text += comma + (tail.rstrip() if comma == "" else "") + apart + ", ".join(more)
            tail = tail if comma else raw[end - (len(tail) - len(tail.rstrip())) : end]
        return raw[:begin] + text + tail + raw[end:]
    between = re.match(r"\s*", raw[begin:])
    lines = between is not None and "\n" in between[0]
    separator = "," + (between[0] if lines and between is not None else " ")
    closing = re.search(r"\s*$", raw[begin:end])
    last = closing[0] if lines and closing is not None else ""
    inner = separator.join([*(written for _, written in kept), *more])
    return raw[:begin] + (between[0] if lines and between is not None else "") + inner + last + raw[end:]
