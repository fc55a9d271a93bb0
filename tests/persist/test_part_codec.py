"""Deltas survive both encodings; damage is found and named."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from persist_fixture import EVERYTHING, NULLS, ROW
from persist_support import SCHEMA, batch_of, delta_of, updates_of
from ptvc.errors import InvalidUsage, StorageError
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.codec import (
    decode_ipc,
    decode_parquet,
    encode_ipc,
    encode_parquet,
    parquet_names,
)
from ptvc.persist.part import PartRef, stamp, trim
from ptvc.persist.read import read_part, read_stretch
from ptvc.persist.write import INLINE_MAX_BYTES, PASSING_MAX_BYTES, inline_part, write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, empty_delta
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import INT8, NUMERIC, TEXT, array_of, derived_numeric

CODECS = pytest.mark.parametrize(
    ("encode", "decode"),
    [
        (encode_ipc, decode_ipc),
        (partial(encode_ipc, packed=True), decode_ipc),
        (encode_parquet, decode_parquet),
    ],
    ids=["arrow", "packed", "parquet"],
)
Encode = Callable[[Schema, Delta], bytes]
Decode = Callable[..., Delta]


def errors_of(*times: int) -> Batch:
    return batch_of(ERROR_SCHEMA, [(("22012", "division by zero"), time, 1) for time in times])


def assert_same(found: Delta, expected: Delta) -> None:
    for one, other in ((found.oks, expected.oks), (found.errs, expected.errs)):
        assert len(one.columns) == len(other.columns)
        for left, right in zip(one.columns, other.columns, strict=True):
            assert isinstance(left, pa.Array)
            assert left.type == right.type
            assert left.equals(right)
        assert (one.times.dtype.name, one.diffs.dtype.name) == ("uint64", "int64")
        assert np.array_equal(one.times, other.times)
        assert np.array_equal(one.diffs, other.diffs)


@CODECS
@pytest.mark.parametrize("errors", [0, 2])
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_every_type_survives(encode: Encode, decode: Decode, rows: int, errors: int) -> None:
    updates = [((ROW, NULLS)[i % 2], 2**62 + i, (-1) ** i * (i + 1)) for i in range(rows)]
    delta = Delta(batch_of(EVERYTHING, updates), errors_of(*range(errors)))
    assert_same(decode(EVERYTHING, encode(EVERYTHING, delta)), delta)


@CODECS
@pytest.mark.parametrize("errors", [0, 2])
@pytest.mark.parametrize("columns", [(), (0,), (3, 1), range(len(EVERYTHING))], ids=str)
def test_some_columns_are_read_as_if_there_were_no_others(
    encode: Encode, decode: Decode, columns: Sequence[int], errors: int
) -> None:
    whole = Delta(
        batch_of(EVERYTHING, [((ROW, NULLS)[i % 2], i, 1) for i in range(5)]), errors_of(*range(errors))
    )
    found = decode(EVERYTHING, encode(EVERYTHING, whole), columns)
    assert_same(found, Delta(whole.oks.select(columns), whole.errs))


@CODECS
def test_of_some_columns_those_that_were_added_and_dropped_are_as_among_all(
    encode: Encode, decode: Decode
) -> None:
    data = encode(SCHEMA, delta_of([((1, "a"), 1, 1), ((2, "b"), 2, -1)]))
    changed = Schema(
        (SCHEMA[0], replace(SCHEMA[1], dropped=True), Column("n", INT8, True, "7"), Column("price", NUMERIC))
    )
    whole = decode(changed, data)
    for columns in ((2,), (3, 0), (1, 2), (0, 1, 2, 3)):
        assert_same(decode(changed, data, columns), Delta(whole.oks.select(columns), whole.errs))


def test_names_with_dots_are_not_those_of_fields() -> None:
    schema = Schema((Column("a", INT8), Column("a.b", TEXT), Column("a.b.c", INT8)))
    whole = Delta(batch_of(schema, [((1, "x", 2), 3, 1)]), NO_ERRORS)
    for column in range(3):
        found = decode_parquet(schema, encode_parquet(schema, whole), (column,), with_errors=False)
        assert_same(found, Delta(whole.oks.select((column,)), NO_ERRORS))


@CODECS
def test_rows_without_columns_survive(encode: Encode, decode: Decode) -> None:
    nothing = Schema(())
    delta = Delta(batch_of(nothing, [((), 3, 5), ((), 4, -5)]), errors_of(9))
    assert_same(decode(nothing, encode(nothing, delta)), delta)


@CODECS
def test_slices_survive(encode: Encode, decode: Decode) -> None:
    """Arrays with an offset are encoded as what they show, and no more."""
    whole = batch_of(EVERYTHING, [((ROW, NULLS)[i % 3 == 0], i, 1) for i in range(40)])
    delta = Delta(whole.slice(11, 20), errors_of(1, 2, 3).slice(1, 2))
    data = encode(EVERYTHING, delta)
    assert_same(decode(EVERYTHING, data), delta)
    assert len(encode(EVERYTHING, Delta(whole.slice(3, 4), NO_ERRORS))) < len(data)


@CODECS
def test_added_columns_read_as_null(encode: Encode, decode: Decode) -> None:
    delta = delta_of([((1, "a"), 1, 1), ((2, "b"), 2, -1)])
    wider = Schema((*SCHEMA.columns, Column("price", NUMERIC), Column("tags", array_of(TEXT))))
    found = decode(wider, encode(SCHEMA, delta))
    assert updates_of(found.oks) == [((1, "a", None, None), 1, 1), ((2, "b", None, None), 2, -1)]
    assert [column.type for column in found.oks.columns] == [type_.arrow for type_ in wider.types]


@CODECS
def test_added_columns_have_what_they_say_of_old_rows(encode: Encode, decode: Decode) -> None:
    delta = delta_of([((1, "a"), 1, 1), ((2, "b"), 2, -1)])
    wider = Schema(
        (*SCHEMA.columns, Column("n", INT8, True, "7"), Column("tags", array_of(TEXT), True, "{x,NULL}"))
    )
    found = decode(wider, encode(SCHEMA, delta))
    assert updates_of(found.oks) == [((1, "a", 7, ["x", None]), 1, 1), ((2, "b", 7, ["x", None]), 2, -1)]
    assert_same(decode(wider, encode(wider, found)), found)
    assert Schema.from_json(wider.to_json()) == wider


@CODECS
def test_dropped_columns_read_as_null(encode: Encode, decode: Decode) -> None:
    delta = delta_of([((1, "a"), 1, 1), ((2, "b"), 2, -1)])
    dropped = Schema((SCHEMA[0], replace(SCHEMA[1], dropped=True), Column("n", INT8, True, "7", True)))
    found = decode(dropped, encode(SCHEMA, delta))
    assert updates_of(found.oks) == [((1, None, None), 1, 1), ((2, None, None), 2, -1)]
    assert [column.type for column in found.oks.columns] == [type_.arrow for type_ in dropped.types]
    assert Schema.from_json(dropped.to_json()) == dropped


@CODECS
def test_other_columns_are_refused(encode: Encode, decode: Decode) -> None:
    data = encode(SCHEMA, delta_of([((1, "a"), 1, 1)]))
    for other in (Schema((Column("id", INT8),)), Schema((Column("id", INT8), Column("name", INT8)))):
        with pytest.raises(ValueError, match="columns of other types"):
            decode(other, data)


def test_parquet_names_are_unique() -> None:
    names = ("a", "a", "__time", "a_2", "__err", "__diff", "a", "")
    schema = Schema(tuple(Column(name, INT8) for name in names))
    assert parquet_names(schema) == ("a", "a_2", "__time_2", "a_2_2", "__err_2", "__diff_2", "a_3", "")
    assert parquet_names(schema.project(range(4))) == parquet_names(schema)[:4]


def test_columns_with_names_of_fields_survive() -> None:
    """Parquet names a field of a structure with a dot; so may SQL name a column."""
    schema = Schema((Column("__err.message", INT8), Column("a.b", INT8), Column("a", TEXT)))
    rows = batch_of(schema, [((1, -(2**63), "x"), 5, 1), ((None, 2**63 - 1, None), 6, -2)])
    read = decode_parquet(schema, encode_parquet(schema, Delta(rows, NO_ERRORS)))
    assert updates_of(read.oks) == updates_of(rows)


def test_integers_are_packed() -> None:
    """Random keys take the bits of their range, and no dictionary."""
    schema = Schema((Column("k", INT8), Column("t", TEXT)))
    keys = np.random.default_rng(1).permutation(1 << 17)
    count = len(keys)
    columns = (pa.array(keys), pa.array(["x"] * count))
    delta = Delta(Batch(columns, np.full(count, 5, np.uint64), np.ones(count, np.int64)), NO_ERRORS)
    data = encode_parquet(schema, delta)
    assert len(data) < 1.1 * count * 18 / 8
    group = pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(0)
    encodings = {group.column(i).path_in_schema: group.column(i).encodings for i in range(4)}
    assert "DELTA_BINARY_PACKED" in encodings["k"]
    assert "DELTA_BINARY_PACKED" in encodings["__time"]
    assert "RLE_DICTIONARY" in encodings["t"]


PRICES = Schema((Column("k", INT8), Column("price", derived_numeric(2))))


def priced(*prices: str | None) -> Delta:
    values = [price and Decimal(price) for price in prices]
    return Delta(batch_of(PRICES, [((i, value), 5, 1) for i, value in enumerate(values)]), NO_ERRORS)


@pytest.mark.parametrize(("price", "physical"), [("9.5", "INT64"), ("1e30", "FIXED_LEN_BYTE_ARRAY")])
def test_numerics_that_fit_are_words(price: str, physical: str) -> None:
    delta = priced("-7.25", None, price)
    data = encode_parquet(PRICES, delta)
    assert pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(0).column(1).physical_type == physical
    assert_same(decode_parquet(PRICES, data), delta)
    assert_same(decode_parquet(PRICES, data, (1,)), Delta(delta.oks.select((1,)), NO_ERRORS))
    part = decode_parquet(PRICES, data, (1,), with_errors=False, stretch=(1, 3))
    assert_same(part, Delta(delta.oks.select((1,)).slice(1, 3), NO_ERRORS))


def file_of_version(version: int, delta: Delta) -> bytes:
    """Its numerics of 38 digits, as version 1 has them."""
    columns = [*delta.oks.columns, pa.array(delta.oks.times.view(np.int64)), pa.array(delta.oks.diffs)]
    table = pa.table([*columns, pa.nulls(len(delta.oks))], ["k", "price", "__time", "__diff", "__err"])
    sink = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata({"ptvc.part": str(version)}), sink)
    return sink.getvalue().to_pybytes()  # type: ignore[no-any-return]


def test_files_of_the_first_version_are_read_and_newer_ones_refused() -> None:
    delta = priced("1.50", None, "-2")
    assert_same(decode_parquet(PRICES, file_of_version(1, delta)), delta)
    with pytest.raises(ValueError, match="it has format version 3, and this release knows up to 2"):
        decode_parquet(PRICES, file_of_version(3, delta))


def test_what_is_large_can_be_decoded_in_stretches() -> None:
    """Each decodes the row groups that it has rows of; a file of an earlier version has one group."""
    schema = Schema((Column("k", INT8), Column("t", TEXT)))
    count = 150_000
    columns = (pa.array(np.arange(count)), pa.array([f"t{i % 99}" for i in range(count)]))
    rows = Batch(columns, np.full(count, 5, np.uint64), np.ones(count, np.int64))
    data = encode_parquet(schema, Delta(rows, NO_ERRORS))
    file = pq.ParquetFile(pa.BufferReader(data))
    groups = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert groups == [50_000] * 3
    for start, stop in ((0, count), (0, 1), (49_999, 50_001), (60_000, 149_000), (count - 1, count)):
        found = decode_parquet(schema, data, with_errors=False, stretch=(start, stop))
        assert updates_of(found.oks) == updates_of(rows.slice(start, stop))
        (only,) = decode_parquet(schema, data, (1,), with_errors=False, stretch=(start, stop)).oks.columns
        assert only.equals(columns[1].slice(start, stop - start))


@pytest.mark.parametrize("rows", [3, 2_000])
def test_stretches_of_a_part_are_those_of_its_rows(rows: int) -> None:
    blob, delta = MemoryBlob(), delta_of([((i, f"{i}" * 50), 3 + i % 4, 1) for i in range(rows)])
    (ref,) = write_parts(blob, "s", SCHEMA, delta, writer="w")
    found = read_stretch(blob, ref, SCHEMA, None, (1, rows - 1), 4, 6)
    assert updates_of(found) == [u for u in updates_of(delta.oks.slice(1, rows - 1)) if 4 <= u[1] < 6]
    at_nine = read_stretch(blob, stamp(ref, 9), SCHEMA, None, (1, rows - 1), 0, 10)
    assert {time for _, time, _ in updates_of(at_nine)} == {9}


def test_a_parquet_part_is_a_file_for_any_tool(tmp_path: Path) -> None:
    blob = FileBlob(tmp_path)
    rows = [((i, f"{i}" * 100), i + 1, 1) for i in range(2000)]
    (ref,) = write_parts(blob, "s", SCHEMA, Delta(delta_of(rows).oks, errors_of(7)), writer="w")
    assert ref.blob is not None
    table = pq.read_table(tmp_path / ref.blob)
    assert table.column_names == ["id", "name", "__time", "__diff", "__err"]
    assert [str(field.type) for field in table.schema][2:4] == ["int64", "int64"]
    assert table.slice(1999).to_pylist() == [
        {"id": 1999, "name": "1999" * 100, "__time": 2000, "__diff": 1, "__err": None},
        {
            "id": None,
            "name": None,
            "__time": 7,
            "__diff": 1,
            "__err": {"sqlstate": "22012", "message": "division by zero"},
        },
    ]
    metadata = pq.read_metadata(tmp_path / ref.blob)
    assert metadata.row_group(0).column(0).compression == "ZSTD"


def small(blob: MemoryBlob) -> PartRef:
    (ref,) = write_parts(blob, "shard-1", SCHEMA, delta_of([((1, "a"), 4, 1), ((2, "b"), 6, 1)]), writer="w")
    return ref


def large(blob: MemoryBlob) -> PartRef:
    random = Random(1)
    rows = [((i, random.randbytes(40).hex()), 4 + i % 3, 1) for i in range(2000)]
    (ref,) = write_parts(blob, "shard-1", SCHEMA, delta_of(rows), writer="w")
    return ref


def test_small_deltas_are_inline_and_large_ones_are_not() -> None:
    blob = MemoryBlob()
    inline, stored = small(blob), large(blob)
    assert inline.inline is not None
    assert inline.blob is None
    assert inline.nbytes == len(inline.inline) < 600
    assert stored.inline is None
    assert list(blob.keys()) == [stored.blob]
    assert (inline.rows, inline.min_time, inline.max_time, inline.errors) == (2, 4, 6, 0)
    assert (stored.rows, stored.min_time, stored.max_time) == (2000, 4, 6)
    assert write_parts(blob, "s", SCHEMA, empty_delta(SCHEMA), writer="w") == ()


@pytest.mark.parametrize("size", [INLINE_MAX_BYTES // 2, INLINE_MAX_BYTES - 600, INLINE_MAX_BYTES + 1])
def test_the_border_is_at_64_kib(size: int) -> None:
    blob = MemoryBlob()
    (ref,) = write_parts(blob, "s", SCHEMA, delta_of([((1, "x" * size), 1, 1)]), writer="w")
    assert (ref.inline is not None) == (size < INLINE_MAX_BYTES)
    assert updates_of(read_part(blob, ref, SCHEMA).oks) == [((1, "x" * size), 1, 1)]


@pytest.mark.parametrize(
    ("rows", "text", "encoding", "is_inline"),
    [
        (100, "x", "ipc1", True),
        (3_000, "x", "ipc1", True),  # when it is packed
        (4_000, None, "ipc1", False),
        (PASSING_MAX_BYTES // 24, "x", "parquet1", False),
    ],
)
def test_what_is_soon_merged_is_arrow_up_to_a_mebibyte(
    rows: int, text: str | None, encoding: str, is_inline: bool
) -> None:
    """With `text` None the rows are of random texts, which cannot be packed."""
    blob = MemoryBlob()
    random = Random(7)
    delta = delta_of([((i, text or random.randbytes(20).hex()), 3, 1) for i in range(rows)])
    (ref,) = write_parts(blob, "s", SCHEMA, delta, writer="w", passing=True)
    assert (ref.encoding, ref.inline is not None) == (encoding, is_inline)
    assert ref.inline is None or len(ref.inline) < INLINE_MAX_BYTES
    assert_same(read_part(blob, ref, SCHEMA), delta)
    assert (inline_part("s", SCHEMA, delta, passing=True) is not None) == is_inline
    (lasting,) = write_parts(blob, "s", SCHEMA, delta, writer="w")
    assert lasting.encoding == ("ipc1" if delta.oks.nbytes < INLINE_MAX_BYTES else "parquet1")


def test_large_deltas_are_split_by_size() -> None:
    blob = MemoryBlob()
    rows = [((i, f"{i}" * 50), i, 1) for i in range(3000)]
    delta = Delta(delta_of(rows).oks, errors_of(5))
    refs = write_parts(blob, "s", SCHEMA, delta, writer="w", target_bytes=delta.oks.nbytes // 3)
    assert len(refs) == len({ref.blob for ref in refs}) == 4
    pieces = [read_part(blob, ref, SCHEMA) for ref in refs]
    assert [update for piece in pieces for update in updates_of(piece.oks)] == rows
    assert [len(piece.errs) for piece in pieces] == [1, 0, 0, 0]


@pytest.mark.parametrize("make", [small, large])
def test_references_survive_pickle_and_consensus(make: Callable[[MemoryBlob], PartRef]) -> None:
    ref = make(MemoryBlob())
    assert pickle.loads(pickle.dumps(ref)) == ref
    assert PartRef.from_metadata(ref.shard, ref.metadata(), ref.inline, ref.blob) == ref


def test_damaged_bytes_are_found_and_named() -> None:
    blob = MemoryBlob()
    ref = large(blob)
    assert ref.blob is not None
    data = bytearray(blob.get(ref.blob))
    data[len(data) // 2] ^= 1
    blob.delete(ref.blob)
    blob.put(ref.blob, bytes(data))
    with pytest.raises(StorageError, match="checksum does not match") as caught:
        read_part(blob, ref, SCHEMA)
    assert caught.value.sqlstate == "XX001"
    assert ref.blob in caught.value.message
    assert '"shard-1"' in caught.value.message

    inline = small(blob)
    assert inline.inline is not None
    for position in range(len(inline.inline)):
        damaged = bytearray(inline.inline)
        damaged[position] ^= 0x40
        with pytest.raises(StorageError, match=r'inline at times 4\.\.6 of shard "shard-1": its checksum'):
            read_part(blob, replace(inline, inline=bytes(damaged)), SCHEMA)


def test_bytes_that_are_no_part_are_found_and_named() -> None:
    from ptvc.persist.codec import checksum

    blob = MemoryBlob()
    ref = small(blob)
    assert ref.inline is not None
    newer = ref.inline[:4] + b"\x09\x00" + ref.inline[6:]
    otherwise = ref.inline[:12] + b"\x07\x00" + ref.inline[14:]
    cases = {
        "it is cut off": (b"", ref.inline[:-1], ref.inline[:20]),
        "it is not a part of Arrow messages": (b"x" * 100,),
        "it has format version 9, and this release knows up to 1": (newer,),
        "it is packed in the way 7, and this release knows up to 1": (otherwise,),
    }
    for message, examples in cases.items():
        for data in examples:
            with pytest.raises(StorageError, match=message) as caught:
                read_part(blob, replace(ref, inline=data, checksum=checksum(data)), SCHEMA)
            assert caught.value.sqlstate == "XX001"
    with pytest.raises(StorageError, match=r'encoding "parquet7" is unknown'):
        read_part(blob, replace(ref, encoding="parquet7"), SCHEMA)
    with pytest.raises(StorageError, match="another number of updates"):
        read_part(blob, replace(ref, rows=3), SCHEMA)
    stored = large(blob)
    assert stored.blob is not None
    blob.delete(stored.blob)
    blob.put(stored.blob, b"PAR1 but not really")
    with pytest.raises(StorageError, match=f'part {stored.blob} of shard "shard-1"'):
        read_part(blob, replace(stored, checksum=checksum(b"PAR1 but not really")), SCHEMA)


def test_rows_of_another_shape_are_not_written() -> None:
    delta = delta_of([((1, "a"), 1, 1)])
    with pytest.raises(InvalidUsage, match="2 columns, expected 1"):
        write_parts(MemoryBlob(), "s", Schema((Column("id", INT8),)), delta, writer="w")
    late = Delta(Batch(delta.oks.columns, np.array([2**63], np.uint64), delta.oks.diffs), NO_ERRORS)
    with pytest.raises(InvalidUsage, match="is not a timestamp"):
        write_parts(MemoryBlob(), "s", SCHEMA, late, writer="w")


def test_a_missing_blob_names_shard_and_part() -> None:
    blob = MemoryBlob()
    ref = large(blob)
    assert ref.blob is not None
    blob.delete(ref.blob)
    with pytest.raises(StorageError, match="does not exist"):
        read_part(blob, ref, SCHEMA)


def test_a_trimmed_part_has_only_what_follows() -> None:
    blob = MemoryBlob()
    delta = delta_of([((i, "x"), time, 1) for i, time in enumerate((3, 4, 4, 6))], [(("22012", "e"), 3, 1)])
    (part,) = write_parts(blob, "s", SCHEMA, delta, writer="w")
    (later,) = trim((part,), 4)
    assert (later.first_time, later.max_time) == (4, 6)
    assert updates_of(read_part(blob, later, SCHEMA).oks) == updates_of(delta.oks)[1:]
    assert not len(read_part(blob, later, SCHEMA).errs)
    (last,) = trim((later,), 6)
    # All of one time, yet not a timestamped part: the others of its bytes stay away.
    assert updates_of(read_part(blob, last, SCHEMA).oks) == [((3, "x"), 6, 1)]
    assert trim((part,), 7) == ()
    assert trim((part, stamp(part, 9)), 3) == (part, stamp(part, 9))
    assert PartRef.from_metadata("s", later.metadata(), later.inline, later.blob) == later
    assert PartRef.from_metadata("s", part.metadata(), part.inline, part.blob) == part


def test_a_part_says_what_its_diffs_add_up_to() -> None:
    blob = MemoryBlob()
    for count in (2, 2000):
        random = Random(1)
        rows = [((i, random.randbytes(40).hex()), 4 + i % 3, 1 if i % 4 else -2) for i in range(count)]
        delta = Delta(delta_of(rows).oks, errors_of(4))
        (part,) = write_parts(blob, "s", SCHEMA, delta, writer="w")
        assert (part.blob is None) == (count == 2)
        assert part.net == int(delta.oks.diffs.sum())
        known = PartRef.from_metadata("s", part.metadata(), part.inline, part.blob)
        assert known.net_at(part.max_time) == part.net
        assert known.net_at(part.max_time - 1) is None, "some are later"
        (later,) = trim((part,), part.min_time + 1)
        assert later.net_at(9) is None, "some do not belong to it"
        assert stamp(part, 9).net_at(9) == part.net
        old = replace(part, net=None)
        assert PartRef.from_metadata("s", old.metadata(), old.inline, old.blob).net_at(9) is None
