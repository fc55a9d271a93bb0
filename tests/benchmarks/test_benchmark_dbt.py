"""The project that both adapters run."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchmarks.dbt.project import SEED_ROWS, write_profile, write_project


def test_models_rest_on_models_before_them(tmp_path: Path) -> None:
    write_project(tmp_path, 30, with_tests=True)
    write_profile(tmp_path, {"type": "ptvc", "path": "./.ptvc"})
    texts = {file.stem: file.read_text() for file in (tmp_path / "models").glob("*.sql")}
    assert len(texts) == 30
    for name, text in texts.items():
        refs = re.findall(r"ref\('(\w+)'\)", text)
        assert refs == ["events"] if "materialized='view'" in text else len(refs) in (1, 2)
        assert all(ref == "events" or ref < name for ref in refs)
    tested = json.loads((tmp_path / "models" / "properties.yml").read_text())["models"]
    assert {model["name"] for model in tested} == set(texts)
    assert (tmp_path / "seeds" / "events.csv").read_text().count("\n") == SEED_ROWS + 1
