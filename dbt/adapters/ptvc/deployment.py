"""A blue/green deployment: schemas and clusters of production (blue), and beside each a deployment's own (green).

```
deploy_init      schema_dbt_deploy, cluster_dbt_deploy        empty, as production's
dbt run          green is built                               (--vars 'deploy: true')
deploy_promote   names are swapped, sinks cut over            one transaction; once more, and it is taken back
deploy_cleanup   *_dbt_deploy goes
```

Everything that rests on a deployed object is deployed with it, sinks aside: so nothing is left behind on what is swapped away,
and whoever reads sees the old or the new, never both.  A sink keeps its name, its cluster and its target, and goes on with the
relation of the same name on the other side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dbt_common.exceptions import DbtRuntimeError

SUFFIX = "_dbt_deploy"
DEFAULT_CLUSTER = "quickstart"

_SUFFIXED = re.compile(rf"{SUFFIX}\b")
_SINKABLE = ("table", "source", "materialized-view")
_SHOWN = 10


class DeploymentError(DbtRuntimeError):
    """What is wrong, with which object, and what to do."""


def green(name: str) -> str:
    """What a deployment's own schema or cluster is called beside production's."""
    return name + SUFFIX


def as_in_production(sql: str) -> str:
    """The text of a definition with the names that it has when the deployment is promoted."""
    return _SUFFIXED.sub("", sql)


@dataclass(frozen=True, slots=True)
class Deployment:
    """What the variable `deployment` says of a target."""

    schemas: tuple[str, ...]
    clusters: tuple[str, ...]

    @classmethod
    def parse(cls, raw: object, target: str) -> Deployment:
        """`raw` is the variable's value: by target, `schemas` and `clusters`."""
        example = f"vars: {{deployment: {{{target}: {{schemas: [...], clusters: [...]}}}}}}"
        if not isinstance(raw, Mapping) or not raw:
            raise DeploymentError(f"dbt_project.yml says not what to deploy: add `{example}`.")
        if target not in raw:
            known = ", ".join(map(str, raw))
            raise DeploymentError(
                f"the variable `deployment` has no entry for target {target!r}; it has {known}. Run with `--target`, or "
                f"add `{example}`."
            )
        entry = raw[target] or {}
        unknown = sorted(set(entry) - {"schemas", "clusters"}) if isinstance(entry, Mapping) else [str(entry)]
        if unknown:
            raise DeploymentError(
                f"the variable `deployment` has `schemas` and `clusters` for target {target!r}, not {', '.join(unknown)}."
            )
        deployment = cls(_names(entry, "schemas"), _names(entry, "clusters"))
        if not deployment.schemas:
            raise DeploymentError(
                f"the variable `deployment` names no `schemas` for target {target!r}: what is in them is deployed."
            )
        return deployment

    def schema(self, name: str) -> str:
        """The schema that a deployment builds in instead."""
        return green(name) if name in self.schemas else name

    def cluster(self, name: str | None) -> str | None:
        """The cluster that a deployment runs in instead; None is the session's."""
        return green(name) if name is not None and name in self.clusters else name


def _names(entry: Mapping[str, object], key: str) -> tuple[str, ...]:
    found = entry.get(key) or []
    if isinstance(found, str):
        found = [found]
    if not isinstance(found, Sequence) or not all(isinstance(name, str) and name for name in found):
        raise DeploymentError(f"`{key}` of the variable `deployment` is a list of names, not {found!r}.")
    if suffixed := [name for name in found if name.endswith(SUFFIX)]:
        raise DeploymentError(
            f"`{key}` of the variable `deployment` names production's, not {suffixed[0]!r}: {SUFFIX} is added to it."
        )
    return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Deployed:
    """An object of the catalog: `id` is for life, `lag_ms` of what is maintained, None where it is not known."""

    id: str
    schema: str
    name: str
    kind: str
    cluster: str | None = None
    hydrated: bool | None = None
    lag_ms: int | None = None

    def __str__(self) -> str:
        return f"{self.kind.replace('-', ' ')} {self.schema}.{self.name}"


