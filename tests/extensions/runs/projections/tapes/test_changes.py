"""Changes of requests in the words of any API."""

import json
from typing import Any, get_args

import pytest

from agentlog.extensions.runs.projections.tapes.changes import (
    Changes,
    NoSuchField,
    changes_of,
    check_pointer,
    with_system,
)
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.requests import Api, request_of
from tests.extensions.runs.projections.tapes.test_tape import asked, results
from tests.providers.agent import Agent


def changed(api: Api, changes: Changes, *items: Any) -> Any:
    agent = Agent("", api)
    agent.say("do it")
    agent.items += items
    assert changes_of(changes.payload) == changes
    return changes.applied(asked(agent)).body


@pytest.mark.parametrize("api", get_args(Api))
def test_each_change_is_made_where_the_api_has_it(api: Api) -> None:
    body = changed(api, Changes(model="m2", system="Be bold.", without_tools=("shell",)))
    assert body["model"] == "m2"
    assert body["tools"] == []
    request = request_of(api, body)
    prompt = request.prompt or request.items[0]["content"]
    assert prompt == ({"parts": [{"text": "Be bold."}]} if api == "gemini" else "Be bold.")
    assert "do it" in json.dumps(request.items[-1])


@pytest.mark.parametrize("api", get_args(Api))
def test_a_result_is_put_in_place_of_that_of_its_call(api: Api) -> None:
    given = results(api, ["c1", "c2"], ["one", "two"])
    body = changed(api, Changes(results={"c2": "other"}), *given)
    assert "one" in json.dumps(body)
    assert "two" not in json.dumps(body)
    assert json.dumps(body).count('"other"') == 1


def test_fields_are_set_added_and_taken_away_by_pointer() -> None:
    fields = {"/temperature": 0, "/tools/0/x~1y": [1], "/user": None, "/absent": None}
    body = changed("chat", Changes(fields=fields))
    assert body["temperature"] == 0
    assert body["tools"][0]["x/y"] == [1]
    assert "user" not in body
    assert "absent" not in body


@pytest.mark.parametrize("pointer", ["temperature", "", "/tools/7/name", "/model/x", "/no/thing"])
def test_a_pointer_that_leads_nowhere_is_refused(pointer: str) -> None:
    with pytest.raises(NoSuchField, match="JSON pointer"):
        changed("chat", Changes(fields={check_pointer(pointer): 1}))


def test_without_a_change_the_bytes_are_as_they_were() -> None:
    for request in (b'{"model" : "m",  "tools":[]}', b"no json"):
        sent = Exchange(1, "POST", "/v1/chat/completions", request, "complete", 0)
        assert Changes(model="m").applied(sent) == sent


def test_an_empty_prompt_is_a_change() -> None:
    assert changed("messages", Changes(system=""))["system"] == ""


def test_later_changes_win() -> None:
    one = Changes("m1", "s1", ("a",), {"/x": 1, "/y": 1}, {"c": "1"})
    two = Changes(None, "s2", ("a", "b"), {"/y": 2}, {"d": "2"})
    both = Changes("m1", "s2", ("a", "b"), {"/x": 1, "/y": 2}, {"c": "1", "d": "2"})
    assert one.then(two) == both
    assert Changes().then(one) == one.then(Changes()) == one


def test_the_model_of_gemini_is_changed_in_the_path() -> None:
    agent = Agent("", "gemini", stream=True)
    agent.say("do it")
    sent = asked(agent)
    changed = Changes(model="m2").applied(sent)
    assert changed.path == "/v1beta/models/m2:streamGenerateContent?alt=sse"
    assert json.loads(changed.request) == agent.body()
    assert Changes(model="model-1").applied(sent) == sent


def test_one_function_of_many_is_dropped() -> None:
    tools: list[Any] = [
        {"functionDeclarations": [{"name": "a"}, {"name": "b"}]},
        {"urlContext": {}},
    ]
    body: Any = {"model": "m", "contents": [], "tools": tools}
    kept = Changes(without_tools=("b",)).changed("gemini", body)["tools"]
    assert kept == [{"functionDeclarations": [{"name": "a"}]}, {"urlContext": {}}]
    assert Changes(without_tools=("a", "b")).changed("gemini", body)["tools"] == [
        {"urlContext": {}}
    ]


@pytest.mark.parametrize("call_id", [None, "shell_1795_0"])
def test_a_result_of_gemini_is_that_of_the_call_as_the_log_names_it(call_id: str | None) -> None:
    made = {} if call_id is None else {"id": call_id}
    call = {"functionCall": {"name": "shell", "args": {}, **made}}
    result = {"functionResponse": {"name": "shell", "response": {"result": 1}, **made}}
    agent = Agent("", "gemini")
    agent.items = [{"role": "model", "parts": [call]}, {"role": "user", "parts": [result]}]
    changes = Changes(results={"call-1": "other"})
    changed = json.loads(changes.applied(asked(agent)).request)["contents"]
    own = {**result["functionResponse"], "response": {"output": "other"}}
    assert changed == [agent.items[0], {"role": "user", "parts": [{"functionResponse": own}]}]
    assert changes.results_in(asked(agent)) == {"call-1"}


@pytest.mark.parametrize("api", get_args(Api))
def test_results_that_a_request_has_not_are_not_in_it(api: Api) -> None:
    changes = Changes(results={"c1": "other", "c9": "other"})
    agent = Agent("", api)
    agent.say("do it")
    assert changes.results_in(asked(agent)) == set()


def test_changes_are_named_without_the_texts_that_they_put_in() -> None:
    changes = Changes("m2", "Be bold.", ("shell",), {"/temperature": 0}, {"c1": "other"})
    words = ["model m2", "system prompt", "without shell", "/temperature", "result of c1"]
    assert changes.words == words
    assert Changes().words == []


def test_another_system_prompt_takes_the_place_of_all_before_the_first_turn() -> None:
    developer: dict[str, Any] = {"role": "developer", "content": "too"}
    later: dict[str, Any] = {"role": "system", "content": "later"}
    request: dict[str, Any] = {
        "messages": [
            {"role": "system", "content": "Be brief."},
            developer,
            {"role": "user", "content": "Hi"},
            later,
        ],
        "seed": 1,
    }
    prompt: dict[str, Any] = {"role": "system", "content": "other"}
    other = {"messages": [prompt, {"role": "user", "content": "Hi"}, later], "seed": 1}
    assert with_system(request, "other") == other
    assert with_system({"messages": [{"role": "user", "content": "Hi"}]}, "other") == {
        "messages": [prompt, {"role": "user", "content": "Hi"}]
    }
