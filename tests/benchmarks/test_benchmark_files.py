"""Files are read whole by everybody who is measured, also from S3."""

from __future__ import annotations

import shutil

import pytest
from servers.s3_server import S3Server
from typer.testing import CliRunner

from benchmarks.__main__ import app
from benchmarks.files import run_snapshots


@pytest.mark.slow
def test_everybody_reads_all_files(s3: S3Server) -> None:
    found = list(run_snapshots(4_000, 2, 1, f"{s3.endpoint}/{s3.bucket()}"))
    assert [result.what for result in found] == [
        "directory, Spark's count(*)",
        "directory, Spark's decode",
        "directory, by job",
        "S3, by job",
        "directory, by itself",
        "S3, by itself",
    ]
    assert all(result.rows == 4_000 and result.seconds > 0 for result in found)


def test_without_the_jars_for_s3_nothing_is_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    result = CliRunner().invoke(app, ["files", "--spark-s3"])
    assert result.exit_code == 1
    assert "there is no program mvn" in " ".join(result.output.split())
