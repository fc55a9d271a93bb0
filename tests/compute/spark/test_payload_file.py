"""Large payloads lie in a file that its readers map; small ones travel as they are."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from ptvc.compute.shared_files import CopiedFiles, LocalFiles
from ptvc.compute.spark.payload_file import INLINE_BYTES, PayloadReader, PayloadWriter, payload_folder
from ptvc.persist.blob.objects import FileObjects

PAYLOADS = [b"small", b"o" * INLINE_BYTES, b"", b"e" * (3 * INLINE_BYTES + 5), b"s" * (INLINE_BYTES + 1)]


def test_what_is_put_comes_back(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    writer = PayloadWriter(files, "sent")
    sent = [writer.put(pa.py_buffer(payload)) for payload in PAYLOADS]
    writer.close()
    assert [len(s) < INLINE_BYTES for s in sent] == [True] * len(PAYLOADS)
    reader = PayloadReader(files)
    found = [reader.get(s) for s in sent]
    assert [buffer.to_pybytes() for buffer in found] == PAYLOADS
    assert all(buffer.address % 64 == 0 for buffer in found if buffer.size >= INLINE_BYTES)


def test_no_file_for_small_ones(tmp_path: Path) -> None:
    writer = PayloadWriter(LocalFiles(tmp_path), "sent")
    assert writer.put(pa.py_buffer(b"small")) == b"small"
    writer.close()
    assert not list(tmp_path.iterdir())


def test_without_a_file_all_travel(tmp_path: Path) -> None:
    writer = PayloadWriter(LocalFiles(tmp_path), None)
    assert [writer.put(pa.py_buffer(payload)) for payload in PAYLOADS] == PAYLOADS
    writer.close()


def test_the_folder_goes_with_the_job_and_what_is_mapped_stays(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    with payload_folder(files, "payloads"):
        writer = PayloadWriter(files, "payloads/0-0-1")
        sent = writer.put(pa.py_buffer(PAYLOADS[1]))
        writer.close()
        mapped = PayloadReader(files).get(sent)
    assert not list(tmp_path.iterdir())
    assert mapped.to_pybytes() == PAYLOADS[1]


@pytest.mark.parametrize("expected", [False, True])
def test_on_another_machine_a_task_reads_what_is_for_it(tmp_path: Path, expected: bool) -> None:
    objects = FileObjects(tmp_path / "blobs")
    here, there, driver = (CopiedFiles(tmp_path / name, objects) for name in ("here", "there", "driver"))
    with payload_folder(driver, "payloads/job"):
        writer = PayloadWriter(here, "payloads/job/0-0-1")
        sent = [writer.put(pa.py_buffer(payload)) for payload in PAYLOADS]
        writer.close()
        reader = PayloadReader(there)
        if expected:
            reader.expect(sent)
        assert [reader.get(s).to_pybytes() for s in sent] == PAYLOADS
        reader.close()
        assert not (tmp_path / "there").exists(), "nothing is copied as a whole"
        assert driver.published("payloads") == ["payloads/job/0-0-1"]
    assert driver.published() == []
