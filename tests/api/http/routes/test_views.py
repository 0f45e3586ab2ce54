"""Views and differences over HTTP: at every moment, in pages, bare, with options."""

import jsonpatch
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.domain.json.text import parse_stored, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.results import State
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import VIEWS, choose_view
from agentlog.projections.view import StateView
from agentlog.projections.views.repair.wire import MARK, RECORDED
from tests.api.refusals import Refusals
from tests.api.servers import connected, served
from tests.infrastructure.appends import STORY, calls, reply

LISTS = [name for name, view in VIEWS.items() if not issubclass(view, StateView)]


@pytest.fixture(autouse=True)
def story(client: TestClient) -> None:
    """Thread `t` has a history, and an anomaly at its end."""
    client.post("/v1/threads", json={"threadId": "t", "policy": "record", "goal": "g"})
    answer = client.post("/v1/threads/t/messages", json=[*STORY, calls("a")])
    assert answer.status_code == 201


VERSION = len(STORY) + 2


@pytest.mark.parametrize("name", LISTS)
def test_a_view_is_answered_with_its_place_and_items(client: TestClient, name: str) -> None:
    answer = client.get(f"/v1/threads/t/views/{name}")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert list(body) == ["threadId", "version", "position", "items", "next"]
    assert (body["threadId"], body["version"], body["position"]) == ("t", VERSION, VERSION)
    assert body["next"] is None
    assert bool(body["items"]) == (name != "source"), "nothing came in other programs' formats"


@pytest.mark.parametrize("name", ["openai", "anthropic", "responses", "gemini"])
def test_what_was_sent_is_answered_with_what_left_it(client: TestClient, name: str) -> None:
    rewritten = {"type": "agentlog.rewritten", "payload": {"kept": 0, "leftOut": 2}}
    client.post("/v1/threads/t/messages", json=[reply("end"), rewritten])
    path = f"/v1/threads/t/views/{name}?messages=sent"
    body = client.get(path).json()
    assert body["dropped"] == []
    assert body["missing"] == [f"which messages the client left out at version {VERSION + 2}"]
    assert client.get(f"{path}&limit=1").json()["missing"] == body["missing"]
    assert client.get(f"{path}&at={VERSION}").json()["missing"] == []
    assert client.get(f"{path}&bare=true").json() == body["items"]


def test_the_agents_state_is_answered_as_a_state(client: TestClient) -> None:
    body = client.get("/v1/threads/t/views/agent-state").json()
    assert list(body) == ["threadId", "version", "position", "state"]
    assert body["state"]["step_count"] > 0


@pytest.mark.parametrize("name", LISTS)
def test_bare_is_just_the_items(client: TestClient, name: str) -> None:
    whole = client.get(f"/v1/threads/t/views/{name}").json()
    assert client.get(f"/v1/threads/t/views/{name}?bare=true").json() == whole["items"]
    assert client.get(f"/v1/threads/t/views/{name}?bare=false").json() == whole


@pytest.mark.parametrize("name", VIEWS)
def test_the_body_is_the_view_as_it_is_printed_and_no_longer_than_its_headers_say(
    client: TestClient, threads: Threads, views: Views, name: str
) -> None:
    erased = threads.messages("t", types=["reply"])[0].message_id
    path = f"/v1/threads/t/messages/{erased}/redact"
    client.post(path, json={"reason": "asked to"}).raise_for_status()
    for query in ("", "at=9", "at=0", "limit=3", "after=5.0", "after=5.0&limit=4"):
        check_body(client, views, name, query)


def check_body(client: TestClient, views: Views, name: str, query: str) -> None:
    """Compare what HTTP answers, whole and bare, with what is read of the log."""
    asked = {name: value for name, _, value in (part.partition("=") for part in query.split("&"))}
    view = views.view(
        "t",
        choose_view(name),
        at=AtVersion(int(asked["at"])) if "at" in asked else None,
        after=asked.get("after"),
        limit=int(asked["limit"]) if "limit" in asked else None,
    )
    place = {"threadId": "t", "version": view.version, "position": view.position}
    if isinstance(view, State):
        bare: JsonValue = view.state
        whole = {**place, "state": bare}
    else:
        bare = [item.item for item in view.items]
        whole = {**place, "items": bare, "next": view.next}
    for value, suffix in ((whole, ""), (bare, "&bare=true")):
        answer = client.get(f"/v1/threads/t/views/{name}?{query}{suffix}")
        assert answer.content == print_bytes(value)
        assert answer.headers["content-length"] == str(len(answer.content))
        assert answer.headers["content-type"] == "application/json"


def test_there_is_no_asking_for_the_headers_alone(client: TestClient) -> None:
    assert client.head("/v1/threads/t/views/agent-state").status_code == 405


