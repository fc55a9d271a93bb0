"""The vocabulary is what messages are made of: all of that, and nothing else."""

from __future__ import annotations

import enum
import inspect
import types
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from ptvc.expr.tree.relation import Changes
from ptvc.replica.protocol import (
    ProtocolError,
    addresses,
    commits,
    connectors,
    dataflows,
    jobs,
    peek_messages,
    processes,
    subscriptions,
)
from ptvc.replica.protocol.forms import class_form
from ptvc.replica.protocol.vocabulary import class_of, classes, number_of
from ptvc.storage.source.file_shares import Extent
from ptvc.storage.source.s3.bucket import Found

MESSAGES = (addresses, commits, connectors, dataflows, jobs, peek_messages, processes, subscriptions)


def leaves(annotation: Any) -> set[Any]:
    if get_origin(annotation) is None or annotation is Union or isinstance(annotation, types.NoneType):
        return {annotation}
    return {leaf for arg in get_args(annotation) if arg is not ... for leaf in leaves(arg)}


def reached() -> set[Any]:
    found: set[Any] = set()
    todo = [
        cls
        for module in MESSAGES
        for _, cls in inspect.getmembers(module, is_dataclass)
        if cls.__module__ == module.__name__
    ]
    while todo:
        cls = todo.pop()
        if cls in found:
            continue
        found.add(cls)
        for annotation in get_type_hints(cls, localns={}).values():
            todo += [
                leaf
                for leaf in leaves(annotation)
                if isinstance(leaf, type)
                and leaf.__module__.startswith("ptvc.")
                and not issubclass(leaf, enum.Enum | Path)
            ]
    return found


def test_it_is_what_can_be_reached_from_messages() -> None:
    # Which is a Get, too; and what shares of files and of S3 are of, whose field may hold any of these.
    assert set(classes()) == reached() | {Changes, Extent, Found}
    assert len(set(classes())) == len(classes())


def test_every_class_has_a_form_and_its_number() -> None:
    for number, cls in enumerate(classes()):
        assert class_form(cls).cls is cls
        assert number_of(cls) == number
        assert class_of(number) is cls


@pytest.mark.parametrize("number", [-1, 1_000, 2**70])
def test_no_other_class_has_a_number(number: int) -> None:
    with pytest.raises(ProtocolError, match="no class"):
        class_of(number)
    with pytest.raises(TypeError, match="Path is not in the vocabulary"):
        number_of(Path)
