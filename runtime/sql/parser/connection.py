"""Secrets and connections: CREATE, ALTER and VALIDATE; and webhooks, which secrets guard."""

from __future__ import annotations

from dataclasses import replace

from ...errors import SqlSyntaxError, Unsupported
from ...storage.connections.options import NAMES, ConnectionKind
from ..syntax import ast
from ..syntax.connection_statements import (
    AlterConnectionStatement,
    AlterSecretStatement,
    ConnectionOption,
    CreateConnectionStatement,
    CreateSecretStatement,
    ValidateConnectionStatement,
)
from ..syntax.definition_statements import (
    CreateWebhookStatement,
    WebhookCheck,
    WebhookHeader,
    WebhookInput,
    WhereClause,
)
from .lexer import TokenKind
from .subscribe import SubscribeParser

_KINDS = tuple((kind, kind.words.lower().split()) for kind in ConnectionKind)
_HINT = "Connections are TO KAFKA, TO CONFLUENT SCHEMA REGISTRY, TO POSTGRES, TO MYSQL, TO ICEBERG CATALOG and TO AWS."
_ELSEWHERE = ("ssh", "sql", "glue", "gcp")
"""What other systems connect to."""


class ConnectionParser(SubscribeParser):
    # --- secrets ---

    def create_secret(self) -> CreateSecretStatement:
        """What stands behind CREATE SECRET."""
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        self.expect_words("as")
        return CreateSecretStatement(name, self.expression(), if_not_exists)

    def alter_secret(self, name: ast.Name, if_exists: bool) -> AlterSecretStatement:
        """What stands behind ALTER SECRET name AS."""
        return AlterSecretStatement(name, self.expression(), if_exists)

    # --- connections ---

    def create_connection(self) -> CreateConnectionStatement:
        """What stands behind CREATE CONNECTION."""
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        if self.accept_any("to", "for") is None:
            self.fail()
        kind = self._connection_kind()
        options = self.options_once(self._connection_option)
        return CreateConnectionStatement(name, kind, options, self._validate(), if_not_exists)

    def _connection_kind(self) -> ConnectionKind:
        start = self.token
        for kind, words in _KINDS:
            if self.accept_words(*words):
                if self.token.kind is TokenKind.NAME:  # AWS PRIVATELINK
                    break
                return kind
        else:
            if not self.at_any(*_ELSEWHERE):
                self.fail()
        while self.token.kind is TokenKind.NAME:
            self.advance()
        shown = self.text[start.start : self.tokens[self.index - 1].end].upper()
        raise Unsupported(f"connections to {shown} are not supported", hint=_HINT, position=start.position)

    def alter_connection(self, name: ast.Name, if_exists: bool) -> AlterConnectionStatement:
        """What stands behind ALTER CONNECTION name: `SET (option [=] value, ...)`, `RESET (option, ...)`, both, in any order."""
        changed: tuple[ConnectionOption, ...] = ()
        reset: tuple[ConnectionOption, ...] = ()
        while True:
            if self.accept_words("set"):
                changed += self.parenthesised(self._connection_option)
            elif self.accept_any("reset", "drop"):
                reset += self.parenthesised(self._option_name)
            else:
                self.fail()
            if not self.accept_symbol(","):
                break
        return AlterConnectionStatement(name, changed, reset, self._validate(), if_exists)

    def validate_connection(self) -> ValidateConnectionStatement:
        self.expect_words("validate", "connection")
        return ValidateConnectionStatement(self.object_name())

    def _option_name(self) -> ConnectionOption:
        """One that is known by the most words; of others, the words up to a value."""
        position = self.token.position
        for name in NAMES:
            if self.accept_words(*name.lower().split()):
                return ConnectionOption(name, None, position)
        words = [self.label()]
        while self.token.kind is TokenKind.NAME and not self.at_word("secret"):
            words.append(self.advance().value)
        return ConnectionOption(" ".join(words).upper(), None, position)

    def _connection_option(self) -> ConnectionOption:
        option = self._option_name()
        equals = self.accept_symbol("=")
        if not equals and (self.at_symbol(",") or self.at_symbol(")")):
            return option
        return replace(option, value=self._connection_value())

    def _connection_value(self) -> str | tuple[str, ...] | ast.Name:
        if self.at_word("secret") and self.peek().kind in (TokenKind.NAME, TokenKind.QUOTED):
            self.advance()
            return self.object_name()
        if self.at_symbol("("):
            return self.parenthesised(self._connection_text)
        return self._connection_text()

    def _connection_text(self) -> str:
        if self.token.kind in (TokenKind.STRING, TokenKind.INTEGER):
            return self.advance().value
        words = [self.label()]
        while self.accept_symbol("-"):  # SASL MECHANISMS SCRAM-SHA-256
            words.append(self.advance().value)
        return "-".join(words)

    def _validate(self) -> bool | None:
        """`WITH (VALIDATE [=] boolean)`"""
        if not self.accept_words("with"):
            return None
        validate: bool | None = None
        for option in self.options():
            if option.name != "validate":
                raise SqlSyntaxError(
                    f"unrecognized option of a connection: {option.name.upper()}",
                    hint="VALIDATE is one; those of the connection stand in the parentheses before.",
                    position=option.position,
                )
            if not isinstance(option.value, bool):
                raise SqlSyntaxError("option VALIDATE takes true or false", position=option.position)
            validate = option.value
        return validate

    # --- webhooks ---

    def webhook(
        self, name: ast.Name, cluster: ast.Name | None, if_not_exists: bool, position: int
    ) -> CreateWebhookStatement:
        """What stands behind CREATE SOURCE name FROM WEBHOOK."""
        self.expect_words("body", "format")
        if (format_ := self.accept_any("json", "text", "bytes")) is None:
            self.fail()
        array = format_ == "json" and self.accept_words("array")
        headers: tuple[tuple[str, bool], ...] | None = None
        columns: list[WebhookHeader] = []
        while self.accept_words("include"):
            if headers is None and self.accept_words("headers"):
                headers = self.parenthesised(self._header_name) if self.at_symbol("(") else ()
            else:
                columns.append(self._header_column())
        check = self._webhook_check() if self.accept_words("check") else None
        where = self.source_where()
        options = self.options() if self.accept_words("with") else ()
        return CreateWebhookStatement(
            name,
            cluster,
            format_,
            array,
            headers,
            tuple(columns),
            check,
            options,
            if_not_exists,
            position,
            where,
        )

    def source_where(self) -> WhereClause | None:
        """`WHERE (condition)`"""
        position = self.token.position
        if not self.accept_words("where"):
            return None
        self.expect_symbol("(")
        start = self.token.start
        condition = self.expression()
        text = self.text[start : self.tokens[self.index - 1].end]
        self.expect_symbol(")")
        return WhereClause(condition, text, position)

    def _header_name(self) -> tuple[str, bool]:
        left_out = self.accept_words("not")
        return self.string(), left_out

    def _header_column(self) -> WebhookHeader:
        position = self.token.position
        self.expect_words("header")
        header = self.string()
        self.expect_words("as")
        return WebhookHeader(header, self.label(), self.accept_words("bytes"), position)

    def _webhook_check(self) -> WebhookCheck:
        """`([WITH (input, ...)] expression)`"""
        self.expect_symbol("(")
        inputs = self.parenthesised(self._webhook_input) if self.accept_words("with") else ()
        start = self.token.start
        expression = self.expression()
        text = self.text[start : self.tokens[self.index - 1].end]
        self.expect_symbol(")")
        return WebhookCheck(inputs, expression, text)

    def _webhook_input(self) -> WebhookInput:
        position = self.token.position
        if (word := self.accept_any("headers", "body", "secret")) is None:
            self.fail()
        secret = self.object_name() if word == "secret" else None
        alias = self.label() if self.accept_words("as") else None
        return WebhookInput(word, secret, alias, self.accept_words("bytes"), position)
