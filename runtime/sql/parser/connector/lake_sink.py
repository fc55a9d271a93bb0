"""CREATE SINK ... INTO ICEBERG CATALOG and INTO DELTA: what stands behind it."""

from __future__ import annotations

from collections.abc import Sequence

from ....errors import SqlSyntaxError, Unsupported
from ....storage.lake.partitions import TRANSFORMS, WITH_ARGUMENT
from ...syntax.sink_statements import DeltaSinkClause, IcebergSinkClause, LakeSinkOption, PartitionClause
from ..columns import duration_ms
from ..lexer import TokenKind
from .postgres_sink import PostgresSinkParser

_PARTITION_BY = "PARTITION BY"
_ICEBERG = ("NAMESPACE", "TABLE", _PARTITION_BY)
_DELTA = ("URI", _PARTITION_BY)


class LakeSinkParser(PostgresSinkParser):
    def iceberg_sink(self) -> IcebergSinkClause:
        """`CONNECTION c (NAMESPACE = 'n', TABLE = 't' [, PARTITION BY (...)]) [USING AWS CONNECTION a]
        [KEY (column, ...) [NOT ENFORCED]] MODE UPSERT|APPEND [WITH (COMMIT INTERVAL = '...')]`"""
        position = self.token.position
        self.expect_words("connection")
        connection = self.object_name()
        options = self.options_once(lambda: self._lake_option("an Iceberg sink", _ICEBERG))
        files = self.object_name() if self.accept_words("using", "aws", "connection") else None
        key = self.sink_key()
        envelope = self._sink_mode()
        interval = self._commit_interval()
        return IcebergSinkClause(connection, options, files, key, envelope, interval, position)

    def delta_sink(self) -> DeltaSinkClause:
        """`(URI = '...' [, PARTITION BY (...)]) [USING AWS CONNECTION a] [KEY (column, ...) [NOT ENFORCED]] MODE UPSERT|APPEND
        [WITH (COMMIT INTERVAL = '...')]`"""
        position = self.token.position
        options = self.options_once(lambda: self._lake_option("a Delta sink", _DELTA))
        files = self.object_name() if self.accept_words("using", "aws", "connection") else None
        key = self.sink_key()
        envelope = self._sink_mode()
        return DeltaSinkClause(options, files, key, envelope, self._commit_interval(), position)

    def _lake_option(self, what: str, names: Sequence[str]) -> LakeSinkOption:
        position = self.token.position
        for name in names:
            if self.accept_words(*name.lower().split()):
                break
        else:
            raise SqlSyntaxError(
                f"unrecognized option of {what}: {self.token.value.upper()}",
                hint=f"Options are {', '.join(names[:-1])} and {names[-1]}.",
                position=position,
            )
        self.accept_symbol("=")
        if name == _PARTITION_BY:
            return LakeSinkOption(name, self.parenthesised(self._sink_partition), position)
        return LakeSinkOption(name, self.string(), position)

    def _sink_partition(self) -> PartitionClause:
        position = self.token.position
        if self.token.kind is not TokenKind.NAME or not self.at_symbol("(", 1):
            return PartitionClause(self.one_name(), None, None, position)
        word = self.label()
        transform = word.removesuffix("s") if word.removesuffix("s") in TRANSFORMS else word
        if transform not in TRANSFORMS:
            raise Unsupported(
                f"PARTITION BY cannot take {word} of a column",
                hint=f"It takes a column, or one of {', '.join(TRANSFORMS)} of a column, as bucket(16, column).",
                position=position,
            )
        self.expect_symbol("(")
        argument = None
        if transform in WITH_ARGUMENT:
            number = self.advance()
            if number.kind is not TokenKind.INTEGER or not 0 < int(number.value) < 2**31:
                raise SqlSyntaxError(
                    f"{transform} takes a number of at least 1, and a column", position=number.position
                )
            argument = int(number.value)
            self.expect_symbol(",")
        column = self.one_name()
        self.expect_symbol(")")
        return PartitionClause(column, transform, argument, position)

    def _sink_mode(self) -> str:
        """As an envelope."""
        position = self.token.position
        hint = "MODE UPSERT keeps the rows by their key, MODE APPEND writes a row for each change."
        if self.at_word("envelope") or not self.accept_words("mode"):
            raise SqlSyntaxError("MODE clause is required", hint=hint, position=position)
        word = self.label()
        if word not in ("upsert", "append"):
            raise Unsupported(f"MODE {word.upper()} is not supported", hint=hint, position=position)
        return "upsert" if word == "upsert" else "none"

    def _commit_interval(self) -> int | None:
        """`WITH (COMMIT INTERVAL [=] 'duration')`"""
        interval = None
        for option in self.options() if self.accept_words("with") else ():
            if option.name != "commit_interval":
                raise Unsupported(
                    f'sink option "{option.name}" is not supported',
                    hint="COMMIT INTERVAL is.",
                    position=option.position,
                )
            interval = duration_ms(str(option.value), option.position)
            if not 1_000 <= interval <= 86_400_000:
                raise SqlSyntaxError(
                    "option COMMIT INTERVAL is between a second and a day", position=option.position
                )
        return interval
