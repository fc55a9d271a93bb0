"""What takes its place, and what is held back."""

from __future__ import annotations

from typing import Any

from dbt.adapters.ptvc.relation import PtvcRelation
from dbt.adapters.ptvc.staging.placing import statements
from dbt.adapters.ptvc.staging.staged import (
    Held,
    Staged,
    children_of,
    descendants,
    held,
    in_place,
    staging_schema,
)

STAGING = {"s__dbt_next"}
# a <- b <- c, and d of its own
CHILDREN = children_of({"b": ["a"], "c": ["b"], "d": []})


def relation(name: str, kind: str = "view", schema: str = "s") -> PtvcRelation:
    return PtvcRelation.create(database="ptvc", schema=schema, identifier=name, type=kind)


def staged(name: str, kind: str = "view", **options: Any) -> Staged:
    existing = options.pop("existing", relation(name, kind))
    return Staged(name, relation(name, kind), relation(name, kind, "s__dbt_next"), existing, **options)


def of(*names: str) -> list[Staged]:
    return [staged(name) for name in names]


def edges(*pairs: tuple[str, str], kind: str = "view") -> list[tuple[PtvcRelation, PtvcRelation]]:
    return [(relation(dependent, kind), relation(on)) for dependent, on in pairs]


def test_the_name_of_a_staging_schema_fits() -> None:
    assert staging_schema("s") == "s__dbt_next"
    assert len(staging_schema("s" * 63)) == 63


def test_a_text_says_where_what_is_staged_will_be() -> None:
    text = 'select * from "s__dbt_next"."a", t__dbt_next.b, u__dbt_next.c'
    assert in_place(text, ["s", "t"]) == 'select * from "s"."a", t.b, u__dbt_next.c'


def test_descendants() -> None:
    assert descendants(["a"], CHILDREN) == {"b", "c"}


def test_without_a_failure_nothing_is_held() -> None:
    assert held(of("a", "b", "d"), [], CHILDREN, edges(("b", "a")), STAGING) == {}


def test_what_is_above_and_below_a_failure_is_held_and_nothing_else() -> None:
    assert set(held(of("a", "c", "d"), ["b"], CHILDREN, [], STAGING)) == {"a", "c"}


def test_a_failure_holds_by_way_of_what_is_held() -> None:
    """x is below a as well, and a is held since b failed."""
    children = children_of({"b": ["a"], "x": ["a", "y"], "z": ["y"]})
    assert set(held(of("a", "x", "y", "z"), ["b"], children, [], STAGING)) == {"a", "x", "y", "z"}


def test_an_object_that_something_else_rests_on_is_held() -> None:
    causes = held(of("a", "d"), [], CHILDREN, edges(("theirs", "a")), STAGING)
    assert list(causes) == ["a"]
    assert '"theirs" rests on it' in causes["a"].reason


def test_what_something_else_rests_on_is_an_error_with_the_remedy() -> None:
    """Nothing else of the run has failed; what is connected with it is skipped."""
    rests = edges(("near", "a"), ("far", "near"))
    causes = held(of("a", "b"), [], CHILDREN, rests, STAGING)
    assert causes["a"].is_error
    assert '`drop view "s"."far"; drop view "s"."near"`' in causes["a"].reason
    over = held(of("a", "d"), [], CHILDREN, [*rests, *edges(("d", "near"))], STAGING)
    assert '`drop view "s"."far"; drop view "s"."near" cascade`' in over["a"].reason
    assert causes["b"] == Held("a, which it is made from, stays as it was")


def test_full_refresh_lets_it_fall() -> None:
    assert held([staged("a", forced=True)], [], CHILDREN, edges(("theirs", "a")), STAGING) == {}


def test_full_refresh_lets_nothing_fall_that_the_run_has_made() -> None:
    """Through a function, or a name that is no ref, it rests on the old one."""
    rests = edges(("b", "a"))
    assert set(held([staged("a", forced=True)], [], CHILDREN, rests, STAGING, {("s", "b")})) == {"a"}


