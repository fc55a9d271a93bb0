"""Relations called otherwise in the text of a query.

A name that says its schema names one relation wherever it stands: `s.t` in FROM, and `s.t` before a column or a star.  A name without a
schema stays: it is looked up where the text is run, and may be that of a WITH.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from ...errors import PtvcError
from ...expr.functions.system.system import quote_ident
from ..parser.lexer import Token, TokenKind, tokenize
from ..parser.parse import parse
from ..syntax import ast

Place = tuple[str, str]
"""A schema, and a name in it."""

Edit = tuple[int, int, str]
"""From where to where, and what stands there instead."""


def moved_in_text(text: str, moved: Mapping[Place, Place]) -> str:
    """`text`, one query, with every relation called what `moved` says, all at once.

    What names columns by the relation (`t.x`) goes on doing so: one that has another name gets the old one as its alias.
    A text that cannot be parsed any more, of an older version, stays as it is: it is only shown.
    """
    if not any(schema in text and name in text for schema, name in moved):
        return text
    try:
        statements = parse(text)
    except PtvcError:
        return text
    if len(statements) != 1:
        return text
    tokens = tokenize(text)
    starts = {token.start: index for index, token in enumerate(tokens)}
    edits: list[Edit] = []
    for node in _nodes(statements[0].node):
        match node:
            case ast.TableRef(name=(*_, schema, name)) if (schema, name) in moved:
                edits += _of_table(node, tokens, starts[node.position - 1], moved[schema, name])
            case ast.Name(parts=(*_, schema, name, _)) | ast.Star(qualifier=(*_, schema, name)) if (
                schema,
                name,
            ) in moved:
                parts = node.parts[:-1] if isinstance(node, ast.Name) else node.qualifier
                edits += _of_column(parts, tokens, starts[node.position - 1], moved[schema, name])
    pieces, done = [], 0
    for start, end, instead in sorted(edits):
        pieces += [text[done:start], instead]
        done = end
    return "".join((*pieces, text[done:]))


def _nodes(node: Any) -> Iterator[Any]:
    """The node, and all below it."""
    pending = [node]
    while pending:
        one = pending.pop()
        if isinstance(one, tuple):
            pending += one
        elif is_dataclass(one):
            yield one
            pending += [getattr(one, field.name) for field in fields(one)]


def _of_table(node: ast.TableRef, tokens: list[Token], at: int, to: Place) -> Iterator[Edit]:
    first = tokens[at]
    while not _stands_at(node.name, tokens, at):  # behind ONLY, TABLE, CHANGES (
        at += 1
    at += 2 * (len(node.name) - 2)
    schema, name = tokens[at], tokens[at + 2]
    yield _named(schema, to[0])
    if to[1] == node.name[-1]:
        return
    yield _named(name, to[1])
    if node.alias is None and first.value != "table":
        star = tokens[at + 3]
        end = star.end if star.kind is TokenKind.OPERATOR and star.value == "*" else name.end
        yield end, end, f" AS {quote_ident(node.name[-1])}"


def _of_column(relation: tuple[str, ...], tokens: list[Token], at: int, to: Place) -> Iterator[Edit]:
    """The name of a column, or a star, behind that of its relation."""
    schema = at + 2 * (len(relation) - 2)
    if to[1] == relation[-1]:
        yield _named(tokens[schema], to[0])
    else:
        yield tokens[at].start, tokens[schema + 2].start, ""


def _stands_at(name: tuple[str, ...], tokens: list[Token], at: int) -> bool:
    parts = tokens[at : at + 2 * len(name) - 1 : 2]
    return tuple(token.value for token in parts) == name and all(
        token.kind in (TokenKind.NAME, TokenKind.QUOTED) for token in parts
    )


def _named(token: Token, name: str) -> Edit:
    """Quoted where it was."""
    quoted = '"' + name.replace('"', '""') + '"'
    return token.start, token.end, quoted if token.kind is TokenKind.QUOTED else quote_ident(name)
