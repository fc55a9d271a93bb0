"""uint2, uint4 and uint8, which PostgreSQL does not have: what they hold, what they become among other numbers, how they
travel.  What they compute is compared with PostgreSQL's numbers in tests/slt/types/unsigned_integers.slt."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import psycopg
import pytest
from inprocess import InProcess, running

BITS = {"uint2": 16, "uint4": 32, "uint8": 64}


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.mark.parametrize("type_", BITS)
@pytest.mark.parametrize("source", ["int8", "numeric", "float8", "text"])
def test_bounds(runtime: InProcess, type_: str, source: str) -> None:
    """Zero and the greatest value, and what lies on their other sides, from any type that holds these."""
    greatest = 2 ** BITS[type_] - 1
    held = [0, 1, greatest // 2, greatest]
    beyond = [-1, greatest + 1]
    if source == "int8":
        held, beyond = [v for v in held if v < 2**63], [v for v in beyond if v < 2**63]
    if source == "float8":  # which holds the power of two alone
        held = [v for v in held if v < 2**53]
    with runtime.connect() as connection:
        for value in held:
            found = connection.execute(f"SELECT '{value}'::{source}::{type_}::text").fetchone()  # type: ignore[arg-type]
            assert found == (str(value),)
        for value in beyond:
            with pytest.raises(psycopg.errors.NumericValueOutOfRange, match=type_):
                connection.execute(f"SELECT '{value}'::{source}::{type_}")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expression", "type_", "text"),
    [
        ("1::uint2 + 2::uint2", "uint2", "3"),
        ("1::uint2 + 2::uint4", "uint4", "3"),
        ("7::uint8 / 2::uint4", "uint8", "3"),
        ("7::uint8 % '4'", "uint8", "3"),
        ("1::uint2 - 2::int2", "integer", "-1"),
        ("1::uint4 - 2", "bigint", "-1"),
        ("1::uint8 - 2", "numeric", "-1"),
        ("1::uint8 + 1.5", "numeric", "2.5"),
        ("1::uint4 + 1.5::real", "double precision", "2.5"),
        ("-(1::uint4)", "bigint", "-1"),
        ("abs(3::uint2)", "integer", "3"),
        ("6::uint8 # 3::uint8", "uint8", "5"),
        ("~0::uint2", "uint2", "65535"),
        ("1::uint8 << 63", "uint8", "9223372036854775808"),
        ("18446744073709551615::uint8 >> 60", "uint8", "15"),
        ("coalesce(NULL::uint4, -1)", "bigint", "-1"),
        ("coalesce(NULL::uint4, 1::uint8)", "uint8", "1"),
        ("greatest(1::uint8, 2.5)", "numeric", "2.5"),
        ("2.5::numeric::uint2", "uint2", "3"),
        ("2.5::float8::uint2", "uint2", "2"),
        ("(-0.4)::numeric::uint2", "uint2", "0"),
        ("1e19::float8::uint8", "uint8", "10000000000000000000"),
        ("18446744073709551615::uint8::float8", "double precision", "1.8446744073709552e+19"),
        ("to_jsonb(18446744073709551615::uint8)", "jsonb", "18446744073709551615"),
        ("'{1,2}'::int4[]::uint8[]", "uint8[]", "{1,2}"),
        ("9223372036854775808::uint8 = ANY ('{1,9223372036854775808}')", "boolean", "true"),
        ("18446744073709551615::uint8 > -1", "boolean", "true"),
        ("18446744073709551615::uint8 = 18446744073709551615.5", "boolean", "false"),
    ],
)
def test_results(runtime: InProcess, expression: str, type_: str, text: str) -> None:
    """Of unsigned integers the widest; with signed ones, the least type that holds both."""
    found = runtime.query(f"SELECT pg_typeof({expression})::text, ({expression})::text")
    assert found == [(type_, text)]


@pytest.mark.parametrize(
    ("expression", "sqlstate"),
    [
        ("1::uint2 - 2::uint2", "22003"),
        ("65535::uint2 * 2::uint2", "22003"),
        ("18446744073709551615::uint8 + 1::uint2", "22003"),
        ("1::uint4 / 0::uint4", "22012"),
        ("1::uint8 % 0::uint8", "22012"),
        ("9223372036854775808::uint8::bigint", "22003"),
        ("'x'::uint4", "22P02"),
        ("1::uint4::boolean", "42846"),
        ("date '2024-01-01' + 1::uint4", "42883"),
    ],
)
def test_errors(runtime: InProcess, expression: str, sqlstate: str) -> None:
    with runtime.connect() as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute(f"SELECT {expression}")  # type: ignore[arg-type]
    assert caught.value.sqlstate == sqlstate


def test_sums_of_columns_have_the_types_of_materialize(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE sums (a uint2, b uint4, c uint8)")
        found = connection.execute(
            "SELECT pg_typeof(sum(a))::text, pg_typeof(sum(b))::text, pg_typeof(sum(c))::text,"
            " pg_typeof(avg(a))::text, pg_typeof(max(c))::text, pg_typeof(bit_or(b))::text FROM sums"
        ).fetchone()
        connection.execute("DROP TABLE sums")
    assert found == ("uint8", "uint8", "numeric", "numeric", "uint8", "uint4")


def test_bits_in_groups(runtime: InProcess) -> None:
    values = [2**64 - 1, 2**63 + 5, 7]
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE bits (v uint8)")
        connection.execute("INSERT INTO bits VALUES " + ", ".join(f"({v})" for v in values))  # type: ignore[arg-type]
        found = connection.execute(
            "SELECT bit_and(v), bit_or(v), bit_xor(v), var_pop(v) FROM bits"
        ).fetchone()
        connection.execute("DROP TABLE bits")
    assert found is not None
    ands, ors, xors, variance = found
    assert (int(ands), int(ors), int(xors)) == (
        values[0] & values[1] & values[2],
        values[0] | values[1] | values[2],
        values[0] ^ values[1] ^ values[2],
    )
    assert abs(int(variance) - (3 * sum(v * v for v in values) - sum(values) ** 2) // 9) <= 1


def test_constants_look_keys_up(runtime: InProcess) -> None:
    """A constant is of the column's type where that holds it, so an index over the column answers."""
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE keyed (k uint8, v int)")
        connection.execute("CREATE INDEX keyed_k ON keyed (k)")
        connection.execute("INSERT INTO keyed VALUES (5, 1), (9223372036854775808, 2), (0, 3)")
        for condition, answer, looked_up in [
            ("k = 5", [1], True),
            ("k = 9223372036854775808", [2], True),
            ("k IN (5, 9223372036854775808)", [1, 2], True),
            ("k = -1", [], False),
            ("k = 0.5", [], False),
            ("k > 5", [2], False),
        ]:
            query = f"SELECT v FROM keyed WHERE {condition}"
            assert sorted(v for (v,) in connection.execute(query).fetchall()) == answer  # type: ignore[arg-type]
            plan = str(connection.execute(f"EXPLAIN PHYSICAL PLAN FOR {query}").fetchall())  # type: ignore[arg-type]
            assert ("keys looked up" in plan) == looked_up, plan
        connection.execute("DROP TABLE keyed CASCADE")


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_on_the_wire(runtime: InProcess, binary: bool) -> None:
    """The OIDs are Materialize's; in binary they are big-endian.  Parameters, results and COPY."""
    form = "(FORMAT binary)" if binary else ""
    given = [2**16 - 1, 2**32 - 1, 2**64 - 1]
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE wire (a uint2, b uint4, c uint8, d uint8[])")
        connection.execute(
            "INSERT INTO wire VALUES (%s, %s, %s, %s)", [*map(str, given), "{0,18446744073709551615}"]
        )
        connection.execute("INSERT INTO wire VALUES (NULL, 1, NULL, NULL)")
        with connection.cursor().copy(f"COPY wire TO STDOUT {form}") as copy:  # type: ignore[arg-type]
            data = b"".join(copy)
        with connection.cursor().copy(f"COPY wire FROM STDIN {form}") as copy:  # type: ignore[arg-type]
            copy.write(data)
        counts = connection.execute("SELECT count(*) FROM wire GROUP BY a, b, c, d").fetchall()
        assert counts == [(2,), (2,)]
        cursor = connection.cursor(binary=binary)
        result = cursor.execute("SELECT a, b, c, d FROM wire WHERE a IS NOT NULL LIMIT 1").pgresult
        assert result is not None
        assert [result.ftype(i) for i in range(4)] == [16460, 16462, 16464, 16465]
        if binary:
            raw = [result.get_value(0, i) for i in range(3)]
            assert raw == [
                struct.pack("!H", given[0]),
                struct.pack("!I", given[1]),
                struct.pack("!Q", given[2]),
            ]
        else:
            assert [result.get_value(0, i) for i in range(3)] == [str(value).encode() for value in given]
        found = connection.pgconn.exec_params(
            b"SELECT $1::uint8 - 1::uint8", [struct.pack("!Q", given[2])], param_formats=[1]
        )
        assert found.get_value(0, 0) == str(given[2] - 1).encode()
        connection.execute("DROP TABLE wire")


def test_catalogs(runtime: InProcess) -> None:
    found = runtime.query(
        "SELECT t.typname, t.typlen, t.typcategory, a.typname FROM pg_type t JOIN pg_type a ON a.oid = t.typarray"
        " WHERE t.typname LIKE 'uint%' ORDER BY 1"
    )
    assert found == [(name, bits // 8, "N", f"_{name}") for name, bits in BITS.items()]
