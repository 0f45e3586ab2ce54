"""Proof over HTTP: an auditor who has nothing but the answers checks them."""

from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from domain.integrity.merkle_tree import is_consistent, is_included
from infrastructure.audit.checkpoints import Checkpoints
from infrastructure.audit.notes import VerifierKey, open_note
from infrastructure.audit.proofs import Proofs
from infrastructure.audit.signing import SigningKey
from infrastructure.postgres.database import Database
from tests.infrastructure.appends import STORY, TENANT
from tests.infrastructure.audit.conftest import Owner


@pytest.fixture
def database(own_database: Database) -> Database:
    """Checkpoints stay where they were made."""
    return own_database


@pytest.fixture
def checkpoints(app: FastAPI, database: Database, tmp_path: Path) -> Checkpoints:
    """What signs the log that the application serves, which has a story."""
    key = SigningKey(tmp_path / "key.pem", made=True)
    proofs = Proofs.over(database, tenant=TENANT, key=key)
    with TestClient(app) as client:
        client.post("/v1/threads", json={"threadId": "t", "policy": "record"})
        client.post("/v1/threads/t/messages", json=STORY)
    return proofs.checkpoints


def _root(checkpoint: Any) -> bytes:
    key = VerifierKey.parse(checkpoint["publicKey"])
    opened = open_note(checkpoint["note"], key)
    assert opened.size == checkpoint["size"]
    assert opened.root == b64decode(checkpoint["root"])
    return opened.root


def test_a_thread_that_is_whole(client: TestClient, checkpoints: Checkpoints) -> None:
    del checkpoints
    assert client.get("/v1/threads/t/audit").json() == {
        "threadId": "t",
        "whole": True,
        "events": len(STORY) + 1,
        "findingCount": 0,
        "findings": [],
    }
    assert client.get("/v1/threads/nowhere/audit").status_code == 404


def test_a_thread_that_is_broken_says_where_and_how(
    client: TestClient, checkpoints: Checkpoints, database: Database
) -> None:
    del checkpoints
    Owner(database).do("UPDATE agentlog.events SET body = 'other' WHERE version = 3")
    answer = client.get("/v1/threads/t/audit").json()
    assert answer["whole"] is False
    detail = "its body is not the one that its SHA-256 is of"
    assert answer["findings"] == [
        {"what": "body-altered", "breaks": True, "version": 3, "detail": detail}
    ]


def test_every_message_is_proved_against_the_latest_and_an_earlier_checkpoint(
    client: TestClient, checkpoints: Checkpoints
) -> None:
    first = checkpoints.make()
    sent = client.post("/v1/threads/t/messages", json={"type": "tick"}).json()["messages"][0]
    late = f"/v1/threads/t/messages/{sent['id']}/proof"
    assert client.get(late, params={"checkpoint": first.size}).status_code == 404
    checkpoints.make()
    assert client.get(late).json()["leafIndex"] == first.size
    for item in client.get("/v1/threads/t/messages").json()["items"]:
        path = f"/v1/threads/t/messages/{item['message']['id']}/proof"
        asked: list[dict[str, int]] = [{}]
        if item["version"] <= first.size:
            asked.append({"checkpoint": first.size})
        for parameters in asked:
            proof = client.get(path, params=parameters).json()
            assert is_included(
                b64decode(proof["leafHash"]),
                index=proof["leafIndex"],
                size=proof["checkpoint"]["size"],
                path=[b64decode(each) for each in proof["path"]],
                root=_root(proof["checkpoint"]),
            )


def test_checkpoints_are_listed_in_pages_and_continue_each_other(
    client: TestClient, checkpoints: Checkpoints
) -> None:
    assert client.get("/v1/checkpoints/latest").status_code == 404
    assert client.get("/v1/checkpoints").json() == {"items": [], "next": None}
    made = []
    for _ in range(3):
        client.post("/v1/threads/t/messages", json={"type": "tick"})
        made.append(checkpoints.make())
    page = client.get("/v1/checkpoints", params={"limit": 2}).json()
    rest = client.get("/v1/checkpoints", params={"after": page["next"]}).json()
    listed = page["items"] + rest["items"]
    assert [each["note"] for each in listed] == [each.note for each in made]
    assert rest["next"] is None
    assert client.get("/v1/checkpoints/latest").json() == listed[-1]
    asked = {"from": made[0].size, "to": made[2].size}
    proof = client.get("/v1/checkpoints/consistency", params=asked).json()
    assert is_consistent(
        made[0].size,
        made[2].size,
        path=[b64decode(each) for each in proof["path"]],
        first_root=_root(proof["from"]),
        second_root=_root(proof["to"]),
    )
    unknown = client.get("/v1/checkpoints/consistency", params={"from": 1, "to": 2})
    assert (unknown.status_code, unknown.json()["title"]) == (
        404,
        "There is no checkpoint of that size",
    )


def test_a_log_that_was_changed_proves_nothing(
    client: TestClient, checkpoints: Checkpoints, database: Database
) -> None:
    first = checkpoints.make()
    client.post("/v1/threads/t/messages", json={"type": "tick"})
    second = checkpoints.make()
    Owner(database).do("UPDATE agentlog.events SET chain = sha256('') WHERE version = 3")
    message = client.get("/v1/threads/t/messages").json()["items"][5]["message"]["id"]
    asked = {"from": first.size, "to": second.size}
    for answer in (
        client.get(f"/v1/threads/t/messages/{message}/proof"),
        client.get("/v1/checkpoints/consistency", params=asked),
    ):
        assert answer.status_code == 409
        assert answer.json()["type"] == "urn:agentlog:problem:log-contradicted"
