"""How far a database was read, and of which outputs that speaks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..upstream.position import UpstreamPosition


@dataclass(frozen=True, slots=True)
class Position(UpstreamPosition):
    """All transactions whose commit lies before `lsn` are read, of the cluster `system` on `timeline`."""

    system: str
    timeline: int
    lsn: int

    @property
    def shown(self) -> int:
        return self.lsn

    def at(self, lsn: int) -> Position:
        return replace(self, lsn=lsn, piece=0)


def lsn_of(text: str) -> int:
    """The position in the log that PostgreSQL writes as `16/B374D848`."""
    high, low = text.split("/")
    return int(high, 16) << 32 | int(low, 16)


def lsn_text(lsn: int) -> str:
    return f"{lsn >> 32:X}/{lsn & 0xFFFFFFFF:X}"
