"""A replica whose workers are on two machines: its views are what their queries say, whatever of it goes."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from random import Random
from threading import Event

import pytest
from servers.standalone_spark import executors

from .spread import Spread

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

CUT_S = 15.0


def test_a_member_on_the_other_machine_is_killed(spread: Spread) -> None:
    random = Random(1)
    _, (_, member) = spread.both()
    os.kill(member, signal.SIGKILL)
    spread.change(random)
    spread.check()
    assert spread.both()[1][1] != member


def test_executors_are_killed(spread: Spread) -> None:
    """That of the leader, and that of the other."""
    random = Random(2)
    for number in (0, 1):
        node, _ = spread.both()[number]
        for pid in executors(node):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        spread.change(random)
        spread.check()


def test_a_link_between_them_is_cut(spread: Spread) -> None:
    """Nobody is told: the workers fall silent for each other."""
    random = Random(3)
    _, (node, member) = spread.both()
    node.cut()
    try:
        spread.change(random)
        Event().wait(CUT_S)
    finally:
        node.mend()
    spread.change(random)
    spread.check()
    assert spread.both()[1][1] != member


def test_a_machine_is_replaced(spread: Spread) -> None:
    """The other one, and then the leader's: by one with empty folders."""
    random = Random(4)
    for number in (1, 0):
        node, _ = spread.both()[number]
        spread.cluster.network.lose(node)
        spread.change(random)
        spread.cluster.complete()
        spread.check()
        spread.both()
