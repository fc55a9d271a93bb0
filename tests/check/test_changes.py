"""What a change of a project does: which objects are built anew, which take their new definition in place, and what is said of why."""

from __future__ import annotations

from pathlib import Path

import pytest
from ptvc.check.changes import Action, Change, Compared, Comparison
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


def test_it_is_said_what_was_not_compared(root: Path) -> None:
    write(root, UPSTREAM)
    shown = "\n".join(str(line) for line in changes(comparison(root, {}), Project("", root, {})))
    assert shown == (
        "not compared: people, names\n  = the text is the same, but what it means could not be checked, now or before\n"
        "no other object changes"
    )
