"""What is settled before a Python model runs: its file, its packages, Spark's settings, where the stores are."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.ptvc.credentials import PtvcCredentials
from dbt.adapters.ptvc.python import models
from dbt.adapters.ptvc.python.models import (
    _numbered,
    check_packages,
    model_file,
    spark_settings,
    start_spark,
)

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


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    monkeypatch.setattr(models, "prepare", lambda **application: found.append(application))
    return found


def node(name: str, language: str = "python", **config: Any) -> Any:
    return SimpleNamespace(unique_id=name, language=language, config=config)


def test_spark_starts_with_a_run_that_has_a_python_model(prepared: list[dict[str, Any]]) -> None:
    here = PtvcCredentials(path="/p", spark_config={"spark.a": 1}, **WHERE)
    test = SimpleNamespace(unique_id="t")  # what is no model has no language
    start_spark([node("m.b"), node("m.a", spark_config={"spark.b": True}), node("m.0", "sql"), test], here)
    assert prepared == [{"master": None, "settings": {"spark.a": "1", "spark.b": "true"}}]


@pytest.mark.parametrize(
    ("master", "of_model", "nodes_language", "starts"),
    [
        (None, {}, "sql", False),
        (None, {}, "python", True),
        ("local[2]", {}, "python", True),
        ("spark://h:7077", {}, "python", False),
        ("spark://h:7077", {"spark.master": "local[2]"}, "python", True),
    ],
)
def test_spark_starts_early_on_this_machine_alone(
    prepared: list[dict[str, Any]],
    master: str | None,
    of_model: dict[str, str],
    nodes_language: str,
    starts: bool,
) -> None:
    credentials = PtvcCredentials(path="/p", spark_master=master, **WHERE)
    start_spark([node("m.a", nodes_language, spark_config=of_model)], credentials)
    assert bool(prepared) == starts


def test_stores() -> None:
    stores = {"consensus": "postgresql://u@h/d", "blob": "s3://b/p"}
    assert PtvcCredentials(path="/p", **WHERE).store_options() == {"path": "/p"}
    assert PtvcCredentials(host="h", **WHERE).store_options() is None
    assert PtvcCredentials(host="h", **stores, **WHERE).store_options() == stores
    with pytest.raises(DbtRuntimeError, match="both stores"):
        PtvcCredentials(host="h", blob="file:///x", **WHERE)
    with pytest.raises(DbtRuntimeError, match="knows its stores"):
        PtvcCredentials(path="/p", **stores, **WHERE)
