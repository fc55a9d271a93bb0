"""Statements of the session: SET, SHOW, transactions, and what pools of connections send."""

from __future__ import annotations

from dataclasses import replace

from ..errors import Unsupported
from ..expr.functions.system import quote_ident
from . import statements as st
from .lexer import TokenKind
from .parse_copy import CopyParser
from .plans import ObjectKind

_SHOW_KINDS = (
    "tables", "views", "sources", "sinks", "indexes", "clusters", "schemas", "objects", "columns", "connections",
    "secrets", "databases", "roles", "types", "jobs",
)  # fmt: skip
_OF_CLUSTERS = ("indexes", "materialized_views", "sources", "sinks")
_OF_SCHEMAS = (*_OF_CLUSTERS, "tables", "views", "objects", "connections", "secrets")


class SessionParser(CopyParser):
    def _set(self) -> st.StatementNode:
        self.expect_words("set")
        local = self.accept_words("local")
        if not local:
            self.accept_words("session")
        if self.at_word("transaction") or self.at_word("characteristics"):
            self._skip()
            return st.NoOpStatement("SET")
        if self.accept_words("time", "zone"):
            if self.accept_words("local"):
                return st.SetStatement("timezone", None, local)
            return st.SetStatement("timezone", self._setting_value(), local)
        if self.accept_words("names"):
            return st.SetStatement("client_encoding", self._setting_value(), local)
        if self.at_any("role", "authorization"):
            raise Unsupported(
                f"SET {self.token.value.upper()} is not supported yet", position=self.token.position
            )
        name = self._setting_name()
        if not self.accept_words("to"):
            self.expect_symbol("=")
        if name.lower() == "search_path" and not self.at_word("default"):
            # A list of names, quoted where they need it: each value is a name, whatever is in it.
            value = ", ".join(map(quote_ident, self.comma_list(self._setting_part)))
            return st.SetStatement(name, value, local)
        return st.SetStatement(name, self._setting_value(), local)

    def _setting_name(self) -> str:
        return ".".join(self.qualified())

    def _setting_value(self) -> str | None:
        if self.accept_words("default"):
            return None
        return ", ".join(self.comma_list(self._setting_part))

    def _setting_part(self) -> str:
        sign = "-" if self.accept_symbol("-") else ""
        if self.token.kind in (TokenKind.STRING, TokenKind.INTEGER, TokenKind.DECIMAL):
            return sign + self.advance().value
        return self.label()

    def _reset(self) -> st.StatementNode:
        self.expect_words("reset")
        if self.accept_words("all"):
            return st.SetStatement("all", None, False)
        return st.SetStatement(self._setting_name(), None, False)

    def _show(self) -> st.StatementNode:
        self.expect_words("show")
        if self.accept_words("all"):
            return st.ShowVariableStatement(None)
        if self.accept_words("time", "zone"):
            return st.ShowVariableStatement("timezone")
        if self.accept_words("transaction", "isolation", "level"):
            return st.ShowVariableStatement("transaction_isolation")
        if self.accept_words("create"):
            kind = self._kind()
            return st.ShowObjectsStatement("create", self.object_name(), create_kind=kind.value)
        for words in (("materialized", "views"), ("cluster", "replicas")):
            if self.accept_words(*words):
                return self._show_objects("_".join(words))
        if self.at_any(*_SHOW_KINDS) and not self.at_symbol(".", 1):
            return self._show_objects(self.advance().value)
        return st.ShowVariableStatement(self._setting_name())

    def _show_objects(self, kind: str) -> st.StatementNode:
        statement = st.ShowObjectsStatement(kind)
        if kind == "columns":
            if self.accept_any("from", "in") is None:
                self.fail()
            statement = replace(statement, name=self.object_name())
        if kind == "indexes" and self.accept_words("on"):
            statement = replace(statement, on=self.object_name())
        if kind in _OF_SCHEMAS and not self._at_cluster() and self.accept_any("from", "in") is not None:
            statement = replace(statement, schema=self.qualified()[-1])
        if kind in _OF_CLUSTERS and self._at_cluster():
            self.expect_words("in", "cluster")
            statement = replace(statement, cluster=self.one_name())
        if self.accept_words("like"):
            return replace(statement, like=self.string())
        if self.accept_words("where"):
            start = self.token.start
            self.expression()
            statement = replace(statement, where=self.text[start : self.tokens[self.index - 1].end])
        return statement

    def _at_cluster(self) -> bool:
        return self.at_word("in") and self.peek().value == "cluster" and not self.at_symbol(".", 2)

    def _begin(self) -> st.StatementNode:
        word = self.advance().value
        if word == "start":
            self.expect_words("transaction")
        else:
            self.accept_any("work", "transaction")
        read_only = False
        while self.token.kind is TokenKind.NAME:
            if self.accept_words("read", "only"):
                read_only = True
            elif self.accept_words("read", "write"):
                read_only = False
            elif self.accept_words("isolation", "level"):
                if not (
                    self.accept_words("serializable")
                    or self.accept_words("repeatable", "read")
                    or self.accept_words("read", "committed")
                    or self.accept_words("read", "uncommitted")
                ):
                    self.fail()
            elif not (self.accept_words("not", "deferrable") or self.accept_words("deferrable")):
                self.fail()
            self.accept_symbol(",")
        return st.BeginStatement(read_only)

    def _end(self) -> st.StatementNode:
        word = self.advance().value
        self.accept_any("work", "transaction")
        if word == "rollback" and self.accept_words("to"):
            return st.RollbackToStatement(self._savepoint_name())
        if self.at_any("prepared", "and"):
            raise Unsupported(
                f"{word.upper()} {self.token.value.upper()} is not supported yet",
                position=self.token.position,
            )
        return st.CommitStatement() if word in ("commit", "end") else st.RollbackStatement()

    def _savepoint(self) -> st.StatementNode:
        self.expect_words("savepoint")
        return st.SavepointStatement(self.identifier())

    def _release(self) -> st.StatementNode:
        self.expect_words("release")
        return st.ReleaseStatement(self._savepoint_name())

    def _savepoint_name(self) -> str:
        """`[SAVEPOINT] name`; the name may be that word."""
        if self.at_word("savepoint") and self.peek().kind in (TokenKind.NAME, TokenKind.QUOTED):
            self.advance()
        return self.identifier()

    def _unlisten(self) -> st.StatementNode:
        self.expect_words("unlisten")
        if not self.accept_symbol("*"):
            self.identifier()
        return st.NoOpStatement("UNLISTEN")

    def execute(self) -> st.ExecuteStatement:
        self.expect_words("execute")
        name = self.identifier()
        arguments = self.parenthesised(self.expression) if self.at_symbol("(") else ()
        return st.ExecuteStatement(name, arguments)

    def _deallocate(self) -> st.StatementNode:
        self.expect_words("deallocate")
        if self.at_word("prepare") and self.peek().kind in (TokenKind.NAME, TokenKind.QUOTED):
            self.advance()
        if self.accept_words("all"):
            return st.DeallocateStatement(None, False)
        return st.DeallocateStatement(self.identifier(), False)

    def _discard(self) -> st.StatementNode:
        self.expect_words("discard")
        if not self.at_word("all"):
            self.index -= 1
            self.unsupported(2)
        self.advance()
        return st.DeallocateStatement(None, True)

    def _no_op(self) -> st.StatementNode:
        tag = self.advance().value.upper()
        self._skip()
        return st.NoOpStatement(tag)

    def _skip(self) -> None:
        while not self.at_symbol(";") and self.token.kind is not TokenKind.END:
            self.advance()

    def _kind(self) -> ObjectKind:
        if self.accept_words("materialized", "view"):
            return ObjectKind.MATERIALIZED_VIEW
        kind = st.KIND_WORDS.get(self.token.value) if self.token.kind is TokenKind.NAME else None
        if kind is None:
            self.index -= 1
            self.unsupported(2)
        self.advance()
        return kind
