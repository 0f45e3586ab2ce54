"""LangSmith's SDK and LangGraph programs, traced by three variables; runs by hand, in any order."""

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import count, permutations
from typing import Any
from uuid import UUID

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from httpx2 import Response
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlog.extensions.traces.infrastructure.ingest import TraceIngest
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.message_words import MessageWords
from tests.api.conftest import MAX_BODY_BYTES
from tests.api.keyholders import make_key
from tests.api.servers import running
from tests.infrastructure.appends import TENANT
from tests.infrastructure.readmodels.tables import catch_up

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Item = dict[str, Any]
NUMBERS = count(1)
BOUNDARY = "35d4f06b7e8a4313"

PROGRAM = """
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.tools import tool
from langchain_core.tracers.langchain import wait_for_all_tracers
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
@tool
def track(parcel: int) -> str:
    "Where a parcel is."
    return "Hamburg"
def tokens(asked, answered):
    return {"input_tokens": asked, "output_tokens": answered, "total_tokens": asked + answered}
call = {"id": "call_1", "name": "track", "args": {"parcel": 4711}}
asks = AIMessage("", tool_calls=[call], usage_metadata=tokens(11, 7))
says = AIMessage("It is in Hamburg.", usage_metadata=tokens(21, 8))
fake = GenericFakeChatModel(messages=iter([asks, says]))
graph = StateGraph(MessagesState)
graph.add_node("tools", ToolNode([track]))
graph.add_node("model", lambda state: {
    "messages": [fake.invoke([SystemMessage("be brief"), *state["messages"]])]})
graph.add_edge(START, "model")
graph.add_edge("tools", "model")
graph.add_conditional_edges(
    "model", lambda state: "tools" if state["messages"][-1].tool_calls else END)
graph.compile().invoke(
    {"messages": [HumanMessage("Where is 4711?")]}, {"configurable": {"thread_id": "desk-7"}})
wait_for_all_tracers()
"""


def view(client: TestClient, thread_id: str, **headers: str) -> list[Item]:
    shown: list[Item] = client.get(
        f"/v1/threads/{thread_id}/views/openai?bare=true", headers=headers
    ).json()
    return shown


def types(client: TestClient, thread_id: str) -> list[str]:
    items = client.get(f"/v1/threads/{thread_id}/messages?limit=1000").json()["items"]
    kinds = [item["message"]["type"] for item in items]
    return [kind for kind in kinds if not kind.startswith(("langsmith.", "thread."))]


@pytest.fixture
def database(own_database: Database) -> Database:
    """Keys are made in it."""
    return own_database


@pytest.mark.parametrize("is_plain", ["true", pytest.param("false", marks=pytest.mark.slow)])
def test_a_graph_is_on_record_by_three_variables(
    app: FastAPI, client: TestClient, is_plain: str
) -> None:
    with running(app) as (_, address):
        variables = {
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_ENDPOINT": f"{address}/langsmith",
            "LANGSMITH_API_KEY": make_key(app, "append").reveal(),
            "LANGSMITH_DISABLE_RUN_COMPRESSION": is_plain,
        }
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **variables},
            check=True,
            timeout=120,
        )
    client.headers["X-Api-Key"] = make_key(app, "read").reveal()
    assert [(message["role"], message["content"]) for message in view(client, "desk-7")] == [
        ("system", "be brief"),
        ("user", "Where is 4711?"),
        ("assistant", None),
        ("tool", "Hamburg"),
        ("assistant", "It is in Hamburg."),
    ]
    answers = client.get("/v1/threads/desk-7/messages?filter=type:llm_response").json()["items"]
    assert [answer["message"]["usage"]["totalTokens"] for answer in answers] == [18, 29]
    (thread,) = client.get("/v1/threads").json()["items"]
    assert (thread["threadId"], thread["anomalies"]) == ("desk-7", 0)
    assert thread["metadata"]["source"] == "langsmith"


# runs by hand: a chain around a model's call, a tool and the model's answer

