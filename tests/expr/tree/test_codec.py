"""Every scalar and relation survives JSON, literals with their exact value and class."""

from __future__ import annotations

import datetime
import json
import math
from decimal import Decimal

import pyarrow as pa
import pytest
from ptvc.errors import StorageError
from ptvc.expr.tree.codec import (
    finishing_from_json,
    finishing_to_json,
    relation_from_json,
    relation_to_json,
    scalar_from_json,
    scalar_to_json,
)
from ptvc.expr.tree.relation import (
    Aggregate,
    AssertSingle,
    Constant,
    Distinct,
    Filter,
    Finishing,
    Get,
    Join,
    JoinKind,
    Map,
    Negate,
    OrderBy,
    Project,
    Reduce,
    Relation,
    ScalarOrder,
    Threshold,
    TopK,
    Union,
)
from ptvc.expr.tree.scalar import And, Call, Case, Cast, Coalesce, ColumnRef, Literal, Or, Scalar
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    DATE,
    FLOAT8,
    INT4,
    INT8,
    NUMERIC,
    TEXT,
    TIMESTAMPTZ,
    ScalarType,
    array_of,
    derived_numeric,
    list_of,
    map_of,
    record_of,
)

COLUMN = ColumnRef(0, INT4)
FLAG = ColumnRef(1, BOOL, False)
ORDERED = Aggregate(
    "percentile_disc",
    None,
    INT4,
    "p",
    rest=(COLUMN,),
    order=(ScalarOrder(COLUMN, True, True),),
    direct=(Literal(0.5, FLOAT8),),
)
SCALARS: list[Scalar] = [
    COLUMN,
    Literal(None, TEXT),
    Literal(2**62 + 1, INT8),
    Literal("a\u0000'\"日", TEXT),
    Literal(0.1, FLOAT8),
    Literal(math.inf, FLOAT8),
    Literal(Decimal("1.500"), derived_numeric(3)),
    Literal(Decimal("12345678901234567890123456789012345678.5"), NUMERIC),
    Literal(datetime.date(2020, 2, 29), DATE),
    Literal(datetime.datetime(2020, 2, 29, 1, 2, 3, 4, datetime.UTC), TIMESTAMPTZ),
    Literal([1, None, 3], array_of(INT4)),
    Literal(b"\x00\xff", TEXT),
    Call("add", (COLUMN, Literal(1, INT4)), INT4, False),
    Cast(COLUMN, TEXT, explicit=False),
    Case(((FLAG, COLUMN),), Literal(0, INT4), INT4),
    Coalesce((COLUMN, Literal(0, INT4)), INT4),
    And((FLAG, FLAG)),
    Or((FLAG, Literal(None, BOOL))),
]
SCHEMA = Schema((Column("a", INT4), Column("b", BOOL, False)))
GET = Get("u1", SCHEMA)
RELATIONS: list[Relation] = [
    GET,
    Constant(((1, True), (None, False)), SCHEMA),
    Map(GET, (COLUMN,), ("c",)),
    Filter(GET, (FLAG,)),
    Project(GET, (1, 0), ("x", "y")),
    Project(GET, (1,)),
    Join(GET, GET, JoinKind.LEFT, (COLUMN,), (COLUMN,), (FLAG,), True),
    Reduce(GET, (COLUMN,), ("k",), (Aggregate("sum", COLUMN, INT8, "s", True, FLAG),), True),
    Reduce(GET, (), (), (ORDERED,)),
    Distinct(GET),
    TopK(GET, (0,), (OrderBy(1, True, True),), 3, 1),
    Union((GET, Negate(GET)), SCHEMA),
    Threshold(GET),
    AssertSingle(GET, (0,)),
]


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda s: type(s).__name__)
def test_scalar_round_trip(scalar: Scalar) -> None:
    again = scalar_from_json(json.loads(json.dumps(scalar_to_json(scalar))))
    assert again == scalar
    assert repr(again) == repr(scalar)


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: type(r).__name__)
def test_relation_round_trip(relation: Relation) -> None:
    assert relation_from_json(json.loads(json.dumps(relation_to_json(relation)))) == relation


def test_signs_of_zero_and_nan() -> None:
    again = scalar_from_json(json.loads(json.dumps(scalar_to_json(Literal(-0.0, FLOAT8)))))
    assert isinstance(again, Literal)
    assert math.copysign(1, again.value) == -1
    nan = scalar_from_json(json.loads(json.dumps(scalar_to_json(Literal(math.nan, FLOAT8)))))
    assert isinstance(nan, Literal)
    assert math.isnan(nan.value)


def test_finishing_round_trip() -> None:
    finishing = Finishing((OrderBy(0, True),), None, 2, (0, 1))
    assert finishing_from_json(json.loads(json.dumps(finishing_to_json(finishing)))) == finishing


@pytest.mark.parametrize(
    "damaged", [{"!": "Nothing"}, {"!": "float", "value": "1"}, 3, None, {"!": "Get", "id": "u1"}]
)
def test_damaged_plans_are_storage_errors(damaged: object) -> None:
    with pytest.raises(StorageError, match="stored plan is damaged"):
        relation_from_json(damaged)


def test_aggregate_stored_before_it_had_an_order() -> None:
    relation = Reduce(GET, (), (), (Aggregate("sum", COLUMN, INT8, "s"),))
    stored = relation_to_json(relation)
    for name in ("rest", "order", "direct"):
        del stored["aggregates"][0][name]
    assert relation_from_json(stored) == relation


@pytest.mark.parametrize(
    ("type_", "value"),
    [
        (list_of(list_of(INT4)), [[1, None], None]),
        (map_of(list_of(INT4)), [{"f0": "a", "f1": [1]}, {"f0": "b", "f1": None}]),
        (
            record_of((("a", INT4), ("at", list_of(DATE)))),
            {"f0": None, "f1": [datetime.date(2024, 1, 1)]},
        ),
    ],
)
def test_types_that_hold_others(type_: ScalarType, value: object) -> None:
    literal = Literal(value, type_)
    decoded = scalar_from_json(json.loads(json.dumps(scalar_to_json(literal))))
    assert decoded == literal
    assert pa.array([value], type_.arrow)[0].as_py() == value
