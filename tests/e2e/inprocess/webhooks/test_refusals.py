"""While nothing can be written, or the runtime stops, requests are refused: 503, and later they are taken."""

from __future__ import annotations

import threading

import pytest
from inprocess import InProcess, eventually

from ..faults.test_full_disk import full_consensus
from .posting import Answer, Line, Poster, bodies


def test_a_full_disk(fresh: InProcess) -> None:
    fresh.query("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT WITH (IDEMPOTENCY KEY HEADER 'x-key')")
    with Poster(fresh.http_port, "public") as poster:
        assert poster.post("s", "before", X_Key="1").status == 200
        with full_consensus(fresh):

            def is_full() -> bool:
                return poster.post("s", "x" * 50_000, X_Key="2").status == 503

            eventually(is_full)
            answer = poster.post("s", "x" * 50_000, X_Key="2")
            assert (answer.error["code"], answer.headers["retry-after"]) == ("53100", "1")
            assert poster.post("s", "before", X_Key="1").status == 200  # it is there
        assert poster.post("s", "after", X_Key="3").status == 200
    found = bodies(fresh, "s")
    assert {"before", "after"} <= set(found)
    assert found.count("x" * 50_000) <= 1


@pytest.mark.parametrize("waiting", ["body", "head"])
def test_an_orderly_stop_ends_requests_that_are_not_there_yet(fresh: InProcess, waiting: str) -> None:
    fresh.query("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT")
    head = b"POST /api/webhook/ptvc/public/s HTTP/1.1\r\nhost: h\r\ncontent-length: 10\r\n"
    line = Line(fresh.http_port)
    line.send(head + (b"\r\n12345" if waiting == "body" else b""))
    idle = Line(fresh.http_port)
    idle.send(b"GET /api/livez HTTP/1.1\r\nhost: h\r\n\r\n")
    assert idle.read_answers(1) == [200]
    fresh.stop()
    answer = line.read()
    assert answer.startswith(b"HTTP/1.1 503 ") if waiting == "body" else answer == b""
    fresh.start()
    assert bodies(fresh, "s") == []
    line.close()
    idle.close()


def test_an_orderly_stop_under_load(fresh: InProcess) -> None:
    fresh.query("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT")
    answers: list[tuple[str, Answer | None]] = []

    def client(place: int) -> None:
        with Poster(fresh.http_port, "public") as poster:
            for number in range(1_000):
                body = f"{place}-{number}"
                try:
                    answers.append((body, poster.post("s", body)))
                except OSError:
                    answers.append((body, None))
                    return
                except Exception:
                    return

    threads = [threading.Thread(target=client, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    eventually(lambda: len(answers) > 20)
    fresh.stop()
    for thread in threads:
        thread.join(30)
    fresh.start()
    taken = {body for body, answer in answers if answer is not None and answer.status == 200}
    assert all(answer is None or answer.status in (200, 503) for _, answer in answers)
    found = bodies(fresh, "s")
    assert len(found) == len(set(found))
    assert taken <= set(found)