TRACE = "01a21591-4371-75a6-8482-3b0c8cb34000"
TOLD = ["system", "input", "llm_request", "llm_response", "tool_calls", "tool_results"]
TOLD += ["llm_request", "llm_response", "reply"]
CALL = {"name": "track", "args": {"parcel": 4711}, "id": "call_1"}
RESULT = {"type": "tool", "content": "Hamburg", "tool_call_id": "call_1", "additional_kwargs": {}}
SAID: list[Item] = [
    {"role": "system", "content": "be brief"},
    {"role": "user", "content": "Where is 4711?"},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": "Hamburg"},
    {"role": "assistant", "content": "It is in Hamburg."},
]


def run_id(number: int) -> str:
    return str(UUID(int=UUID(TRACE).int + number))


def run(number: int, kind: str, inputs: Item, outputs: Item, **more: Any) -> Item:
    """Return a whole run, `number` seconds after noon; run 0 is the root."""
    return {
        "id": run_id(number),
        "trace_id": TRACE,
        "parent_run_id": run_id(0) if number else None,
        "run_type": kind,
        "name": "track" if kind == "tool" else kind,
        "start_time": f"2026-01-05T12:00:0{number}.000000+00:00",
        "end_time": f"2026-01-05T12:00:0{number}.500000+00:00",
        "inputs": inputs,
        "outputs": outputs,
        "extra": {"metadata": {"thread_id": "desk-7"}},
        "session_name": "desk",
        **more,
    }


RUNS = [
    run(0, "chain", {"question": "Where is 4711?"}, {"answer": "It is in Hamburg."}),
    run(1, "llm", {"messages": SAID[:2]}, {"messages": SAID[2:3]}),
    run(2, "tool", {"parcel": 4711}, {"output": RESULT}),
    run(3, "llm", {"messages": SAID[:4]}, {"messages": SAID[4:]}),
]
ENDED = ("end_time", "outputs")


def begun(whole: Item) -> Item:
    return {key: value for key, value in whole.items() if key not in ENDED}


def ended(whole: Item) -> Item:
    """Return what ends a run, as programs send it by hand: nothing else."""
    return {key: whole[key] for key in ("id", *ENDED)}


def batch(
    client: TestClient, post: Sequence[Item] = (), patch: Sequence[Item] = (), **headers: str
) -> Response:
    return client.post(
        "/langsmith/runs/batch", json={"post": post, "patch": patch}, headers=headers
    )


def multipart(parts: Sequence[tuple[str, bytes]], media_type: str = "application/json") -> bytes:
    body = b""
    for name, data in parts:
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n'
        body += f"{head}Content-Type: {media_type}\r\n\r\n".encode() + data + b"\r\n"
    return body + f"--{BOUNDARY}--\r\n".encode()


def send(client: TestClient, body: bytes, coding: str = "") -> Response:
    headers = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
    if coding:
        headers["content-encoding"] = coding
    return client.post("/langsmith/runs/multipart", content=body, headers=headers)


def forget(app: FastAPI) -> None:
    """Go on as another process that has none of the runs in memory."""
    del app.state.tenants[TENANT]


def test_runs_become_a_thread(client: TestClient) -> None:
    assert batch(client, RUNS).status_code == 202
    assert types(client, "desk-7") == TOLD
    assert view(client, "desk-7")[3]["content"] == "Hamburg"
    head = client.get("/v1/threads/desk-7").json()
    assert head["metadata"] == {"source": "langsmith", "project": "desk", "name": "chain"}
    (result,) = client.get("/v1/threads/desk-7/messages?filter=type:tool_results").json()["items"]
    assert result["message"]["results"][0]["callId"] == "call_1"
    records = client.get("/v1/threads/desk-7/messages?filter=type:langsmith.llm").json()["items"]
    assert [item["message"]["payload"]["id"] for item in records] == [run_id(1), run_id(3)]


def test_a_run_is_kept_as_it_was_sent(client: TestClient) -> None:
    sent = {**RUNS[0], "session_id": None, "events": [], "extra": {"metadata": {}}}
    batch(client, [sent])
    (kept,) = client.get(f"/v1/threads/{TRACE}/messages?filter=type:langsmith.chain").json()[
        "items"
    ]
    assert kept["message"]["payload"] == sent


