from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from mcp import Client

from agentlog.api.http.middleware.proxies import behind_proxies
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.message_words import MessageWords
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.keyholders import empty_keys, make_key
from tests.api.servers import running
from tests.clients import TLS
from tests.command_line import agentlog, environment
from tests.extensions.mcp.assistants import call, over_http, over_stdio, refusal
from tests.infrastructure.appends import STORY, TENANT, calls, results
from tests.infrastructure.readmodels.tables import catch_up

TOOLS = {
    "find_threads",
    "search",
    "matches",
    "outline",
    "why",
    "model_call",
    "compare",
    "compare_runs",
    "read_thread",
    "read_message",
    "read_view",
    "diff",
    "list_forks",
    "list_reports",
    "remark",
    "report",
    "sql_tables",
    "sql",
}
LONG = "word " * 20_000


async def _tools(client: Client) -> dict[str, Any]:
    return {tool.name: tool for tool in (await client.list_tools()).tools}


def test_every_tool_has_a_schema_says_what_it_does_and_all_but_one_only_read(app: FastAPI) -> None:
    with running(app) as (_, address):
        tools = over_http(address, _tools)
    assert set(tools) == TOOLS
    for tool in tools.values():
        assert tool.description
        assert tool.output_schema is not None
        assert tool.annotations.read_only_hint == (tool.name != "remark")
        assert tool.annotations.destructive_hint is not True


def test_a_thread_is_found_read_at_a_moment_and_compared_with_itself(
    app: FastAPI, threads: Threads
) -> None:
    threads.append("t", STORY)

    async def ask(client: Client) -> None:
        (thread,) = (await call(client, "find_threads", filter="t"))["threads"]
        assert (thread["thread_id"], thread["version"]) == ("t", len(STORY))
        page = await call(client, "read_thread", thread_id="t", at="2")
        assert [event["version"] for event in page["events"]] == [1, 2]
        view = await call(client, "read_view", thread_id="t", view="openai", at="1")
        assert (view["version"], len(view["items"])) == (1, 1)
        state = await call(client, "read_view", thread_id="t", view="agent-state")
        assert state["state"]["step_count"] > 0
        changed = await call(client, "diff", thread_id="t", begin="1", end="2")
        assert (changed["from_version"], changed["to_version"]) == (1, 2)
        assert changed["changes"]["patch"]
        tree = await call(client, "list_forks", thread_id="t")
        assert [thread["thread_id"] for thread in tree["threads"]] == ["t", "f"]
        assert [thread["check"] for thread in tree["threads"]] == [None, "passed"]

    with running(app) as (_, address):
        fork = {"threadId": "f", "metadata": {"source": "replay", "check": "passed"}}
        httpx2.post(f"{address}/v1/threads/t/fork", json=fork, verify=TLS).raise_for_status()
        over_http(address, ask)


def test_a_thread_gets_notes_labels_and_verdicts(app: FastAPI, threads: Threads) -> None:
    threads.append("t", STORY)
    threads.close("t")

    async def ask(client: Client) -> None:
        await call(client, "remark", thread_id="t", note="paid twice", on=2, by="an assistant")
        made = await call(
            client, "remark", thread_id="t", verdict="fail", note="see 2", labels=["flaky"]
        )
        assert len(made["versions"]) == 2
        view = await call(client, "read_view", thread_id="t", view="remarks")
        state = view["state"]
        assert state["labels"] == ["flaky"]
        assert [note["actor"] for note in state["notes"]] == ["an assistant"]
        assert [verdict["comment"] for verdict in state["verdicts"]] == ["see 2"]
        assert "give a note" in await refusal(client, "remark", thread_id="t")
        assert "there is no thread" in await refusal(client, "remark", thread_id="u", note="x")

    with running(app) as (_, address):
        over_http(address, ask)


