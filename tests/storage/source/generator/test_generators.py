"""What holds of every generator, at every tick, and what of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from time import process_time

import pytest
from ptvc.storage.source.generator.kinds import KINDS
from ptvc.storage.source.generator.options import GeneratorOptions
from ptvc.storage.source.generator.tpch import Tpch

from .folded import OPTIONS, add, contents, make

TICKS = [1, 2, 3, 10, 11, 40, 41, 42, 300, 777]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize("kind", OPTIONS)
def test_contents_are_what_the_changes_add_up_to(kind: str) -> None:
    generator = make(OPTIONS[kind])
    tables = contents(generator, 0)
    before = 0
    for tick in TICKS:
        add(tables, generator.changes(frozenset(generator.tables), before, tick, 0))
        before = tick
        assert tables == contents(generator, tick), tick
        assert {table: rows.total() for table, rows in tables.items()} == {
            table: generator.count(table, tick) for table in generator.tables
        }


@pytest.mark.parametrize("kind", OPTIONS)
def test_rows_have_the_types_of_their_columns(kind: str) -> None:
    generator = make(OPTIONS[kind])
    wanted = frozenset(generator.tables)
    found = [change.columns for change in generator.changes(wanted, 0, 50, 0).values()]
    schemas = [generator.tables[table] for table in generator.changes(wanted, 0, 50, 0)]
    for rows in generator.contents(wanted, 50, 0):
        found += list(rows.values())
        schemas += [generator.tables[table] for table in rows]
    assert len(found) >= len(generator.tables)
    for columns, schema in zip(found, schemas, strict=True):
        assert [column.type for column in columns] == [column.type.arrow for column in schema]
        for values, column in zip(columns, schema, strict=True):
            assert column.nullable or not values.null_count, column.name


@pytest.mark.parametrize("kind", [kind for kind in OPTIONS if kind != "clock"])
def test_the_seed_decides(kind: str) -> None:
    options = OPTIONS[kind]
    assert contents(make(options), 77) == contents(make(options), 77)
    other = contents(make(replace(options, seed=4)), 77)
    assert other != contents(make(options), 77)


@pytest.mark.parametrize("kind", OPTIONS)
def test_what_only_grows_loses_nothing(kind: str) -> None:
    generator, grows = make(OPTIONS[kind]), KINDS[kind].append_only
    changes = generator.changes(frozenset(generator.tables), 100, 500, 0)
    for table, change in changes.items():
        assert bool((change.diffs > 0).all()) is (table in grows), table


@pytest.mark.parametrize("kind", OPTIONS)
def test_a_table_by_itself_is_what_it_is_beside_others(kind: str) -> None:
    generator = make(OPTIONS[kind])
    all_tables = contents(generator, 45)
    for table in generator.tables:
        found = Counter(
            row
            for rows in generator.contents(frozenset([table]), 45, 0)
            for row in zip(*(column.to_pylist() for column in rows[table]), strict=True)
        )
        assert found == all_tables[table], table


@pytest.mark.parametrize("tick", [0, 1, 9, 10, 25, 400])
def test_auctions(tick: int) -> None:
    tables = contents(make(OPTIONS["auction"]), tick)
    organizations = {id_ for id_, _ in tables["organizations"]}
    users = {id_: org for id_, org, _ in tables["users"]}
    assert set(users.values()) <= organizations
    assert {org for _, org, _ in tables["accounts"]} == organizations
    ends = {id_: end for id_, seller, _, end in tables["auctions"] if seller in users}
    assert len(ends) == len(tables["auctions"]) == -(-tick // 10)
    assert sorted(id_ for id_, *_ in tables["bids"]) == list(range(1, tick - len(ends) + 1))
    for _, buyer, auction, amount, at in tables["bids"]:
        assert buyer in users
        assert at < ends[auction]
        assert 1 <= amount <= 100


@pytest.mark.parametrize("tick", [0, 1, 30, 400])
def test_marketing(tick: int) -> None:
    tables = contents(make(OPTIONS["marketing"]), tick)
    customers = {id_ for id_, *_ in tables["customers"]}
    impressions = {id_: at for id_, customer, _, at in tables["impressions"] if customer in customers}
    assert len(impressions) == tick
    assert all(at > impressions[id_] for id_, at in tables["clicks"])
    leads = {id_: created for id_, customer, created, *_ in tables["leads"] if customer in customers}
    assert set(leads) == {id_ for id_, *_ in tables["conversion_predictions"]}
    assert {lead for _, lead, *_ in tables["coupons"]} <= set(leads)
    now = EPOCH + timedelta(milliseconds=10 * tick)
    converted = 0
    for _, _, created, at, amount in tables["leads"]:
        assert (at is None) is (amount is None)
        converted += at is not None
        assert at is None or created < at <= now
    if tick == 400:
        assert 0 < converted < len(leads)


@pytest.mark.parametrize("tick", [0, 1, 299, 300, 301, 2_000])
def test_tpch(tick: int) -> None:
    """The scale has 300 orders, so that these are replaced again and again."""
    tables = contents(make(OPTIONS["tpch"]), tick)
    assert {table: set(rows.values()) for table, rows in tables.items()} == {table: {1} for table in tables}
    nations = {row[0] for row in tables["nation"]}
    assert {row[2] for row in tables["nation"]} == {row[0] for row in tables["region"]}
    assert {row[3] for row in (*tables["supplier"], *tables["customer"])} <= nations
    prices = {row[0]: row[7] for row in tables["part"]}
    stocked = {row[:2] for row in tables["partsupp"]}
    assert len(stocked) == len(tables["partsupp"]) == 4 * len(prices)
    orders = {row[0]: row for row in tables["orders"]}
    assert len(orders) == 300
    assert all((key - 1) % 32 < 8 or tick > 0 for key in orders)
    lines: dict[int, list[tuple[object, ...]]] = {key: [] for key in orders}
    totals = dict.fromkeys(orders, Decimal(0))
    for line in tables["lineitem"]:
        key, part, supplier, number, quantity, price, discount, tax = line[:8]
        lines[key].append((number, line[9]))
        totals[key] += price * (1 - discount) * (1 + tax)
        assert (part, supplier) in stocked
        assert price == quantity * prices[part]
        ordered = orders[key][4]
        assert ordered < line[10] < line[12]
        assert (line[8] == "N") is (line[12] > date(1995, 6, 17))
        assert (line[9] == "O") is (line[10] > date(1995, 6, 17))
    for key, found in lines.items():
        assert sorted(number for number, _ in found) == list(range(1, len(found) + 1))
        statuses = {status for _, status in found}
        assert orders[key][2] == (statuses.pop() if len(statuses) == 1 else "P")
        assert orders[key][3] == totals[key].quantize(Decimal("0.01"), "ROUND_FLOOR")
    assert all(row[1] % 3 for row in orders.values())


def test_a_tick_of_tpch_replaces_one_order_under_a_free_key() -> None:
    generator = make(OPTIONS["tpch"])
    for tick in range(0, 40, 7):
        before, after = contents(generator, tick)["orders"], contents(generator, tick + 1)["orders"]
        [gone], [come] = before - after, after - before
        assert come[0] not in {row[0] for row in before}
        assert gone[0] not in {row[0] for row in after}


def test_the_counts_of_tpch_are_the_specification_s() -> None:
    generator = Tpch(GeneratorOptions("tpch", scale_factor=0.1))
    counts = {table: generator.count(table, 0) for table in generator.tables}
    lines = counts.pop("lineitem")
    assert counts == {
        "region": 5,
        "nation": 25,
        "supplier": 1_000,
        "part": 20_000,
        "partsupp": 80_000,
        "customer": 15_000,
        "orders": 150_000,
    }
    assert abs(lines - 600_000) < 3_000
    begun, rows = process_time(), 0
    for piece in generator.contents(frozenset(generator.tables), 0, 0):
        rows += sum(len(columns[0]) for columns in piece.values())
    assert rows == lines + sum(counts.values())
    assert process_time() - begun < 20  # about one second


def test_values_of_keys() -> None:
    options = OPTIONS["key_value"]
    before, after = contents(make(options), 4)[""], contents(make(options), 5)[""]
    assert {(key, key % 3) for key in range(60)} == {row[:2] for row in after}
    assert {len(row[2]) for row in after} == {11}
    assert len({row[2] for row in after}) == 60
    assert Counter(row[1] for row in after - before) == Counter({0: 4, 1: 4, 2: 4})


def test_the_clock_s_row_is_the_time_of_the_last_tick() -> None:
    assert contents(make(OPTIONS["clock"]), 7, 1_000)[""] == Counter(
        {(EPOCH + timedelta(milliseconds=1_070),): 1}
    )
