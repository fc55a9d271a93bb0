"""A DELTA source's connector against tables that deltalake writes: each version once and whole, whatever is given up meanwhile."""

from __future__ import annotations

import base64
import json
import string
import struct
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, JSONB, TEXT
from ptvc.storage.source.delta.options import DeltaSourceOptions
from ptvc.storage.source.lake import connector, differences
from ptvc.storage.source.lake.table import ERRORS
from pyroaring import BitMap64

from ..lake.support import Reader, Rows

SCHEMA = Schema((Column("k", INT8), Column("part", TEXT), Column("v", TEXT)))
PARTS = ("a", "b c", "ü/%", None)


def place(directory: Path) -> str:
    return str(directory / "lake" / "t")


def reader(uri: str, schema: Schema = SCHEMA, **options: Any) -> Reader:
    return Reader(DeltaSourceOptions(uri, scan_ms=0), schema, **options)


def table(rows: list[tuple[int, str | None, str]]) -> pa.Table:
    keys, parts, values = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table(
        {
            "k": pa.array(keys, pa.int64()),
            "part": pa.array(parts, pa.string()),
            "v": pa.array(values, pa.string()),
        }
    )


def contents(uri: str, version: int | None = None) -> Rows:
    found = DeltaTable(uri, version=version).to_pyarrow_table()
    return Counter(zip(*(found[name].to_pylist() for name in SCHEMA.names), strict=True))


def write(uri: str, random: Random, partitioned: bool) -> None:
    """One commit of some kind."""
    what = random.choice(
        ["append", "append", "update", "delete", "merge", "optimize", "overwrite", "restore"]
    )
    there = DeltaTable(uri)
    if what == "append":
        rows = [
            (random.randrange(100), random.choice(PARTS), str(random.random()))
            for _ in range(random.randrange(1, 30))
        ]
        write_deltalake(uri, table(rows), mode="append", partition_by=["part"] if partitioned else None)
    elif what == "update":
        there.update(updates={"v": f"'{random.random()}'"}, predicate=f"k % 7 = {random.randrange(7)}")
    elif what == "delete":
        there.delete(f"k % 11 = {random.randrange(11)}")
    elif what == "optimize":
        there.optimize.compact()
    elif what == "overwrite" and random.random() < 0.3:
        write_deltalake(uri, table([(1, "a", "again")]), mode="overwrite")
    elif what == "restore" and there.version():
        there.restore(random.randrange(there.version()))
    elif what == "merge":
        source = table([(k, "a", "merged") for k in random.sample(range(120), 10)])
        merge = there.merge(source, predicate="t.k = s.k", source_alias="s", target_alias="t")
        merge.when_matched_update({"v": "s.v"}).when_not_matched_insert_all().execute()


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_each_version_is_seen_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, partitioned: bool
) -> None:
    random = Random(seed)
    monkeypatch.setattr(differences, "MEMORY_BYTES", random.choice([200, 2000, 1 << 28]))
    monkeypatch.setattr(differences, "_STEP_BYTES", random.choice([100, 1 << 20]))
    monkeypatch.setattr(connector, "WORK_S", random.choice([0.0, 0.5]))
    uri = place(tmp_path)
    by = ["part"] if partitioned else None
    write_deltalake(uri, table([(k, random.choice(PARTS), "first") for k in range(50)]), partition_by=by)
    source = reader(uri, chunk_bytes=random.choice([300, 8 << 20]))
    source.drain(random)
    first = DeltaTable(uri).version()
    for _ in range(6):
        for _ in range(random.randrange(4)):
            write(uri, random, partitioned)
        source.drain(random)
        assert source.rows == contents(uri)
    versions = [contents(uri, version) for version in range(first, DeltaTable(uri).version() + 1)]
    assert source.seen[-len(versions) :] == versions
    source.ingestion.close()


AS_JSON = Schema((Column("k", INT8), Column("part", TEXT), Column("v", JSONB)))
"""Not all that is written to `v` is JSON."""


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_errors_name_the_files_in_which_their_rows_lie_now(
    tmp_path: Path, seed: int, partitioned: bool
) -> None:
    random = Random(seed)
    uri = place(tmp_path)
    by = ["part"] if partitioned else None
    write_deltalake(uri, table([(k, random.choice(PARTS), random.choice("1x")) for k in range(50)]), partition_by=by)  # fmt: skip
    source = reader(uri, AS_JSON)
    source.drain(random)
    assert source.errors
    for _ in range(8):
        write(uri, random, partitioned)
        if random.random() < 0.3:
            DeltaTable(uri).optimize.compact()
        source.drain(random)
        again = reader(uri, AS_JSON)
        again.drain()
        again.ingestion.close()
        assert (source.rows, source.errors) == (again.rows, again.errors)
    source.ingestion.close()