def test_a_client_that_goes_away_in_the_middle_of_a_long_answer_does_no_harm(
    app: FastAPI, threads: Threads, caplog: pytest.LogCaptureFixture
) -> None:
    threads.append("long", [reply("word " * 20_000) for _ in range(200)])
    path = "/v1/threads/long/views/agent-state"
    with served(app) as remote:
        for _ in range(3):
            with connected(remote) as connection:
                connection.sendall(b"GET %b HTTP/1.1\r\nHost: here\r\n\r\n" % path.encode())
                assert connection.recv(2**16).startswith(b"HTTP/1.1 200 ")
        body = remote.get(path).content
        assert len(body) > 200 * 100_000
        assert len(parse_stored(body)["state"]["history"]) == 200
    assert not caplog.records


def test_bare_is_just_the_state(client: TestClient) -> None:
    whole = client.get("/v1/threads/t/views/agent-state").json()
    assert client.get("/v1/threads/t/views/agent-state?bare=true").json() == whole["state"]


@pytest.mark.parametrize("name", LISTS)
def test_pages_of_a_view_follow_the_cursor_and_end(client: TestClient, name: str) -> None:
    path = f"/v1/threads/t/views/{name}"
    whole = client.get(path, params={"at": "20"}).json()["items"]
    for limit in (1, 3, len(whole), len(whole) + 1):
        if not limit:
            continue
        items = []
        cursor: dict[str, str] = {}
        for _ in range(len(whole) + 1):
            page = client.get(path, params={"at": "20", "limit": limit, **cursor}).json()
            items += page["items"]
            if page["next"] is None:
                break
            cursor = {"after": page["next"]}
        assert items == whole


def test_every_form_of_a_moment_reads_the_same_past(client: TestClient) -> None:
    item = client.get("/v1/threads/t/messages?at=1").json()["items"][0]
    moments = ["1", "@1", item["message"]["id"], item["recordedAt"]]
    for path in ("/v1/threads/t/views/kernel", "/v1/threads/t/messages"):
        answers = [client.get(path, params={"at": moment}) for moment in moments]
        assert {answer.status_code for answer in answers} == {200}
        assert len({answer.content for answer in answers}) == 1


def test_before_the_beginning_there_is_nothing(client: TestClient) -> None:
    body = client.get("/v1/threads/t/views/openai?at=0").json()
    assert body == {"threadId": "t", "version": 0, "position": None, "items": [], "next": None}


@pytest.mark.parametrize(
    ("at", "words"),
    [
        (str(VERSION + 1), f"thread 't' is at version {VERSION}"),
        (f"@{VERSION + 1}", f"the log is at position {VERSION}"),
        ("9999-12-31T23:59:59Z", "the store's clock says"),
        ("9223372036854775807", "is not there yet"),
        ("@9223372036854775807", "is not there yet"),
    ],
)
def test_a_moment_of_the_future_is_404_and_says_what_is_there(
    refusals: Refusals, at: str, words: str
) -> None:
    for path in ("views/openai", "messages"):
        refusals.check(
            "GET",
            f"/v1/threads/t/{path}",
            words,
            status=404,
            name="future-moment",
            params={"at": at},
        )
    for end in ("from", "to"):
        refusals.check(
            "GET", "/v1/threads/t/diff", words, status=404, name="future-moment", params={end: at}
        )


NO_MOMENTS = [
    "",
    "x",
    "-1",
    "1.5",
    "@",
    "@-1",
    "@x",
    "1" * 30,
    "@" + "1" * 30,
    "9223372036854775808",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-13-01T00:00:00Z",
    "0001-01-01T00:00:00+23:00",
    "\u0661\u0662",
    "\x00",
    "'; DROP TABLE agentlog.events; --",
]


def test_what_is_no_moment_is_422_and_says_what_one_looks_like(refusals: Refusals) -> None:
    for at in NO_MOMENTS:
        refusals.check(
            "GET",
            "/v1/threads/t/views/openai",
            "use a version (12), a position (@345)",
            status=422,
            name="invalid-moment",
            params={"at": at},
        )


def test_options_change_a_view(client: TestClient) -> None:
    def items(query: str) -> list[dict[str, object]]:
        body: list[dict[str, object]] = client.get(
            f"/v1/threads/t/views/openai?bare=true&{query}"
        ).json()
        return body

    repaired, marked, plain = items(""), items("mark=true"), items("repair=false")
    assert [item for item in marked if "agentlog" in item]
    assert [
        {key: value for key, value in item.items() if key not in {MARK, RECORDED}}
        for item in marked
    ] == repaired
    assert plain != repaired


