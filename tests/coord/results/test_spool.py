"""What waits for slow clients comes out in order, and takes little memory meanwhile."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Coroutine
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from ptvc.coord.controller.answers import Answers
from ptvc.coord.results.spool import PIECE_ROWS, KeptRows, Spool
from ptvc.errors import DiskFull, PtvcError, StorageError
from ptvc.replica.protocol import PeekRows


def run(test: Coroutine[None, None, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 60))


@pytest.mark.parametrize("seed", range(10))
def test_first_in_first_out(tmp_path: Path, seed: int) -> None:
    async def test() -> None:
        random = Random(seed)
        spool, waiting = Spool(tmp_path / "new", 1_000), list[bytes]()
        for _ in range(200):
            if random.random() < 0.55:
                piece = random.randbytes(random.choice((0, 1, 10, 300, 999, 1_000, 1_001, 5_000)))
                await spool.push(piece)
                waiting.append(piece)
            else:
                assert await spool.pop() == (waiting.pop(0) if waiting else None)
            assert spool.in_memory <= 1_000
        while waiting:
            assert await spool.pop() == waiting.pop(0)
        assert await spool.pop() is None
        spool.close()
        assert list((tmp_path / "new").iterdir()) == []  # the file has no name

    run(test())


def test_the_file_begins_anew_when_it_was_read(tmp_path: Path) -> None:
    async def test() -> None:
        spool = Spool(tmp_path, 0)
        for _ in range(20):
            for _ in range(3):
                await spool.push(b"x" * 1_000)
            while await spool.pop() is not None:
                pass
        assert spool._file is not None
        assert spool._file.seek(0, 2) == 0
        spool.close()
        spool.close()

    run(test())


def test_a_disk_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test(number: int, error: type[PtvcError]) -> None:
        def fail(*_: Any) -> int:
            raise OSError(number, "no")

        monkeypatch.setattr("ptvc.coord.results.spool.os.pwrite", fail)
        spool = Spool(tmp_path, 10)
        await spool.push(b"fits")
        with pytest.raises(error):
            await spool.push(b"does not fit")
        assert await spool.pop() == b"fits"
        spool.close()

    run(test(28, DiskFull))
    run(test(5, StorageError))


def test_a_slow_disk_holds_up_who_waits_for_it_and_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One who is cancelled or closes the spool meanwhile goes on at once; the file is closed when nothing writes it any more."""
    may_write, writing, pwrite = threading.Event(), threading.Event(), os.pwrite

    def slow(descriptor: int, data: bytes | memoryview, offset: int) -> int:
        writing.set()
        assert may_write.wait(60)
        return pwrite(descriptor, data, offset)

    monkeypatch.setattr("ptvc.coord.results.spool.os.pwrite", slow)

    async def test() -> None:
        spool = Spool(tmp_path, 0)
        first = asyncio.ensure_future(spool.push(b"first"))
        assert await asyncio.to_thread(writing.wait, 60)
        second = asyncio.ensure_future(spool.push(b"second"))
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        file = spool._file
        assert file is not None
        spool.close()
        assert not file.closed
        may_write.set()
        await second
        assert file.closed
        assert spool._file is None

    run(test())


def chunk(start: int, count: int) -> tuple[pa.Array, ...]:
    numbers = range(start, start + count)
    return pa.array(numbers, pa.int64()), pa.array([None if n % 7 == 0 else f"row {n}" for n in numbers])


@pytest.mark.parametrize("seed", range(5))
def test_rows_come_out_as_they_went_in(tmp_path: Path, seed: int) -> None:
    async def test() -> None:
        random = Random(seed)
        kept = KeptRows(tmp_path, 2_000)
        written = taken = 0
        while taken < 3_000:
            if written < 3_000 and random.random() < 0.5:
                count = min(random.choice((1, 20, 400)), 3_000 - written)
                await kept.push(chunk(written, count))
                written += count
            elif (found := await kept.pop()) is not None:
                keep = random.randint(1, len(found[0]))
                if keep < len(found[0]):
                    kept.put_back(tuple(column.slice(keep) for column in found))
                found = tuple(column.slice(0, keep) for column in found)
                assert [c.to_pylist() for c in found] == [c.to_pylist() for c in chunk(taken, keep)]
                taken += keep
        assert await kept.pop() is None
        assert kept.in_memory == 0
        kept.close()

    run(test())


def test_a_large_chunk_is_let_go_of(tmp_path: Path) -> None:
    async def test() -> None:
        kept = KeptRows(tmp_path, 1_000)
        assert await kept.push(chunk(0, 3))
        assert not await kept.push((pa.array(range(200_000), pa.int64()),))
        assert kept.in_memory < 1_000
        assert await kept.pop() is not None
        sizes = []
        while (found := await kept.pop()) is not None:
            sizes.append(len(found[0]))
        assert sum(sizes) == 200_000
        assert max(sizes) <= PIECE_ROWS
        kept.close()

    run(test())


def test_answers_of_a_replica(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        answers = Answers(tmp_path)
        await answers.put(PeekRows(7, b"one", False))
        await answers.put(PeekRows(7, b"two", True))
        assert [await answers.get(), await answers.get()] == [
            PeekRows(7, b"one", False),
            PeekRows(7, b"two", True),
        ]

        def fail(*_: Any) -> int:
            raise OSError(28, "no space")

        monkeypatch.setattr("ptvc.coord.results.spool.os.pwrite", fail)
        monkeypatch.setattr(answers._payloads, "_most", 0)
        await answers.put(PeekRows(7, b"three", False))
        await answers.put(PeekRows(7, b"four", True))  # nobody is told what comes after a gap
        failure = await answers.get()
        assert isinstance(failure, PtvcError)
        assert failure.sqlstate == "53100"
        assert answers._arrived.empty()
        answers.close()

    run(test())


def test_a_disk_that_takes_a_part_of_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where little room is left the system writes less than it was given; then it refuses, and what was kept is whole."""
    pwrite, room = os.pwrite, [10]

    def little(descriptor: int, data: bytes | memoryview, offset: int) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = pwrite(descriptor, bytes(data[: min(3, room[0])]), offset)
        room[0] -= written
        return written

    monkeypatch.setattr(os, "pwrite", little)

    async def test() -> None:
        spool = Spool(tmp_path, 0)
        await spool.push(b"abcdefgh")
        with pytest.raises(DiskFull) as refused:
            await spool.push(b"ijkl")
        assert refused.value.sqlstate == "53100"
        room[0] = 10
        await spool.push(b"mnop")
        assert [await spool.pop(), await spool.pop(), await spool.pop()] == [b"abcdefgh", b"mnop", None]
        spool.close()

    run(test())
