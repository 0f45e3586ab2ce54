"""Search over HTTP: every filter, pages, waiting, and problems that say what is off."""

from typing import Any
from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.search import search
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.message_words import MessageWords
from tests.api.keyholders import bearing, make_key
from tests.infrastructure.appends import reply
from tests.infrastructure.readmodels.tables import catch_up
from tests.infrastructure.reports.histories import build_all, discard_all


@pytest.fixture
def database(database_with_tables: Database) -> Database:
    """Read models are filled in it."""
    return database_with_tables


@pytest.fixture
def talk(threads: Threads, database: Database) -> Threads:
    """A thread about a passenger, and one about nothing."""
    threads.start("t", {"policy": "record", "metadata": {"team": "ops", "reward": 1}})
    args = {"user_id": "mia_li_3668"}
    threads.append(
        "t", [{"type": "tool_calls", "calls": [{"id": "c", "name": "get", "args": args}]}]
    )
    threads.append("t", [reply("Dear Mia, done.")])
    threads.append("u", [reply("nothing")])
    catch_up(database, MessageWords())
    return threads


def ask(client: TestClient, *pairs: tuple[str, Any]) -> Any:
    answer = client.get(f"/v1/search?{urlencode(pairs)}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(client: TestClient, *pairs: tuple[str, Any], status: int = 422) -> str:
    answer = client.get(f"/v1/search?{urlencode(pairs)}")
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return str(answer.json())


def test_a_hit_says_where_it_is_and_what_stands_there(client: TestClient, talk: Threads) -> None:
    hits = ask(client, ("q", "mia_li_3668"))
    message = talk.messages("t")[1]
    assert hits == {
        "items": [
            {
                "threadId": "t",
                "version": 2,
                "messageId": message.message_id,
                "position": message.position,
                "recordedAt": hits["items"][0]["recordedAt"],
                "type": "tool_calls",
                "role": "assistant",
                "tools": ["get"],
                "excerpts": [
                    {"place": "calls[0].args.user_id", "text": "mia_li_3668", "ranges": [[0, 11]]}
                ],
            }
        ],
        "asOf": 4,
        "searchedAfter": None,
        "next": None,
    }
    assert hits["items"][0]["recordedAt"].endswith("Z")


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("pairs", "versions"),
    [
        ([("q", "mia")], [3, 2]),
        ([("q", "mia"), ("where", "type:reply or type:input")], [3]),
        ([("q", "mia"), ("where", "role:assistant")], [3, 2]),
        ([("where", "tool:get")], [2]),
        ([("filter", "thread:t"), ("q", "MIA")], [3, 2]),
        ([("filter", "thread:u"), ("q", "mia")], []),
        ([("filter", "metadata.reward:1.0"), ("q", "mia")], [3, 2]),
        ([("filter", "metadata.team:sales")], []),
        ([("from", "2020-01-01"), ("to", "2100-01-01T00:00:00+02:00"), ("q", "mia")], [3, 2]),
        ([("to", "2020-01-01")], []),
        ([("where", '$.calls[?@.args.user_id == "mia_li_3668"]')], [2]),
        ([("where", "$.calls $.text")], []),
        ([("q", "nul\x00"), ("where", "type:x\x00 tool:y\x00"), ("filter", "thread:z\x00")], []),
        ([("where", f"type:{'x' * 1900}")], []),
        ([("where", f"tool:{'x' * 1900}")], []),
        ([("q", "'\\ & | ! ( :* <->")], []),
    ],
)
def test_every_filter_narrows(
    client: TestClient, pairs: list[tuple[str, str]], versions: list[int]
) -> None:
    assert [item["version"] for item in ask(client, *pairs)["items"]] == versions


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("status:open", {"t", "u"}),
        ("status:closed", set()),
        ("exit:error", set()),
        ("has:error", set()),
        ("-has:error", {"t", "u"}),
        ("anomalies:0", {"t", "u"}),
        ("pending thread:u", {"u"}),
        ("-pending", {"t"}),
    ],
)
def test_filters_of_threads_narrow_too(
    client: TestClient, talk: Threads, database: Database, text: str, listed: set[str]
) -> None:
    pair = ("filter", text)
    talk.append("u", [{"type": "approval_request", "callId": "x", "tool": "mail"}])
    discard_all(database)
    catch_up(database, MessageWords())
    assert "threads is not built yet" in refused(client, pair, status=503)
    build_all(database)
    assert {item["threadId"] for item in ask(client, pair)["items"]} == listed
    assert {item["threadId"] for item in ask(client, ("q", "done"), pair)["items"]} == listed & {
        "t"
    }


@pytest.mark.usefixtures("talk")
def test_pages_follow_each_other(client: TestClient) -> None:
    first = ask(client, ("limit", 3))
    assert len(first["items"]) == 3
    second = ask(client, ("limit", 3), ("after", first["next"]))
    assert (len(second["items"]), second["next"]) == (1, None)
    positions = [item["position"] for page in (first, second) for item in page["items"]]
    assert positions == [4, 3, 2, 1]


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (("q", "x" * 1001), "q"),
        (("where", "$.calls["), "at character 8"),
        (("where", "$[?match(@, '(a+)+')]"), "is not defined, at character 4"),
        (("where", "$." + "x" * 1001), "longer than 1000 characters"),
        (("where", "role:nobody"), "where: role is one of system, user, assistant, tool"),
        (("from", "yesterday"), "from: 'yesterday' is no date"),
        (("to", "2026-01-01T00:00:00"), "to: "),
        (("filter", "metadata.:x"), "filter: name the key"),
        (("filter", "metadata.team:"), "a value is missing"),
        (("limit", 101), "limit"),
        (("after", "x"), "x"),
        (("tool", "x"), "tool: write where=tool:x"),
        (("thread", "x"), "thread: write filter=thread:x"),
        (("words", "x"), "'words' is no parameter"),
    ],
)
def test_what_is_off_is_a_problem_that_names_it(
    client: TestClient, pair: tuple[str, str], reason: str
) -> None:
    assert reason in refused(client, pair)


def test_a_path_that_takes_too_long_is_the_fault_of_who_asks(
    client: TestClient, threads: Threads, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "SECONDS", 0.05)
    deep: Any = -2
    for level in range(60):
        deep = [deep, deep] if level < 6 else [deep]
    threads.append("t", [{"type": "acme.note", "payload": deep}])
    catch_up(database, MessageWords())
    assert "path-too-slow" in refused(client, ("where", "$..[?@..[?@..[?@==-1]]]"))


def test_an_index_that_is_not_there_or_behind_is_said(
    client: TestClient, threads: Threads, database: Database
) -> None:
    discard_all(database)
    assert "message_words is not built yet" in refused(client, ("q", "x"), status=503)
    threads.append("t", [reply("hello")])
    catch_up(database, MessageWords())
    assert len(ask(client, ("q", "hello"), ("wait", 1))["items"]) == 1
    assert "position 2" in refused(client, ("q", "hello"), ("wait", 2), status=404)


@pytest.mark.usefixtures("talk")
def test_only_a_key_that_reads_may_search_and_only_its_own(
    app: FastAPI, client: TestClient
) -> None:
    writer = make_key(app, "append")
    assert client.get("/v1/search", headers=bearing(writer)).status_code == 403
    stranger = make_key(app, "read", tenant="strangers")
    answer = client.get("/v1/search", headers=bearing(stranger)).json()
    assert (answer["items"], answer["next"]) == ([], None)
    assert client.get("/v1/search").status_code == 401