def test_errors_of_former_versions_go_with_their_rows(tmp_path: Path) -> None:
    """They do not say where their rows lie."""
    uri = place(tmp_path)
    write_deltalake(uri, table([(1, "a", "x"), (2, "a", "1")]))
    source = reader(uri, AS_JSON)
    source.drain()
    ((_, message),) = source.errors
    assert message.endswith('.parquet", row 1: column "v": invalid input syntax for type json')
    assert source.position is not None
    position = json.loads(source.position)
    del position["read"][ERRORS]
    source.position = json.dumps(position)
    source.errors = Counter({("22P02", message.split(": ", 1)[1]): 1})
    source.restart()
    write_deltalake(uri, table([(3, "a", "y")]), mode="append")
    DeltaTable(uri).optimize.compact()
    DeltaTable(uri).delete("k = 1")
    source.drain()
    assert source.errors == Counter({("22P02", message.split(": ", 1)[1]): 1})
    DeltaTable(uri).delete("k = 3")
    source.drain()
    assert not source.errors


def test_statistics_that_come_later_change_nothing(tmp_path: Path) -> None:
    """A file is added once more, with `dataChange` false."""
    uri = place(tmp_path)
    write_deltalake(uri, table([(1, "a", "x"), (2, "a", "1")]))
    source = reader(uri, AS_JSON)
    source.drain()
    errors = Counter(source.errors)
    (path,) = [action["path"] for action in pa.table(DeltaTable(uri).get_add_actions()).to_pylist()]
    add = {"path": path, "partitionValues": {}, "size": 1, "modificationTime": 1, "dataChange": False}
    edited(uri, 1, {"add": {**add, "stats": '{"numRecords":2}'}})
    source.drain()
    assert source.updates == [2, 0]
    assert source.errors == errors


def test_only_what_differs_is_handed_out(tmp_path: Path) -> None:
    uri = place(tmp_path)
    write_deltalake(uri, table([(k, "a", "first") for k in range(1000)]))
    source = reader(uri)
    source.drain()
    DeltaTable(uri).update(updates={"v": "'second'"}, predicate="k = 7")
    write_deltalake(uri, table([(2000, "a", "x")]), mode="append")
    DeltaTable(uri).optimize.compact()
    DeltaTable(uri).create_checkpoint()
    DeltaTable(uri).delete("k < 3")
    source.drain()
    assert source.updates == [1000, 2, 1, 0, 3]
    source.restart()
    assert not source.step()
    statistics = source.ingestion.statistics
    assert statistics.snapshot_done


def test_files_that_a_compaction_has_replaced_are_not_read_again(tmp_path: Path) -> None:
    uri = place(tmp_path)
    for key in (1, 2):
        write_deltalake(uri, table([(key, "a", "x")]), mode="append")
    source = reader(uri)
    source.drain()
    DeltaTable(uri).optimize.compact()
    DeltaTable(uri).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    source.drain()
    assert source.rows == Counter({(1, "a", "x"): 1, (2, "a", "x"): 1})


def test_what_was_vacuumed_unread_stalls(tmp_path: Path) -> None:
    uri = place(tmp_path)
    write_deltalake(uri, table([(1, "a", "x")]))
    source = reader(uri)
    source.drain()
    write_deltalake(uri, table([(2, "a", "x")]), mode="overwrite")
    DeltaTable(uri).vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    assert "is not there any more, and had not been read" in source.stalled()
    assert source.rows == Counter({(1, "a", "x"): 1})


def test_a_log_that_was_cleaned_up_stalls(tmp_path: Path) -> None:
    uri = place(tmp_path)
    write_deltalake(uri, table([(1, "a", "x")]))
    source = reader(uri)
    source.drain()
    for k in range(3):
        write_deltalake(uri, table([(k, "a", "y")]), mode="append")
    DeltaTable(uri).create_checkpoint()
    for version in range(3):
        (Path(uri) / "_delta_log" / f"{version:020}.json").unlink()
    assert source.stalled().startswith("version 1 of table")


