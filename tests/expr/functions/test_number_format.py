"""to_char of numbers against PostgreSQL, on templates as they are used and on random ones."""

from __future__ import annotations

from random import Random

import psycopg
import pytest
from ptvc.expr.registry import resolve_call
from ptvc.repr.types import FLOAT4, FLOAT8, INT4, INT8, NUMERIC, TEXT, ScalarType
from support import check, product
from values import N10_2, N20_10

TEMPLATES = [
    "9", "99", "999", "FM999", "000", "FM000", "0999", "9990", "999.99", "FM999.99", "FM990.00", "999,999", "FM999,999,990.00",
    "9G999D99", "S999", "999S", "FMS999", "S999.99", "999.99S", "MI999", "999MI", "FM999MI", "PL999", "SG999", "999PR", "FM999PR",
    "999.9PR", "9.99EEEE", "RN", "FMRN", "rn", "999th", "999TH", "FM9th", "99V99", "0.0", ".99", "9.9", "FM9.9", "FM99.99", "L999",
    '"n: "999', "999\\%", "$999", "999 %", "", "9.9.9", "S9S", "9PR9", "V9.9", "9EEEE9", "FM9EEEE", "RN9", "99 99", "9 0 9", "000.000",
    "B999", "FM0.999", "999D", "FM999.", "MI9.9PL", "S0", "FMS0.0", "0S", "999999999999999.999", "99999,", ",999", None,
]  # fmt: skip
VALUES: dict[ScalarType, list[str | None]] = {
    INT4: ["0", "1", "-1", "12", "-485", "485", "1234", "-2147483648", "3999", "111", None],
    INT8: ["0", "23", "-99999999999", None],
    FLOAT8: ["0", "0.1", "-0.1", "1.5", "2.5", "-12.34", "148.5", "1e10", "123456789.987", "-0.001", None],
    FLOAT4: ["0", "1.25", "-3.5", "123456", None],
    N10_2: ["0", "0.10", "-0.10", "1.50", "-12.34", "148.50", "99999999.99", "0.005", None],
    N20_10: ["0.1234567891", "-1234567890.5", "999.9999999999", None],
    NUMERIC: ["0", "485.8", "-0.5", "1e20", None],
}


@pytest.mark.parametrize("type_", list(VALUES), ids=str)
def test_templates(oracle: psycopg.Connection, type_: ScalarType) -> None:
    check(
        oracle,
        "to_char(c0, c1)",
        lambda a, b: resolve_call("to_char", (a, b)),
        (type_, TEXT),
        product(VALUES[type_], TEMPLATES),
        refusals=True,
    )


def random_template(rng: Random) -> str:
    body = "".join(rng.choice("9990,G") for _ in range(rng.randint(1, 6)))
    if rng.random() < 0.5:
        body += rng.choice(".D") + "".join(rng.choice("990") for _ in range(rng.randint(0, 3)))
    kind = rng.choice(("", "", "S", "MI", "PL", "SG", "PR", "TH", " x"))
    body = body + kind if rng.random() < 0.6 or kind == "PR" else kind + body
    return ("FM" if rng.random() < 0.4 else "") + body


@pytest.mark.parametrize("seed", range(3))
def test_random_templates(oracle: psycopg.Connection, seed: int) -> None:
    rng = Random(seed)
    rows = [
        (
            f"{rng.randint(-(10 ** rng.randint(1, 7)), 10 ** rng.randint(1, 7)) / 100:.2f}",
            random_template(rng),
        )
        for _ in range(1500)
    ]
    check(
        oracle,
        "to_char(c0, c1)",
        lambda a, b: resolve_call("to_char", (a, b)),
        (N10_2, TEXT),
        rows,
        refusals=True,
    )
