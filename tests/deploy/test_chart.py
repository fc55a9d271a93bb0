"""What the Helm chart renders to fits the image, the command and itself.  It was rendered by Helm (`render.py`); no Kubernetes has run it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml
from ptvc.cli import app
from ptvc.config import Settings
from ptvc.http.routes import Routes
from ptvc.persist.location import Location
from ptvc.spark_cluster import check_spark

from .render import CASES, CHART, DIGEST, REFUSED, RENDERED, ROOT, digest, render


def documents(case: str) -> list[dict[str, Any]]:
    return [found for found in yaml.safe_load_all((RENDERED / f"{case}.yaml").read_text()) if found]


def one(case: str, kind: str) -> dict[str, Any]:
    (found,) = (document for document in documents(case) if document["kind"] == kind)
    return found


def pod(case: str) -> dict[str, Any]:
    found: dict[str, Any] = one(case, "StatefulSet")["spec"]["template"]["spec"]
    return found


def containers(case: str) -> list[dict[str, Any]]:
    found = pod(case)
    return [*found.get("initContainers", []), *found["containers"]]


def image() -> str:
    return (ROOT / "deploy" / "Dockerfile").read_text()


def test_what_is_kept_is_of_this_chart() -> None:
    assert DIGEST.read_text().strip() == digest(), "render it anew: python tests/deploy/render.py"
    assert {path.stem for path in RENDERED.glob("*.yaml")} == set(CASES)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_helm_renders_what_is_kept(case: str) -> None:
    if (helm := shutil.which("helm")) is None:
        pytest.skip("no helm here")
    done = render(helm, CASES[case])
    assert done.returncode == 0, done.stderr
    assert done.stdout == (RENDERED / f"{case}.yaml").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("case", REFUSED)
def test_values_that_cannot_be(case: str) -> None:
    if (helm := shutil.which("helm")) is None:
        pytest.skip("no helm here")
    values, reason = REFUSED[case]
    done = render(helm, values)
    assert done.returncode != 0
    assert reason in done.stderr


@pytest.mark.parametrize("case", CASES)
def test_the_command_takes_the_options(case: str, tmp_path: Path) -> None:
    """And the runtime what they say, where executors are to reach it, too."""
    for container in containers(case):
        command, *arguments = container["args"]
        name = {"serve": "serve", "password": "up"}[command]
        parser = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
        context = parser.make_context(name, list(arguments))
        texts = [text.replace("$(POD_IP)", "10.0.0.5") for text in context.params["assignments"] or ()]
        settings = Settings().with_assignments(texts)
        if settings.spark_properties_file:
            path = tmp_path / Path(settings.spark_properties_file).name
            path.write_text(one(case, "ConfigMap")["data"][path.name])
            settings = replace(settings, spark_properties_file=str(path))
        assert settings.on_cluster == bool(CASES[case].get("executors")) or command == "password"
        location = Location(context.params["consensus"] or "sqlite:", context.params["blob"] or "file:")
        check_spark(settings, location, insecure=False)


@pytest.mark.parametrize("case", CASES)
def test_probes_ask_what_is_there(case: str) -> None:
    (coordinator,) = pod(case)["containers"]
    ports = {port["name"]: port["containerPort"] for port in coordinator["ports"]}
    options = dict(zip(coordinator["args"], coordinator["args"][1:], strict=False))
    assert ports["postgresql"] == int(options["--port"])
    assert ports["https"] == int(options["--http-port"])
    paths = {route.path for route in Routes(None, 1).application.routes}  # type: ignore[arg-type, attr-defined]
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        asked = coordinator[probe]["httpGet"]
        assert asked["path"] in paths
        assert (asked["port"], asked["scheme"]) == ("https", "HTTPS")
    for service in (found for found in documents(case) if found["kind"] == "Service"):
        for port in service["spec"]["ports"]:
            assert ports[port["targetPort"]] == port["port"]
    exposed = set(map(int, re.search(r"^EXPOSE (.*)$", image(), re.MULTILINE)[1].split()))  # type: ignore[index]
    assert set(ports.values()) <= exposed


@pytest.mark.parametrize("case", CASES)
def test_objects_name_each_other(case: str) -> None:
    found = documents(case)
    names = {(document["kind"], document["metadata"]["name"]) for document in found}
    assert len(names) == len(found)
    stateful = one(case, "StatefulSet")
    labels = stateful["spec"]["template"]["metadata"]["labels"]
    assert stateful["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert ("Service", stateful["spec"]["serviceName"]) in names
    assert ("ServiceAccount", pod(case)["serviceAccountName"]) in names
    for service in (document for document in found if document["kind"] == "Service"):
        assert service["spec"]["selector"].items() <= labels.items()
    volumes = {volume["name"]: volume for volume in pod(case)["volumes"]}
    claims = {claim["metadata"]["name"] for claim in stateful["spec"]["volumeClaimTemplates"]}
    for container in containers(case):
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes.keys() | claims
    for volume in volumes.values():
        if volume["name"] == "spark":
            assert ("ConfigMap", volume["configMap"]["name"]) in names


@pytest.mark.parametrize("case", CASES)
def test_the_pod_fits_the_image(case: str) -> None:
    user = int(re.search(r"^USER (\d+):", image(), re.MULTILINE)[1])  # type: ignore[index]
    confined = pod(case)["securityContext"]
    assert {confined["runAsUser"], confined["runAsGroup"], confined["fsGroup"]} == {user}
    assert confined["fsGroupChangePolicy"] == "OnRootMismatch", (
        "else secrets.key would be opened to the group"
    )
    (volume,) = re.findall(r"^VOLUME (.*)$", image(), re.MULTILINE)
    for container in containers(case):
        mounts = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert {volume, "/tmp"} <= mounts, "nothing else of it can be written"
        assert container["securityContext"]["readOnlyRootFilesystem"]
    for place in re.findall(r"(?:XDG_CACHE_HOME|PTVC_DIRECTORY)=(\S+)", image()):
        assert Path(place).is_relative_to(volume)


@pytest.mark.parametrize("case", CASES)
def test_secrets_are_named_only(case: str) -> None:
    """Nothing of a Secret is in an argument or in a ConfigMap."""
    for container in containers(case):
        for variable in container["env"]:
            if re.search(r"KEY|PASSWORD", variable["name"]):
                assert "secretKeyRef" in variable["valueFrom"]
    assert not [document for document in documents(case) if document["kind"] == "Secret"]


def test_settings_of_spark() -> None:
    lines = one("executors", "ConfigMap")["data"]["spark.properties"].splitlines()
    found = dict(line.split(" ", 1) for line in lines)
    assert all(name.startswith("spark.") for name in found)
    assert found["spark.authenticate"] == "true"
    assert found["spark.kubernetes.executor.request.cores"] == "3500m"
    assert found["spark.kubernetes.driver.pod.name"] == "shop-ptvc-0"
    assert found["spark.kubernetes.executor.secretKeyRef.AWS_ACCESS_KEY_ID"] == "s3:AWS_ACCESS_KEY_ID"
    assert found["spark.kubernetes.container.image"] == pod("executors")["containers"][0]["image"]


def test_each_value_is_used_and_each_used_is_there() -> None:
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    text = "".join(path.read_text() for path in sorted((CHART / "templates").iterdir()))
    used = {tuple(path.split(".")) for path in re.findall(r"\.Values\.([A-Za-z.]+)", text)}
    for path in used:
        place: Any = values
        for name in path:
            if place == {}:
                break  # whatever the user gives
            assert name in place, ".".join(path)
            place = place[name]
    for leaf in leaves(values):
        assert any(leaf[: len(path)] == path for path in used), ".".join(leaf)


def leaves(values: Mapping[str, Any], at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from leaves(value, (*at, name))
        else:
            yield (*at, name)


def test_the_version_is_that_of_the_package() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    version = re.search(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert chart["appVersion"] == version[1]
