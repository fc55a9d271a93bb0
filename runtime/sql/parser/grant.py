"""GRANT and REVOKE of privileges, OWNER TO, REASSIGN OWNED, DROP OWNED."""

from __future__ import annotations

from typing import NoReturn

from ...errors import SqlSyntaxError, Unsupported
from ..syntax import role_statements as plans
from ..syntax import statements as st
from ..syntax.ast import Name
from ..syntax.function_definition import FunctionKind
from ..syntax.function_statements import FunctionReference
from ..syntax.privilege_statements import GrantStatement, OwnerStatement
from ..syntax.role_statements import Securable
from ..syntax.session_statements import NoOpStatement
from .lexer import TokenKind
from .role import RoleParser

PRIVILEGES = (
    "select", "insert", "update", "delete", "truncate", "references", "trigger", "maintain", "usage", "create",
    "connect", "temporary", "temp", "execute",
)  # fmt: skip
_NAMED = {
    "schema": Securable.SCHEMA,
    "cluster": Securable.CLUSTER,
    "database": Securable.DATABASE,
    "secret": Securable.SECRET,
    "connection": Securable.CONNECTION,
}
_PLURALS = {
    "tables": Securable.TABLE,
    "schemas": Securable.SCHEMA,
    "clusters": Securable.CLUSTER,
    "functions": Securable.FUNCTION,
    "routines": Securable.FUNCTION,
    "secrets": Securable.SECRET,
    "connections": Securable.CONNECTION,
}
_WORDS = {
    Securable.TABLE: (
        "SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN",
    ),
    Securable.SCHEMA: ("USAGE", "CREATE"),
    Securable.CLUSTER: ("USAGE", "CREATE"),
    Securable.DATABASE: ("CREATE", "TEMPORARY", "CONNECT"),
    Securable.FUNCTION: ("EXECUTE",),
    Securable.SECRET: ("USAGE",),
    Securable.CONNECTION: ("USAGE",),
}  # fmt: skip
_IN_SCHEMAS = (Securable.TABLE, Securable.FUNCTION, Securable.SECRET, Securable.CONNECTION)
_NONE_OF = ("sequences", "procedures")
"""Kinds of which there is nothing in any schema."""


def check_words(kind: Securable, words: tuple[str, ...] | None, *, later: bool = False) -> None:
    """0LP01 for a privilege that objects of the kind do not have; `later`: those that will be made."""
    for word in words or ():
        if word not in _WORDS[kind]:
            # PostgreSQL's words: sequences, which are relations and no tables, have USAGE.
            relation = kind is Securable.TABLE and (later or word != "USAGE")
            what = "relation" if relation else kind.value
            raise SqlSyntaxError(f"invalid privilege type {word} for {what}", sqlstate="0LP01")


