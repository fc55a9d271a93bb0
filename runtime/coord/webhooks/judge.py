"""Requests to rows: who may post, what was posted before, what the bodies say.

A pure function of the requests, of the source's options and of the keys that it knows; a request that is refused changes nothing
for the others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ...errors import PtvcError
from ...expr.datetimes.datetime_input import InputError
from ...expr.evaluate import evaluate_predicates
from ...expr.jsonb.canonical import SPACE, canonical
from ...expr.jsonb.document import encode, in_order, parse
from ...expr.tree.relation import GlobalId
from ...expr.tree.scalar import Literal, PerExecution, Scalar, transform
from ...repr.batch import Batch
from ...repr.types import TIMESTAMPTZ
from ...storage.changes import Changes
from ...storage.row_filter import RowFilter, kept_changes
from ...storage.source.webhook import BodyFormat, Check, CheckInput, HeaderColumn, InputKind, WebhookOptions
from .delivery import Delivery, Refused, defect, malformed, unauthorized
from .key_window import MOST_BYTES, digest

logger = logging.getLogger(__name__)

Values = list[str] | list[bytes]

MOST_WRITTEN = 16 << 20
"""Characters of the documents of a body: `1e100000` has eight, and is written out as a hundred thousand."""


@dataclass(slots=True)
class Judged:
    """Of n requests: `refused` says why some are not taken, `repeats` are those whose key came before.  `rows` are of all others;
    `keys` are new, with the digests of their bodies.  `left_out` counts rows that WHERE does not keep."""

    refused: dict[int, Refused] = field(default_factory=dict)
    repeats: set[int] = field(default_factory=set)
    keys: dict[str, bytes] = field(default_factory=dict)
    rows: Batch | None = None
    left_out: int = 0


def judge(
    options: WebhookOptions,
    deliveries: Sequence[Delivery],
    secrets: Mapping[GlobalId, bytes],
    known: Callable[[str], bytes | None],
    now: datetime,
) -> Judged:
    """`known` gives the digest of the body that came with a key, None of a new one."""
    judged = Judged()
    if options.check is not None:
        _check(options.check, deliveries, secrets, now, judged)
    _rows(options, deliveries, lambda key: judged.keys.get(key) or known(key), judged)
    if options.where is not None and judged.rows is not None:
        _filter(options.where, judged.rows, judged)
    return judged


def judge_each(
    options: WebhookOptions,
    deliveries: Sequence[Delivery],
    secrets: Mapping[GlobalId, bytes],
    known: Callable[[str], bytes | None],
    now: datetime,
) -> list[Judged]:
    """As `judge` of each request by itself, in order: where one of them makes the whole fail, the others are not concerned."""
    found = []
    seen: dict[str, bytes] = {}
    for delivery in deliveries:
        try:
            judged = judge(options, [delivery], secrets, lambda key: seen.get(key) or known(key), now)
        except PtvcError as error:
            judged = Judged({0: malformed(error.message, error.sqlstate)})
        except Exception:  # a defect that this request has found
            logger.exception("a webhook request has failed")
            judged = Judged({0: defect()})
        seen.update(judged.keys)
        found.append(judged)
    return found


# --- who may post ---


def _check(
    check: Check,
    deliveries: Sequence[Delivery],
    secrets: Mapping[GlobalId, bytes],
    now: datetime,
    judged: Judged,
) -> None:
    columns = tuple(_input(given, deliveries, secrets) for given in check.inputs)
    predicate = transform(check.predicate, partial(_at, now=now))
    passed, _ = evaluate_predicates([predicate], columns, len(deliveries))
    judged.refused.update((int(place), unauthorized()) for place in np.flatnonzero(~passed))


def _at(node: Scalar, now: datetime) -> Scalar:
    return Literal(now, TIMESTAMPTZ) if isinstance(node, PerExecution) else node


def _input(given: CheckInput, deliveries: Sequence[Delivery], secrets: Mapping[GlobalId, bytes]) -> pa.Array:
    """What the check sees.  What is no text is NULL there, a header that is none, or that came twice, is not in the map."""
    values: list[Any]
    match given.kind:
        case InputKind.HEADERS:
            values = [sorted(_unambiguous(delivery, given.binary).items()) for delivery in deliveries]
        case InputKind.BODY:
            values = [_value(delivery.body, given.binary) for delivery in deliveries]
        case InputKind.SECRET:
            assert given.secret is not None
            values = [_value(secrets[given.secret], given.binary)] * len(deliveries)
    return pa.array(values, given.type.arrow)


def _unambiguous(delivery: Delivery, binary: bool) -> dict[str, str | bytes]:
    found: dict[str, str | bytes | None] = {}
    for name, value in delivery.headers:
        found[name] = None if name in found else _value(value, binary)
    return {name: value for name, value in found.items() if value is not None}


def _value(data: bytes, binary: bool) -> str | bytes | None:
    if binary:
        return data
    try:
        return _text(data, "")
    except Refused:
        return None


def _text(data: bytes, what: str) -> str:
    """Raises Refused for what is no text in SQL."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise malformed(f"{what} is not UTF-8", "22021") from None
    if "\0" in text:
        raise malformed(f"{what} has a NUL in it", "22021")
    return text


