"""String literals of a query: a model that writes the name of what it reads into its rows means the place, not where that is staged."""

from __future__ import annotations

from collections.abc import Mapping

from dbt.adapters.ptvc.staging.names import renamed_schema
from ptvc.errors import PtvcError
from ptvc.sql.parser.lexer import Token, TokenKind, tokenize


def renamed_in_literals(sql: str, schemas: Mapping[str, str]) -> str:
    """`sql` with the schemas' names, old to new, in its string literals, of whichever quotes; names outside of them stay."""
    if not any(schema in sql for schema in schemas):
        return sql
    try:
        tokens = tokenize(sql, rows=False)
    except PtvcError:
        return sql  # the runtime will say what is wrong with it
    pieces, behind = [], 0
    for token in tokens:
        if token.kind is TokenKind.STRING:
            start, end = _content(sql, token)
            content = sql[start:end]
            for old, new in schemas.items():
                content = renamed_schema(content, old, new)
            pieces += [sql[behind:start], content]
            behind = end
    return "".join([*pieces, sql[behind:]])


def _content(sql: str, token: Token) -> tuple[int, int]:
    """Where it is between dollars: these would count as letters of a name.  Other quotes do not."""
    if sql[token.start] != "$":
        return token.start, token.end
    opening = sql.index("$", token.start + 1) + 1 - token.start
    return token.start + opening, token.end - opening
