"""COPY: PostgreSQL's option list and the old syntax."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...errors import InvalidParameter, SqlSyntaxError, Unsupported
from ..syntax import ast
from ..syntax import statements as st
from ..syntax.data_statements import CopyPlace, CopyStatement
from ..syntax.definition_statements import Option
from ..syntax.query_statements import SubscribeStatement
from ..syntax.vocabulary import CopyFormat, CopyOptions
from .create import CreateParser
from .lexer import TokenKind
from .token_cursor import each_once

_CONNECTION, _SIZE = "aws connection", "max file size"
"""Options of files."""


class CopyParser(CreateParser):
    def copy(self) -> st.StatementNode:
        self.expect_words("copy")
        table: ast.Name | None = None
        columns: tuple[ast.Name, ...] | None = None
        query: ast.Query | SubscribeStatement | None = None
        as_of: ast.AsOf | None = None
        if self.at_symbol("("):
            self.advance()
            if self.at_word("subscribe"):
                query = self.subscribe()
            elif self.at_query():
                query, as_of = self.query_as_of()
            else:
                raise Unsupported("COPY takes a table or a query", position=self.token.position)
            self.expect_symbol(")")
        else:
            table = self.object_name()
            if self.at_symbol("("):
                columns = self.parenthesised(self.one_name)
        incoming = self.accept_words("from")
        if not incoming:
            self.expect_words("to")
        if incoming and query is not None:
            self.fail()
        position = self.token.position
        if not incoming and self.token.kind is TokenKind.STRING:
            return self._to_files(CopyStatement(table, columns, query, False, _NO_OPTIONS, as_of))
        if not self.accept_words("stdin" if incoming else "stdout"):
            raise Unsupported(
                f"COPY {'FROM' if incoming else 'TO'} {self.token.value} is not supported",
                hint="Use FROM STDIN, TO STDOUT (\\copy in psql), or TO '/directory' or 's3://bucket/prefix' WITH (FORMAT PARQUET).",
                position=position,
            )
        options = self._copy_options()
        if incoming and self.at_word("where"):
            raise Unsupported(
                "WHERE of COPY is not supported",
                hint="COPY into a table of its own, and INSERT from it what is wanted.",
                position=self.token.position,
            )
        return CopyStatement(table, columns, query, incoming, _checked(options, position, incoming), as_of)

    def _to_files(self, begun: CopyStatement) -> CopyStatement:
        """`'place' WITH (FORMAT f [, AWS CONNECTION = c] [, MAX FILE SIZE = 'size'] ...)`"""
        position = self.token.position
        place = self.string()
        connection: ast.Name | None = None
        size: str | None = None

        def option() -> Option:
            nonlocal connection, size
            at = self.token.position
            if self.accept_words("aws", "connection"):
                self.accept_symbol("=")
                connection = self.object_name()
                return Option(_CONNECTION, True, at)
            if self.accept_words("max", "file", "size"):
                self.accept_symbol("=")
                size = self.string()
                return Option(_SIZE, True, at)
            return self._copy_option(equals=True)

        found = self.options_once(option) if self.accept_words("with") else ()
        of_format = {each.name: each.value for each in found if each.name not in (_CONNECTION, _SIZE)}
        options = _checked(of_format, position, False)
        return replace(begun, options=options, place=CopyPlace(place, connection, size, position))

    def _copy_options(self) -> dict[str, object]:
        found: list[Option] = []
        self.accept_words("with")
        if self.at_symbol("("):
            found.extend(self.parenthesised(self._copy_option))
        else:
            while self.token.kind is TokenKind.NAME and not self.at_word("where"):
                found.append(self._old_option())
        return {option.name: option.value for option in each_once(found)}

    def _old_option(self) -> Option:
        """Of the syntax without parentheses."""
        position = self.token.position
        word = self.advance().value
        if word in ("csv", "binary"):
            return Option("format", word, position)
        if word in ("header", "freeze"):
            return Option(word, True, position)
        if word in ("delimiter", "delimiters", "null", "quote", "escape"):
            self.accept_words("as")
            return Option("delimiter" if word == "delimiters" else word, self.string(), position)
        if word == "force" and self.accept_words("quote"):
            return Option("force_quote", self._forced(), position)
        raise SqlSyntaxError(f'syntax error at or near "{word}"', position=position)

    def _copy_option(self, equals: bool = False) -> Option:
        """`equals`: there may be one between name and value."""
        position = self.token.position
        name = self.label()
        if equals:
            self.accept_symbol("=")
        return Option(name, self._forced() if name == "force_quote" else self.option_value(), position)

    def _forced(self) -> bool:
        if not self.accept_symbol("*"):
            raise Unsupported(
                "COPY FORCE_QUOTE of some columns is not supported",
                hint="Use FORCE_QUOTE *.",
                position=self.token.position,
            )
        return True


_NO_OPTIONS = CopyOptions(CopyFormat.TEXT, "\t", "\\N", False)


def _checked(options: Mapping[str, object], position: int, incoming: bool) -> CopyOptions:
    unknown = set(options) - {
        "format",
        "delimiter",
        "null",
        "header",
        "quote",
        "escape",
        "encoding",
        "force_quote",
        "freeze",
    }
    if unknown:
        name = sorted(unknown)[0]
        if name in (
            "force_null",
            "force_not_null",
            "default",
            "on_error",
            "log_verbosity",
        ):
            raise Unsupported(f"COPY option {name.upper()} is not supported", position=position)
        raise SqlSyntaxError(f'option "{name}" not recognized', position=position)
    encoding = str(options.get("encoding", "utf8")).lower().replace("-", "")
    if encoding not in ("utf8", "unicode"):
        raise Unsupported(f'COPY encoding "{encoding}" is not supported', hint="Use UTF8.", position=position)
    try:
        format_ = CopyFormat(str(options.get("format", "text")))
    except ValueError:
        raise InvalidParameter(
            f'COPY format "{options["format"]}" not recognized',
            hint=f"Formats are {', '.join(known.name for known in CopyFormat)}.",
            position=position,
        ) from None
    csv = format_ is CopyFormat.CSV
    if not csv and ("quote" in options or "escape" in options):
        raise Unsupported("COPY QUOTE and ESCAPE require CSV mode", position=position)
    if "force_quote" in options:
        if not csv:
            raise Unsupported("COPY FORCE_QUOTE requires CSV mode", position=position)
        if incoming:
            raise Unsupported("COPY FORCE_QUOTE cannot be used with COPY FROM", position=position)
    if _freezes(options) and not incoming:
        raise InvalidParameter("COPY FREEZE cannot be used with COPY TO", position=position)
    if not format_.is_text and set(options) & {"delimiter", "null", "header"}:
        mode = format_.name
        raise SqlSyntaxError(f"cannot specify DELIMITER, NULL or HEADER in {mode} mode", position=position)
    delimiter = str(options.get("delimiter", "," if csv else "\t"))
    quote = str(options.get("quote", '"'))
    escape = str(options.get("escape", quote))
    for name, value in (("delimiter", delimiter), ("quote", quote), ("escape", escape)):
        if len(value) != 1 or not value.isascii():
            raise Unsupported(f"COPY {name} must be a single one-byte character", position=position)
    if delimiter in "\r\n":
        raise InvalidParameter("COPY delimiter cannot be newline or carriage return", position=position)
    if csv and delimiter == quote:
        raise InvalidParameter("COPY delimiter and quote must be different", position=position)
    header = options.get("header", False)
    if header == "match":
        raise Unsupported("COPY HEADER MATCH is not supported", position=position)
    null = str(options.get("null", "" if csv else "\\N"))
    return CopyOptions(
        format_,
        delimiter,
        null,
        header in (True, 1, "true", "on", "1"),
        quote,
        escape,
        force_quote="force_quote" in options,
    )


def _freezes(options: Mapping[str, object]) -> bool:
    """Whether rows are to be visible as if vacuumed: they are, as soon as they are durable, with or without it."""
    value = options.get("freeze", False)
    found = _BOOLEANS.get(str(value).lower())
    if found is None:
        raise SqlSyntaxError("freeze requires a Boolean value")
    return found


_BOOLEANS = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
