"""The manifest is what Kubernetes takes, and its commands run with what it gives them."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import httpx2
import kubernetes_validate  # type: ignore[import-untyped]  # without types
import psycopg
import pytest
import yaml  # type: ignore[import-untyped]  # comes with schemathesis, without types
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.postgres.roles import LOGIN, make_login
from tests.clients import TLS
from tests.command_line import AGENTLOG, environment, started
from tests.waiting import WAIT_SECONDS

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SCRIPTS = ROOT / "deploy" / "systemd"
"""What the image has beside agentlog."""
MANIFEST = ROOT / "deploy" / "kubernetes" / "agentlog.yaml"


def resources() -> dict[str, Any]:
    """Return the resources, by kind."""
    documents = yaml.safe_load_all(MANIFEST.read_text())
    return {document["kind"]: document for document in documents}


def pods() -> list[dict[str, Any]]:
    by_kind = resources()
    service = by_kind["StatefulSet"]["spec"]["template"]["spec"]
    return [service, by_kind["CronJob"]["spec"]["jobTemplate"]["spec"]["template"]["spec"]]


def containers() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = [
        container
        for pod in pods()
        for container in (*pod.get("initContainers", ()), *pod["containers"])
    ]
    return listed


def test_kubernetes_takes_each_resource() -> None:
    by_kind = resources()
    assert by_kind.keys() == {"Service", "StatefulSet", "CronJob", "PersistentVolumeClaim"}
    for resource in by_kind.values():
        kubernetes_validate.validate(resource, "1.37", strict=True)


def test_a_mistake_in_a_resource_is_told() -> None:
    service = resources()["StatefulSet"]
    service["spec"]["replica"] = 1
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(service, "1.37", strict=True)


def test_the_service_finds_its_pod_and_probes_ask_the_routes_for_them() -> None:
    by_kind = resources()
    template = by_kind["StatefulSet"]["spec"]["template"]
    assert by_kind["Service"]["spec"]["selector"] == template["metadata"]["labels"]
    assert by_kind["StatefulSet"]["spec"]["serviceName"] == by_kind["Service"]["metadata"]["name"]
    (container,) = template["spec"]["containers"]
    assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "http"}
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "http"}
    (port,) = container["ports"]
    assert port == {"name": "http", "containerPort": 8080}


def test_pods_may_as_little_as_the_image_needs() -> None:
    uid = int(re.findall(r"^USER (\d+)", DOCKERFILE, re.MULTILINE)[0])
    for pod in pods():
        assert pod["securityContext"]["runAsUser"] == uid
        assert pod["securityContext"]["runAsNonRoot"]
        assert not pod["enableServiceLinks"]  # AGENTLOG_PORT would be no port
        assert not pod["automountServiceAccountToken"]
    for container in containers():
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


def test_no_secret_stands_in_it() -> None:
    for container in containers():
        for variable in container["env"]:
            if re.search("URL|PASSWORD", variable["name"]):
                assert variable["valueFrom"]["secretKeyRef"]["name"] == "agentlog"


def test_what_serves_sees_nothing_of_the_owner() -> None:
    keys = ["snapshot-key"], ["signing-key.pem", "snapshot-key"]  # the night signs alone
    for pod, expected in zip(pods(), keys, strict=True):
        mounted = {
            item["path"]: item["key"]
            for volume in pod["volumes"]
            if "secret" in volume
            for item in volume["secret"]["items"]  # without them, the whole Secret
        }
        assert mounted == {name: name for name in expected}
        for container in pod["containers"]:
            assert not re.search("owner", json.dumps(container))
            files = [
                Path(variable["value"]).relative_to("/keys")
                for variable in container["env"]
                if variable.get("value", "").startswith("/keys/")
            ]
            assert {str(file) for file in files} == mounted.keys()


@pytest.mark.timeout(240)
def test_its_containers_run_in_turn(empty_database_url: str, tmp_path: Path) -> None:
    """As the pods start them, without containers."""
    places = {f"/{name}": tmp_path / name for name in ("keys", "imports", "notes")}
    for place in places.values():
        place.mkdir()
    (places["/keys"] / "snapshot-key").write_bytes(bytes(32))
    signing = Ed25519PrivateKey.generate()
    pem = signing.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (places["/keys"] / "signing-key.pem").write_bytes(pem)
    secret = {
        "owner-url": empty_database_url,
        "url": make_conninfo(empty_database_url, user=LOGIN),
        "owner-password": "not asked for",
        "password": "not asked for",
        "note-command": f"cat > {tmp_path}/sent",
    }

    def environment_of(container: dict[str, Any]) -> dict[str, str]:
        given = {"AGENTLOG_DATA_DIR": str(tmp_path / "scratch")}
        for variable in container["env"]:
            if "valueFrom" in variable:
                given[variable["name"]] = secret[variable["valueFrom"]["secretKeyRef"]["key"]]
                continue
            first, *path = Path(variable["value"]).parts[1:]
            given[variable["name"]] = str(places[f"/{first}"].joinpath(*path))
        return given

    def run(container: dict[str, Any], *command: str) -> str:
        path = f"{AGENTLOG.parent}:{SCRIPTS}:{os.environ['PATH']}"
        words = [str(places.get(word, word)) for word in command or container["command"]]
        done = subprocess.run(
            words,
            env={**environment(), **environment_of(container), "PATH": path},
            capture_output=True,
            text=True,
            timeout=WAIT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    migrate, service, nightly = containers()
    run(migrate)
    with psycopg.connect(empty_database_url, autocommit=True) as owner:
        make_login(owner)
    _, *serve = json.loads(re.findall(r"^CMD (.+)", DOCKERFILE, re.MULTILINE)[-1])
    serve[serve.index("8080")] = "0"
    with started(*serve, **environment_of(service)) as process:  # there is no key yet
        assert process.wait(timeout=WAIT_SECONDS) == 2
    run(service, "agentlog", "keys", "create", "--name", "first", "--scope", "read")
    with started(*serve, **environment_of(service)) as process:
        assert process.stdout is not None
        port = re.search(r"0\.0\.0\.0:(\d+)", process.stdout.readline())
        assert port is not None
        address = f"http://127.0.0.1:{port[1]}"
        with httpx2.Client(base_url=address, trust_env=False, verify=TLS) as client:
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                assert client.get(service[probe]["httpGet"]["path"]).status_code == 200
            assert client.get("/v1/threads").status_code == 401
        ran = run(nightly)
        assert "erased: 0 threads" in ran
        assert "whole: 0 threads" in ran
        assert (tmp_path / "sent").read_text().startswith("agentlog/default\n0\n")
