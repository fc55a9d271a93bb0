"""CREATE SOURCE ... FROM POSTGRES, and FROM MYSQL: what stands behind these words; and the lists of columns that their tables have, too."""

from __future__ import annotations

from dataclasses import dataclass, field

from ....errors import InvalidParameter, RedundantOption, SqlSyntaxError
from ....storage.connections.options import ConnectionKind
from ...syntax import ast
from ...syntax.definition_statements import CreateSourceStatement
from ...syntax.source_statements import UpstreamSourceClause
from .source_options import SourceOptionsParser

_COLUMNS = ("TEXT COLUMNS", "EXCLUDE COLUMNS")
_CONNECTIONS = "SNAPSHOT CONNECTIONS"
_OPTIONS = {
    ConnectionKind.POSTGRES: ("PUBLICATION", *_COLUMNS, _CONNECTIONS),
    ConnectionKind.MYSQL: _COLUMNS,
}
_MOST_CONNECTIONS = 32


@dataclass(slots=True)
class ColumnLists:
    """TEXT COLUMNS and EXCLUDE COLUMNS, as far as they were read; None of one that was not given."""

    text: tuple[ast.Name, ...] | None = None
    excluded: tuple[ast.Name, ...] | None = None


@dataclass(slots=True)
class _Options:
    publication: str | None = None
    connections: int | None = None
    lists: ColumnLists = field(default_factory=ColumnLists)


class UpstreamSourceParser(SourceOptionsParser):
    def upstream_source(
        self,
        kind: ConnectionKind,
        name: ast.Name,
        cluster: ast.Name | None,
        if_not_exists: bool,
        position: int,
    ) -> CreateSourceStatement:
        """`CONNECTION c (PUBLICATION 'p' [, TEXT COLUMNS (...)] [, EXCLUDE COLUMNS (...)] [, SNAPSHOT CONNECTIONS n]) [FOR ...] [EXPOSE PROGRESS AS name]`; of MYSQL
        without a publication, and perhaps without parentheses."""
        at = self.token.position
        self.expect_words("connection")
        connection = self.object_name()
        options = _Options()
        if kind is ConnectionKind.POSTGRES or self.at_symbol("("):
            self.parenthesised(lambda: self._upstream_source_option(kind, options))
        if kind is ConnectionKind.POSTGRES and options.publication is None:
            raise SqlSyntaxError("option PUBLICATION must be given", position=at)
        schemas = None
        if self.accept_words("for", "schemas"):
            schemas = self.parenthesised(self.one_name)
        tables = self.source_tables() if schemas is None else ()
        progress, letters = self.tables_beside()
        where = self.source_where()
        end = self.source_options((), letters)
        clause = UpstreamSourceClause(
            kind,
            connection,
            options.publication,
            options.lists.text or (),
            options.lists.excluded or (),
            schemas,
            at,
            snapshot_connections=options.connections,
        )
        return CreateSourceStatement(
            name,
            (),
            (),
            cluster,
            None,
            (),
            "",
            (),
            (),
            "none",
            if_not_exists,
            position,
            end.retain_history_ms,
            tables=tables,
            progress=progress,
            dead_letters=end.dead_letters,
            where=where,
            excluded=end.excluded,
            retain_rows=end.retain_rows,
            upstream=clause,
        )

    def _upstream_source_option(self, kind: ConnectionKind, found: _Options) -> None:
        position = self.token.position
        if self.column_list(found.lists):
            return
        is_postgres = kind is ConnectionKind.POSTGRES
        if is_postgres and self.accept_words("snapshot", "connections"):
            if found.connections is not None:
                raise RedundantOption(_CONNECTIONS, position=position)
            found.connections = self._connections()
            return
        if not is_postgres or not self.accept_words("publication"):
            raise SqlSyntaxError(
                f"{kind.words} sources have no option {self.token.value.upper()}",
                hint=f"Options are {', '.join(_OPTIONS[kind])}.",
                position=position,
            )
        if found.publication is not None:
            raise RedundantOption("publication", position=position)
        self.accept_symbol("=")
        found.publication = self.string() if not self.at_identifier() else self.label()

    def _connections(self) -> int:
        self.accept_symbol("=")
        position = self.token.position
        count = self.integer()
        if not 1 <= count <= _MOST_CONNECTIONS:
            raise InvalidParameter(f"{_CONNECTIONS} must be 1 to {_MOST_CONNECTIONS}", position=position)
        return count

    def column_list(self, found: ColumnLists) -> bool:
        """`TEXT COLUMNS [=] (name, ...)` or `EXCLUDE COLUMNS [=] (name, ...)`; whether one of them stood next."""
        position = self.token.position
        if self.accept_words("text", "columns"):
            if found.text is not None:
                raise RedundantOption("text columns", position=position)
            found.text = self._listed()
        elif self.accept_words("exclude", "columns"):
            if found.excluded is not None:
                raise RedundantOption("exclude columns", position=position)
            found.excluded = self._listed()
        else:
            return False
        return True

    def _listed(self) -> tuple[ast.Name, ...]:
        self.accept_symbol("=")
        return self.parenthesised(self.object_name)
