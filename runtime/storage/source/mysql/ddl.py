"""Statements in the binary log: which tables are not any more what they were.

Rows come as rows; what comes as a statement are definitions, and such as should not be there.  What a statement does is said too
broadly rather than too narrowly: a clause that is not known to leave rows and columns as they are is taken not to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""(?P<skip>\s+|--[^\n]*(?:\n|$)|\#[^\n]*(?:\n|$)|/\*(?!!|M!).*?\*/|/\*M?!\d*|\*/)
    |(?P<quoted>`(?:[^`]|``)*`|"(?:[^"\\]|""|\\.)*")
    |(?P<string>'(?:[^'\\]|''|\\.)*')
    |(?P<word>[^\s`"'(),;.=/*]+)
    |(?P<symbol>.)""",
    re.VERBOSE | re.DOTALL,
)
"""What stands in /*! ... */ is executed: its marks are passed over, not what they hold."""

_HARMLESS = frozenset(
    [
        "BEGIN",
        "COMMIT",
        "SAVEPOINT",
        "RELEASE",
        "XA",
        "GRANT",
        "REVOKE",
        "FLUSH",
        "ANALYZE",
        "OPTIMIZE",
        "REPAIR",
        "CHECK",
        "SET",
        "INSTALL",
        "UNINSTALL",
        "RESET",
        "START",
        "STOP",
        "CHANGE",
        "PURGE",
        "KILL",
        "SHUTDOWN",
        "USE",
        "LOCK",
        "UNLOCK",
    ]
)
_ALTER_HARMLESS = frozenset(
    [
        "ALTER",
        "ENABLE",
        "DISABLE",
        "ORDER",
        "FORCE",
        "ALGORITHM",
        "LOCK",
        "ENGINE",
        "AUTO_INCREMENT",
        "COMMENT",
        "ROW_FORMAT",
        "KEY_BLOCK_SIZE",
        "DEFAULT",
        "CHARACTER",
        "CHARSET",
        "COLLATE",
        "AVG_ROW_LENGTH",
        "MAX_ROWS",
        "MIN_ROWS",
        "PACK_KEYS",
        "STATS_PERSISTENT",
        "STATS_AUTO_RECALC",
        "STATS_SAMPLE_PAGES",
        "PAGE_COMPRESSED",
        "PAGE_COMPRESSION_LEVEL",
        "CHECKSUM",
        "TABLE_CHECKSUM",
        "DELAY_KEY_WRITE",
        "TRANSACTIONAL",
        "ENCRYPTED",
        "ENCRYPTION",
        "COMPRESSION",
        "AUTOEXTEND_SIZE",
        "ENCRYPTION_KEY_ID",
        "PARTITION",
        "REMOVE",
        "REORGANIZE",
        "REBUILD",
        "COALESCE",
        "ANALYZE",
        "CHECK",
        "OPTIMIZE",
        "REPAIR",
        "NOWAIT",
        "WAIT",
    ]
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What becomes of a table, of all of a schema (`table` None), or of all there are (`schema` None, too).  It is the readers of
    `columns` that it concerns, None: all; names of columns are in lower case.  Where it `moves` columns it concerns who knows them by their
    place, too.  `how` goes on with "table ... "."""

    how: str
    schema: str | None = None
    table: str | None = None
    columns: frozenset[str] | None = None
    moves: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    """A word in upper case; a quoted name as it is."""
    name: str
    is_word: bool


def _tokens(sql: str) -> list[_Token]:
    found = []
    for match in _TOKEN.finditer(sql):
        text = match[0]
        if match["quoted"]:
            mark = text[0]
            found.append(_Token("", text[1:-1].replace(mark * 2, mark), False))
        elif match["word"]:
            found.append(_Token(text.upper(), text, True))
        elif match["symbol"]:
            found.append(_Token(text, "", False))
        elif match["string"]:
            found.append(_Token("''", "", False))
    return found


class _Reader:
    def __init__(self, tokens: Sequence[_Token], schema: str) -> None:
        self._tokens, self._at, self._schema = tokens, 0, schema

    def accept(self, *words: str) -> bool:
        """Passes over one of these words."""
        if self._at < len(self._tokens) and self._tokens[self._at].text in words:
            self._at += 1
            return True
        return False

    def accepted(self, *words: str) -> str:
        """As `accept`, and which; empty: none."""
        return self.word() if self._at < len(self._tokens) and self._tokens[self._at].text in words else ""

    def passed(self, *words: str) -> bool:
        """Passes over these words, all of them in this order, or over none."""
        if [token.text for token in self._tokens[self._at : self._at + len(words)]] == list(words):
            self._at += len(words)
            return True
        return False

    def word(self) -> str:
        if self._at == len(self._tokens):
            return ""
        self._at += 1
        return self._tokens[self._at - 1].text

    def name(self) -> str:
        if self._at == len(self._tokens):
            return ""
        self._at += 1
        return self._tokens[self._at - 1].name

    def table(self) -> tuple[str, str]:
        first = self.name()
        return (first, self.name()) if self.accept(".") else (self._schema, first)

    def waits(self) -> None:
        """WAIT n, or NOWAIT."""
        if self.accept("WAIT"):
            self.word()
        self.accept("NOWAIT")

    def rest(self) -> Sequence[_Token]:
        return self._tokens[self._at :]


def effects(sql: str, schema: str) -> list[Effect]:
    """What a statement does to tables whose rows come as rows; `schema` is the one that names without a schema are in."""
    tokens = _tokens(sql)
    if [token.text for token in tokens[:2]] == ["SET", "STATEMENT"]:
        words = [token.text for token in tokens]
        tokens = tokens[words.index("FOR") + 1 :] if "FOR" in words else []
    reader = _Reader(tokens, schema)
    while reader.accept("("):
        pass
    match reader.word():
        case "CREATE":
            return list(_created(reader))
        case "DROP":
            return list(_dropped(reader))
        case "RENAME":
            return list(_renamed(reader))
        case "TRUNCATE":
            reader.accept("TABLE")
            return [Effect("was truncated upstream", *reader.table())]
        case "ALTER":
            return list(_altered(reader))
        case "DELETE" if reader.accept("FROM"):
            # What a table in memory had is gone with the server's restart, which is told so.
            of, rest = reader.table(), reader.rest()
            how = "was changed by a statement, not by rows (binlog_format)"
            return [Effect(how, *of)] if not rest else [Effect(how)]
        case word if word in _HARMLESS or not word:
            return []
        case _:
            return [Effect("may have been changed upstream by a statement, not by rows (binlog_format)")]


def _created(reader: _Reader) -> Iterator[Effect]:
    replaces = reader.passed("OR", "REPLACE")
    if reader.accept("TABLE") and replaces:
        yield Effect("was dropped upstream", *reader.table())


def _dropped(reader: _Reader) -> Iterator[Effect]:
    if reader.accept("DATABASE", "SCHEMA"):
        reader.passed("IF", "EXISTS")
        yield Effect("was dropped upstream", reader.name())
    elif reader.accept("TABLE", "TABLES"):
        reader.passed("IF", "EXISTS")
        while True:
            yield Effect("was dropped upstream", *reader.table())
            if not reader.accept(","):
                return


def _renamed(reader: _Reader) -> Iterator[Effect]:
    if not reader.accept("TABLE", "TABLES"):
        return
    reader.passed("IF", "EXISTS")
    while True:
        before = reader.table()
        reader.waits()
        reader.accept("TO")
        yield Effect(_renamed_to(*reader.table()), *before)
        if not reader.accept(","):
            return


def _renamed_to(schema: str, table: str) -> str:
    """What has become of a table that has this name now."""
    return f"was renamed upstream, to {schema}.{table}, which is its REFERENCE now"


def _altered(reader: _Reader) -> Iterator[Effect]:
    ignores = False
    while option := reader.accepted("ONLINE", "OFFLINE", "IGNORE"):
        ignores = ignores or option == "IGNORE"
    if not reader.accept("TABLE"):
        return
    reader.passed("IF", "EXISTS")
    schema, table = reader.table()
    reader.waits()
    if ignores:  # rows that a new key, check or partition does not allow are removed, and not as rows
        yield Effect(_ALTERED, schema, table)
    for part in _parts(reader.rest()):
        yield from _of_the_other(part, schema)
        found = _clause(_Reader(part, schema), {token.text for token in part}, part)
        if found is not None:
            yield Effect(found[0], schema, table, *found[1:])


def _parts(tokens: Sequence[_Token]) -> Iterator[Sequence[_Token]]:
    """What stands between commas that are in no parentheses."""
    depth, begin = 0, 0
    for at, token in enumerate(tokens):
        depth += (token.text == "(") - (token.text == ")")
        if token.text == "," and depth == 0:
            yield tokens[begin:at]
            begin = at + 1
    yield tokens[begin:]


def _of_the_other(part: Sequence[_Token], schema: str) -> Iterator[Effect]:
    """What a clause does to another table: its rows change places with those of a partition, or become one."""
    texts = [token.text for token in part]
    if texts[:1] == ["EXCHANGE"] and "TABLE" in texts:
        of = _Reader(part[texts.index("TABLE") + 1 :], schema).table()
        yield Effect("has the rows of a partition upstream", *of)
    elif texts[:2] == ["CONVERT", "TABLE"]:
        yield Effect("has become a partition of another table upstream", *_Reader(part[2:], schema).table())


_ALTERED = "was altered upstream"
_CASCADES = "has a foreign key now whose work is not in the binary log"


def _clause(
    reader: _Reader, words: set[str], part: Sequence[_Token]
) -> tuple[str, frozenset[str] | None, bool] | None:
    """What a clause of ALTER TABLE does, to readers of which columns, and whether it moves others; None: nothing that matters."""
    moves = bool(words & {"FIRST", "AFTER"})
    match reader.word():
        case "ADD":
            if "FOREIGN" in words | {"REFERENCES"} & words and words & {"CASCADE"}:
                return _CASCADES, None, False
            if "FOREIGN" in words and "SET" in words:
                return _CASCADES, None, False
            if reader.accept("SYSTEM", "PERIOD"):
                return _ALTERED, None, False
            return ("has its columns at other places upstream", frozenset(), True) if moves else None
        case "DROP":
            if reader.accept("INDEX", "KEY", "PRIMARY", "FOREIGN", "CONSTRAINT", "CHECK"):
                return None
            if reader.accept("PARTITION", "SYSTEM", "PERIOD"):
                return _ALTERED, None, False
            return *_column(reader), True
        case "MODIFY" | "CHANGE":
            return *_column(reader), moves
        case "RENAME":
            if reader.accept("INDEX", "KEY"):
                return None
            if reader.accept("COLUMN"):
                return *_column(reader), False
            reader.accept("TO", "AS", "=")
            return _renamed_to(*reader.table()), None, False
        case word if word in _ALTER_HARMLESS or not word:
            return None if _stays_innodb(part) else ("was given another engine upstream", None, False)
        case _:
            return _ALTERED, None, False


def _stays_innodb(options: Sequence[_Token]) -> bool:
    return all(
        any(one.text == "INNODB" for one in options[at : at + 3])
        for at, token in enumerate(options)
        if token.text == "ENGINE"
    )


def _column(reader: _Reader) -> tuple[str, frozenset[str]]:
    reader.accept("COLUMN")
    reader.passed("IF", "EXISTS")
    name = reader.name()
    return f'is not as it was upstream: its column "{name}" was altered, renamed or dropped', frozenset(
        (name.lower(),)
    )
