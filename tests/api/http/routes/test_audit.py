"""Proof over HTTP: an auditor who has nothing but the answers checks them."""

import json
from base64 import b64decode
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.domain.integrity.merkle_tree import is_consistent, is_included
from agentlog.infrastructure.audit.bundle import check_bundle
from agentlog.infrastructure.audit.checkpoints import Checkpoints
from agentlog.infrastructure.audit.notes import VerifierKey, open_note
from agentlog.infrastructure.audit.proofs import Proofs
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.postgres.database import Database
from tests.api.refusals import problem_in
from tests.infrastructure.appends import STORY, TENANT, reply
from tests.infrastructure.audit.conftest import Owner

LONG = 'é\x00\U0001f99c\\"' * 200
MANY_BYTES = 5 * 2**20
"""Two bodies of this size fill a page."""


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
        "verdict": "whole",
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
    client.post("/v1/subscriptions", json={"name": "s", "filter": "type:audit_broken"})
    Owner(database).do("UPDATE agentlog.events SET body = 'other' WHERE version = 3")
    answer = client.get("/v1/threads/t/audit").json()
    assert (answer["verdict"], answer["whole"]) == ("broken", False)
    detail = "its body is not the one that its SHA-256 is of"
    assert answer["findings"] == [
        {"what": "body-altered", "breaks": True, "version": 3, "detail": detail}
    ]
    (told,) = client.post("/v1/subscriptions/s/pull", json={}).json()["items"]
    assert (told["type"], told["event"], told["threadId"]) == ("audit_broken", None, None)
    assert told["notice"]["findings"] == [
        {"what": "body-altered", "detail": detail, "threadId": "t", "version": 3}
    ]


def _pages(client: TestClient, thread_id: str, **asked: Any) -> list[Any]:
    """Return all pages of a thread's chain."""
    pages = [client.get(f"/v1/threads/{thread_id}/chain", params=asked).json()]
    while (after := pages[-1]["next"]) is not None:
        asked = {**asked, "after": after}
        pages.append(client.get(f"/v1/threads/{thread_id}/chain", params=asked).json())
    return pages


