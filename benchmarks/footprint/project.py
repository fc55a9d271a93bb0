"""A dbt project over trips: 23 models, of which four are views over tables that are loaded before, and tests of some.

```
trips, stations, payments, tariffs (loaded) ── 4 staging views ── 5 joins ── 14 marts: facts, aggregates, top k, anti join
```

The tables are those of the view `five` of the hydrations: 8 payments for 10 trips, 200 stations, 5 tariffs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..dbt.project import PROJECT, write_profile

SOURCES = ("trips", "stations", "payments", "tariffs")

STAGING = {
    "stg_trips": "select id, start_station, end_station, kind, started, minutes from public.trips",
    "stg_stations": "select id, name from public.stations",
    "stg_payments": "select trip, amount, method from public.payments",
    "stg_tariffs": "select kind, valid_from, valid_to, rate from public.tariffs",
}

MAINTAINED = {
    "int_trip_payments": """
        select trip, cast(sum(amount) as bigint) as total, count(*) as payments,
            string_agg(distinct method, ',' order by method) as methods
        from {stg_payments} group by trip""",
    "int_trip_stations": """
        select t.id, t.kind, t.started, t.minutes, s.name as start_name, e.name as end_name
        from {stg_trips} t
        join {stg_stations} s on s.id = t.start_station
        left join {stg_stations} e on e.id = t.end_station""",
    "int_trip_tariffs": """
        select t.id, f.rate, f.rate * t.minutes as price
        from {stg_trips} t
        left join {stg_tariffs} f
            on f.kind = t.kind and cast(t.started as date) >= f.valid_from and cast(t.started as date) < f.valid_to""",
    "int_trip_days": """
        select id, cast(started as date) as day, kind, start_station, end_station, minutes from {stg_trips}""",
    "int_station_days": """
        select start_station as station, day, count(*) as departures, sum(minutes) as minutes
        from {int_trip_days} group by start_station, day""",
    "fct_trips": """
        select t.id, t.kind, t.started, t.minutes, t.start_name, t.end_name, f.price, p.total, p.payments, p.methods
        from {int_trip_stations} t
        join {int_trip_tariffs} f on f.id = t.id
        left join {int_trip_payments} p on p.trip = t.id""",
    "fct_payments": """
        select p.trip, p.amount, p.method, t.kind, t.started
        from {stg_payments} p join {stg_trips} t on t.id = p.trip""",
    "dim_stations": """
        select s.id, s.name, count(t.id) as departures
        from {stg_stations} s left join {stg_trips} t on t.start_station = s.id group by s.id, s.name""",
    "daily_trips": """
        select day, kind, count(*) as trips, sum(minutes) as minutes from {int_trip_days} group by day, kind""",
    "daily_revenue": """
        select cast(started as date) as day, method, sum(amount) as revenue, count(*) as payments
        from {fct_payments} group by 1, 2""",
    "kind_totals": """
        select kind, count(*) as trips, min(minutes) as shortest, max(minutes) as longest, sum(price) as price
        from {fct_trips} group by kind""",
    "method_totals": "select method, count(*) as payments, sum(amount) as revenue from {stg_payments} group by method",
    "routes": """
        select start_name, end_name, count(*) as trips, min(minutes) as shortest, max(minutes) as longest
        from {int_trip_stations} group by start_name, end_name""",
    "top_routes": """
        select start_name, end_name, trips from (
            select *, row_number() over (partition by start_name order by trips desc, end_name) as place from {routes}
        ) r where place <= 10""",
    "longest_trips": """
        select start_name, id, minutes from (
            select *, row_number() over (partition by start_name order by minutes desc, id) as place
            from {int_trip_stations}
        ) r where place <= 3""",
    "unpaid_trips": """
        select t.id, t.start_name, t.minutes from {int_trip_stations} t
        where not exists (select 1 from {stg_payments} p where p.trip = t.id)""",
    "station_days": """
        select d.day, s.name, d.departures, d.minutes
        from {int_station_days} d join {stg_stations} s on s.id = d.station""",
    "kind_stations": """
        select kind, count(distinct start_station) as starts, count(distinct end_station) as ends
        from {int_trip_days} group by kind""",
    "revenue_by_station": """
        select start_name, sum(total) as revenue, count(*) as paid from {fct_trips}
        where total is not null group by start_name""",
}

_UNIQUE = {"fct_trips": "id", "int_trip_payments": "trip", "int_trip_days": "id", "dim_stations": "id"}
_NOT_NULL = {"fct_trips": "start_name", "fct_payments": "kind", "routes": "trips", "station_days": "name"}


def write_trips_project(folder: Path, output: dict[str, Any]) -> None:
    """The project, for a dbt whose profile has this `output`."""
    (folder / "models").mkdir(parents=True)
    (folder / "dbt_project.yml").write_text(json.dumps(PROJECT))  # JSON is YAML
    refs = {name: f"{{{{ ref('{name}') }}}}" for name in (*STAGING, *MAINTAINED)}
    for kind, models in (("view", STAGING), ("materialized_view", MAINTAINED)):
        for name, query in models.items():
            text = f"{{{{ config(materialized='{kind}') }}}}\n{query.format(**refs)}\n"
            (folder / "models" / f"{name}.sql").write_text(text)
    tests = [(name, column, "unique") for name, column in _UNIQUE.items()]
    tests += [(name, column, "not_null") for name, column in _NOT_NULL.items()]
    tested: dict[str, list[dict[str, Any]]] = {}
    for name, column, test in tests:
        tested.setdefault(name, []).append({"name": column, "data_tests": [test]})
    properties = [{"name": name, "columns": columns} for name, columns in tested.items()]
    (folder / "models" / "models.yml").write_text(json.dumps({"models": properties}))
    write_profile(folder, output)
