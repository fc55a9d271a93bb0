from __future__ import annotations

from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.retired import Retirement, is_retired, left_over, retired_below, stands_for


def relation(name: str, kind: str = "view") -> PtvcRelation:
    return PtvcRelation.create(database="ptvc", schema="s", identifier=name, type=kind)


BASE, DAY = relation("base"), relation("day", "materialized_view")
SINK, OTHER = relation("feed", "sink"), relation("other")
INDEX = relation("day_idx", "index")
EDGES = [(DAY, BASE), (SINK, DAY), (INDEX, DAY), (OTHER, BASE)]


def names(relations: object) -> list[str]:
    return [found.identifier for found in relations]  # type: ignore[attr-defined]


def test_without_a_sink_all_goes_with_the_relation() -> None:
    assert Retirement.of(BASE, [], EDGES) == Retirement((), (BASE,))


def test_what_lies_between_a_sink_and_the_relation_is_renamed_and_the_rest_dropped() -> None:
    retirement = Retirement.of(BASE, [SINK], EDGES)
    assert [(old.identifier, new.identifier) for old, new in retirement.renamed] == [
        ("base", "base__dbt_old_1"),
        ("day", "day__dbt_old_1"),
    ]
    assert sorted(names(retirement.dropped)) == ["day_idx", "other"]


def test_what_is_retired_keeps_its_name_and_another_one_gets_the_next() -> None:
    former = relation("base__dbt_old_1")
    retirement = Retirement.of(BASE, [SINK], [(former, BASE), (SINK, former)])
    assert [(old.identifier, new.identifier) for old, new in retirement.renamed] == [
        ("base", "base__dbt_old_2")
    ]
    assert retirement.dropped == ()


def test_what_a_sink_has_left() -> None:
    base, day = relation("base__dbt_old_1"), relation("day__dbt_old_1")
    edges = [(day, base), (SINK, day), (relation("second", "sink"), base)]
    assert names(retired_below(SINK, edges)) == ["day__dbt_old_1", "base__dbt_old_1"]
    assert names(left_over([day, base], [*edges[2:], (day, base)])) == ["day__dbt_old_1"]


def test_names() -> None:
    long = "n" * 63
    retired = Retirement.of(relation(long), [SINK], [(SINK, relation(long))]).renamed[0][1]
    assert len(retired.identifier or "") == 63
    assert is_retired(retired)
    assert stands_for(retired.identifier, long)
    assert stands_for("day", "day")
    assert not stands_for("day__dbt_old_1", "days")
    assert not stands_for("day", None)
