"""A dbt model of the materialization `source` may be a webhook; it is left alone as long as its text is."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from inprocess import InProcess

from .posting import Poster

MODEL = """{{ config(materialized='source', cluster='quickstart') }}
FROM WEBHOOK BODY FORMAT JSON
CHECK (WITH (HEADERS, SECRET token) constant_time_eq(headers -> 'authorization', 'Bearer ' || token))
"""
VIEW = "{{ config(materialized='materialized_view') }} select count(*) as n from {{ ref('posted') }}"


def dbt(project: Path) -> dict[str, str]:
    """What `dbt run` has said of each model."""
    where = ["--project-dir", str(project), "--profiles-dir", str(project)]
    done = subprocess.run(
        [sys.executable, "-m", "dbt.cli.main", "--no-send-anonymous-usage-stats", "run", *where],
        capture_output=True,
        text=True,
        cwd=project,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads((project / "target" / "run_results.json").read_text())["results"]
    return {result["unique_id"].rpartition(".")[2]: result["message"] for result in results}


@pytest.mark.timeout(180)
def test_a_model(fresh: InProcess, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "posted.sql").write_text(MODEL)
    (tmp_path / "models" / "counted.sql").write_text(VIEW)
    (tmp_path / "dbt_project.yml").write_text("name: p\nprofile: p\nmodels: {p: {}}\n")
    (tmp_path / "profiles.yml").write_text(
        "p: {target: dev, outputs: {dev: {type: ptvc, host: 127.0.0.1, "
        f"port: {fresh.port}, user: ptvc, schema: public, threads: 1}}}}}}\n"
    )
    fresh.query("CREATE SECRET token AS 'known'")
    first = dbt(tmp_path)
    with Poster(fresh.http_port, "public") as poster:
        assert poster.post("posted", "1").status == 401
        assert poster.post("posted", "1", Authorization="Bearer known").status == 200
    assert fresh.query("SELECT n FROM counted") == [(1,)]
    again = dbt(tmp_path)
    assert "CREATE" in first["posted"].upper()
    assert "CREATE" not in again["posted"].upper(), again
    assert fresh.query("SELECT n FROM counted") == [(1,)]
