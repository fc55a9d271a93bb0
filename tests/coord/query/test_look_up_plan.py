"""Which plans over parameters are look-ups by an index, and what keys their values are."""

from __future__ import annotations

import pytest
from ptvc.coord.catalog.catalog import Catalog
from ptvc.coord.catalog.entries import Change, bootstrap_entries
from ptvc.coord.catalog.items import Index, Table
from ptvc.coord.query.key_choice import TableKey
from ptvc.coord.query.look_up_plan import LookUpPlan, look_up_plan
from ptvc.expr.tree.relation import Filter, Finishing, Get, Map, OrderBy, Project, Relation
from ptvc.expr.tree.scalar import And, Call, ColumnRef, Literal, Parameter, Scalar
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, FLOAT8, INT2, INT4, INT8, TEXT, ScalarType
from ptvc.sql.plans.query_plans import Select
from ptvc.sql.syntax.constraints import Constraint, ConstraintKind

SCHEMA = Schema((Column("a", INT4), Column("b", TEXT), Column("f", FLOAT8)))
A, B, F = (ColumnRef(i, column.type) for i, column in enumerate(SCHEMA))
TABLE = Get("u1", SCHEMA)


def eq(left: Scalar, right: Scalar) -> Scalar:
    return Call("eq", (left, right), BOOL)


def parameter(number: int, type_: ScalarType) -> Parameter:
    return Parameter(number, type_)


def index_on(*keys: Scalar, cluster: str = "quickstart", relation: Relation = TABLE) -> Catalog:
    catalog = Catalog(bootstrap_entries())
    id_, oid = catalog.allocate()
    table = Table(id=id_, oid=oid, schema_name="public", name="t", schema=SCHEMA, shard=id_)
    catalog.apply([Change(None, table)])
    id_, oid = catalog.allocate()
    fields = {"id": id_, "oid": oid, "schema_name": "public", "name": "i", "uses": ("u1",), "keys": keys}
    catalog.apply([Change(None, Index(cluster=cluster, relation=relation, **fields))])  # type: ignore[arg-type]
    return catalog


def select(relation: Relation, *order: OrderBy, limit: int | None = None, offset: int = 0) -> Select:
    indices = tuple(reversed(range(len(relation.schema))))
    return Select(relation, Finishing(order, limit, offset, indices), relation.schema.project(indices), None)


def planned(catalog: Catalog, relation: Relation) -> LookUpPlan | None:
    return look_up_plan(select(relation), catalog, "quickstart")


def test_columns_by_a_key() -> None:
    found = planned(index_on(A), Project(Filter(TABLE, (eq(A, parameter(2, INT4)),)), (2, 1)))
    assert found is not None
    assert found.columns == (1, 2)  # as the client sees them
    assert found.schema.names == ("b", "f")
    assert found.numbers == (1,)
    assert found.own == {"u1"}
    keys = found.keys([Literal("x", TEXT), Literal(7, INT4)])
    assert keys is not None
    assert keys == ([7],)


def test_several_columns_in_the_order_of_the_index() -> None:
    predicates = (And((eq(parameter(1, TEXT), B), eq(A, parameter(2, INT8)))),)
    found = planned(index_on(A, B), Filter(TABLE, predicates))
    assert found is not None
    assert found.numbers == (1, 0)


@pytest.mark.parametrize(
    ("value", "type_", "keys"),
    [
        (2**31 - 1, INT8, [2**31 - 1]),
        (2**31, INT8, None),
        (-(2**31) - 1, INT8, None),
        (None, INT4, None),
        (-5, INT2, [-5]),
    ],
)
def test_values_that_no_key_can_be(value: int | None, type_: ScalarType, keys: list[int] | None) -> None:
    found = planned(index_on(A), Filter(TABLE, (eq(A, parameter(1, type_)),)))
    assert found is not None
    made = found.keys([Literal(value, type_)])
    assert made == (None if keys is None else (keys,))


KEYED = Filter(TABLE, (eq(A, parameter(1, INT4)),))


