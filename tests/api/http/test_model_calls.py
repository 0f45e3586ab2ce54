"""Model calls over HTTP: the request that produced a message."""

from fastapi.testclient import TestClient

from agentlog.infrastructure.threads import Threads


def test_the_request_of_an_answer_is_that_before_it(client: TestClient, threads: Threads) -> None:
    tools = [{"type": "function", "function": {"name": "track", "parameters": {}}}]
    threads.start("t", {"metadata": {"tools": tools, "model": "gpt-4o"}})
    usage = {"inputTokens": 20, "cachedInputTokens": 0}
    threads.append(
        "t",
        [
            {"type": "input", "text": "Where is it?"},
            {"type": "llm_response", "usage": usage, "metadata": {"responseId": "r"}},
            {"type": "reply", "text": "In Hamburg.", "metadata": {"responseId": "r"}},
        ],
    )
    call = client.get("/v1/threads/t/model-calls/4").json()
    assert call["messages"] == [{"role": "user", "content": "Where is it?"}]
    assert call == {
        "threadId": "t",
        "source": "reconstructed",
        "missing": ["the system prompt", "sampling parameters"],
        "after": 2,
        "api": "chat",
        "model": "gpt-4o",
        "contextWindow": 128_000,
        "charactersPerToken": 5.25,
        "isDoubtful": False,
        "prompt": None,
        "tools": tools,
        "parameters": {},
        "messages": call["messages"],
        "parts": [
            {"part": "tools", "messages": [], "characters": 65, "tokens": 12},
            {"part": "user", "messages": [0], "characters": 40, "tokens": 8},
        ],
        "answer": {
            "versions": [3, 4],
            "model": "gpt-4o",
            "finishReason": None,
            "inputTokens": 20,
            "cachedInputTokens": 0,
            "outputTokens": None,
            "costUsd": None,
            "latencyMs": None,
        },
        "previous": None,
    }


def test_what_has_no_call_says_so(client: TestClient, threads: Threads) -> None:
    threads.start("t", {})
    empty = client.get("/v1/threads/t/model-calls/1")
    assert empty.status_code == 422
    assert "has no message for a model" in empty.json()["detail"]
    assert client.get("/v1/threads/t/model-calls/2").status_code == 404
    assert client.get("/v1/threads/t/model-calls/0").status_code == 422
    assert client.get("/v1/threads/never/model-calls/1").status_code == 404
