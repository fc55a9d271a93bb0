"""CREATE, DROP, ALTER and COMMENT ON FUNCTION, and how functions are referred to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ...errors import PtvcError, RedundantOption, SqlSyntaxError, Unsupported
from ..syntax import ast
from ..syntax import statements as st
from ..syntax.function_definition import ExternalOptions, FunctionKind, Parallel, Volatility
from ..syntax.function_statements import (
    ArgumentDefinition,
    CommentFunctionStatement,
    CreateFunctionStatement,
    DropFunctionStatement,
    FunctionReference,
)
from .explain import ExplainParser
from .lexer import TokenKind

_TYPES_OF_WORDS = {
    "double": ("precision",),
    "character": ("varying",),
    "char": ("varying",),
    "timestamp": ("with", "without"),
    "time": ("with", "without"),
    "interval": ("year", "month", "day", "hour", "minute", "second"),
}
"""Types whose first word could be an argument's name, but for the word that follows."""

_PSEUDO_TYPES = frozenset(
    (
        "anyelement", "anyarray", "anynonarray", "anyenum", "anyrange", "anymultirange", "anycompatible",
        "anycompatiblearray", "anycompatiblenonarray", "anycompatiblerange", "trigger", "event_trigger", "void",
        "record", "cstring", "internal", "language_handler",
    )
)  # fmt: skip
_HINT = (
    "Functions are in SQL: LANGUAGE sql AS $$ SELECT ... $$, of one value; or in Python or JavaScript: "
    "LANGUAGE python, LANGUAGE javascript."
)
_LANGUAGES = {"sql": "sql", "python": "python", "javascript": "javascript", "js": "javascript"}
"""Their names here, by the names that they have in statements: BigQuery's is js."""


@dataclass(slots=True)
class _Options:
    """What may stand in any order behind the result's type."""

    language: str | None = None
    body: str | None = None
    offset: int | None = None
    returned: bool = False
    strict: bool | None = None
    volatility: Volatility | None = None
    parallel: Parallel | None = None
    cost: bool = False
    security: bool = False
    external: dict[str, Any] = field(default_factory=dict)