@pytest.mark.parametrize(
    "relation",
    [
        TABLE,
        Filter(TABLE, (eq(A, Literal(1, INT4)),)),
        Filter(TABLE, (eq(A, parameter(1, INT4)), eq(B, Literal("x", TEXT)))),
        Filter(TABLE, (eq(A, parameter(1, INT4)), eq(A, parameter(2, INT4)))),
        Filter(TABLE, (Call("lt", (A, parameter(1, INT4)), BOOL),)),
        Filter(TABLE, (eq(B, parameter(1, TEXT)),)),
        Map(KEYED, (A,), ("x",)),
        Filter(Project(KEYED, (0,)), (eq(A, Literal(1, INT4)),)),
    ],
)
def test_what_is_more_than_a_look_up(relation: Relation) -> None:
    assert planned(index_on(A), relation) is None


def test_what_is_done_to_the_rows_afterwards() -> None:
    catalog = index_on(A)
    assert look_up_plan(select(KEYED), catalog, "quickstart") is not None
    for query in (select(KEYED, OrderBy(0)), select(KEYED, limit=1), select(KEYED, offset=1)):
        assert look_up_plan(query, catalog, "quickstart") is None


def test_indexes_that_do_not_say_it() -> None:
    by_f = Filter(TABLE, (eq(F, parameter(1, FLOAT8)),))
    assert planned(index_on(F), by_f) is None  # 0 and -0 are equal, and are looked at again
    assert planned(index_on(A, cluster="other"), KEYED) is None
    assert planned(index_on(A, B), KEYED) is None
    older = Get("u1", SCHEMA.project((0, 1)))
    assert planned(index_on(A, relation=older), KEYED) is None  # the table has gained a column since


def keyed(*keys: tuple[int, ...], index: Scalar | None = None) -> Catalog:
    """A table with unique constraints."""
    catalog = Catalog(bootstrap_entries())
    id_, oid = catalog.allocate()
    constraints = tuple(
        Constraint(f"k{number}", ConstraintKind.UNIQUE, columns, oid=100 + number)
        for number, columns in enumerate(keys)
    )
    table = Table(
        id=id_, oid=oid, schema_name="public", name="t", schema=SCHEMA, shard=id_, constraints=constraints
    )
    catalog.apply([Change(None, table)])
    if index is not None:
        id_, oid = catalog.allocate()
        fields = {"id": id_, "oid": oid, "schema_name": "public", "name": "i", "uses": ("u1",)}
        catalog.apply(
            [Change(None, Index(cluster="quickstart", relation=TABLE, keys=(index,), **fields))]  # type: ignore[arg-type]
        )
    return catalog


def test_a_key_of_the_table_is_an_index() -> None:
    found = planned(keyed((1, 0), (0,)), KEYED)
    assert found is not None
    assert found.index == TableKey("u1", 101, (0,))
    both = Filter(TABLE, (eq(A, parameter(1, INT8)), eq(parameter(2, TEXT), B)))
    found = planned(keyed((1, 0), (0,)), both)
    assert found is not None
    assert found.index == TableKey("u1", 100, (1, 0))
    assert found.numbers == (1, 0)
    assert found.keys([Literal(7, INT8), Literal("x", TEXT)]) == (["x"], [7])
    assert found.keys([Literal(1 << 40, INT8), Literal("x", TEXT)]) is None, "no integer of 4 bytes"


def test_an_index_comes_first() -> None:
    found = planned(keyed((0,), index=A), KEYED)
    assert found is not None
    assert isinstance(found.index, Index)


def test_keys_that_do_not_say_it() -> None:
    assert planned(keyed((1,), (0, 1)), KEYED) is None
    assert planned(keyed((2,)), Filter(TABLE, (eq(F, parameter(1, FLOAT8)),))) is None
    narrow = Get("u1", SCHEMA.project((0, 1)))
    assert planned(keyed((0,)), Filter(narrow, (eq(A, parameter(1, INT4)),))) is None
