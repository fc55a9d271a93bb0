"""What a worker process runs: queries, one after the other, each over snapshots that it reads itself."""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from types import FrameType

from ...compute.dense_keys import of_dense_keys
from ...compute.duck.evaluate import evaluate_by_duckdb, prepare
from ...compute.first_rows import of_first_rows
from ...compute.oneshot import evaluate_in_order
from ...compute.row_chain import evaluate_chain_of_rows
from ...expr.columns.value_size import limited_values
from ...expr.tree.relation import (
    Constant,
    Distinct,
    Filter,
    Get,
    GlobalId,
    Map,
    Project,
    Reduce,
    Relation,
    Union,
)
from ...expr.tree.relation_tree import walk
from ...interrupt import Interrupt, interruptible
from ...repr.batch import Delta
from ...repr.consolidate import consolidate_in_order
from ...repr.rows import Rows
from ..inputs import load_rows
from ..protocol import Message, PeekFailed, encode
from .answers import ANSWER, Start, answer, or_failure
from .pickled import Receiver
from .query import Query

PATIENCE_S = 0.1
"""When no query has come for so long, the process gets ready for one over many rows."""


class _Requested:
    """The interrupt of the query under way, which SIGUSR1 sets."""

    def __init__(self) -> None:
        self.interrupt = Interrupt()
        signal.signal(signal.SIGUSR1, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.interrupt.set()


def serve(stream: socket.socket) -> None:
    """Answers queries until the replica closes the socket.  Raises ConnectionError when it does so under way."""
    requested = _Requested()
    receiver = Receiver(stream)
    start = receiver.receive()
    if start is None:
        return
    assert isinstance(start, Start)
    os.environ.update(start.environment)
    if not select.select([stream], [], [], PATIENCE_S)[0]:
        prepare()
    while (query := receiver.receive()) is not None:
        assert isinstance(query, Query)
        requested.interrupt = Interrupt()
        with interruptible(requested.interrupt):
            for message in or_failure(query.peek_id, _answered(start, query)):
                last = isinstance(message, PeekFailed) or message.done
                pieces = encode(message)
                stream.sendall(ANSWER.pack(last, sum(map(len, pieces))))
                for piece in pieces:
                    stream.sendall(piece)
        del query


def _answered(start: Start, query: Query) -> Iterator[Message]:
    contents = {source.id: load_rows(start.blob, source, start.cache) for source in query.inputs}
    if (index := query.index) is not None:
        contents[index.id] = index.at(query.as_of)
    # A query over constants keeps to the limits that it has where cheap ones are computed.
    with limited_values() if not contents else nullcontext():
        result = _evaluated(query, contents)
    del contents
    if query.consolidated:
        result = Delta(consolidate_in_order(result.oks), result.errs)
    yield from answer(query.peek_id, query.relation.schema, result)


def _evaluated(query: Query, contents: Mapping[GlobalId, Rows]) -> Delta:
    relation, contents = of_first_rows(query.relation, contents)
    if relation is not query.relation:
        query = replace(query, relation=relation)
    chain = evaluate_chain_of_rows(query.relation, contents, query.as_of, query.limit)
    if chain is not None:
        return chain
    if sum(map(len, contents.values())) >= query.duckdb_min_rows:
        relation, computed = of_dense_keys(query.relation, contents)
        found = evaluate_chain_of_rows(relation, computed, query.as_of, query.limit)
        if found is None:
            found = evaluate_by_duckdb(relation, computed, query.as_of, query.limit)
        if found is not None:
            return found
    once = _looks_once(query.relation)
    inputs = {id_: rows.delta if once else rows.consolidated for id_, rows in contents.items()}
    found = evaluate_in_order(query.relation, inputs, query.as_of)
    return found if query.limit is None else Delta(found.oks.slice(0, query.limit), found.errs)


_ONCE = (Get, Constant, Map, Filter, Project, Reduce, Distinct, Union)


def _looks_once(relation: Relation) -> bool:
    """Whether every row is looked at a fixed number of times, so that it costs less to look at equal rows each by itself
    than to find them.  A join makes pairs of them."""
    return all(isinstance(node, _ONCE) for node in walk(relation))