def test_what_is_replaced_in_place_leaves_the_old_one_first() -> None:
    resting = [staged("a"), staged("b", "materialized_view", in_place=True)]
    assert held(resting, [], CHILDREN, edges(("b", "a")), STAGING) == {}


def test_what_is_staged_does_not_hold() -> None:
    own = [(relation("b", schema="s__dbt_next"), relation("a"))]
    assert held(of("a"), [], CHILDREN, own, STAGING) == {}


def test_replacements_come_first_then_drops_then_moves() -> None:
    taken = [staged("b", "materialized_view", in_place=True), staged("a"), staged("new", existing=None)]
    assert statements(taken, edges(("b", "a")), STAGING, {}) == [
        'alter materialized view "s"."b" apply replacement "s__dbt_next"."b"',
        'drop view if exists "s"."a" cascade',
        'alter view "s__dbt_next"."a" set schema "s"',
        'alter view "s__dbt_next"."new" set schema "s"',
    ]


def test_indexes_of_a_replaced_view_get_their_names() -> None:
    one = staged(
        "b", "materialized_view", in_place=True, renamed_indexes=(("i", "j"),), dropped_indexes=("k",)
    )
    assert statements([one], [], STAGING, {})[1:] == [
        'alter index "s"."i" rename to "j"',
        'drop index if exists "s"."k"',
    ]


def test_an_index_goes_with_what_it_is_on() -> None:
    assert statements([staged("a"), staged("i", "index", existing=None)], [], STAGING, {}) == [
        'drop view if exists "s"."a" cascade',
        'alter view "s__dbt_next"."a" set schema "s"',
    ]


FEED = relation("feed", "sink")


def test_a_sink_goes_on_with_what_takes_the_name() -> None:
    rests = [(relation("b"), relation("a")), (FEED, relation("b"))]
    taken = [staged("a", sinks=(FEED,)), staged("b", sinks=(FEED,))]
    assert statements(taken, rests, STAGING, {("s", "feed"): ("s", "b")}) == [
        'alter view "s"."a" rename to "a__dbt_old_1"',
        'alter view "s"."b" rename to "b__dbt_old_1"',
        'alter view "s__dbt_next"."a" set schema "s"',
        'alter view "s__dbt_next"."b" set schema "s"',
        'alter sink "s"."feed" set from "s"."b"',
    ]


def test_a_sink_that_has_not_come_to_what_it_reads_goes_on_with_what_takes_the_name_of_that() -> None:
    rests = [(FEED, relation("a")), (FEED, relation("a__dbt_old_1"))]
    assert statements([staged("a", sinks=(FEED,))], rests, STAGING, {("s", "feed"): ("s", "a")}) == [
        'alter view "s"."a" rename to "a__dbt_old_2"',
        'alter view "s__dbt_next"."a" set schema "s"',
        'alter sink "s"."feed" set from "s"."a"',
    ]


def test_a_sink_does_not_go_back_to_what_takes_the_name_of_what_it_has_read() -> None:
    rests = [(FEED, relation("b")), (FEED, relation("a"))]
    assert statements([staged("a", sinks=(FEED,))], rests, STAGING, {("s", "feed"): ("s", "b")}) == [
        'alter view "s"."a" rename to "a__dbt_old_1"',
        'alter view "s__dbt_next"."a" set schema "s"',
    ]


def test_a_failed_test_is_named_by_all_that_it_holds() -> None:
    """b was skipped for it, a is above b, and x only below a."""
    children = children_of({"b": ["a"], "x": ["a"]})
    causes = held(of("a", "x"), ["b"], children, [], STAGING, tests={"b": "paid_small"})
    assert causes == {
        "a": Held("b is made from it, and stays as it was, since test paid_small failed"),
        "x": Held("a, which it is made from, stays as it was, since test paid_small failed"),
    }
