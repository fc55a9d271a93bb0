"""What a source could leave out: derived of the readers that are there."""

from __future__ import annotations

import pytest
from ptvc.check.environment import Environment
from ptvc.coord.catalog.items import Source
from ptvc.coord.query.sources.offers import ColumnsOffer, source_offers
from ptvc.coord.query.sources.readers import source_use
from ptvc.sql.parser.parse import parse
from ptvc.sql.plan import plan
from ptvc.sql.plans.explain_plans import ExplainSource
from ptvc.sql.syntax.vocabulary import OfferKind

COLUMNS = "id int NOT NULL, kind text, n int NOT NULL, at timestamptz, late timestamp, price numeric(9,2), note text"


class Offered:
    """A source with readers, and what it is offered."""

    def __init__(self, *statements: str, end: str = "") -> None:
        self.environment = Environment(0)
        create = f"CREATE SOURCE s ({COLUMNS}) FROM FILE '/nowhere' FORMAT CSV WITHOUT HEADER {end}"
        for sql in (create, *statements):
            self.environment.define(sql)
        (statement,) = parse("EXPLAIN SOURCE s")
        explain = plan(statement, self.environment.context)
        assert isinstance(explain, ExplainSource)
        item = self.environment.catalog.get(explain.source)
        assert isinstance(item, Source)
        use = source_use(item.id, item.physical, self.environment.catalog)
        found = source_offers(item, use, self.environment.catalog, explain.bind)
        self.offers = {offer.kind: offer for offer in found.offers}
        self.refused = [refusal.text for refusal in found.refusals]

    def text(self, kind: OfferKind) -> str | None:
        return self.offers[kind].text if kind in self.offers else None


def view(name: str, where: str, columns: str = "id") -> str:
    return f"CREATE MATERIALIZED VIEW {name} AS SELECT {columns} FROM s WHERE {where}"


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("kind = 'a'", "(kind = 'a')"),
        ("kind = 'it''s'", "(kind = 'it''s')"),
        ("n > 2 AND n < 5", "(n > 2) AND (n < 5)"),
        ("NOT kind = 'a'", "(NOT (kind = 'a'))"),
        ("kind IS NOT NULL", "(kind IS NOT NULL)"),
        ("kind IS DISTINCT FROM 'a'", "(kind IS DISTINCT FROM 'a')"),
        ("kind LIKE 'a%'", "(kind LIKE 'a%')"),
        ("n IN (1, 2)", "(n IN (1, 2))"),
        ("n = -1", "(n = CAST('-1' AS integer))"),
        ("price > 2.5", "(price > CAST('2.5' AS numeric))"),
        ("late >= '2026-01-01'", "(late >= CAST('2026-01-01 00:00:00' AS timestamp without time zone))"),
        ("at >= '2026-01-01+00'", "(at >= CAST('2026-01-01 00:00:00+00' AS timestamp with time zone))"),
        ("coalesce(kind, note) = 'a'", "(coalesce(kind, note) = 'a')"),
        ("length(kind) = 3", "(length(kind) = 3)"),
        (
            "CASE WHEN n > 1 THEN kind ELSE note END = 'a'",
            "(CASE WHEN (n > 1) THEN kind ELSE note END = 'a')",
        ),
    ],
)
def test_a_condition_is_offered_as_text_that_means_the_same(where: str, text: str) -> None:
    offered = Offered(view("v", where))
    assert offered.text(OfferKind.FILTER) == f"WHERE ({text})", offered.refused


def test_what_only_some_have_is_no_offer() -> None:
    assert not Offered().offers
    both = Offered(view("v", "n > 2 AND kind = 'a'"), view("w", "kind = 'a'"))
    assert both.text(OfferKind.FILTER) == "WHERE ((kind = 'a'))"
    assert Offered(view("v", "n > 2"), view("w", "kind = 'a'")).text(OfferKind.FILTER) is None


def test_what_the_source_does_already_is_no_offer() -> None:
    known = Offered(view("v", "kind = 'a' AND n > 2"), end="WHERE (kind = 'a')")
    assert known.text(OfferKind.FILTER) == "WHERE ((n > 2))"
    assert known.text(OfferKind.COLUMNS) == "EXCLUDE COLUMNS (at, late, price, note)"
    excluded = Offered(view("v", "n > 2"), end="WHERE (kind = 'a') WITH (EXCLUDE COLUMNS (kind, late))")
    assert excluded.text(OfferKind.FILTER) == "WHERE ((n > 2))"
    assert excluded.text(OfferKind.COLUMNS) == "EXCLUDE COLUMNS (at, price, note)"


