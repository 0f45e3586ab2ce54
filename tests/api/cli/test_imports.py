"""What commands import: a start is as quick as that is little."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx2
import pytest

from tests.command_line import agentlog, environment
from tests.databases import new_database
from tests.waiting import WAIT_SECONDS

_PROGRAM = """
import atexit, builtins, json, sys

importers, usual, (_, to, *sys.argv[1:]) = {}, builtins.__import__, sys.argv

def recorded(name, globals=None, *rest):
    before = set(sys.modules)
    module = usual(name, globals, *rest)
    for new in set(sys.modules) - before:
        importers.setdefault(new, (globals or {}).get("__name__", "?"))
    return module

@atexit.register
def write():
    ran = [name for name, module in sys.modules.items() if type(module).__name__ != "LazyModule"]
    with open(to, "w") as file:
        json.dump({name: importers.get(name, "?") for name in ran}, file)

builtins.__import__ = recorded
from agentlog.__main__ import run
run()
"""
_OF_EVERY_COMMAND = {"annotated_doc", "shellingham", "typer", "typing_extensions"}
_OF_READS = _OF_EVERY_COMMAND | {
    *("psycopg", "psycopg_binary", "psycopg_pool"),
    *("pydantic", "pydantic_core", "annotated_types", "typing_inspection"),
    *("orjson", "platformdirs", "rich", "ulid"),
}
_OF_VIEWS = _OF_READS | {"backports", "jsonpatch", "jsonpointer", "msgspec"}
_OF_SERVE = _OF_VIEWS | {
    *("anyio", "fastapi", "fastapi_swagger", "opentelemetry", "python_multipart", "starlette"),
    *("click", "httptools", "uvicorn", "uvloop", "watchfiles"),
    *("httpx2", "idna", "prometheus_client", "pygments", "structlog"),
    *("cryptography", "rapidfuzz"),
    *("attr", "greenlet", "sniffio"),  # of other packages, where they are installed
}


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with one thread, `t`."""
    with new_database(server_url, template=template_database) as made:
        said = b'[{"role": "user", "content": "hi"}]'
        assert agentlog("import", "-", "--thread-id", "t", url=made, stdin=said).code == 0
        yield made


@pytest.mark.parametrize(
    ("words", "packages", "most"),
    [
        ("--version", _OF_EVERY_COMMAND, 9),
        ("threads", _OF_READS, 150),
        ("show t", _OF_VIEWS, 180),
        ("view t", _OF_VIEWS, 180),
    ],
)
def test_a_command_imports_only_what_it_uses(
    words: str, packages: set[str], most: int, url: str, tmp_path: Path
) -> None:
    with _running(words, url, tmp_path / "modules") as process:
        errors = process.communicate(timeout=WAIT_SECONDS)[1]
    assert process.returncode == 0, errors
    _check_imports(tmp_path / "modules", packages, most)


def test_a_service_imports_only_what_it_needs_for_its_first_answer(
    url: str, tmp_path: Path
) -> None:
    with _running("serve --port 0", url, tmp_path / "modules") as process:
        assert process.stdout is not None
        address = re.search(r"http://\S+:\d+", process.stdout.readline())
        assert address is not None
        assert httpx2.get(f"{address[0]}/v1/threads").json()["items"]
        process.terminate()
        process.communicate(timeout=WAIT_SECONDS)
    _check_imports(tmp_path / "modules", _OF_SERVE, 545)


def _check_imports(to: Path, packages: set[str], most: int) -> None:
    """Check the modules that a program ran, as it wrote them, with who imported each first."""
    importers: Mapping[str, str] = json.loads(to.read_bytes())
    strange = {
        name: importer
        for name, importer in importers.items()
        if "." not in name and name not in packages | {"agentlog"} and _is_installed(name)
    }
    assert strange == {}, "packages that it imports, and who does"
    ours = {name: importer for name, importer in importers.items() if name[:9] == "agentlog."}
    assert len(ours) <= most, ours


def _running(words: str, url: str, to: Path) -> subprocess.Popen[str]:
    """Return a command that has begun, and writes which modules it ran at its end."""
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, to, *words.split()],
        env=environment(url),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _is_installed(name: str) -> bool:
    return name not in sys.stdlib_module_names and not re.match(r"_|cython_runtime", name)
