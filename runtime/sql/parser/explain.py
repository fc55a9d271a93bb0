"""EXPLAIN: plans of queries and objects, times, parts, and what was measured."""

from __future__ import annotations

from typing import NoReturn

from ...errors import SqlSyntaxError, Unsupported
from ..syntax import ast
from ..syntax.definition_statements import Option
from ..syntax.show_statements import ExplainStatement
from ..syntax.vocabulary import ExplainFormat, ExplainStage, ObjectKind
from .alter_table import AlterTableParser
from .lexer import TokenKind

_FORMS = (
    "EXPLAIN [RAW | DECORRELATED | OPTIMIZED | PHYSICAL] PLAN [AS TEXT | AS JSON] FOR a query, or for VIEW, "
    "MATERIALIZED VIEW or INDEX and a name; EXPLAIN TIMESTAMP FOR, EXPLAIN FILTER PUSHDOWN FOR, EXPLAIN ANALYZE."
)
_MEASURES = ("cpu", "memory", "hydration")
_MEANINGLESS = ("verbose", "costs", "timing", "summary", "generic_plan")
_DETAILS = (
    "arity", "cardinality", "column names", "equivalences", "filter pushdown", "humanized expressions", "join implementations", "keys",
    "linear chains", "no fast path", "no notices", "node identifiers", "non negative", "raw plans", "raw syntax", "redacted", "subtree size",
    "timing", "types",
)  # fmt: skip
_EXPLAINED = (ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW, ObjectKind.INDEX)


class ExplainParser(AlterTableParser):
    def explain_statement(self) -> ExplainStatement:
        self.expect_words("explain")
        if self.accept_words("timestamp"):
            return self._explain_for("timestamp", ExplainStage.OPTIMIZED, objects=False)
        if self.at_word("filter"):
            self.expect_words("filter", "pushdown")
            return self._explain_for("pushdown", ExplainStage.OPTIMIZED)
        if self.accept_words("source"):
            name = self.object_name()
            return ExplainStatement(
                "source", ExplainStage.OPTIMIZED, ExplainFormat.TEXT, None, ObjectKind.SOURCE, name
            )
        if self.accept_words("analyze"):
            return self._explain_analyze(ExplainFormat.TEXT)
        if self.at_symbol("(") and not self.at_query():
            return self._explain_options()
        self.accept_words("verbose")
        word = self.accept_any("raw", "decorrelated", "optimized", "physical")
        stage = ExplainStage.OPTIMIZED if word is None else ExplainStage(word)
        if word is not None or self.at_word("plan"):
            self.expect_words("plan")
            return self._explain_for("plan", stage)
        if self.at_any("as", "for", "with") and not self.at_query():
            return self._explain_for("plan", stage)
        if (explained := self._explained_object()) is not None:
            return ExplainStatement("plan", stage, ExplainFormat.TEXT, None, *explained)
        return self._explained_query("plan", stage, ExplainFormat.TEXT)

    def _explain_for(self, what: str, stage: ExplainStage, *, objects: bool = True) -> ExplainStatement:
        """`[WITH (details)] [AS format] FOR` a query or an object."""
        if self.accept_words("with"):
            self.options_once(self._detail)
        format_ = self._explain_format() if self.accept_words("as") else ExplainFormat.TEXT
        self.expect_words("for")
        explained = self._explained_object() if objects else None
        if explained is not None:
            kind, name = explained
            return ExplainStatement(what, stage, format_, None, kind, name)
        return self._explained_query(what, stage, format_)

    def _detail(self) -> Option:
        """What Materialize's plans may show or leave out: ours show the same with all of them."""
        position, words = self.token.position, []
        while self.token.kind is TokenKind.NAME and self.token.value not in ("true", "false"):
            words.append(self.advance().value)
        if (name := " ".join(words)) not in _DETAILS:
            raise Unsupported(f"EXPLAIN option {name.upper()} is not supported", position=position)
        self.accept_symbol("=")
        return Option(name, self.accept_any("true", "false") != "false", position)

    def _explain_format(self) -> ExplainFormat:
        position = self.token.position
        word = self.label()
        if word not in ("text", "json"):
            raise Unsupported(f"EXPLAIN in format {word.upper()} is not supported", position=position)
        return ExplainFormat(word)

    def _explained_object(self) -> tuple[ObjectKind, ast.Name] | None:
        if not self.at_any("view", "materialized", "index"):
            return None
        kind = self._kind()
        assert kind in _EXPLAINED
        return kind, self.object_name()

    def _explain_analyze(self, format_: ExplainFormat) -> ExplainStatement:
        """`ANALYZE query`, or `ANALYZE [measures] FOR` what is maintained."""
        measures: list[str] = []
        while (word := self.accept_any(*_MEASURES)) is not None:
            measures.append(word)
            if not self.accept_symbol(","):
                break
        if self.at_word("cluster"):
            raise Unsupported("EXPLAIN ANALYZE CLUSTER is not supported", position=self.token.position)
        if self.accept_words("as"):
            format_ = self._explain_format()
            self.accept_words("sql")
        if measures or self.at_word("for"):
            self.expect_words("for")
            position = self.token.position
            explained = self._explained_object()
            if explained is None or explained[0] is ObjectKind.VIEW:
                raise Unsupported(
                    "EXPLAIN ANALYZE FOR takes INDEX or MATERIALIZED VIEW and a name",
                    hint="EXPLAIN ANALYZE takes a query without FOR.",
                    position=position,
                )
            kind, name = explained
            stage = ExplainStage.PHYSICAL
            return ExplainStatement("analyze", stage, format_, None, kind, name, tuple(measures))
        self.accept_words("verbose")
        return self._explained_query("analyze", ExplainStage.PHYSICAL, format_)

    def _explain_options(self) -> ExplainStatement:
        """PostgreSQL's `(option [value], ...)`: ANALYZE and FORMAT; those that say what to leave out mean nothing."""
        analyze, format_ = False, ExplainFormat.TEXT
        self.expect_symbol("(")
        while True:
            position = self.token.position
            option = self.label()
            if option == "format":
                format_ = self._explain_format()
            elif option == "analyze":
                analyze = self._truth()
            elif option in _MEANINGLESS:
                self._truth()
            elif self._truth():
                raise Unsupported(
                    f"EXPLAIN option {option.upper()} is not supported", hint=_FORMS, position=position
                )
            if not self.accept_symbol(","):
                break
        self.expect_symbol(")")
        if analyze:
            return self._explain_analyze(format_)
        return self._explained_query("plan", ExplainStage.OPTIMIZED, format_)

    def _truth(self) -> bool:
        if self.at_symbol(",") or self.at_symbol(")"):
            return True
        position = self.token.position
        value = self.advance().value.lower()
        if value not in ("on", "off", "true", "false", "1", "0"):
            raise SqlSyntaxError(f'"{value}" is not a truth value', position=position)
        return value in ("on", "true", "1")

    def _explained_query(self, what: str, stage: ExplainStage, format_: ExplainFormat) -> ExplainStatement:
        """A query as it is written, or one that was prepared."""
        if self.at_word("execute"):
            return ExplainStatement(what, stage, format_, None, execute=self.execute())
        if not self.at_query():
            self.fail() if self.token.kind is TokenKind.END else self._refuse_explained()
        query, as_of = self.query_as_of()
        return ExplainStatement(what, stage, format_, query, as_of=as_of)

    def _refuse_explained(self) -> NoReturn:
        raise Unsupported(
            f"EXPLAIN of {self.token.value.upper()} is not supported yet",
            hint=_FORMS,
            position=self.token.position,
        )
