"""The route of hazards."""

from fastapi.testclient import TestClient

from agentlog.infrastructure.threads import Threads


def test_recorded_calls_that_may_be_made_again_need_a_recorded_run(
    client: TestClient, threads: Threads
) -> None:
    assert client.post("/v1/threads/t/messages", json=[{"type": "reply", "text": "It is lost."}])
    answer = client.get("/v1/threads/t/hazards", params={"from": 1})
    assert answer.status_code == 404
    assert "has no recorded exchanges" in answer.json()["detail"]
    assert client.get("/v1/threads/t/hazards", params={"from": 0}).status_code == 422
    threads.writer.append(threads.request("t", facts=[{"type": "thread.hidden"}]))
    assert "is hidden" in client.get("/v1/threads/t/hazards").json()["detail"]
