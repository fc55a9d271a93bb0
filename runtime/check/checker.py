"""Node by node, each after those that it reads: it is rendered, planned, and its columns are known to those behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from dbt.adapters.ptvc.translation import translated, why_not

from ..coord.catalog.items import Readable
from ..coord.ddl.connectors import NotAsked
from ..errors import PtvcError, Unsupported
from ..repr.schema import Schema
from ..sql.plan import result_schema
from ..sql.plans.definition_plans import CreateMaterializedView, CreateTable, CreateView
from ..sql.plans.plans import PlannedStatement
from ..sql.plans.query_plans import Select
from . import contracts, declared, own_tables, places, yaml_places
from .environment import Environment
from .findings import ERROR, Finding, NotChecked, Place
from .nodes import Node, Project
from .own_tables import UnknownTables
from .statements import Statement, definition, function, index_statements, relation_name

Rendered = Callable[[Node], str]
"""The SQL that dbt makes of a node's code; NotRendered where it cannot."""


class NotRendered(Exception):
    """Nothing is known of what the node's code becomes.  With `finding`, because something is wrong with it."""

    def __init__(self, reason: str, finding: Finding | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.finding = finding


class Elsewhere(Protocol):
    """What is known beside the project itself."""

    def columns_of(self, node: Node) -> declared.Columns | None: ...

    def own_tables_of(self, source: Node) -> Mapping[str, declared.Columns]:
        """The tables that its text has made, by name."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A node that is what it should be: its columns, and the SQL that makes it; of one whose columns are declared there is none."""

    node: Node
    schema: Schema
    sql: str = ""


@dataclass(slots=True)
class Result:
    """`checked` by id; what is in neither of the three is nothing that can be checked."""

    checked: dict[str, Checked] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    not_checked: list[NotChecked] = field(default_factory=list)

    @property
    def looked_at(self) -> set[str]:
        """All of them: those that are wrong, and those that could not be checked, too."""
        return {
            *self.checked,
            *(found.node for found in self.findings),
            *(left.node for left in self.not_checked),
        }

    @property
    def errors(self) -> int:
        return sum(1 for finding in self.findings if finding.severity == ERROR)

    @property
    def warnings(self) -> int:
        return len(self.findings) - self.errors


class Checker:
    def __init__(
        self,
        project: Project,
        environment: Environment,
        rendered: Rendered,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._project = project
        self._environment = environment
        self._rendered = rendered
        self._elsewhere = elsewhere
        self._made = {(node.schema, node.alias) for node in project.of_type("model", "snapshot", "seed")}
        self._unknown: dict[str, NotChecked] = {}
        self._unknown_tables = UnknownTables()
        self._result = Result()
        self._checks: Mapping[str, Callable[[Node], None]] = {
            "source": self._source,
            "seed": self._seed,
            "function": self._query,
            "model": self._query,
            "snapshot": self._query,
            "test": self._query,
            "analysis": self._query,
            "unit_test": self._query,
        }

    def run(self) -> Result:
        for node in self._project.nodes.values():
            check = self._checks.get(node.type)
            if check is None:
                continue
            if node.schema:
                self._environment.add_schema(node.schema)
            try:
                check(node)
            except NotRendered as error:
                if error.finding is not None:
                    self._result.findings.append(error.finding)
                    self._fail(node)
                else:
                    self._leave(node, f"{node.shown}: {error.reason}")
        return self._result

    # --- what is not known ---

    def _leave(self, node: Node, reason: str) -> None:
        self._unknown[node.id] = NotChecked(node.id, reason, node.id)
        self._result.not_checked.append(NotChecked(node.id, reason))

    def _leave_above(self, node: Node, below: NotChecked) -> None:
        """Its columns would follow from some that are not known."""
        self._unknown[node.id] = below
        self._result.not_checked.append(NotChecked(node.id, below.reason, below.node))

    def _fail(self, node: Node) -> None:
        """It has errors.  If its contract says what its columns are, others can be checked all the same."""
        columns = declared.of_yaml(node) if node.contract else None
        if columns is None or not self._declare(node, columns):
            self._unknown[node.id] = NotChecked(node.id, f"{node.shown} has errors")

    def _declare(self, node: Node, columns: declared.Columns) -> bool:
        if self._environment.find(node.schema, node.alias) is not None:
            return True
        try:
            self._environment.define(declared.table(node, columns))
        except PtvcError:
            return False
        return True

    # --- what is declared ---

    def _source(self, node: Node) -> None:
        if self._environment.catalog.item(node.schema, node.alias) is not None:
            return  # a system relation
        if (node.schema, node.alias) in self._made:
            return  # what a model makes, under another name
        columns = self._declared_columns(node)
        if columns is None:
            reason = f"the columns of {node.shown} are not declared with a data_type each"
            self._unknown[node.id] = NotChecked(node.id, reason)
            return
        self._table(node, columns)

    def _seed(self, node: Node) -> None:
        try:
            columns = declared.of_seed(node, self._project.root)
        except PtvcError as error:
            self._result.findings.append(self._finding(node, error, Place(node.file, 1)))
            self._fail(node)
            return
        self._table(node, columns)

    def _table(self, node: Node, columns: declared.Columns, sql: str = "") -> None:
        try:
            self._environment.define(declared.table(node, columns))
        except PtvcError as error:
            self._result.findings.append(self._finding(node, error, self._declaring(node, error, columns)))
            self._fail(node)
            return
        self._keep(node, sql)

    def _declaring(self, node: Node, error: PtvcError, columns: declared.Columns) -> Place:
        """The column whose type is wrong, else the node."""
        for name, type_ in columns.items():
            if f'"{type_}"' in error.message or f" {type_}" in error.message:
                found = yaml_places.of_column(self._project.root, node, name.strip('"'))
                if found is not None:
                    return found
        return yaml_places.of_node(self._project.root, node)

    # --- what is computed ---

    def _query(self, node: Node) -> None:
        if node.language == "python" and node.type == "model":
            return self._python(node)
        below = next((self._unknown[id_] for id_ in node.depends_on if id_ in self._unknown), None)
        if below is not None:
            return self._leave_above(node, below)
        written = self._rendered(node)
        if not written.strip():
            return None
        try:
            code = self._translated(node, written)
        except PtvcError as error:
            self._refuse(node, None, written, error)
            return self._fail(node)
        if node.kind == "incremental" and relation_name(node) in code:
            return self._later_run(node, code)
        try:
            statement = self._statement(node, code)
        except PtvcError as error:
            self._result.findings.append(self._finding(node, error, Place(node.file)))
            return self._fail(node)
        try:
            planned = self._planned(node, statement, code)
        except NotAsked as error:
            return self._of_upstream(node, statement, error)
        except PtvcError as error:
            if (unknown := self._unknown_tables.blamed(node, error)) is not None:
                return self._leave_above(node, unknown)
            self._refuse(node, statement, code, error)
            return self._fail(node)
        schema = self._keep(node, code if statement is None else statement.sql, planned)
        if schema is not None:
            self._result.findings += contracts.findings(node, schema, self._environment, self._project.root)
        if node.type == "unit_test":
            self._expectations(node)
        self._indexes(node)
        if node.kind == "incremental":
            self._next_run(node, code)
        return None

    def _of_upstream(self, node: Node, statement: Statement | None, error: NotAsked) -> None:
        """A table whose columns are those of one in another database."""
        assert statement is not None
        if node.kind == "source":
            return self._own_tables(node, statement, error)
        columns = self._declared_columns(node)
        if columns is None:
            reason = f"{error.message}: they are known if the YAML says the data_type of each"
            return self._leave(node, reason)
        self._table(node, columns, statement.sql)
        return self._indexes(node)

    def _own_tables(self, source: Node, statement: Statement, error: NotAsked) -> None:
        """A source that makes tables of what upstream has."""
        names = own_tables.named(statement.sql)
        there = {} if self._elsewhere is None else self._elsewhere.own_tables_of(source)
        known = {name: columns for name, columns in there.items() if names is None or name in names}
        try:
            for name, columns in known.items():
                self._environment.define(declared.table(replace(source, alias=name), columns))
        except PtvcError as refused:
            self._result.findings.append(self._finding(source, refused, Place(source.file)))
            return self._fail(source)
        missing = None if names is None else names - known.keys()
        reason = f"{error.message}: the columns of its tables are known with --path or --host, if the runtime has it as it is here"
        self._unknown_tables.add(source, missing, NotChecked(source.id, reason, source.id))
        if missing or not known:
            self._result.not_checked.append(NotChecked(source.id, reason))
        else:
            self._keep(source, statement.sql)
        return None

    def _declared_columns(self, node: Node) -> declared.Columns | None:
        elsewhere = None if self._elsewhere is None else self._elsewhere.columns_of(node)
        return elsewhere or declared.of_yaml(node)

    def _expectations(self, test: Node) -> None:
        for id_ in test.depends_on:
            checked = self._result.checked.get(id_)
            if checked is not None and checked.node.name == test.extra.get("model"):
                self._result.findings += contracts.expectations(
                    test, checked.node, checked.schema, self._project.root
                )

    def _later_run(self, node: Node, code: str) -> None:
        """An incremental model that was compiled when its table was there: what the table is, it does not say."""
        columns = self._declared_columns(node)
        if columns is None:
            reason = (
                f"{node.shown} was compiled for a later run: the columns that its table has are not known"
            )
            return self._leave(node, reason)
        self._table(node, columns)
        try:
            self._environment.plan(code)
        except PtvcError as error:
            self._refuse(node, None, code, error)
        return None

    def _next_run(self, node: Node, first: str) -> None:
        """An incremental model once more, now that its table is there."""
        code = written = self._rendered(node)
        try:
            code = self._translated(node, written)
            if code != first:
                self._environment.plan(code)
        except PtvcError as error:
            self._refuse(node, None, code, error)

    def _python(self, node: Node) -> None:
        columns = declared.of_yaml(node)
        if columns is None:
            reason = (
                f"{node.shown} is in Python: its columns are known if the YAML says the data_type of each"
            )
            return self._leave(node, reason)
        return self._table(node, columns)

    def _statement(self, node: Node, code: str) -> Statement | None:
        if node.type == "function":
            return function(node, code)
        if node.type == "test":
            return _of_test(node, code)
        if node.type in ("model", "snapshot"):
            return definition(node, code, self._project)
        return None

    def _translated(self, node: Node, code: str) -> str:
        """The node's query as PostgreSQL's, if its config says that it is in another dialect."""
        if node.type == "unit_test" and self._tested_dialect(node) is not None:
            raise NotRendered("a unit test of a model that has a `dialect`")
        ephemeral = (self._project.nodes[id_] for id_ in node.depends_on if id_ in self._project.nodes)
        for read in ephemeral:
            if (
                read.kind == "ephemeral"
                and node.type in ("model", "test", "snapshot")
                and read.dialect is not None
            ):
                raise Unsupported(
                    f"{node.name} reads {read.name}, which is ephemeral and has a `dialect`",
                    hint="Make it a view.",
                )
        if node.dialect is None or node.kind == "ephemeral":
            return code
        kind = "test" if node.type == "test" else node.kind
        reason = why_not(kind, node.language, "__dbt__cte__" in code)
        if reason is not None:
            raise Unsupported(reason)
        return translated(code, node.dialect, self._environment.types_of)

    def _tested_dialect(self, test: Node) -> str | None:
        tested = (self._project.nodes.get(id_) for id_ in test.depends_on)
        found = (node.dialect for node in tested if node is not None and node.name == test.extra.get("model"))
        return next(found, None)

    def _planned(self, node: Node, statement: Statement | None, code: str) -> PlannedStatement | None:
        if statement is None:
            return self._environment.plan(code)
        if header := node.config.get("sql_header"):
            try:
                self._environment.define(str(header))
            except PtvcError as error:
                error.position = None  # which counts in the header
                raise
        planned = self._environment.define(statement.sql)
        return planned[0] if planned else None

    def _keep(self, node: Node, sql: str = "", planned: PlannedStatement | None = None) -> Schema | None:
        """The node is checked; its columns, if it has any."""
        schema = _schema(planned)
        if schema is None and (item := self._environment.catalog.item(node.schema, node.alias)) is not None:
            schema = item.schema if item.kind.is_relation else None
        self._result.checked[node.id] = Checked(node, schema or Schema(()), sql)
        return schema

    def _indexes(self, node: Node) -> None:
        if node.type != "model" or not isinstance(self._environment.find(node.schema, node.alias), Readable):
            return
        try:
            for sql in index_statements(node):
                self._environment.define(sql)
        except PtvcError as error:
            place = places.first_mention(node, self._project.root, "indexes", "columns")
            self._result.findings.append(self._finding(node, error, place))

    # --- what is wrong ---

    def _refuse(self, node: Node, statement: Statement | None, code: str, error: PtvcError) -> None:
        root = self._project.root
        offset = (error.position or 0) - 1 if statement is None else statement.offset(error.position, code)
        compiled: Place | None = None
        if node.is_generic_test:
            attached = self._project.nodes.get(node.extra.get("attached") or "")
            place = yaml_places.of_test(root, node, attached)
        elif node.type == "unit_test":
            place, compiled = yaml_places.of_node(root, node), places.in_text(code, max(offset or 0, 0), "")
        elif offset is None or offset < 0:
            place = places.named_in(error.message, node, root) or Place(node.file)
        else:
            place, compiled = places.in_file(node, code, offset, root)
        self._result.findings.append(replace(self._finding(node, error, place), compiled=compiled))

    def _finding(self, node: Node, error: PtvcError, place: Place) -> Finding:
        return Finding(ERROR, error.sqlstate, error.message, node.id, place, error.detail, error.hint)


def _of_test(node: Node, code: str) -> Statement | None:
    """The failures of a test may be a view that is maintained."""
    stored = node.config.get("store_failures_as")
    if stored not in ("view", "materialized_view", "table"):
        return None
    before = f"create {stored.replace('_', ' ')} {relation_name(node)} as\n"
    return Statement(f"{before}{code}", len(before))


def _schema(planned: PlannedStatement | None) -> Schema | None:
    match planned:
        case None:
            return None
        case CreateView() | CreateMaterializedView() | CreateTable():
            return planned.schema
        case Select():
            return result_schema(planned)
        case _:
            return None
