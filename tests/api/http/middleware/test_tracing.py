"""The trace that a request belongs to stands in the metadata of whatever it appended."""

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from agentlog.infrastructure.postgres.database import Database
from tests.api.servers import served
from tests.infrastructure.appends import check_log, given

TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
OTHER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
APPENDS: list[tuple[str, Any]] = [
    ("/v1/threads", {"threadId": "t", "goal": "g", "metadata": {"team": "support"}}),
    ("/v1/threads/t/messages", [{"type": "tick"}, {"type": "tick", "metadata": {"actor": "a"}}]),
    ("/v1/threads/t/annotate", {"metadata": {"team": "sales"}}),
    ("/v1/threads/t/remarks", {"type": "thread.labelled", "add": ["a"]}),
    ("/v1/log", {"threadId": "t", "messages": [{"type": "tick"}]}),
    ("/v1/threads/t/close", {"reason": "done"}),
]


@pytest.fixture
def remote(app: FastAPI) -> Iterator[httpx2.Client]:
    """A client of the application on a server."""
    with served(app) as client:
        yield client


def _append_all(remote: httpx2.Client, headers: list[tuple[str, str]]) -> list[dict[str, Any]]:
    """Append by every route; return the metadata of all that was written, in order."""
    for path, body in APPENDS:
        answer = remote.post(path, json=body, headers=headers)
        assert answer.status_code in {200, 201}, answer.text
        assert "problem" not in answer.text
    return [item["metadata"] for item in remote.get("/v1/log").json()["items"]]


def test_every_route_that_appends_keeps_it(remote: httpx2.Client, database: Database) -> None:
    stored = _append_all(remote, [("traceparent", TRACE)])
    assert [metadata.pop("traceparent") for metadata in stored] == [TRACE] * 7
    assert stored == [{}, {}, {"actor": "a"}, {}, {}, {}, {}]
    assert remote.get("/v1/threads/t").json()["metadata"] == {"team": "sales"}
    check_log(database)


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("traceparent", "00-nonsense-01")],
        [("traceparent", TRACE.upper())],
        [("traceparent", TRACE), ("traceparent", OTHER)],
    ],
    ids=["none", "nonsense", "capitals", "two"],
)
def test_what_is_no_trace_is_ignored(remote: httpx2.Client, headers: list[tuple[str, str]]) -> None:
    assert _append_all(remote, headers) == [{}, {}, {"actor": "a"}, {}, {}, {}, {}]


def test_a_message_that_names_its_own_keeps_it(remote: httpx2.Client) -> None:
    message = {"type": "tick", "metadata": {"traceparent": "mine", "actor": "a"}}
    remote.post("/v1/threads/t/messages", json=message, headers={"traceparent": TRACE})
    (item,) = remote.get("/v1/log").json()["items"]
    assert item["metadata"] == {"traceparent": "mine", "actor": "a"}


def test_metadata_that_is_none_is_still_refused(remote: httpx2.Client) -> None:
    message = {"type": "tick", "metadata": "nope"}
    answer = remote.post("/v1/threads/t/messages", json=message, headers={"traceparent": TRACE})
    assert answer.status_code == 422


def test_a_retry_in_another_trace_is_answered_with_the_first_place(remote: httpx2.Client) -> None:
    message = {"type": "tick", "id": given(1)}
    for trace in (TRACE, OTHER):
        answer = remote.post("/v1/threads/t/messages", json=message, headers={"traceparent": trace})
    assert answer.json()["messages"][0]["replayed"] is True
    (item,) = remote.get("/v1/log").json()["items"]
    assert item["metadata"] == {"traceparent": TRACE}


def test_every_route_that_appends_documents_it(remote: httpx2.Client) -> None:
    paths = remote.get("/openapi.json").json()["paths"]
    documented = {
        path
        for path, operations in paths.items()
        for parameter in operations.get("post", {}).get("parameters", [])
        if parameter["name"] == "traceparent"
    }
    appends = {path.replace("/t/", "/{thread_id}/") for path, _ in APPENDS}
    assert documented == appends | {path for path in paths if path.endswith(("/redact", "/fork"))}


def test_a_fork_keeps_it(remote: httpx2.Client) -> None:
    remote.post("/v1/threads/t/messages", json={"type": "tick"})
    remote.post("/v1/threads/t/fork", json={"threadId": "f"}, headers={"traceparent": TRACE})
    fact = remote.get("/v1/threads/f/messages").json()["items"][0]
    assert fact["metadata"] == {"traceparent": TRACE}


def test_a_redaction_keeps_it(remote: httpx2.Client) -> None:
    remote.post("/v1/threads/t/messages", json={"type": "tick"})
    remote.post("/v1/threads/t/redact", json={"reason": "r"}, headers={"traceparent": TRACE})
    _, fact = remote.get("/v1/log").json()["items"]
    assert fact["metadata"] == {"traceparent": TRACE}
