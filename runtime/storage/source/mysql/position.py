"""How far a server's binary log was read, and of which outputs that speaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from ..upstream.position import UpstreamPosition


class Place(NamedTuple):
    """Where in the binary log something is: the number of its file, and the byte there."""

    file: int
    byte: int


def file_number(name: str) -> int:
    """Of a file of the log, such as `bin.000007`."""
    return int(name.rpartition(".")[2])


class Gtid(NamedTuple):
    """A transaction of MariaDB: `sequence` ascends in the domain, over all servers."""

    domain: int
    server: int
    sequence: int


def gtids_of(text: str) -> dict[int, Gtid]:
    """The last transaction of each domain, as MariaDB writes it: `0-1-7,3-2-9`."""
    found = [Gtid(*map(int, part.split("-"))) for part in text.split(",") if part.strip()]
    return {gtid.domain: gtid for gtid in found}


def gtids_text(gtids: Mapping[int, Gtid]) -> str:
    return ",".join("-".join(map(str, gtids[domain])) for domain in sorted(gtids))


class Last(NamedTuple):
    """The transaction that was read last: its GTID, the second in which it began, and the GTID before it in its domain, if that is known.

    A GTID has no more of a server than a number that anybody can have, so that is how the history is known again: the server is asked for
    this transaction once more.
    """

    gtid: Gtid
    time: int
    before: Gtid | None

    @property
    def text(self) -> str:
        return f"{self.time} {gtids_text({0: self.gtid})} {gtids_text({} if self.before is None else {0: self.before})}"

    @classmethod
    def of(cls, text: str) -> Last:
        time, gtid, before = text.split(" ")
        (own,) = gtids_of(gtid).values()
        return cls(own, int(time), next(iter(gtids_of(before).values()), None))


@dataclass(frozen=True, slots=True)
class Position(UpstreamPosition):
    """All transactions up to `gtids` (the last one of each domain) are read; where there was none yet, the log up to `byte` of `file`.
    `last` is a `Last` as text, once there was one."""

    gtids: str
    file: str
    byte: int
    last: str = ""

    @property
    def shown(self) -> str:
        return self.gtids

    def at(self, gtids: str, last: str = "") -> Position:
        """Without a last one it stays the one that it is."""
        return replace(self, gtids=gtids, last=last or self.last, piece=0)
