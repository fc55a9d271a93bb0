"""`python hostile_bytes.py COUNT SEED` decodes so many broken messages, and says how many were messages still, how many were not, and by how many bytes
the process has grown.

Each is of a random object of the vocabulary, and then some bits are turned, some of it is missing or twice, numbers in it are changed, or a
value stands where another was.  Whatever the process would do but compute ends it.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from random import Random
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from ptvc.memory import resident_memory
from ptvc.replica.protocol import ProtocolError
from ptvc.replica.protocol.codec import decode, encode
from ptvc.replica.protocol.forms import class_form
from ptvc.replica.protocol.vocabulary import classes

from replica.protocol.values import draw_object

WARM = 500
STRANGE: tuple[Any, ...] = (
    None, True, 0, -1, 1, 10**20, 1.5, "x", "__reduce__", [], [[]], ["tuple", 1], ["object", 0], ["object", 10**9],
    ["bytes", 0], ["decimal", "x"], ["dict", [], 1], {"at": 0}, {"at": "x"}, {"x": 1},
)  # fmt: skip


def broken(random: Random, made: list[bytes]) -> bytes:
    data = bytearray(random.choice(made))
    match random.randrange(6):
        case 0:
            for _ in range(random.randint(1, 8)):
                data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        case 1:
            del data[random.randrange(len(data)) :]
        case 2:
            at = random.randrange(len(data))
            data[at:at] = data[random.randrange(len(data)) :][:100]
        case 3:
            struct.pack_into(">I", data, random.choice((0, 4)), random.choice((0, 1, 2**31, 2**32 - 1)))
        case 4:
            return random.randbytes(random.randrange(200))
        case _:
            return changed(random, bytes(data))
    return bytes(data)


def changed(random: Random, data: bytes) -> bytes:
    """Its JSON is good, but says something else."""
    size, count = struct.unpack_from(">II", data)
    start = 8 + 4 * count
    rows = json.loads(data[start : start + size])
    row = random.choice(rows)
    place = random.randrange(len(row))
    row[place] = random.choice(STRANGE)
    text = json.dumps(rows).encode()
    return struct.pack(">I", len(text)) + data[4:start] + text + data[start + size :]


def main(count: int, seed: int) -> None:
    random = Random(seed)
    vocabulary = classes()
    for cls in vocabulary:
        class_form(cls)
    made = [b"".join(encode(draw_object(random.choice(vocabulary), random))) for _ in range(WARM)]
    made = [data for data in made if len(data) < 10_000]
    tried = {True: 0, False: 0}

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if watching and event.split(".")[0] in (
            "exec",
            "compile",
            "open",
            "import",
            "os",
            "subprocess",
            "socket",
            "ctypes",
        ):
            raise SystemExit(f"decoding has done this: {event} {args}")

    watching = False
    sys.addaudithook(watch)
    before = 0
    for number in range(count):
        if number == WARM:
            before = resident_memory() or 0
        data = broken(random, made)
        watching = True
        try:
            decode(data)
            tried[True] += 1
        except ProtocolError:
            tried[False] += 1
        finally:
            watching = False
    print(tried[True], tried[False], (resident_memory() or 0) - before)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