def test_histories_are_searched_outlined_and_aligned(
    app: FastAPI, threads: Threads, database: Database
) -> None:
    first = [{"type": "input", "text": "Find the zebra"}, calls("a"), results("a")]
    threads.append("one", [*first, {"type": "reply", "text": "Here it is"}])
    threads.append("two", [*first, {"type": "reply", "text": "There is none"}])
    for name, reward in (("one", 1.0), ("two", 0.0)):
        threads.annotate(name, {"task": "zebra", "reward": reward})
    catch_up(database, MessageWords())

    async def ask(client: Client) -> None:
        answer = await call(client, "search", q="zebra", where="role:user")
        assert [hit["threadId"] for hit in answer["hits"]] == ["two", "one"]
        assert answer["hits"][0]["excerpts"][0]["text"] == "Find the zebra"
        steps = (await call(client, "outline", thread_id="one"))["steps"]
        assert [step["kind"] for step in steps][:2] == ["input", "model"]
        why = (await call(client, "why", thread_id="two"))["why"]
        assert (why["outcome"]["verdict"], why["last"]["text"]) == ("failed", "There is none")
        made = await call(client, "model_call", thread_id="two", version=2)
        assert [message["role"] for message in made["messages"]] == ["user"]
        assert (made["call"]["source"], made["call"]["answer"]["versions"]) == (
            "reconstructed",
            [2],
        )
        assert [part["messages"] for part in made["call"]["parts"]] == [1]
        compared = await call(client, "compare", a="one", b=["two"])
        assert compared["divergence"]["equal"] == 3
        assert compared["comparisons"][0]["counts"]["changed"] == 1
        runs = await call(
            client,
            "compare_runs",
            by="metadata.task",
            failed="metadata.reward:0.0",
            steps="all",
        )
        (task,) = runs["sets"]
        assert (task["value"], task["runs"], task["failed"]) == ("zebra", 2, 1)
        for after in ("x", "²", "1.²"):
            assert "after=" in await refusal(client, "outline", thread_id="one", after=after)

    with running(app) as (_, address):
        over_http(address, ask)


def test_pages_of_outlines_and_comparisons_go_on_where_they_ended(
    app: FastAPI, threads: Threads
) -> None:
    for name in ("one", "two"):
        turns = [{"type": "input", "text": f"{number} {name}"} for number in range(400)]
        threads.append(name, turns)

    async def ask(client: Client) -> None:
        versions: list[int] = []
        following: dict[str, str] | None = {}
        while following is not None:
            page = await call(client, "outline", thread_id="one", **following)
            versions += [step["version"] for step in page["steps"]]
            following = {"after": page["next"]} if page["next"] else None
        assert versions == list(range(1, 401))
        places: list[str] = []
        following = {}
        while following is not None:
            page = await call(client, "compare", a="one", b=["two"], **following)
            places += [row["a"]["place"] for row in page["comparisons"][0]["items"] if "a" in row]
            following = {"after": page["next"]} if page["next"] else None
        assert len(places) == len(set(places)) == 400
        texts: list[str] = []
        following = {}
        while following is not None:
            page = await call(client, "model_call", thread_id="one", version=400, **following)
            texts += [message["content"] for message in page["messages"]]
            following = {"after": page["next"]} if page["next"] else None
        assert texts == [f"{number} one" for number in range(400)]

    with running(app) as (_, address):
        over_http(address, ask)


def test_an_unknown_thread_is_told_as_the_service_tells_it(app: FastAPI) -> None:
    async def ask(client: Client) -> None:
        assert "there is no thread 'nope'" in await refusal(client, "read_thread", thread_id="nope")
        assert "use a version" in await refusal(client, "read_thread", thread_id="nope", at="?")
        assert "there are events" in await refusal(client, "sql_tables", table="nope")
        path = {"name": "tools", "filter": "path:x"}
        assert "no term 'path'" in await refusal(client, "report", **path)
        assert "send one SELECT" in await refusal(client, "sql", query="DROP TABLE events")

    with running(app) as (_, address):
        over_http(address, ask)


def test_a_long_thread_comes_in_pages_and_a_long_text_in_parts(
    app: FastAPI, threads: Threads
) -> None:
    for _ in range(10):
        threads.append("long", [{"type": "reply", "text": f"{number}"} for number in range(1000)])
    threads.append("wide", [{"type": "reply", "text": LONG} for _ in range(40)])

    async def ask(client: Client) -> None:
        versions: list[int] = []
        following: dict[str, str] | None = {}
        while following is not None:
            page = await call(client, "read_thread", thread_id="long", limit=200, **following)
            versions += [event["version"] for event in page["events"]]
            following = {"after": page["next"]} if page["next"] else None
        assert versions == list(range(1, 10_001))
        page = await call(client, "read_thread", thread_id="wide")
        cut = page["events"][0]["message"]["text"]
        assert cut.startswith("word word")
        assert cut.endswith("more characters]")
        view = await call(client, "read_view", thread_id="wide")
        assert view["next"] is not None
        message_id = page["events"][0]["message_id"]
        text, end = "", 0
        while not text or len(text) < end:
            part = await call(
                client,
                "read_message",
                thread_id="wide",
                message_id=message_id,
                offset=len(text),
            )
            text, end = text + part["text"], part["total"]
        assert part["next_offset"] is None
        assert LONG in text

    with running(app) as (_, address):
        over_http(address, ask)


