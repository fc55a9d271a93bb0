"""What differs between two definitions of a sink."""

from __future__ import annotations

import pytest

from dbt.adapters.ptvc.sink_definition import SinkChange, cluster_of, sink_change, upstream_of

DELTA = "create sink s from v into delta (uri '/x', partition by (day(d))) key (a) mode upsert with (commit interval '2s')"
KAFKA = "create sink s from v into kafka connection c (topic 't') key (k) format json envelope upsert"
POSTGRES = "create sink s from v into postgres connection c (table a.b) key (k) envelope upsert"
FILE = "create sink s from v into file '/out' format json key (k) envelope upsert"
ALL = (DELTA, KAFKA, POSTGRES, FILE)


@pytest.mark.parametrize("sql", ALL)
def test_comments_spacing_and_the_sink_s_own_name_do_not_count(sql: str) -> None:
    other = sql.replace("create sink s", 'CREATE SINK "d"."x"  /* dbt:hash=1 */')
    assert sink_change(sql, other) is SinkChange.NOTHING


@pytest.mark.parametrize("sql", ALL)
def test_the_same_sink_over_something_else(sql: str) -> None:
    other = sql.replace("from v", 'from public."V 2"')
    assert sink_change(sql, other) is SinkChange.ALTERED
    assert upstream_of(other).render() == '"public"."V 2"'


@pytest.mark.parametrize("sql", ALL)
def test_the_same_sink_in_another_cluster(sql: str) -> None:
    one, other = (sql.replace("create sink s", f'create sink s in cluster "{name}"') for name in ("c", "D"))
    assert sink_change(one, other) is sink_change(sql, one) is SinkChange.ALTERED
    assert sink_change(one, one) is SinkChange.NOTHING
    assert sink_change(one, sql) is SinkChange.NOTHING, "without one it stays where it is"
    assert (cluster_of(sql), cluster_of(other)) == (None, "D")


@pytest.mark.parametrize(
    ("sql", "old", "new"),
    [
        (DELTA, "/x'", "/y'"),
        (KAFKA, "'t'", "'u'"),
        (KAFKA, "connection c", "connection d"),
        (POSTGRES, "a.b", "a.c"),
        (FILE, "/out", "/out2"),
        (FILE, "file '/out' format json key (k) envelope upsert", DELTA.partition("into ")[2]),
    ],
)
def test_another_target(sql: str, old: str, new: str) -> None:
    assert sink_change(sql, sql.replace(old, new)) is SinkChange.TARGET


@pytest.mark.parametrize(
    ("sql", "old", "new"),
    [
        (DELTA, "2s", "5s"),
        (DELTA, "day(d)", "month(d)"),
        (KAFKA, "json", "text"),
        (POSTGRES, "key (k) envelope upsert", "envelope none"),
        (FILE, "json", "parquet"),
    ],
)
def test_the_same_target_in_another_way(sql: str, old: str, new: str) -> None:
    for other in (sql.replace(old, new), sql.replace(old, new).replace("from v", "from w")):
        assert sink_change(sql, other) is SinkChange.MANNER
