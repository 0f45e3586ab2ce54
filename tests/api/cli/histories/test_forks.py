"""The commands that fork a thread and draw the tree of its forks."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentlog.api.composition import open_service
from agentlog.infrastructure.settings import Settings
from tests.command_line import agentlog
from tests.databases import new_database
from tests.infrastructure.appends import STORY


@pytest.fixture
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with a thread."""
    with new_database(server_url, template=template_database) as made:
        with open_service(Settings(database_url=made)) as service:
            service.threads.append("t", STORY)
        yield made


def test_a_thread_is_forked_and_stands_in_the_tree(url: str) -> None:
    made = agentlog("fork", "t", "--at", "2", "--as", "f", url=url)
    assert (made.code, made.out) == (0, "f: version 3, forked from t at version 2\n")
    again = agentlog("fork", "t", "--at", "2", "--as", "f", "--json", url=url)
    assert [line["replayed"] for line in again.lines] == [True]
    tree = agentlog("forks", "f", url=url)
    assert tree.out.splitlines() == [
        f"t  version {len(STORY)}, exited",
        "── @2 → f  version 3, open",
    ]
    nodes = agentlog("forks", "t", "--json", url=url).lines
    assert [(node["threadId"], node["depth"]) for node in nodes] == [("t", 0), ("f", 1)]


def test_messages_are_put_in_from_files(url: str, tmp_path: Path) -> None:
    message = tmp_path / "message.json"
    message.write_text('{"type": "system", "text": "Be kind."}')
    edits = ["--insert", f"0={message}", "--replace", f"1={message}", "--drop", "2"]
    assert agentlog("fork", "t", "--at", "2", "--as", "f", *edits, url=url).code == 0
    texts = [item["content"] for item in agentlog("view", "f", "openai", url=url).lines]
    assert texts == ["Be kind.", "Be kind."]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--replace", "1"], "--replace 1: give VERSION=FILE"),
        (["--insert", "x=y"], "--insert x=y: give VERSION=FILE"),
        (["--insert", "1=nowhere.json"], "No such file"),
        (["--drop", "99"], "edits[0]: version 99"),
        (["--at", "99"], "version 99 is not there yet"),
        (["--as", "t"], "exists already"),
    ],
)
def test_what_is_off_is_said(url: str, options: list[str], reason: str) -> None:
    refused = agentlog("fork", "t", *options, url=url)
    assert refused.code == 2
    assert reason in refused.err
    assert [line["threadId"] for line in agentlog("forks", "t", "--json", url=url).lines] == ["t"]
