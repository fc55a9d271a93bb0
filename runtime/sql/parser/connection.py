"""Secrets and connections: CREATE, ALTER and VALIDATE."""

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
from .lexer import TokenKind
from .subscribe import SubscribeParser

_KINDS = tuple((kind, kind.words.lower().split()) for kind in ConnectionKind)
_HINT = "Connections are TO KAFKA, TO CONFLUENT SCHEMA REGISTRY, TO POSTGRES and TO AWS."
_ELSEWHERE = ("mysql", "ssh", "sql", "iceberg", "glue", "gcp")
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
        options = self.parenthesised(self._connection_option)
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
