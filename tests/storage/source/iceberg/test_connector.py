"""An ICEBERG source's connector against tables that pyiceberg writes: each snapshot once and whole, whatever is given up meanwhile."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, JSONB, TEXT
from ptvc.storage.lake.catalogs import AnyCatalog
from ptvc.storage.source.iceberg.options import IcebergSourceOptions
from ptvc.storage.source.lake import differences
from pyiceberg.io.pyarrow import _dataframe_to_data_files
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
)
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Operation, Summary
from pyiceberg.table.update.snapshot import _OverwriteFiles
from pyiceberg.typedef import EMPTY_DICT, Record
from pyiceberg.types import LongType

from ...sink.iceberg.support import catalog_values, opened
from ..lake.support import Reader, Rows

SCHEMA = Schema((Column("k", INT8), Column("part", TEXT), Column("v", TEXT)))
ARROW = pa.schema([("k", pa.int64()), ("part", pa.string()), ("v", pa.string())])
PARTS = ("a", "b c", "ü/%", None)
NAME = ("n", "t")


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[AnyCatalog]:
    with opened(catalog_values(tmp_path)) as found:
        found.create_namespace("n")
        yield found


def made(catalog: AnyCatalog, partitioned: bool = False) -> Table:
    table = catalog.create_table(NAME, ARROW, properties={"format-version": "2"})
    if partitioned:
        with table.update_spec() as update:
            update.add_identity("part")
    return table


def reader(directory: Path, schema: Schema = SCHEMA, **options: Any) -> Reader:
    given = IcebergSourceOptions("c", "n", "t", scan_ms=0)
    return Reader(given, schema, {"c": catalog_values(directory)}, **options)


def rows_of(rows: list[tuple[int, str | None, str]]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, ARROW, strict=True)], schema=ARROW)


def contents(table: Table, snapshot: int | None = None) -> Rows:
    found = table.scan(snapshot_id=snapshot).to_arrow()
    return Counter(zip(*(found[name].to_pylist() for name in SCHEMA.names), strict=True))


def write(table: Table, random: Random) -> None:
    """One commit of some kind, or two."""
    match random.choice(["append", "append", "delete", "overwrite", "upsert", "all", "rollback"]):
        case "append":
            count = random.randrange(1, 30)
            table.append(
                rows_of(
                    [
                        (random.randrange(100), random.choice(PARTS), str(random.random()))
                        for _ in range(count)
                    ]
                )
            )
        case "delete":
            table.delete(f"k > {random.randrange(50, 110)}")
        case "overwrite":
            table.overwrite(rows_of([(random.randrange(9), "a", "over")]), f"k < {random.randrange(9)}")
        case "upsert":
            keys = random.sample(range(200, 300), 5)
            table.upsert(rows_of([(k, "a", str(random.random())) for k in keys]), ["k"])
        case "all" if random.random() < 0.3:
            table.overwrite(rows_of([(1, "a", "again")]))
        case "rollback":
            ancestors = [snapshot.snapshot_id for snapshot in table.snapshots()]
            if (
                random.random() < 0.5
                and len(ancestors) > 2
                and (parent := table.current_snapshot()) is not None
            ):
                earlier = parent.parent_snapshot_id
                if earlier is not None:
                    table.manage_snapshots().rollback_to_snapshot(earlier).commit()


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore:Delete operation did not match:UserWarning")
def test_each_snapshot_is_seen_whole(
    tmp_path: Path, catalog: AnyCatalog, monkeypatch: pytest.MonkeyPatch, seed: int, partitioned: bool
) -> None:
    random = Random(seed)
    monkeypatch.setattr(differences, "MEMORY_BYTES", random.choice([200, 2000, 1 << 28]))
    monkeypatch.setattr(differences, "_STEP_BYTES", random.choice([100, 1 << 20]))
    table = made(catalog, partitioned)
    source = reader(tmp_path, chunk_bytes=random.choice([300, 8 << 20]))
    source.drain(random)
    table.append(rows_of([(k, random.choice(PARTS), "first") for k in range(50)]))
    allowed = [contents(table)]
    for _ in range(6):
        for _ in range(random.randrange(4)):
            write(table, random)
            allowed.append(contents(table.refresh()))
        source.drain(random)
        assert source.rows == contents(table)
        assert all(seen in allowed for seen in source.seen if seen)
    source.ingestion.close()


def test_only_what_differs_is_handed_out(tmp_path: Path, catalog: AnyCatalog) -> None:
    table = made(catalog)
    table.append(rows_of([(k, "a", "first") for k in range(1000)]))
    source = reader(tmp_path)
    source.drain()
    table.delete("k < 3")
    table.append(rows_of([(2000, "a", "x")]))
    source.drain()
    replace_all(table)
    source.drain()
    table.append(rows_of([(2001, "a", "x")]))
    source.drain()
    assert source.updates == [1000, 3, 1, 0, 1]
    source.restart()
    assert not source.step()
    source.ingestion.close()


class Replacing(_OverwriteFiles):
    """A snapshot of compaction, which the library does not write."""

    def _summary(self, snapshot_properties: Any = EMPTY_DICT) -> Summary:
        return Summary(Operation.REPLACE, **super()._summary(snapshot_properties).additional_properties)


def replace_all(table: Table) -> None:
    """Compaction: one file in place of all, of the same rows."""
    former = [task.file for task in table.scan().plan_files()]
    transaction = table.transaction()
    producer = Replacing(Operation.OVERWRITE, transaction, table.io)
    for file in _dataframe_to_data_files(table.metadata, table.scan().to_arrow(), table.io):
        producer.append_data_file(file)
    for file in former:
        producer.delete_data_file(file)
    producer.commit()
    transaction.commit_transaction()


class WithDeletes(_OverwriteFiles):
    """A snapshot that adds a file of position deletes, which the library does not write."""

    deletes: DataFile

    def _manifests(self) -> Any:
        found = super()._manifests()
        path = f"{self._transaction.table_metadata.location}/metadata/deletes-{self.snapshot_id}.avro"
        spec, schema = self._transaction.table_metadata.spec(), self._transaction.table_metadata.schema()

        class Writer(ManifestWriterV2):
            def content(self) -> ManifestContent:
                return ManifestContent.DELETES

            @property
            def _meta(self) -> dict[str, str]:
                return {**super()._meta, "content": "deletes"}

        with Writer(spec, schema, self._io.new_output(path), self.snapshot_id, "deflate") as writer:
            writer.add(
                ManifestEntry.from_args(
                    status=ManifestEntryStatus.ADDED,
                    snapshot_id=self.snapshot_id,
                    sequence_number=None,
                    file_sequence_number=None,
                    data_file=self.deletes,
                )
            )
        return [*found, writer.to_manifest_file()]


def delete_positions(
    table: Table, positions: list[int], content: DataFileContent = DataFileContent.POSITION_DELETES
) -> None:
    """Of its first file."""
    (first, *_) = table.scan().plan_files()
    path = f"{table.location()}/data/deletes-{len(table.snapshots())}.parquet"
    paths = pa.array([first.file.file_path] * len(positions))
    if content is DataFileContent.POSITION_DELETES:
        columns = [("file_path", pa.string(), 2147483546), ("pos", pa.int64(), 2147483545)]
        arrays = [paths, pa.array(positions, pa.int64())]
    else:
        columns, arrays = [("k", pa.int64(), 1)], [pa.array(positions, pa.int64())]
    schema = pa.schema([pa.field(n, t, metadata={"PARQUET:field_id": str(i)}) for n, t, i in columns])
    local = path.removeprefix("file://")
    pq.write_table(pa.table(arrays, schema=schema), local)
    transaction = table.transaction()
    producer = WithDeletes(Operation.DELETE, transaction, table.io)
    producer.deletes = DataFile.from_args(
        content=content,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=len(positions),
        file_size_in_bytes=Path(local).stat().st_size,
        equality_ids=[1] if content is DataFileContent.EQUALITY_DELETES else None,
    )
    producer.commit()
    transaction.commit_transaction()


def test_position_deletes(tmp_path: Path, catalog: AnyCatalog) -> None:
    table = made(catalog)
    table.append(rows_of([(k, "a", "first") for k in range(1000)]))
    source = reader(tmp_path)
    source.drain()
    delete_positions(table, [3, 4])
    delete_positions(table, [5])
    table.append(rows_of([(2000, "a", "x")]))
    source.drain()
    assert source.updates == [1000, 2, 1, 1]
    assert source.rows == contents(table)
    table.overwrite(rows_of([(1, "b", "all")]))
    again = reader(tmp_path)
    again.drain()
    source.drain()
    assert source.rows == again.rows == Counter({(1, "b", "all"): 1})
    for one in (source, again):
        one.ingestion.close()


AS_JSON = Schema((Column("k", INT8), Column("part", TEXT), Column("v", JSONB)))
"""Not all that is written to `v` is JSON."""


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore:Delete operation did not match:UserWarning")
def test_errors_name_the_files_in_which_their_rows_lie_now(
    tmp_path: Path, catalog: AnyCatalog, seed: int
) -> None:
    random = Random(seed)
    table = made(catalog)
    table.append(rows_of([(k, "a", random.choice("1x")) for k in range(50)]))
    source = reader(tmp_path, AS_JSON)
    source.drain(random)
    assert source.errors
    for _ in range(10):
        match random.choice(["write", "replace", "deletes"]):
            case "write":
                write(table, random)
            case "replace":
                replace_all(table)
            case "deletes" if files := list(table.scan().plan_files()):
                delete_positions(table, random.sample(range(files[0].file.record_count), 1))
        table.refresh()
        source.drain(random)
        again = reader(tmp_path, AS_JSON)
        again.drain()
        again.ingestion.close()
        assert (source.rows, source.errors) == (again.rows, again.errors)
    source.ingestion.close()


def test_rows_in_error_are_counted_with_those_that_are_gone(tmp_path: Path, catalog: AnyCatalog) -> None:
    table = made(catalog)
    table.append(rows_of([(k, "a", "x" if k in (3, 6, 9) else "1") for k in range(10)]))
    source = reader(tmp_path, AS_JSON)
    source.drain()
    delete_positions(table, [0, 1, 6])
    delete_positions(table, [8, 1])
    source.drain()
    places = [str(message).partition(".parquet")[2].partition(":")[0] for _, message in source.errors]
    assert sorted(places) == ['", row 10', '", row 4']
    source.ingestion.close()


def test_equality_deletes_stall(tmp_path: Path, catalog: AnyCatalog) -> None:
    table = made(catalog)
    table.append(rows_of([(k, "a", "first") for k in range(10)]))
    source = reader(tmp_path)
    source.drain()
    delete_positions(table, [3], DataFileContent.EQUALITY_DELETES)
    assert "equality deletes" in source.stalled()
    source.ingestion.close()


def test_snapshots_that_expired_unread(tmp_path: Path, catalog: AnyCatalog) -> None:
    table = made(catalog)
    table.append(rows_of([(1, "a", "x")]))
    source = reader(tmp_path)
    source.drain()
    first = table.current_snapshot()
    assert first is not None
    table.append(rows_of([(2, "a", "x")]))
    between = table.current_snapshot()
    assert between is not None
    table.append(rows_of([(3, "a", "x")]))
    table.maintenance.expire_snapshots().by_id(between.snapshot_id).commit()
    source.drain()  # of one in between nothing is missing
    assert source.rows == contents(table)
    read = table.current_snapshot()
    assert read is not None
    table.append(rows_of([(4, "a", "x")]))
    table.maintenance.expire_snapshots().by_id(read.snapshot_id).commit()
    assert f"snapshot {read.snapshot_id} of table" in source.stalled()
    source.ingestion.close()


def test_a_table_in_its_place_stalls(tmp_path: Path, catalog: AnyCatalog) -> None:
    table = made(catalog)
    table.append(rows_of([(1, "a", "x")]))
    source = reader(tmp_path)
    source.drain()
    catalog.rename_table(NAME, ("n", "former"))
    assert "is not there" in source.stalled()
    made(catalog)
    assert "another one has taken its place" in source.stalled()
    catalog.rename_table(NAME, ("n", "other"))
    catalog.rename_table(("n", "former"), NAME)
    catalog.load_table(NAME).append(rows_of([(7, "a", "x")]))
    source.drain()
    assert source.rows == Counter({(1, "a", "x"): 1, (7, "a", "x"): 1})
    source.ingestion.close()


def test_columns_that_come_and_go(tmp_path: Path, catalog: AnyCatalog) -> None:
    """They are known by their numbers."""
    table = made(catalog)
    table.append(rows_of([(1, "a", "x")]))
    source = reader(tmp_path)
    source.drain()
    with table.update_schema() as update:
        update.add_column("more", LongType())
    table.append(rows_of([(2, "a", "y")]).append_column("more", pa.array([1])))
    source.drain()
    assert source.rows == Counter({(1, "a", "x"): 1, (2, "a", "y"): 1})
    with table.update_schema() as update:
        update.rename_column("v", "w")
    table.append(rows_of([(3, "a", "z")]).rename_columns(["k", "part", "w"]))
    source.drain()
    assert source.rows == Counter({(1, "a", "x"): 1, (2, "a", "y"): 1, (3, "a", "z"): 1})
    with table.update_schema() as update:
        update.rename_column("more", "v")
    table.delete("k = 2")
    source.restart()
    source.drain()
    assert source.rows == Counter({(1, "a", "x"): 1, (3, "a", "z"): 1})
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.delete_column("w")
    table.append(pa.table({"k": [4], "part": ["a"]}))
    assert 'column "v" of table "n.t" was dropped, and made anew' in source.stalled()
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.delete_column("v")
    assert 'column "v" of table "n.t" is not there' in source.stalled()
    source.ingestion.close()
