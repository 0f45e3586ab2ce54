"""Remarks over HTTP: notes, labels and verdicts."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from agentlog.infrastructure.threads import Threads
from tests.api.refusals import Refusals
from tests.infrastructure.appends import STORY, given


@pytest.fixture
def thread(threads: Threads) -> str:
    """The URL of the remarks on a closed thread."""
    threads.append("t", STORY)
    threads.close("t")
    return "/v1/threads/t/remarks"


def test_remarks_are_facts_that_the_view_shows_and_lists_have(
    client: TestClient, thread: str
) -> None:
    before = client.get("/v1/threads/t").json()
    views = [client.get(f"/v1/threads/t/views/{name}").json() for name in ("openai", "agent-state")]
    for remark in (
        {"type": "thread.noted", "text": "why?", "on": 2, "metadata": {"actor": "sam"}},
        {"type": "thread.labelled", "add": ["flaky"]},
        {"type": "thread.judged", "criterion": "policy", "verdict": "fail", "score": 0.25},
    ):
        assert client.post(thread, json=remark).status_code == 201
    after = client.get("/v1/threads/t").json()
    assert (after["labels"], after["judgements"]) == (
        ["flaky"],
        [{"criterion": "policy", "verdict": "fail", "score": 0.25}],
    )
    assert client.get("/v1/threads").json()["items"] == [after]
    assert [before[key] for key in ("status", "updatedAt")] == [
        after[key] for key in ("status", "updatedAt")
    ]
    remarks: Any = client.get("/v1/threads/t/views/remarks").json()["state"]
    (note,), (verdict,) = remarks["notes"], remarks["verdicts"]
    assert (note["text"], note["on"], note["actor"]) == ("why?", 2, "sam")
    assert (verdict["criterion"], verdict["comment"]) == ("policy", None)
    for name, view in zip(("openai", "agent-state"), views, strict=True):
        shown = client.get(f"/v1/threads/t/views/{name}").json()
        assert [shown.get(key) for key in ("items", "state")] == [
            view.get(key) for key in ("items", "state")
        ]
    points = client.get("/v1/threads/t/views/timeline").json()["items"][-3:]
    assert [point["kind"] for point in points] == [
        "thread.noted",
        "thread.labelled",
        "thread.judged",
    ]


def test_a_retry_is_answered_with_the_first_place(client: TestClient, thread: str) -> None:
    remark = {"type": "thread.noted", "id": given(5), "text": "why?"}
    first, again = (client.post(thread, json=remark) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["version"] == again.json()["version"]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({}, "type"),
        ([], ""),
        ({"type": "thread.closed"}, "type"),
        ({"type": "reply", "text": "x"}, "type"),
        ({"type": "thread.noted", "text": "x", "on": 2**63}, "on"),
        ({"type": "thread.noted", "text": "x", "replaces": 1}, "replaces"),
        ({"type": "thread.judged", "score": None, "more": 1}, "more"),
    ],
)
def test_what_is_no_remark_is_refused(
    thread: str, refusals: Refusals, body: Any, place: str
) -> None:
    problem = refusals.check("POST", thread, status=422, name="invalid-message", json=body)
    assert [flaw["place"] for flaw in problem["errors"]] == [place]