def _link(page: Any, event: Any, before: str) -> str:
    """Return the link of an event, from nothing but the answer."""
    since = datetime.fromisoformat(event["recordedAt"]) - datetime(1970, 1, 1, tzinfo=UTC)
    metadata = sha256(b64decode(event["metadata"] or "")).hexdigest()
    parts = [
        b"agentlog-chain-1",
        bytes.fromhex(before),
        page["tenant"].encode(),
        page["threadId"].encode(),
        str(event["version"]).encode(),
        str(event["position"]).encode(),
        event["type"].encode(),
        event["messageId"].encode(),
        str(since // timedelta(microseconds=1)).encode(),
        bytes.fromhex(event["bodySha256"]),
        bytes.fromhex(event.get("metadataSha256", metadata)),
        bytes.fromhex(event["leftSha256"]),
    ]
    return sha256(b"".join(b"%d:%b" % (len(part), part) for part in parts)).hexdigest()


def _check(pages: list[Any]) -> None:
    """Compute every link again, and every body's digest where the body is there."""
    before: dict[str, Any] = {"version": 0, "chain": "00" * 32}
    for page in pages:
        assert page["previous"] == before
        for event in page["items"]:
            assert event["version"] == before["version"] + 1
            assert event["chain"] == _link(page, event, before["chain"])
            if event["body"] is not None:
                digest = sha256(b64decode(event["body"])).hexdigest()
                assert digest == event["bodySha256"]
            before = {"version": event["version"], "chain": event["chain"]}
    assert pages[-1]["head"] == before


def test_a_chain_is_computed_again_from_its_pages_alone(
    client: TestClient, checkpoints: Checkpoints
) -> None:
    del checkpoints
    client.post(
        "/v1/threads/t/messages",
        json=[{"type": "log", "text": LONG, "metadata": {"actor": "b"}}],
    )
    client.post("/v1/threads/u/messages", json=[{"type": "system", "text": LONG}, reply(LONG)])
    for thread_id in ("t", "u"):
        for limit in (1, 5, 1000):
            pages = _pages(client, thread_id, limit=limit)
            _check(pages)
            shown = [event for page in pages for event in page["items"]]
            assert all(len(page["items"]) == limit for page in pages[:-1])
            listed = client.get(f"/v1/threads/{thread_id}/messages?limit=1000").json()["items"]
            assert [event["version"] for event in shown] == [event["version"] for event in listed]
    assert [json.loads(b64decode(event["body"]))["text"] for event in shown] == [LONG, LONG]
    assert client.get("/v1/threads/nowhere/chain").status_code == 404


def test_a_redacted_message_keeps_its_digests_in_the_chain(
    client: TestClient, checkpoints: Checkpoints
) -> None:
    del checkpoints
    message = client.get("/v1/threads/t/messages").json()["items"][5]["message"]["id"]
    erasing = f"/v1/threads/t/messages/{message}/redact"
    assert client.post(erasing, json={"reason": "asked for"}).status_code in {200, 201}
    (page,) = _pages(client, "t")
    _check([page])
    event = page["items"][5]
    assert (event["body"], event["metadata"]) == (None, None)
    assert event["redacted"] == page["head"]["version"]
    assert [item for item in page["items"] if "redacted" in item] == [event]


def test_a_chain_that_was_changed_does_not_lead_to_its_head(
    client: TestClient, checkpoints: Checkpoints, database: Database
) -> None:
    del checkpoints
    _check(_pages(client, "t"))
    Owner(database).do("UPDATE agentlog.events SET metadata = '{\"a\":1}' WHERE version = 3")
    with pytest.raises(AssertionError):
        _check(_pages(client, "t"))


def test_a_chain_beyond_its_head_has_nothing(client: TestClient, checkpoints: Checkpoints) -> None:
    del checkpoints
    page = client.get("/v1/threads/t/chain", params={"after": 99}).json()
    assert (page["items"], page["next"], page["previous"]) == ([], None, None)
    assert page["head"]["version"] == len(STORY) + 1
    problem_in(client.get("/v1/threads/t/chain?after=x"), 422, "invalid-cursor")


def test_large_bodies_come_whole_on_more_pages_and_as_one_file(
    client: TestClient, checkpoints: Checkpoints
) -> None:
    text = "é" * (MANY_BYTES // 2)
    for draft in ({"type": "system", "text": text}, reply(text), {"type": "system", "text": text}):
        assert client.post("/v1/threads/big/messages", json=draft).status_code == 201
    pages = _pages(client, "big")
    assert [len(page["items"]) for page in pages] == [2, 1]
    _check(pages)
    checkpoints.make()
    verdict = check_bundle(client.get("/v1/threads/big/evidence").content)
    assert (verdict.findings, verdict.version) == ([], 3)


def test_evidence_is_a_file_that_is_whole(client: TestClient, checkpoints: Checkpoints) -> None:
    checkpoints.make()
    answer = client.get("/v1/threads/t/evidence")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["content-disposition"] == 'attachment; filename="t.json"'
    verdict = check_bundle(answer.content, public_key=checkpoints.public_key())
    assert (verdict.findings, verdict.version) == ([], len(STORY) + 1)
    shown = [event for page in _pages(client, "t") for event in page["items"]]
    assert answer.json()["events"] == shown


def test_evidence_needs_a_checkpoint_and_makes_none(
    client: TestClient, checkpoints: Checkpoints
) -> None:
    path = "/v1/threads/t/evidence"
    problem_in(client.get(path), 404, "unknown-checkpoint", "agentlog checkpoint")
    first = checkpoints.make()
    client.post("/v1/threads/t/messages", json={"type": "log", "text": "late"})
    problem_in(client.get(path), 404, "not-covered", "agentlog checkpoint")
    assert [checkpoint.size for checkpoint in checkpoints.page()] == [first.size]
    checkpoints.make()
    assert client.get(path).status_code == 200
    problem_in(client.get("/v1/threads/nowhere/evidence"), 404, "unknown-thread")


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
                path=[b64decode(digest) for digest in proof["path"]],
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
    assert [checkpoint["note"] for checkpoint in listed] == [checkpoint.note for checkpoint in made]
    assert rest["next"] is None
    assert client.get("/v1/checkpoints/latest").json() == listed[-1]
    asked = {"from": made[0].size, "to": made[2].size}
    proof = client.get("/v1/checkpoints/consistency", params=asked).json()
    assert is_consistent(
        made[0].size,
        made[2].size,
        path=[b64decode(digest) for digest in proof["path"]],
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
    client.post("/v1/subscriptions", json={"name": "s", "filter": "type:audit_broken"})
    for answer in (
        client.get("/v1/threads/t/evidence"),
        client.get(f"/v1/threads/t/messages/{message}/proof"),
        client.get("/v1/checkpoints/consistency", params=asked),
    ):
        assert answer.status_code == 409
        assert answer.json()["type"] == "urn:agentlog:problem:log-contradicted"
    (told,) = client.post("/v1/subscriptions/s/pull", json={}).json()["items"]
    assert told["notice"]["findings"][0]["what"] == "checkpoint-differs"
