"""CREATE statements."""

from __future__ import annotations

from collections.abc import Callable

from ...errors import PtvcError, RedundantOption, SqlSyntaxError, Unsupported
from ...storage.connections.options import ConnectionKind
from ..syntax import ast
from ..syntax import statements as st
from ..syntax.constraints import ConstraintKind
from ..syntax.definition_statements import (
    ColumnDefinition,
    CreateClusterStatement,
    CreateIndexStatement,
    CreateMaterializedViewStatement,
    CreateSchemaStatement,
    CreateSinkStatement,
    CreateSourceStatement,
    CreateSourceTableStatement,
    CreateTableStatement,
    CreateViewStatement,
    Option,
    RetainRowsClause,
)
from ..syntax.sink_statements import OutsideClause
from ..syntax.storage_parameters import StorageParameters
from .connector.kafka_source import KafkaSourceParser
from .connector.lake_sink import LakeSinkParser
from .connector.lake_source import LakeSourceParser
from .connector.load_generator import LoadGeneratorParser
from .connector.upstream_source import ColumnLists, UpstreamSourceParser
from .lexer import TokenKind
from .token_cursor import each_once

REPLICAS = "Replicas are alike, and have no names: REPLICATION FACTOR is the number of them."


class CreateParser(
    KafkaSourceParser, LakeSinkParser, UpstreamSourceParser, LoadGeneratorParser, LakeSourceParser
):
    def create(self) -> st.StatementNode:
        start = self.index
        self.expect_words("create")
        or_replace = self.accept_words("or", "replace")
        scoped = self.accept_any("local", "global") is not None  # they mean nothing, as in PostgreSQL
        temporary = self.accept_any("temp", "temporary") is not None
        if scoped and not temporary:
            self.index = start
            return self.unsupported(2)
        if self.accept_words("unlogged"):
            temporary = False
        if self.accept_words("view"):
            return self._view(or_replace, temporary)
        if self.accept_words("materialized", "view"):
            return self._materialized_view(or_replace)
        if not or_replace and not temporary and self.accept_words("replacement", "materialized", "view"):
            return self._materialized_view(or_replace=False, replacement=True)
        if self.at_word("table") and not or_replace:
            self.advance()
            return self._table(temporary)
        if not or_replace and not temporary:
            if self.accept_words("index"):
                return self._index(default=False)
            if self.accept_words("default", "index"):
                return self._index(default=True)
            if self.accept_words("source"):
                return self._source()
            if self.accept_words("sink"):
                return self._sink()
            if self.accept_words("schema"):
                return self._schema()
            if self.accept_words("cluster"):
                return self._cluster()
            if self.accept_words("type"):
                return self.create_type()
            if self.accept_words("secret"):
                return self.create_secret()
            if self.accept_words("connection"):
                return self.create_connection()
        self.index = start
        return self.unsupported(2)

    def _view(self, or_replace: bool, temporary: bool) -> st.StatementNode:
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        columns = self._column_names()
        if self.at_word("with"):
            raise Unsupported("view options are not supported", position=self.token.position)
        self.expect_words("as")
        return CreateViewStatement(name, columns, self.query(), or_replace, if_not_exists, temporary)

    def _materialized_view(self, or_replace: bool, replacement: bool = False) -> st.StatementNode:
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        columns = self._column_names()
        replaces = None
        if replacement:
            self.expect_words("for")
            replaces = self.object_name()
        cluster = self.in_cluster()
        not_null: list[ast.Name] = []
        refreshed = False

        def own_option() -> bool:
            nonlocal refreshed
            if self.accept_words("assert", "not", "null"):
                self.accept_symbol("=")
                not_null.append(self.one_name())
            elif self.at_word("refresh"):
                if refreshed:
                    raise RedundantOption("refresh", position=self.token.position)
                self._refresh()
                refreshed = True
            else:
                return False
            return True

        retain = self._with_options(StorageParameters.of_table(), own_option)
        self.expect_words("as")
        query = self.query()
        self._with_data()
        return CreateMaterializedViewStatement(
            name, columns, query, cluster, or_replace, if_not_exists, retain, tuple(not_null), replaces
        )

    def _refresh(self) -> None:
        """`REFRESH [=] ON COMMIT`, which is so anyway."""
        position = self.advance().position
        self.accept_symbol("=")
        if not self.accept_words("on", "commit"):
            raise Unsupported(
                f"REFRESH {self.token.value.upper()} is not supported",
                hint="A materialized view is always fresh: REFRESH ON COMMIT.",
                position=position,
            )

    def _with_data(self) -> bool:
        if self.accept_words("with", "no", "data"):
            return False
        self.accept_words("with", "data")
        return True

    def _index(self, default: bool) -> st.StatementNode:
        if_not_exists = self.if_not_exists()
        if self.at_word("concurrently"):
            self.advance()
        name = self.identifier() if not self.at_any("on", "in") else None
        cluster = self.in_cluster()
        self.expect_words("on")
        on = self.object_name()
        parameters = StorageParameters.of_index(self.identifier() if self.accept_words("using") else "btree")
        keys: tuple[ast.Expression, ...] | None = None
        texts: tuple[str, ...] = ()
        if not default or self.at_symbol("("):
            written = self.parenthesised(self._index_key)
            keys, texts = tuple(key for key, _ in written), tuple(text for _, text in written)
        retain = self._with_options(parameters)
        if self.at_any("where", "include"):
            raise Unsupported(
                f"CREATE INDEX ... {self.token.value.upper()} is not supported", position=self.token.position
            )
        return CreateIndexStatement(name, cluster, on, keys, if_not_exists, texts, retain)

    def _index_key(self) -> tuple[ast.Expression, str]:
        start = self.token.start
        expression = self.expression()
        text = self.text[start : self.tokens[self.index - 1].end]
        self.accept_any("asc", "desc")
        return expression, text

    # --- tables ---

    def _table(self, temporary: bool) -> st.StatementNode:
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        if self.at_word("from") and not temporary:
            return self._table_from_source(name, if_not_exists)
        if self.at_any("as", "with", "without", "on"):
            return self._table_as(name, (), if_not_exists, temporary)
        saved = self.index
        self.expect_symbol("(")
        if self.at_symbol(")"):
            self.advance()
            return CreateTableStatement(name, (), if_not_exists, temporary)
        if self.at_identifier() and (self.at_symbol(",", 1) or self.at_symbol(")", 1)):
            self.index = saved
            columns = self._column_names()
            return self._table_as(name, columns, if_not_exists, temporary)
        definitions, constraints = self._definitions()
        retain = self._table_options()
        drop = self._drop_on_commit(temporary)
        if self.at_any("partition", "inherits", "on", "using", "from"):
            raise Unsupported(
                f"CREATE TABLE ... {self.token.value.upper()} is not supported", position=self.token.position
            )
        return CreateTableStatement(
            name,
            definitions,
            if_not_exists,
            temporary,
            constraints=constraints,
            retain_history_ms=retain,
            drop_on_commit=drop,
        )

    def _table_from_source(self, name: ast.Name, if_not_exists: bool) -> st.StatementNode:
        """`FROM SOURCE source (REFERENCE [schema.]name) [WHERE (condition)] [WITH (option, ...)]`"""
        self.expect_words("from", "source")
        source = self.object_name()
        self.expect_symbol("(")
        self.expect_words("reference")
        self.accept_symbol("=")
        reference = self.object_name()
        self.expect_symbol(")")
        where = self.source_where()
        lists = ColumnLists()
        rows: list[RetainRowsClause] = []

        def own_option() -> bool:
            position = self.token.position
            if (retained := self.retained_rows()) is None:
                return self.column_list(lists)
            if rows:
                raise RedundantOption("retain rows", position=position)
            rows.append(retained)
            return True

        retain = self._table_options(own_option)
        return CreateSourceTableStatement(
            name,
            source,
            reference,
            if_not_exists,
            retain,
            lists.text or (),
            lists.excluded or (),
            where=where,
            retain_rows=rows[0] if rows else None,
        )

    def _table_as(
        self, name: ast.Name, columns: tuple[str, ...], if_not_exists: bool, temporary: bool
    ) -> st.StatementNode:
        """`[WITH (option, ...)] [ON COMMIT ...] AS query`"""
        retain = self._table_options()
        drop = self._drop_on_commit(temporary)
        self.expect_words("as")
        query = self.query()
        with_data = self._with_data()
        return CreateTableStatement(
            name,
            (),
            if_not_exists,
            temporary,
            query,
            columns,
            with_data,
            retain_history_ms=retain,
            drop_on_commit=drop,
        )

    def _drop_on_commit(self, temporary: bool) -> bool:
        """`ON COMMIT PRESERVE ROWS`, which is so anyway, or `ON COMMIT DROP`"""
        position = self.token.position
        if not self.accept_words("on", "commit"):
            return False
        if not temporary:
            raise PtvcError("ON COMMIT can only be used on temporary tables", sqlstate="42P16")
        if self.accept_words("preserve", "rows"):
            return False
        if self.accept_words("drop"):
            return True
        raise Unsupported(
            "ON COMMIT DELETE ROWS is not supported",
            hint="ON COMMIT DROP and ON COMMIT PRESERVE ROWS are.",
            position=position,
        )

    def _table_options(self, own_option: Callable[[], bool] = lambda: False) -> int | None:
        if self.accept_words("without", "oids"):  # as every table is
            return None
        return self._with_options(StorageParameters.of_table(), own_option)

    def _with_options(
        self, parameters: StorageParameters, own_option: Callable[[], bool] = lambda: False
    ) -> int | None:
        """`WITH (RETAIN HISTORY FOR duration, storage parameter, ...)`: the duration.

        `own_option` reads another one, if it stands next.
        """
        retain = None
        if not self.accept_words("with"):
            return retain
        self.expect_symbol("(")
        while True:
            position = self.token.position
            if self.accept_words("retain", "history"):
                if retain is not None:
                    raise RedundantOption("retain history", position=position)
                retain = self.retention()
            elif not own_option():
                self._storage_parameter(parameters)
            if not self.accept_symbol(","):
                break
        self.expect_symbol(")")
        return retain

    def _storage_parameter(self, parameters: StorageParameters) -> None:
        """`[namespace.]name [= value]`"""
        position = self.token.position
        namespace, name = "", self.label()
        if self.accept_symbol("."):
            namespace, name = name, self.label()
        value = self._parameter_value() if self.accept_symbol("=") else None
        if value is None and self.token.kind is TokenKind.NAME:  # Materialize has some of two words
            raise Unsupported(
                f'option "{name} {self.token.value}" is not supported here',
                hint="RETAIN HISTORY FOR is.",
                position=position,
            )
        if not self.at_symbol(",") and not self.at_symbol(")"):
            self.fail()
        try:
            parameters.add(namespace, name, value)
        except PtvcError as error:
            error.position = position
            raise

    def _parameter_value(self) -> str:
        sign = "-" if self.accept_symbol("-") else "+" if self.accept_symbol("+") else ""
        numbers = (TokenKind.INTEGER, TokenKind.DECIMAL)
        if self.token.kind in numbers or (self.token.kind is TokenKind.STRING and not sign):
            return ("-" if sign == "-" else "") + self.advance().value
        if sign:
            self.fail()
        return self.label()

    # --- sources and sinks ---

    def _source(self) -> st.StatementNode:
        position = self.tokens[self.index - 1].position
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        columns: tuple[ColumnDefinition, ...] = ()
        primary_key: tuple[ast.Name, ...] = ()
        if self.accept_symbol("("):
            columns, constraints = self._definitions()
            for constraint in constraints:
                if constraint.kind is not ConstraintKind.PRIMARY_KEY:
                    raise Unsupported(
                        f"{constraint.kind.name} constraints of sources are not supported: they would not be enforced",
                        hint="NOT NULL is enforced, and PRIMARY KEY with ENVELOPE UPSERT.",
                        position=constraint.position,
                    )
                primary_key = constraint.columns
        cluster = self.in_cluster()
        self.expect_words("from")
        if self.accept_words("load", "generator"):
            return self.load_generator(name, columns, cluster, if_not_exists, position)
        if self.accept_words("webhook"):
            if columns or primary_key:
                raise SqlSyntaxError("a WEBHOOK source has columns of its own", position=position)
            return self.webhook(name, cluster, if_not_exists, position)
        for kind in (ConnectionKind.POSTGRES, ConnectionKind.MYSQL):
            if self.accept_words(kind.value):
                if columns or primary_key:
                    raise SqlSyntaxError(
                        f"a {kind.words} source has no columns: its tables have those upstream",
                        position=position,
                    )
                return self.upstream_source(kind, name, cluster, if_not_exists, position)
        if self.accept_words("kafka"):
            kafka = self.kafka_source()
            progress, letters = self.tables_beside()
            where = self.source_where()
            end = self.source_options((), letters)
            return CreateSourceStatement(
                name,
                columns,
                primary_key,
                cluster,
                None,
                (),
                "",
                (),
                (),
                kafka.envelope,
                if_not_exists,
                position,
                end.retain_history_ms,
                progress=progress,
                kafka=kafka,
                dead_letters=end.dead_letters,
                where=where,
                excluded=end.excluded,
                retain_rows=end.retain_rows,
            )
        begun = CreateSourceStatement(
            name, columns, primary_key, cluster, None, (), "", (), (), "none", if_not_exists, position
        )
        if self.accept_words("file"):
            return self.file_source(begun)
        if self.accept_words("s3"):
            return self.s3_source(begun)
        if self.accept_words("iceberg", "catalog"):
            return self.iceberg_source(begun)
        if self.accept_words("delta"):
            return self.delta_source(begun)
        raise Unsupported(
            f"CREATE SOURCE ... FROM {self.token.value.upper()} is not supported",
            hint="Sources are FROM FILE '/path' FORMAT JSON|CSV|PARQUET, FROM S3 CONNECTION, FROM KAFKA CONNECTION, "
            "FROM POSTGRES CONNECTION, FROM MYSQL CONNECTION, FROM ICEBERG CATALOG CONNECTION, FROM DELTA, FROM WEBHOOK, or FROM LOAD GENERATOR.",
            position=self.token.position,
        )

    def _sink(self) -> st.StatementNode:
        position = self.tokens[self.index - 1].position
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        cluster = self.in_cluster()
        self.expect_words("from")
        from_name = self.object_name()
        self.expect_words("into")
        outside: OutsideClause | None = None
        if self.accept_words("kafka"):
            outside = self.kafka_sink()
        elif self.accept_words("postgres"):
            outside = self.postgres_sink()
        elif self.accept_words("iceberg", "catalog"):
            outside = self.iceberg_sink()
        elif self.accept_words("delta"):
            outside = self.delta_sink()
        if outside is not None:
            return CreateSinkStatement(
                name,
                cluster,
                from_name,
                "",
                "",
                outside.key,
                outside.envelope,
                if_not_exists,
                position,
                outside,
            )
        if not self.accept_words("file"):
            raise Unsupported(
                f"CREATE SINK ... INTO {self.token.value.upper()} is not supported",
                hint="Sinks are INTO FILE '/directory' FORMAT JSON|PARQUET, INTO KAFKA CONNECTION c (TOPIC 't'), "
                "INTO POSTGRES CONNECTION c (TABLE t), INTO ICEBERG CATALOG CONNECTION c (NAMESPACE 'n', TABLE 't'), and INTO DELTA (URI '...').",
                position=self.token.position,
            )
        path = self.string()
        format_, options = self.file_format(("json", "parquet"))
        if options:
            raise Unsupported("sink formats take no options", position=options[0].position)
        key: tuple[ast.Name, ...] = ()
        if self.accept_words("key"):
            key = self.parenthesised(self.one_name)
            if self.accept_words("not"):
                self.expect_words("enforced")
        envelope = self.file_envelope()
        if envelope is None:
            raise SqlSyntaxError(
                "ENVELOPE clause is required",
                hint="Write ENVELOPE UPSERT, DEBEZIUM or NONE.",
                position=self.token.position,
            )
        return CreateSinkStatement(
            name, cluster, from_name, path, format_, key, envelope, if_not_exists, position
        )

    # --- the rest ---

    def _schema(self) -> st.StatementNode:
        if_not_exists = self.if_not_exists()
        name = self.object_name()
        if self.at_word("authorization"):
            raise Unsupported("CREATE SCHEMA AUTHORIZATION is not supported", position=self.token.position)
        return CreateSchemaStatement(name.parts[-1], if_not_exists)

    def _cluster(self) -> st.StatementNode:
        """`[(] name [=] value, ... [)]`"""
        self.refuse_replica("CREATE")
        if_not_exists = self.if_not_exists()
        name = self.identifier()
        options: tuple[Option, ...] = ()
        if self.at_word("replicas") or (self.at_symbol("(") and self.peek().value == "replicas"):
            raise Unsupported("CREATE CLUSTER ... REPLICAS is not supported", hint=REPLICAS)
        if self.at_symbol("("):
            options = self.options() if not self.at_symbol(")", 1) else self._no_options()
        elif self.at_identifier():
            options = each_once(self.comma_list(self.option))
        return CreateClusterStatement(name, options, if_not_exists)

    def _no_options(self) -> tuple[Option, ...]:
        self.expect_symbol("(")
        self.expect_symbol(")")
        return ()

    def refuse_replica(self, verb: str) -> None:
        """Behind CLUSTER; a cluster may be called `replica`."""
        if self.at_word("replica") and self.peek(1).kind is TokenKind.NAME:
            raise Unsupported(
                f"{verb} CLUSTER REPLICA is not supported", hint=REPLICAS, position=self.token.position
            )
