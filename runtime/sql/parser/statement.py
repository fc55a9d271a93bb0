"""Statements other than CREATE: data and definitions; which word begins which statement."""

from __future__ import annotations

from typing import NoReturn

from ...errors import SqlSyntaxError, Unsupported
from ..syntax import ast
from ..syntax import statements as st
from ..syntax.data_statements import (
    DeleteStatement,
    InsertStatement,
    ReplayStatement,
    Target,
    TruncateStatement,
    UpdateStatement,
)
from ..syntax.definition_statements import (
    AddWhereStatement,
    AlterClusterStatement,
    AlterSinkStatement,
    ApplyOffersStatement,
    ApplyReplacementStatement,
    CommentStatement,
    DropStatement,
    Option,
    RenameStatement,
    SetSchemaStatement,
    SwapStatement,
    Waiting,
)
from ..syntax.function_statements import AlterFunctionStatement
from ..syntax.query_statements import QueryStatement
from ..syntax.session_statements import PreparableNode, PrepareStatement
from ..syntax.vocabulary import ObjectKind, OfferKind
from .alter_table import MOVABLE, RELATIONS, RETAINING
from .columns import duration_ms
from .grant import GrantParser
from .lexer import TokenKind
from .role import KINDS as ROLE_KINDS
from .routine import RoutineParser