def test_the_end_completes_the_begin_and_nothing_is_told_twice(
    app: FastAPI, client: TestClient
) -> None:
    for whole in RUNS:
        assert client.post("/langsmith/runs", json=begun(whole)).status_code == 202
    assert types(client, "desk-7") == []
    for whole in RUNS:
        path = f"/langsmith/runs/{whole['id']}"
        end = {**ended(whole), "extra": whole["extra"]}
        assert client.patch(path, json=end).status_code == 202
        forget(app)
    assert types(client, "desk-7") == TOLD
    version = client.get("/v1/threads/desk-7").json()["version"]
    for whole in RUNS:
        batch(client, [begun(whole)], [{**ended(whole), "extra": whole["extra"]}])
    assert types(client, "desk-7") == TOLD
    # the two parts at once are another record of the same run
    assert client.get("/v1/threads/desk-7").json()["version"] == version + len(RUNS)


def test_an_end_that_names_no_conversation_goes_where_its_run_began(client: TestClient) -> None:
    batch(client, [begun(whole) for whole in RUNS])
    for whole in RUNS:
        client.patch(f"/langsmith/runs/{whole['id']}", json=ended(whole))
    assert types(client, "desk-7") == TOLD
    assert len(client.get("/v1/threads").json()["items"]) == 1


def test_the_same_batch_ten_times_is_kept_once(app: FastAPI, client: TestClient) -> None:
    batch(client, RUNS)
    before = client.get("/v1/threads/desk-7").json()["version"]
    for n in range(9):
        if n > 4:
            forget(app)
        assert batch(client, RUNS).status_code == 202
    assert client.get("/v1/threads/desk-7").json()["version"] == before


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(order, id=str(order), marks=[pytest.mark.slow] if number % 5 else [])
        for number, order in enumerate(permutations(range(4)))
    ],
)
def test_runs_come_in_any_order_children_before_parents(
    app: FastAPI, client: TestClient, order: list[int]
) -> None:
    for n in order:
        assert batch(client, [RUNS[n]]).status_code == 202
        forget(app)
    assert sorted(types(client, "desk-7")) == sorted(TOLD)
    assert client.get("/v1/threads/desk-7").json()["anomalies"] == 0


def test_an_end_before_its_begin_is_kept_and_told_with_it(app: FastAPI, client: TestClient) -> None:
    for whole in RUNS:
        batch(client, patch=[{**ended(whole), "extra": whole["extra"], "trace_id": TRACE}])
    assert types(client, "desk-7") == []
    forget(app)
    for whole in RUNS:
        batch(client, [begun(whole)])
    assert sorted(types(client, "desk-7")) == sorted(TOLD)


def test_a_run_without_a_conversation_is_a_thread_of_its_trace(client: TestClient) -> None:
    batch(client, [{**whole, "extra": {}} for whole in RUNS])
    assert types(client, TRACE) == TOLD


def test_what_failed_says_so(client: TestClient) -> None:
    failed = {**RUNS[1], "outputs": None, "error": "RateLimitError('slow down')"}
    batch(client, [failed])
    (error,) = client.get("/v1/threads/desk-7/messages?filter=type:runtime_error").json()["items"]
    assert error["message"]["error"] == "RateLimitError('slow down')"


@pytest.mark.parametrize("coding", ["", "gzip", "zstd"])
def test_parts_beside_the_run_are_of_it(client: TestClient, coding: str) -> None:
    parts: list[tuple[str, bytes]] = []
    for whole in RUNS:
        beside = {key: whole[key] for key in ("inputs", "outputs", "extra")}
        apart = {key: value for key, value in whole.items() if key not in beside}
        parts.append((f"post.{whole['id']}", json.dumps(apart).encode()))
        parts += [
            (f"post.{whole['id']}.{key}", json.dumps(value).encode())
            for key, value in beside.items()
        ]
    said = {"id": run_id(9), "run_id": run_id(0), "trace_id": TRACE, "key": "good", "score": 1}
    parts.append((f"feedback.{run_id(9)}", json.dumps(said).encode()))
    parts.append((f"attachment.{run_id(1)}.label", b"\x00\xff"))
    body = multipart(parts)
    zipped = {"": bytes, "gzip": gzip.compress, "zstd": zstd.compress}[coding](body)
    assert send(client, zipped, coding).status_code == 202
    assert types(client, "desk-7") == TOLD
    (kept,) = client.get("/v1/threads/desk-7/messages?filter=type:thread.judged").json()["items"]
    assert (kept["message"]["criterion"], kept["message"]["score"]) == ("good", 1)
    assert kept["metadata"] == {"source": "langsmith", "langsmith": said}
    first, _ = client.get("/v1/threads/desk-7/messages?filter=type:langsmith.llm").json()["items"]
    label = {"mimeType": "application/json", "data": "AP8="}
    assert first["message"]["payload"]["attachments"] == {"label": label}


