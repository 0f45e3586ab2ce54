"""The tests of openai's own source distribution, against the service."""

import os
import re
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.api.servers import running

OPENAI = version("openai")
NEEDED = [f"openai[aiohttp]=={OPENAI}", "pytest", "pytest-asyncio", "rich"]
FILES = {
    "conversations/test_items.py": "",
    "test_conversations.py": "",
    "chat/test_completions.py": "not create",
    "chat/completions/test_messages.py": "not method_list and not response_list",
    "responses/test_input_items.py": "",
    "test_responses.py": "(retrieve or delete) and not all_params",
}
"""Files in the order in which they run, since they delete what they ask for; and what is ours.

Not ours are models; a response's event 0 among events that are obfuscated; and messages that are
typed as those of assistants alone.
"""
AFTER = "not list_with_all_params"
"""These ask for what comes after an item that is not there: here that is refused."""


def install(folder: Path) -> tuple[Path, Path]:
    """Return a Python with what the tests need, and the folder of the distribution."""
    pip = [sys.executable, "-m", "pip"]
    download = [*pip, "download", "--no-deps", "--no-binary", "openai", f"openai=={OPENAI}"]
    subprocess.run([*download, "--dest", folder], check=True, timeout=300)
    with tarfile.open(folder / f"openai-{OPENAI}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True, timeout=120)
    python = folder / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", *NEEDED], check=True, timeout=300)
    return python, folder / f"openai-{OPENAI}"


def seed(client: TestClient) -> None:
    """Make what the tests ask for, as often as they delete it."""
    message: Any = {"type": "message", "id": "msg_abc", "role": "user", "content": "hi"}
    answers = [{"type": "input", "text": "hi"}, {"type": "reply", "text": "hello"}]
    threads: dict[str, list[Any]] = {
        "conv_123": [{"type": "session.started"}],
        "completion_id": answers * 40,
        "response_id": answers * 40,
        "resp_677efb5139a88190b512bc3fef8e535d": answers * 40,
    }
    for thread_id, messages in threads.items():
        started = {"threadId": thread_id, "policy": "record"}
        client.post("/v1/threads", json=started).raise_for_status()
        client.post(f"/v1/threads/{thread_id}/messages", json=messages).raise_for_status()
    items = {"params": {"format": "responses"}, "headers": {"Idempotency-Key": "seed"}}
    url = "/v1/threads/conv_123/messages"
    client.post(url, json=[message] * 80, **items).raise_for_status()


@pytest.mark.slow
def test_openais_own_tests_pass(app: FastAPI, client: TestClient, tmp_path: Path) -> None:
    python, sources = install(tmp_path)
    seed(client)
    passed = 0
    with running(app) as (_, url):
        for name, ours in FILES.items():
            chosen = f"{AFTER} and {ours}" if ours else AFTER
            tests = f"tests/api_resources/{name}"
            options = ["-q", "-o", "addopts=", "-o", "filterwarnings=", "-k", chosen]
            ran = subprocess.run(
                [python, "-m", "pytest", *options, tests],
                cwd=sources,
                env={**os.environ, "TEST_API_BASE_URL": f"{url}/openai/v1"},
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            assert ran.returncode == 0, ran.stdout[-4000:]
            passed += int(re.findall(r"(\d+) passed", ran.stdout)[-1])
    assert passed > 225
