"""Files of Spark's settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ptvc.errors import InvalidParameter
from ptvc.spark_properties import read_properties, write_properties

FILE = """\
# a comment
   ! another one \\

spark.executor.cores 2
spark.app.name=  two words\x20
  spark.jars : a,\\
             b
spark.a\\ b\\:c    \\u00e9\\t\\\\x = y
spark.empty
"""


def written(tmp_path: Path, text: str, mode: int = 0o600) -> Path:
    path = tmp_path / "spark.properties"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_what_java_reads(tmp_path: Path) -> None:
    assert read_properties(written(tmp_path, FILE)) == {
        "spark.executor.cores": "2",
        "spark.app.name": "two words",
        "spark.jars": "a,b",
        "spark.a b:c": "é\t\\x = y",
        "spark.empty": "",
    }


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "spark.properties"
    properties = {
        "spark.a": "  b c=d:e#f!g\\",
        "spark.b c": "é😀\t\n",
        "spark.driver.extraJavaOptions": "-Da=b -Dc=d",
        "spark.empty": "",
    }
    before = os.umask(0)
    try:
        write_properties(path, properties)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_properties(path) == {name: value.strip() for name, value in properties.items()}
    write_properties(path, {})
    assert read_properties(path) == {}


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        ("executor.cores 2", 0o600, "is no setting of Spark"),
        ("spark.authenticate.secret s", 0o640, "may be read by others"),
        ("spark.executorEnv.AWS_SECRET_ACCESS_KEY s", 0o604, "may be read by others"),
    ],
)
def test_refused(tmp_path: Path, text: str, mode: int, message: str) -> None:
    with pytest.raises(InvalidParameter, match=message):
        read_properties(written(tmp_path, text, mode))


def test_where_a_secret_is_is_none(tmp_path: Path) -> None:
    name = "spark.kubernetes.executor.secretKeyRef.AWS_ACCESS_KEY_ID"
    assert read_properties(written(tmp_path, f"{name} blobs:key", 0o644)) == {name: "blobs:key"}


def test_what_is_no_secret_may_be_read_by_others(tmp_path: Path) -> None:
    assert read_properties(written(tmp_path, "spark.executor.cores 2", 0o644)) == {
        "spark.executor.cores": "2"
    }


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="cannot be read"):
        read_properties(tmp_path / "none")


def test_what_names_a_secret_of_kubernetes_is_none(tmp_path: Path) -> None:
    """So such a file may be in a ConfigMap, whose files others may read."""
    text = "spark.kubernetes.executor.secretKeyRef.AWS_ACCESS_KEY_ID s3:AWS_ACCESS_KEY_ID\n"
    assert len(read_properties(written(tmp_path, text, 0o644))) == 1
    with pytest.raises(InvalidParameter, match="may be read by others"):
        read_properties(written(tmp_path, f"{text}spark.hadoop.fs.s3a.access.key x\n", 0o644))
