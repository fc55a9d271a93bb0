"""What a change of a project does: which objects are built anew, which take their new definition in place, and what is said of why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ptvc.check.changes import Action, Change, Compared, Comparison
from ptvc.check.environment import Environment
from ptvc.check.nodes import Project
from ptvc.check.run import of_project
from ptvc.check.text import changes

from .mistakes import FILES, write

PROJECT = FILES | {
    "models/daily.sql": """\
{{ config(materialized='materialized_view') }}
select day, count(*) as orders, sum(amount) as total from {{ ref('orders') }} where status = 'paid' group by day
""",
    "models/best.sql": """\
{{ config(materialized='materialized_view') }}
select day, total from {{ ref('daily') }} where total > 10
""",
    "models/copied.sql": "{{ config(materialized='table') }}\nselect * from {{ ref('daily') }}\n",
    "models/over_copied.sql": "select day from {{ ref('copied') }}\n",
    "models/feed.sql": """\
{{ config(materialized='sink', connector="file '/tmp/feed'", format='json', key=['day'], envelope='upsert') }}
select * from {{ ref('daily') }}
""",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, PROJECT)
    return tmp_path


def compared(root: Path, files: dict[str, str | None]) -> dict[str, Change]:
    """By name, after the project was parsed as it is and then changed."""
    return {change.node.name: change for change in comparison(root, files).changes}


def comparison(root: Path, files: dict[str, str | None]) -> Compared:
    options = ["--profiles-dir", str(root)]
    with of_project(root, options) as subject:
        assert subject.check().result.findings == []
    state = root / "state"
    (root / "target").rename(state)
    for name, text in files.items():
        if text is None:
            (root / name).unlink()
        else:
            write(root, {name: text})
    with of_project(root, options) as subject:
        version = subject.check()
        assert version.result.findings == []
        return Comparison(subject.former(state), version).compared()


def edited(name: str, before: str, after: str) -> dict[str, str | None]:
    text = PROJECT[name]
    assert before in text
    return {name: text.replace(before, after)}


def reasons(change: Change) -> list[tuple[str, str | None, str | None]]:
    return [(reason.part, reason.before, reason.after) for reason in change.reasons]


def test_nothing_changes(root: Path) -> None:
    assert compared(root, {}) == {}


def test_comments_and_spacing_are_no_change(root: Path) -> None:
    text = PROJECT["models/daily.sql"]
    assert (
        compared(root, {"models/daily.sql": "-- of paid ones\n" + text.replace(" where", "\n\nWHERE")}) == {}
    )


def test_a_filter_changes_in_place(root: Path) -> None:
    found = compared(root, edited("models/daily.sql", "'paid'", "'shipped'"))
    assert {name: change.action for name, change in found.items()} == {"daily": Action.IN_PLACE}
    assert found["daily"].kept == ("model.shop.best", "model.shop.feed")
    assert reasons(found["daily"]) == [
        ("filter", "(orders.status = 'paid')", "(orders.status = 'shipped')"),
    ]


def test_another_column_is_built_anew_with_what_rests_on_it(root: Path) -> None:
    found = compared(root, edited("models/daily.sql", "count(*) as orders, ", ""))
    assert {name: change.action for name, change in found.items()} == {
        "daily": Action.REBUILT,
        "best": Action.IN_PLACE,
        "copied": Action.REBUILT,
        "over_copied": Action.REBUILT,
        "feed": Action.REFUSED,
    }
    assert found["feed"].why_refused == 'column 2 is called "total" instead of "orders"'
    assert found["daily"].why_not_in_place == 'column 2 is called "total" instead of "orders"'
    assert ("columns", "orders bigint", None) in reasons(found["daily"])
    assert found["best"].because_of == "model.shop.daily"
    assert found["over_copied"].because_of == "model.shop.copied"


def test_a_sink_goes_on_over_what_has_its_columns(root: Path) -> None:
    text = PROJECT["models/daily.sql"]
    found = compared(root, {"models/daily.sql": text.replace("'materialized_view'", "'table'")})
    assert (found["daily"].action, found["feed"].action) == (Action.REBUILT, Action.CUT_OVER)
    assert found["feed"].why_refused is None


def test_a_view_is_built_anew_and_a_table_above_is_not(root: Path) -> None:
    found = compared(
        root, edited("models/orders.sql", "placed_at::date", "(placed_at - interval '1 day')::date")
    )
    assert found["orders"].action is Action.REBUILT
    assert [part for part, _, _ in reasons(found["orders"])] == ["column day"]
    assert {name: change.action for name, change in found.items()} == {
        "orders": Action.REBUILT,
        "daily": Action.IN_PLACE,
        "totals": Action.IN_PLACE,
    }
    assert found["daily"].because_of == "model.shop.orders"
    assert found["daily"].kept == ("model.shop.best", "model.shop.feed")


def test_the_rows_of_a_table_are_exchanged(root: Path) -> None:
    found = compared(root, edited("models/copied.sql", "('daily') }}", "('daily') }} where total > 0"))
    assert {name: change.action for name, change in found.items()} == {"copied": Action.REFILLED}
    assert reasons(found["copied"]) == [("filter", None, "(daily.total > 0::numeric)")]


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize(
    ("before", "after", "parts"),
    [
        ("sum(amount)", "sum(amount + 1)", ["column total"]),
        (
            "{{ ref('orders') }}",
            "{{ ref('orders') }} join {{ ref('countries') }} on country = code",
            ["reads", "join"],
        ),
        ("group by day", "group by day, customer", ["group"]),
        ("group by day", "group by day order by day limit 5", ["order"]),
        ("sum(amount) as total", "sum(orders.amount) as total", ["text"]),
    ],
)
def test_what_is_said_of_why(root: Path, before: str, after: str, parts: list[str]) -> None:
    found = compared(root, edited("models/daily.sql", before, after))
    assert found["daily"].action is Action.IN_PLACE
    assert [part for part, _, _ in reasons(found["daily"])] == parts


def test_options_and_kinds(root: Path) -> None:
    found = compared(
        root,
        edited("models/daily.sql", "'materialized_view'", "'materialized_view', retain_history='1h'")
        | edited("models/over_copied.sql", "select", "{{ config(materialized='materialized_view') }}select"),
    )
    assert found["daily"].action is Action.IN_PLACE
    assert reasons(found["daily"]) == [("retain_history", None, "1h")]
    assert found["over_copied"].action is Action.REBUILT
    assert reasons(found["over_copied"]) == [("materialized", "view", "materialized_view")]


def test_an_incremental_model_goes_on(root: Path) -> None:
    text = "{{ config(materialized='incremental') }}select id, amount from {{ ref('orders') }}"
    later = "{% if is_incremental() %} where id > (select max(id) from {{ this }}){% endif %}\n"
    write(root, {"models/added.sql": text + later})
    found = compared(root, {"models/added.sql": text.replace("amount", "amount * 2 as amount") + later})
    assert {name: change.action for name, change in found.items()} == {"added": Action.ONWARD}
    assert [part for part, _, _ in reasons(found["added"])] == ["columns", "column amount"]


def test_what_comes_and_what_goes(root: Path) -> None:
    found = compared(
        root,
        {"models/best.sql": None, "models/newest.sql": "select max(day) as day from {{ ref('orders') }}\n"},
    )
    assert {name: change.action for name, change in found.items()} == {
        "best": Action.GONE,
        "newest": Action.NEW,
    }


RENAMED: dict[str, str | None] = {
    "models/over_copied.sql": None,
    "models/renamed.sql": PROJECT["models/over_copied.sql"],
}
"""What the former name has made is there still, over the table."""


def test_what_a_renamed_model_has_left_is_in_the_way_of_what_it_rests_on(root: Path) -> None:
    found = compared(root, RENAMED | edited("models/copied.sql", "select *", "select day"))
    assert {name: change.action for name, change in found.items()} == {
        "copied": Action.REFUSED,
        "over_copied": Action.GONE,
        "renamed": Action.NEW,
    }
    assert found["copied"].why_refused == (
        'view "public"."over_copied" rests on it, and nothing in this project makes that any more: `drop view "public"."over_copied"`, '
        "or `dbt run --full-refresh --select copied+`, which drops that too"
    )
    assert ("columns", "total numeric", None) in reasons(found["copied"])


@pytest.mark.parametrize("project_text", ["ephemeral", "not stored"])
def test_a_node_that_makes_no_object_any_more_has_left_one(root: Path, project_text: str) -> None:
    test, stored = (
        "select * from {{ ref('copied') }} where total < 0\n",
        "{{ config(store_failures_as='view') }}",
    )
    write(root, {"tests/none_below.sql": stored + test})
    ephemeral = "{{ config(materialized='ephemeral') }}" + PROJECT["models/over_copied.sql"]
    left: dict[str, str | None] = (
        {"models/over_copied.sql": ephemeral}
        if project_text == "ephemeral"
        else {"tests/none_below.sql": test}
    )
    found = compared(root, left | edited("models/copied.sql", "select *", "select day, total, 1 as one"))
    assert found["copied"].action is Action.REFUSED


def test_a_model_with_another_alias_has_left_what_had_its_former_one(root: Path) -> None:
    aliased: dict[str, str | None] = {
        "models/over_copied.sql": "{{ config(alias='other') }}" + PROJECT["models/over_copied.sql"]
    }
    found = compared(root, aliased | edited("models/copied.sql", "select *", "select day"))
    assert found["copied"].action is Action.REFUSED
    assert '"public"."over_copied" rests on it' in str(found["copied"].why_refused)


MOVED: dict[str, str | None] = {
    "models/over_copied.sql": "{{ config(schema='mart') }}" + PROJECT["models/over_copied.sql"]
}


def test_a_model_that_moves_to_another_schema_is_new_there_and_stays_where_it_was(root: Path) -> None:
    write(
        root,
        {
            "models/above.sql": "{{ config(materialized='materialized_view') }}select day from {{ ref('over_copied') }}\n"
        },
    )
    found = comparison(root, MOVED).changes
    assert [(change.node.name, change.node.schema, change.action) for change in found] == [
        ("over_copied", "public_mart", Action.NEW),
        ("above", "public", Action.IN_PLACE),
        ("over_copied", "public", Action.GONE),
    ]
    assert reasons(found[0]) == [("schema", None, "public_mart")]
    assert reasons(found[1]) == [("reads", '"public"."over_copied"', '"public_mart"."over_copied"')]
    assert reasons(found[2]) == [("schema", "public", None)]


def test_what_a_moved_model_has_left_is_in_the_way_of_what_it_rests_on(root: Path) -> None:
    found = comparison(root, MOVED | edited("models/copied.sql", "select *", "select day")).changes
    assert [(change.node.name, change.action) for change in found] == [
        ("copied", Action.REFUSED),
        ("over_copied", Action.NEW),
        ("over_copied", Action.GONE),
    ]
    assert '`drop view "public"."over_copied"`' in str(found[0].why_refused)


def test_nothing_is_in_the_way_of_what_has_moved_itself(root: Path) -> None:
    write(root, {"models/above.sql": "select day from {{ ref('over_copied') }}\n"})
    above: dict[str, str | None] = {
        "models/above.sql": "{{ config(alias='higher') }}select day from {{ ref('over_copied') }}\n"
    }
    found = comparison(root, MOVED | above | edited("models/copied.sql", "select *", "select day")).changes
    assert [(change.node.name, change.action) for change in found] == [
        ("copied", Action.REFUSED),
        ("over_copied", Action.NEW),
        ("above", Action.NEW),
        ("over_copied", Action.GONE),
        ("above", Action.GONE),
    ]
    assert reasons(found[2]) == [("alias", None, "higher")]


def test_the_former_project_may_be_of_another_target(root: Path) -> None:
    project: dict[str, str | None] = {
        "profiles.yml": FILES["profiles.yml"].replace("schema: public", "schema: ci")
    }
    assert project["profiles.yml"] != FILES["profiles.yml"]
    found = compared(root, project | edited("models/copied.sql", "select *", "select day"))
    assert found["copied"].action is Action.REBUILT
    assert reasons(found["over_copied"]) == [
        ("schema", "public", "ci"),
        ("reads", '"public"."copied"', '"ci"."copied"'),
    ]


def test_a_table_that_is_filled_from_what_is_staged_is_a_new_one(root: Path) -> None:
    found = compared(root, RENAMED | edited("models/daily.sql", "'paid'", "'shipped'"))
    assert (found["daily"].action, found["copied"].action) == (Action.IN_PLACE, Action.REFUSED)
    assert found["copied"].because_of == "model.shop.daily"


def test_what_is_left_is_in_nobodys_way_while_nothing_below_is_made_anew(root: Path) -> None:
    found = compared(
        root, RENAMED | edited("models/copied.sql", "('daily') }}", "('daily') }} where total > 0")
    )
    assert found["copied"].action is Action.REFILLED


def test_what_rests_on_what_changes_in_place_goes_on(root: Path) -> None:
    found = compared(root, {"models/best.sql": None} | edited("models/daily.sql", "'paid'", "'shipped'"))
    assert (found["daily"].action, found["best"].action) == (Action.IN_PLACE, Action.GONE)


UPSTREAM = {
    "models/shop.sql": "{{ config(materialized='source') }}\nfrom postgres connection app (publication 'p')\n",
    "models/people.sql": "{{ config(materialized='source_table') }}\nfrom source {{ ref('shop') }} (reference people)\n",
    "models/names.sql": "{{ config(materialized='materialized_view') }}\nselect name from {{ ref('people') }}\n",
}
"""A database is not asked for columns: its tables are not checked, nor what reads them."""


def test_what_could_not_be_checked_is_not_called_unchanged(root: Path) -> None:
    write(root, UPSTREAM)
    found = comparison(root, {})
    assert list(found.changes) == []
    assert [node.name for node in found.not_compared] == ["people", "names"]


@pytest.mark.parametrize(
    ("edit", "changed"),
    [
        (
            {"models/people.sql": UPSTREAM["models/people.sql"].replace("people)", "others)")},
            {"people", "names"},
        ),
        ({"models/shop.sql": UPSTREAM["models/shop.sql"].replace("'p'", "'q'")}, {"shop", "people", "names"}),
        ({"models/names.sql": UPSTREAM["models/names.sql"].replace("name", "upper(name)")}, {"names"}),
    ],
)
def test_what_could_not_be_checked_is_compared_as_text(
    root: Path, edit: dict[str, str | None], changed: set[str]
) -> None:
    write(root, UPSTREAM)
    found = comparison(root, edit)
    assert {change.node.name: change.action for change in found.changes} == dict.fromkeys(
        changed, Action.REBUILT
    )
    assert {node.name for node in found.not_compared} == {"people", "names"} - changed


def test_one_that_could_not_be_checked_may_go(root: Path) -> None:
    write(root, UPSTREAM)
    found = compared(root, {"models/names.sql": None})
    assert {name: change.action for name, change in found.items()} == {"names": Action.GONE}


def test_a_sink_of_which_it_is_not_known_what_it_read_is_not_compared(root: Path) -> None:
    options, text = ["--profiles-dir", str(root)], PROJECT["models/daily.sql"]
    with of_project(root, options) as subject:
        subject.check()
    (root / "target").rename(root / "state")
    write(root, {"models/daily.sql": text.replace("'materialized_view'", "'table'")})
    with of_project(root, options) as subject:
        version, former = subject.check(), subject.former(root / "state")
        for old, left in ((former, []), (replace(former, environment=Environment(0)), ["feed"])):
            found = Comparison(old, version).compared()
            assert {c.node.name for c in found.changes if c.action is Action.CUT_OVER} == {"feed"}
            assert [node.name for node in found.not_compared] == left


def test_it_is_said_what_was_not_compared(root: Path) -> None:
    write(root, UPSTREAM)
    shown = "\n".join(str(line) for line in changes(comparison(root, {}), Project("", root, {})))
    assert shown == (
        "not compared: people, names\n  = the text is the same, but what it means could not be checked, now or before\n"
        "no other object changes"
    )
