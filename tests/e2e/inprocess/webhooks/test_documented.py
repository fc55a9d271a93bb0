"""What docs/webhooks.md shows does what it says: each of its sources takes what its sender signs, and nothing else."""

from __future__ import annotations

import hmac
import re
from base64 import b64decode, b64encode
from pathlib import Path
from time import time  # noqa: TID251
from typing import Any

import psycopg
from inprocess import rows

from .posting import Poster

Db = psycopg.Connection[tuple[Any, ...]]

PAGE = Path(__file__).parents[4] / "docs" / "webhooks.md"
SVIX = b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")


def hex_digest(key: str, data: bytes) -> str:
    return hmac.digest(key.encode(), data, "sha256").hex()


def signed(body: bytes) -> dict[str, dict[str, str]]:
    """The headers that each sender would send."""
    now = str(int(time()))
    stripe = hex_digest("whsec_what_stripe_gave_you", now.encode() + b"." + body)
    svix = b64encode(hmac.digest(SVIX, f"msg_1.{now}.".encode() + body, "sha256")).decode()
    return {
        "pushes": {
            "X_GitHub_Event": "push",
            "X_GitHub_Delivery": "1",
            "X_Hub_Signature_256": f"sha256={hex_digest('what you gave to GitHub', body)}",
        },
        "payments": {"Stripe_Signature": f"t={now},v1={stripe},v0=6ffbb59b2300aae63f272406069a9788"},
        "messages": {
            "Webhook_Id": "msg_1",
            "Webhook_Timestamp": now,
            "Webhook_Signature": f"v1,{svix}",
        },
        "readings": {"Authorization": "Bearer a long one, from a generator of random numbers"},
    }


def test_the_page(db: Db, poster: Poster) -> None:
    for block in re.findall(r"^```sql\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        for statement in block.split(";\n"):
            if statement.strip():
                db.execute(statement.encode())
    assert poster.post("events", '{"user": 7, "action": "login"}').status == 200
    assert rows(db, "SELECT body ->> 'action' AS action, count(*) FROM events GROUP BY 1") == [("login", 1)]
    body = b'{"a": 1}'
    for name, headers in signed(body).items():
        assert poster.post(name, body, **headers).status == 200, name
        if name in ("pushes", "messages"):
            assert poster.post(name, body, **headers).status == 200, name  # it is sent again
        assert poster.post(name, body).status == 401, name
        for header in headers:
            changed = {**headers, header: headers[header][:-1] + "~"}
            if header not in ("X_GitHub_Event", "X_GitHub_Delivery", "Stripe_Signature"):
                assert poster.post(name, body, **changed).status == 401, (name, header)
        assert poster.post(name, b'{"a": 2}', **headers).status == (200 if name == "readings" else 401), name
    for name in ("pushes", "payments", "messages"):
        assert rows(db, f"SELECT body FROM {name}") == [({"a": 1},)], name
    assert rows(db, "SELECT event FROM pushes") == [("push",)]
