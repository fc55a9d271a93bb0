"""An S3 source's connector against a real server: exactly once, whatever fails between which two chunks."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ptvc.clock import SystemClock
from ptvc.errors import StorageError
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.storage.connections import aws
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.connectors import AskedOutput, open_ingestion
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import Ingest, Ingestion, Status
from ptvc.storage.source.s3 import connector
from ptvc.storage.source.s3.options import S3Options
from servers.s3_server import FAULTS, S3Server

SCHEMA = Schema((Column("id", INT8, False), Column("pad", TEXT)))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aws, "BACKOFF", replace(aws.BACKOFF, first_s=0.001, longest_s=0.01, attempts=12))


@pytest.fixture
def server(s3: S3Server) -> Iterator[S3Server]:
    yield s3
    s3.fail()
    s3.fail_at_random(0.0, 0)


class Durable:
    """What the commits of a source have made durable; `open` is a process that goes on from it."""

    def __init__(self, server: S3Server, bucket: str, format: str, *, chunk_bytes: int = 1000) -> None:
        values = {"ENDPOINT": server.endpoint, "ACCESS KEY ID": "testing", "SECRET ACCESS KEY": "secret"}
        self._values = Values(ConnectionOptions(ConnectionKind.AWS, dict(values)), {})
        self._options = S3Options("c", bucket, "in", format, scan_ms=0)
        self._chunk_bytes = chunk_bytes
        self.position: str | None = None
        self.recorded: list[Batch] = []
        self.ids: list[int] = []
        self.errors = 0

    def open(self) -> Ingestion:
        return open_ingestion(
            self._options,
            {"s": AskedOutput("", SCHEMA)},
            (),
            EnvelopeKind.NONE,
            SystemClock(),
            position=self.position,
            connections={"c": self._values},
            recorded=self.recorded,
            chunk_bytes=self._chunk_bytes,
        )

    def commit(self, ingestion: Ingestion, ingest: Ingest) -> None:
        changes = ingest.outputs["s"]
        self.ids += changes.oks.columns[0].to_pylist()
        self.errors += len(changes.errs)
        self.position = ingest.position
        if ingest.recorded is not None:
            self.recorded.append(ingest.recorded.at(1))
        ingestion.committed(1)

    def drain(self, ingestion: Ingestion) -> None:
        while (ingest := ingestion.advance()) is not None:
            self.commit(ingestion, ingest)
        assert ingestion.statistics.status is Status.RUNNING, ingestion.statistics.reason


def content(format: str, ids: list[int], random: Random) -> bytes:
    pads = [f"{i}" * random.randrange(20) for i in ids]
    if format == "parquet":
        out = io.BytesIO()
        table = pa.table({"pad": pa.array(pads, pa.string()), "id": pa.array(ids, pa.int64())})
        pq.write_table(table, out, row_group_size=random.randrange(1, 60))
        return out.getvalue()
    if format == "avro":
        fields = [{"name": "pad", "type": "string"}, {"name": "id", "type": "long"}]
        rows = [{"pad": pad, "id": i} for pad, i in zip(pads, ids, strict=True)]
        schema = {"type": "record", "name": "r", "fields": fields}
        out = io.BytesIO()
        fastavro.writer(out, schema, rows, random.choice(["null", "deflate"]), random.randrange(1, 200))
        return out.getvalue()
    if format == "csv":
        data = b"pad,id\n" + b"".join(f"{pad},{i}\n".encode() for pad, i in zip(pads, ids, strict=True))
    else:
        lines = [json.dumps({"id": i, "pad": pad}) for pad, i in zip(pads, ids, strict=True)]
        data = "".join(f"{line}\n" for line in lines).encode()
    if random.random() < 0.3:
        data = data.rstrip(b"\n")
    return gzip.compress(data) if random.random() < 0.5 else data


@pytest.mark.parametrize("whole", [0, 1 << 20])
@pytest.mark.parametrize("format", ["json", "csv", "parquet", "avro"])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_record_once_through_aborts_kills_and_faults(
    server: S3Server, monkeypatch: pytest.MonkeyPatch, seed: int, format: str, whole: int
) -> None:
    monkeypatch.setattr(connector, "WHOLE_BYTES", whole)
    monkeypatch.setattr(connector, "MOST_OBJECTS", 3)
    random = Random(seed)
    bucket = server.bucket()
    durable = Durable(server, bucket, format, chunk_bytes=random.choice([200, 3000]))
    written = 0

    def write(objects: int) -> None:
        nonlocal written
        for _ in range(objects):
            count = random.randrange(0, 120)
            ids = list(range(written, written + count))
            # In any order of keys: what comes later may come before what was read.
            server.write(bucket, f"in/{random.randrange(10**9)}", content(format, ids, random))
            written += count

    write(6)
    server.fail_at_random(0.1, seed)
    ingestion = durable.open()
    for step in range(200):
        ingest = ingestion.advance()
        if ingest is None:
            assert ingestion.statistics.status is Status.RUNNING, ingestion.statistics.reason
            if step > 60:
                break
            write(1)
            continue
        match random.choice(["commit", "commit", "commit", "abort", "kill before", "kill after"]):
            case "commit":
                durable.commit(ingestion, ingest)
            case "abort":
                ingestion.aborted()
            case "kill before":
                ingestion.close()
                ingestion = durable.open()
            case "kill after":
                durable.commit(ingestion, ingest)
                ingestion.close()
                ingestion = durable.open()
    durable.drain(ingestion)
    ingestion.close()
    assert sorted(durable.ids) == list(range(written))
    assert durable.errors == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_passes_is_outlived(server: S3Server, fault: str) -> None:
    bucket = server.bucket()
    server.write(bucket, "in/a", b"id,pad\n1,x\n")
    durable = Durable(server, bucket, "csv")
    ingestion = durable.open()
    server.fail(*[fault] * 4)
    durable.drain(ingestion)
    ingestion.close()
    assert durable.ids == [1]


def test_a_server_that_stays_busy_stalls_the_source(server: S3Server) -> None:
    bucket = server.bucket()
    server.write(bucket, "in/a", b"id,pad\n1,x\n")
    durable = Durable(server, bucket, "csv")
    ingestion = durable.open()
    server.fail(*["unavailable"] * 12)
    assert ingestion.advance() is None
    assert ingestion.statistics.status is Status.STALLED
    assert ingestion.statistics.reason == f"cannot list s3://{bucket}/in/: S3 answers SlowDown"
    durable.drain(ingestion)
    ingestion.close()
    assert durable.ids == [1]


def test_an_object_that_changes_while_it_is_read_is_never_mixed(
    server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connector, "WHOLE_BYTES", 0)
    bucket = server.bucket()
    first = b"id,pad\n" + b"".join(b"%d,x\n" % i for i in range(100))
    server.write(bucket, "in/a", first)
    durable = Durable(server, bucket, "csv", chunk_bytes=100)
    ingestion = durable.open()
    ingest = ingestion.advance()
    assert ingest is not None
    durable.commit(ingestion, ingest)
    read = len(durable.ids)
    assert 0 < read < 100
    server.write(bucket, "in/a", first.replace(b"x", b"y"))
    ingestion.close()
    for _ in range(2):  # one that finds it begun, and one that goes on finding it
        ingestion = durable.open()
        assert ingestion.advance() is None
        assert ingestion.statistics.reason == 'object "in/a" has changed after it was found'
        ingestion.close()
    server.write(bucket, "in/a", first)
    ingestion = durable.open()
    durable.drain(ingestion)
    ingestion.close()
    assert durable.ids == list(range(100))


def test_an_object_that_changes_is_noticed_by_its_bytes(
    server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two requests for one object, which no scan comes in between of."""
    monkeypatch.setattr(connector, "WHOLE_BYTES", 0)
    bucket = server.bucket()
    out = io.BytesIO()
    table = pa.table({"id": pa.array(range(1000), pa.int64()), "pad": pa.array(["x"] * 1000)})
    pq.write_table(table, out, row_group_size=100)
    server.write(bucket, "in/a", out.getvalue())
    durable = Durable(server, bucket, "parquet", chunk_bytes=10)
    ingestion = durable.open()
    ingest = ingestion.advance()
    assert ingest is not None
    durable.commit(ingestion, ingest)
    server.write(bucket, "in/a", out.getvalue().replace(b"x", b"y"))
    assert ingestion.advance() is None
    assert ingestion.statistics.reason == 'object "in/a" has changed after it was found'
    ingestion.close()
    assert durable.ids == list(range(100))