class StatementParser(RoutineParser, GrantParser):
    def statement(self) -> st.StatementNode:
        """One statement, up to `;` or the end."""
        node = self._statement()
        if not self.at_symbol(";") and self.token.kind is not TokenKind.END:
            self.fail()
        return node

    def _statement(self) -> st.StatementNode:
        if self.at_query():
            return QueryStatement(*self.query_as_of())
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
        if words > 1 and names[1].value not in _OBJECTS:
            self.advance()
            self.fail()
        text = " ".join(token.value.upper() for token in names if token.kind is TokenKind.NAME)
        raise Unsupported(
            f"{text} is not supported yet", hint=_HINTS.get(names[0].value), position=names[0].position
        )

    # --- data ---

    def _returning(self) -> tuple[ast.SelectItem, ...]:
        return self.comma_list(self.select_item) if self.accept_words("returning") else ()

    def _insert(self) -> st.StatementNode:
        self.expect_words("insert", "into")
        name = self.object_name()
        alias = self.identifier() if self.accept_words("as") else None
        target = Target(name, alias)
        columns: tuple[ast.Name, ...] | None = None
        if self.at_symbol("(") and not self.at_query():
            columns = self.parenthesised(self.one_name)
        if self.at_word("overriding"):
            raise Unsupported("OVERRIDING is not supported", position=self.token.position)
        query = None if self.accept_words("default", "values") else self.query()
        conflict = self.conflict()
        return InsertStatement(target, columns, query, self._returning(), conflict)

    def _update(self) -> st.StatementNode:
        self.expect_words("update")
        target = self.target()
        self.expect_words("set")
        assignments = self.assignments()
        from_items = self.comma_list(self.from_item) if self.accept_words("from") else ()
        where = self.expression() if self.accept_words("where") else None
        return UpdateStatement(target, assignments, from_items, where, self._returning())

    def _delete(self) -> st.StatementNode:
        self.expect_words("delete", "from")
        target = self.target()
        using = self.comma_list(self.from_item) if self.accept_words("using") else ()
        where = self.expression() if self.accept_words("where") else None
        return DeleteStatement(target, using, where, self._returning())

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
        return TruncateStatement(tables)

    # --- prepared statements ---

    def _prepare(self) -> st.StatementNode:
        self.expect_words("prepare")
        if self.at_word("transaction"):
            self.index -= 1
            self.unsupported(2)
        name = self.identifier()
        types = self.parenthesised(self._parameter_type) if self.at_symbol("(") else ()
        self.expect_words("as")
        start = self.token.start
        if not self.at_query() and not self.at_any("insert", "update", "delete", "merge"):
            self.fail()
        node = self._statement()
        assert isinstance(node, PreparableNode)
        return PrepareStatement(name, types, node, self.text[start : self.tokens[self.index - 1].end])

    def _parameter_type(self) -> ast.TypeName | None:
        return None if self.accept_words("unknown") else self.type_name()

    # --- definitions ---

    def _create(self) -> st.StatementNode:
        if self.peek().kind is TokenKind.NAME and self.peek().value in ROLE_KINDS:
            self.advance()
            return self.create_role(self.advance().value)
        self.advance()
        if self.at_function():
            return self.create_function()
        self.index -= 1
        return self.create()

    def _grants_privileges(self) -> bool:
        """Whether it is privileges that GRANT or REVOKE is about: ON stands before TO or FROM."""
        for token in self.tokens[self.index :]:
            if token.kind is TokenKind.NAME and token.value in ("on", "to", "from"):
                return token.value == "on"
        return False

    def _grant(self) -> st.StatementNode:
        privileges = self._grants_privileges()
        self.expect_words("grant")
        if privileges:
            return self.grant_privileges()
        return self.grant_roles()

    def _revoke(self) -> st.StatementNode:
        privileges = self._grants_privileges()
        self.expect_words("revoke")
        if privileges:
            return self.revoke_privileges()
        return self.revoke_roles()

    def _drop(self) -> st.StatementNode:
        self.expect_words("drop")
        if self.at_any(*ROLE_KINDS):
            self.advance()
            return self.drop_roles(self.if_exists())
        if self.accept_words("owned"):
            return self.drop_owned()
        if self.at_function():
            return self.drop_function()
        kind = self._kind()
        if kind is ObjectKind.COLUMN:
            self.fail()
        if kind is ObjectKind.CLUSTER:
            self.refuse_replica("DROP")
        self.accept_words("concurrently")
        if_exists = self.if_exists()
        names = self.comma_list(self.object_name)
        cascade = self.accept_any("cascade", "restrict") == "cascade"
        return DropStatement(kind, names, if_exists, cascade)

    def _alter(self) -> st.StatementNode:
        self.expect_words("alter")
        if self.at_any(*ROLE_KINDS):
            self.advance()
            return self.alter_role()
        if self.accept_words("default", "privileges"):
            return self.default_privileges()
        if self.accept_words("database"):
            return self.alter_database()
        if self.accept_words("system"):
            return self.alter_system()
        if self.at_function():
            return self._alter_function()
        kind = self._kind()
        if_exists = self.if_exists()
        self.accept_words("only")
        name = self.object_name()
        position = self.token.position
        if self.accept_words("rename", "to"):
            return RenameStatement(kind, name, self.identifier(), if_exists)
        if kind is not ObjectKind.COLUMN and self.accept_words("owner", "to"):
            return self.owner(kind.value, name, if_exists)
        if kind is not ObjectKind.TYPE and self.accept_words("swap", "with"):
            return SwapStatement(kind, name, self.object_name(), if_exists)
        if kind in MOVABLE and self.accept_words("set", "schema"):
            return SetSchemaStatement(kind, name, self.one_name(), if_exists)
        if kind is ObjectKind.SINK and self.accept_words("set", "from"):
            return AlterSinkStatement(name, self.object_name(), None, if_exists)
        if kind is ObjectKind.SINK and self.accept_words("set", "cluster"):
            return AlterSinkStatement(name, None, self.one_name(), if_exists)
        if kind in (ObjectKind.SOURCE, ObjectKind.TABLE) and self.at_word("add", "where"):
            self.advance()
            clause = self.source_where()
            assert clause is not None
            return AddWhereStatement(kind, name, clause, if_exists)
        if kind in (ObjectKind.SOURCE, ObjectKind.TABLE) and self.accept_words("apply"):
            return ApplyOffersStatement(kind, name, self._offers(), if_exists)
        if kind in (ObjectKind.SOURCE, ObjectKind.TABLE) and self.at_word("unapply"):
            raise Unsupported(
                "what APPLY has left out is not there any more: it cannot be taken back",
                hint="Create the source, or the table, anew, without it.",
                position=position,
            )
        if kind in (ObjectKind.SOURCE, ObjectKind.TABLE) and (
            self.at_word("drop", "where") or self.at_word("reset", "where")
        ):
            made = "CREATE SOURCE" if kind is ObjectKind.SOURCE else "CREATE TABLE ... FROM SOURCE"
            raise Unsupported(
                f"what the {kind.value} has left out is not there any more: its WHERE cannot be dropped",
                hint=f"DROP {kind.value.upper()}, and {made} without the clause: everything is read again. ADD WHERE leaves out more.",
                position=position,
            )
        if kind is ObjectKind.SOURCE and self.accept_words("replay", "dead", "letters"):
            assignments = self.assignments() if self.accept_words("set") else ()
            where = self.expression() if self.accept_words("where") else None
            return ReplayStatement(name, assignments, where, if_exists)
        if kind is ObjectKind.MATERIALIZED_VIEW and self.accept_words("apply", "replacement"):
            return ApplyReplacementStatement(name, self.object_name(), if_exists)
        if kind is ObjectKind.CLUSTER and self.at_word("set") and self.at_symbol("(", 1):
            self.advance()
            return AlterClusterStatement(name, self.options(), (), if_exists, self._waiting())
        if kind is ObjectKind.CLUSTER and self.at_word("reset") and self.at_symbol("(", 1):
            self.advance()
            return AlterClusterStatement(name, (), self.options(), if_exists, self._waiting())
        if kind is ObjectKind.SECRET and self.accept_words("as"):
            return self.alter_secret(name, if_exists)
        if kind is ObjectKind.CONNECTION and self.at_any("set", "reset", "drop") and self.at_symbol("(", 1):
            return self.alter_connection(name, if_exists)
        if kind in RETAINING and self.at_any("set", "reset") and self.at_symbol("(", 1):
            return self.alter_retention(kind, name, if_exists)
        if kind in RELATIONS:
            return self.alter_relation(kind, name, if_exists)
        raise Unsupported(
            f"ALTER {kind.value} ... {self.token.value.upper()} is not supported yet",
            hint=f"RENAME TO and {'OWNER TO' if kind is ObjectKind.TYPE else 'SWAP WITH'} are.",
            position=position,
        )

    def _offers(self) -> frozenset[OfferKind]:
        """`[(FILTER | COLUMNS | RETENTION, ...)]`"""
        if not self.at_symbol("("):
            return frozenset(OfferKind)

        def offer() -> Option:
            position = self.token.position
            if (word := self.accept_any(*(kind.value for kind in OfferKind))) is None:
                self.fail()
            return Option(word, True, position)

        return frozenset(OfferKind(option.name) for option in self.options_once(offer))

    def _waiting(self) -> Waiting | None:
        """`[WITH (WAIT FOR '5m' | WAIT UNTIL READY (TIMEOUT '5m' [, ON TIMEOUT COMMIT | ROLLBACK]))]`"""
        if not self.accept_words("with"):
            return None
        self.expect_symbol("(")
        self.expect_words("wait")
        if self.accept_words("for"):
            position = self.token.position
            waiting = Waiting(duration_ms(self.string(), position), rolls_back=True)
        else:
            self.expect_words("until", "ready")
            waiting = self._until_ready()
        self.expect_symbol(")")
        return waiting

    def _until_ready(self) -> Waiting:
        position = self.token.position

        def option() -> Option:
            start = self.token.position
            if self.accept_words("on", "timeout"):
                self.accept_symbol("=")
                if (action := self.accept_any("commit", "rollback")) is None:
                    self.fail()
                return Option("on_timeout", action == "rollback", start)
            self.expect_words("timeout")
            self.accept_symbol("=")
            return Option("timeout", duration_ms(self.string(), start), start)

        found = {option.name: option.value for option in self.options_once(option)}
        timeout_ms = found.get("timeout")
        if not isinstance(timeout_ms, int):
            raise SqlSyntaxError("WAIT UNTIL READY needs a TIMEOUT", position=position)
        return Waiting(timeout_ms, rolls_back=found.get("on_timeout") is True)

    def _alter_function(self) -> st.StatementNode:
        function = self.function_reference(self.function_kind())
        if self.accept_words("rename", "to"):
            return AlterFunctionStatement(function, new_name=self.identifier())
        if self.accept_words("owner", "to"):
            return AlterFunctionStatement(function, owner=self.role_spec())
        if self.accept_words("set", "schema"):
            return AlterFunctionStatement(function, schema=self.identifier())
        raise Unsupported(
            f"ALTER FUNCTION ... {self.token.value.upper()} is not supported",
            hint="RENAME TO, OWNER TO and SET SCHEMA are; CREATE OR REPLACE FUNCTION changes the rest.",
            position=self.token.position,
        )

    def _comment(self) -> st.StatementNode:
        self.expect_words("comment", "on")
        if self.at_function():
            return self.comment_function()
        kind = self._kind()
        name = self.object_name()
        self.expect_words("is")
        text = None if self.accept_words("null") else self.string()
        return CommentStatement(kind, name, text)

    def _subscribe(self) -> st.StatementNode:
        return self.subscribe()

    def _explain(self) -> st.StatementNode:
        return self.explain_statement()


