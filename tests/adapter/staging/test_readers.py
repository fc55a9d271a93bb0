from __future__ import annotations

from typing import Any

from dbt.adapters.ptvc.staging.readers import above_readers


def node(*parents: str, kind: str = "model", materialized: str = "view", **more: Any) -> dict[str, Any]:
    return {
        "resource_type": kind,
        "config": {"materialized": materialized},
        "depends_on": {"nodes": list(parents)},
        **more,
    }


def test_tests_tables_snapshots_and_python_models_read_contents() -> None:
    readers = {
        "test": node("a", kind="test", materialized="test"),
        "table": node("a", materialized="table"),
        "incremental": node("a", materialized="incremental"),
        "custom": node("a", materialized="of_their_own"),
        "snapshot": node("a", kind="snapshot", materialized="snapshot"),
        "python": node("a", materialized="view", language="python"),
    }
    for name, reader in readers.items():
        assert above_readers({"a": node(), name: reader}, ["a", name]) == {"a"}, name


def test_what_is_maintained_reads_nothing() -> None:
    for materialized in ("view", "materialized_view", "index", "sink", "source"):
        assert above_readers({"a": node(), "b": node("a", materialized=materialized)}, ["a", "b"]) == set()


def test_all_that_lies_above_a_reader() -> None:
    nodes = {"a": node(), "b": node("a"), "c": node("b", materialized="table"), "aside": node("a")}
    assert above_readers(nodes, list(nodes)) == {"a", "b"}


def test_a_reader_that_is_not_selected_does_not_count() -> None:
    nodes = {"a": node(), "b": node("a", materialized="table")}
    assert above_readers(nodes, ["a"]) == set()


def test_what_is_not_selected_hides_what_is_above_it() -> None:
    """It is not staged, so the reader finds the old one through it in any case."""
    nodes = {"a": node(), "between": node("a"), "c": node("between", materialized="table")}
    assert above_readers(nodes, ["a", "c"]) == set()


def test_an_ephemeral_model_is_a_part_of_its_reader() -> None:
    nodes = {
        "a": node(),
        "between": node("a", materialized="ephemeral"),
        "c": node("between", materialized="table"),
    }
    assert above_readers(nodes, ["a", "c"]) == {"a", "between"}
