"""Environments of each pair of stores, and places for backups, for the tests of backups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from backup_support import World
from ptvc.backup.place import Place, open_place, place_url
from ptvc.persist.location import Location
from servers.postgres_stores import fresh_schema


@pytest.fixture
def location(request: pytest.FixtureRequest) -> Iterator[Callable[[str, str], Location]]:
    """Makes the location of stores that are not there yet."""
    with ExitStack() as stack:

        def make(consensus: str, blob: str) -> Location:
            place = Location()
            if consensus == "postgres":
                url = stack.enter_context(fresh_schema(request.getfixturevalue("oracle_uri")))
                place = Location(url, place.blob)
            if blob == "s3":
                server = request.getfixturevalue("s3")
                place = Location(place.consensus, server.url(server.bucket(), "some/where"))
            return place

        yield make


@pytest.fixture
def world(tmp_path: Path, location: Callable[[str, str], Location]) -> Iterator[World]:
    """Of files."""
    with World.open(tmp_path / "environment", location("sqlite", "file")) as world:
        yield world


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return open_place(place_url(str(tmp_path / "backups")))