class GrantParser(RoleParser):
    def grant_privileges(self) -> st.StatementNode:
        """What stands behind GRANT."""
        return self._privileges(revoke=False, option=False)

    def revoke_privileges(self) -> st.StatementNode:
        """What stands behind REVOKE."""
        option = self.accept_words("grant", "option", "for")
        return self._privileges(revoke=True, option=option)

    def _privileges(self, *, revoke: bool, option: bool) -> st.StatementNode:
        words = self._words()
        self.expect_words("on")
        functions = self._functions()
        kind, names, in_schemas = self._targets() if not functions else (Securable.FUNCTION, (), False)
        self.expect_words("from" if revoke else "to")
        grantees = self.comma_list(self._grantee)
        if not revoke and self.accept_words("with"):
            self.expect_words("grant", "option")
            option = True
        self.granted_by()
        cascade = revoke and self.accept_any("cascade", "restrict") == "cascade"
        if kind is None:
            return NoOpStatement("REVOKE" if revoke else "GRANT")
        return GrantStatement(revoke, words, kind, names, in_schemas, grantees, option, cascade, functions)

    def _functions(self) -> tuple[FunctionReference, ...]:
        """`FUNCTION name(type, ...), ...`, aggregates included; nothing where there is something else."""
        if not self.at_any("function", "routine") or self.peek().kind not in (
            TokenKind.NAME,
            TokenKind.QUOTED,
        ):
            return ()
        self.advance()
        return self.comma_list(lambda: self.function_reference(None))

    def _words(self) -> tuple[str, ...] | None:
        if self.accept_words("all"):
            self.accept_words("privileges")
            self._refuse_columns()
            return None
        return self.comma_list(self._privilege)

    def _privilege(self) -> str:
        token = self.token
        if not self.at_any(*PRIVILEGES):
            if token.kind is TokenKind.NAME:
                raise SqlSyntaxError(f'unrecognized privilege type "{token.value}"')
            self.fail()
        word = self.advance().value
        self._refuse_columns()
        return "TEMPORARY" if word == "temp" else word.upper()

    def _refuse_columns(self) -> None:
        if self.at_symbol("("):
            raise Unsupported(
                "privileges on columns are not supported",
                hint="Grant them on a view that shows these columns.",
                position=self.token.position,
            )

    def _grantee(self) -> plans.RoleSpec:
        if self.at_word("group") and self.peek().kind in (TokenKind.NAME, TokenKind.QUOTED):
            self.advance()
        return self.role_spec(public=True)

    def _targets(self) -> tuple[Securable | None, tuple[Name, ...], bool]:
        if self.accept_words("all"):
            what = self.advance().value
            kinds = {word: kind for word, kind in _PLURALS.items() if kind in _IN_SCHEMAS}
            if what not in (*kinds, *_NONE_OF):
                self.fail()
            self.expect_words("in", "schema")
            return kinds.get(what), self.comma_list(self.object_name), True
        for word, kind in _NAMED.items():
            if self.at_any(word) and self.peek().kind in (TokenKind.NAME, TokenKind.QUOTED):
                self.advance()
                return kind, self.comma_list(self.object_name), False
        if self.at_any("sequence", "type", "domain", "language", "foreign", "procedure"):
            self._refuse_kind()
        if self.at_any("parameter", "system", "tablespace", "large"):
            self._refuse_kind()
        if not self.accept_words("materialized", "view"):
            self.accept_any("table", "view", "source")
        return Securable.TABLE, self.comma_list(self.object_name), False

    def _refuse_kind(self) -> NoReturn:
        raise Unsupported(
            f"privileges on a {self.token.value} are not supported",
            hint="They are on tables and all that reads like one, on functions, secrets, connections, schemas, clusters and the "
            "database.",
            position=self.token.position,
        )

    def owner(self, kind: str, name: Name, if_exists: bool) -> OwnerStatement:
        """What stands behind OWNER TO."""
        return OwnerStatement(kind, name, self.role_spec(), if_exists)

    def alter_database(self) -> st.StatementNode:
        """What stands behind ALTER DATABASE."""
        name = self.object_name()
        if not self.accept_words("owner", "to"):
            raise Unsupported("of ALTER DATABASE only OWNER TO is supported", position=self.token.position)
        return self.owner("DATABASE", name, False)

    def default_privileges(self) -> plans.DefaultPrivileges:
        """What stands behind ALTER DEFAULT PRIVILEGES."""
        roles: tuple[plans.RoleSpec, ...] = ()
        schemas: tuple[str, ...] = ()
        while self.at_any("for", "in"):
            if self.accept_words("in"):
                self.expect_words("schema")
                schemas = self.comma_list(self.identifier)
            else:
                self.expect_words("for")
                if self.accept_any("role", "user") is None:
                    self.fail()
                roles = self.comma_list(self.role_spec)
        revoke = self.accept_words("revoke")
        if not revoke:
            self.expect_words("grant")
        option = revoke and self.accept_words("grant", "option", "for")
        words = self._words()
        self.expect_words("on")
        token = self.token
        kind = _PLURALS.get(token.value) if token.kind is TokenKind.NAME else None
        if kind is None:
            raise Unsupported(
                f"default privileges on {token.value} are not supported",
                hint="They are on TABLES, FUNCTIONS, SECRETS, CONNECTIONS, SCHEMAS and CLUSTERS.",
                position=token.position,
            )
        self.advance()
        check_words(kind, words, later=True)
        if schemas and kind not in _IN_SCHEMAS:
            raise SqlSyntaxError(
                f"cannot use IN SCHEMA clause when using GRANT/REVOKE ON {token.value.upper()}",
                sqlstate="0LP01",
            )
        self.expect_words("from" if revoke else "to")
        grantees = self.comma_list(self._grantee)
        if not revoke and self.accept_words("with"):
            self.expect_words("grant", "option")
            option = True
        if revoke:
            self.accept_any("cascade", "restrict")
        return plans.DefaultPrivileges(roles, schemas, revoke, words, kind, grantees, option)

    def reassign_owned(self) -> plans.ReassignOwned:
        self.expect_words("reassign", "owned", "by")
        roles = self.comma_list(self.role_spec)
        self.expect_words("to")
        return plans.ReassignOwned(roles, self.role_spec())

    def drop_owned(self) -> plans.DropOwned:
        """What stands behind DROP OWNED."""
        self.expect_words("by")
        roles = self.comma_list(self.role_spec)
        return plans.DropOwned(roles, self.accept_any("cascade", "restrict") == "cascade")

    def object_name(self) -> Name:
        raise AssertionError("the statement parser names objects")

    def function_reference(self, kind: FunctionKind | None = None) -> FunctionReference:
        raise AssertionError("the statement parser refers to functions")
