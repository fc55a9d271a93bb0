"""Sets of GTIDs of MySQL, against sets of Python's."""

from __future__ import annotations

import struct
from random import Random
from uuid import UUID

import pytest
from ptvc.errors import StorageError, Unsupported
from ptvc.storage.source.mysql.gtid_set import GtidSet, Transaction

A, B = "1eef6886-e592-11e4-a12f-84a6c8c6729e", "3e11fa47-71ca-11e1-9e33-c80aa9429562"


def test_it_is_read_and_written_as_mysql_does() -> None:
    found = GtidSet.of(f"{B.upper()}:1-3:11:47-49,\n{A}:7, {B}:4-10")
    assert found.text == f"{A}:7,{B}:1-11:47-49"
    assert GtidSet.of(found.text) == found
    assert GtidSet.of("").text == ""
    assert not GtidSet.of("")
    assert Transaction.of(f"{A}:7") in found
    assert Transaction(A, 8) not in found
    assert Transaction(A, 7).text == f"{A}:7"


def test_it_is_sent_with_ends_behind_the_last_number() -> None:
    sent = GtidSet.of(f"{A}:1-3:7,{B}:5").encoded()
    of_a = UUID(A).bytes + struct.pack("<QQQQQ", 2, 1, 4, 7, 8)
    assert sent == struct.pack("<Q", 2) + of_a + UUID(B).bytes + struct.pack("<QQQ", 1, 5, 6)


@pytest.mark.parametrize("text", ["0-1-5", "x:1", f"{A}:1-x", f"{A}:"])
def test_what_is_no_set_is_refused(text: str) -> None:
    with pytest.raises(StorageError, match="is no set of GTIDs"):
        GtidSet.of(text)


def test_tags_are_refused() -> None:
    with pytest.raises(Unsupported, match="whose GTIDs have tags"):
        GtidSet.of(f"{A}:1-3:tag_1:1-2")


@pytest.mark.parametrize("seed", range(20))
def test_it_is_a_set(seed: int) -> None:
    random = Random(seed)
    made, other = GtidSet(), GtidSet()
    ours: set[Transaction] = set()
    theirs: set[Transaction] = set()
    for _ in range(200):
        one = Transaction(random.choice((A, B)), random.randrange(1, 40))
        if random.random() < 0.3 and one in ours:
            made.remove(one)
            ours.discard(one)
        elif random.random() < 0.5:
            made.add(one)
            ours.add(one)
        else:
            other.add(one)
            theirs.add(one)
        assert all((one in made) == (one in ours) for one in theirs)
        assert made.covers(other) == (theirs <= ours)
        assert GtidSet.of(made.text) == made
        assert {
            Transaction(source, number)
            for source, low, high in made.without(other)
            for number in range(low, high + 1)
        } == ours - theirs
    kept = made.copy()
    kept.add(Transaction(A, 100))
    assert Transaction(A, 100) not in made
