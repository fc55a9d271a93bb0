"""Materialize's maps: what they hold, how they compare and travel, and views over them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import psycopg
import pytest
from inprocess import InProcess, running


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("MAP['b' => 2, 'a' => NULL, 'b' => 3]", "{a=>NULL,b=>3}"),
        ("'{b=>2, a=>1,\"c d\"=>NULL, a => 5 }'::map[text=>int]", '{a=>5,b=>2,"c d"=>NULL}'),
        ("MAP['Z' => 1, 'a' => 2, 'é' => 3]", "{Z=>1,a=>2,é=>3}"),
        ("MAP[]::map[text=>int]", "{}"),
        ("'{}'::map[text=>int]", "{}"),
        ("MAP['a' => ['x' => 1], 'b' => MAP['y' => 2]]", "{a=>{x=>1},b=>{y=>2}}"),
        ("'{a=>{x=>1},b=>{},c=>NULL}'::map[text=>map[text=>int]]", "{a=>{x=>1},b=>{},c=>NULL}"),
        ("'{a=>{1,2},b=>{}}'::map[text=>int list]", "{a=>{1,2},b=>{}}"),
        ("'{{a=>1},{},NULL}'::map[text=>int] list", "{{a=>1},{},NULL}"),
        (
            "MAP['a=' => 'x y', '' => '', 'n' => 'null', 'q' => '\"']",
            '{""=>"","a="=>"x y",n=>"null",q=>"\\""}',
        ),
        (
            '\'{"a="=>"x y",""=>"",n=>"null","q\\""=>"\\\\"}\'::map[text=>text]',
            '{""=>"","a="=>"x y",n=>"null","q\\""=>"\\\\"}',
        ),
        ("MAP['a' => 1] -> 'a'", "1"),
        ("MAP['a' => 1] -> 'b'", None),
        ("MAP['a' => ['x' => 1]] -> 'a' -> 'x'", "1"),
        ("NULL::map[text=>int] -> 'a'", None),
        ("MAP['a' => NULL] ? 'a'", "true"),
        ("MAP['a' => 1] ? 'b'", "false"),
        ("MAP['a' => 1, 'b' => 2] ?& ARRAY['a', 'b']", "true"),
        ("MAP['a' => 1] ?& '{a,x}'", "false"),
        ("MAP['a' => 1] ?& LIST['a']", "true"),
        ("MAP['a' => 1] ?& '{}'", "true"),
        ("MAP['a' => 1] ?| ARRAY['x', 'a', NULL]", "true"),
        ("MAP['a' => 1] ?| ARRAY['x']", "false"),
        ("MAP['a' => 1, 'b' => NULL] @> MAP['b' => NULL::int]", "true"),
        ("MAP['a' => 1] @> MAP['a' => 2]", "false"),
        ("MAP['a' => 1] @> '{}'", "true"),
        ("MAP['a' => 1] <@ MAP['a' => 1.0, 'b' => 2]", "true"),
        ("map_length(MAP['a' => 1, 'b' => 2])", "2"),
        ("MAP(SELECT k, v FROM (VALUES ('b', 1), ('a', 2)) AS t (k, v))", "{a=>2,b=>1}"),
        ("MAP(SELECT 'a', v FROM generate_series(1, 3) AS v ORDER BY v DESC)", "{a=>1}"),
        ("MAP(SELECT 'a', 1 WHERE false)", "{}"),
        ("MAP['a' => 1] = MAP['a' => 1]", "true"),
        ("MAP['a' => 1] < MAP['a' => 2]", "true"),
        ("MAP['a' => 9] < MAP['b' => 0]", "true"),
        ("MAP['a' => 1] < MAP['a' => 1, 'b' => 1]", "true"),
        ("MAP['a' => 1] = '{a=>1}'", "true"),
        ("MAP['a' => '{\"x\": 1.0}'::jsonb] = MAP['a' => '{\"x\": 1.00}'::jsonb]", "true"),
        ("MAP['a' => 'b'::char(3)] = MAP['a' => 'b'::char(5)]", "true"),
        ("MAP['a' => '1'::text]::map[text=>int]", "{a=>1}"),
        ("MAP['a' => 1.5]::map[text=>numeric(10,3)]", "{a=>1.500}"),
        ("to_jsonb(MAP['bb' => 1, 'c' => NULL])", '{"c": null, "bb": 1}'),
        ("to_json(MAP['a\"' => LIST[1]])", '{"a\\"":[1]}'),
        ("coalesce(NULL::map[text=>int], '{a=>1}')", "{a=>1}"),
        ("pg_typeof(MAP['a' => ['x' => 1.5]])", "map[text=>map[text=>numeric]]"),
    ],
)
def test_values(runtime: InProcess, expression: str, text: str | None) -> None:
    assert runtime.query(f"SELECT ({expression})::text") == [(text,)]


@pytest.mark.parametrize(
    ("expression", "sqlstate"),
    [
        ("MAP[]", "42P18"),
        ("MAP['a' => ARRAY[1]]", "0A000"),
        ("MAP['a' => 1, 'b' => 'x'::text]", "42804"),
        ("'{a=>1}'::map[int=>int]", "0A000"),
        ("'{a}'::map[text=>int]", "22P02"),
        ("'{a=>x}'::map[text=>int]", "22P02"),
        ("'{a=>1'::map[text=>int]", "22P02"),
        ("'{a=>1}}'::map[text=>int]", "22P02"),
        ("'{a=>{1}}'::map[text=>int]", "22P02"),
        ("'{NULL=>1}'::map[text=>int]", "22P02"),
        ("'{=>1}'::map[text=>int]", "22P02"),
        ("MAP['a' => 'x'::text]::map[text=>int]", "22P02"),
        ("MAP['a' => 1] -> 1", "42883"),
        ("MAP['a' => 1] || MAP['b' => 2]", "42883"),
        ("MAP['a' => 1] = MAP['a' => 'x'::text]", "42883"),
        ("1 = ANY (MAP['a' => 1])", "42809"),
        ("unnest(MAP['a' => 1])", "42883"),
        ("MAP['a' => 1]::int", "42846"),
        ("MAP(SELECT 1, 2)", "42804"),
        ("MAP(SELECT 'a')", "42601"),
        ("map_agg(1, 2)", "42883"),
        ("map_agg(DISTINCT 'a', 2)", "0A000"),
        ("map_length(1)", "42883"),
    ],
)
def test_errors(runtime: InProcess, expression: str, sqlstate: str) -> None:
    with runtime.connect() as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute(f"SELECT {expression}")  # type: ignore[arg-type]
    assert caught.value.sqlstate == sqlstate


def test_aggregates(runtime: InProcess) -> None:
    rows = "(VALUES ('b', 1), ('a', 2), (NULL, 3), ('b', 0)) AS t (k, v)"
    for call, text in (
        ("map_agg(k, v)", "{a=>2,b=>1}"),
        ("map_agg(k, v ORDER BY v DESC)", "{a=>2,b=>0}"),
        ("map_agg(k, v) FILTER (WHERE v > 1)", "{a=>2}"),
        ("map_agg(k, v) FILTER (WHERE v > 9)", None),
        ("map_agg('k', NULL)", "{k=>NULL}"),
    ):
        assert runtime.query(f"SELECT {call} FROM {rows}") == [(text,)]


def test_views(runtime: InProcess) -> None:
    """Groups, joins and aggregates of maps through inserts, updates and deletes, against the one-off answer."""
    queries = {
        "groups": "SELECT m, count(*) AS n, map_agg(id::text, m) AS ids FROM maps GROUP BY m",
        "joined": "SELECT l.id, r.id AS other, l.m FROM maps AS l JOIN maps AS r ON l.m = r.m",
        "extremes": "SELECT min(m) AS low, max(m) AS high, count(DISTINCT m) AS n FROM maps",
        "looked": "SELECT id, m -> 'a' AS a, m ? 'b' AS b, map_length(m) AS n FROM maps WHERE m @> '{a=>1}'",
        "distinct_rows": "SELECT DISTINCT m FROM maps",
        "collected": "SELECT id, MAP(SELECT r.id::text, r.m FROM maps AS r WHERE r.m = l.m) AS same FROM maps AS l",
    }
    choices = ("NULL", "'{}'", "'{a=>1}'", "'{a=>1,b=>2}'", "'{b=>NULL}'", "MAP['b' => 2, 'a' => 0]")
    random = Random(5)
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE maps (id int, m map[text=>int])")
        for name, query in queries.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}")  # type: ignore[arg-type]
        for _ in range(10):
            rows = ", ".join(f"({random.randrange(6)}, {random.choice(choices)})" for _ in range(4))
            statements = (
                f"INSERT INTO maps VALUES {rows}",
                f"INSERT INTO maps VALUES {rows}",
                f"UPDATE maps SET m = MAP['a' => {random.randrange(3)}] WHERE id = {random.randrange(6)}",
                f"DELETE FROM maps WHERE m = '{{a=>1}}' OR id = {random.randrange(6)}",
            )
            connection.execute(random.choice(statements))  # type: ignore[arg-type]
            for name, query in queries.items():
                shown = connection.execute(f"SELECT * FROM {name}").fetchall()  # type: ignore[arg-type]
                assert sorted(map(repr, shown)) == sorted(map(repr, connection.execute(query).fetchall())), (
                    name
                )  # type: ignore[arg-type]
        connection.execute("DROP TABLE maps CASCADE")


def test_tables(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        connection.execute(
            "CREATE TABLE kept (k map[text=>int] PRIMARY KEY, v map[text=>text list] DEFAULT '{x=>{y}}')"
        )
        connection.execute("INSERT INTO kept VALUES ('{b=>1,a=>2}', DEFAULT), (MAP['c' => 3], '{}')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO kept VALUES ('{a=>2,b=>1}')")
        assert connection.execute("SELECT * FROM kept ORDER BY k").fetchall() == [
            ("{a=>2,b=>1}", "{x=>{y}}"),
            ("{c=>3}", "{}"),
        ]
        (row,) = connection.execute("SHOW CREATE TABLE kept").fetchall()
        connection.execute("DROP TABLE kept")
        connection.execute(row[1])
        assert connection.execute("SHOW CREATE TABLE kept").fetchall() == [row]
        assert ("k", False, "map[text=>integer]") in connection.execute("SHOW COLUMNS FROM kept").fetchall()
        assert "'{a=>1}'" in str(
            connection.execute("EXPLAIN SELECT * FROM kept WHERE k = '{a=>1}'").fetchall()
        )
        connection.execute("DROP TABLE kept")
        cursor = connection.execute("SELECT MAP['a' => 1], s.map FROM (SELECT 5 AS map) AS s")
        assert [column.name for column in cursor.description or ()] == ["map", "map"]


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_on_the_wire(runtime: InProcess, binary: bool) -> None:
    form = "(FORMAT binary)" if binary else ""
    rows = [("{a=>1,b=>NULL}", '{a=>{x=>"b c"},b=>{},c=>NULL}'), ("{}", "{}"), (None, None)]
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE wire (a map[text=>int], b map[text=>map[text=>text]])")
        connection.cursor().executemany("INSERT INTO wire VALUES (%s, %s)", rows)
        with connection.cursor().copy(f"COPY wire TO STDOUT {form}") as copy:  # type: ignore[arg-type]
            data = b"".join(copy)
        with connection.cursor().copy(f"COPY wire FROM STDIN {form}") as copy:  # type: ignore[arg-type]
            copy.write(data)
        found = connection.execute("SELECT a, b, count(*) FROM wire GROUP BY a, b ORDER BY a").fetchall()
        assert found == [(*row, 2) for row in (rows[1], rows[0], rows[2])]
        result = connection.pgconn.exec_params(
            b"SELECT a, b FROM wire WHERE a IS NOT NULL GROUP BY a, b ORDER BY a",
            None,
            result_format=int(binary),
        )
        assert [result.ftype(i) for i in range(2)] == [16385, 16385]
        for line, (_, text) in enumerate((rows[1], rows[0])):
            back = connection.pgconn.exec_params(
                b"SELECT $1::map[text=>map[text=>text]]::text",
                [result.get_value(line, 1)],
                param_formats=[int(binary)],
            )
            assert back.get_value(0, 0) == str(text).encode()
        connection.execute("DROP TABLE wire")


def test_binary_is_that_of_hstore(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        result = connection.pgconn.exec_params(b"SELECT MAP['b' => 1, 'a' => NULL]", None, result_format=1)
        assert result.get_value(0, 0) == (b"\0\0\0\2\0\0\0\1a\xff\xff\xff\xff\0\0\0\1b\0\0\0\4\0\0\0\1")