# --- what is kept ---


def _filter(where: RowFilter, rows: Batch, judged: Judged) -> None:
    """Raises PtvcError where the condition fails on a row: whoever has posted it is told."""
    kept = kept_changes(where, Changes(rows.columns, rows.diffs))
    if len(kept.errs):
        sqlstate, message = (column[0].as_py() for column in kept.errs.columns)
        raise PtvcError(message, sqlstate=sqlstate)
    judged.rows = kept.oks.at(0) if len(kept.oks) else None
    judged.left_out = kept.left_out


# --- what was posted before ---


@dataclass(frozen=True, slots=True)
class _Key:
    """Of one request; `repeated`: it came before, with the same body."""

    name: str
    digest: bytes
    repeated: bool


def _key(header: str | None, delivery: Delivery, known: Callable[[str], bytes | None]) -> _Key | None:
    """None of a request without one.  Raises Refused."""
    value = None if header is None else _sole(delivery, header)
    if header is None or value is None:
        return None
    if len(value) > MOST_BYTES:
        raise malformed(f'header "{header}" has more than {MOST_BYTES} bytes', "22001")
    name, found = _text(value, f'header "{header}"'), digest(delivery.body)
    before = known(name)
    if before is not None and before != found:
        raise Refused(422, f'the value of header "{header}" came before, with another body', "22023")
    return _Key(name, found, before is not None)


def _sole(delivery: Delivery, header: str) -> bytes | None:
    values = delivery.values(header)
    if len(values) > 1:
        raise malformed(f'header "{header}" is given more than once', "22023")
    return values[0] if values else None


# --- what it says ---


def _rows(
    options: WebhookOptions,
    deliveries: Sequence[Delivery],
    known: Callable[[str], bytes | None],
    judged: Judged,
) -> None:
    """Of those that passed the check, in their order: a key is known to those behind it once its request is taken."""
    bodies: list[Values] = []
    headers: list[list[tuple[str, str]]] = []
    columns: list[list[str | bytes | None]] = []
    for place, delivery in enumerate(deliveries):
        if place in judged.refused:
            continue
        try:
            key = _key(options.key_header, delivery, known)
            if key is not None and key.repeated:
                judged.repeats.add(place)
                continue
            included = _included(options, delivery)
            own = [_header(delivery, column) for column in options.columns]
            bodies.append(_bodies(options, delivery.body))
        except InputError as error:
            judged.refused[place] = malformed(error.message, error.sqlstate)
        except Refused as refused:
            judged.refused[place] = refused
        else:
            headers.append(included)
            columns.append(own)
            if key is not None:
                judged.keys[key.name] = key.digest
    counts = np.array([len(rows) for rows in bodies], np.int64)
    total = int(counts.sum())
    if not total:
        return
    owners = pa.array(np.repeat(np.arange(len(counts)), counts))
    types = [column.type.arrow for column in options.schema]
    beside = [] if options.headers is None else [pa.array(headers, types[1])]
    for place, values in enumerate(zip(*columns, strict=True)):
        beside.append(pa.array(values, types[len(types) - len(options.columns) + place]))
    body = pa.array(list(chain.from_iterable(bodies)), types[0])
    judged.rows = Batch(
        (body, *(values.take(owners) for values in beside)),
        np.zeros(total, np.uint64),
        np.ones(total, np.int64),
    )


def _included(options: WebhookOptions, delivery: Delivery) -> list[tuple[str, str]]:
    """The entries of the map of headers, in order of their names."""
    if options.headers is None:
        return []
    found: dict[str, str] = {}
    for name, value in delivery.headers:
        if options.headers.takes(name):
            if name in found:
                raise malformed(f'header "{name}" is given more than once', "22023")
            found[name] = _text(value, f'header "{name}"')
    return sorted(found.items())


def _header(delivery: Delivery, column: HeaderColumn) -> str | bytes | None:
    value = _sole(delivery, column.header)
    if value is None or column.binary:
        return value
    return _text(value, f'header "{column.header}"')


def _bodies(options: WebhookOptions, body: bytes) -> Values:
    """The values of the rows that a body makes."""
    match options.format:
        case BodyFormat.BYTES:
            return [body]
        case BodyFormat.TEXT:
            return [_text(body, "the body")]
        case BodyFormat.JSON:
            text = _text(body, "the body")
            documents = _elements(text) if options.array else _documents(text)
            if sum(map(len, documents)) > MOST_WRITTEN:
                raise malformed("the numbers of the body are too long when they are written out", "54000")
            return documents


def _elements(text: str) -> list[str]:
    document = parse(text)
    elements = document if isinstance(document, list) else [document]
    return [encode(in_order(element)) for element in elements]


def _documents(text: str) -> list[str]:
    """One, or one in each line.  Lines end in LF: what else may separate lines of text stands in strings of JSON as it is."""
    try:
        return [canonical(text)]
    except InputError:
        lines = [line for line in text.split("\n") if line.strip(SPACE)]
        if len(lines) < 2:
            raise
        return [canonical(line) for line in lines]
