"""Renders the Helm chart by Helm itself, with the values of each case, and keeps what comes out: `python tests/deploy/render.py [HELM]`.

Helm is not everywhere, so the tests look at what is kept; the digest of the chart's files beside it says that it is of this chart.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent.parent
CHART = ROOT / "deploy" / "helm" / "ptvc"
RENDERED = Path(__file__).parent / "rendered"
DIGEST = RENDERED / "chart.sha256"
KUBERNETES = "1.32.0"
"""What Helm takes the cluster for."""

MINIMAL = {"tls": {"secretName": "certificate"}, "password": {"secretName": "first"}}
STORES = {
    **MINIMAL,
    "secretsKey": {"secretName": "keys"},
    "stores": {
        "consensus": "postgresql://ptvc@db.example.com/ptvc?sslmode=verify-full",
        "consensusPassword": {"secretName": "database"},
        "blob": "s3://bucket/prefix?region=eu-west-1",
        "blobCredentials": "s3",
    },
}
CASES: Mapping[str, Mapping[str, Any]] = {
    "minimal": MINIMAL,
    "stores": {
        **STORES,
        "tls": {"secretName": "certificate", "clientCertificates": True},
        "settings": {"max_connections": 500, "memory_limit_mb": 4096},
        "env": [{"name": "TZ", "value": "UTC"}],
        "volumes": [{"name": "functions", "configMap": {"name": "functions"}}],
        "volumeMounts": [{"name": "functions", "mountPath": "/etc/functions"}],
        "volume": {"storageClassName": "fast"},
        "podAnnotations": {"example.com/team": "data"},
        "nodeSelector": {"kubernetes.io/arch": "amd64"},
        "imagePullSecrets": [{"name": "registry"}],
    },
    "executors": {
        **STORES,
        "executors": {"enabled": True, "properties": {"spark.kubernetes.executor.request.cores": "3500m"}},
    },
}
REFUSED: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "no certificate": ({"password": {"secretName": "first"}}, "it needs a certificate"),
    "no password": ({"tls": {"secretName": "certificate"}}, "nobody could come in"),
    "executors without S3": ({**MINIMAL, "executors": {"enabled": True}}, "give stores.blob"),
    "executors without PostgreSQL": (
        {**MINIMAL, "executors": {"enabled": True}, "stores": {"blob": "s3://bucket/prefix"}},
        "give stores.consensus",
    ),
}


def digest() -> str:
    """Of all files of the chart, and of the values that it is rendered with."""
    found = hashlib.sha256(json.dumps(CASES, sort_keys=True).encode())
    for path in sorted(path for path in CHART.rglob("*") if path.is_file()):
        found.update(f"{path.relative_to(CHART)}\0".encode() + path.read_bytes() + b"\0")
    return found.hexdigest()


def render(helm: str, values: Mapping[str, Any]) -> subprocess.CompletedProcess[str]:
    place = ["--namespace", "data", "--kube-version", KUBERNETES]
    command = [helm, "template", "shop", str(CHART), *place, "--values", "-"]
    return subprocess.run(
        command, input=json.dumps(values), capture_output=True, text=True, timeout=120, check=False
    )


def main(helm: str) -> None:
    done = subprocess.run(
        [helm, "lint", "--strict", str(CHART), "--values", "-"],
        input=json.dumps(MINIMAL),
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.returncode)
    for name, values in CASES.items():
        done = render(helm, values)
        if done.returncode:
            sys.exit(done.stderr)
        (RENDERED / f"{name}.yaml").write_text(done.stdout)
    DIGEST.write_text(f"{digest()}\n")


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["helm"]))
