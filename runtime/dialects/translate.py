"""A query of another warehouse's dialect as PostgreSQL's, or the place in it that is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from ..errors import Unsupported
from . import aggregates, arithmetic, casts, dates, expressions, numbers, queries, strings
from .reading import read
from .scope import Columns, Scope, column_of
from .values import Value, of_type
from .writing import Query, Rules, check_arguments, quote

ColumnsOf = Callable[[str | None, str], Mapping[str, str] | None]
"""Of a relation by schema and name: PostgreSQL's types by column; None where they are not known."""


def nothing_known(schema: str | None, name: str) -> None:
    return None


def translate(sql: str, dialect: str, columns_of: ColumnsOf = nothing_known) -> str:
    """PostgreSQL's text of the one query in `sql`.

    Raises SqlSyntaxError where it is none of the dialect, and Unsupported, with the position in `sql`, where it is not proven what it
    means here.
    """
    tree = read(sql, dialect)
    translation = _Translation(dialect, sql, columns_of)
    try:
        query = translation.query(tree)
        _named(translation, tree)
    except RecursionError:
        raise Unsupported("the query nests too deeply to be translated") from None
    if mixed := translation.folded & translation.exact:
        raise Unsupported(
            f'"{min(mixed)}" and {min(mixed)} are two columns in {dialect}, and one here',
            hint="Write the name in one way.",
        )
    return query.sql


def _named(w: _Translation, tree: exp.Expr) -> None:
    """Names that a warehouse makes up for expressions are its own."""
    while isinstance(tree, exp.SetOperation | exp.Subquery):
        tree = tree.this
    for item in tree.expressions if isinstance(tree, exp.Select) else ():
        if not isinstance(item, exp.Alias | exp.Column | exp.Star):
            raise w.refused(item, "the model's column has no name", "Give it one: AS name.")


def _rules() -> Rules:
    """All, of one mind: no two for the same."""
    found = Rules()
    for module in (expressions, arithmetic, casts, numbers, strings, dates, aggregates):
        for key, known in module.RULES.functions.items():
            found.functions.setdefault(key, []).extend(known)
        assert not found.forms.keys() & module.RULES.forms.keys()
        found.forms.update(module.RULES.forms)
    return found


RULES = _rules()


