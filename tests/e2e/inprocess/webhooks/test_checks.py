"""Who may post is what CHECK says, and nothing that is answered helps to guess."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode
from collections.abc import Callable
from time import time as now  # noqa: TID251
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows

from .posting import Answer, Poster

Db = psycopg.Connection[tuple[Any, ...]]

GITHUB = """CHECK (WITH (HEADERS, BODY BYTES, SECRET key BYTES)
    constant_time_eq(headers -> 'x-hub-signature-256', 'sha256=' || encode(hmac(body, key, 'sha256'), 'hex')))"""
STRIPE = """CHECK (WITH (HEADERS AS h, BODY AS b, SECRET key AS k)
    constant_time_eq(
        split_part(h -> 'stripe-signature', 'v1=', 2),
        encode(hmac(split_part(split_part(h -> 'stripe-signature', ',', 1), 't=', 2) || '.' || b, k, 'sha256'), 'hex'))
    AND abs(extract(epoch FROM now()) - split_part(split_part(h -> 'stripe-signature', ',', 1), 't=', 2)::numeric) < 300)"""
BASE64 = """CHECK (WITH (HEADERS BYTES, BODY BYTES, SECRET key BYTES)
    constant_time_eq(decode(convert_from(headers -> 'x-sign', 'utf8'), 'base64'), hmac(body, key, 'sha512')))"""


def github(key: bytes, body: bytes) -> dict[str, str]:
    return {"X_Hub_Signature_256": f"sha256={hmac.digest(key, body, 'sha256').hex()}"}


def stripe(key: bytes, body: bytes, at: float | None = None) -> dict[str, str]:
    when = str(int(now() if at is None else at))
    signature = hmac.digest(key, f"{when}.".encode() + body, "sha256").hex()
    return {"Stripe_Signature": f"t={when},v1={signature}"}


def base64(key: bytes, body: bytes) -> dict[str, str]:
    return {"X_Sign": b64encode(hmac.digest(key, body, "sha512")).decode()}


def unauthorized(answer: Answer) -> bool:
    return (answer.status, answer.error) == (
        401,
        {"message": "the request did not pass the source's check", "code": "28000"},
    )


@pytest.mark.parametrize(("check", "sign"), [(GITHUB, github), (STRIPE, stripe), (BASE64, base64)])
def test_signatures(
    db: Db, poster: Poster, check: str, sign: Callable[[bytes, bytes], dict[str, str]]
) -> None:
    db.execute("CREATE SECRET key AS 'it is known to both'")
    db.execute(f"CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON {check}")
    key, body = b"it is known to both", b'{"a": 1}'
    assert poster.post("s", body, **sign(key, body)).status == 200
    assert unauthorized(poster.post("s", body))
    assert unauthorized(poster.post("s", body, **sign(b"another", body)))
    assert unauthorized(poster.post("s", b'{"a": 2}', **sign(key, body)))
    assert unauthorized(poster.post("s", body, **dict.fromkeys(sign(key, body), "")))
    assert unauthorized(poster.post("s", body, **dict.fromkeys(sign(key, body), "%%%")))
    assert rows(db, "SELECT body FROM s") == [({"a": 1},)]


def test_a_signature_is_of_the_body_as_it_came(db: Db, poster: Poster) -> None:
    """It is looked at before the body is read: who may not write is not told what is wrong with that."""
    db.execute("CREATE SECRET key AS 'k'")
    db.execute(f"CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON {GITHUB}")
    for body in (b'{"a": ', b"\xff"):
        assert unauthorized(poster.post("s", body))
        assert poster.post("s", body, **github(b"k", body)).status == 400
    spaced = b' { "a" :\t1.0 }\n'
    assert unauthorized(poster.post("s", spaced, **github(b"k", b'{"a": 1.0}')))
    assert poster.post("s", spaced, **github(b"k", spaced)).status == 200
    assert rows(db, "SELECT body::text FROM s") == [('{"a": 1.0}',)]


def test_a_signature_grows_old(db: Db, poster: Poster) -> None:
    db.execute("CREATE SECRET key AS 'k'")
    db.execute(f"CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT {STRIPE}")
    assert unauthorized(poster.post("s", b"old", **stripe(b"k", b"old", now() - 400)))
    assert poster.post("s", b"new", **stripe(b"k", b"new", now() - 100)).status == 200


def test_an_altered_secret_counts_from_the_next_request_on(db: Db, poster: Poster) -> None:
    db.execute("CREATE SECRET key AS 'first'")
    db.execute(f"CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT {GITHUB}")
    assert poster.post("s", b"x", **github(b"first", b"x")).status == 200
    db.execute("ALTER SECRET key AS 'second'")
    assert unauthorized(poster.post("s", b"x", **github(b"first", b"x")))
    assert poster.post("s", b"x", **github(b"second", b"x")).status == 200


def test_what_is_unclear_is_not_there(db: Db, poster: Poster) -> None:
    """A header that comes twice might be one for the check and another one for whoever signed it."""
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT BYTES CHECK (WITH (HEADERS) headers -> 'x' = 'yes')")
    db.execute("CREATE SOURCE t FROM WEBHOOK BODY FORMAT BYTES CHECK (WITH (BODY) body <> 'no')")
    assert poster.post("s", b"", X="yes").status == 200
    assert unauthorized(poster.post_with("s", b"", [("x", b"yes"), ("x", b"yes")]))
    assert unauthorized(poster.post_with("s", b"", [("x", b"yes"), ("X", b"no")]))
    assert poster.post_with("s", b"", [("x", b"yes"), ("y", b"1"), ("y", b"2")]).status == 200
    assert poster.post("t", b"yes").status == 200
    assert unauthorized(poster.post("t", b"\xff"))


def test_an_expression_that_fails_or_is_null_takes_nothing(db: Db, poster: Poster) -> None:
    for name, check in (
        ("fails", "WITH (BODY) 1 / (length(body) - 1) = 1"),
        ("unknown", "WITH (HEADERS) headers -> 'x-none' = 'a'"),
        ("never", "false"),
    ):
        db.execute(f"CREATE SOURCE {name} FROM WEBHOOK BODY FORMAT TEXT CHECK ({check})")
        assert unauthorized(poster.post(name, b"x"))
    assert poster.post("fails", b"xx").status == 200


def test_no_secret_is_shown(
    runtime: InProcess, db: Db, poster: Poster, caplog: pytest.LogCaptureFixture
) -> None:
    secret = hashlib.sha256(b"a secret").hexdigest()
    db.execute(f"CREATE SECRET key AS '{secret}'")
    db.execute(
        "CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT"
        " CHECK (WITH (BODY, SECRET key) (body || key)::int > 1 AND key::int = 1)"
    )
    answer = poster.post("s", b"1")
    assert unauthorized(answer)
    found = [
        *rows(db, "SHOW CREATE SOURCE s"),
        *rows(db, "SELECT * FROM mz_sources"),
        *rows(db, "SELECT * FROM mz_internal.mz_definitions"),
        *rows(db, "SELECT * FROM mz_internal.mz_source_statuses"),
        *rows(db, "EXPLAIN SELECT * FROM s"),
    ]
    assert secret not in repr(found)
    assert secret not in repr(answer)
    assert secret not in caplog.text


def test_secrets_are_used_by_who_may(runtime: InProcess, schema: str, db: Db) -> None:
    db.execute("CREATE SECRET key AS 'k'")
    db.execute(f"CREATE ROLE posting_{schema} LOGIN")
    db.execute(f"GRANT CREATE, USAGE ON SCHEMA {schema} TO posting_{schema}")
    statement = (
        f"CREATE SOURCE {schema}.s FROM WEBHOOK BODY FORMAT TEXT CHECK (WITH (SECRET {schema}.key) key = 'k')"
    )
    with psycopg.connect(
        f"host=127.0.0.1 port={runtime.port} user=posting_{schema} dbname=ptvc", autocommit=True
    ) as other:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            other.execute(statement)
        db.execute(f"GRANT USAGE ON SECRET key TO posting_{schema}")
        other.execute(statement)
    with pytest.raises(psycopg.errors.DependentObjectsStillExist):
        db.execute("DROP SECRET key")
    db.execute(f"DROP SOURCE {schema}.s")
    db.execute(f"REVOKE ALL ON SCHEMA {schema} FROM posting_{schema}")
    db.execute(f"REVOKE ALL ON SECRET key FROM posting_{schema}")
    db.execute(f"DROP ROLE posting_{schema}")
