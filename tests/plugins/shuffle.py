"""Random orders: `--shuffle 7` draws one from the seed 7, `--shuffle new` from a new one, which the run shows at its
head and at its end.

Files change places, and the functions and classes within a file.  The tests of a class keep their order: a class may
be a story.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import groupby
from random import Random, SystemRandom
from typing import Any

import pytest

NEW = "new"
SEED = "shuffle"
"""What the seed is called among the inputs of a worker process."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("shuffle").addoption(
        "--shuffle", metavar="SEED", help=f"run the tests in the random order of a seed, or of a `{NEW}` one"
    )


def pytest_configure(config: pytest.Config) -> None:
    if (given := getattr(config, "workerinput", None)) is not None:
        config.option.shuffle = given[SEED]
    elif config.option.shuffle == NEW:
        config.option.shuffle = str(SystemRandom().randrange(1_000_000))


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """A worker process reads the command line anew: of `new` it would draw a seed of its own."""
    node.workerinput[SEED] = node.config.option.shuffle


def shown(config: pytest.Config) -> str | None:
    seed = config.option.shuffle
    return None if seed is None else f"random order: again with --shuffle {seed}"


def pytest_report_header(config: pytest.Config) -> str | None:
    return shown(config)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if line := shown(terminalreporter.config):
        terminalreporter.line(line)


def shuffled(nodeids: Iterable[str], random: Random) -> list[str]:
    """The tests with files, and functions and classes within files, in another order."""

    def blocks(of: Iterable[str], key: Callable[[str], Hashable]) -> list[list[str]]:
        found = [list(block) for _, block in groupby(of, key)]
        random.shuffle(found)
        return found

    files = blocks(nodeids, lambda nodeid: nodeid.partition("::")[0])
    return [
        nodeid
        for file in files
        # A function by its whole id: its cases change places, too.
        for block in blocks(
            file, lambda nodeid: nodeid.rpartition("::")[0] if nodeid.count("::") > 1 else nodeid
        )
        for nodeid in block
    ]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.shuffle is not None:
        by_id = {item.nodeid: item for item in items}
        items[:] = [by_id[nodeid] for nodeid in shuffled(by_id, Random(config.option.shuffle))]