_STATEMENTS = {
    "insert": StatementParser._insert,
    "update": StatementParser._update,
    "delete": StatementParser._delete,
    "merge": StatementParser.merge,
    "truncate": StatementParser._truncate,
    "copy": StatementParser.copy,
    "create": StatementParser._create,
    "grant": StatementParser._grant,
    "revoke": StatementParser._revoke,
    "reassign": StatementParser.reassign_owned,
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
    "savepoint": StatementParser._savepoint,
    "release": StatementParser._release,
    "prepare": StatementParser._prepare,
    "execute": StatementParser.execute,
    "deallocate": StatementParser._deallocate,
    "discard": StatementParser._discard,
    "declare": StatementParser._declare,
    "fetch": StatementParser._fetch_or_move,
    "move": StatementParser._fetch_or_move,
    "close": StatementParser._close,
    "unlisten": StatementParser._unlisten,
    "vacuum": StatementParser._no_op,
    "analyze": StatementParser._no_op,
    "explain": StatementParser._explain,
    "subscribe": StatementParser._subscribe,
    "validate": StatementParser.validate_connection,
}

_OBJECTS = frozenset(
    [
        "access",
        "aggregate",
        "cast",
        "cluster",
        "collation",
        "connection",
        "constraint",
        "continual",
        "conversion",
        "database",
        "default",
        "domain",
        "event",
        "extension",
        "foreign",
        "function",
        "global",
        "group",
        "index",
        "language",
        "large",
        "local",
        "materialized",
        "operator",
        "or",
        "owned",
        "policy",
        "privileges",
        "procedural",
        "procedure",
        "publication",
        "recursive",
        "replacement",
        "role",
        "routine",
        "rule",
        "schema",
        "secret",
        "sequence",
        "server",
        "sink",
        "source",
        "statistics",
        "subscription",
        "system",
        "table",
        "tablespace",
        "temp",
        "temporary",
        "text",
        "transaction",
        "transform",
        "trigger",
        "trusted",
        "type",
        "unique",
        "unlogged",
        "user",
        "view",
        "network",
        "plans",
        "sequences",
    ]
)
"""What may stand behind CREATE, DROP, ALTER, COMMENT ON and DISCARD, there or refused; anything else is misspelt."""

_REFUSED = frozenset(
    [
        "create",
        "drop",
        "alter",
        "comment",
        "discard",
        "tail",
        "prepare",
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
        "import",
    ]
)
_HINTS = {
    "tail": "It is called SUBSCRIBE.",
    "refresh": "Materialized views are always fresh: there is nothing to refresh.",
    "prepare": "Transactions of two phases are not supported.",
    "create": "TABLE, VIEW, MATERIALIZED VIEW, INDEX, SOURCE, SINK, CONNECTION, SECRET, FUNCTION, TYPE, SCHEMA and CLUSTER can be created.",
}