@pytest.mark.parametrize(
    ("query", "words"),
    [
        (
            "dialect=langchain",
            "does not take the option 'dialect': it takes messages=said|sent, repair=true|false",
        ),
        ("repair=maybe", "does not take the option 'repair'"),
        ("repair=%00", "does not take the option 'repair'"),
    ],
)
def test_an_option_that_a_view_does_not_have_is_422_and_says_which_it_has(
    refusals: Refusals, query: str, words: str
) -> None:
    for path in ("views/openai?", "diff?view=openai&"):
        refusals.check(
            "GET", f"/v1/threads/t/{path}{query}", words, status=422, name="invalid-view-option"
        )


def test_a_view_that_is_not_there_is_404_and_says_which_are(refusals: Refusals) -> None:
    for name in ("nope", "OpenAI", "%00"):
        refusals.check(
            "GET",
            f"/v1/threads/t/views/{name}",
            "choose one of kernel, openai",
            status=404,
            name="unknown-view",
        )
    refusals.check("GET", "/v1/threads/t/diff?view=nope", status=404, name="unknown-view")


def test_a_cursor_that_no_page_gave_out_is_422(refusals: Refusals) -> None:
    for cursor in ("x", "1", "1.x", "\x00"):
        refusals.check(
            "GET",
            "/v1/threads/t/views/openai",
            "pass the `next` of the page before",
            status=422,
            name="invalid-cursor",
            params={"after": cursor},
        )


# The outline


def test_the_outline_is_a_line_a_step_at_any_moment(client: TestClient, refusals: Refusals) -> None:
    usage = {"inputTokens": 1000, "outputTokens": 100}
    told = [
        {"type": "input", "text": "hi"},
        {"type": "llm_response", "model": "gpt-4o", "usage": usage},
        {"type": "tool_calls", "calls": [{"id": "a", "name": "pay", "args": {"to": "me"}}]},
        {"type": "tool_results", "results": [{"callId": "a", "output": "", "error": "no"}]},
    ]
    assert client.post("/v1/threads/u/messages", json=told).status_code == 201
    body = client.get("/v1/threads/u/outline").json()
    steps = body.pop("steps")
    assert body.pop("prices").startswith("genai-prices ")
    assert body["version"] == 4
    assert [(step["step"], step["kind"], step["outcome"]) for step in steps] == [
        (1, "input", None),
        (2, "model", "failed"),
    ]
    assert steps[1]["calls"][0] | {"digest": ""} == {
        "name": "pay",
        "digest": "",
        "hint": "me",
        "times": 1,
        "failed": 1,
        "told": 0,
        "open": 0,
        "attempt": None,
        "attempts": None,
    }
    assert (steps[1]["name"], steps[1]["costUsd"]) == ("gpt-4o", 0.0035)
    assert (steps[1]["computedCalls"], steps[1]["unpricedCalls"]) == (1, 0)
    assert [step["kind"] for step in client.get("/v1/threads/u/outline?at=1").json()["steps"]] == [
        "input"
    ]
    refusals.check("GET", "/v1/threads/nope/outline", status=404, name="unknown-thread")
    refusals.check("GET", "/v1/threads/u/outline?at=9", status=404, name="future-moment")


# Why


def test_why_a_run_went_as_it_went_at_any_moment(client: TestClient, refusals: Refusals) -> None:
    args = {"user": "mia", "paid": 957}
    drafts = [
        {"type": "input", "text": "book it"},
        {"type": "tool_calls", "calls": [{"id": "a", "name": "book", "args": args}]},
        {"type": "tool_results", "results": [{"callId": "a", "output": "Error: paid 957"}]},
        {"type": "tool_calls", "calls": [{"id": "b", "name": "book", "args": {**args, "paid": 9}}]},
        {"type": "exit", "reason": "error", "message": "gave up"},
    ]
    facts = {"threadId": "w", "metadata": {"reward": 0.0}}
    assert client.post("/v1/threads", json=facts).status_code == 201
    assert client.post("/v1/threads/w/messages", json=drafts).status_code == 201
    body = client.get("/v1/threads/w/why").json()
    assert body["outcome"] == {
        "verdict": "failed",
        "basis": "scores",
        "judgedBy": None,
        "scores": {"reward": 0.0},
        "end": "error",
        "version": 1,
    }
    assert body["failure"] == {
        "version": 6,
        "word": "failed",
        "kind": "exit",
        "name": None,
        "text": "gave up",
        "rules": [],
        "call": None,
    }
    assert body["doubt"] == {
        "version": 4,
        "word": "told",
        "kind": "call",
        "name": "book",
        "text": "Error: paid 957",
        "rules": ["error_text"],
        "call": {
            "version": 3,
            "endVersion": 4,
            "name": "book",
            "arguments": "paid=957",
            "outcome": "told",
            "attempt": 1,
            "attempts": 2,
        },
    }
    counts = [body[name] for name in ("failures", "told", "suspected", "loops", "loopCount")]
    assert counts == [1, 1, 1, [], 0]  # the second call has no answer
    assert body["before"]["version"] == 5
    assert body["last"] == {"version": 6, "text": "gave up"}
    assert body["total"]["calls"] == 2
    assert client.get("/v1/threads/w/why?at=3").json()["failure"] is None
    refusals.check("GET", "/v1/threads/nope/why", status=404, name="unknown-thread")
    refusals.check("GET", "/v1/threads/w/why?at=9", status=404, name="future-moment")


