"""The examples that the demo loads show everything between them, and every view reads them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic

from agentlog.domain.catalogue import MESSAGE_TYPES, validate_message
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_of
from agentlog.domain.messages import CustomMessage
from tests.command_line import agentlog
from tests.databases import new_database
from tests.projections.anthropic_api import blocks_of, check_request, why_refused
from tests.projections.chat_api import check_types, why_unsafe
from tests.projections.letta_api import check_the_client_reads
from tests.providers.server import ScriptedProvider

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES: dict[str, dict[str, Any]] = {
    path.stem: object_of(parse(path.read_bytes())) for path in sorted(FOLDER.glob("*.json"))
}

every_example = pytest.mark.parametrize("thread_id", EXAMPLES)


@pytest.fixture(scope="module")
def examples_url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with the examples, imported by the command line."""
    with new_database(server_url, template=template_database) as url:
        outcome = agentlog("import", FOLDER, url=url)
        assert outcome.code == 0, outcome.err
        assert outcome.counted["threads"] == len(EXAMPLES)
        assert "refused" not in outcome.counted
        yield url


def _messages(kind: str) -> list[dict[str, Any]]:
    every = [message for example in EXAMPLES.values() for message in example["messages"]]
    return [message for message in every if message["type"] == kind]


def _view(url: str, thread_id: str, name: str, *options: str) -> list[dict[str, Any]]:
    chosen = [word for option in options for word in ("-o", option)]
    outcome = agentlog("view", thread_id, name, *chosen, url=url)
    assert outcome.code == 0, outcome.err
    return outcome.lines


# --- what they show -----------------------------------------------------------------------------


def test_there_are_at_least_five() -> None:
    assert len(EXAMPLES) >= 5
    assert all(example["threadId"] == name for name, example in EXAMPLES.items())


def test_between_them_they_use_every_message_type_and_a_custom_one() -> None:
    used = {message["type"] for example in EXAMPLES.values() for message in example["messages"]}
    assert used >= set(MESSAGE_TYPES)
    custom = used - set(MESSAGE_TYPES)
    assert custom
    for kind in custom:
        drafted = {**_messages(kind)[0], "id": derived_message_id(kind)}
        assert isinstance(validate_message(drafted), CustomMessage)


def test_between_them_they_show_what_goes_wrong_and_what_waits_for_a_person() -> None:
    results = [result for message in _messages("tool_results") for result in message["results"]]
    assert any(result.get("error") for result in results)
    assert any(not result.get("error") for result in results)
    assert {message["approved"] for message in _messages("approval_response")} == {True, False}
    outcomes = {
        "error" if "error" in message else "output" for message in _messages("worker_result")
    }
    assert outcomes == {"error", "output"}


def test_a_worker_has_a_thread_of_its_own() -> None:
    (parent,) = [name for name, example in EXAMPLES.items() if _workers(example)]
    threads = [worker["threadId"] for worker in _workers(EXAMPLES[parent]) if "threadId" in worker]
    assert threads
    for thread_id in threads:
        assert EXAMPLES[thread_id]["parent"] == parent


def _workers(example: dict[str, Any]) -> list[dict[str, Any]]:
    return [message for message in example["messages"] if message["type"] == "worker_spawned"]


def test_a_file_is_attached() -> None:
    files = [file for message in _messages("input") for file in message.get("files", [])]
    assert {"image/png", "text/plain"} <= {file["mimeType"] for file in files}


# --- what becomes of them -----------------------------------------------------------------------


@every_example
def test_under_the_strict_policy_nothing_is_an_anomaly(examples_url: str, thread_id: str) -> None:
    view = _view(examples_url, thread_id, "anomalies")
    strict = EXAMPLES[thread_id]["policy"] == "strict"
    assert (view == []) is strict


def test_the_thread_of_a_worker_is_found_by_its_parent(examples_url: str) -> None:
    outcome = agentlog("threads", "--filter", "parent:research", "--json", url=examples_url)
    assert [line["threadId"] for line in outcome.lines] == ["research-worker-1"]


@every_example
@pytest.mark.parametrize("stream", [False, True])
def test_the_letta_client_reads_every_item(
    examples_url: str, thread_id: str, *, stream: bool
) -> None:
    items = _view(examples_url, thread_id, "letta", f"stream={str(stream).lower()}")
    assert items
    check_the_client_reads(items, stream=stream)


@every_example
def test_the_openai_items_are_of_the_packages_types_and_safe_to_send(
    examples_url: str, thread_id: str
) -> None:
    items = _view(examples_url, thread_id, "openai")
    assert items
    for item in items:
        check_types(item)
    assert why_unsafe(items) is None


@every_example
def test_the_kernel_view_gives_back_the_messages_of_the_file(
    examples_url: str, thread_id: str
) -> None:
    items = _view(examples_url, thread_id, "kernel", "metadata=true")
    assert [
        {key: value for key, value in item.items() if key != "id"} for item in items
    ] == EXAMPLES[thread_id]["messages"]


def test_an_export_imports_to_the_same_export(
    examples_url: str, server_url: str, template_database: str, tmp_path: Path
) -> None:
    first = agentlog("export", "threads", url=examples_url)
    assert first.code == 0
    assert [line["threadId"] for line in first.lines] == sorted(EXAMPLES)
    file = tmp_path / "all.jsonl"
    file.write_text(first.out, encoding="utf-8")
    with new_database(server_url, template=template_database) as url:
        assert agentlog("import", file, url=url).code == 0
        assert agentlog("export", "threads", url=url).out == first.out
        for thread_id in EXAMPLES:
            before = agentlog("view", thread_id, "kernel", url=examples_url)
            assert agentlog("view", thread_id, "kernel", url=url).out == before.out
        assert "events" not in agentlog("import", FOLDER, url=url).counted


@every_example
@pytest.mark.parametrize("stream", [False, True])
def test_the_anthropic_client_goes_on_with_what_the_view_shows(
    examples_url: str, thread_id: str, *, stream: bool
) -> None:
    """What it sends is of its types, and the answer it gets is read again with the rest."""
    items = _view(examples_url, thread_id, "anthropic")
    prompts = [item["content"] for item in items if item["role"] == "system"]
    messages = [item for item in items if item["role"] != "system"]
    assert messages
    with (
        ScriptedProvider() as provider,
        Anthropic(
            base_url=provider.url, api_key="any", max_retries=0, _strict_response_validation=True
        ) as anthropic,
    ):
        asked: Any = {"model": "m", "max_tokens": 99, "messages": messages}
        asked |= {"system": "\n\n".join(prompts)} if prompts else {}
        if stream:
            with anthropic.messages.stream(**asked) as events:
                answer = events.get_final_message()
        else:
            answer = anthropic.messages.create(**asked)
        (request,) = provider.requests
    sent = request.json
    check_request(sent)
    assert sent["messages"] == messages
    results = [block for message in messages for block in blocks_of(message)]
    count = sum(block["type"] == "tool_result" for block in results)
    assert [block.to_dict() for block in answer.content] == [
        {"type": "text", "text": f"Done after {count} calls."}
    ]
    assert (
        why_refused([*messages, {"role": "assistant", "content": answer.content[0].text}]) is None
    )