@dataclass(frozen=True, slots=True)
class Environment:
    """What there is.  `uses` are pairs of ids: the first is made from the second, what a sink reads now comes first.
    `cluster_options` are what follows CREATE CLUSTER and a name, `grants` statements' beginnings and ends by kind and name."""

    schemas: frozenset[str]
    cluster_options: Mapping[str, str]
    objects: tuple[Deployed, ...]
    uses: tuple[tuple[str, str], ...]
    grants: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def within(self, schemas: Iterable[str]) -> list[Deployed]:
        names = set(schemas)
        return [found for found in self.objects if found.schema in names]

    def named(self, schema: str, name: str) -> Deployed | None:
        return next((o for o in self.objects if (o.schema, o.name) == (schema, name)), None)

    def read_by(self, sink: Deployed) -> list[Deployed]:
        """What the sink reads; what it has read before, until it has written all of that."""
        by_id = {found.id: found for found in self.objects}
        return [by_id[used] for user, used in self.uses if user == sink.id and by_id[used].kind in _SINKABLE]


# -- init --


def init(deployment: Deployment, found: Environment, ignore_existing_objects: bool) -> list[str]:
    """The statements that make the deployment's own schemas and clusters."""
    check_production(deployment, found)
    statements = []
    if not ignore_existing_objects:
        _refuse(
            _greens(deployment, found),
            "is there from another deployment",
            "Run `dbt run-operation deploy_cleanup`, or pass `--args '{ignore_existing_objects: true}'`.",
        )
    for schema in deployment.schemas:
        if green(schema) not in found.schemas:
            statements.append(f"create schema {quoted(green(schema))}")
            statements += _granted(found, "schema", schema)
    for cluster in deployment.clusters:
        if green(cluster) not in found.cluster_options:
            statements.append(
                f"create cluster {quoted(green(cluster))} {found.cluster_options[cluster]}".rstrip()
            )
            statements += _granted(found, "cluster", cluster)
    return statements


def _granted(found: Environment, kind: str, name: str) -> Iterator[str]:
    for template in found.grants.get((kind, name), ()):
        yield template.format(quoted(green(name)))


def _greens(deployment: Deployment, found: Environment) -> list[Deployed]:
    """What is in the deployment's own schemas, and runs in its clusters."""
    schemas, clusters = set(map(green, deployment.schemas)), set(map(green, deployment.clusters))
    return [o for o in found.objects if o.schema in schemas or o.cluster in clusters]


def check_production(deployment: Deployment, found: Environment) -> None:
    """Production is there, and can be swapped without leaving anything behind."""
    for schema in deployment.schemas:
        if schema not in found.schemas:
            raise DeploymentError(
                f"schema {schema} of the deployment does not exist: run `dbt run` once for production, or correct the "
                "variable `deployment`."
            )
    for cluster in deployment.clusters:
        if cluster not in found.cluster_options:
            raise DeploymentError(
                f"cluster {cluster} of the deployment does not exist: CREATE CLUSTER {quoted(cluster)}, or correct the variable "
                "`deployment`."
            )
    _check_closed(found, deployment.schemas, deployment.clusters)


def _check_closed(found: Environment, schemas: Iterable[str], clusters: Iterable[str]) -> None:
    """Nothing but sinks runs in the clusters from outside of the schemas, or rests on what is in them."""
    schemas, clusters = set(schemas), set(clusters)
    outside = {o.id: o for o in found.objects if o.schema not in schemas and o.kind != "sink"}
    _refuse(
        [o for o in outside.values() if o.cluster in clusters],
        "runs in a cluster of the deployment, and is of none of its schemas: it would be swapped away",
        "Add its schema to the variable `deployment`, or give it another cluster.",
    )
    inside = {o.id for o in found.within(schemas)}
    resting = dict.fromkeys(user for user, used in found.uses if used in inside and user in outside)
    _refuse(
        [outside[id_] for id_ in resting],
        "rests on what is deployed, and is of none of the deployed schemas: it would stay with the old",
        "Add its schema to the variable `deployment`, or drop it.",
    )


def _refuse(objects: Sequence[Deployed], what: str, remedy: str) -> None:
    if objects:
        shown = ", ".join(map(str, objects[:_SHOWN]))
        more = f" and {len(objects) - _SHOWN} more" if len(objects) > _SHOWN else ""
        raise DeploymentError(f"{shown}{more} {what}. {remedy}")


# -- await --


def unready(deployment: Deployment, found: Environment, lag_ms: int | None) -> list[Deployed]:
    """What is not hydrated in the deployment, or further behind than that."""
    return [
        o
        for o in found.within(map(green, deployment.schemas))
        if o.hydrated is False or (lag_ms is not None and o.lag_ms is not None and o.lag_ms > lag_ms)
    ]


