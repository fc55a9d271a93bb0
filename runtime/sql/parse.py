"""Text to statements.

The parser is our own from the first character to the last, expressions included.  A general SQL parser was measured
first (sqlglot 30, its PostgreSQL dialect) and gives other answers than PostgreSQL: it renames functions
(`to_char(x, 'YYYY')` becomes a format of `%Y`), lets `nvl`, `decode`, `==` and the type `string` pass, nests `||` and
`=` by other precedences, refuses `IN (1) + 2` and `SELECT(1)`, and most of its nodes know no position.  This one
takes about 1 ms for a query of six joins.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import PtvcError
from .lexer import TokenKind, tokenize
from .parse_statement import StatementParser
from .statements import StatementNode


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: `sql` is its own text; positions in `node` count from the start of `text`, all that was sent."""

    sql: str
    text: str
    node: StatementNode


def parse(sql: str) -> list[Statement]:
    """The statements of `sql`, in order; none for blank text and comments.

    Raises SqlSyntaxError (42601) with a 1-based position, Unsupported (0A000) for statements that are not there
    yet, and 54001 for text that nests too deeply.
    """
    try:
        return _parse(sql)
    except RecursionError:
        raise too_complex() from None


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
