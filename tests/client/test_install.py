"""What `pip install ./client` brings: the package, httpx2 and pydantic, in 15 MB."""

import subprocess
import sys
import zipfile
from email.parser import BytesParser
from pathlib import Path
from venv import EnvBuilder

import pytest
from hatchling.builders.wheel import WheelBuilder

CLIENT = Path(__file__).parents[2] / "client"
MOST_BYTES = 15_000_000


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """The distribution."""
    (path,) = WheelBuilder(str(CLIENT)).build(directory=str(tmp_path))
    return Path(path)


def test_the_client_needs_httpx_and_pydantic_alone(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        needs = BytesParser().parsebytes(archive.read(metadata)).get_all("Requires-Dist", [])
    required = [need for need in needs if "extra ==" not in need]
    assert sorted(need.partition("<")[0] for need in required) == ["httpx2", "pydantic"]
    assert "agentlog_client/py.typed" in names
    top = {name.partition("/")[0] for name in names if ".dist-info/" not in name}
    assert top == {"agentlog_client", "agentlog_program.py"}


def test_importing_it_brings_no_other_package() -> None:
    program = "import sys, agentlog_client; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    extras = {"langchain_core", "langgraph", "agents", "claude_agent_sdk", "google", "pydantic_ai"}
    assert {module.partition(".")[0] for module in done.stdout.split()} & extras == set()
    assert "agentlog_client.adapters" not in done.stdout


@pytest.mark.slow
def test_it_installs_in_little_room(wheel: Path, tmp_path: Path) -> None:
    EnvBuilder(with_pip=True).create(tmp_path / "environment")
    python = tmp_path / "environment" / "bin" / "python"
    before = _bytes_of(tmp_path)
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    assert _bytes_of(tmp_path) - before < MOST_BYTES
    subprocess.run([python, "-c", "from agentlog_client import Client, Recorder"], check=True)


def _bytes_of(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())
