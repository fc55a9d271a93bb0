"""The integration tests of dbt's packages, here and with dbt-postgres: what passes there passes here.

`copies.py` says where the packages are.  dbt-postgres is installed into an environment of its own.  Both run the package's project as
it is, but for the profile and for `packages.yml`, whose entries are read from the folder.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE, STDOUT, run

import pytest
import yaml

from benchmarks.dbt.adapters import DbtAdapter

from .copies import copied, skip_without

GOOD = ("success", "pass", "warn", "no-op")

BY_NAME = (
    "the project asks for the adapter by its name, target.type, and does what it does for none that it knows"
)


@dataclass(frozen=True, slots=True)
class Suite:
    """`project` is the folder of the package's tests, `profile` what that calls its own.  `differences` are the nodes, by
    a part of their name, that cannot be here as they are with dbt-postgres, with the reason."""

    package: str
    profile: str = "integration_tests"
    project: str = "integration_tests"
    commands: tuple[str, ...] = ("build --full-refresh",)
    differences: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.package}-{self.project}"


SUITES = (
    Suite("dbt_utils", differences={"test_date_spine": BY_NAME}),
    Suite("dbt_date"),
    Suite("dbt_expectations"),
    Suite("codegen", commands=("run-operation create_source_table", "seed --full-refresh", "run", "test")),
    Suite("audit_helper", commands=("seed --full-refresh", "run", "test")),
    Suite("dbt_project_evaluator"),
    Suite("dbt_project_evaluator", project="integration_tests_2"),
    Suite("dbt_artifacts", profile="dbt_artifacts", project="integration_test_project"),
)

ENVIRONMENT = {
    "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    "TEST_ENV_VAR_NUMBER": "10",
    "TEST_ENV_VAR_EMPTY": "",
    "TEST_ENV_VAR_WITH_QUOTE": "'single' and \"double\"",
}
"""What the projects read of it."""


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("suite", SUITES, ids=str)
def test_what_passes_with_postgres_passes_here(
    suite: Suite,
    copies: Path,
    adapters: tuple[DbtAdapter, DbtAdapter],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    skip_without(copies, suite.package)
    here, there = (results(suite, adapter, copies, tmp_path / adapter.name) for adapter in adapters)
    with capsys.disabled():
        print(f"\n{suite}: {counts(here)}; with dbt-postgres: {counts(there)}")
    assert any(status in GOOD for status, _ in there.values())
    fails = {
        name: here.get(name, ("missing", ""))
        for name, (status, _) in there.items()
        if status in GOOD and here.get(name, ("missing", ""))[0] not in GOOD
    }
    unexpected = {
        name: said for name, said in fails.items() if not any(part in name for part in suite.differences)
    }
    assert unexpected == {}
    unfounded = [part for part in suite.differences if not any(part in name for name in fails)]
    assert unfounded == [], "these are no differences any more"


def results(suite: Suite, adapter: DbtAdapter, packages: Path, place: Path) -> dict[str, tuple[str, str]]:
    """Status and message of each node, and of each command that has none."""
    copied(packages, place)
    project = place / suite.package / suite.project
    output = {**adapter.output, "schema": f"of_{suite.package}", "threads": 4}
    profile = {suite.profile: {"target": "postgres", "outputs": {"postgres": output}}}
    (project / "profiles.yml").write_text(yaml.safe_dump(profile))
    environment = {**adapter.environment, **ENVIRONMENT, "DBT_PROFILES_DIR": str(project)}
    environment["DBT_LOG_PATH"], environment["POSTGRES_SCHEMA"] = str(place / "logs"), output["schema"]
    found: dict[str, tuple[str, str]] = {}
    for command in ("deps", *suite.commands):
        written = project / "target" / "run_results.json"
        written.unlink(missing_ok=True)
        program = [str(adapter.program), "--no-use-colors", *command.split()]
        done = run(program, cwd=project, env=environment, stdout=PIPE, stderr=STDOUT, text=True, check=False)
        if written.exists() and command.split()[0] in ("build", "seed", "run", "test"):
            for result in json.loads(written.read_text())["results"]:
                found[result["unique_id"]] = result["status"], result["message"] or ""
        else:
            found[command] = "success" if done.returncode == 0 else "error", done.stdout[-2000:]
    return found


def counts(found: Mapping[str, tuple[str, str]]) -> str:
    shown = Counter(status for status, _ in found.values()).most_common()
    return ", ".join(f"{number} {status}" for status, number in shown)