def test_feedback_before_its_run_is_kept_as_it_came(client: TestClient) -> None:
    said = {"id": run_id(9), "run_id": run_id(0), "trace_id": TRACE, "key": "good", "score": 1}
    parts = [(f"feedback.{run_id(9)}", json.dumps(said).encode())]
    assert send(client, multipart(parts)).status_code == 202
    (kept,) = client.get(f"/v1/threads/{TRACE}/messages?filter=type:langsmith.feedback").json()[
        "items"
    ]
    assert kept["message"]["payload"] == said


def test_feedback_is_a_verdict_on_the_thread_or_on_the_run_within(
    client: TestClient, app: FastAPI, own_database: Database
) -> None:
    unknown = {"id": run_id(7), "run_id": run_id(0), "key": "good", "score": 1}
    answer = client.post("/langsmith/feedback", json=unknown)
    assert (answer.status_code, "send it first" in answer.text) == (404, True)
    assert batch(client, RUNS).status_code == 202
    inner = {"id": run_id(8), "run_id": run_id(2), "trace_id": TRACE, "key": "found"}
    inner["value"] = "yes"
    for again in (False, True):
        for feedback in (unknown, inner):
            assert client.post("/langsmith/feedback", json=feedback).status_code == 200
        if not again:  # once more as another process, which has to search
            forget(app)
            catch_up(own_database, MessageWords())
    state = client.get("/v1/threads/desk-7/views/remarks").json()["state"]
    verdicts = {verdict["criterion"]: verdict for verdict in state["verdicts"]}
    assert (verdicts["good"]["score"], verdicts["good"]["on"]) == (1, None)
    (result,) = client.get("/v1/threads/desk-7/messages?filter=type:tool_results").json()["items"]
    assert (verdicts["found"]["verdict"], verdicts["found"]["on"]) == ("yes", result["version"])
    kinds = [item["type"] for item in client.get("/v1/threads/desk-7/messages").json()["items"]]
    assert kinds.count("thread.judged") == 2
    alone = {"id": run_id(9), "run_id": run_id(2), "key": "found", "value": "yes"}
    assert client.post("/langsmith/feedback", json=alone).status_code == 404  # not in memory
    refused: tuple[Any, ...] = (
        {"id": run_id(8)},
        {"run_id": run_id(0)},
        [],
        {**inner, "score": 10**400},
    )
    for flawed in refused:
        assert client.post("/langsmith/feedback", json=flawed).status_code == 422


FEEDBACK = """
from langsmith import Client, traceable
client = Client()
@traceable(run_type="llm", client=client)
def answer(messages):
    return {"messages": [{"role": "assistant", "content": "In Hamburg."}]}
seen = {}
question = [{"role": "user", "content": "where?"}]
answer(question, langsmith_extra={
    "metadata": {"thread_id": "desk-8"}, "on_end": lambda run: seen.update(id=run.id)})
client.flush()
client.create_feedback(seen["id"], "alone", score=0.25, comment="too short")
client.create_feedback(seen["id"], "batched", value="calm", trace_id=seen["id"])
client.flush()
"""


@pytest.mark.filterwarnings("ignore")
def test_the_sdk_leaves_feedback_either_way(app: FastAPI, client: TestClient) -> None:
    with running(app) as (_, address):
        variables = {
            "LANGSMITH_TRACING": "true",
            "LANGSMITH_ENDPOINT": f"{address}/langsmith",
            "LANGSMITH_API_KEY": make_key(app, "append").reveal(),
        }
        subprocess.run(
            [sys.executable, "-c", FEEDBACK],
            env={**os.environ, **variables},
            check=True,
            timeout=120,
        )
    client.headers["X-Api-Key"] = make_key(app, "read").reveal()
    (thread,) = client.get("/v1/threads").json()["items"]
    assert thread["threadId"] == "desk-8"
    assert {verdict["criterion"]: verdict for verdict in thread["judgements"]} == {
        "alone": {"criterion": "alone", "verdict": None, "score": 0.25},
        "batched": {"criterion": "batched", "verdict": "calm", "score": None},
    }


