"""Materialize's lists: what they hold, how they compare and travel, and views over them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

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
        ("LIST[1, 2, NULL]", "{1,2,NULL}"),
        ("'{1, 2,NULL}'::int list", "{1,2,NULL}"),
        ("LIST[[1, 2], [], NULL]", "{{1,2},{},NULL}"),
        ("LIST[[1.5, NULL], [2.25]]", "{{1.50,NULL},{2.25}}"),
        ("LIST[]::int list", "{}"),
        ("LIST[[]]::int list list", "{{}}"),
        ("LIST[['a', 'b,}'], ['c d', '', 'null', '\"', '\\']]", '{{a,"b,}"},{"c d","","null","\\"","\\\\"}}'),
        ('\'{{a, "b,}" }, {"c\\"d"},{ }}\'::text list list', '{{a,"b,}"},{"c\\"d"},{}}'),
        ("'{{{1}},NULL}'::int list list list", "{{{1}},NULL}"),
        ("LIST(SELECT x FROM generate_series(1, 3) AS x ORDER BY x DESC)", "{3,2,1}"),
        ("LIST(SELECT 1 WHERE false)", "{}"),
        ("LIST[1] || 2", "{1,2}"),
        ("0 || LIST[1]", "{0,1}"),
        ("LIST[1] || LIST[2]", "{1,2}"),
        ("LIST[[1]] || LIST[2]", "{{1},{2}}"),
        ("LIST[2] || LIST[[1]]", "{{2},{1}}"),
        ("LIST[1] || '{5,6}'", "{1,5,6}"),
        ("LIST[1] || 2.5", "{1.0,2.5}"),
        ("(LIST[1, 2, 3])[2]", "2"),
        ("(LIST[1, 2, 3])[0]", None),
        ("(LIST[1, 2, 3])[4]", None),
        ("(LIST[[1, 2], [3]])[1][2]", "2"),
        ("(LIST[[1, 2], [3]])[2][1:]", "{3}"),
        ("(LIST[1, 2, 3])[2:3]", "{2,3}"),
        ("(LIST[1, 2, 3])[:2]", "{1,2}"),
        ("(LIST[1, 2, 3])[3:2]", "{}"),
        ("((LIST[1, 2, 3])[2:3])[1]", "2"),
        ("list_length(LIST[1, NULL])", "2"),
        ("list_length(LIST[]::int list)", "0"),
        ("list_length(NULL::int list)", None),
        ("list_append(LIST[1], 2)", "{1,2}"),
        ("list_append(NULL, 2)", "{2}"),
        ("list_prepend(1, LIST[2])", "{1,2}"),
        ("list_cat(LIST[1], LIST[2])", "{1,2}"),
        ("list_cat(NULL, LIST[2])", "{2}"),
        ("LIST[1, 2] @> LIST[2]", "true"),
        ("LIST[2, 3] <@ LIST[1, 2]", "false"),
        ("2 = ANY (LIST[1, 2])", "true"),
        ("3 = ANY (LIST[1, NULL])", None),
        ("5 > ALL (LIST[1, 2])", "true"),
        ("LIST[3] = ANY (LIST[LIST[3]])", "true"),
        ("ARRAY[1, 2]::int list", "{1,2}"),
        ("ARRAY['1', '2']::int list", "{1,2}"),
        ("LIST[1, 2]::text list", "{1,2}"),
        ("LIST[true]::text list", "{true}"),
        ("LIST['a b'::char(5)]", '{"a b  "}'),
        ("LIST[interval '1 day', NULL]", '{"1 day",NULL}'),
        ("LIST['{\"a\": [1]}'::jsonb]", '{"{\\"a\\": [1]}"}'),
        ("coalesce(NULL, LIST[1])", "{1}"),
        ("CASE WHEN true THEN LIST[1] ELSE LIST[2.5] END", "{1.0}"),
        ("to_jsonb(LIST[[1, 2], [3]])", "[[1, 2], [3]]"),
        ("to_json(LIST['a', NULL])", '["a",null]'),
        ("pg_typeof(LIST[[1]])", "integer list list"),
    ],
)
def test_values(runtime: InProcess, expression: str, text: str | None) -> None:
    assert runtime.query(f"SELECT ({expression})::text") == [(text,)]


@pytest.mark.parametrize(
    ("expression", "sqlstate"),
    [
        ("LIST[]", "42P18"),
        ("LIST[[]]", "42P18"),
        ("'{1'::int list", "22P02"),
        ("'{1,x}'::int list", "22P02"),
        ("'{{1}'::int list list", "22P02"),
        ("'{{1}x}'::int list list", "22P02"),
        ("'{{1}}'::int list", "22P02"),
        ("'{1}'::int list list", "22P02"),
        ("'[1:1]={1}'::int list", "22P02"),
        ("LIST[1]::int[]", "42846"),
        ("LIST[1]::int", "42846"),
        ("ARRAY[LIST[1]]", "0A000"),
        ("LIST[ARRAY[1]]", "0A000"),
        ("'{}'::int[] list", "0A000"),
        ("'{}'::list", "0A000"),
        ("'1'::int" + " list" * 40, "54001"),
        ("list_agg(ARRAY[1])", "0A000"),
        ("array_agg(LIST[1])", "0A000"),
        ("ARRAY(SELECT LIST[1])", "0A000"),
        ("LIST[1] || 'x'::text", "42883"),
        ("LIST[1] || ARRAY[1]", "42883"),
        ("LIST[1] = ARRAY[1]", "42883"),
        ("LIST[1] && LIST[1]", "42883"),
        ("LIST[1] = LIST['a'::text]", "42883"),
        ("LIST['{}'::json] = LIST['{}'::json]", "42883"),
        ("(LIST[LIST[1]])[1:1][1]", "0A000"),
        ("list_length(1)", "42883"),
    ],
)
def test_errors(runtime: InProcess, expression: str, sqlstate: str) -> None:
    with runtime.connect() as connection, pytest.raises(psycopg.Error) as caught:
        connection.execute(f"SELECT {expression}")  # type: ignore[arg-type]
    assert caught.value.sqlstate == sqlstate


def test_names_of_columns(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        cursor = connection.execute('SELECT LIST[1, 2], s.list, list, s."list" FROM (SELECT 5 AS list) AS s')
        assert [column.name for column in cursor.description or ()] == ["list"] * 4
        assert cursor.fetchall() == [("{1,2}", 5, 5, 5)]


def test_columns_called_list(runtime: InProcess) -> None:
    """`list[1]` is an element of a column of that name, where there is one."""
    with runtime.connect() as session:
        session.execute("CREATE TABLE named (list int list, map text)")
        session.execute("INSERT INTO named VALUES ('{7, 8}', 'a'), ('{}', 'b')")
        rows = session.execute(
            "SELECT list[1], list[1 + 1], n.list[1] FROM named AS n ORDER BY map"
        ).fetchall()
        assert rows == [(7, 8, 7), (None, None, None)]
        rows = session.execute("SELECT list[1], count(*) FROM named GROUP BY list[1] ORDER BY 1").fetchall()
        assert rows == [(7, 1), (None, 1)]
        rows = session.execute("SELECT (SELECT list[2]) FROM named ORDER BY map").fetchall()
        assert rows == [(8,), (None,)]
        assert session.execute("SELECT list[3]::text FROM (SELECT 1) AS list").fetchone() == ("{3}",)
        assert session.execute("SELECT list[1, 2]::text FROM named LIMIT 1").fetchone() == ("{1,2}",)


def compared(left: list[Any], right: list[Any]) -> int:
    """-1, 0 or 1: NULLs the greatest, the shorter first."""
    for a, b in zip(left, right, strict=False):
        if isinstance(a, list) and isinstance(b, list):
            if order := compared(a, b):
                return order
        elif a != b:
            return 1 if a is None or (b is not None and a > b) else -1
    return (len(left) > len(right)) - (len(left) < len(right))


def test_comparisons(runtime: InProcess) -> None:
    """All operators over pairs of random lists of lists of documents, which are equal as numbers are."""
    random = Random(8)

    def made() -> list[Any]:
        return [
            None
            if random.random() < 0.2
            else [random.choice((1, 2, None)) for _ in range(random.randrange(3))]
            for _ in range(random.randrange(3))
        ]

    def text(value: list[Any], shown: dict[int, str]) -> str:
        parts = (
            "NULL" if item is None else text(item, shown) if isinstance(item, list) else shown[item]
            for item in value
        )
        return "{" + ",".join(parts) + "}"

    pairs = [(made(), made()) for _ in range(60)]
    for type_, other in (
        ("int", {1: "1", 2: "2"}),
        ("jsonb", {1: "1.0", 2: "2.00"}),
        ("float", {1: "1e0", 2: "2"}),
    ):
        values = ", ".join(
            f"({i}, '{text(a, {1: '1', 2: '2'})}'::{type_} list list, '{text(b, other)}'::{type_} list list)"
            for i, (a, b) in enumerate(pairs)
        )
        found = runtime.query(
            f"SELECT a < b, a <= b, a = b, a <> b, a >= b, a > b FROM (VALUES {values}) AS v (i, a, b) ORDER BY i"
        )
        orders = [compared(a, b) for a, b in pairs]
        assert found == [(c < 0, c <= 0, c == 0, c != 0, c >= 0, c > 0) for c in orders]


def test_views(runtime: InProcess) -> None:
    """Groups, joins and aggregates of lists through inserts, updates and deletes, against the one-off answer."""
    queries = {
        "groups": "SELECT a, count(*) AS n, list_agg(id ORDER BY id) AS ids FROM lists GROUP BY a",
        "joined": "SELECT l.id, r.id AS other, l.a || r.a AS a FROM lists AS l JOIN lists AS r ON l.a = r.a",
        "extremes": "SELECT min(a) AS low, max(a) AS high, count(DISTINCT a) AS n FROM lists",
        "elements": "SELECT e, count(*) AS n FROM lists, unnest(a) AS e GROUP BY e",
        "distinct_rows": "SELECT DISTINCT a[1] AS first, a FROM lists",
        "nested": "SELECT LIST[a, LIST[id]] AS both, list_length(a) AS n FROM lists WHERE a @> LIST[1]",
        "collected": "SELECT LIST(SELECT id FROM lists AS r WHERE r.a = l.a ORDER BY id) AS same, id FROM lists AS l",
    }
    random = Random(3)
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE lists (id int, a int list)")
        for name, query in queries.items():
            connection.execute(f"CREATE MATERIALIZED VIEW {name} AS {query}")  # type: ignore[arg-type]
        for _ in range(12):
            rows = ", ".join(
                f"({random.randrange(6)}, "
                + random.choice(("NULL", "'{}'", "'{1}'", "'{1,2}'", "'{1,NULL}'", "LIST[2]", "LIST[3, 1]"))
                + ")"
                for _ in range(4)
            )
            connection.execute(
                random.choice(
                    (
                        f"INSERT INTO lists VALUES {rows}",
                        f"INSERT INTO lists VALUES {rows}",
                        f"UPDATE lists SET a = a || {random.randrange(3)} WHERE id = {random.randrange(6)}",
                        f"DELETE FROM lists WHERE a = LIST[1] OR id = {random.randrange(6)}",
                    )
                )  # type: ignore[arg-type]
            )
            for name, query in queries.items():
                shown = connection.execute(f"SELECT * FROM {name}").fetchall()  # type: ignore[arg-type]
                assert sorted(map(repr, shown)) == sorted(map(repr, connection.execute(query).fetchall())), (
                    name
                )  # type: ignore[arg-type]
        connection.execute("DROP TABLE lists CASCADE")


def test_tables(runtime: InProcess) -> None:
    """Defaults, keys, added columns, indexes; what SHOW CREATE says makes the same."""
    with runtime.connect() as connection:
        connection.execute(
            "CREATE TABLE kept (k int list PRIMARY KEY, v numeric(6, 2) list list DEFAULT '{{1.5}}')"
        )
        connection.execute("CREATE INDEX kept_k ON kept (k)")
        connection.execute("INSERT INTO kept VALUES ('{1,2}', '{{1.005}}'), (LIST[3], DEFAULT)")
        connection.execute("ALTER TABLE kept ADD COLUMN added text list DEFAULT '{x,NULL}'")
        assert connection.execute("SELECT * FROM kept ORDER BY k").fetchall() == [
            ("{1,2}", "{{1.01}}", "{x,NULL}"),
            ("{3}", "{{1.50}}", "{x,NULL}"),
        ]
        assert connection.execute("SELECT v FROM kept WHERE k = '{3}'").fetchall() == [("{{1.50}}",)]
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO kept VALUES (LIST[3])")
        (row,) = connection.execute("SHOW CREATE TABLE kept").fetchall()
        connection.execute("DROP TABLE kept")
        connection.execute(row[1])
        assert connection.execute("SHOW CREATE TABLE kept").fetchall() == [row]
        assert connection.execute("SHOW COLUMNS FROM kept").fetchall() == [
            ("k", False, "integer list"),
            ("v", True, "numeric(6,2) list list"),
            ("added", True, "text list"),
        ]
        assert connection.execute(
            "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'kept'::regclass AND attname = 'k'"
        ).fetchall() == [("list",)]
        connection.execute("DROP TABLE kept")


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def test_on_the_wire(runtime: InProcess, binary: bool) -> None:
    form = "(FORMAT binary)" if binary else ""
    rows = [("{1,NULL}", '{{a},{},NULL,{NULL,"b c"}}'), ("{}", "{}"), (None, None)]
    with runtime.connect() as connection:
        connection.execute("CREATE TABLE wire (a int list, b text list list)")
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
        assert [result.ftype(i) for i in range(2)] == [16384, 16384]
        sent = [result.get_value(0, 1), result.get_value(1, 1)]
        for value, (_, text) in zip(sent, (rows[1], rows[0]), strict=True):
            back = connection.pgconn.exec_params(
                b"SELECT $1::text list list::text", [value], param_formats=[int(binary)]
            )
            assert back.get_value(0, 0) == str(text).encode()
        connection.execute("DROP TABLE wire")


def test_in_a_zone(runtime: InProcess) -> None:
    with runtime.connect() as connection:
        connection.execute("SET TIME ZONE 'Europe/Berlin'")
        assert connection.execute("SELECT LIST[timestamptz '2024-01-01 00:00+00']").fetchall() == [
            ('{"2024-01-01 01:00:00+01"}',)
        ]
        assert connection.execute(
            "SELECT '{2024-01-01 00:00}'::timestamptz list = LIST[timestamptz '2023-12-31 23:00+00']"
        ).fetchall() == [(True,)]
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.execute("SELECT '{2024-01-01 00:00}'::text::timestamptz list")
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.execute("SELECT LIST[timestamptz '2024-01-01 00:00']::text")
