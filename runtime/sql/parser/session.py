"""Statements of the session: SET, SHOW, transactions, and what pools of connections send."""

from __future__ import annotations

import re
from dataclasses import replace

from ...errors import Unsupported
from ...expr.functions.system.system import quote_ident
from ..syntax import statements as st
from ..syntax.role_statements import AlterSystem
from ..syntax.session_statements import (
    BeginStatement,
    CommitStatement,
    DeallocateStatement,
    DiscardStatement,
    ExecuteStatement,
    NoOpStatement,
    ReleaseStatement,
    RollbackStatement,
    RollbackToStatement,
    SavepointStatement,
    SetStatement,
    SetTransactionStatement,
)
from ..syntax.show_statements import ShowObjectsStatement, ShowVariableStatement
from ..syntax.vocabulary import Discarded, ObjectKind
from .copy import CopyParser
from .lexer import TokenKind

_SHOW_KINDS = (
    "tables", "views", "sources", "sinks", "indexes", "clusters", "schemas", "objects", "columns", "connections",
    "secrets", "databases", "roles", "types", "jobs", "privileges",
    "functions",
)  # fmt: skip
_SHOW_KINDS_OF_TWO = (
    ("materialized", "views"),
    ("cluster", "replicas"),
    ("role", "membership"),
    ("default", "privileges"),
    ("network", "policies"),
)
_PRIVILEGES = ("privileges", "default_privileges")
_OBJECT_TYPES = {
    "tables": "table", "views": "view", "sources": "source", "schemas": "schema", "clusters": "cluster",
    "databases": "database", "functions": "function", "types": "type", "secrets": "secret", "connections": "connection",
}  # fmt: skip
"""What privileges are shown on, and what these are shown as."""
_OF_CLUSTERS = ("indexes", "materialized_views", "sources", "sinks")
_OF_SCHEMAS = (*_OF_CLUSTERS, "tables", "views", "objects", "connections", "secrets", "functions")


_DISCARDED = {
    "all": Discarded.ALL,
    "temp": Discarded.TEMP,
    "temporary": Discarded.TEMP,
    "plans": Discarded.PLANS,
    "sequences": Discarded.SEQUENCES,
}


_NO_OFFSET = re.compile(r"\s*[+-]?0{1,2}(:00){0,2}\s*")


