"""Messages become records: the columns of a source, and errors that name topic, partition and offset.

| message, with ENVELOPE UPSERT | is |
|---|---|
| with a value | the row of its key |
| without a value | a delete marker |
| without a key | an error, which one without key and value takes back |

A value may be a change event, which says itself whether there is a row of its key.  With ENVELOPE NONE a message is a row, and one without a value an error.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....errors import Unsupported
from ....repr.batch import Indices, Mask
from ....repr.buffers import present
from ....repr.schema import Schema
from ....repr.types import UINT8
from ...debezium.contract import EventFormat
from ...decode import WHOLE_RECORD, Decoded, ErrorList
from ...formats.contract import DecodedPayloads, PayloadFormat
from .headers import header_maps, header_values, with_schema_ids
from .messages import Messages
from .options import KafkaOptions, MessageColumn, Part

KEY_SCHEMA_ID, VALUE_SCHEMA_ID = "__key_schema_id", "__value_schema_id"
"""Headers in which Confluent's serializers may leave the ids of schemas, in place of the first bytes of keys and values."""


class Records:
    """`upsert`: messages are rows by key."""

    def __init__(
        self,
        options: KafkaOptions,
        schema: Schema,
        value: EventFormat,
        key: PayloadFormat | None,
        *,
        upsert: bool,
    ) -> None:
        if len(options.columns) != len(schema):
            raise Unsupported("the source has other columns than its messages give")
        if upsert and key is None:
            raise Unsupported(
                "ENVELOPE UPSERT needs a key", hint="Say what keys are: KEY FORMAT ... VALUE FORMAT ..."
            )
        self._options = options
        self._schema = schema
        self._value, self._key = value, key
        self._upsert = upsert
        self._places = {
            part: {c.index: place for place, c in enumerate(options.columns) if c.part is part}
            for part in (Part.KEY, Part.VALUE)
        }
        self._error_place = next(
            (place for place, c in enumerate(options.columns) if c.part is Part.ERROR), None
        )
        self._beside_key = next(place for place, c in enumerate(options.columns) if c.part is not Part.KEY)

    def decode(self, messages: Messages) -> Decoded:
        count = len(messages)
        errors = _Errors(self._schema, self._options.topic, messages)
        messages = self._behind_ids(messages)
        with_value = _valid(messages.values)
        value, with_row = self._rows(messages.values, with_value)
        key = None
        with_key = np.ones(count, np.bool_)
        if self._key is not None:
            with_key = _valid(messages.keys)
            key = self._payloads(self._key.decode, messages.keys, with_key)
            self._report(errors, Part.KEY, key, np.flatnonzero(with_key), "the key: ")
        texts = self._inline(errors, value, np.flatnonzero(with_value), count)
        if self._upsert:
            for row in np.flatnonzero(~with_key & with_value).tolist():
                # Not of a column of the key: so it is that of the key NULL, and goes when that goes.
                errors.add(row, self._beside_key, "23502", "the message has no key")
        else:
            for row in np.flatnonzero(~with_value).tolist():
                errors.add(row, WHOLE_RECORD, "23502", "the message has no value")
        columns = [
            self._column(errors, place, column, messages, value, key, texts)
            for place, column in enumerate(self._options.columns)
        ]
        present = with_row if self._upsert else np.ones(count, np.bool_)
        self._check_not_null(errors, columns, with_key, with_row)
        return Decoded(tuple(columns), messages.offsets, present, errors.finish())

    def _behind_ids(self, messages: Messages) -> Messages:
        """Keys and values that are decoded by a registry's schemas begin with the ids of these."""
        options, headers = self._options, messages.headers
        keys, values = messages.keys, messages.values
        if options.key is not None and options.key.connection is not None:
            keys = with_schema_ids(keys, headers, KEY_SCHEMA_ID)
        if options.value.connection is not None:
            values = with_schema_ids(values, headers, VALUE_SCHEMA_ID)
        return replace(messages, keys=keys, values=values)

    def _rows(self, payloads: pa.LargeBinaryArray, valid: Mask) -> tuple[DecodedPayloads, Mask]:
        """As `_payloads`, and which messages have a row, or should have had one."""
        found: list[Mask] = []

        def decode(given: pa.LargeBinaryArray) -> DecodedPayloads:
            events = self._value.decode(given)
            found.append(events.present)
            return events.payloads

        decoded = self._payloads(decode, payloads, valid)
        present = valid.copy()
        present[valid] = found[0]
        present[np.flatnonzero(valid)[decoded.errors.rows]] = True
        return decoded, present

    def _payloads(
        self,
        decode: Callable[[pa.LargeBinaryArray], DecodedPayloads],
        payloads: pa.LargeBinaryArray,
        valid: Mask,
    ) -> DecodedPayloads:
        """Columns as long as `payloads`, NULL where there is none; errors are of those that there are."""
        if valid.all():
            return decode(payloads)
        decoded = decode(payloads.drop_null())
        places = np.cumsum(valid) - 1
        index = pa.array(places, mask=~valid)
        return DecodedPayloads(tuple(column.take(index) for column in decoded.columns), decoded.errors)

    def _report(
        self, errors: ErrorList, part: Part, decoded: DecodedPayloads, rows: Indices, label: str
    ) -> None:
        """Errors of a format as errors of the record: of whole payloads by the first column of theirs."""
        found, places = decoded.errors, self._places[part]
        first = min(places.values(), default=WHOLE_RECORD)
        for row, column, sqlstate, reason in zip(
            rows[found.rows].tolist(),
            found.columns.tolist(),
            found.sqlstates.to_pylist(),
            found.reasons.to_pylist(),
            strict=True,
        ):
            whole = column == WHOLE_RECORD
            errors.add(
                row,
                first if whole else places.get(column, first),
                sqlstate,
                (label if whole else "") + reason,
            )

    def _inline(self, errors: ErrorList, value: DecodedPayloads, rows: Indices, count: int) -> dict[int, str]:
        """What is wrong with values, by message, where errors are rows; else they are reported."""
        if self._error_place is None:
            self._report(errors, Part.VALUE, value, rows, "")
            return {}
        texts: dict[int, str] = {}
        found, names = value.errors, self._value.schema.names
        for row, column, reason in zip(
            rows[found.rows].tolist(), found.columns.tolist(), found.reasons.to_pylist(), strict=True
        ):
            label = "" if column == WHOLE_RECORD else f'column "{names[column]}": '
            texts.setdefault(row, label + reason)
        return texts

    def _column(
        self,
        errors: ErrorList,
        place: int,
        column: MessageColumn,
        messages: Messages,
        value: DecodedPayloads,
        key: DecodedPayloads | None,
        texts: dict[int, str],
    ) -> pa.Array:
        match column.part:
            case Part.KEY:
                assert key is not None, "a column of the key has a format"
                return key.columns[column.index]
            case Part.VALUE:
                return _without(value.columns[column.index], texts)
            case Part.PARTITION:
                return pa.array(messages.partitions.astype(np.int32))
            case Part.OFFSET:
                return pa.array(messages.offsets).cast(UINT8.arrow)
            case Part.TIMESTAMP:
                return pa.array(messages.timestamps * 1000).cast(self._schema[place].type.arrow)
            case Part.HEADERS:
                return header_maps(messages.headers, self._schema[place].type)
            case Part.HEADER:
                return header_values(
                    messages.headers, column, lambda row, reason: errors.add(row, place, "22021", reason)
                )
            case Part.ERROR:
                found = pa.nulls(len(messages), pa.string())
                if not texts:
                    return found
                rows = np.zeros(len(messages), np.bool_)
                rows[list(texts)] = True
                return pc.replace_with_mask(
                    found, pa.array(rows), pa.array([texts[row] for row in sorted(texts)])
                )

    def _check_not_null(
        self, errors: ErrorList, columns: list[pa.Array], with_key: Mask, with_row: Mask
    ) -> None:
        """NULL in a NOT NULL column, and in a key of which there is one, is an error; others stand for what could not be read."""
        sound: Mask | None = None
        for place, (column, values) in enumerate(zip(self._schema, columns, strict=True)):
            of_key = self._options.columns[place].part is Part.KEY
            if not values.null_count or (column.nullable and not (of_key and self._upsert)):
                continue
            if sound is None:
                sound = ~errors.mask()
            null = ~_valid(values) & sound & (with_key if of_key else with_row)
            for row in np.flatnonzero(null).tolist():
                reason = f'null value in column "{column.name}" violates not-null constraint'
                errors.add(row, place, "23502", reason)


class _Errors(ErrorList):
    def __init__(self, schema: Schema, topic: str, messages: Messages) -> None:
        super().__init__(schema, topic, messages.offsets)
        self._topic, self._messages = topic, messages

    def _message(self, row: int, column: int, reason: str) -> str:
        messages = self._messages
        where = (
            f'topic "{self._topic}", partition {messages.partitions[row]}, offset {messages.offsets[row]}: '
        )
        if column != WHOLE_RECORD:
            where += f'column "{self._schema[column].name}": '
        return where + reason


def _valid(values: pa.Array) -> Mask:
    found: Mask = present(values)
    return found


def _without(values: pa.Array, rows: dict[int, str]) -> pa.Array:
    """NULL at the rows: of a value in error nothing is shown."""
    if not rows:
        return values
    keep = np.ones(len(values), np.bool_)
    keep[list(rows)] = False
    return pc.if_else(pa.array(keep), values, pa.scalar(None, values.type))
