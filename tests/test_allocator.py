"""What is freed goes back to the system."""

from __future__ import annotations

import subprocess
import sys

BURST = """
import sys, threading
import numpy as np, pyarrow as pa
from ptvc.memory import resident_memory
if sys.argv[1] == "return":
    from ptvc.allocator import return_what_is_freed
    return_what_is_freed()

def work():
    kept = [pa.array(np.arange(400_000)).cast(pa.string()) for _ in range(8)]
    kept += [np.arange(400_000) for _ in range(8)]

work()
before = resident_memory()
for _ in range(4):
    threads = [threading.Thread(target=work) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
print(pa.default_memory_pool().backend_name, resident_memory() - before)
"""


def left(how: str) -> tuple[str, int]:
    done = subprocess.run(
        [sys.executable, "-c", BURST, how], capture_output=True, text=True, timeout=120, check=True
    )
    name, nbytes = done.stdout.split()
    return name, int(nbytes)


def test_little_is_left_after_a_burst() -> None:
    name, nbytes = left("return")
    assert name == "system"
    assert nbytes < 16 << 20
    assert left("keep")[1] > 2 * nbytes