@pytest.mark.parametrize("versions", [1, 2, 3])
def test_a_table_in_its_place_stalls(tmp_path: Path, versions: int) -> None:
    uri = place(tmp_path)
    for k in range(2):
        write_deltalake(uri, table([(k, "a", "x")]), mode="append")
    source = reader(uri)
    source.drain()
    Path(uri).rename(tmp_path / "former")
    assert "is not there" in source.stalled()
    for k in range(versions):
        write_deltalake(uri, table([(k, "a", "other")]), mode="append")
    assert "another one has taken its place" in source.stalled()
    Path(uri).rename(tmp_path / "other")
    (tmp_path / "former").rename(uri)
    write_deltalake(uri, table([(7, "a", "x")]), mode="append")
    source.drain()
    assert source.rows == contents(uri)


def test_columns_that_come_and_go(tmp_path: Path) -> None:
    uri = place(tmp_path)
    write_deltalake(uri, table([(1, "a", "x")]))
    source = reader(uri)
    source.drain()
    more = table([(2, "a", "y")]).append_column("more", pa.array([1]))
    write_deltalake(uri, more, mode="append", schema_mode="merge")
    source.drain()
    assert source.rows == Counter({(1, "a", "x"): 1, (2, "a", "y"): 1})
    write_deltalake(uri, more.drop_columns(["v"]), mode="overwrite", schema_mode="overwrite")
    assert 'column "v" of table' in source.stalled()
    source.restart()
    assert 'column "v" of table' in source.stalled()
    changed = table([(2, "a", "y")]).drop_columns(["v"]).append_column("v", pa.array([1]))
    write_deltalake(uri, changed, mode="overwrite", schema_mode="overwrite")
    assert 'column "v" of table' in source.stalled()
    wrong = reader(uri)
    assert "is int64, which cannot be read as text" in wrong.stalled()


def edited(uri: str, version: int, *actions: dict[str, Any]) -> None:
    """A version of the log that no writer here writes."""
    text = "".join(json.dumps(action) + "\n" for action in actions)
    (Path(uri) / "_delta_log" / f"{version:020}.json").write_text(text)


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (
            {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["fancy"], "writerFeatures": []}},
            "asks its readers for fancy",
        ),
        ({"protocol": {"minReaderVersion": 4, "minWriterVersion": 7}}, "asks its readers for version 4"),
        ({"add": {"path": "s3://other/x.parquet", "partitionValues": {}, "size": 1, "dataChange": True}}, "elsewhere"),
        ({"add": {"path": "../../x.parquet", "partitionValues": {}, "size": 1, "dataChange": True}}, "elsewhere"),
    ],
)  # fmt: skip
def test_what_is_not_supported_stalls(tmp_path: Path, action: dict[str, Any], reason: str) -> None:
    uri = place(tmp_path)
    write_deltalake(uri, table([(1, "a", "x")]))
    source = reader(uri)
    source.drain()
    edited(uri, 1, action)
    assert reason in source.stalled()


def mapped(**columns: str) -> dict[str, Any]:
    """The metadata of a table with those columns, and what files call them."""
    types = {"k": "long"}
    fields = [
        {
            "name": name,
            "type": types.get(name, "string"),
            "nullable": True,
            "metadata": {"delta.columnMapping.id": place, "delta.columnMapping.physicalName": physical},
        }
        for place, (name, physical) in enumerate(columns.items(), 1)
    ]
    return {
        "metaData": {
            "id": "x",
            "format": {"provider": "parquet", "options": {}},
            "schemaString": json.dumps({"type": "struct", "fields": fields}),
            "partitionColumns": ["part" if "part" in columns else "moved"],
            "configuration": {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "9"},
            "createdTime": 1,
        }
    }


def added(uri: str, part: str, rows: dict[str, list[Any]]) -> dict[str, Any]:
    path = f"{next(iter(rows.values()))[0]}.parquet"
    pq.write_table(pa.table(rows), Path(uri) / path)
    size = (Path(uri) / path).stat().st_size
    values = {"path": path, "partitionValues": {"c3": part}, "size": size, "dataChange": True}
    return {**values, "modificationTime": 1, "stats": '{"numRecords":1}'}