class SessionParser(CopyParser):
    def _set(self) -> st.StatementNode:
        self.expect_words("set")
        local = self.accept_words("local")
        if not local and self.accept_words("session") and self.accept_words("characteristics"):
            self.expect_words("as", "transaction")
            read_only = self._transaction_modes()
            if read_only is None:
                return NoOpStatement("SET")
            return SetStatement("default_transaction_read_only", "on" if read_only else "off", False)
        if self.at_word("transaction") and not self._at_assignment():
            return self._set_transaction()
        if self.at_word("constraints") and not self._at_assignment():
            return self._set_constraints()
        if self.accept_words("time", "zone"):
            if self.accept_words("local"):
                return SetStatement("timezone", None, local)
            return SetStatement("timezone", self._zone(), local)
        if self.at_word("schema") and not self.at_symbol(".", 1):
            return self._set_schema(local)
        if self.accept_words("names"):
            return SetStatement("client_encoding", self._setting_value(), local)
        if self.at_any("role", "authorization") and not self._at_assignment():
            return self._set_role(local)
        return SetStatement(*self._assigned(), local)

    def _set_constraints(self) -> st.StatementNode:
        """Of all constraints it changes nothing, as in PostgreSQL where none is DEFERRABLE."""
        self.advance()
        position = self.token.position
        if not self.accept_words("all"):
            raise Unsupported(
                "SET CONSTRAINTS of a constraint is not supported: none is deferrable",
                hint="SET CONSTRAINTS ALL changes nothing.",
                position=position,
            )
        if not self.accept_any("deferred", "immediate"):
            self.fail()
        return NoOpStatement("SET CONSTRAINTS")

    def _set_schema(self, local: bool) -> st.StatementNode:
        """`SET SCHEMA 'name'`, and with `=` or TO as Materialize has it: a search_path of one."""
        self.advance()
        if not self.accept_words("to"):
            self.accept_symbol("=")
        if self.accept_words("default"):
            return SetStatement("search_path", None, local)
        name = self.string() if self.token.kind is TokenKind.STRING else self.identifier()
        return SetStatement("search_path", quote_ident(name), local)

    def _zone(self) -> str | None:
        """A value of SET TIME ZONE; `INTERVAL '+00:00' HOUR TO MINUTE` is UTC."""
        if not (self.at_word("interval") and self.peek().kind is TokenKind.STRING):
            return self._setting_value()
        position = self.advance().position
        offset = self.string()
        self.interval_fields()
        if not _NO_OFFSET.fullmatch(offset):
            raise Unsupported(
                "a time zone that is an offset from UTC is not supported",
                hint="Name the zone: SET TIME ZONE 'Europe/Berlin'.",
                position=position,
            )
        return "UTC"

    def _set_transaction(self) -> st.StatementNode:
        position = self.token.position
        self.advance()
        if self.at_word("snapshot"):
            raise Unsupported("SET TRANSACTION SNAPSHOT is not supported", position=position)
        if self.token.kind is not TokenKind.NAME:
            self.fail()
        return SetTransactionStatement(self._transaction_modes())

    def _assigned(self) -> tuple[str, str | None]:
        """`name {= | TO} value`; the value is None for DEFAULT."""
        name = self._setting_name()
        if not self.accept_words("to"):
            self.expect_symbol("=")
        if name.lower() == "search_path" and not self.at_word("default"):
            # A list of names, quoted where they need it: each value is a name, whatever is in it.
            return name, ", ".join(map(quote_ident, self.comma_list(self._setting_part)))
        return name, self._setting_value()

    def alter_system(self) -> AlterSystem:
        """What stands behind ALTER SYSTEM."""
        if self.accept_words("set"):
            return AlterSystem(*self._assigned())
        self.expect_words("reset")
        return AlterSystem(None if self.accept_words("all") else self._setting_name(), None)

    def _at_assignment(self) -> bool:
        return self.at_symbol("=", 1) or self.peek().value == "to"

    def _set_role(self, local: bool) -> st.StatementNode:
        """SET ROLE, SET SESSION AUTHORIZATION: settings of those names, whose value is a name."""
        name = "role" if self.advance().value == "role" else "session_authorization"
        if self.accept_words("default"):
            return SetStatement(name, None, local)
        return SetStatement(name, self._setting_part(), local)

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
            return SetStatement("all", None, False, reset=True)
        if self.accept_words("session", "authorization"):
            return SetStatement("session_authorization", None, False, reset=True)
        return SetStatement(self._setting_name(), None, False, reset=True)

    def _show(self) -> st.StatementNode:
        self.expect_words("show")
        if self.accept_words("all"):
            return ShowVariableStatement(None)
        if self.accept_words("time", "zone"):
            return ShowVariableStatement("timezone")
        if self.accept_words("session", "authorization"):
            return ShowVariableStatement("session_authorization")
        if self.accept_words("transaction", "isolation", "level"):
            return ShowVariableStatement("transaction_isolation")
        if self.accept_words("create"):
            kind = self._kind()
            return ShowObjectsStatement("create", self.object_name(), create_kind=kind.value)
        for words in _SHOW_KINDS_OF_TWO:
            if self.accept_words(*words):
                return self._show_objects("_".join(words))
        if self.at_any(*_SHOW_KINDS) and not self.at_symbol(".", 1):
            return self._show_objects(self.advance().value)
        return ShowVariableStatement(self._setting_name())

    def _show_objects(self, kind: str) -> st.StatementNode:
        statement = ShowObjectsStatement(kind)
        if kind == "columns":
            if self.accept_any("from", "in") is None:
                self.fail()
            statement = replace(statement, name=self.object_name())
        if kind in _PRIVILEGES:
            statement = self._privileges_of(statement)
        if kind == "role_membership" and self.accept_words("for"):
            statement = replace(statement, role=self.identifier())
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
            statement = replace(statement, where=self.expression())
        return statement

    def _privileges_of(self, statement: ShowObjectsStatement) -> ShowObjectsStatement:
        """`[ON kinds of objects] [FOR role]`"""
        if self.accept_words("on"):
            kinds = self.accept_any(*_OBJECT_TYPES)
            if kinds is None:
                self.fail()
            statement = replace(statement, object_type=_OBJECT_TYPES[kinds])
        return replace(statement, role=self.identifier()) if self.accept_words("for") else statement

    def _at_cluster(self) -> bool:
        return self.at_word("in") and self.peek().value == "cluster" and not self.at_symbol(".", 2)

    def _begin(self) -> st.StatementNode:
        word = self.advance().value
        if start := word == "start":
            self.expect_words("transaction")
        else:
            self.accept_any("work", "transaction")
        return BeginStatement(self._transaction_modes(), start)

    def _transaction_modes(self) -> bool | None:
        """Whether READ ONLY is among them; None: neither that nor READ WRITE.  Every isolation level is the strictest here."""
        read_only: bool | None = None
        while self.token.kind is TokenKind.NAME:
            if self.accept_words("read", "only"):
                read_only = True
            elif self.accept_words("read", "write"):
                read_only = False
            elif self.accept_words("isolation", "level"):
                if not (
                    self.accept_words("serializable")
                    or self.accept_words("strict", "serializable")
                    or self.accept_words("repeatable", "read")
                    or self.accept_words("read", "committed")
                    or self.accept_words("read", "uncommitted")
                ):
                    self.fail()
            elif not (self.accept_words("not", "deferrable") or self.accept_words("deferrable")):
                self.fail()
            self.accept_symbol(",")
        return read_only

    def _end(self) -> st.StatementNode:
        word = self.advance().value
        self.accept_any("work", "transaction")
        if word == "rollback" and self.accept_words("to"):
            return RollbackToStatement(self._savepoint_name())
        if self.at_any("prepared", "and"):
            raise Unsupported(
                f"{word.upper()} {self.token.value.upper()} is not supported yet",
                position=self.token.position,
            )
        return CommitStatement() if word in ("commit", "end") else RollbackStatement()

    def _savepoint(self) -> st.StatementNode:
        self.expect_words("savepoint")
        return SavepointStatement(self.identifier())

    def _release(self) -> st.StatementNode:
        self.expect_words("release")
        return ReleaseStatement(self._savepoint_name())

    def _savepoint_name(self) -> str:
        """`[SAVEPOINT] name`; the name may be that word."""
        if self.at_word("savepoint") and self.peek().kind in (TokenKind.NAME, TokenKind.QUOTED):
            self.advance()
        return self.identifier()

    def _unlisten(self) -> st.StatementNode:
        self.expect_words("unlisten")
        if not self.accept_symbol("*"):
            self.identifier()
        return NoOpStatement("UNLISTEN")

    def execute(self) -> ExecuteStatement:
        self.expect_words("execute")
        name = self.identifier()
        arguments = self.parenthesised(self.expression) if self.at_symbol("(") else ()
        return ExecuteStatement(name, arguments)

    def _deallocate(self) -> st.StatementNode:
        self.expect_words("deallocate")
        if self.at_word("prepare") and self.peek().kind in (TokenKind.NAME, TokenKind.QUOTED):
            self.advance()
        if self.accept_words("all"):
            return DeallocateStatement(None)
        return DeallocateStatement(self.identifier())

    def _discard(self) -> st.StatementNode:
        self.expect_words("discard")
        word = self.accept_any(*_DISCARDED)
        if word is None:
            self.fail()
        return DiscardStatement(_DISCARDED[word])

    def _no_op(self) -> st.StatementNode:
        tag = self.advance().value.upper()
        self._skip()
        return NoOpStatement(tag)

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
