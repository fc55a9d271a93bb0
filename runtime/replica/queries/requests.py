"""What the fork server is asked, and how that crosses its socket: one request at a time, then its response."""

from __future__ import annotations

import struct

REQUEST = struct.Struct("=bq")
"""What is asked, and of which process; FORK comes with the socket of the new worker."""

RESPONSE = struct.Struct("=q")
"""The number of the new process; the wait status of one that was awaited, UNKNOWN if it is no child."""

FORK, END, AWAIT = 1, 2, 3
UNKNOWN = -1
