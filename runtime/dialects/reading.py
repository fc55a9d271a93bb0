"""Text to sqlglot's tree, as it was written.

Functions keep in the tree where they stand, and so the name that they were called by.  dbt renders relations as PostgreSQL quotes
them, in a text whose dialect may use `"` for strings: `"a"."b"`, which is no string in any, is a name in all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.dialects import BigQuery, Databricks, Dialect, DuckDB, Redshift, Snowflake
from sqlglot.errors import ParseError, SqlglotError, TokenError
from sqlglot.tokenizer_core import TokenType

from ..errors import InvalidParameter, SqlSyntaxError, Unsupported

if TYPE_CHECKING:
    from sqlglot.tokenizer_core import Token

DIALECTS: dict[str, type[Dialect]] = {
    "bigquery": BigQuery,
    "databricks": Databricks,
    "duckdb": DuckDB,
    "redshift": Redshift,
    "snowflake": Snowflake,
}

_ESCAPES = "\\'\"nrt`"
"""What may follow a backslash in a string: it is the same everywhere, and sqlglot reads it."""


def read(sql: str, dialect: str) -> exp.Expr:
    """The tree of the one query in `sql`.  Raises SqlSyntaxError, and Unsupported for strings that are not read here."""
    if dialect not in DIALECTS:
        raise InvalidParameter(
            f'there is no dialect "{dialect}"', hint=f"There are: {', '.join(sorted(DIALECTS))}."
        )
    reader = DIALECTS[dialect]()
    try:
        tokens = _named(reader.tokenize(sql), sql)
        if dialect == "redshift":
            tokens = [_told_apart(token) for token in tokens]
        _check_strings(tokens, sql, backslash=dialect in ("bigquery", "databricks", "snowflake"))
        trees = [tree for tree in reader.parser().parse(tokens, sql) if tree is not None]
    except ParseError as error:
        found = error.errors[0] if error.errors else {}
        raise SqlSyntaxError(
            f"{dialect}: {found.get('description') or error}", position=_position(sql, found)
        ) from error
    except (TokenError, SqlglotError) as error:
        raise SqlSyntaxError(f"{dialect}: {error}") from error
    except RecursionError:
        raise SqlSyntaxError("the query nests too deeply", sqlstate="54001") from None
    if len(trees) != 1:
        raise SqlSyntaxError("one statement is expected here" if trees else "there is no query here")
    tree: exp.Expr = trees[0]
    return tree


def _position(sql: str, found: dict[str, object]) -> int | None:
    line, column = found.get("line"), found.get("col")
    if not isinstance(line, int) or not isinstance(column, int):
        return None
    start = sum(len(text) for text in sql.splitlines(keepends=True)[: line - 1])
    return start + max(column - len(str(found.get("highlight") or "")), 0) + 1


def _named(tokens: list[Token], sql: str) -> list[Token]:
    """Strings in double quotes that a dot joins are names."""
    for at in range(len(tokens) - 2):
        parts = tokens[at : at + 3]
        if parts[1].token_type is TokenType.DOT and all(_double_quoted(part, sql) for part in parts[::2]):
            for place in (at, at + 2):
                tokens[place] = _as(tokens[place], TokenType.IDENTIFIER, tokens[place].text)
    return tokens


def _as(token: Token, type_: TokenType, text: str) -> Token:
    return type(token)(type_, text, token.line, token.col, token.start, token.end, token.comments)


def _told_apart(token: Token) -> Token:
    """sqlglot makes EXTRACT of DATE_PART; the name that Redshift itself has for it, it does not know."""
    is_it = token.token_type is TokenType.VAR and token.text.lower() == "date_part"
    return _as(token, TokenType.VAR, "pgdate_part") if is_it else token


def _double_quoted(token: Token, sql: str) -> bool:
    return token.token_type in (TokenType.STRING, TokenType.IDENTIFIER) and sql[token.start] == '"'


def _check_strings(tokens: list[Token], sql: str, *, backslash: bool) -> None:
    for token in tokens:
        if token.token_type is not TokenType.STRING or not backslash:
            continue
        written, at = sql[token.start : token.end + 1], 0
        while (at := written.find("\\", at)) >= 0:
            if at + 1 >= len(written) or written[at + 1] not in _ESCAPES:
                raise Unsupported(
                    f"the escape {written[at : at + 2]} in a string is not translated",
                    hint="Write the character itself.",
                    position=token.start + at + 1,
                )
            at += 2
