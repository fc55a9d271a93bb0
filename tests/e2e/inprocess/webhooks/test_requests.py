"""What is posted becomes rows, or is refused with what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows
from loop_probe import probed

from .posting import Line, Poster

HELD_S = 0.05
"""A body of 100,000 bytes takes about as long to parse as all of this."""

TOGETHER = 40

Db = psycopg.Connection[tuple[Any, ...]]


def test_formats(db: Db, poster: Poster) -> None:
    for name, format_ in (("j", "JSON"), ("a", "JSON ARRAY"), ("t", "TEXT"), ("b", "BYTES")):
        db.execute(f"CREATE SOURCE {name} FROM WEBHOOK BODY FORMAT {format_}")
    assert poster.post("j", '{"b": 1.50, "a": [null]}').status == 200
    assert poster.post("j", "[1, 2]").status == 200
    assert poster.post("j", '{"n": 1}\r\n\n{"n": 2}\n').status == 200  # a document in each line
    assert poster.post("a", '[{"n": 1}, [2], null, "x"]').status == 200
    assert poster.post("a", '{"n": 3}').status == 200
    assert poster.post("a", "[]").status == 200
    assert poster.post("t", "größer\n").status == 200
    assert poster.post("t", "").status == 200
    assert poster.post("b", b"\xff\x00").status == 200
    assert sorted(text for (text,) in rows(db, "SELECT body::text FROM j")) == sorted(
        ['{"a": [null], "b": 1.50}', "[1, 2]", '{"n": 1}', '{"n": 2}']
    )
    assert sorted(text for (text,) in rows(db, "SELECT body::text FROM a")) == sorted(
        ['{"n": 1}', "[2]", "null", '"x"', '{"n": 3}']
    )
    assert sorted(rows(db, "SELECT body FROM t")) == [("",), ("größer\n",)]
    assert rows(db, "SELECT body FROM b") == [(b"\xff\x00",)]


def test_a_row_is_there_when_the_answer_is(db: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON")
    for count in range(1, 6):
        assert poster.post("s", "1").status == 200
        assert rows(db, "SELECT count(*) FROM s") == [(count,)]


def test_requests_that_come_together_are_few_commits(
    runtime: InProcess, db: Db, other: Db, poster: Poster
) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT")
    other.execute("BEGIN")
    other.execute("DECLARE c CURSOR FOR SUBSCRIBE s WITH (SNAPSHOT = false)")
    lines = [Line(runtime.http_port) for _ in range(TOGETHER)]
    try:
        for number, line in enumerate(lines):
            head = f"POST {poster.path('s')} HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n{number:02}"
            line.send(head.encode())
        # The loop that answers them does nothing else meanwhile: all are there when it looks.
        runtime.call(lambda: [line.send(b".") for line in lines])
        assert [line.read_answers(1) for line in lines] == [[200]] * TOGETHER
    finally:
        for line in lines:
            line.close()
    found: list[tuple[Any, ...]] = []
    while len(found) < TOGETHER:
        found += rows(other, "FETCH ALL c WITH (TIMEOUT = '1s')")
    assert sorted(row[-1] for row in found) == [f"{number:02}." for number in range(TOGETHER)]
    assert len({row[0] for row in found}) <= TOGETHER // 8
    other.execute("ROLLBACK")


def test_an_array_is_taken_whole_or_not_at_all(db: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON ARRAY")
    answer = poster.post("s", '[1, 2, {"a": ]')
    assert (answer.status, answer.error["code"]) == (400, "22P02")
    assert rows(db, "SELECT * FROM s") == []


@pytest.mark.parametrize(
    ("format_", "body", "code"),
    [
        ("JSON", b'{"a": 1', "22P02"),
        ("JSON", b"", "22P02"),
        ("JSON", b"1\n2\nx\n", "22P02"),
        ("JSON", b'"\\u0000"', "22P05"),
        ("JSON", b"NaN", "22P02"),
        ("JSON", b"[" * 5_000 + b"]" * 5_000, "54001"),
        ("JSON", b'"\xff"', "22021"),
        ("JSON ARRAY", b"[" + b",".join([b"1e100000"] * 200) + b"]", "54000"),
        ("JSON ARRAY", b"[1, 2] 3", "22P02"),
        ("TEXT", b"\xff", "22021"),
        ("TEXT", b"a\x00b", "22021"),
    ],
)
def test_bodies_that_say_nothing(db: Db, poster: Poster, format_: str, body: bytes, code: str) -> None:
    db.execute(f"CREATE SOURCE s FROM WEBHOOK BODY FORMAT {format_}")
    answer = poster.post("s", body)
    assert (answer.status, answer.error["code"]) == (400, code)
    assert rows(db, "SELECT * FROM s") == []
    assert poster.post("s", "1").status == 200


def test_headers(db: Db, poster: Poster) -> None:
    db.execute(
        "CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT INCLUDE HEADERS (NOT 'Host', NOT 'content-length')"
        " INCLUDE HEADER 'X-Id' AS id INCLUDE HEADER 'x-raw' AS \"Raw\" BYTES"
    )
    db.execute("CREATE SOURCE chosen FROM WEBHOOK BODY FORMAT TEXT INCLUDE HEADERS ('x-id', 'x-none')")
    named = [("X-Id", "grün".encode()), ("host", b"h"), ("accept", b"*/*")]
    assert poster.post_with("s", b"1", named).status == 200
    assert poster.post_with("chosen", b"1", named).status == 200
    shown = 'SELECT id, "Raw", headers::text FROM s'
    # http.client adds this one by itself.
    assert rows(db, shown) == [("grün", None, "{accept=>*/*,accept-encoding=>identity,x-id=>grün}")]
    assert rows(db, "SELECT headers -> 'x-id', map_length(headers) FROM chosen") == [("grün", 1)]


def test_a_header_in_bytes_may_have_any(db: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT INCLUDE HEADER 'x-raw' AS raw BYTES")
    assert poster.post_with("s", b"1", [("x-raw", b"\xff\xfe")]).status == 200
    assert rows(db, "SELECT raw FROM s") == [(b"\xff\xfe",)]


def test_a_header_that_is_included_comes_once(db: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT INCLUDE HEADER 'x-id' AS id")
    db.execute("CREATE SOURCE whole FROM WEBHOOK BODY FORMAT TEXT INCLUDE HEADERS (NOT 'via')")
    twice = [("X-Id", b"1"), ("x-id", b"1")]
    for name in ("s", "whole"):
        answer = poster.post_with(name, b"", twice)
        assert (answer.status, answer.error["message"]) == (400, 'header "x-id" is given more than once')
    assert poster.post_with("s", b"", [("via", b"1"), ("via", b"2")]).status == 200
    assert poster.post_with("whole", b"", [("via", b"1"), ("via", b"2")]).status == 200
    assert poster.post_with("whole", b"", [("x-id", b"\xff")]).error["code"] == "22021"
    assert rows(db, "SELECT id FROM s") == [(None,)]


def test_places(runtime: InProcess, db: Db, schema: str, poster: Poster) -> None:
    db.execute('CREATE SOURCE "odd/näme" FROM WEBHOOK BODY FORMAT TEXT')
    db.execute("CREATE TABLE t (a int)")
    assert poster.post("odd%2Fn%C3%A4me", "1").status == 200
    for place in ("nothing", "t", "odd/n%C3%A4me", "odd%2Fn%C3%A4me/", "%ff"):
        answer = poster.post(place, "1")
        assert (answer.status, answer.error["code"]) == (404, "42P01"), place
    base = f"/api/webhook/other/{schema}/odd%2Fn%C3%A4me"
    assert poster.request("POST", base, "1").status == 404
    assert poster.request("GET", poster.path("odd%2Fn%C3%A4me")).status == 405
    assert poster.request("POST", "/api/nothing", "1").status == 404
    [(url,)] = rows(db, "SELECT url FROM mz_internal.mz_webhook_sources WHERE name = 'odd/näme'")
    assert url == f"http://127.0.0.1:{runtime.http_port}{poster.path('odd%2Fn%C3%A4me')}"
    assert rows(db, 'SELECT * FROM "odd/näme"') == [("1",)]


def test_health(poster: Poster) -> None:
    assert poster.request("GET", "/api/livez").body == b"alive\n"
    assert poster.request("GET", "/api/readyz").body == b"ready\n"


def test_what_is_encoded_or_too_long_is_refused(db: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT")
    assert poster.post("s", "x", Content_Encoding="gzip").status == 415
    assert poster.post("s", "x", Content_Encoding="identity").status == 200
    assert poster.post("s", "x" * 100_000).status == 200
    answer = poster.post("s", "x" * 100_001)
    assert (answer.status, answer.error["code"]) == (413, "54000")
    assert poster.post_pieces("s", [b"x" * 60_000] * 2).status == 413
    assert poster.post("s", "y").status == 200  # over the same connection
    assert rows(db, "SELECT count(*) FROM s") == [(3,)]


def test_chunks(db: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON")
    assert poster.post_pieces("s", [b'{"a"', b": ", b"1}"]).status == 200
    assert rows(db, "SELECT body FROM s") == [({"a": 1},)]


def test_statistics_and_status(db: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON ARRAY")
    poster.post("s", "[1, 2, 3]")
    poster.post("s", "x")
    found = rows(
        db,
        "SELECT records, bytes, errors, messages_received, bytes_received, updates_committed, lag_bytes"
        " FROM mz_internal.mz_source_statistics JOIN mz_sources USING (id) WHERE name = 's'",
    )
    assert found == [(3, 9, 1, 2, 10, 3, None)]
    status = "SELECT type, status, error FROM mz_internal.mz_source_statuses WHERE name = 's'"
    assert rows(db, status) == [("webhook", "running", None)]


def test_large_bodies_leave_sessions_alone(runtime: InProcess, db: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON ARRAY")
    body = json.dumps([{"n": n, "t": "x" * (n % 50)} for n in range(1_500)])
    assert len(body) < 100_000
    held = []
    for _ in range(
        3
    ):  # what a body costs the loop it costs each time; a machine with other work, now and then
        with probed(runtime) as probe:
            for _ in range(5):
                assert poster.post("s", body).status == 200
        held.append(probe.held_s)
    assert min(held) < HELD_S, f"the loop was held for {min(held):.3f} s"
    assert rows(db, "SELECT count(*), sum((body->>'n')::int) FROM s") == [(22_500, 15 * 1_500 * 1_499 // 2)]


def test_rows_that_do_not_pass_where_are_taken_and_not_written(db: Db, poster: Poster) -> None:
    db.execute(
        "CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON ARRAY INCLUDE HEADER 'X-Kind' AS kind "
        "WHERE (kind = 'a' AND 10 / (body->>'n')::int > 1) WITH (IDEMPOTENCY KEY HEADER 'id')"
    )
    assert poster.post("s", '[{"n": 1}, {"n": 7}, {"n": 2}]', **{"X-Kind": "a", "id": "1"}).status == 200
    assert poster.post("s", '[{"n": 1}]', **{"X-Kind": "b", "id": "2"}).status == 200
    assert poster.post("s", '[{"n": 1}]', **{"X-Kind": "b", "id": "2"}).status == 200
    refused = poster.post("s", '[{"n": 3}, {"n": 0}]', **{"X-Kind": "a", "id": "3"})
    assert (refused.status, refused.error["message"]) == (400, "WHERE: division by zero")
    assert rows(db, "SELECT body->>'n' FROM s ORDER BY 1") == [("1",), ("2",)]
    ((committed, filtered),) = rows(
        db,
        "SELECT updates_committed, updates_filtered FROM mz_internal.mz_source_statistics x JOIN mz_objects o USING (id) "
        "JOIN mz_schemas c ON c.id = o.schema_id WHERE o.name = 's' AND c.name = current_schema()",
    )
    assert (committed, filtered) == (2, 2)
    (shown,) = rows(db, "SHOW CREATE SOURCE s")
    where = " WHERE (kind = 'a' AND 10 / (body->>'n')::int > 1) WITH (IDEMPOTENCY KEY HEADER 'id')"
    assert shown[1].endswith(where)
