"""What was handed in to be imported, and what consumers said, goes with what is erased."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.infrastructure.erasure.vacuum import vacuum
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.tenants import Tenants

WORD = "planted-4f9c"


@pytest.fixture
def database(own_database: Database) -> Database:
    """Its tables are vacuumed."""
    return own_database


def line(thread_id: str, *texts: str) -> str:
    messages = [{"type": "reply", "text": text} for text in texts]
    return json.dumps({"threadId": thread_id, "messages": messages}) + "\n"


def imported(client: TestClient, name: str, data: str, **fields: Any) -> str:
    """Return the id of an import that has run."""
    begun = client.post("/v1/imports", json={"paths": [name], **fields}).json()["id"]
    url = f"/v1/imports/{begun}"
    sent = client.put(f"{url}/files", params={"path": name}, content=data)
    assert sent.status_code == 200, sent.text
    assert client.post(f"{url}/run").status_code == 202
    assert client.get(url, params={"wait": 60}).json()["report"]["failure"] is None
    return str(begun)


def files_of(app: FastAPI) -> list[Path]:
    tenants: Tenants = app.state.tenants
    return [path for path in (tenants.settings.data_dir / "imports").rglob("*") if path.is_file()]


def test_what_was_sent_goes_with_the_thread_that_it_made(app: FastAPI, client: TestClient) -> None:
    text = line("theirs", f"{WORD} said") + line("other", "kept")
    first = imported(client, f"{WORD}.jsonl", text)
    again = imported(client, "copy.jsonl", text)  # nothing is written twice
    growing = imported(
        client, "grows.jsonl", line("theirs", f"{WORD} said", f"{WORD} more"), growing=True
    )
    kept = imported(client, "kept.jsonl", line("mine", "kept"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in files_of(app)} == {0o600}
    assert any(WORD.encode() in path.read_bytes() for path in files_of(app))
    answer = client.post("/v1/threads/theirs/redact", json={"reason": "asked"})
    assert answer.status_code == 200, answer.text
    assert not [path for path in files_of(app) if WORD in str(path)]
    assert not [path for path in files_of(app) if WORD.encode() in path.read_bytes()]
    for gone in (first, again, growing):
        assert client.get(f"/v1/imports/{gone}").status_code == 404
    assert client.get(f"/v1/imports/{kept}").status_code == 200
    assert client.get("/v1/threads/other").status_code == 200


def test_what_a_consumer_said_of_an_event_goes_with_its_thread(client: TestClient) -> None:
    client.post("/v1/subscriptions", json={"name": "s", "from": "start"})
    for thread_id in ("theirs", "mine"):
        client.post(f"/v1/threads/{thread_id}/messages", json={"type": "reply", "text": WORD})
    pulled = client.post("/v1/subscriptions/s/pull", json={"limit": 9}).json()
    told = {"lease": pulled["lease"], "error": f"{WORD} does not parse", "park": True}
    assert client.post("/v1/subscriptions/s/nack", json=told).status_code == 200
    client.post("/v1/threads/theirs/redact", json={"reason": "asked"})
    parked = client.get("/v1/subscriptions/s/parked").json()["items"]
    errors = {item["threadId"]: item["error"] for item in parked}
    assert errors == {"theirs": "[redacted]", "mine": told["error"]}


def test_the_name_of_a_file_goes_when_its_thread_is_vacuumed(
    client: TestClient, database: Database
) -> None:
    imported(client, f"{WORD}.jsonl", line("theirs", "x"))
    imported(client, "kept.jsonl", line("mine", "x"))
    client.post("/v1/threads/theirs/redact", json={"reason": "asked"})
    list(vacuum(database, full=True))
    paths = [item["paths"] for item in client.get("/v1/imports").json()["items"]]
    assert paths == [["kept.jsonl"], ["[redacted]"]]
