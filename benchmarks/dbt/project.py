"""The dbt projects that both adapters run; one of them is a seed, staging views, materialized views over views, generic tests.

Everything in them is plain PostgreSQL, so both adapters get the same files; the profile alone differs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SCHEMA = "bench"
SEED_ROWS = 1_000
STAGING = 5

PROJECT = {
    "name": "bench",
    "version": "1.0.0",
    "config-version": 2,
    "profile": "bench",
    "flags": {"send_anonymous_usage_stats": False},
}


def write_project(folder: Path, models: int, *, with_tests: bool) -> None:
    """A project of `models` models: a few views over the seed, the rest materialized views, each on one or two before it."""
    texts = {
        f"m{number:03}": _staging(number) if number < STAGING else _mart(number) for number in range(models)
    }
    write_models(folder, texts)
    (folder / "seeds").mkdir()
    rows = "".join(f"{i},{i % 50},{i * 7 % 1000}\n" for i in range(SEED_ROWS))
    (folder / "seeds" / "events.csv").write_text("id,kind,amount\n" + rows)
    if with_tests:
        tested = [{"name": "kind", "data_tests": ["not_null"]}]
        write_properties(folder, {"models": [{"name": name, "columns": tested} for name in texts]})


def write_models(folder: Path, texts: Mapping[str, str]) -> None:
    """A project of these models, by their names."""
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text(json.dumps(PROJECT))  # JSON is YAML
    for name, text in texts.items():
        (folder / "models" / f"{name}.sql").write_text(text)


def write_properties(folder: Path, properties: Mapping[str, Any]) -> None:
    (folder / "models" / "properties.yml").write_text(json.dumps(properties))


def _staging(number: int) -> str:
    return (
        "{{ config(materialized='view') }}\n"
        f"select id, kind, amount + {number} as amount from {{{{ ref('events') }}}} where kind % {STAGING} = {number}"
    )


def _mart(number: int) -> str:
    """A group-by of a staging view, or a join of two marts."""
    head = "{{ config(materialized='materialized_view') }}\n"
    if number < 3 * STAGING:
        return f"{head}select kind, count(*) as n, sum(amount) as total from {{{{ ref('m{number % STAGING:03}') }}}} group by kind"
    one, other = number - STAGING, number - 2 * STAGING
    return (
        f"{head}select a.kind, a.n, a.total + b.total as total "
        f"from {{{{ ref('m{one:03}') }}}} a join {{{{ ref('m{other:03}') }}}} b on a.kind = b.kind"
    )


def write_profile(folder: Path, output: Mapping[str, Any]) -> None:
    profile = {"bench": {"target": "dev", "outputs": {"dev": {"schema": SCHEMA, "threads": 4, **output}}}}
    (folder / "profiles.yml").write_text(json.dumps(profile))