def test_what_a_commit_records_does_not_grow_with_the_objects(server: S3Server) -> None:
    bucket = server.bucket()
    for i in range(120):
        server.write(bucket, f"in/{i:03}", b"id,pad\n%d,x\n" % i)
    durable = Durable(server, bucket, "csv", chunk_bytes=50)
    ingestion = durable.open()
    durable.drain(ingestion)
    sizes = [sum(map(len, batch.columns[0].to_pylist())) for batch in durable.recorded]
    ingestion.close()
    assert sorted(durable.ids) == list(range(120))
    assert len(sizes) > 10
    assert max(sizes) < 2 * min(sizes[:-1])
    assert durable.position is not None
    assert len(durable.position) < 200


def test_late_keys_are_found_by_full_scans(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connector, "ONE_ANSWER", 2)
    monkeypatch.setattr(connector, "FULL_SCANS", 4)
    bucket = server.bucket()
    for name in "bcd":
        server.write(bucket, f"in/{name}", b"id,pad\n%d,x\n" % ord(name))
    durable = Durable(server, bucket, "csv")
    ingestion = durable.open()
    durable.drain(ingestion)
    server.write(bucket, "in/a", b"id,pad\n1,x\n")
    server.write(bucket, "in/e", b"id,pad\n2,x\n")
    durable.drain(ingestion)
    assert durable.ids[3:] == [2]  # asked for what comes behind d
    for _ in range(4):
        durable.drain(ingestion)
    ingestion.close()
    assert durable.ids[4:] == [1]


