"""The real client of Letta reads threads as agents."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from letta_client import APIStatusError, Letta, NotFoundError, UnprocessableEntityError

from agentlog.domain.json.text import parse
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.messages import chat
from agentlog.projections.readers.registry import FORMATS
from tests.airline import airline_runs
from tests.api.keyholders import make_key
from tests.api.routes import NEEDS
from tests.api.servers import running
from tests.infrastructure.appends import TENANT, record
from tests.projections.letta_api import CLASSES

Item = dict[str, Any]
EXAMPLES = Path(__file__).parents[3] / "examples"
STORY: list[Item] = [
    {"type": "system", "text": "be brief"},
    {"type": "input", "text": "Where is 4711?"},
    {"type": "llm_response", "model": "gpt-x", "usage": {"totalTokens": 18, "inputTokens": 11}},
    {"type": "tool_calls", "calls": [{"id": "c1", "name": "track", "args": {"parcel": 4711}}]},
    {"type": "approval_request", "callId": "c1", "tool": "track"},
    {"type": "approval_response", "callId": "c1", "approved": True},
    {"type": "tool_results", "results": [{"callId": "c1", "output": "Hamburg"}]},
    {"type": "scratchpad", "text": "likes parcels", "mode": "replace"},
    {"type": "scratchpad", "text": "and letters", "mode": "append"},
    {"type": "reply", "text": "It is in Hamburg.", "metadata": {"responseId": "r1"}},
    {"type": "input", "text": "Thanks"},
    {"type": "reasoning", "title": "", "summary": "polite"},
    {"type": "reply", "text": "You are welcome."},
]


@pytest.fixture
def database(own_database: Database) -> Database:
    """Keys are made in it."""
    return own_database


@pytest.fixture
def letta(app: FastAPI) -> Iterator[Letta]:
    """The client of Letta, of a service on loopback."""
    with running(app) as (_, address), httpx.Client(trust_env=False, timeout=60) as http:
        yield Letta(base_url=f"{address}/letta", api_key="any", http_client=http)


def taken(threads: Threads, thread_id: str, messages: list[Item]) -> str:
    threads.start(thread_id, {"policy": "record"})
    threads.append(thread_id, messages)
    return thread_id


def of_class(items: list[Any], *, stream: bool = False) -> list[Item]:
    """Return items as JSON; each is of the class that it claims to be."""
    for item in items:
        assert type(item) is CLASSES[stream][item.message_type]
    return [json.loads(item.model_dump_json(exclude_unset=True)) for item in items]


def check_reads(letta: Letta, client: TestClient, agent_id: str) -> None:
    """The client lists a thread whole and by pages in each direction, and streams each run."""
    shown = client.get(f"/v1/threads/{agent_id}/views/letta?bare=true").json()
    ids = [item["id"] for item in shown]
    messages = letta.agents.messages
    listed = {
        order: list(messages.list(agent_id, limit=3, order=order)) for order in ("asc", "desc")
    }
    assert [item.otid for item in listed["asc"]] == [item["otid"] for item in shown]
    assert [item.id for item in listed["desc"]] == ids[::-1]
    for items in listed.values():
        of_class(items)
    whole = list(letta.conversations.messages.list(agent_id, limit=1000, order="asc"))
    assert of_class(whole) == of_class(listed["asc"])
    if ids:
        before = list(messages.list(agent_id, before=ids[-1], order="desc", limit=3))
        assert before == []  # nothing is newer
        older = list(messages.list(agent_id, before=ids[-1], order="asc", limit=3))
        of_class(older)
        groups = [list(group) for _, group in groupby(ids)][:-1]
        pages = [groups[max(0, end - 3) : end] for end in range(len(groups), 0, -3)]
        in_pages = [own_id for page in pages for group in page for own_id in group]
        assert [item.id for item in older] == in_pages  # newest page first, each in its order
    streamed: list[Any] = []
    for run in letta.runs.list(agent_id=agent_id, order="asc"):
        if run.status == "running":
            continue
        frames = list(letta.runs.messages.stream(run.id))
        of_class(frames, stream=True)
        assert [frame.message_type for frame in frames[-2:]] == ["stop_reason", "usage_statistics"]
        numbered = [frame for frame in frames[:-2] if hasattr(frame, "id")]
        assert [frame.seq_id for frame in frames[:-2]] == list(range(1, len(frames) - 1))
        within = list(letta.runs.messages.list(run.id))
        assert [item.id for item in numbered] == [item.id for item in within]
        later = list(letta.runs.messages.stream(run.id, starting_after=1))
        assert len(later) == max(2, len(frames) - 1)
        streamed += numbered
    assert [item.id for item in streamed] == ids[: len(streamed)]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_every_example_is_of_the_classes_that_it_claims(
    letta: Letta, client: TestClient, threads: Threads, path: Path
) -> None:
    document = json.loads(path.read_bytes())
    check_reads(letta, client, taken(threads, path.stem, document["messages"]))


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 25])
def test_every_airline_thread_is_of_the_classes_that_it_claims(
    letta: Letta, client: TestClient, threads: Threads, step: int
) -> None:
    for number, run in enumerate(airline_runs()[::step]):
        messages = list(chat.READER.read(run["traj"]))
        check_reads(letta, client, taken(threads, f"airline-{number}", messages))


def test_an_agent_is_a_thread(letta: Letta, threads: Threads) -> None:
    taken(threads, "desk", STORY)
    (agent,) = letta.agents.list()
    assert type(agent).__name__ == "AgentState"
    assert (agent.id, agent.name, agent.system) == ("desk", "desk", "be brief")
    assert agent.llm_config.model == "gpt-x"
    assert [block.value for block in agent.blocks] == ["likes parcels\nand letters"]
    assert [block.label for block in letta.agents.blocks.list("desk")] == ["scratchpad"]
    assert letta.agents.retrieve("desk") == agent
    before = letta.agents.retrieve("desk", extra_query={"at": "3"})
    assert (before.blocks, before.llm_config.model) == ([], "unknown")
    assert letta.conversations.retrieve("desk").agent_id == "desk"
    assert [talk.id for talk in letta.conversations.list(agent_id="desk")] == ["desk"]
    assert letta.health().status == "ok"


def test_agents_are_paged_by_activity(letta: Letta, threads: Threads) -> None:
    for n in range(5):
        taken(threads, f"desk-{n}", STORY[:2])
    names = [agent.id for agent in letta.agents.list(limit=2)]
    assert names == [f"desk-{n}" for n in reversed(range(5))]
    assert [agent.id for agent in letta.agents.list(name="desk-3")] == ["desk-3"]
    assert list(letta.agents.list(tags=["red"])) == []
    with pytest.raises(UnprocessableEntityError, match="newest first"):
        letta.agents.list(order="asc")


def test_agents_are_found_by_their_names_too(letta: Letta, threads: Threads) -> None:
    threads.start("t1", {"goal": "ask Ada", "metadata": {}})
    threads.start("t2", {"goal": "x", "metadata": {"agent": "Ada"}})
    threads.start("t3", {"goal": "y", "metadata": {"agent": "Bob"}})
    assert {agent.id for agent in letta.agents.list(query_text="Ada")} == {"t1", "t2"}
    assert [agent.id for agent in letta.agents.list(query_text="Ada", limit=1)].count("t2") == 1
    assert [agent.id for agent in letta.agents.list(query_text="t3")] == ["t3"]


def test_panels_of_what_no_thread_has_are_empty(letta: Letta, threads: Threads) -> None:
    taken(threads, "desk", STORY)
    agents = letta.agents
    for listing in (
        *(letta.tools.list, letta.models.list, letta.models.embeddings.list, letta.tags.list),
        *(letta.folders.list, letta.archives.list, letta.mcp_servers.list),
        *(partial(part.list, "desk") for part in (agents.tools, agents.folders, agents.files)),
        partial(agents.passages.list, "desk"),
    ):
        assert list(listing()) == []
    assert [block.value for block in letta.blocks.list()] == ["likes parcels\nand letters"]


def test_runs_are_turns_and_steps_are_answers(letta: Letta, threads: Threads) -> None:
    taken(threads, "desk", STORY)
    first, second, third = letta.runs.list(agent_id="desk", order="asc")
    assert [run.status for run in (first, second, third)] == ["completed"] * 3
    reasons = [run.stop_reason for run in (first, second, third)]
    assert reasons == ["requires_approval", "end_turn", "end_turn"]
    assert letta.runs.retrieve(first.id) == first
    assert letta.runs.usage.retrieve(first.id).total_tokens == 18
    assert letta.runs.usage.retrieve(second.id).total_tokens is None
    assert [run.id for run in letta.runs.list(agent_id="desk", statuses=["failed"])] == []
    steps = list(letta.steps.list(agent_id="desk", order="asc"))
    assert [step.total_tokens for step in steps] == [18, None]
    assert [step.run_id for step in steps] == [first.id, second.id]
    assert steps[1].id == "r1"
    (said,) = letta.steps.messages.list("r1", extra_query={"agent_id": "desk"})
    assert said.content == "It is in Hamburg."
    assert [step.id for step in letta.runs.steps.list(second.id)] == ["r1"]


def test_time_travel_by_an_extra_query(letta: Letta, threads: Threads) -> None:
    taken(threads, "desk", STORY)
    items = letta.agents.messages.list("desk", order="asc", extra_query={"at": "3"})
    assert [item.message_type for item in items] == ["system_message", "user_message"]
    (run,) = letta.runs.list(agent_id="desk", extra_query={"at": "3"})
    assert run.status == "running"


def test_a_run_at_work_is_followed_to_its_end(letta: Letta, threads: Threads) -> None:
    taken(threads, "desk", STORY[:2])
    (run,) = letta.runs.list(agent_id="desk")
    assert run.status == "running"
    stream = letta.runs.messages.stream(run.id)
    first = next(iter(stream))
    threads.append("desk", [{"type": "reply", "text": "In Hamburg."}])
    threads.append("desk", [{"type": "input", "text": "Thanks"}])
    rest = list(stream)
    assert [item.message_type for item in (first, *rest)] == [
        "system_message",
        "user_message",
        "assistant_message",
        "stop_reason",
        "usage_statistics",
    ]
    assert [item.seq_id for item in (first, *rest)[:3]] == [1, 2, 3]


def test_messages_that_are_sent_are_recorded(letta: Letta, threads: Threads) -> None:
    taken(threads, "desk", STORY[:4])
    answer = letta.agents.messages.create(
        "desk",
        messages=[
            {"role": "user", "content": "And 4712?", "otid": "o1", "name": "ada"},
            {"type": "approval", "approvals": [{"tool_call_id": "c1", "approve": False}]},
        ],
    )
    assert answer.messages == []
    assert answer.stop_reason.stop_reason == "end_turn"
    letta.agents.messages.create(
        "desk", messages=[{"role": "user", "content": "And 4712?", "otid": "o1", "name": "ada"}]
    )
    letta.agents.messages.create("desk", input="Hello?")
    items = list(letta.agents.messages.list("desk", order="asc"))
    of_class(items)
    assert [item.message_type for item in items][3:] == [
        "user_message",
        "approval_response_message",
        "user_message",
    ]
    assert (items[3].content, items[3].otid, items[3].name) == ("And 4712?", "o1", "ada")


def test_what_needs_an_agent_at_work_is_refused_at_once(
    letta: Letta, threads: Threads, client: TestClient
) -> None:
    taken(threads, "desk", STORY)
    asks: tuple[Callable[[], object], ...] = (
        lambda: letta.agents.create(name="x"),
        lambda: letta.agents.delete("desk"),
        lambda: letta.agents.messages.create("desk", input="hi", streaming=True),
        lambda: letta.agents.messages.create_async("desk", input="hi"),
        lambda: letta.conversations.create(agent_id="desk"),
        lambda: letta.post("/v1/agents/desk/messages/stream", cast_to=object, body={}),
        lambda: letta.conversations.messages.compact("desk"),
    )
    for ask in asks:
        with pytest.raises(APIStatusError) as caught:
            ask()
        assert caught.value.status_code == 501
        assert caught.value.response.headers["x-should-retry"] == "false"
        assert "runs no agent" in caught.value.response.json()["detail"]
    assert client.get("/v1/threads/desk").json()["version"] == len(STORY) + 1


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.json")), ids=lambda path: path.stem)
def test_a_file_goes_out_and_comes_in_as_the_same_messages(
    letta: Letta, client: TestClient, threads: Threads, path: Path
) -> None:
    taken(threads, "desk", json.loads(path.read_bytes())["messages"])
    text = letta.agents.export_file("desk")
    chosen = FORMATS["letta-agent"]
    assert chosen.is_document(parse(text.encode()))
    (agent_id,) = letta.agents.import_file(file=("desk.af", text.encode())).agent_ids
    again = letta.agents.import_file(file=("desk.af", text.encode())).agent_ids
    assert again == [agent_id]

    def said(thread_id: str) -> list[Item]:
        shown = client.get(f"/v1/threads/{thread_id}/views/letta?bare=true").json()
        unsaid = {"id", "otid", "step_id", "approval_request_id", "name", "run_id", "sender_id"}
        return [joined({k: v for k, v in item.items() if k not in unsaid}) for item in shown]

    def joined(item: Item) -> Item:
        """Return an item with the texts of its content as one, as files are read."""
        if not isinstance(item.get("content"), list):
            return item
        texts = [part["text"] for part in item["content"] if part["type"] == "text"]
        others = [part for part in item["content"] if part["type"] != "text"]
        return {**item, "content": ["".join(texts), *others]}

    assert said(agent_id) == said("desk")
    assert letta.agents.retrieve(agent_id).blocks[:1] == [
        block.model_copy(update={"id": f"block-{agent_id}"})
        for block in letta.agents.retrieve("desk").blocks
    ]


def test_what_is_not_there_is_said_in_the_shape_of_the_client(
    letta: Letta, threads: Threads
) -> None:
    taken(threads, "desk", STORY)
    asks: tuple[Callable[[], object], ...] = (
        lambda: letta.agents.retrieve("nobody"),
        lambda: letta.agents.messages.list("nobody"),
        lambda: letta.agents.messages.list("desk", conversation_id="other"),
        lambda: letta.agents.messages.create("nobody", input="hi"),
        lambda: letta.runs.retrieve("run-7-nobody"),
        lambda: letta.runs.retrieve("run-7"),
        lambda: letta.runs.messages.list("run-99-desk"),
        lambda: letta.conversations.messages.stream("nobody"),
        lambda: letta.agents.export_file("nobody"),
        lambda: letta.steps.retrieve("r7", extra_query={"agent_id": "desk"}),
        lambda: letta.messages.retrieve("message-7", extra_query={"agent_id": "desk"}),
    )
    for ask in asks:
        with pytest.raises(NotFoundError) as caught:
            ask()
        assert set(caught.value.response.json()) == {"detail"}
        assert caught.value.response.headers["x-should-retry"] == "false"
    nameless: tuple[Callable[[], object], ...] = (
        letta.runs.list,
        letta.steps.list,
        lambda: letta.messages.retrieve("message-7"),
    )
    for ask in nameless:
        with pytest.raises(UnprocessableEntityError, match="agent_id"):
            ask()


OURS = "our-own-words-4f9c"


LISTS = ("archives", "folders", "mcp-servers", "models", "tags", "tools")
PANELS = ("archival-memory", "files", "folders", "tools")


def routes() -> list[tuple[str, str]]:
    pairs = (name.split() for name in NEEDS if " /letta/" in name)
    return [(method, path) for method, path in pairs]


def test_a_strangers_key_finds_nothing_of_ours(app: FastAPI, client: TestClient) -> None:
    ours, stranger = (
        {"Authorization": f"Bearer {make_key(app, 'read', 'append', tenant=tenant).reveal()}"}
        for tenant in (TENANT, "strangers")
    )
    said = [{"type": "input", "text": OURS}, {"type": "scratchpad", "text": OURS, "mode": "append"}]
    said.append({"type": "reply", "text": OURS, "metadata": {"responseId": "r1"}})
    assert client.post("/v1/threads/desk/messages", json=said, headers=ours).status_code == 201
    silent = set()
    for method, path in routes():
        named = path.format(
            thread_id="desk",
            run_id="run-1-desk",
            step_id="r1",
            message_id="message-x",
        )
        query = {"agent_id": "desk"} if path.split("/")[3] in {"runs", "steps", "messages"} else {}
        body = b"{}" if method != "GET" else b""
        told = client.request(method, named, params=query, headers=ours, content=body)
        answer = client.request(method, named, params=query, headers=stranger, content=body)
        assert OURS not in answer.text, named
        assert "desk" not in answer.text or answer.status_code == 404, (named, answer.text)
        assert answer.status_code < 500 or answer.status_code == 501
        assert client.request(method, named, params=query, content=body).status_code == 401
        if OURS not in told.text and told.status_code == 200:
            silent.add(path.removeprefix("/letta/v1"))
    assert silent == {  # else the test could not fail
        *(f"/agents/{{thread_id}}/{name}" for name in PANELS),
        *(
            f"/{name}/"
            for name in ("archives", "folders", "mcp-servers", "models", "tags", "tools")
        ),
        "/models/embedding",
        "/conversations/",
        "/conversations/{thread_id}",
        "/health/",
        "/runs/",
        "/runs/{run_id}",
        "/runs/{run_id}/steps",
        "/runs/{run_id}/usage",
        "/steps/",
        "/steps/{step_id}",
    }


def test_a_hidden_thread_is_not_there(client: TestClient, threads: Threads) -> None:
    taken(threads, "desk", [{"type": "input", "text": OURS}, {"type": "reply", "text": OURS}])
    record(threads, "desk", "thread.hidden")
    for method, path in routes():
        named = path.format(
            thread_id="desk", run_id="run-2-desk", step_id="r1", message_id="message-x"
        )
        query = {"agent_id": "desk"} if path.split("/")[3] in {"runs", "steps", "messages"} else {}
        answer = client.request(method, named, params=query, json={"input": "x"})
        assert OURS not in answer.text
        assert "desk" not in answer.text or answer.status_code == 404, (path, answer.text)


texts = st.text(max_size=20)
queries = st.dictionaries(
    st.sampled_from(["after", "before", "limit", "order", "at", "agent_id", "conversation_id"]),
    texts | st.sampled_from(["desk", "1", "asc", "0", "-1", "1001"]),
    max_size=4,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(route=st.sampled_from(routes()), name=texts, query=queries, data=st.data())
def test_bad_input_is_refused_in_the_shape_of_the_client(
    client: TestClient,
    *,
    route: tuple[str, str],
    name: str,
    query: dict[str, str],
    data: st.DataObject,
) -> None:
    method, template = route
    parts = dict.fromkeys(("thread_id", "run_id", "step_id", "message_id"), name)
    path = template.format(**{key: quote(part, safe="") for key, part in parts.items()})
    value = data.draw(
        st.recursive(
            st.none() | st.booleans() | st.integers() | texts,
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["messages", "input", "role", "content", "type", "approvals"])
                    | texts,
                    inner,
                    max_size=3,
                )
            ),
        )
    )
    body = None if method == "GET" else value
    answer = client.request(method, path, params=query, json=body)
    assert answer.status_code < 500 or answer.status_code == 501, answer.text
    if answer.status_code >= 400 and answer.status_code != 405:
        assert isinstance(answer.json()["detail"], str)