class RoutineParser(ExplainParser):
    def create_function(self) -> st.StatementNode:
        """What stands behind CREATE, up to FUNCTION or AGGREGATE."""
        or_replace = self.accept_words("or", "replace")
        kind = self.function_kind()
        name = self.object_name()
        arguments = self._arguments(defaults=True)
        if not self.accept_words("returns"):
            raise PtvcError("function result type must be specified", sqlstate="42P13")
        if self.at_any("setof") or self.at_word("table"):
            raise Unsupported(
                "functions that return a set are not supported", hint=_HINT, position=self.token.position
            )
        returns = self._type()
        options = self._options()
        if options.language is None and not options.returned:
            raise PtvcError("no language specified", sqlstate="42P13")
        if options.language is not None:
            if options.language not in _LANGUAGES:
                raise Unsupported(f"functions in language {options.language} are not supported", hint=_HINT)
            options.language = _LANGUAGES[options.language]
        external = self._external(options)
        if options.body is None:
            raise PtvcError("no function body specified", sqlstate="42P13")
        return CreateFunctionStatement(
            name,
            kind,
            arguments,
            returns,
            options.body,
            options.offset,
            options.returned,
            bool(options.strict),
            options.volatility or Volatility.VOLATILE,
            options.parallel or Parallel.UNSAFE,
            or_replace,
            external,
        )

    def _external(self, options: _Options) -> ExternalOptions | None:
        """Of the options each language takes its own."""
        language = options.language or "sql"
        for word in options.external:
            if language == "sql" or (language == "javascript" and word != "timeout_ms"):
                shown = word.removesuffix("_ms").upper()
                owners = '"python" and "javascript"' if word == "timeout_ms" else '"python"'
                raise PtvcError(f"{shown} is of language {owners} only", sqlstate="42P13")
        if language == "sql":
            return None
        if options.returned:
            raise PtvcError('RETURN is of language "sql" only', sqlstate="42P13")
        return ExternalOptions(language, **options.external)

    def at_function(self) -> bool:
        """Whether FUNCTION or AGGREGATE [FUNCTION] stands next, perhaps behind OR REPLACE."""
        ahead = 2 if self.at_word("or", "replace") else 0
        token = self.peek(ahead) if ahead else self.token
        return token.kind is TokenKind.NAME and token.value in ("function", "aggregate")

    def function_kind(self) -> FunctionKind:
        if self.accept_words("aggregate"):
            self.accept_words("function")
            return FunctionKind.AGGREGATE
        self.expect_words("function")
        return FunctionKind.FUNCTION

    # --- arguments ---

    def _arguments(self, *, defaults: bool) -> tuple[ArgumentDefinition, ...]:
        self.expect_symbol("(")
        if self.accept_symbol(")"):
            return ()
        arguments = self.comma_list(self._defaulted if defaults else self._plain)
        self.expect_symbol(")")
        return arguments

    def _plain(self) -> ArgumentDefinition:
        position = self.token.position
        self._mode()
        name = self.label() if self._named() else None
        self._mode()
        return ArgumentDefinition(name, self._type(), None, position)

    def _defaulted(self) -> ArgumentDefinition:
        found = self._plain()
        if not self.accept_words("default") and not self.accept_symbol("="):
            return found
        start = self.token.start
        self.expression()
        text = self.text[start : self.tokens[self.index - 1].end]
        return ArgumentDefinition(found.name, found.type, text, found.position, start)

    def _mode(self) -> None:
        if self.at_any("out", "inout", "variadic") and self.peek().kind in (TokenKind.NAME, TokenKind.QUOTED):
            raise Unsupported(
                f"{self.token.value.upper()} arguments are not supported",
                hint=_HINT,
                position=self.token.position,
            )
        self.accept_words("in")

    def _named(self) -> bool:
        """Whether a name stands before the type."""
        second = self.peek()
        if second.kind is TokenKind.QUOTED:
            return True
        if second.kind is not TokenKind.NAME or second.value in ("default", "array"):
            return False
        quoted = self.token.kind is TokenKind.QUOTED
        return quoted or second.value not in _TYPES_OF_WORDS.get(self.token.value, ())

    def _type(self) -> ast.TypeName:
        token = self.token
        if token.kind is TokenKind.NAME and token.value in _PSEUDO_TYPES:
            raise Unsupported(
                f"functions of type {token.value} are not supported", hint=_HINT, position=token.position
            )
        return self.type_name()

    # --- options ---

    def _options(self) -> _Options:
        options = _Options()
        while self.token.kind is not TokenKind.END and not self.at_symbol(";"):
            if self.at_word("return"):
                self._return(options)
                break
            self._function_option(options)
        return options

    def _return(self, options: _Options) -> None:
        """`RETURN expression`, which is the end."""
        if options.body is not None:
            raise PtvcError("duplicate function body specified", sqlstate="42P13")
        self.expect_words("return")
        options.offset = self.token.start
        self.expression()
        options.body = self.text[options.offset : self.tokens[self.index - 1].end]
        options.returned = True

    def _function_option(self, options: _Options) -> None:
        position = self.token.position
        if self.accept_words("language"):
            self._once(options.language is None, "language", position)
            string = self.token.kind is TokenKind.STRING
            options.language = (self.advance().value if string else self.identifier()).lower()
        elif self.accept_words("as"):
            self._once(options.body is None, "as", position)
            self._body(options)
        elif (word := self.accept_any("immutable", "stable", "volatile")) is not None:
            self._once(options.volatility is None, "volatility", position)
            options.volatility = Volatility[word.upper()]
        elif self.accept_words("strict") or self.accept_words("returns", "null", "on", "null", "input"):
            self._once(options.strict is None, "strict", position)
            options.strict = True
        elif self.accept_words("called", "on", "null", "input"):
            self._once(options.strict is None, "strict", position)
            options.strict = False
        elif self.accept_words("parallel"):
            self._once(options.parallel is None, "parallel", position)
            word = self.label()
            if word.upper() not in Parallel.__members__:
                raise SqlSyntaxError('parameter "parallel" must be SAFE, RESTRICTED, or UNSAFE')
            options.parallel = Parallel[word.upper()]
        elif self.accept_words("cost"):
            self._once(not options.cost, "cost", position)
            options.cost = True
            if self.advance().kind not in (TokenKind.INTEGER, TokenKind.DECIMAL):
                self.index -= 1
                self.fail()
        elif self.accept_words("security", "invoker") or self.accept_words("external", "security", "invoker"):
            self._once(not options.security, "security", position)
            options.security = True
        elif (word := self.accept_any("handler", "runtime_version", "packages", "timeout")) is not None:
            self._external_option(options, word, position)
        elif not self.accept_words("not", "leakproof"):
            self._refuse_option()

    def _external_option(self, options: _Options, word: str, position: int) -> None:
        """`HANDLER = 'name'` and its like."""
        self.accept_symbol("=")
        if word == "packages":
            self.expect_symbol("(")
            empty = self.at_symbol(")")
            value: Any = () if empty else tuple(self.comma_list(self.string))
            self.expect_symbol(")")
        elif word == "timeout":
            value = self._call_timeout()
        else:
            value = self.string()
        name = "timeout_ms" if word == "timeout" else word
        self._once(name not in options.external, word, position)
        options.external[name] = value

    def _call_timeout(self) -> int:
        """In milliseconds; as PostgreSQL's settings are written."""
        position = self.token.position
        text = self.string()
        found = re.fullmatch(r"\s*(\d{1,9})\s*(ms|s|min|h)?\s*", text)
        if found is None or not int(found[1]):
            raise PtvcError(
                f'invalid value for TIMEOUT: "{text}"',
                sqlstate="22023",
                hint='Write a time of at least 1 ms, in "ms", "s", "min" or "h".',
                position=position,
            )
        return int(found[1]) * {None: 1, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000}[found[2]]

    def _once(self, first: bool, name: str, position: int) -> None:
        if not first:
            raise RedundantOption(name, position=position)

    def _refuse_option(self) -> None:
        if self.at_any(
            "begin", "rows", "set", "security", "external", "leakproof", "window", "support", "transform"
        ):
            raise Unsupported(
                f"CREATE FUNCTION ... {self.token.value.upper()} is not supported",
                hint=_HINT,
                position=self.token.position,
            )
        self.fail()

    def _body(self, options: _Options) -> None:
        token = self.token
        options.body = self.string()
        quote = (token.end - token.start - len(token.value)) // 2
        if self.text[token.start + quote : token.end - quote] == token.value:
            options.offset = token.start + quote
        if self.at_symbol(","):
            language = options.language or "sql"
            raise PtvcError(f'only one AS item needed for language "{language}"', sqlstate="42P13")

    # --- references ---

    def function_reference(self, kind: FunctionKind | None = None) -> FunctionReference:
        """`name` or `name(type, ...)`"""
        name = self.object_name()
        if not self.at_symbol("("):
            return FunctionReference(name, kind, None)
        if kind is FunctionKind.AGGREGATE and self.at_symbol("*", 1):
            raise Unsupported("aggregates over * are the system's", position=self.token.position)
        arguments = self._arguments(defaults=False)
        return FunctionReference(name, kind, tuple(argument.type for argument in arguments))

    def drop_function(self) -> DropFunctionStatement:
        """What stands behind DROP."""
        kind = self.function_kind()
        if_exists = self.if_exists()
        functions = self.comma_list(lambda: self.function_reference(kind))
        return DropFunctionStatement(
            functions, if_exists, self.accept_any("cascade", "restrict") == "cascade"
        )

    def comment_function(self) -> CommentFunctionStatement:
        """What stands behind COMMENT ON."""
        function = self.function_reference(self.function_kind())
        self.expect_words("is")
        return CommentFunctionStatement(function, None if self.accept_words("null") else self.string())
