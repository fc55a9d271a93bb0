"""How deeply plans may nest, and the room for recursion that goes with it.

Whatever looks at a plan recurses: planning, rules, lowering, evaluation, the encoding of messages and of the catalog.
Python allows 1,000 frames, which some of these reach long before others, so that what was planned could not be sent.
So there is one limit, of levels, at the end of planning (`sql/plan.py`), and each process that handles plans makes room for
FRAMES, in which everything holds at that depth: encoding takes most, 4 frames a level.
"""

from __future__ import annotations

import sys
import threading

MOST_LEVELS = 800
"""Relations and expressions, from the top of a plan to its deepest leaf."""
FRAMES = 4_000
STACK_BYTES = 16 << 20
"""Of each thread.  5,000 frames fit in it whatever they go through: tuples, `map`, `sorted`, `repr`, pickle, hashes.  Only what is used of it is
memory."""


def allow_deep_plans() -> None:
    """To be called where a process begins: threads that are there already keep their stacks."""
    sys.setrecursionlimit(FRAMES)
    threading.stack_size(STACK_BYTES)
