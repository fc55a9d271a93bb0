"""A cable that takes its time: what goes in at one end comes out at the other one so many milliseconds later, in order, both ways.

`python slow_cable.py ONE OTHER MILLISECONDS` makes two devices of these names, says so by a line, and carries frames between them until its
standard input ends.  The kernel's own `netem` is not everywhere.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import sys
from collections import deque
from time import monotonic

_SET_INTERFACE = 0x400454CA
_TAP, _NO_HEADER = 0x0002, 0x1000
_MOST_BYTES = 65536


def tap(name: str) -> int:
    """A network device whose frames are read and written here."""
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, _SET_INTERFACE, struct.pack("16sH", name.encode(), _TAP | _NO_HEADER))
    return file


def carry(ends: tuple[int, int], delay_s: float) -> None:
    """Until the standard input ends."""
    others = {ends[0]: ends[1], ends[1]: ends[0]}
    under_way: deque[tuple[float, int, bytes]] = deque()
    while True:
        wait = max(under_way[0][0] - monotonic(), 0) if under_way else None
        ready, _, _ = select.select([*ends, 0], [], [], wait)
        if 0 in ready:
            return
        now = monotonic()
        for end in ready:
            under_way.append((now + delay_s, others[end], os.read(end, _MOST_BYTES)))
        while under_way and under_way[0][0] <= now:
            _, end, frame = under_way.popleft()
            try:
                os.write(end, frame)
            except OSError:  # full, or not up yet: networks lose frames
                continue


if __name__ == "__main__":
    one, other, milliseconds = sys.argv[1:]
    both = tap(one), tap(other)
    print("ready", flush=True)
    carry(both, int(milliseconds) / 1000)
