"""Which index answers a query, and how."""

from __future__ import annotations

import pytest
from ptvc.coord.catalog.catalog import Catalog
from ptvc.coord.catalog.entries import Change, bootstrap_entries
from ptvc.coord.catalog.items import Index, Table
from ptvc.coord.query.index_choice import choose_index
from ptvc.expr.tree.relation import Filter, Get, Map, Project, Relation
from ptvc.expr.tree.scalar import And, Call, Cast, ColumnRef, Literal, Or, Scalar
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, FLOAT8, INT2, INT4, INT8, TEXT, array_of

SCHEMA = Schema((Column("a", INT4), Column("b", TEXT), Column("c", INT8)))
A, B, C = (ColumnRef(i, column.type) for i, column in enumerate(SCHEMA))
F = ColumnRef(0, FLOAT8)


def eq(left: Scalar, right: Scalar) -> Scalar:
    return Call("eq", (left, right), BOOL)


@pytest.fixture
def catalog() -> Catalog:
    catalog = Catalog(bootstrap_entries())
    id_, oid = catalog.allocate()
    table = Table(id=id_, oid=oid, schema_name="public", name="t", schema=SCHEMA, shard=id_)
    catalog.apply([Change(None, table)])
    return catalog


def add(
    catalog: Catalog, name: str, *keys: Scalar, cluster: str = "quickstart", over: Get | None = None
) -> Index:
    over = Get("u1", SCHEMA) if over is None else over
    id_, oid = catalog.allocate()
    index = Index(
        id=id_,
        oid=oid,
        schema_name="public",
        name=name,
        cluster=cluster,
        relation=over,
        uses=(over.id,),
        keys=keys,
    )
    catalog.apply([Change(None, index)])
    return index


def where(*predicates: Scalar) -> Relation:
    return Filter(Get("u1", SCHEMA), predicates)


def chosen(catalog: Catalog, relation: Relation) -> tuple[str, list[object] | None] | None:
    read = choose_index(relation, catalog, "quickstart", lambda index: True)
    if read is None:
        return None
    return read.index.name, None if read.keys is None else [
        key.to_pylist() if len(key) != 1 else key[0].as_py() for key in read.keys
    ]


def test_a_lookup_needs_every_key(catalog: Catalog) -> None:
    add(catalog, "ab", A, B)
    one, x = Literal(1, INT4), Literal("x", TEXT)
    assert chosen(catalog, where(eq(A, one), eq(x, B))) == ("ab", [1, "x"])
    assert chosen(catalog, where(And((eq(A, one), eq(B, x)), True))) == ("ab", [1, "x"])
    assert chosen(catalog, where(eq(A, one))) == ("ab", None)
    assert chosen(catalog, Get("u1", SCHEMA)) == ("ab", None)
    assert chosen(catalog, where(eq(A, Literal(None, INT4)), eq(B, x))) == ("ab", [[], []])
    assert chosen(catalog, where(Call("lt", (A, one), BOOL), eq(B, x))) == ("ab", None)


def test_a_lookup_goes_before_a_scan(catalog: Catalog) -> None:
    add(catalog, "by_b", B)
    add(catalog, "by_a", A)
    assert chosen(catalog, where(eq(A, Literal(1, INT4)))) == ("by_a", [1])
    assert chosen(catalog, Get("u1", SCHEMA)) == ("by_b", None)


def test_a_comparison_of_wider_integers_counts_if_it_fits(catalog: Catalog) -> None:
    add(catalog, "by_a", A)
    assert chosen(catalog, where(eq(Cast(A, INT8), Literal(7, INT8)))) == ("by_a", [7])
    assert chosen(catalog, where(eq(Cast(A, INT8), Literal(1 << 40, INT8)))) == ("by_a", [[]])


def test_integers_of_other_widths_are_keys_too(catalog: Catalog) -> None:
    """Drivers send small numbers as smallint, and a literal is an integer."""
    add(catalog, "by_c", C)
    assert chosen(catalog, where(eq(C, Literal(7, INT2)))) == ("by_c", [7])
    assert chosen(catalog, where(Call("any_eq", (C, Literal([1, 2], array_of(INT4))), BOOL))) == (
        "by_c",
        [[1, 2]],
    )


def test_several_keys_are_looked_up_together(catalog: Catalog) -> None:
    add(catalog, "ab", A, B)
    texts = Literal(["x", None, "y", "x"], array_of(TEXT))
    in_list = Call("in", (A, Literal(1, INT4), Literal(2, INT4), Literal(None, INT4)), BOOL)
    any_ = Call("any_eq", (B, texts), BOOL)
    assert chosen(catalog, where(in_list, any_)) == ("ab", [[1, 1, 2, 2], ["x", "y", "x", "y"]])
    assert chosen(catalog, where(eq(A, Literal(3, INT4)), any_)) == ("ab", [[3, 3], ["x", "y"]])
    assert chosen(catalog, where(in_list)) == ("ab", None)
    wide = Call("any_eq", (Cast(A, INT8), Literal([5, 1 << 40], array_of(INT8))), BOOL)
    assert chosen(catalog, where(wide, eq(B, Literal("z", TEXT)))) == ("ab", [5, "z"])


