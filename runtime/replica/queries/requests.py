"""What the fork server is asked, and how that crosses its socket: one request at a time, then its response."""

from __future__ import annotations

import struct

REQUEST = struct.Struct("=bq")
"""What is asked, and of which process; FORK and FORK_MEMBER come with the socket of the new process."""

RESPONSE = struct.Struct("=q")
"""The number of the new process; the wait status of one that was awaited, UNKNOWN if it is no child."""

FORK, END, AWAIT, FORK_MEMBER = 1, 2, 3, 4
"""A query worker is forked, or a member of the replica's workers (`replica.workers`)."""

UNKNOWN = -1