@pytest.mark.parametrize(
    "text", ["\x00", "\u202egnp", "x" * 300_000, '"' * 60_000, "\U0001f600" * 50_000]
)
def test_what_agents_wrote_comes_as_data_however_odd(
    app: FastAPI, threads: Threads, text: str
) -> None:
    threads.append(
        "odd", [{"type": "odd.thing", "payload": {"deep": [[[[text]]]], text[:200]: 1e300}}]
    )

    async def ask(client: Client) -> None:
        for tool in ("read_thread", "read_view"):
            await call(client, tool, thread_id="odd")

    with running(app) as (_, address):
        over_http(address, ask)


def test_a_key_shows_its_tenant_and_none_shows_nothing(app: FastAPI, threads: Threads) -> None:
    threads.append("ours", STORY)
    database = app.state.database
    threads_over(database, tenant="other").append("theirs", STORY)
    ours, theirs = make_key(app).reveal(), make_key(app, tenant="other").reveal()
    writer = make_key(app, "append").reveal()

    async def names(client: Client) -> list[str]:
        answer = await call(client, "find_threads")
        return [thread["thread_id"] for thread in answer["threads"]]

    async def stranger(client: Client) -> str:
        return await refusal(client, "read_thread", thread_id="theirs")

    try:
        with running(app) as (_, address):
            assert over_http(address, names, key=ours) == ["ours"]
            assert over_http(address, names, key=theirs) == ["theirs"]
            assert "there is no thread" in over_http(address, stranger, key=ours)
            for key in (None, writer, "agentlog_nonsense"):
                with pytest.raises(ExceptionGroup):
                    over_http(address, names, key=key)
    finally:
        empty_keys(database)


def test_what_a_signed_in_user_does_is_on_record_as_the_users(
    own_database: Database,
) -> None:
    threads = threads_over(own_database)
    threads.append("t", STORY)
    app = app_over(own_database, threads, audited=True)
    key = make_key(app, "read", "append").reveal()

    async def ask(client: Client) -> None:
        await call(client, "remark", thread_id="t", note="paid twice")
        await call(client, "read_thread", thread_id="t")

    behind = behind_proxies(app, trusted="127.0.0.1", user_header="X-User")
    by_other_names = ({"Authorization": f"Bearer {key}"}, {"X-Agentlog-Key": key})
    with running(behind) as (_, address):
        for names in by_other_names:
            over_http(address, ask, headers={"X-User": "kim@x", **names})
    for event in threads.messages("t", types=["thread.noted"]):
        assert (event.metadata or {})["appendedBy"] == "kim@x"
    accesses = app.state.accesses.page(TENANT)
    assert {access.key_id for access in accesses} == {"kim@x"}
    read = [access.thread_id for access in accesses if access.method == "GET"]
    assert read.count("t") >= len(by_other_names)
    end_following(app)


def test_a_process_offers_the_same_over_standard_input(database_url: str) -> None:
    line = b'{"type":"reply","text":"x"}'
    assert agentlog("import", "-", "--thread-id", "t", url=database_url, stdin=line).code == 0

    async def ask(client: Client) -> set[str]:
        assert "there is no thread" in await refusal(client, "read_thread", thread_id="nope")
        assert len((await call(client, "find_threads"))["threads"]) == 1
        return set(await _tools(client))

    assert over_stdio(environment(database_url), ask) == TOOLS


@pytest.mark.parametrize("view", ["../../../log", "openai?at=1", "x/../../messages", "", ".."])
def test_names_of_views_lead_nowhere_else(app: FastAPI, threads: Threads, view: str) -> None:
    threads.append("t", STORY)

    async def ask(client: Client) -> str:
        return await refusal(client, "read_view", thread_id="t", view=view)

    with running(app) as (_, address):
        assert over_http(address, ask)


def test_a_service_that_is_not_there_is_told_with_the_way_out() -> None:
    async def ask(client: Client) -> str:
        return await refusal(client, "find_threads")

    told = over_stdio(environment(), ask, "--url", "http://127.0.0.1:9")
    assert "agentlog serve" in told
