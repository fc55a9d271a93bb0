"""FILE sources and sinks: the format and the envelope."""

from __future__ import annotations

from ....errors import Unsupported
from ...syntax.definition_statements import Option
from ..token_cursor import each_once
from .source_options import SourceOptionsParser


class FileFormatParser(SourceOptionsParser):
    def file_format(self, allowed: tuple[str, ...]) -> tuple[str, tuple[Option, ...]]:
        self.expect_words("format")
        position = self.token.position
        format_ = self.label()
        if format_ not in allowed:
            raise Unsupported(
                f"FORMAT {format_.upper()} is not supported here",
                hint=f"Formats are {', '.join(name.upper() for name in allowed)}.",
                position=position,
            )
        options: list[Option] = []
        while self.at_any("with", "without"):
            position = self.token.position
            word = self.advance().value
            if self.at_symbol("(") and word == "with":
                options.extend(self.parenthesised(self.source_option))
            else:
                self.expect_words("header")
                options.append(Option("header", word == "with", position))
        return format_, each_once(options)

    def file_envelope(self) -> str | None:
        if not self.accept_words("envelope"):
            return None
        position = self.token.position
        word = self.label()
        if word not in ("none", "upsert", "debezium"):
            raise Unsupported(f"ENVELOPE {word.upper()} is not supported", position=position)
        return word
