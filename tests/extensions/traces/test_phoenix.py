"""Threads as Phoenix shows them, which are sent to it as spans."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from agentlog.infrastructure.postgres.database import Database
from tests.clients import free_port
from tests.command_line import agentlog, environment
from tests.waiting import until

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def phoenix(tmp_path: Path) -> Iterator[httpx2.Client]:
    """A Phoenix of its own, on loopback."""
    command = os.environ.get("AGENTLOG_TEST_PHOENIX")
    if command is None:
        pytest.skip("AGENTLOG_TEST_PHOENIX does not name Phoenix's command; `make test-slow` does")
    http, grpc = free_port(), free_port()
    settings = {
        "PHOENIX_WORKING_DIR": str(tmp_path),
        "PHOENIX_HOST": "127.0.0.1",
        "PHOENIX_PORT": str(http),
        "PHOENIX_GRPC_PORT": str(grpc),
        "PHOENIX_TELEMETRY_ENABLED": "false",
    }
    with (
        (tmp_path / "output").open("wb") as output,
        httpx2.Client(base_url=f"http://127.0.0.1:{http}") as client,
        subprocess.Popen(
            [command, "serve"],
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**environment(), **settings},
        ) as process,
    ):
        try:
            until(lambda: _is_up(client), seconds=120)
            yield client
        finally:
            process.terminate()


def _is_up(client: httpx2.Client) -> bool:
    try:
        return client.get("/healthz").is_success
    except httpx2.TransportError:
        return False


def _spans(client: httpx2.Client) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = client.get("/v1/projects/default/spans?limit=1000").json()["data"]
    return data


@pytest.mark.slow
def test_phoenix_shows_a_thread_with_its_calls_and_tokens(
    phoenix: httpx2.Client, own_database: Database, database_url: str
) -> None:
    del own_database
    assert agentlog("import", EXAMPLES / "deploy.json", url=database_url).code == 0
    (line,) = agentlog("export", "spans", url=database_url).lines
    (group,) = line["resourceSpans"]
    sent = {span["spanId"]: span for span in group["scopeSpans"][0]["spans"]}
    for _ in range(2):
        to = str(phoenix.base_url).rstrip("/")
        assert agentlog("export", "spans", "--to", to, url=database_url).code == 0
    until(lambda: len(_spans(phoenix)) == len(sent))
    stored = {span["context"]["span_id"]: span for span in _spans(phoenix)}
    assert stored.keys() == sent.keys()
    kinds = {"invoke_agent": "AGENT", "chat": "LLM", "execute_tool": "TOOL"}
    for key, span in stored.items():
        of_ours = {attribute["key"]: attribute["value"] for attribute in sent[key]["attributes"]}
        shown = span["attributes"]
        assert span["name"] == sent[key]["name"]
        assert span["parent_id"] == sent[key].get("parentSpanId")
        assert span["span_kind"] == kinds[of_ours["gen_ai.operation.name"]["stringValue"]]
        assert shown["session.id"] == "deploy"
        for theirs, ours in (("prompt", "input"), ("completion", "output")):
            tokens = of_ours.get(f"gen_ai.usage.{ours}_tokens")
            told = None if tokens is None else int(tokens["intValue"])
            assert shown.get(f"llm.token_count.{theirs}") == told
        if span["span_kind"] == "TOOL":
            assert shown["tool.name"] == of_ours["gen_ai.tool.name"]["stringValue"]
    assert {span["span_kind"] for span in stored.values()} == set(kinds.values())


UPLOAD = """
import json, sys
from phoenix.client import Client
from phoenix.client.helpers.atif import upload_atif_trajectories_as_spans
documents = [json.loads(line) for line in sys.stdin]
client = Client(base_url=sys.argv[1])
upload_atif_trajectories_as_spans(client, documents, project_name="default")
"""


@pytest.mark.slow
def test_phoenix_takes_each_example_as_a_trajectory(
    phoenix: httpx2.Client, own_database: Database, database_url: str
) -> None:
    del own_database
    files = sorted(EXAMPLES.glob("*.json"))
    assert agentlog("import", *files, url=database_url).code == 0
    exported = agentlog("export", "threads", "--format", "atif", url=database_url)
    assert len(exported.lines) >= len(files)
    python = Path(os.environ["AGENTLOG_TEST_PHOENIX"]).parent / "python"
    subprocess.run(
        [python, "-c", UPLOAD, str(phoenix.base_url)],
        input="\n".join(map(json.dumps, exported.lines)),
        text=True,
        check=True,
        timeout=60,
    )
    until(lambda: {span["span_kind"] for span in _spans(phoenix)} >= {"AGENT", "LLM", "TOOL"})
