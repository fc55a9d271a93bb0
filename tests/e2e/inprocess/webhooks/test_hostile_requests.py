"""Clients that are slow, that lie about lengths, or that send what is no request: they are cut off, and nobody else hears of it."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from time import monotonic
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, rows, running

from .posting import Line, Poster

Db = psycopg.Connection[tuple[Any, ...]]

WITHIN_S = 20.0
"""The deadline for a head, or a body, is one second here."""


@pytest.fixture
def source(db: Db) -> str:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT")
    return "s"


@pytest.fixture
def line(runtime: InProcess) -> Iterator[Line]:
    line = Line(runtime.http_port)
    yield line
    line.close()


def head(poster: Poster, *lines: str) -> bytes:
    return "\r\n".join([f"POST {poster.path('s')} HTTP/1.1", "host: h", *lines, "", ""]).encode()


def status(answer: bytes) -> int:
    assert answer.startswith(b"HTTP/1.1 "), answer[:100]
    return int(answer[9:12])


def test_a_slow_head_is_cut_off(line: Line) -> None:
    began = monotonic()
    line.send(b"POST /api/webhook/ptvc/public/s HTTP/1.1\r\nhost: ")
    assert line.read() == b""
    assert 0.9 < monotonic() - began < WITHIN_S


def test_who_says_nothing_is_cut_off(line: Line) -> None:
    assert line.read() == b""


def test_a_slow_body_is_cut_off(db: Db, source: str, poster: Poster, line: Line) -> None:
    line.send(head(poster, "content-length: 10") + b"12345")
    answer = line.read()
    assert status(answer) == 408
    assert b"connection: close" in answer
    assert rows(db, "SELECT * FROM s") == []


def test_a_head_that_drips_is_cut_off(line: Line) -> None:
    """Each byte in time, and the whole not."""
    line.send(b"GET /api/livez HTTP/1.1\r\n")
    assert line.send_until_cut(b"x: y\r\n", 0.1, WITHIN_S) < WITHIN_S / 2


def test_half_a_body_is_no_request(db: Db, source: str, poster: Poster, line: Line) -> None:
    line.send(head(poster, "content-length: 10") + b"12345")
    line.finish()
    assert line.read() == b""
    line.close()
    assert poster.post("s", "whole").status == 200
    assert rows(db, "SELECT body FROM s") == [("whole",)]


@pytest.mark.parametrize(
    "lines",
    [
        ("content-length: -1",),
        ("content-length: 1x",),
        ("content-length: 5", "content-length: 6"),
        ("content-length: 5", "transfer-encoding: chunked"),
        ("transfer-encoding: identity, chunked", "transfer-encoding: nothing"),
        ("transfer-encoding: chunked, gzip",),
        ("transfer-encoding: chunked, chunked",),
        ("transfer-encoding: chunked", "transfer-encoding: chunked"),
        ("transfer-encoding: gzip",),
        ("transfer-encoding: identity",),
        ("transfer-encoding: chunked;q=1",),
        ("bad header",),
        ("a\x00b: c",),
        ("x: a\x00b",),
    ],
)
def test_heads_with_two_meanings(
    db: Db, source: str, poster: Poster, line: Line, lines: tuple[str, ...]
) -> None:
    line.send(head(poster, *lines) + b"12345")
    assert status(line.read()) == 400
    assert rows(db, "SELECT * FROM s") == []


@pytest.mark.parametrize(
    ("version", "lines", "expected"),
    [
        ("1.1", ("transfer-encoding: gzip, chunked",), (501, ["0A000"])),
        ("1.1", ("transfer-encoding: gzip", "transfer-encoding: Chunked"), (501, ["0A000"])),
        ("1.1", ("transfer-encoding: identity, chunked",), (501, ["0A000"])),
        ("1.0", ("transfer-encoding: chunked",), (400, ["08P01"])),
        ("0.9", ("transfer-encoding: chunked",), (505, ["0A000"])),
        ("2.0", ("transfer-encoding: chunked",), (505, ["0A000"])),
        ("1.1", ("transfer-encoding: , Chunked ",), (200, [])),
    ],
)
@pytest.mark.parametrize("offer", [(), ("connection: upgrade", "upgrade: h2c")])
def test_bodies_are_chunked_and_nothing_else(
    db: Db,
    source: str,
    poster: Poster,
    line: Line,
    version: str,
    lines: tuple[str, ...],
    expected: tuple[int, list[str]],
    offer: tuple[str, ...],
) -> None:
    """A request that is refused ends its connection: what follows is not taken for another one."""
    of_version = head(poster, "connection: close", *lines, *offer).replace(
        b" HTTP/1.1", f" HTTP/{version}".encode(), 1
    )
    line.send(of_version + b"5\r\nhello\r\n0\r\n\r\n" + head(poster, "content-length: 1") + b"x")
    answer = line.read()
    assert (status(answer), [error["code"] for error in errors(answer)]) == expected
    assert rows(db, "SELECT body FROM s") == ([("hello",)] if expected[0] == 200 else [])


@pytest.mark.parametrize(
    "chunk", [b"5x\r\n12345\r\n0\r\n\r\n", b"5\r\n1234567\r\n0\r\n\r\n", b"ffffffffffffffffff\r\n"]
)
def test_chunks_of_wrong_lengths(db: Db, source: str, poster: Poster, line: Line, chunk: bytes) -> None:
    line.send(head(poster, "transfer-encoding: chunked") + chunk)
    answer = line.read()
    assert answer == b"" or status(answer) == 400
    assert rows(db, "SELECT * FROM s") == []


def errors(answers: bytes) -> list[dict[str, str]]:
    """What answers say that are errors: JSON, all of them."""
    found = []
    for answer in re.split(rb"HTTP/1\.1 (?=\d{3} )", answers)[1:]:
        head_, _, body = answer.partition(b"\r\n\r\n")
        if not head_.startswith(b"200"):
            assert b"content-type: application/json" in head_, answer
            found.append(json.loads(body)["error"])
    return found


@pytest.mark.parametrize("cut", [0, 1, -1])
@pytest.mark.parametrize("garbage", [b"\0\0\0 what is this\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"])
def test_garbage_behind_requests_that_are_stored(
    db: Db, source: str, poster: Poster, line: Line, garbage: bytes, cut: int
) -> None:
    """Their clients hear so, and only then what is wrong with the rest; with a request behind them whose body is none as well."""
    whole = b"".join(head(poster, "content-length: 1") + letter for letter in (b"a", b"b"))
    if cut:
        garbage = head(poster, "transfer-encoding: chunked") + b"1\r\nc" + garbage
    line.send(whole + garbage if cut >= 0 else whole)
    if cut < 0:
        line.send(garbage)
    answers = line.read()
    assert [int(text) for text in re.findall(rb"HTTP/1\.1 (\d+)", answers)] == [200, 200, 400]
    assert [error["code"] for error in errors(answers)] == ["08P01"]
    assert sorted(rows(db, "SELECT body FROM s")) == [("a",), ("b",)]


@pytest.mark.parametrize(
    ("lines", "version", "wanted"),
    [
        ((), "1.1", 400),
        ((), "1.0", 200),
        (("host: a", "host: a"), "1.1", 400),
        (("host: a", "host: b"), "1.0", 400),
        (("host: a b",), "1.1", 400),
        (("host: a/b",), "1.1", 400),
        (("host: user@a",), "1.1", 400),
        (("host: a:x",), "1.1", 400),
        (("host: [::1]:80",), "1.1", 200),
        (("host: a.example:6880",), "1.1", 200),
        (("host:",), "1.1", 200),
    ],
)
def test_a_request_names_one_host(line: Line, lines: tuple[str, ...], version: str, wanted: int) -> None:
    text = "\r\n".join([f"GET /api/livez HTTP/{version}", *lines, "connection: close", "", ""])
    line.send(text.encode())
    answer = line.read()
    assert status(answer) == wanted
    assert len(errors(answer)) == (wanted != 200)


@pytest.mark.parametrize("extra", ["extension", "headers"])
def test_what_stands_between_chunks_is_bounded(
    db: Db, source: str, poster: Poster, line: Line, extra: str
) -> None:
    line.send(head(poster, "transfer-encoding: chunked"))
    line.send(b"1;" if extra == "extension" else b"1\r\na\r\n0\r\n")
    piece = b"x" * 1000 if extra == "extension" else b"x: y\r\n" * 100
    for _ in range(200):
        try:
            line.send(piece)
        except OSError:
            break
    answer = line.read()
    assert answer == b"" or (status(answer) == 431 and errors(answer)[0]["code"] == "54000")
    assert rows(db, "SELECT * FROM s") == []


def test_many_chunks_with_little_extensions(db: Db, source: str, poster: Poster, line: Line) -> None:
    """Of one byte each, behind each other in one connection."""
    for letter in (b"a", b"b"):
        chunks = b"".join(b"1;n=%d\r\n%s\r\n" % (n, letter) for n in range(5_000))
        line.send(head(poster, "transfer-encoding: chunked") + chunks + b"0\r\nx: y\r\n\r\n")
        assert line.read_answers(1) == [200]
    assert sorted(rows(db, "SELECT body FROM s")) == [("a" * 5_000,), ("b" * 5_000,)]


@pytest.mark.parametrize(
    ("method", "path", "wanted", "code"),
    [
        ("GET", "/", 404, "42P01"),
        ("GET", "/api/other", 404, "42P01"),
        ("POST", "/api/livez", 405, "0A000"),
        ("DELETE", "/api/webhook/ptvc/public/s", 405, "0A000"),
        ("POST", "/api/webhook/ptvc/public/none", 404, "42P01"),
    ],
)
def test_errors_are_json(poster: Poster, method: str, path: str, wanted: int, code: str) -> None:
    answer = poster.request(method, path)
    assert (answer.status, answer.error["code"]) == (wanted, code)
    assert answer.headers["content-type"] == "application/json"
    assert ("allow" in answer.headers) == (wanted == 405)


def test_a_defect_is_json_too(
    runtime: InProcess, source: str, poster: Poster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> None:
        raise RuntimeError("a defect")

    with monkeypatch.context() as patched:
        patched.setattr(runtime.coordinator.webhooks, "receive", fail)
        answer = poster.post("s", "x")
    assert (answer.status, answer.error["code"]) == (500, "XX000")
    assert "a defect" not in answer.body.decode()
    assert poster.post("s", "x").status == 200


def test_headers_behind_a_body_count_for_nothing(db: Db, poster: Poster, line: Line) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT CHECK (WITH (HEADERS) headers -> 'x' = 'yes')")
    line.send(
        head(poster, "transfer-encoding: chunked", "connection: close") + b"1\r\na\r\n0\r\nx: yes\r\n\r\n"
    )
    assert status(line.read()) == 401


def test_many_headers(poster: Poster, source: str, line: Line) -> None:
    line.send(head(poster, *(f"x-{n}: y" for n in range(10_000)), "content-length: 0"))
    assert status(line.read()) == 431


def test_one_long_header(poster: Poster, source: str, line: Line) -> None:
    line.send(head(poster, "x: " + "y" * 40_000, "content-length: 0"))
    assert status(line.read()) == 431


def test_as_many_headers_as_are_sent(db: Db, source: str, poster: Poster, line: Line) -> None:
    line.send(
        head(poster, *(f"x-{n}: y" for n in range(500)), "content-length: 1", "connection: close") + b"a"
    )
    assert status(line.read()) == 200
    assert rows(db, "SELECT body FROM s") == [("a",)]


def test_requests_behind_each_other(db: Db, source: str, poster: Poster, line: Line) -> None:
    """All are sent before the first is answered; answers come in their order."""
    requests = [head(poster, f"content-length: {len(str(n))}") + str(n).encode() for n in range(50)]
    requests.insert(
        20, f"POST {poster.path('none')} HTTP/1.1\r\nhost: h\r\ncontent-length: 0\r\n\r\n".encode()
    )
    line.send(b"".join(requests))
    assert line.read_answers(51) == [200] * 20 + [404] + [200] * 30
    assert sorted(int(body) for (body,) in rows(db, "SELECT body FROM s")) == list(range(50))


def test_continue(db: Db, source: str, poster: Poster, line: Line) -> None:
    line.send(head(poster, "content-length: 1", "expect: 100-continue", "connection: close"))
    assert line.read_answers(1) == [100]
    line.send(b"a")
    assert status(line.read()) == 200


def test_who_asks_whether_to_send_is_told_not_to(source: str, poster: Poster, line: Line) -> None:
    line.send(head(poster, "content-length: 100001", "expect: 100-continue"))
    answer = line.read()
    assert status(answer) == 413
    assert b"connection: close" in answer


def test_a_body_that_never_ends(runtime: InProcess, source: str, poster: Poster, line: Line) -> None:
    """It is refused as soon as it is too long, and what comes behind is not waited for for ever."""
    line.send(head(poster, "transfer-encoding: chunked"))
    piece = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"
    assert line.send_until_cut(piece, 1.0, WITHIN_S) < WITHIN_S
    assert runtime.coordinator.webhooks._bytes == 0


@pytest.mark.parametrize("seed", range(20))
def test_noise(runtime: InProcess, source: str, poster: Poster, seed: int) -> None:
    """Requests with some bytes changed, cut or doubled: an answer, or none, and the next client is served."""
    random_ = random.Random(seed)
    whole = (
        head(poster, "content-type: text/plain", "transfer-encoding: chunked") + b"5\r\nhello\r\n0\r\n\r\n"
    )
    for _ in range(10):
        data = bytearray(whole)
        for _ in range(random_.randint(1, 4)):
            place = random_.randrange(len(data))
            match random_.randrange(3):
                case 0:
                    data[place] = random_.randrange(256)
                case 1:
                    del data[place : place + random_.randint(1, 20)]
                case 2:
                    data[place:place] = data[place : place + random_.randint(1, 20)]
        line = Line(runtime.http_port)
        line.send(bytes(data))
        line.finish()
        answer = line.read()
        assert answer == b"" or 100 <= status(answer) < 500 or status(answer) in (501, 505)
        line.close()
    assert poster.post("s", "x").status == 200
    assert runtime.failures == []


def test_no_more_connections_than_there_may_be() -> None:
    """Those whose requests are under way keep their places; of the others the oldest makes way."""
    with running(replace(FAST, http_max_connections=3), http=True) as runtime:
        runtime.query("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT")
        web = runtime._web
        assert web is not None
        lines = [Line(runtime.http_port) for _ in range(3)]
        first = lines[0]
        first.send(b"GET /api/livez HTTP/1.1\r\nhost: h\r\n\r\n")
        assert first.read_answers(1) == [200]
        lines += [Line(runtime.http_port) for _ in range(3)]
        assert not any(line.read().startswith(b"HTTP") for line in lines[:3])
        assert web.places.taken == 3
        with Poster(runtime.http_port, "public") as poster:
            begun = head(poster, "content-length: 10") + b"12345"
        for line in lines[3:]:
            line.send(begun)
        eventually(lambda: not web.places._idle)
        other = Line(runtime.http_port)
        answer = other.read()
        assert status(answer) == 503
        assert b"retry-after" in answer
        for line in (*lines, other):
            line.close()

        def served() -> bool:
            with Poster(runtime.http_port, "public") as poster:
                return poster.post("s", "x").status == 200

        eventually(served)


def test_no_more_requests_than_may_wait() -> None:
    settings = replace(FAST, webhook_max_requests=2, webhook_max_held_bytes=1_000)
    with running(settings, http=True) as runtime:
        runtime.query("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT")
        lines = [Line(runtime.http_port) for _ in range(2)]
        with Poster(runtime.http_port, "public") as poster:
            for line in lines:
                line.send(head(poster, "content-length: 10") + b"12345")
            eventually(lambda: poster.post("s", "x").status == 429)
            assert poster.post("s", "x").headers["retry-after"] == "1"
            for line in lines:
                line.send(b"67890")
                assert line.read_answers(1) == [200]
            assert poster.post("s", "x" * 1_001).status == 429
            assert poster.post("s", "x" * 900).status == 200
        for line in lines:
            line.close()
        found = runtime.query("SELECT body, count(*) FROM s WHERE body <> 'x' GROUP BY 1")
        assert sorted(found) == [("1234567890", 2), ("x" * 900, 1)]


@pytest.mark.parametrize("protocol", ["h2c", "websocket", "TLS/1.2"])
def test_who_offers_another_protocol_is_answered_in_this_one(
    db: Db, source: str, poster: Poster, line: Line, protocol: str
) -> None:
    """As Java's client does with every first request; what comes behind, on the same connection, is heard as well."""
    offer = (
        "connection: Upgrade, HTTP2-Settings",
        f"upgrade: {protocol}",
        "http2-settings: AAEAAEAAAAIAAAABAAMAAABk",
    )
    chunks = b"3\r\none\r\n2\r\n, \r\n1\r\nx\r\n0\r\n\r\n"
    line.send(head(poster, *offer, "content-length: 5") + b"hello")
    line.send(head(poster, *offer, "transfer-encoding: chunked") + chunks)
    line.send(head(poster, "connection: close", "content-length: 4") + b"last")
    answers = line.read()
    assert answers.count(b"HTTP/1.1 200 ") == 3, answers
    eventually(lambda: rows(db, "SELECT body FROM s ORDER BY 1") == [("hello",), ("last",), ("one, x",)])