def test_runs_of_a_closed_thread_are_refused_aloud(client: TestClient) -> None:
    client.post("/v1/threads", json={"threadId": "desk-7"})
    client.post("/v1/threads/desk-7/close", json={})
    answer = batch(client, RUNS)
    assert answer.status_code == 422
    assert "4 refused" in answer.json()["detail"]


def test_two_tenants_have_threads_of_the_same_name(app: FastAPI, client: TestClient) -> None:
    ours, theirs = (
        {"X-Api-Key": make_key(app, "append", "read", tenant=tenant).reveal()}
        for tenant in (TENANT, "strangers")
    )
    batch(client, RUNS, **ours)
    # an end without a trace finds no run of another tenant
    client.patch(f"/langsmith/runs/{run_id(1)}", json=ended(RUNS[1]), headers=theirs)
    client.patch(f"/langsmith/runs/{run_id(1)}", json={"outputs": {"x": 1}}, headers=theirs)
    threads = client.get("/v1/threads", headers=theirs).json()["items"]
    assert [thread["threadId"] for thread in threads] == [run_id(1)]
    assert client.get("/v1/threads/desk-7", headers=theirs).status_code == 404
    assert client.get("/v1/threads/desk-7", headers=ours).status_code == 200


@pytest.mark.parametrize(
    ("body", "coding", "status", "words"),
    [
        (b"", "", 422, "does not end in its boundary"),
        (multipart([("post.7", b"{}")]), "", 422, "post.7: not a UUID"),
        (multipart([(f"post.{UUID(TRACE).hex}", b"{}")]), "", 422, "not a UUID"),
        (multipart([(f"post.{TRACE}", b"{")]), "", 422, f"post.{TRACE}: "),
        (multipart([(f"post.{TRACE}", b"[]")]), "", 422, "not an object"),
        (multipart([(f"put.{TRACE}", b"{}")]), "", 422, "no part of a run"),
        (multipart([(f"post.{TRACE}.inputs", b"[" * 200 + b"]" * 200)]), "", 422, "nested deeper"),
        (multipart([])[:-4], "", 422, "boundary"),
        (b"{}", "gzip", 400, "no gzip"),
        (b"{}", "zstd", 400, "no zstd"),
        (b"{}", "br", 415, "gzip, zstd"),
        (zstd.compress(multipart([]))[:-2], "zstd", 400, "not one whole zstd"),
        (zstd.compress(b" " * (MAX_BODY_BYTES + 1)), "zstd", 413, "larger than"),
    ],
)
def test_a_malformed_body_is_refused(
    client: TestClient, body: bytes, coding: str, status: int, words: str
) -> None:
    answer = send(client, body, coding)
    assert answer.status_code == status, answer.text
    assert words in answer.json()["detail"]
    assert client.get("/v1/threads").json()["items"] == []


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PLACES = """
    attachments child_runs end_time error events extra feedback_stats inputs name outputs
    prompt_token_details run_type session_name start_time total_cost total_tokens
"""
places = st.sampled_from(PLACES.split())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.dictionaries(places, values, max_size=4), kind=st.sampled_from(["llm", "tool"]))
def test_no_value_of_a_field_brings_a_failure(
    threads: Threads, *, changes: Item, kind: str
) -> None:
    own_id = str(UUID(int=next(NUMBERS)))
    taken = run(1, kind, {"messages": SAID[:2]}, {"messages": SAID[2:3]}, id=own_id)
    taken = {**taken, "trace_id": own_id, "extra": {}, **changes}
    assert TraceIngest(threads).take_runs([taken]).count == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=values, path=st.sampled_from(["/runs", "/runs/batch", f"/runs/{TRACE}"]))
def test_any_json_is_answered_in_the_shape_of_the_client(
    client: TestClient, *, value: Any, path: str
) -> None:
    method = "PATCH" if path.endswith(TRACE) else "POST"
    for body in (value, {"post": value, "patch": [value]}, {"id": TRACE, "extra": value}):
        answer = client.request(method, f"/langsmith{path}", json=body)
        assert answer.status_code in {202, 422}, answer.text
        if answer.status_code != 202:
            assert isinstance(answer.json()["detail"], str)
