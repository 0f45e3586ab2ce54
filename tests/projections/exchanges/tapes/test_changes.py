"""Changes of requests in the words of any API."""

import json
from typing import Any, get_args

import pytest

from agentlog.projections.exchanges.requests import Api
from agentlog.projections.exchanges.tapes.changes import (
    Changes,
    NoSuchField,
    changes_of,
    check_pointer,
)
from tests.projections.exchanges.tapes.test_tape import results
from tests.providers.agent import Agent


def changed(api: Api, changes: Changes, *items: Any) -> Any:
    agent = Agent("", api)
    agent.items += [{"role": "user", "content": "do it"}, *items]
    assert changes_of(changes.payload) == changes
    return json.loads(changes.applied(api, json.dumps(agent.body()).encode()))


@pytest.mark.parametrize("api", get_args(Api))
def test_each_change_is_made_where_the_api_has_it(api: Api) -> None:
    body = changed(api, Changes(model="m2", system="Be bold.", without_tools=("shell",)))
    assert body["model"] == "m2"
    assert body["tools"] == []
    if api == "chat":
        assert body["messages"][0] == {"role": "system", "content": "Be bold."}
        assert body["messages"][1]["content"] == "do it"
    else:
        assert body["instructions" if api == "responses" else "system"] == "Be bold."


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
        assert Changes(model="m").applied("chat", request) == request


def test_an_empty_prompt_is_a_change() -> None:
    assert changed("messages", Changes(system=""))["system"] == ""


def test_later_changes_win() -> None:
    one = Changes("m1", "s1", ("a",), {"/x": 1, "/y": 1}, {"c": "1"})
    two = Changes(None, "s2", ("a", "b"), {"/y": 2}, {"d": "2"})
    both = Changes("m1", "s2", ("a", "b"), {"/x": 1, "/y": 2}, {"c": "1", "d": "2"})
    assert one.then(two) == both
    assert Changes().then(one) == one.then(Changes()) == one
