"""exp, ln, log and power of numerics: PostgreSQL's digits and errors, on edges and at random."""

from __future__ import annotations

from random import Random

import psycopg
import pytest
from ptvc.expr.registry import resolve_call
from ptvc.repr.types import INT4, NUMERIC, Kind, ScalarType
from support import check, product
from values import EDGES, N10_2, N20_10

N9_4 = ScalarType(Kind.NUMERIC, 9, 4)
MORE = [
    "0",
    "1",
    "2",
    "0.5",
    "-0.5",
    "1.0500",
    "0.9000",
    "1.1000",
    "1.1001",
    "0.8999",
    "-2",
    "10",
    "99.9999",
    "0.0001",
    "-40",
    "3",
]
EXPONENTS = ["0", "1", "-1", "2", "-2", "3", "0.5", "-0.5", "10", "30", "-30", "1.5", "360", None]


@pytest.mark.parametrize("type_", [N10_2, N20_10, NUMERIC, N9_4], ids=str)
@pytest.mark.parametrize("name", ["exp", "ln", "log", "log10"])
def test_of_one(oracle: psycopg.Connection, name: str, type_: ScalarType) -> None:
    rows = product([*(EDGES.get(type_) or [None]), *(MORE if type_ != N20_10 else [])])
    check(oracle, f"{name}(c0)", lambda a: resolve_call(name, (a,)), (type_,), rows)


@pytest.mark.parametrize("type_", [N10_2, NUMERIC, N9_4], ids=str)
def test_of_two(oracle: psycopg.Connection, type_: ScalarType) -> None:
    values = [*(EDGES.get(type_) or [None]), *MORE]
    rows = product(values, EXPONENTS)
    for name in ("power", "pow"):
        check(oracle, f"{name}(c0, c1)", lambda a, b, f=name: resolve_call(f, (a, b)), (type_, N9_4), rows)
    check(
        oracle,
        "c0 ^ c1",
        lambda a, b: resolve_call("power", (a, b)),
        (type_, INT4),
        product(values, ["0", "3", "-2", None]),
    )
    check(oracle, "log(c0, c1)", lambda a, b: resolve_call("log", (a, b)), (type_, N9_4), rows)


@pytest.mark.parametrize("seed", range(2))
def test_at_random(oracle: psycopg.Connection, seed: int) -> None:
    rng = Random(seed)
    rows = [
        (f"{rng.uniform(0, 10 ** rng.randint(-3, 5)):.4f}", f"{rng.uniform(-8, 8):.4f}") for _ in range(400)
    ]
    check(oracle, "exp(c1)", lambda a, b: resolve_call("exp", (b,)), (N9_4, N9_4), rows)
    check(oracle, "ln(c0)", lambda a, b: resolve_call("ln", (a,)), (N9_4, N9_4), rows)
    check(oracle, "power(c0, c1)", lambda a, b: resolve_call("power", (a, b)), (N9_4, N9_4), rows)


def test_roots_that_are_exact(oracle: psycopg.Connection) -> None:
    """What ends in a 5 just behind the kept digits goes to the side that PostgreSQL's logarithms choose."""
    squares = [f"{(tenths / 10) ** 2:.4f}" for tenths in range(1, 80)]
    rows = product(squares, [f"{whole + part}" for whole in range(-6, 12) for part in (0.5, 0.25, 0.75)])
    check(oracle, "power(c0, c1)", lambda a, b: resolve_call("power", (a, b)), (N9_4, N9_4), rows)
    rows = product(squares, [f"{tenths / 10:.4f}" for tenths in (2, 4, 5, 8, 15, 20, 25, 40)])
    check(oracle, "log(c1, c0)", lambda a, b: resolve_call("log", (b, a)), (N9_4, N9_4), rows)
