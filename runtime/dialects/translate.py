"""A query of another warehouse's dialect as PostgreSQL's, or the place in it that is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from ..errors import PtvcError, Unsupported
from . import aggregates, arithmetic, casts, dates, expressions, numbers, queries, strings
from .reading import read
from .scope import Columns, Scope, column_of
from .values import Kind, Value, of_type
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
    return _translated(_Translation(dialect, sql, columns_of), read(sql, dialect)).sql


def _translated(translation: _Translation, tree: exp.Expr) -> Query:
    try:
        query = translation.query(tree)
        _named(translation, tree)
    except RecursionError:
        raise Unsupported("the query nests too deeply to be translated") from None
    if mixed := translation.folded & translation.exact:
        raise Unsupported(
            f'"{min(mixed)}" and {min(mixed)} are two columns in {translation.dialect}, and one here',
            hint="Write the name in one way.",
        )
    return query


@dataclass(frozen=True, slots=True)
class Survey:
    """A query, and all that is refused of it.  `sql` is None if anything is.  `columns`: PostgreSQL's types by name, empty where one is
    not known; None where not even the names are."""

    sql: str | None
    columns: Mapping[str, str] | None
    refused: tuple[PtvcError, ...] = ()


_MOST_REFUSALS = 50
_LEFT_OUT = "ptvc_left_out"


def survey(
    sql: str,
    dialect: str,
    columns_of: ColumnsOf = nothing_known,
    opaque: Mapping[str, Kind | None] | None = None,
) -> Survey:
    """As `translate`, but goes on behind what is refused, as if a value of a type that is not known stood there.

    `opaque`: names that stand for values, with their kinds, and are no columns.
    """
    refused: list[PtvcError] = []
    try:
        tree = read(sql, dialect)
    except PtvcError as error:
        return Survey(None, None, (error,))
    for _ in range(_MOST_REFUSALS):
        translation = _Translation(dialect, sql, columns_of, opaque=opaque or {})
        try:
            query = _translated(translation, tree)
        except Unsupported as error:
            if _LEFT_OUT not in error.message and all(error.position != one.position for one in refused):
                refused.append(error)
            if translation.at is None or not _leave_out(translation.at):
                return Survey(None, None, tuple(refused))
            continue
        return Survey(None if refused else query.sql, _types(query.columns), tuple(refused))
    return Survey(None, None, tuple(refused))


def _leave_out(node: exp.Expr) -> bool:
    """Puts a column that is nowhere in the place of the expression that the node is, or is in."""
    found: exp.Expr | None = node
    while found is not None and (
        not isinstance(found, exp.Condition)
        or (isinstance(found.parent, exp.Func | exp.Cast) and not isinstance(found, exp.Func | exp.Binary))
    ):
        found = found.parent
        if isinstance(found, exp.Query | exp.Join):
            return False
    if found is None or isinstance(found, exp.Query) or found.name.startswith(_LEFT_OUT):
        return False
    if isinstance(found.parent, exp.From | exp.Join | exp.Lateral):
        return False
    place: exp.Expr = exp.column(_LEFT_OUT)
    if isinstance(found.parent, exp.Select) and found.arg_key == "expressions":
        place = exp.alias_(place, _LEFT_OUT + str(found.index))
    found.replace(place)
    return True


def _types(columns: Columns | None) -> dict[str, str] | None:
    return None if columns is None else {name: _type(value) for name, value in columns.items()}


def _type(value: Value) -> str:
    if value.kind is Kind.NUMERIC and value.scale is not None:
        return f"numeric(38,{value.scale})"
    return "" if value.kind is None else "text" if value.kind is Kind.NULL else value.kind.value


def type_of(type_: str, dialect: str) -> str | None:
    """PostgreSQL's type with the same values as a type of the dialect; None where none is known."""
    try:
        tree = read(f"SELECT CAST(NULL AS {type_}) AS v", dialect)
        (item,) = tree.expressions
        to = item.this.args["to"]
        return casts.target(_Translation(dialect, "", nothing_known), to, to).type
    except (PtvcError, AttributeError, KeyError, ValueError):
        return None


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
    """A `Writer`.  `folded` and `exact`: names of columns as Snowflake tells them apart.  `opaque`: names that stand for values.
    `at`: what was refused last."""

    dialect: str
    sql: str
    columns_of: ColumnsOf
    scope: Scope = field(default_factory=lambda: Scope(False))
    ctes: dict[str, Columns | None] = field(default_factory=dict)
    folded: set[str] = field(default_factory=set)
    exact: set[str] = field(default_factory=set)
    opaque: Mapping[str, Kind | None] = field(default_factory=dict)
    at: exp.Expr | None = None

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
        if name in self.opaque:
            return Value(quote(name), self.opaque[name])
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
        self.at = node
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
