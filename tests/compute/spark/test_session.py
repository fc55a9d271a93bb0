"""What a session is given: settings by a file that nobody else reads, and other ones where executors are on other machines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ptvc.compute.spark.session import _cluster_conf, default_conf, is_local


def test_masters_on_this_machine() -> None:
    assert is_local("local[4,4]")
    assert is_local("local-cluster[2,2,1024]")
    assert not is_local("spark://host:7077")
    assert not is_local("k8s://https://host")


def test_executors_elsewhere_reach_the_driver_and_know_no_path_of_its() -> None:
    conf = default_conf(Path("/environment/spark"), "10.0.0.5") | _cluster_conf({})
    assert conf["spark.driver.host"] == conf["spark.driver.bindAddress"] == "10.0.0.5"
    assert not any("/environment" in value for name, value in conf.items() if "executor" in name)
    assert conf["spark.locality.wait"] == "30s"
    assert "spark.network.crypto.enabled" not in conf
    encrypted = _cluster_conf({"spark.authenticate": "true"})
    assert encrypted["spark.network.crypto.enabled"] == "true"
    assert "GCM" in encrypted["spark.network.crypto.cipher"]


SESSION = """
import sys
from pathlib import Path
from ptvc.compute.spark.session import application_context, stop_context

directory = Path(sys.argv[1])
context = application_context("local[1]", "512m", directory / "spark", (), "127.0.0.1", directory / "own")
print(context.getConf().get("spark.word"), context.getConf().get("spark.ui.enabled"))
for path in Path("/proc").glob("[0-9]*/cmdline"):
    try:
        assert b"nobody-else-sees" not in path.read_bytes(), path
    except OSError:
        pass
stop_context(context)
"""


@pytest.mark.slow
def test_a_file_of_settings(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("spark.word.secret nobody-else-sees\nspark.word a b=c\\\\d\nspark.ui.enabled=False\n")
    own.chmod(0o600)
    before = os.umask(0)
    try:
        done = subprocess.run(
            [sys.executable, "-c", SESSION, str(tmp_path)], capture_output=True, text=True, check=False
        )
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[0] == "a b=c\\d False"
    assert (tmp_path / "spark" / "spark.properties").stat().st_mode & 0o777 == 0o600
    for log in (tmp_path / "spark").glob("*.log"):
        assert "nobody-else-sees" not in log.read_text()
