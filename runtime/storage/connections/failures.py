"""What goes wrong when a connection is tried: which step failed, and why, without what is secret."""

from __future__ import annotations

import base64
import enum
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from ...errors import PtvcError

HIDDEN = "***"
_MOST = 500
"""Characters of what the other side says."""


class Step(enum.Enum):
    """What was being done, with the SQLSTATE of its failure."""

    RESOLUTION = "08001"
    POLICY = "42501"
    CONNECTION = "08006"
    TLS = "08P01"
    AUTHENTICATION = "28000"
    ANSWER = "08004"
    CLIENT = "58000"


class ConnectionFailed(PtvcError):
    def __init__(
        self, step: Step, message: str, *, detail: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message, sqlstate=step.value, detail=detail, hint=hint)
        self.step = step


def scrubbed(text: str, secrets: Iterable[bytes]) -> str:
    """The text of somebody else's message, without any of the secrets, however it spells them, and not endless."""
    for secret in sorted(secrets, key=len, reverse=True):
        for spelling in _spellings(secret):
            text = text.replace(spelling, HIDDEN)
    text = " ".join(text.split())
    return text if len(text) <= _MOST else f"{text[:_MOST]} ..."


def _spellings(secret: bytes) -> list[str]:
    plain = secret.decode("utf-8", "replace")
    if not plain.strip():
        return []
    encoded = base64.b64encode(secret).decode()
    found = {
        plain,
        plain.strip(),
        repr(plain)[1:-1],
        quote(plain, safe=""),
        quote_plus(plain),
        encoded,
        encoded.rstrip("="),
        secret.hex(),
    }
    return sorted(found, key=len, reverse=True)
