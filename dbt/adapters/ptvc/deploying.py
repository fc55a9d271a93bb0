"""The steps of a deployment against a runtime: what there is is read, a step's statements follow from it, and are run or shown."""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dbt.adapters.ptvc import deployment as rules
from dbt.adapters.ptvc.deployment import Deployed, Deployment, DeploymentError, Environment, quoted

_SAY_EVERY_S = 5.0
_SETTLE_S = 60.0
_SETTLE_POLL_S = 0.2
_LETTERS = {
    "a": "insert",
    "r": "select",
    "w": "update",
    "d": "delete",
    "D": "truncate",
    "x": "references",
    "t": "trigger",
}
_ACL = re.compile(r"(?P<grantee>.*)=(?P<letters>[A-Za-z*]+)/(?P<grantor>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Server:
    """`query` is a macro's rows, `run` a statement, or several with `;` between them; `pause` for seconds is True when the user has
    interrupted."""

    query: Callable[..., Iterable[Sequence[Any]]]
    run: Callable[[str], object]
    say: Callable[[str], None]
    pause: Callable[[float], bool]


class Deploying:
    """One verb each; `dry_run` shows the statements and runs none."""

    def __init__(
        self, server: Server, deployment: Deployment, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._server = server
        self._deployment = deployment
        self._clock = clock

    def init(self, *, ignore_existing_objects: bool, dry_run: bool) -> None:
        statements = rules.init(
            self._deployment, self._environment(with_grants=True), ignore_existing_objects
        )
        self._run(statements, dry_run)
        if not dry_run:
            self._server.say("deployment is ready: build it with `dbt run --vars 'deploy: true'`")

    def wait(self, *, poll_interval: float, lag_threshold: object) -> None:
        """Returns when all that is maintained in the deployment is hydrated, and no further behind than that."""
        lag_ms, start = rules.milliseconds(lag_threshold), self._clock()
        said = start
        while waiting := rules.unready(self._deployment, self._environment(), lag_ms):
            if self._clock() - said >= _SAY_EVERY_S or said == start:
                said = self._clock()
                self._server.say(f"waiting for {self._described(waiting)}")
            if self._server.pause(poll_interval):
                raise DeploymentError("stopped waiting: the deployment goes on hydrating in the runtime.")
        self._server.say("all of the deployment is hydrated")

    def promote(self, *, dry_run: bool, back: bool = False) -> None:
        """`back` is the same the other way round: what was there before is hydrated already, and takes its place again."""
        self._settle()
        found = self._environment()
        statements = rules.promote(self._deployment, found)
        if waiting := rules.unready(self._deployment, found, None):
            remedy = "Run `dbt run-operation deploy_await`, or pass `--args '{wait: true}'`."
            message = f"the deployment is not hydrated: {self._described(waiting)}. {remedy}"
            if not dry_run:
                raise DeploymentError(message)
            self._server.say(message)
        if dry_run:
            self._run(["begin", *statements, "commit"], dry_run)
            return
        self._server.run(";\n".join(["begin", *statements, "commit"]))
        word = "taken back" if back else "promoted"
        self._server.say(
            f"deployment {word}: what was production is in {', '.join(map(rules.green, self._deployment.schemas))}; "
            "`deploy_rollback` swaps once more, `deploy_cleanup` drops it"
        )

    def cleanup(self, *, dry_run: bool) -> None:
        self._settle()
        self._run(rules.cleanup(self._deployment, self._environment()), dry_run)

    def _settle(self) -> None:
        """Waits for sinks that were cut over a moment ago: before that, nothing can be said of what they rest on."""
        deadline = self._clock() + _SETTLE_S
        while busy := rules.busy_sinks(self._deployment, self._environment()):
            if self._clock() > deadline:
                raise DeploymentError(
                    f"{', '.join(map(str, busy))} still writes what it has read before it was cut over: see "
                    "mz_internal.mz_sink_statuses for what it waits for, and try again."
                )
            if self._server.pause(_SETTLE_POLL_S):
                raise DeploymentError("stopped: nothing was changed.")

    def _run(self, statements: Sequence[str], dry_run: bool) -> None:
        for statement in statements:
            self._server.say(f"{statement};")
            if not dry_run:
                self._server.run(statement)
        if not statements:
            self._server.say("there is nothing to do")

    @staticmethod
    def _described(waiting: Sequence[Deployed]) -> str:
        shown = [
            f"{o} ({'not hydrated' if o.hydrated is False else f'{o.lag_ms} ms behind'})"
            for o in waiting[:10]
        ]
        return ", ".join(shown) + (f" and {len(waiting) - 10} more" if len(waiting) > 10 else "")

    # -- what there is --

    def _environment(self, *, with_grants: bool = False) -> Environment:
        query = self._server.query
        schemas = {str(name) for name, _ in query("ptvc__deploy_schemas")}
        clusters = {str(name): "" for name, _ in query("ptvc__deploy_clusters")}
        if with_grants:
            for cluster in self._deployment.clusters:
                if cluster in clusters:
                    [row] = query("ptvc__deploy_show_cluster", cluster=cluster)
                    text = str(row[1])
                    clusters[cluster] = text[text.rindex("(") :]
        return Environment(
            frozenset(schemas),
            clusters,
            tuple(Deployed(*row) for row in map(_object, query("ptvc__deploy_objects"))),
            tuple((str(user), str(used)) for user, used in query("ptvc__deploy_uses")),
            self._grants() if with_grants else {},
        )

    def _grants(self) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """What makes owner and privileges of a deployment's schema or cluster those of production's; `{}` is its name."""
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for kind, name, grantee, privilege, grantable in self._server.query("ptvc__deploy_privileges"):
            to = "public" if grantee == "PUBLIC" else _escaped(grantee)
            option = " with grant option" if grantable else ""
            found[kind, name].append(f"grant {privilege.lower()} on {kind} {{}} to {to}{option}")
        for schema, role, acls in self._server.query("ptvc__deploy_default_privileges"):
            for acl in str(acls).split("\n"):
                found["schema", schema] += default_grants(role, acl)
        for kind, macro in (("schema", "ptvc__deploy_schemas"), ("cluster", "ptvc__deploy_clusters")):
            for name, owner in self._server.query(macro):
                if owner is not None:
                    found[kind, name].append(f"alter {kind} {{}} owner to {_escaped(owner)}")
        return {key: tuple(templates) for key, templates in found.items()}


def _object(row: Sequence[Any]) -> tuple[Any, ...]:
    id_, schema, name, kind, cluster, hydrated, lag_ms = row
    return id_, schema, name, kind, cluster, hydrated, None if lag_ms is None else int(lag_ms)


def default_grants(role: str, acl: str) -> list[str]:
    """Of one entry of pg_default_acl: `reader=r/owner`."""
    match = _ACL.fullmatch(acl)
    if match is None:
        return []
    grantee = match["grantee"].strip('"')
    to = _escaped(grantee) if grantee else "public"
    head = f"alter default privileges for role {_escaped(role)} in schema {{}} grant"
    return [
        f"{head} {_LETTERS[letter]} on tables to {to}{' with grant option' if star else ''}"
        for letter, star in re.findall(r"([A-Za-z])(\*?)", match["letters"])
        if letter in _LETTERS
    ]


def _escaped(name: str) -> str:
    """As a name, in a template."""
    return quoted(name).replace("{", "{{").replace("}", "}}")
