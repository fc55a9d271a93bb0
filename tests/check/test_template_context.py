"""What is rendered in a context of a few names is what dbt renders in its whole one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ptvc.check import template_context
from ptvc.check.run import of_project

MODELS = {
    "plain": "select 1 as n",
    "named": "{{ config(materialized='view') }}\nselect n from {{ ref('plain') }} -- {{ ref('plain').identifier }}\n\n",
    "spaced": "{#- what is said -#} select {{- ' n' }}, '{{ \"{{\" }}' as t from {{ source('raw', 'events') -}}\n",
    "ephemeral": "{{ config(materialized='ephemeral') }} select n from {{ ref('plain') }}",
    "above": "select n from {{ ref('ephemeral') }} where n > {{ var('least', 0) }}",
    "of_another": "select n from {{ ref('ephemeral') }}",
    "looped": "{% for k in ['a', 'b'] %}select n, '{{ k }}' as k from {{ ref('plain') }}{% if not loop.last %} union all {% endif %}{% endfor %}",
    "set_here": "{% set below = ref('named') %}select n from {{ below }}",
    "of_macros": "select {{ twice('n') }} as n from {{ ref('plain') }}",
}
SOURCES = """
sources:
  - name: raw
    tables: [{name: events, columns: [{name: n, data_type: int}]}]
"""


def project(folder: Path, macros: str) -> Path:
    folder.mkdir()
    (folder / "dbt_project.yml").write_text("name: p\nversion: 1.0.0\nprofile: p\n")
    (folder / "profiles.yml").write_text(
        "p: {target: d, outputs: {d: {type: ptvc, path: ./.ptvc, schema: public}}}\n"
    )
    for name in ("models", "macros"):
        (folder / name).mkdir()
    (folder / "macros" / "m.sql").write_text(macros)
    (folder / "models" / "sources.yml").write_text(SOURCES)
    for name, sql in MODELS.items():
        (folder / "models" / f"{name}.sql").write_text(sql)
    return folder


def rendered(folder: Path) -> dict[str, str]:
    with of_project(folder, ["--profiles-dir", str(folder)]) as subject:
        result = subject.check().result
    assert result.findings == []
    return {id_: checked.sql for id_, checked in result.checked.items()}


TWICE = "{% macro twice(n) %}{{ n }} * 2{% endmacro %}"
OVERRIDDEN = "{% macro ref(name) %}{{ builtins.ref(name) }} {{ '' }}{% endmacro %}"


@pytest.mark.parametrize("macros", [TWICE, TWICE + OVERRIDDEN], ids=["builtins", "overridden"])
def test_it_is_what_dbt_renders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, macros: str) -> None:
    made: list[str] = []
    whole = template_context.Compiler._create_node_context

    def counted(self: Any, node: Any, *arguments: Any) -> Any:
        made.append(node.name)
        return whole(self, node, *arguments)

    monkeypatch.setattr(template_context.Compiler, "_create_node_context", counted)
    lean = rendered(project(tmp_path / "lean", macros))
    whole_ones = set(made)
    monkeypatch.setattr(template_context, "NAMES", frozenset[str]())
    assert rendered(project(tmp_path / "whole", macros)) == lean
    assert len(lean) == len(MODELS) + 1  # and the source
    if OVERRIDDEN in macros:
        assert whole_ones >= set(MODELS)
    else:
        assert whole_ones == {"above", "of_macros"}