def test_columns_that_files_call_otherwise(tmp_path: Path) -> None:
    """Column mapping by name: where a column is renamed they call it as before, and one that is made anew otherwise."""
    uri = place(tmp_path)
    (Path(uri) / "_delta_log").mkdir(parents=True)
    protocol = {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}
    one = added(uri, "x", {"c1": [1], "c2": ["a"]})
    edited(uri, 0, protocol, mapped(k="c1", v="c2", part="c3"), {"add": one})
    source = reader(uri)
    source.drain()
    edited(uri, 1, mapped(k="c1", w="c2", moved="c3"))
    edited(uri, 2, {"add": added(uri, "y", {"c1": [2], "c2": ["b"]})})
    source.restart()
    source.drain()
    assert source.rows == Counter({(1, "x", "a"): 1, (2, "y", "b"): 1})
    edited(uri, 3, {"remove": {"path": one["path"], "deletionTimestamp": 1, "dataChange": True}})
    source.drain()
    assert source.rows == Counter({(2, "y", "b"): 1})
    edited(uri, 4, mapped(k="c1", v="c4", moved="c3"))
    assert 'column "v" of table' in source.stalled()
    assert "was dropped, and made anew" in source.stalled()


def test_column_mapping_by_numbers_stalls(tmp_path: Path) -> None:
    uri = place(tmp_path)
    write_deltalake(uri, table([(1, "a", "x")]))
    source = reader(uri)
    source.drain()
    metadata = next(
        json.loads(line)["metaData"]
        for line in (Path(uri) / "_delta_log" / f"{0:020}.json").read_text().splitlines()
        if "metaData" in line
    )
    metadata["configuration"] = {"delta.columnMapping.mode": "id"}
    edited(uri, 1, {"metaData": metadata})
    assert 'column mapping by "id"' in source.stalled()


@pytest.mark.parametrize("by", [None, ["part"]])
def test_files_of_which_the_log_says_little(tmp_path: Path, by: list[str] | None) -> None:
    """A file that is gone need not say of which partition it was."""
    uri = place(tmp_path)
    write_deltalake(uri, table([(1, "a", "x"), (2, None, "y")]), partition_by=by)
    source = reader(uri)
    source.drain()
    DeltaTable(uri).delete("k = 2")
    path = Path(uri) / "_delta_log" / f"{1:020}.json"
    actions = [json.loads(line) for line in path.read_text().splitlines()]
    for action in actions:
        if "remove" in action:
            action["remove"] = {"path": action["remove"]["path"], "deletionTimestamp": 1, "dataChange": True}
    edited(uri, 1, *actions)
    source.drain()
    assert source.rows == Counter({(1, "a", "x"): 1})


def vector(rows: list[int]) -> dict[str, Any]:
    """A deletion vector that stands in the log itself."""
    data = struct.pack("<I", 1681511377) + BitMap64(rows).serialize()
    padded = data + bytes(-len(data) % 4)
    python, z85 = (
        string.digits + string.ascii_uppercase + string.ascii_lowercase,
        string.digits + string.ascii_lowercase + string.ascii_uppercase,
    )
    letters = str.maketrans(python + "!#$%&()*+-;<=>?@^_`{|}~", z85 + ".-:+=^!/*?&<>()[]{}@%$#")
    text = base64.b85encode(padded).decode().translate(letters)
    return {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(data), "cardinality": len(rows)}


def test_deletion_vectors(tmp_path: Path) -> None:
    uri = place(tmp_path)
    write_deltalake(uri, table([(k, "a", "x") for k in range(200_000)]))
    source = reader(uri)
    source.drain()
    (path,) = [action["path"] for action in pa.table(DeltaTable(uri).get_add_actions()).to_pylist()]
    features = {
        "minReaderVersion": 3,
        "minWriterVersion": 7,
        "readerFeatures": ["deletionVectors"],
        "writerFeatures": ["deletionVectors"],
    }
    add = {
        "path": path,
        "partitionValues": {},
        "size": 1,
        "modificationTime": 1,
        "dataChange": True,
        "stats": '{"numRecords":200000}',
    }
    gone = {
        "path": path,
        "partitionValues": {},
        "deletionTimestamp": 1,
        "extendedFileMetadata": True,
        "size": 1,
        "dataChange": True,
    }
    first, second = vector([0, 7, 150_000]), vector([0, 7, 9, 150_000, 199_999])
    edited(uri, 1, {"protocol": features}, {"remove": gone}, {"add": {**add, "deletionVector": first}})
    edited(uri, 2, {"remove": {**gone, "deletionVector": first}}, {"add": {**add, "deletionVector": second}})
    source.drain()
    assert source.updates == [200_000, 3, 2]
    assert len(source.rows) == 200_000 - 5
    again = reader(uri)
    again.drain()
    assert again.rows == source.rows
