"""Numbers of many digits: PostgreSQL's value or its error, and in linear time."""

from __future__ import annotations

from decimal import Decimal
from time import monotonic
from typing import Any

import pyarrow as pa
import pytest
from ptvc.expr.digits import HUGE, whole
from ptvc.expr.text import text_input
from ptvc.expr.text.text_input import from_text
from ptvc.repr.types import (
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    JSONB,
    MZ_TIMESTAMP,
    NUMERIC,
    OID,
    UINT2,
    UINT4,
    UINT8,
    ScalarType,
)

MANY = 5000


@pytest.mark.parametrize("sign", ["", "-", "+"])
def test_whole(sign: str) -> None:
    negative = -1 if sign == "-" else 1
    assert whole(sign + "12") == negative * 12
    assert whole(sign + "0" * MANY) == 0
    assert whole(sign + "0" * MANY + "17") == negative * 17
    assert whole(sign + "9" * MANY) == negative * HUGE


def read(text: str, type_: ScalarType) -> Any:
    found = from_text(pa.array([text], pa.string()), type_)
    return found.values[0].as_py() if found.errors is None else found.errors.sqlstates[0].as_py()


@pytest.mark.parametrize("type_", [INT2, INT4, INT8, OID, NUMERIC, FLOAT8, MZ_TIMESTAMP], ids=str)
def test_leading_zeros(type_: ScalarType) -> None:
    assert read("0" * MANY + "17", type_) == 17


@pytest.mark.parametrize("type_", [INT2, INT4, INT8, OID, NUMERIC, FLOAT8], ids=str)
def test_beyond_the_type(type_: ScalarType) -> None:
    for text in ("9" * MANY, "-" + "9" * MANY, "9" * 2_000_000):
        assert read(text, type_) == "22003", type_


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("0x" + "f" * MANY, "22003"),
        ("1e99999999999999999999", "22003"),
        ("1e-99999999999999999999", "22003"),
        ("0." + "0" * MANY, Decimal(0)),
        ("2." + "0" * MANY, Decimal(2)),
        ("-0", Decimal(0)),
        ("1e" + "0" * MANY + "3", Decimal(1000)),
    ],
)
def test_numeric(text: str, result: Any) -> None:
    assert read(text, NUMERIC) == result


@pytest.mark.parametrize(
    "text", ["9" * MANY + " days", "9" * MANY + ":00:00", "P" + "9" * MANY + "D", "1-" + "9" * MANY]
)
def test_interval(text: str) -> None:
    assert read(text, INTERVAL) in ("22008", "22015", "22007")


def test_time_is_linear() -> None:
    began = monotonic()
    for type_ in (INT4, NUMERIC, INT8):
        read("0" * 5_000_000 + "1", type_)
        read("9" * 5_000_000, type_)
    assert monotonic() - began < 5


def test_in_json() -> None:
    assert read("9" * MANY, JSONB) == "9" * MANY


@pytest.mark.parametrize("type_", [INT2, INT4, INT8, UINT2, UINT4, UINT8, OID], ids=str)
def test_integers_of_many_digits_are_read_as_columns(
    type_: ScalarType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All but the greatest, and those that the type has not: it says so of each."""
    least, greatest = (0, (1 << 32) - 1) if type_ == OID else type_.integer_bounds
    edge = greatest // 10**6 if greatest > 10**6 else 500
    values = [*range(greatest - edge, greatest - edge + 20), *range(greatest - 5, greatest + 1), 7, 10]
    values += [-value for value in values if least < -value] + [least]
    read = from_text(pa.array(list(map(str, values))), type_)
    assert read.errors is None
    assert read.values.to_pylist() == values
    beyond = from_text(pa.array([str(greatest + 1), "9" * len(str(greatest)), "1"]), type_)
    assert beyond.errors is not None
    assert beyond.errors.indices.tolist() == [0, 1]
    assert beyond.values.to_pylist()[2] == 1
    odd: list[str] = []
    monkeypatch.setattr(text_input, "_integer", lambda text, _: odd.append(text) or 0)
    middle = [str(greatest * part // 100) for part in range(80)]
    from_text(pa.array(middle), type_)
    assert not odd
