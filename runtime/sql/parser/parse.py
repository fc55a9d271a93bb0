"""Text to statements.

The parser is our own from the first character to the last, expressions included.  A general SQL parser was tried
first (sqlglot 30, its PostgreSQL dialect) and does not keep what was written: `to_char(x, 'YYYY')` comes back with the
format `%Y`, `date_part` as EXTRACT, `strpos` as POSITION with its arguments turned round; it lets pass what PostgreSQL
refuses (`nvl`, `decode` as CASE, `==`, the type `string`, `a < b = c`, `'a' 'b'` on one line), refuses `SELECT(1)`, and
most of its nodes know no position, which errors need.  Text to syntax tree takes about 1.3 ms here for TPC-H's fifth
query, and 1.8 ms there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...errors import PtvcError, QueryCanceled
from ..syntax import ast
from ..syntax.definition_statements import WhereClause
from ..syntax.secret_text import without_secrets
from ..syntax.statements import StatementNode
from .lexer import TokenKind, tokenize
from .statement import StatementParser


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: `sql` is its own text; positions in `node` count from the start of `text`, all that was sent."""

    sql: str = field(repr=False)
    text: str = field(repr=False)
    node: StatementNode


def parse(sql: str) -> list[Statement]:
    """The statements of `sql`, in order; none for blank text and comments.

    Raises SqlSyntaxError (42601) with a 1-based position, Unsupported (0A000) for statements that are not there
    yet, and 54001 for text that nests too deeply.  What may be a secret is in no message.
    """
    try:
        return _parse(sql)
    except RecursionError:
        raise too_complex() from None
    except QueryCanceled:
        raise  # it says nothing of the text, which may be too long to be looked through now
    except PtvcError as error:
        shown = without_secrets(error, sql)
        if shown is error:
            raise
        raise shown from None


def parse_condition(text: str) -> WhereClause:
    """The condition of a source that `text` is, and nothing else; raises as `parse`."""
    parser = StatementParser(text, tokenize(text))
    condition = parser.expression()
    if parser.token.kind is not TokenKind.END:
        parser.fail()
    return WhereClause(condition, text, 0)


def parse_type(text: str) -> ast.TypeName:
    """The type that `text` names, and nothing else; raises as `parse`."""
    parser = StatementParser(text, tokenize(text))
    type_ = parser.type_name()
    if parser.token.kind is not TokenKind.END:
        parser.fail()
    return type_


def too_complex() -> PtvcError:
    return PtvcError(
        "stack depth limit exceeded", sqlstate="54001", hint="The statement is too long or nests too deeply."
    )


def _parse(sql: str) -> list[Statement]:
    parser = StatementParser(sql, tokenize(sql))
    statements: list[Statement] = []
    while True:
        while parser.accept_symbol(";"):
            pass
        if parser.token.kind is TokenKind.END:
            return statements
        start = parser.token.start
        node = parser.statement()
        end = parser.tokens[parser.index - 1].end
        statements.append(Statement(sql[start:end], sql, node))
