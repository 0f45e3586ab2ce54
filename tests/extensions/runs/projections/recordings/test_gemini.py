"""Recordings of agents that ask Gemini."""

import json
from dataclasses import replace
from typing import Any

from agentlog.projections.exchanges.reconstruction import frozen_call
from agentlog.projections.views.request import REQUEST_TYPE
from tests.extensions.runs.projections.recordings.test_recording import Run, types
from tests.histories import history
from tests.providers.agent import Agent
from tests.providers.script import Answer, Call

Item = dict[str, Any]


def test_a_call_and_its_result_are_paired_in_the_messages_as_gemini_cli_sends_them() -> None:
    """It gives calls ids of its own when it sends them back."""
    run, agent = Run(), Agent("", "gemini", stream=True)
    agent.say("do it")
    whole = run.ask(agent, Answer(calls=[Call("shell", {"n": 1})]))
    asked = whole["candidates"][0]["content"]["parts"][0]["functionCall"]
    signed = {"functionCall": {**asked, "id": "shell_1795_0"}, "thoughtSignature": "c2ln"}
    ran = {"id": "shell_1795_0", "name": "shell", "response": {"output": "ran"}}
    agent.items.append({"role": "model", "parts": [signed]})
    agent.items.append({"parts": [{"functionResponse": ran}]})
    run.ask(agent, Answer("done"))
    messages = run.recorded()["main"]
    (calls,) = (message for message in messages if message["type"] == "tool_calls")
    (results,) = (message for message in messages if message["type"] == "tool_results")
    assert calls["calls"] == [{"id": "call-1", "name": "shell", "args": {"n": 1}}]
    assert results["results"] == [{"callId": "call-1", "name": "shell", "output": "ran"}]


def test_what_gemini_says_of_an_answer_is_on_record() -> None:
    run, agent = Run(), Agent("", "gemini", stream=True)
    agent.say("do it")
    thinking = {"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}
    run.ask(agent, Answer("well", [Call("shell", {})]), body={**agent.body(), **thinking})
    messages = run.recorded()["main"]
    ids = {m["metadata"]["responseId"] for m in messages if "responseId" in m.get("metadata", {})}
    assert ids == {"resp_1"}
    (request,) = (message for message in messages if message["type"] == REQUEST_TYPE)
    assert request["payload"].keys() == {"model", "stream", "tools", "generationConfig"}
    (asked,) = (message for message in messages if message["type"] == "llm_request")
    assert asked["model"] == "model-1"
    (response,) = (message for message in messages if message["type"] == "llm_response")
    assert (response["finishReason"], response["usage"]["inputTokens"]) == ("STOP", 10)
    assert types(messages)[-3:] == ["reasoning", "reply", "tool_calls"]
    assert "thoughtSignature" in json.dumps(messages[-1]["metadata"])


def answered(run: Run, attempt: int, document: Any, status: int = 200) -> None:
    """Put a whole answer in place of that of an attempt."""
    sent = run.exchanges[attempt - 1]
    response = json.dumps(document).encode()
    run.exchanges[attempt - 1] = replace(sent, status=status, response=response)


def test_answers_without_an_id_are_told_apart() -> None:
    run, agent = Run(), Agent("", "gemini")
    agent.say("do it")
    for attempt in (1, 2):
        whole = run.ask(agent, Answer(f"answer {attempt}"))
        answered(run, attempt, {"candidates": whole["candidates"]})
    replies = [m for m in run.recorded()["main"] if m["type"] == "reply"]
    assert len({reply["metadata"]["responseId"] for reply in replies}) == 2


def test_what_went_wrong_is_said() -> None:
    run, agent = Run(), Agent("", "gemini")
    agent.say("do it")
    for _ in range(3):
        run.ask(agent, Answer("yes"))
    error = {"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}}
    answered(run, 1, error, 429)
    answered(run, 2, [error], 429)  # as streams that are arrays have it
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"totalTokenCount": 7}}
    answered(run, 3, blocked)
    messages = run.recorded()["main"]
    errors = [message["error"] for message in messages if message["type"] == "runtime_error"]
    assert errors == ["status 429: quota"] * 2
    assert messages[-1]["type"] == "llm_response"
    assert messages[-1]["usage"] == {"totalTokens": 7}
    assert "SAFETY" in json.dumps(messages[-1]["metadata"])


def test_tools_and_parameters_of_gemini_are_those_of_the_chat_api() -> None:
    schema = {"type": "OBJECT", "properties": {"type": {"type": "STRING"}}}
    declared = [
        {"name": "a", "description": "A.", "parameters": schema},
        {"name": "b", "parametersJsonSchema": {"type": "object"}},
        {"name": "c", "description": "C."},
    ]
    beside = {
        "tools": [{"functionDeclarations": declared}, {"googleSearch": {}}],
        "generationConfig": {"temperature": 0, "topP": 0.9, "maxOutputTokens": 5, "topK": 3},
    }
    run, agent = Run(), Agent("", "gemini")
    agent.say("do it")
    run.ask(agent, Answer("yes"), body={**agent.body(), **beside})
    events = history(*run.recorded()["main"])
    call = frozen_call(events, events[-1].version)
    properties = {"type": {"type": "string"}}
    functions: list[Item] = [
        {"name": "a", "parameters": {"type": "object", "properties": properties}},
        {"name": "b", "parameters": {"type": "object"}},
        {"name": "c", "parameters": {"type": "object"}},
    ]
    functions[0]["description"], functions[2]["description"] = "A.", "C."
    assert call.request == {
        "messages": [
            {"role": "system", "content": "Be careful."},
            {"role": "user", "content": "do it"},
        ],
        "model": "model-1",
        "tools": [{"type": "function", "function": function} for function in functions],
        "temperature": 0,
        "top_p": 0.9,
        "max_completion_tokens": 5,
    }
    assert (call.source, call.missing) == ("reconstructed", [])