@dataclass(slots=True)
class _Translation(queries.Host):
    """A `Writer`.  `folded` and `exact`: names of columns as Snowflake tells them apart."""

    dialect: str
    sql: str
    columns_of: ColumnsOf
    scope: Scope = field(default_factory=lambda: Scope(False))
    ctes: dict[str, Columns | None] = field(default_factory=dict)
    folded: set[str] = field(default_factory=set)
    exact: set[str] = field(default_factory=set)

    @property
    def ignores_case(self) -> bool:  # type: ignore[override]
        return self.dialect != "snowflake"

    # --- names ---

    def name(self, identifier: exp.Expr) -> str:
        """A column or an alias, as PostgreSQL has it: in small letters unless it is quoted."""
        if not isinstance(identifier, exp.Identifier):
            raise self.refused(identifier, "a name is expected here")
        text = str(identifier.this)
        if self.dialect != "snowflake":
            return text if identifier.args.get("quoted") else text.lower()
        if not identifier.args.get("quoted") or text == text.upper():
            self.folded.add(text.lower())
            return text.lower()
        if text == text.lower():
            self.exact.add(text)
        return text

    def relation_name(self, identifier: exp.Expr) -> str:
        """dbt writes them in quotes, as they are here."""
        quoted, text = identifier.args.get("quoted"), str(identifier.this)
        return text if quoted else text.lower()

    def table(self, node: exp.Expr) -> tuple[str, str, Columns | None]:
        check_arguments(self, node, ("this", "db", "catalog", "alias"))
        if not isinstance(node.this, exp.Identifier):
            raise self.refused(
                node, "a table function is not translated", "Write the model in PostgreSQL's SQL."
            )
        path = [node.args[part] for part in ("catalog", "db", "this") if node.args.get(part) is not None]
        names = [self.relation_name(part) for part in path]
        sql = ".".join(quote(name) for name in names)
        cte = (
            next((one for one in self.ctes if one.lower() == names[0].lower()), None)
            if len(names) == 1
            else None
        )
        columns = self.ctes[cte] if cte is not None else self._declared(names)
        sql = quote(cte) if cte is not None else sql
        alias = node.args.get("alias")
        if alias is None:
            return sql, cte or names[-1], columns
        name, columns, listed = queries.alias_of(self, alias, columns)
        return f"{sql} AS {quote(name)}{listed}", name, columns

    def _declared(self, names: list[str]) -> Columns | None:
        types = self.columns_of(names[-2] if len(names) > 1 else None, names[-1])
        return None if types is None else {name: of_type(type_, quote(name)) for name, type_ in types.items()}

    def column(self, node: exp.Expr) -> Value:
        check_arguments(self, node, ("this", "table"))
        name = self.name(node.this)
        table = node.args.get("table")
        if table is not None:
            return self._qualified(self.name(table), name)
        scope: Scope | None = self.scope
        while scope is not None:
            found = scope.column(name)
            if found is not None:
                return found.written(found.sql)
            alias = scope.alias(name)
            if alias is not None and (scope.known() or alias.literal is not None):
                return alias.written(alias.sql)
            if alias is not None:
                raise self.refused(
                    node,
                    f'"{name}" may be a column, or what the select list calls so',
                    "Write the expression again, or put it into a subquery.",
                )
            if not scope.known():
                break
            scope = scope.outer
        return Value(quote(name))

    def _qualified(self, table: str, name: str) -> Value:
        scope: Scope | None = self.scope
        while scope is not None and not scope.has_relation(table):
            scope = scope.outer
        if scope is None:
            return Value(f"{quote(table)}.{quote(name)}")
        real = next(
            one
            for one in scope.relations
            if one == table or (self.ignores_case and one.lower() == table.lower())
        )
        found = column_of(scope.relations[real], name, self.ignores_case)
        if found is None:
            return Value(f"{quote(real)}.{quote(name)}")
        return found.written(f"{quote(real)}.{found.sql}")

    # --- nodes ---

    def query(self, node: exp.Expr) -> Query:
        return queries.query(self, node)

    def expression(self, node: exp.Expr) -> Value:
        if isinstance(node, exp.Column):
            return self.column(node)
        if isinstance(node, exp.Select | exp.SetOperation):
            raise self.refused(node, "a query is not translated here")
        return RULES.write(self, node)

    def called(self, node: exp.Expr) -> str:
        """The name that a function was called by; empty for what has a syntax of its own."""
        start, end = node.meta.get("start"), node.meta.get("end")
        if not isinstance(node, exp.Func) or not isinstance(start, int) or not isinstance(end, int):
            return ""
        return self.sql[start : end + 1].strip('"`').lower()

    def refused(self, node: exp.Expr, what: str, hint: str | None = None) -> Unsupported:
        return Unsupported(
            what, hint=hint or "Write the model in PostgreSQL's SQL.", position=_position(node, self.sql)
        )


def _position(node: exp.Expr, sql: str) -> int | None:
    """Where in the text the node begins, as far as the tree knows: else something in it, or around it."""
    found = [one.meta["start"] for one in node.walk() if isinstance(one.meta.get("start"), int)]
    if not found:
        return _position(node.parent, sql) if node.parent is not None else None
    first = int(min(found))
    if isinstance(node, exp.Func) and not isinstance(node.meta.get("start"), int):
        call = _CALL.search(sql[:first])  # of some functions the tree has the arguments' places only
        first = call.start() if call is not None else first
    return first + 1


_CALL = re.compile(r"\w+\s*\(\s*$")