# -- promote --


def promote(deployment: Deployment, found: Environment) -> list[str]:
    """The statements of the transaction that swaps both sides."""
    check_production(deployment, found)
    for kind, names, there in (
        ("schema", deployment.schemas, found.schemas),
        ("cluster", deployment.clusters, found.cluster_options.keys()),
    ):
        for name in names:
            if green(name) not in there:
                raise DeploymentError(
                    f"{kind} {green(name)} does not exist: run `dbt run-operation deploy_init`, and then "
                    "`dbt run --vars 'deploy: true'`."
                )
    schemas = [green(name) for name in deployment.schemas]
    if not found.within(schemas):
        raise DeploymentError(
            f"nothing was built in {', '.join(schemas)}: run `dbt run --vars 'deploy: true'`. A project that overrides "
            "generate_schema_name passes its result through `ptvc__deployed_schema`."
        )
    _check_closed(found, schemas, map(green, deployment.clusters))
    statements = [
        f"alter schema {quoted(name)} swap with {quoted(green(name))}" for name in deployment.schemas
    ]
    statements += [
        f"alter cluster {quoted(name)} swap with {quoted(green(name))}" for name in deployment.clusters
    ]
    for sink in found.objects:
        if sink.kind == "sink":
            statements += _cut_over(deployment, found, sink)
    return statements


def _cut_over(deployment: Deployment, found: Environment, sink: Deployed) -> Iterator[str]:
    """What follows the swaps so that the sink stays what it is, and reads what has taken the place of what it reads."""
    home = sink.schema in deployment.schemas
    if sink.schema in map(green, deployment.schemas):
        return
    read = found.read_by(sink)
    upstream = read[0]
    other = found.named(deployment.schema(upstream.schema), upstream.name)
    deployed = upstream.schema in deployment.schemas
    if home and (found.named(green(sink.schema), sink.name) is not None or (deployed and other is None)):
        return  # it goes along with its schema: another one takes its place, or none
    if deployed and (other is None or other.kind not in _SINKABLE):
        raise DeploymentError(
            f"{sink} reads {upstream}, which the deployment does not have: keep the model, or drop the sink first."
        )
    name = f"{quoted(sink.schema)}.{quoted(sink.name)}"
    if home:
        yield f"alter sink {quoted(green(sink.schema))}.{quoted(sink.name)} set schema {quoted(sink.schema)}"
    if sink.cluster in deployment.clusters:
        yield f"alter sink {name} set cluster {quoted(sink.cluster)}"
    if deployed:
        yield f"alter sink {name} set from {quoted(upstream.schema)}.{quoted(upstream.name)}"


def busy_sinks(deployment: Deployment, found: Environment) -> list[Deployed]:
    """Sinks of production that still write what they have read before they were cut over."""
    outside = set(map(green, deployment.schemas))
    return [
        o for o in found.objects if o.kind == "sink" and o.schema not in outside and len(found.read_by(o)) > 1
    ]


# -- cleanup --


def cleanup(deployment: Deployment, found: Environment) -> list[str]:
    """The statements that drop what is not production; nothing else goes with it."""
    schemas = [green(name) for name in deployment.schemas if green(name) in found.schemas]
    clusters = [green(name) for name in deployment.clusters if green(name) in found.cluster_options]
    dropped = {o.id for o in found.within(schemas)}
    resting = {user for user, used in found.uses if used in dropped}
    _refuse(
        [o for o in found.objects if o.id not in dropped and (o.id in resting or o.cluster in clusters)],
        "rests on what would be dropped, or runs in a cluster that would be",
        "Drop it, or promote the deployment that it belongs to.",
    )
    return [
        *(f"drop schema {quoted(name)} cascade" for name in schemas),
        *(f"drop cluster {quoted(name)} cascade" for name in clusters),
    ]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


_DURATION = re.compile(r"(\d+(?:\.\d+)?) *(ms|s|sec|seconds?|m|min|minutes?|h|hours?)?")
_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}


def milliseconds(duration: object) -> int:
    """Of a text like `5s`, or of a number of seconds."""
    match = _DURATION.fullmatch(str(duration).strip().lower())
    if match is None:
        raise DeploymentError(f"{duration!r} is no duration: write `5s`, `500ms` or `1m`.")
    unit = match[2] or "s"
    return round(float(match[1]) * _UNITS[unit if unit == "ms" else unit[0]])