# Differences


def test_a_difference_of_states_is_a_patch_from_the_one_to_the_other(client: TestClient) -> None:
    answer = client.get("/v1/threads/t/diff?from=3&to=18")
    assert answer.status_code == 200
    body = answer.json()
    assert list(body) == ["threadId", "from", "to", "patch"]
    assert (body["from"], body["to"]) == (3, 18)

    def state(at: int) -> object:
        return client.get(f"/v1/threads/t/views/agent-state?bare=true&at={at}").json()

    assert body["patch"]
    assert jsonpatch.apply_patch(state(3), body["patch"]) == state(18)


def test_a_difference_of_items_says_what_was_added_changed_and_removed(client: TestClient) -> None:
    client.post("/v1/threads/u/messages", json=[reply("one", metadata={"responseId": "r"})])
    client.post("/v1/threads/u/messages", json=[calls("a", metadata={"responseId": "r"})])
    client.post("/v1/threads/u/messages", json=[{"type": "input", "text": "Now?"}])
    body = client.get("/v1/threads/u/diff?view=openai&from=1").json()
    assert list(body) == ["threadId", "from", "to", "added", "changed", "removed"]
    (changed,) = body["changed"]
    assert changed["place"] == "1.0"
    assert changed["before"] == {"role": "assistant", "content": "one"}
    assert changed["after"]["tool_calls"][0]["id"] == "a"
    assert [added["item"]["role"] for added in body["added"]] == ["tool", "user"]
    assert all(set(added) == {"place", "item"} for added in body["added"])
    back = client.get("/v1/threads/u/diff?view=openai&from=3&to=1").json()
    assert back["removed"] == body["added"]
    assert back["changed"][0]["after"] == changed["before"]


def test_a_difference_takes_the_options_of_its_view(client: TestClient) -> None:
    repaired = client.get("/v1/threads/t/diff?view=openai").json()["added"]
    plain = client.get("/v1/threads/t/diff?view=openai&repair=false").json()["added"]
    assert plain != repaired


def test_a_limit_below_one_is_422(refusals: Refusals) -> None:
    for limit in ("0", "-1", "x", "", "1.5", "1" * 30):
        refusals.check(
            "GET",
            f"/v1/threads/t/views/openai?limit={limit}",
            "query.limit",
            status=422,
            name="invalid-request",
        )


def test_the_changes_of_a_value_are_answered_in_pages(client: TestClient) -> None:
    whole = client.get("/v1/threads/t/changes", params={"path": "$.step_count"}).json()
    assert list(whole) == ["threadId", "examined", "items", "next"]
    assert (whole["threadId"], whole["examined"], whole["next"]) == ("t", VERSION, None)
    first = whole["items"][0]
    assert list(first) == ["version", "position", "recordedAt", "values", "count", "cut"]
    assert (first["values"], first["count"], first["cut"]) == ([1], 1, False)
    assert first["recordedAt"].endswith("Z")
    items: list[JsonValue] = []
    following: str | None = ""
    while following is not None:
        query = f"path=$.step_count&history=false&limit=2{following and f'&after={following}'}"
        page = client.get(f"/v1/threads/t/changes?{query}").json()
        items += page["items"]
        following = page["next"]
    assert items == whole["items"]
    early = {"path": "$.step_count", "at": first["version"]}
    assert client.get("/v1/threads/t/changes", params=early).json()["items"] == [first]


@pytest.mark.parametrize(
    ("query", "name", "word"),
    [
        ("", "invalid-request", "path"),
        ("path=", "invalid-json-path", "path"),
        ("path=step_count", "invalid-json-path", "path: "),
        ("path=$[?match(@,'a')]", "invalid-json-path", "path: "),
        ("path=$&view=openai", "not-one-state", "agent-state"),
        ("path=$&history=maybe", "invalid-view-option", "history"),
        ("path=$&after=x", "invalid-cursor", "x"),
    ],
)
def test_changes_that_cannot_be_told_are_refused(
    refusals: Refusals, query: str, name: str, word: str
) -> None:
    refusals.check("GET", f"/v1/threads/t/changes?{query}", word, status=422, name=name)


def test_changes_of_a_thread_or_up_to_a_moment_that_is_not_there_are_404(
    refusals: Refusals,
) -> None:
    for path, name in (
        ("no/changes?path=$", "unknown-thread"),
        ("t/changes?path=$&at=999", "future-moment"),
    ):
        refusals.check("GET", f"/v1/threads/{path}", status=404, name=name)