@pytest.mark.parametrize(
    ("where", "offered"),
    [
        (
            "n > 2 AND 10 / id > 1",
            "WHERE ((n > 2))",
        ),  # never NULL: where it is false, nobody tells of the other
        ("kind = 'a' AND 10 / id > 1", None),
        ("10 / id > 1", None),
        ("kind = 'a' AND mz_now() <= at + INTERVAL '1 day'", "WHERE ((kind = 'a'))"),
    ],
)
def test_beside_what_may_fail_a_condition_is_never_null(where: str, offered: str | None) -> None:
    assert Offered(view("v", where)).text(OfferKind.FILTER) == offered


def test_columns_that_are_named_stay() -> None:
    end = "KEY (id) ENVELOPE UPSERT"
    offered = Offered(
        "CREATE VIEW p AS SELECT kind, n, note FROM s",
        "CREATE MATERIALIZED VIEW v AS SELECT kind FROM p",
        end=end,
    )
    columns = offered.offers[OfferKind.COLUMNS]
    assert isinstance(columns, ColumnsOffer)
    assert columns.names == ("at", "late", "price")
    assert offered.refused == [
        "id: rows are known by it",
        "n: it is named by public.p",
        "note: it is named by public.p",
    ]
    star = Offered("CREATE VIEW p AS SELECT * FROM s", "CREATE MATERIALIZED VIEW v AS SELECT id FROM p")
    assert OfferKind.COLUMNS not in star.offers
    assert len(star.refused) == 6


def test_a_column_is_left() -> None:
    counted = Offered(
        "CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM (SELECT 1 FROM s WHERE id > 0) x"
    )
    assert counted.text(OfferKind.COLUMNS) == "EXCLUDE COLUMNS (kind, n, at, late, price, note)"
    assert OfferKind.COLUMNS not in Offered("CREATE INDEX i ON s (id)").offers


@pytest.mark.parametrize(
    ("wheres", "offered"),
    [
        (["mz_now() <= at + INTERVAL '1 hour'"], "'3600000ms' BY at"),
        (["mz_now() < at + INTERVAL '1 hour'", "at + INTERVAL '2 days' >= mz_now()"], "'172800000ms' BY at"),
        (["mz_now() <= at + INTERVAL '1 month'"], "'2678400000ms' BY at"),
        (["mz_now() <= at"], "'1000ms' BY at"),
        (["mz_now() <= late + INTERVAL '1 hour' AND mz_now() <= at"], "'3600000ms' BY late"),
        # Of a row that is too old by one, the other may be out of range.
        (["mz_now() <= late + INTERVAL '1 hour' AND mz_now() <= at + INTERVAL '1 day'"], None),
        (["mz_now() >= at AND mz_now() <= at + INTERVAL '1 hour'"], "'3600000ms' BY at"),
        (["mz_now() <= at + INTERVAL '1 hour'", "n > 2"], None),
        (["mz_now() <= at + INTERVAL '1 hour'", "mz_now() <= late + INTERVAL '1 hour'"], None),
        (["mz_now() <= at - INTERVAL '1 hour'"], None),
        (["mz_now() <= at + INTERVAL '-1 hour'"], None),
        (["mz_now() >= at + INTERVAL '1 hour'"], None),
        (["mz_now() <= at + INTERVAL '1 hour' AND 10 / n > 1"], None),
    ],
)
def test_the_longest_while_at_which_all_look(wheres: list[str], offered: str | None) -> None:
    found = Offered(*(view(f"v{number}", where) for number, where in enumerate(wheres)))
    text = None if offered is None else f"RETAIN ROWS FOR {offered}"
    assert found.text(OfferKind.RETENTION) == text


def test_a_shorter_while_by_the_same_column_only() -> None:
    reader = view("v", "mz_now() <= at + INTERVAL '1 hour'")
    for end, offered in (
        ("RETAIN ROWS FOR '1 day' BY at", "RETAIN ROWS FOR '3600000ms' BY at"),
        ("RETAIN ROWS FOR '10 minutes' BY at", None),
        ("RETAIN ROWS FOR '1 day' BY late", None),
        ("RETAIN ROWS FOR '1s' BY at", None),
    ):
        assert Offered(reader, end=f"WITH ({end})").text(OfferKind.RETENTION) == offered


def test_rows_that_change_are_not_retained() -> None:
    changed = Offered(view("v", "mz_now() <= at + INTERVAL '1 hour'"), end="KEY (id) ENVELOPE UPSERT")
    assert OfferKind.RETENTION not in changed.offers
    assert any("changed and taken back upstream" in text for text in changed.refused)