def test_keys_of_all_branches_are_looked_up(catalog: Catalog) -> None:
    index = add(catalog, "by_a", A)
    one, two, x, y = Literal(1, INT4), Literal(2, INT4), Literal("x", TEXT), Literal("y", TEXT)
    either = Or((eq(A, one), eq(two, A), eq(A, one)), BOOL)
    assert chosen(catalog, where(either)) == ("by_a", [[1, 2]])
    read = choose_index(where(either, eq(B, x)), catalog, "quickstart", lambda index: True)
    assert read is not None
    assert isinstance(read.relation, Filter)
    assert read.relation.predicates == (eq(B, x),)

    both = Or((And((eq(A, one), eq(B, x)), BOOL), And((eq(A, two), eq(B, y)), BOOL)), BOOL)
    read = choose_index(where(both), catalog, "quickstart", lambda index: True)
    assert read is not None
    assert read.index == index
    assert read.keys is not None
    assert read.keys[0].to_pylist() == [1, 2]
    assert isinstance(read.relation, Filter)
    assert read.relation.predicates == (both,)  # which of the rows is still to be asked

    assert chosen(catalog, where(Or((eq(A, one), eq(B, x)), BOOL))) == ("by_a", None)
    nested = Or((eq(A, one), And((Or((eq(A, two), eq(B, y)), BOOL), eq(B, x)), BOOL)), BOOL)
    assert chosen(catalog, where(nested)) == ("by_a", None)
    null = Or((eq(A, Literal(None, INT4)), eq(A, one)), BOOL)
    assert chosen(catalog, where(null)) == ("by_a", [1])


def test_too_many_keys_are_not_looked_up(catalog: Catalog) -> None:
    add(catalog, "ac", A, C)
    many = [Literal(list(range(400)), array_of(type_)) for type_ in (INT4, INT8)]
    both = where(Call("any_eq", (A, many[0]), BOOL), Call("any_eq", (C, many[1]), BOOL))
    assert chosen(catalog, both) == ("ac", None)


def test_only_usable_indexes_of_the_cluster(catalog: Catalog) -> None:
    index = add(catalog, "elsewhere", A, cluster="other")
    assert chosen(catalog, Get("u1", SCHEMA)) is None
    add(catalog, "late", A)
    assert choose_index(Get("u1", SCHEMA), catalog, "quickstart", lambda item: item.id == index.id) is None


def test_chains_keep_their_shape(catalog: Catalog) -> None:
    add(catalog, "by_a", A)
    relation = Project(Map(where(eq(A, Literal(1, INT4))), (C,), ("d",)), (3, 1))
    read = choose_index(relation, catalog, "quickstart", lambda item: True)
    assert read is not None
    assert read.relation.schema == relation.schema
    assert chosen(catalog, Get("s1", SCHEMA)) is None


def left_over(catalog: Catalog, *predicates: Scalar) -> tuple[Scalar, ...]:
    """The predicates that are looked at again on the rows that were found."""
    read = choose_index(where(*predicates), catalog, "quickstart", lambda item: True)
    assert read is not None
    return read.relation.predicates if isinstance(read.relation, Filter) else ()


def test_what_the_keys_say_is_not_asked_again(catalog: Catalog) -> None:
    one, two = eq(A, Literal(1, INT4)), eq(A, Literal(2, INT4))
    low = Call("lt", (C, Literal(9, INT8)), BOOL)
    add(catalog, "by_a", A)
    assert left_over(catalog, one) == ()
    assert left_over(catalog, And((one, low), False)) == (low,)
    assert left_over(catalog, one, two) == (
        one,
    )  # one of them is looked up, of which the other is true of no row
    assert left_over(catalog, low) == (low,)


def test_keys_of_which_equal_values_differ_are_asked_again(catalog: Catalog) -> None:
    """0.0 and -0.0 are equal; what is found has whichever was written."""
    here = eq(F, Literal(0.0, FLOAT8))
    floats = Get("u1", Schema((Column("f", FLOAT8),)))
    add(catalog, "by_f", F, over=floats)
    read = choose_index(Filter(floats, (here,)), catalog, "quickstart", lambda item: True)
    assert read is not None
    assert isinstance(read.relation, Filter)
    assert read.relation.predicates == (here,)
