"""YAML of which a part changes, and nothing else."""

from __future__ import annotations

import pytest
import yaml
from ptvc.porting.properties import Properties
from ptvc.porting.yaml_edits import Document

TEXT = """\
# of the project
a:
  - x: 1  # first
    y: [1, 2]

  # about z
  - z: {p: 1, q: 2, r: 3}
    only: {s: 1}
b:
  c:
    d: |
      several
      lines
    e: "5"
f: 6
"""


def without(*paths: tuple[str | int, ...]) -> str:
    document = Document(TEXT)
    for entry in list(document.entries()):
        if entry.path in paths:
            document.remove(entry)
    return document.edited()


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ([], TEXT),
        ([("a", 0, "x")], TEXT.replace("x: 1  # first\n    ", "")),
        ([("a", 0, "y")], TEXT.replace("    y: [1, 2]\n", "")),
        ([("a", 1, "z", "p")], TEXT.replace("p: 1, ", "")),
        ([("a", 1, "z", "r")], TEXT.replace(", r: 3", "")),
        ([("a", 1, "only", "s")], TEXT.replace("    only: {s: 1}\n", "")),
        ([("b", "c", "d")], TEXT.replace("    d: |\n      several\n      lines\n", "")),
        ([("b", "c", "d"), ("b", "c", "e")], TEXT.split("b:\n")[0] + "f: 6\n"),
        ([("f",)], TEXT.replace("f: 6\n", "")),
    ],
)
def test_what_is_removed(paths: list[tuple[str | int, ...]], expected: str) -> None:
    made = without(*paths)
    assert made == expected
    yaml.safe_load(made)


def test_what_is_replaced() -> None:
    document = Document(TEXT)
    for entry in document.entries():
        if entry.path == ("b", "c", "e"):
            document.replace(entry.value, "7")
    assert document.edited() == TEXT.replace('"5"', "7")


def ported(text: str, dialect: str, path: str = "models/schema.yml") -> tuple[str, list[str]]:
    found = Properties(path, text, dialect).port()
    return found.text or text, [note.message for note in found.doubts]


def test_types_of_columns() -> None:
    text = 'models:\n  - name: m\n    columns:\n      - {name: a, data_type: "number(10,2)"}\n      - name: b\n        data_type: variant  # doc\n'
    made, doubts = ported(text, "snowflake")
    assert yaml.safe_load(made)["models"][0]["columns"][0]["data_type"] == "numeric(10,2)"
    assert "variant  # doc" in made
    assert ["variant" in doubt for doubt in doubts] == [True]


def test_conditions_of_tests() -> None:
    text = 'models:\n  - name: m\n    data_tests:\n      - unique:\n          config: {where: "iff(a = 1, true, false)"}\n      - x:\n          expression: "a / 2 > 1"\n      - y:\n          expression: ">= 0"\n'
    made, doubts = ported(text, "snowflake")
    config = yaml.safe_load(made)["models"][0]["data_tests"][0]["unique"]["config"]
    assert config == {"where": "case when a = 1 then true else false end"}
    assert [doubt.endswith("a / 2 > 1") for doubt in doubts] == [True]


def test_a_folder_may_be_called_as_a_config_is() -> None:
    text = "models:\n  shop:\n    secure:\n      +secure: true\n      +materialized: view\n"
    made, _ = ported(text, "snowflake", "dbt_project.yml")
    assert yaml.safe_load(made) == {"models": {"shop": {"secure": {"+materialized": "view"}}}}


@pytest.mark.parametrize(
    "text",
    [
        "name: shop\n",
        "name: shop\nmodels:\n  shop:\n    +transient: true\n    +tags: a\n",
        "name: shop\nmodels:\n  other:\n    +tags: a\n",
        "name: shop\nmodels:\n  shop:\n    +dialect: bigquery\n",
    ],
)
def test_a_dialect_for_all_models(text: str) -> None:
    properties = Properties("dbt_project.yml", text, "snowflake")
    properties.give_dialect("shop")
    made = yaml.safe_load(properties.port().text or "")
    assert made["models"]["shop"]["+dialect"] == "snowflake"
    assert made["name"] == "shop"
    assert "+transient" not in made["models"]["shop"]