def test_an_offer_in_pieces(db: Db, source: str, poster: Poster, line: Line) -> None:
    whole = (
        head(poster, "connection: upgrade", "upgrade: h2c", "connection: close", "content-length: 5")
        + b"hello"
    )
    for piece in (whole[:30], whole[30:-7], whole[-7:-3], whole[-3:]):
        line.send(piece)
    assert status(line.read()) == 200
    eventually(lambda: rows(db, "SELECT body FROM s") == [("hello",)])


def test_a_flood_of_offers(db: Db, source: str, poster: Poster, line: Line) -> None:
    """More than the interpreter has levels, at once."""
    path = poster.path("s").encode()
    one = b"GET %s HTTP/1.1\r\nconnection:upgrade\r\nupgrade:x\r\nhost:h\r\n\r\n" % path
    line.send(one * 3_000 + head(poster, "connection: close", "content-length: 4") + b"last")
    answers = line.read()
    assert answers.count(b"HTTP/1.1 405 ") == 3_000
    eventually(lambda: rows(db, "SELECT body FROM s") == [("last",)])


def test_a_tunnel_is_refused(line: Line) -> None:
    line.send(b"CONNECT elsewhere:443 HTTP/1.1\r\nhost: elsewhere\r\n\r\n")
    assert status(line.read()) in (400, 404, 405)


def test_who_sends_nothing_more_is_answered(db: Db, source: str, poster: Poster, line: Line) -> None:
    line.send(2 * (head(poster, "content-length: 5") + b"whole"))
    line.finish()
    assert line.read_answers(2) == [200, 200]
    assert line.read() == b"", "and the connection ends"
    assert db.execute("SELECT count(*) FROM s WHERE body = 'whole'").fetchall() == [(2,)]


def test_who_breaks_off_in_a_body_is_not(db: Db, source: str, poster: Poster, line: Line) -> None:
    line.send(head(poster, "content-length: 50") + b"a part")
    line.finish()
    assert line.read() == b""
    assert db.execute("SELECT count(*) FROM s").fetchall() == [(0,)]
