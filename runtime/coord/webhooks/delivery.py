"""What a source is given, and why it is refused."""

from __future__ import annotations

from dataclasses import dataclass

from ...errors import PtvcError


@dataclass(frozen=True, slots=True)
class Delivery:
    """A request: its headers, with their names in lower case and in the order in which they came, and its body as it came."""

    headers: tuple[tuple[str, bytes], ...]
    body: bytes

    def values(self, header: str) -> list[bytes]:
        return [value for name, value in self.headers if name == header]


class Refused(PtvcError):
    """A request of which nothing is written.  `status` is HTTP's word for why."""

    def __init__(self, status: int, message: str, sqlstate: str, hint: str | None = None) -> None:
        super().__init__(message, sqlstate=sqlstate, hint=hint)
        self.status = status

    @property
    def passes(self) -> bool:
        """Whether the same request may be taken some time later."""
        return self.status in (429, 503)


def unauthorized() -> Refused:
    """It says nothing about how far the request came, for that helps only those who guess."""
    return Refused(401, "the request did not pass the source's check", "28000")


def malformed(message: str, sqlstate: str) -> Refused:
    return Refused(400, message, sqlstate)


def unknown(name: str) -> Refused:
    return Refused(404, f'there is no webhook source "{name}"', "42P01")


def dropped() -> Refused:
    return Refused(404, "the source was dropped meanwhile", "42P01")


def too_many() -> Refused:
    return Refused(429, "too many requests wait to be written", "53300", hint="Send it again later.")


def defect() -> Refused:
    """Of ours: what it is, no answer says."""
    return Refused(500, "the request has failed; see the runtime's log", "XX000")


def unavailable(message: str, sqlstate: str) -> Refused:
    return Refused(503, message, sqlstate, hint="Send it again later.")
