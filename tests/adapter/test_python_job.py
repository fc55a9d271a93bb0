"""What is settled before a Python model runs: its file, its packages, Spark's settings, where the stores are."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.credentials import PtvcCredentials
from dbt.adapters.ptvc.python.models import _numbered, check_packages, model_file, spark_settings

WHERE: dict[str, Any] = {"database": "ptvc", "schema": "public"}


def test_lines_are_those_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "m.py"
    file.write_text("\n\n  \ndef model(dbt, session):\n    return 1\n")
    raw = file.read_text().strip()
    assert _numbered(raw + "\n\nrest", raw, file) == ("\n\n\n" + raw + "\n\nrest", str(file))
    assert _numbered(raw, "other code", file) == (raw, None)


def test_the_file_of_a_package(tmp_path: Path) -> None:
    profile = SimpleNamespace(
        project_root=str(tmp_path), project_name="mine", packages_install_path="dbt_packages"
    )
    file = tmp_path / "dbt_packages" / "theirs" / "models" / "m.py"
    file.parent.mkdir(parents=True)
    file.touch()
    model = {"package_name": "theirs", "original_file_path": "models/m.py"}
    assert model_file(profile, model) == file
    assert model_file(profile, {**model, "package_name": "mine"}) is None


def test_packages() -> None:
    check_packages(["pyarrow", "PyArrow>=1"])
    with pytest.raises(DbtRuntimeError) as caught:
        check_packages(["pyarrow<1", "no-such-package"])
    assert "pyarrow<1 is installed as" in str(caught.value)
    assert f"{sys.executable} -m pip install 'pyarrow<1' 'no-such-package'" in str(caught.value)
    with pytest.raises(DbtRuntimeError, match="no requirement"):
        check_packages(["a b"])


def test_settings() -> None:
    assert spark_settings({"a": 1, "b": "x"}, {"b": True}) == {"a": "1", "b": "true"}
    assert spark_settings(None, None) == {}


def test_stores() -> None:
    stores = {"consensus": "postgresql://u@h/d", "blob": "s3://b/p"}
    assert PtvcCredentials(path="/p", **WHERE).store_options() == {"path": "/p"}
    assert PtvcCredentials(host="h", **WHERE).store_options() is None
    assert PtvcCredentials(host="h", **stores, **WHERE).store_options() == stores
    with pytest.raises(DbtRuntimeError, match="both stores"):
        PtvcCredentials(host="h", blob="file:///x", **WHERE)
    with pytest.raises(DbtRuntimeError, match="knows its stores"):
        PtvcCredentials(path="/p", **stores, **WHERE)
