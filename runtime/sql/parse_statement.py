"""Statements other than CREATE: data, definitions, session."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

from ..errors import Unsupported
from . import ast
from . import statements as st
from .lexer import TokenKind
from .parse_copy import CopyParser
from .plans import ExplainStage, ObjectKind

_SHOW_KINDS = (
    "tables", "views", "sources", "sinks", "indexes", "clusters", "schemas", "objects", "columns",
)  # fmt: skip


class StatementParser(CopyParser):
    def statement(self) -> st.StatementNode:
        """One statement, up to `;` or the end."""
        node = self._statement()
        if not self.at_symbol(";") and self.token.kind is not TokenKind.END:
            self.fail()
        return node

    def _statement(self) -> st.StatementNode:
        if self.at_query():
            return st.QueryStatement(self.query())
        token = self.token
        if token.kind is not TokenKind.NAME:
            self.fail()
        method = _STATEMENTS.get(token.value)
        if method is None:
            self.unsupported(1)
        return method(self)

    def unsupported(self, words: int) -> NoReturn:
        names = [self.peek(ahead) for ahead in range(words)]
        if names[0].value not in _REFUSED:
            self.fail()
        text = " ".join(token.value.upper() for token in names if token.kind is TokenKind.NAME)
        raise Unsupported(
            f"{text} is not supported yet", hint=_HINTS.get(names[0].value), position=names[0].position
        )

    # --- data ---

    def _target(self) -> st.Target:
        self.accept_words("only")
        name = self.object_name()
        if self.accept_words("as"):
            return st.Target(name, self.identifier())
        if self.at_identifier() and not self.at_any("set", "returning", "values"):
            return st.Target(name, self.identifier())
        return st.Target(name, None)

    def _returning(self) -> tuple[ast.SelectItem, ...]:
        return self.comma_list(self.select_item) if self.accept_words("returning") else ()

    def _insert(self) -> st.StatementNode:
        self.expect_words("insert", "into")
        name = self.object_name()
        alias = self.identifier() if self.accept_words("as") else None
        target = st.Target(name, alias)
        columns: tuple[ast.Name, ...] | None = None
        if self.at_symbol("(") and not self.at_query():
            columns = self.parenthesised(self.one_name)
        if self.at_word("overriding"):
            raise Unsupported("OVERRIDING is not supported", position=self.token.position)
        query = None if self.accept_words("default", "values") else self.query()
        if self.at_word("on", "conflict"):
            raise Unsupported(
                "INSERT ... ON CONFLICT is not supported yet",
                hint="Tables have no unique constraints; use UPDATE and INSERT.",
                position=self.token.position,
            )
        return st.InsertStatement(target, columns, query, self._returning())

    def _update(self) -> st.StatementNode:
        self.expect_words("update")
        target = self._target()
        self.expect_words("set")
        assignments = tuple(pair for pairs in self.comma_list(self._assignment) for pair in pairs)
        from_items = self.comma_list(self.from_item) if self.accept_words("from") else ()
        where = self.expression() if self.accept_words("where") else None
        return st.UpdateStatement(target, assignments, from_items, where, self._returning())

    def _assignment(self) -> tuple[tuple[ast.Name, ast.Expression], ...]:
        if self.at_symbol("("):
            names = self.parenthesised(self.one_name)
            self.expect_symbol("=")
            value = self.expression()
            values = value.items if isinstance(value, ast.Row) else (value,)
            if isinstance(value, ast.Subquery) and len(names) > 1:
                raise Unsupported("assignment of a subquery's row is not supported", position=value.position)
            if len(values) != len(names):
                self.fail()
            return tuple(zip(names, values, strict=True))
        name = self.one_name()
        self.expect_symbol("=")
        return ((name, self.expression()),)

    def _delete(self) -> st.StatementNode:
        self.expect_words("delete", "from")
        target = self._target()
        using = self.comma_list(self.from_item) if self.accept_words("using") else ()
        where = self.expression() if self.accept_words("where") else None
        return st.DeleteStatement(target, using, where, self._returning())

    def _truncate(self) -> st.StatementNode:
        self.expect_words("truncate")
        self.accept_words("table")
        self.accept_words("only")
        tables = self.comma_list(self.object_name)
        self.accept_words("restart", "identity")
        self.accept_words("continue", "identity")
        if self.at_word("cascade"):
            raise Unsupported("TRUNCATE ... CASCADE is not supported", position=self.token.position)
        self.accept_words("restrict")
        return st.TruncateStatement(tables)

    # --- definitions ---

    def _kind(self) -> ObjectKind:
        if self.accept_words("materialized", "view"):
            return ObjectKind.MATERIALIZED_VIEW
        kind = st.KIND_WORDS.get(self.token.value) if self.token.kind is TokenKind.NAME else None
        if kind is None:
            self.index -= 1
            self.unsupported(2)
        self.advance()
        return kind

    def _if_exists(self) -> bool:
        if self.accept_words("if"):
            self.expect_words("exists")
            return True
        return False

    def _drop(self) -> st.StatementNode:
        self.expect_words("drop")
        kind = self._kind()
        if kind is ObjectKind.COLUMN:
            self.fail()
        self.accept_words("concurrently")
        if_exists = self._if_exists()
        names = self.comma_list(self.object_name)
        cascade = self.accept_any("cascade", "restrict") == "cascade"
        return st.DropStatement(kind, names, if_exists, cascade)

    def _alter(self) -> st.StatementNode:
        self.expect_words("alter")
        kind = self._kind()
        if_exists = self._if_exists()
        name = self.object_name()
        position = self.token.position
        if self.accept_words("rename", "to"):
            return st.RenameStatement(kind, name, self.identifier(), if_exists)
        if self.accept_words("swap", "with"):
            return st.SwapStatement(kind, name, self.object_name())
        if kind is ObjectKind.CLUSTER and self.at_word("set") and self.at_symbol("(", 1):
            self.advance()
            return st.AlterClusterStatement(name, self.options())
        raise Unsupported(
            f"ALTER {kind.value} ... {self.token.value.upper()} is not supported yet",
            hint="RENAME TO and SWAP WITH are.",
            position=position,
        )

    def _comment(self) -> st.StatementNode:
        self.expect_words("comment", "on")
        kind = self._kind()
        name = self.object_name()
        self.expect_words("is")
        text = None if self.accept_words("null") else self.string()
        return st.CommentStatement(kind, name, text)

    # --- session ---

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
        if self.accept_words("materialized", "views"):
            return self._show_objects("materialized_views")
        if self.at_any(*_SHOW_KINDS) and not self.at_symbol(".", 1):
            return self._show_objects(self.advance().value)
        return st.ShowVariableStatement(self._setting_name())

    def _show_objects(self, kind: str) -> st.StatementNode:
        statement = st.ShowObjectsStatement(kind)
        if kind == "columns":
            self.expect_words("from")
            statement = replace(statement, name=self.object_name())
        elif self.accept_any("from", "in") is not None:
            statement = replace(statement, schema=self.qualified()[-1])
        if self.accept_words("like"):
            statement = replace(statement, like=self.string())
        return statement

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
        if self.at_any("to", "prepared", "and"):
            raise Unsupported(
                f"{word.upper()} {self.token.value.upper()} is not supported yet",
                position=self.token.position,
            )
        return st.CommitStatement() if word in ("commit", "end") else st.RollbackStatement()

    def _close(self) -> st.StatementNode:
        """CLOSE ALL: there are no cursors; pools of connections send it all the same."""
        if self.peek().value != "all":
            self.unsupported(1)
        self.expect_words("close", "all")
        return st.NoOpStatement("CLOSE CURSOR ALL")

    def _unlisten(self) -> st.StatementNode:
        self.expect_words("unlisten")
        if not self.accept_symbol("*"):
            self.identifier()
        return st.NoOpStatement("UNLISTEN")

    def _deallocate(self) -> st.StatementNode:
        self.expect_words("deallocate")
        self.accept_words("prepare")
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

    def _explain(self) -> st.StatementNode:
        self.expect_words("explain")
        stage = ExplainStage.OPTIMIZED
        position = self.token.position
        if (self.at_symbol("(") and not self.at_query()) or self.at_any(
            "analyze", "verbose", "timestamp", "filter"
        ):
            raise Unsupported(
                "EXPLAIN options are not supported yet",
                hint="EXPLAIN [RAW | DECORRELATED | OPTIMIZED | PHYSICAL] PLAN FOR query.",
                position=position,
            )
        word = self.accept_any("raw", "decorrelated", "optimized", "physical")
        if word is not None:
            stage = ExplainStage(word)
            self.expect_words("plan")
            self.expect_words("for")
        elif self.accept_words("plan"):
            self.expect_words("for")
        if not self.at_query():
            self.fail() if self.token.kind is TokenKind.END else self._refuse_explain()
        return st.ExplainStatement(stage, self.query())

    def _refuse_explain(self) -> NoReturn:
        raise Unsupported(
            f"EXPLAIN of {self.token.value.upper()} is not supported yet",
            hint="EXPLAIN takes a query.",
            position=self.token.position,
        )


_STATEMENTS = {
    "insert": StatementParser._insert,
    "update": StatementParser._update,
    "delete": StatementParser._delete,
    "truncate": StatementParser._truncate,
    "copy": StatementParser.copy,
    "create": StatementParser.create,
    "drop": StatementParser._drop,
    "alter": StatementParser._alter,
    "comment": StatementParser._comment,
    "set": StatementParser._set,
    "reset": StatementParser._reset,
    "show": StatementParser._show,
    "begin": StatementParser._begin,
    "start": StatementParser._begin,
    "commit": StatementParser._end,
    "end": StatementParser._end,
    "rollback": StatementParser._end,
    "abort": StatementParser._end,
    "deallocate": StatementParser._deallocate,
    "discard": StatementParser._discard,
    "close": StatementParser._close,
    "unlisten": StatementParser._unlisten,
    "vacuum": StatementParser._no_op,
    "analyze": StatementParser._no_op,
    "explain": StatementParser._explain,
}

_REFUSED = frozenset(
    [
        "create",
        "drop",
        "alter",
        "comment",
        "discard",
        "subscribe",
        "tail",
        "merge",
        "grant",
        "revoke",
        "prepare",
        "execute",
        "declare",
        "fetch",
        "move",
        "close",
        "savepoint",
        "release",
        "lock",
        "listen",
        "notify",
        "unlisten",
        "do",
        "call",
        "checkpoint",
        "cluster",
        "reindex",
        "refresh",
        "load",
        "security",
        "reassign",
        "import",
    ]
)
_HINTS = {
    "subscribe": "Poll the view with SELECT.",
    "merge": "Use UPDATE, DELETE and INSERT.",
    "refresh": "Materialized views are always fresh: there is nothing to refresh.",
    "prepare": "Use the extended query protocol.",
    "execute": "Use the extended query protocol.",
    "grant": "Roles and privileges do not exist yet.",
    "revoke": "Roles and privileges do not exist yet.",
    "create": "TABLE, VIEW, MATERIALIZED VIEW, INDEX, SOURCE, SINK, SCHEMA and CLUSTER can be created.",
    "savepoint": "Transactions have no savepoints.",
}
