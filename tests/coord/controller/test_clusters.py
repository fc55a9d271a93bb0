"""Which replicas a cluster has, by what its options say and what is left of others."""

from __future__ import annotations

import pytest
from ptvc.coord.catalog.entries import ClusterEntry
from ptvc.coord.controller.clusters import Clusters
from ptvc.coord.controller.replicas import Shape
from ptvc.replica.workers.layout import Layout

SHAPE = Shape(1, Layout(1))


def cluster(factor: int) -> ClusterEntry:
    return ClusterEntry("c1", "c", {"replication_factor": factor}, "ptvc")


@pytest.mark.parametrize(
    ("left", "factor", "names"),
    [
        ((), 2, ["r1", "r2"]),
        (("r1",), 2, ["r1", "r2"]),
        (("r2",), 2, ["r1", "r2"]),
        (("r3",), 2, ["r1", "r3"]),
        (("r3", "r1"), 3, ["r1", "r2", "r3"]),
        (("r2", "r4", "r1"), 2, ["r2", "r4"]),
        (("r10",), 3, ["r1", "r2", "r10"]),
    ],
)
def test_names_are_those_of_which_there_is_state_and_then_others(
    left: tuple[str, ...], factor: int, names: list[str]
) -> None:
    clusters = Clusters()
    added, removed = clusters.set_replicas(cluster(factor), SHAPE, left)
    assert [replica.name for replica in added] == names
    assert removed == []
    more, _ = clusters.set_replicas(cluster(factor + 2), SHAPE, left)
    found = {replica.name for replica in clusters.of("c")}
    assert len(found) == factor + 2
    assert found >= {*names, *left}
    assert len(more) == 2
