"""Random relations as SQL, so that PostgreSQL can say what they are.

Every level is a subquery whose columns are c0, c1, ...  Ties of a top k are broken by all columns, in both.
"""

from __future__ import annotations

from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import And, Case, Coalesce, ColumnRef, Literal, Or, Scalar
from ptvc.repr.types import Kind, ScalarType

_OPERATORS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "add": "+"}

_AGGREGATES = frozenset(("count", "sum", "min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"))


class NotInSql(Exception):
    """The relation has something that is not written here, or whose answer PostgreSQL leaves open."""


def sql_type(type_: ScalarType) -> str:
    if type_.kind is Kind.NUMERIC:
        return "numeric" if type_.scale is None else f"numeric({type_.precision}, {type_.scale})"
    return {"int4": "int", "int8": "bigint", "float8": "double precision", "bool": "boolean"}.get(
        type_.kind.value, type_.kind.value
    )


def scalar_sql(scalar: Scalar, table: str) -> str:
    match scalar:
        case ColumnRef(index=index):
            return f"{table}.c{index}"
        case Literal(value=value, type=type_):
            text = (
                "NULL"
                if value is None
                else str(value).lower()
                if isinstance(value, bool)
                else f"'{value}'"
                if isinstance(value, str)
                else str(value)
            )
            return f"CAST({text} AS {sql_type(type_)})"
        case And(args=args) | Or(args=args):
            word = " AND " if isinstance(scalar, And) else " OR "
            return "(" + word.join(scalar_sql(arg, table) for arg in args) + ")"
        case Coalesce(args=args):
            return "COALESCE(" + ", ".join(scalar_sql(arg, table) for arg in args) + ")"
        case Case(branches=branches, otherwise=otherwise):
            whens = " ".join(f"WHEN {scalar_sql(c, table)} THEN {scalar_sql(v, table)}" for c, v in branches)
            return f"CASE {whens} ELSE {scalar_sql(otherwise, table)} END"
        case _:
            function = getattr(scalar, "function", "")
            if function not in _OPERATORS:
                raise NotInSql(repr(scalar))
            left, right = (scalar_sql(arg, table) for arg in getattr(scalar, "args", ()))
            return f"({left} {_OPERATORS[function]} {right})"


def relation_sql(relation: r.Relation) -> str:
    """A SELECT whose rows are the relation; raises NotInSql."""
    width = len(relation.schema)
    match relation:
        case r.Get(id=id_):
            return f"SELECT {_columns(range(width))} FROM {id_} AS t"
        case r.Map(input=child, scalars=scalars):
            first = len(child.schema)
            added = [f"{scalar_sql(s, 't')} AS c{first + i}" for i, s in enumerate(scalars)]
            return f"SELECT {', '.join([_columns(range(first)), *added])} FROM ({relation_sql(child)}) AS t"
        case r.Filter(input=child, predicates=predicates):
            where = " AND ".join(scalar_sql(p, "t") for p in predicates)
            return f"SELECT {_columns(range(width))} FROM ({relation_sql(child)}) AS t WHERE {where}"
        case r.Project(input=child, indices=indices):
            return f"SELECT {_columns(indices)} FROM ({relation_sql(child)}) AS t"
        case r.Distinct(input=child):
            return f"SELECT DISTINCT {_columns(range(width))} FROM ({relation_sql(child)}) AS t"
        case r.TopK():
            return _top_k(relation)
        case r.Reduce():
            return _reduce(relation)
        case r.Join():
            return _join(relation)
        case r.Union(inputs=children):
            return " UNION ALL ".join(f"({relation_sql(child)})" for child in children)
        case r.Threshold(input=r.Union(inputs=(left, r.Negate(input=right)))):
            return f"({relation_sql(left)}) EXCEPT ALL ({relation_sql(right)})"
        case _:
            raise NotInSql(type(relation).__name__)


def _columns(indices: tuple[int, ...] | range) -> str:
    return ", ".join(f"t.c{index} AS c{i}" for i, index in enumerate(indices))


def _top_k(top: r.TopK) -> str:
    if top.group or top.limit is None:
        raise NotInSql("a top k per group")
    keys = [
        f"t.c{o.index} {'DESC' if o.descending else 'ASC'} NULLS {'FIRST' if o.nulls_first else 'LAST'}"
        for o in top.order
    ]
    keys += [f"t.c{i}" for i in range(len(top.schema))]
    child = relation_sql(top.input)
    return (
        f"SELECT {_columns(range(len(top.schema)))} FROM ({child}) AS t ORDER BY {', '.join(keys)} "
        f"LIMIT {top.limit} OFFSET {top.offset}"
    )


def _reduce(reduce: r.Reduce) -> str:
    child = relation_sql(reduce.input)
    keys = [scalar_sql(key, "t") for key in reduce.keys]
    columns = keys + [_aggregate(aggregate) for aggregate in reduce.aggregates]
    text = f"SELECT {', '.join(f'{c} AS c{i}' for i, c in enumerate(columns))} FROM ({child}) AS t"
    if keys:
        return f"{text} GROUP BY {', '.join(str(i + 1) for i in range(len(keys)))}"
    return text if reduce.scalar else f"{text} HAVING count(*) > 0"


def _aggregate(aggregate: r.Aggregate) -> str:
    argument = aggregate.argument
    if argument is not None and argument.type.is_float and aggregate.function not in ("count", "min", "max"):
        raise NotInSql("a sum of floats: PostgreSQL's depends on the order of rows")
    if aggregate.function not in _AGGREGATES:
        raise NotInSql(aggregate.function)
    inside = "*" if argument is None else scalar_sql(argument, "t")
    distinct = "DISTINCT " if aggregate.distinct and argument is not None else ""
    text = f"{aggregate.function}({distinct}{inside})"
    return text if aggregate.filter is None else f"{text} FILTER (WHERE {scalar_sql(aggregate.filter, 't')})"


def _join(join: r.Join) -> str:
    equals = "IS NOT DISTINCT FROM" if join.null_safe else "="
    width = len(join.left.schema)
    conditions = [
        f"{scalar_sql(a, 'l')} {equals} {scalar_sql(b, 'r')}"
        for a, b in zip(join.left_keys, join.right_keys, strict=True)
    ]
    conditions += [_residual(p, width) for p in join.residual]
    on = " AND ".join(conditions) or "TRUE"
    left, right = relation_sql(join.left), relation_sql(join.right)
    first = ", ".join(f"l.c{i} AS c{i}" for i in range(width))
    if join.kind in (r.JoinKind.SEMI, r.JoinKind.ANTI):
        exists = "EXISTS" if join.kind is r.JoinKind.SEMI else "NOT EXISTS"
        return f"SELECT {first} FROM ({left}) AS l WHERE {exists} (SELECT 1 FROM ({right}) AS r WHERE {on})"
    if join.kind is r.JoinKind.FULL and (
        join.null_safe or len(conditions) != len(join.left_keys) or not conditions
    ):
        raise NotInSql("PostgreSQL's full joins need equalities")
    second = ", ".join(f"r.c{i} AS c{width + i}" for i in range(len(join.right.schema)))
    return f"SELECT {first}, {second} FROM ({left}) AS l {join.kind.name} JOIN ({right}) AS r ON {on}"


def _residual(scalar: Scalar, width: int) -> str:
    """A predicate over the left columns and then the right ones."""
    pair = scalar_sql(scalar, "p")
    for index in range(200, -1, -1):  # longest first, so that p.c1 is not taken for a part of p.c10
        side = f"l.c{index}" if index < width else f"r.c{index - width}"
        pair = pair.replace(f"p.c{index}", side)
    return pair
