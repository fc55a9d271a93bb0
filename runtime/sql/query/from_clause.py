"""FROM: tables, derived tables and table functions to one relation, and their columns to a scope."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ...errors import PtvcError
from ...expr.tables.table_functions import COLUMN_NAMES
from ...expr.tree.relation import JoinKind, Relation
from ...repr.schema import Origin
from ...repr.types import OID
from ..calls.table_functions import calls_in_from, rows_of
from ..catalog import sql_keywords
from ..catalog.catalog_view import CatalogItem, ItemKind
from ..catalog.names import find_relation
from ..catalog.system_relations import ALWAYS_EMPTY, NEVER_FILLED
from ..scalars import build
from ..scalars.expressions import Expressions
from ..scalars.per_execution import read_view
from ..scalars.scope import Correlated, OuterColumn, Scope, ScopeColumn
from ..syntax import ast
from .changes_clause import contents_of, plan_changelog
from .join_clause import JoinPlanner, looks_left
from .join_condition import Side
from .recursion import plan_recursive

if TYPE_CHECKING:
    from .planner import CommonTableBinding, Prefix, QueryPlan


class FromPlanner(JoinPlanner):
    """Adds items to `scope`; every method takes the relation so far and returns the next."""

    def add(self, item: ast.FromItem, base: Relation) -> Relation:
        match item:
            case ast.TableRef():
                return self._table(item, base)
            case ast.DerivedTable():
                return self.beside(item, base)
            case ast.TableFunction():
                return self.function(item, base)
            case ast.JoinedTable():
                return self.joined(item) if base is self.domain else self._standalone(item, base)

    def _standalone(self, item: ast.JoinedTable, base: Relation) -> Relation:
        """A join that stands behind other items: the cross product, unless it looks at what stands left of it."""
        if looks_left(item):
            return self.beside(item, base)
        apart = Scope(self.scope.parent, {}, tables=dict(self.scope.tables), lateral=self.scope.lateral)
        try:
            relation = FromPlanner(self.planner, apart).add(item, build.UNIT)
        except Correlated as error:
            if error.scope.prefix is not apart.prefix:
                raise
            return self.beside(item, base)
        width = len(base.schema)
        self.scope.tables = apart.tables
        self.scope.columns.extend(replace(c, index=c.index + width) for c in apart.columns)
        return build.cross(base, relation)

    # --- tables ---

    def _table(self, item: ast.TableRef, base: Relation) -> Relation:
        if item.changes is not None:
            return self._changes(item, base)
        binding = self.planner.environment.get(item.name[0]) if len(item.name) == 1 else None
        alias = item.alias or item.name[-1]
        if binding is not None:
            columns = item.columns or binding.table.columns
            table = ast.DerivedTable(binding.table.query, alias, columns, False, item.position)
            if binding.needed:
                return self.placed(base, self._term_itself(binding, table), JoinKind.INNER, [])
            try:
                plan = self._common_table(binding)
            except Correlated:
                return self.placed(base, self._correlated_table(binding, table, base), JoinKind.INNER, [])
            return self._place(plan.closed(), plan, alias, columns, base, item.position)
        found = find_relation(ast.Name(item.name, item.position), self.planner.context)
        self.planner.uses.add(found.id)
        self.scope.add_table(alias, item.position)
        stored = self.planner.maintained and self.planner.open  # a later version may have rows, and values
        relation = contents_of(found) if stored else relation_of(found)
        if found.kind is ItemKind.VIEW:
            relation = read_view(self.planner, found, relation, item.position)
        self.planner.views.append(relation)
        names = _renamed(found.schema.names, item.columns, alias, item.position)
        shift = 0 if base is build.UNIT else len(base.schema)
        oid = self.planner.context.catalog.oid(found.id)
        for index, (column, name) in enumerate(zip(found.schema, names, strict=True)):
            absent = found.kind is ItemKind.SYSTEM and column.name in NEVER_FILLED and not stored
            used: Callable[[], None] | None = None
            if found.kind in (ItemKind.TABLE, ItemKind.SOURCE):
                used = partial(self.planner.columns.add, (found.id, found.stored_position(index)))
            self.scope.columns.append(
                ScopeColumn(
                    alias,
                    name,
                    column.type,
                    column.nullable,
                    shift + index,
                    absent=absent,
                    schema=found.name.schema if item.alias is None else None,
                    used=used,
                    origin=Origin(oid, index + 1),
                )
            )
        if found.kind is ItemKind.SYSTEM:
            hidden = ScopeColumn(alias, "tableoid", OID, True, shift, hidden=True, absent=True)
            self.scope.columns.append(hidden)
        return build.cross(base, relation)

    def _changes(self, item: ast.TableRef, base: Relation) -> Relation:
        relation = plan_changelog(self.planner, item)
        assert item.alias is not None, "the parser has named it"
        self.scope.add_table(item.alias, item.position)
        names = _renamed(relation.schema.names, item.columns, item.alias, item.position)
        shift = 0 if base is build.UNIT else len(base.schema)
        for index, (column, name) in enumerate(zip(relation.schema, names, strict=True)):
            self.scope.columns.append(
                ScopeColumn(item.alias, name, column.type, column.nullable, shift + index)
            )
        return build.cross(base, relation)

    def function(self, item: ast.TableFunction, base: Relation, outer: bool = False) -> Relation:
        if len(item.functions) == 1 and not item.ordinality:
            call = item.functions[0]
            if not call.args and call.name[:-1] in ((), ("pg_catalog",)):
                if call.name[-1] == "pg_show_all_settings":
                    settings = ("pg_catalog", "pg_settings")
                    alias = item.alias or call.name[-1]
                    return self._table(ast.TableRef(settings, alias, item.columns, item.position), base)
                if call.name[-1] == "pg_get_keywords":
                    return self._keywords(item, base)
        expressions = Expressions(self.planner, self.scope, base, "functions in FROM")
        self.scope.open = True
        try:
            calls, names = calls_in_from(expressions, item.functions)
        finally:
            self.scope.open = False
        alias = item.alias or item.functions[0].name[-1]
        if len(calls) == 1 and item.functions[0].name[-1] not in COLUMN_NAMES:
            names = [alias]
        if item.ordinality:
            names.append("ordinality")
        width = len(base.schema)
        rows = partial(rows_of, base, expressions.relation, calls, names, item.ordinality)
        inner = rows(False)
        relation = rows(True) if outer else inner
        labels = _renamed(names, item.columns, alias, item.position)
        self.scope.add_table(alias, item.position)
        for label, (index, column) in zip(labels, list(enumerate(inner.schema))[width:], strict=True):
            entry = ScopeColumn(alias, label, column.type, column.nullable, index)
            self.scope.columns.append(entry.null_extended() if outer else entry)
        if len(labels) == 1 and labels[0] != alias:
            # A row of one value is that value: `FROM jsonb_array_elements(d) AS e` may say e ->> 'a'.
            self.scope.columns.append(replace(self.scope.columns[-1], name=alias, hidden=True, row=True))
        return relation

    def _keywords(self, item: ast.TableFunction, base: Relation) -> Relation:
        alias = item.alias or item.functions[0].name[-1]
        relation = build.constant(sql_keywords.ROWS, sql_keywords.COLUMNS)
        self.scope.add_table(alias, item.position)
        shift = 0 if base is build.UNIT else len(base.schema)
        names = _renamed(relation.schema.names, item.columns, alias, item.position)
        for index, (column, name) in enumerate(zip(relation.schema, names, strict=True), shift):
            self.scope.columns.append(ScopeColumn(alias, name, column.type, False, index))
        return build.cross(base, relation)

    def _common_table(self, binding: CommonTableBinding) -> QueryPlan:
        if binding.plan is not None:
            return binding.plan
        saved, self.planner.environment = self.planner.environment, binding.environment
        try:
            if binding.recursive:
                plan = plan_recursive(self.planner, binding)
            else:
                plan = self.planner.query(binding.table.query, binding.parent)
        finally:
            self.planner.environment = saved
        binding.plan = plan
        return plan

    def derived_side(self, item: ast.DerivedTable, base: Relation) -> Side:
        if item.lateral:
            return self._query_side(item, item.query, self.scope, self.position_of, base)
        level, parent = self.scope.enclosing()

        def of_enclosing(column: OuterColumn) -> int:
            return self.scope.outer((column[0] + level - 1, column[1]))

        return self._query_side(item, item.query, parent, of_enclosing, base)

    def _correlated_table(self, binding: CommonTableBinding, item: ast.DerivedTable, base: Relation) -> Side:
        """A WITH item that looks at queries around the one that it belongs to: planned for each of its uses."""
        plan = partial(plan_recursive, self.planner, binding) if binding.recursive else None
        saved, self.planner.environment = self.planner.environment, binding.environment
        try:
            return self._query_side(item, item.query, binding.parent, self._of_use(binding), base, plan)
        finally:
            self.planner.environment = saved

    def _term_itself(self, binding: CommonTableBinding, item: ast.DerivedTable) -> Side:
        """What a recursive WITH item that looks at queries around it refers to as itself: its rows for the same outer
        row."""
        assert binding.plan is not None
        of_use = self._of_use(binding)
        return self._shown(item, binding.plan, [of_use(column) for column in binding.needed])

    def _of_use(self, binding: CommonTableBinding) -> Callable[[OuterColumn], int]:
        """Where a column around the WITH item's query stands in this scope."""
        level, scope = 0, self.scope
        while scope is not binding.parent:
            assert scope.parent is not None
            level, scope = level + 1, scope.parent
        return lambda column: self.scope.outer((column[0] + level - 1, column[1]))

    def _query_side(
        self,
        item: ast.DerivedTable,
        query: ast.Query,
        parent: Scope | None,
        position_of: Callable[[OuterColumn], int],
        base: Relation,
        plan: Callable[[Prefix, Relation | None], QueryPlan] | None = None,
    ) -> Side:
        planned = self.planner.subqueries.correlated(query, parent, lambda: base, position_of, plan)
        return self._shown(item, *planned)

    def _shown(self, item: ast.DerivedTable, plan: QueryPlan, positions: Sequence[int]) -> Side:
        shown = FromPlanner(self.planner, Scope(None, tables=dict(self.scope.tables)))
        shown._enter(plan, item.alias, item.columns, plan.width, item.position)
        return Side(plan.closed(), tuple(positions), tuple(shown.scope.columns), shown.scope.tables)

    def _place(
        self,
        relation: Relation,
        plan: QueryPlan,
        alias: str | None,
        columns: Sequence[str],
        base: Relation,
        position: int,
    ) -> Relation:
        shift = 0 if base is build.UNIT else len(base.schema)
        self._enter(plan, alias, columns, shift, position)
        return build.cross(base, relation)

    def _enter(
        self,
        plan: QueryPlan,
        alias: str | None,
        columns: Sequence[str],
        shift: int,
        position: int,
    ) -> None:
        if alias is not None:
            self.scope.add_table(alias, position)
        else:
            self.scope.tables.setdefault("", position)
        names = _renamed([output.name for output in plan.outputs], columns, alias or "subquery", position)
        for index, (output, name) in enumerate(zip(plan.outputs, names, strict=True)):
            self.scope.columns.append(
                ScopeColumn(alias, name, output.type, output.nullable, shift + index, origin=output.origin)
            )


def relation_of(item: CatalogItem) -> Relation:
    """What reading the object means: a view's definition, or its contents."""
    if f"{item.name.schema}.{item.name.name}" in ALWAYS_EMPTY and item.definition is None:
        return build.constant((), [(c.name, c.type) for c in item.schema])
    return contents_of(item)


def _renamed(names: Sequence[str], columns: Sequence[str], alias: str, position: int) -> list[str]:
    if len(columns) > len(names):
        raise PtvcError(
            f'table "{alias}" has {len(names)} columns available but {len(columns)} columns specified',
            sqlstate="42P10",
            position=position,
        )
    return [*columns, *names[len(columns) :]]