def test_a_position_that_does_not_fit_what_is_recorded_is_refused(server: S3Server) -> None:
    durable = Durable(server, server.bucket(), "csv")
    durable.position = '{"read":{"objects":3,"object":null}}'
    ingestion = durable.open()
    with pytest.raises(StorageError, match="3 objects, of which 0 are recorded"):
        ingestion._connector.poll({"objects": 3, "object": None}, {}, 1)
    ingestion.close()


def test_keys_that_the_client_has_no_name_for(server: S3Server) -> None:
    """One that ends in a slash is left out and named; the others are read, whatever comes first."""
    bucket = server.bucket()
    for name, number in (("a", 1), ("b", 2), ("b/", 3), ("c/d/", 4), ("c/e", 5)):
        server.write(bucket, f"in/{name}", b'{"id":%d}\n' % number)
    server.write(bucket, "in/f/", b"")
    durable = Durable(server, bucket, "json", chunk_bytes=1)
    ingestion = durable.open()
    for _ in range(20):
        if (ingest := ingestion.advance()) is not None:
            durable.commit(ingestion, ingest)
    assert ingestion.statistics.status is Status.RUNNING
    assert ingestion.statistics.reason == 'object "in/c/d/" is left out, as its key has a slash at its end'
    assert ingestion.statistics.snapshot_done
    assert sorted(durable.ids) == [1, 2, 5]
    server.delete(bucket, "in/c/d/")
    server.delete(bucket, "in/b/")
    assert ingestion.advance() is None
    assert ingestion.statistics.reason is None
    server.write(bucket, "in/c//x", b'{"id":6}\n')
    assert ingestion.advance() is None
    assert ingestion.statistics.status is Status.STALLED
    assert '"in/c//x" contained empty path segment' in (ingestion.statistics.reason or "")
    server.delete(bucket, "in/c//x")
    durable.drain(ingestion)
    ingestion.close()


def test_a_listing_of_many_answers_of_which_many_fail(server: S3Server) -> None:
    """What was listed is not listed again."""
    bucket = server.bucket()
    for i in range(150):
        server.write(bucket, f"in/{i:03}", b'{"id":%d}\n' % i)
    durable = Durable(server, bucket, "json", chunk_bytes=1 << 20)
    server.fail_at_random(0.3, 7)
    ingestion = durable.open()
    durable.drain(ingestion)
    ingestion.close()
    assert sorted(durable.ids) == list(range(150))


def test_an_object_of_avro_that_ends_within_a_block_stalls_the_source(server: S3Server) -> None:
    bucket = server.bucket()
    data = content("avro", list(range(50)), Random(1))
    server.write(bucket, "in/a", data[:-5])
    durable = Durable(server, bucket, "avro", chunk_bytes=1 << 20)
    ingestion = durable.open()
    assert ingestion.advance() is None
    assert ingestion.statistics.status is Status.STALLED
    reason = ingestion.statistics.reason or ""
    assert reason.startswith('file "in/a" cannot be read as Avro at byte ')
    assert reason.endswith("the object ends within what begins there")
    ingestion.close()
