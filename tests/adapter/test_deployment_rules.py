"""What a deployment may do, and its statements, from what there is; no runtime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from dbt.adapters.ptvc import deployment as rules
from dbt.adapters.ptvc.deploying import Deploying, Server
from dbt.adapters.ptvc.deployment import Deployed, Deployment, DeploymentError, Environment, milliseconds

DEPLOYMENT = Deployment(("prod",), ("c",))
BLUE = (
    Deployed("u1", "prod", "t", "table"),
    Deployed("u2", "prod", "m", "materialized-view", "c", True, 0),
    Deployed("u3", "prod", "feed", "sink", "c"),
    Deployed("u4", "out", "copy", "sink", "quickstart"),
)
GREEN = (
    Deployed("u5", "prod_dbt_deploy", "t", "table"),
    Deployed("u6", "prod_dbt_deploy", "m", "materialized-view", "c_dbt_deploy", True, 0),
)
USES = (("u2", "u1"), ("u3", "u2"), ("u4", "u2"), ("u6", "u5"))
OPTIONS = {"c": "(JOB MIN ROWS 7)", "quickstart": "()"}
BEFORE = Environment(frozenset({"prod", "out"}), OPTIONS, BLUE, USES[:3])
BUILT = Environment(
    frozenset({"prod", "out", "prod_dbt_deploy"}), {**OPTIONS, "c_dbt_deploy": "()"}, BLUE + GREEN, USES
)


def with_objects(found: Environment, *objects: Deployed, uses: Sequence[tuple[str, str]] = ()) -> Environment:
    return replace(found, objects=(*found.objects, *objects), uses=(*found.uses, *uses))


def test_init_makes_both_as_they_are_in_production() -> None:
    grants = {("schema", "prod"): ("grant usage on schema {} to public",)}
    assert rules.init(DEPLOYMENT, replace(BEFORE, grants=grants), False) == [
        'create schema "prod_dbt_deploy"',
        'grant usage on schema "prod_dbt_deploy" to public',
        'create cluster "c_dbt_deploy" (JOB MIN ROWS 7)',
    ]
    with pytest.raises(
        DeploymentError, match=r"table prod_dbt_deploy\.t, .* is there from another deployment"
    ):
        rules.init(DEPLOYMENT, BUILT, False)
    assert rules.init(DEPLOYMENT, BUILT, True) == []


def test_promote_swaps_and_cuts_sinks_over() -> None:
    assert rules.promote(DEPLOYMENT, BUILT) == [
        'alter schema "prod" swap with "prod_dbt_deploy"',
        'alter cluster "c" swap with "c_dbt_deploy"',
        'alter sink "prod_dbt_deploy"."feed" set schema "prod"',
        'alter sink "prod"."feed" set cluster "c"',
        'alter sink "prod"."feed" set from "prod"."m"',
        'alter sink "out"."copy" set from "prod"."m"',
    ]


def test_a_sink_goes_along_that_the_deployment_has_anew_or_not_any_more() -> None:
    anew = with_objects(
        BUILT, Deployed("u7", "prod_dbt_deploy", "feed", "sink", "c_dbt_deploy"), uses=[("u7", "u6")]
    )
    assert not any('"feed"' in statement for statement in rules.promote(DEPLOYMENT, anew))
    without = replace(
        BUILT,
        objects=tuple(o for o in BUILT.objects if o.id not in ("u4", "u6")),
        uses=tuple(use for use in USES if use[0] not in ("u4", "u6")),
    )
    assert not any('"feed"' in statement for statement in rules.promote(DEPLOYMENT, without))


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (BEFORE, "schema prod_dbt_deploy does not exist: run `dbt run-operation deploy_init`"),
        (replace(BUILT, objects=BLUE, uses=USES[:3]), "nothing was built in prod_dbt_deploy"),
        (replace(BUILT, schemas=frozenset()), "schema prod of the deployment does not exist"),
        (replace(BUILT, cluster_options={}), "cluster c of the deployment does not exist"),
        (
            with_objects(BUILT, Deployed("u8", "out", "v", "view"), uses=[("u8", "u1")]),
            r"view out\.v rests on what is deployed, .* Add its schema",
        ),
        (
            with_objects(BUILT, Deployed("u8", "out", "i", "index", "c")),
            r"index out\.i runs in a cluster of the deployment",
        ),
        (
            with_objects(BUILT, Deployed("u8", "prod_dbt_deploy", "v", "view"), uses=[("u8", "u1")]),
            r"view prod_dbt_deploy\.v rests on what is deployed",
        ),
        (
            replace(BUILT, objects=tuple(o for o in BUILT.objects if o.id != "u6"), uses=USES[:3]),
            r"sink out\.copy reads materialized view prod\.m, which the deployment does not have",
        ),
    ],
)
def test_what_is_not_promoted(found: Environment, message: str) -> None:
    with pytest.raises(DeploymentError, match=message):
        rules.promote(DEPLOYMENT, found)


def test_cleanup_takes_nothing_else_along() -> None:
    assert rules.cleanup(DEPLOYMENT, BUILT) == [
        'drop schema "prod_dbt_deploy" cascade',
        'drop cluster "c_dbt_deploy" cascade',
    ]
    assert rules.cleanup(DEPLOYMENT, BEFORE) == []
    for guest in (Deployed("u8", "out", "v", "view"), Deployed("u8", "out", "i", "index", "c_dbt_deploy")):
        uses = [("u8", "u6")] if guest.cluster is None else []
        with pytest.raises(DeploymentError, match=rf"out\.{guest.name} rests on what would be dropped"):
            rules.cleanup(DEPLOYMENT, with_objects(BUILT, guest, uses=uses))


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        (None, "says not what to deploy"),
        ({"dev": {}}, "no entry for target 'prod'; it has dev"),
        ({"prod": {}}, "names no `schemas`"),
        ({"prod": ["a"]}, "has `schemas` and `clusters`"),
        ({"prod": {"schema": ["a"]}}, "not schema"),
        ({"prod": {"schemas": [1]}}, "is a list of names"),
        ({"prod": {"schemas": ["a_dbt_deploy"]}}, "names production's"),
    ],
)
def test_a_variable_that_is_wrong(variable: object, message: str) -> None:
    with pytest.raises(DeploymentError, match=message):
        Deployment.parse(variable, "prod")


def test_names() -> None:
    deployment = Deployment.parse({"prod": {"schemas": "a", "clusters": ["c", "c"]}}, "prod")
    assert deployment == Deployment(("a",), ("c",))
    assert [deployment.schema(name) for name in ("a", "b")] == ["a_dbt_deploy", "b"]
    assert [deployment.cluster(name) for name in ("c", "d", None)] == ["c_dbt_deploy", "d", None]
    assert (
        rules.as_in_production('select * from "a_dbt_deploy"."t_dbt_deployed"')
        == 'select * from "a"."t_dbt_deployed"'
    )
    durations = ("5s", "500ms", "1m", 2, "1.5 seconds", "1 hour")
    assert [milliseconds(text) for text in durations] == [5_000, 500, 60_000, 2_000, 1_500, 3_600_000]
    with pytest.raises(DeploymentError, match="'soon' is no duration"):
        milliseconds("soon")


class Fake:
    """A runtime whose deployment is hydrated at the third look, with a sink that is busy at the first."""

    def __init__(self) -> None:
        self.looks = 0
        self.hydrated_at = 3
        self.said: list[str] = []
        self.ran: list[str] = []
        self.interrupted = False
        self.server = Server(self.query, self.ran.append, self.said.append, self.pause)

    def pause(self, seconds: float) -> bool:
        return self.interrupted

    def query(self, macro: str, **arguments: Any) -> list[tuple[Any, ...]]:
        match macro.removeprefix("ptvc__deploy_"):
            case "schemas":
                return [(name, "alice" if name == "prod" else None) for name in sorted(BUILT.schemas)]
            case "clusters":
                return [(name, None) for name in BUILT.cluster_options]
            case "show_cluster":
                return [(arguments["cluster"], 'CREATE CLUSTER "c (" (JOB MIN ROWS 7)')]
            case "objects":
                self.looks += 1
                return [
                    (o.id, o.schema, o.name, o.kind, o.cluster, self._hydrated(o), o.lag_ms)
                    for o in BUILT.objects
                ]
            case "uses":
                return [*USES, ("u4", "u1")] if self.looks < 2 else list(USES)
            case "privileges":
                return [
                    ("schema", "prod", "PUBLIC", "USAGE", False),
                    ("cluster", "c", 'b"ob', "CREATE", True),
                ]
            case "default_privileges":
                return [("prod", "alice", "bob=r*w/alice\n=r/alice")]
            case _:
                raise AssertionError(macro)

    def _hydrated(self, found: Deployed) -> bool | None:
        return self.looks >= self.hydrated_at if found.id == "u6" else found.hydrated


def test_waiting_says_for_what() -> None:
    fake = Fake()
    Deploying(fake.server, DEPLOYMENT).wait(poll_interval=1, lag_threshold="1s")
    assert fake.looks == 3
    assert fake.said[0] == "waiting for materialized view prod_dbt_deploy.m (not hydrated)"
    assert fake.said[-1] == "all of the deployment is hydrated"
    fake.looks, fake.interrupted = 0, True
    with pytest.raises(DeploymentError, match="stopped waiting"):
        Deploying(fake.server, DEPLOYMENT).wait(poll_interval=1, lag_threshold="1s")


def test_promotion_waits_for_sinks_and_refuses_what_is_not_hydrated() -> None:
    fake = Fake()
    steps = Deploying(fake.server, DEPLOYMENT)
    fake.hydrated_at = 4
    with pytest.raises(DeploymentError, match=r"not hydrated: materialized view prod_dbt_deploy\.m"):
        steps.promote(dry_run=False)
    assert fake.ran == []
    fake.hydrated_at = 100
    steps.promote(dry_run=True)
    assert fake.ran == []
    fake.hydrated_at = 3
    steps.promote(dry_run=False)
    [block] = fake.ran
    assert block.startswith("begin;\nalter schema")
    assert block.endswith(";\ncommit")


def test_grants_are_copied() -> None:
    fake = Fake()
    found = Deploying(fake.server, DEPLOYMENT)._environment(with_grants=True)
    assert found.cluster_options["c"] == "(JOB MIN ROWS 7)"
    assert found.grants == {
        ("schema", "prod"): (
            "grant usage on schema {} to public",
            'alter default privileges for role "alice" in schema {} grant select on tables to "bob" with grant option',
            'alter default privileges for role "alice" in schema {} grant update on tables to "bob"',
            'alter default privileges for role "alice" in schema {} grant select on tables to public',
            'alter schema {} owner to "alice"',
        ),
        ("cluster", "c"): ('grant create on cluster {} to "b""ob" with grant option',),
    }
