"""Files of lines that grow, are cut off, rewritten and gone."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.follower import FileFollower
from agentlog.infrastructure.transfer.report import ImportReport
from agentlog.projections.readers.history import Format, History


def line(text: str, **more: Any) -> str:
    return json.dumps({"type": "log", "text": text, **more}) + "\n"


def updated(follower: FileFollower, path: Path) -> ImportReport:
    return follower.update(find_sources([path]).files)


def texts(threads: Threads) -> list[Any]:
    return [json.loads(event.body).get("text") for event in threads.messages("session")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def test_a_file_that_grows_is_read_on_where_it_was(threads: Threads, path: Path) -> None:
    follower = FileFollower(threads, Plan())
    path.write_text(line("a") + line("b"))
    assert updated(follower, path).appended == 3  # the thread's start is one
    assert (updated(follower, path).threads, updated(follower, path).replayed) == (0, 0)
    with path.open("a") as file:
        file.write(line("c") + line("d")[:-5])  # somebody is still writing
    report = updated(follower, path)
    assert (report.appended, report.replayed, report.findings) == (1, 0, [])
    with path.open("a") as file:
        file.write(line("d")[-5:])
    assert updated(follower, path).appended == 1
    assert texts(threads)[1:] == ["a", "b", "c", "d"]


def test_another_follower_adds_nothing_twice(threads: Threads, path: Path) -> None:
    path.write_text(line("a") + line("b"))
    updated(FileFollower(threads, Plan()), path)
    path.write_text(line("a") + line("b") + line("c"))
    report = updated(FileFollower(threads, Plan()), path)
    assert (report.appended, report.replayed) == (1, 3)
    assert texts(threads)[1:] == ["a", "b", "c"]


def test_a_file_that_was_rewritten_is_said_and_nothing_is_lost(
    threads: Threads, path: Path
) -> None:
    follower = FileFollower(threads, Plan())
    path.write_text(line("a") + line("b"))
    updated(follower, path)
    path.write_text(line("a"))
    report = updated(follower, path)
    assert [finding.kind for finding in report.findings] == ["rewritten"]
    path.write_text(line("x") + line("b"))
    report = updated(follower, path)
    assert [finding.kind for finding in report.findings] == ["refused", "rewritten"]
    assert "already, with other content" in report.findings[0].reason
    assert texts(threads)[1:] == ["a", "b"]


def test_a_file_that_goes_while_it_is_read_is_said(threads: Threads, path: Path) -> None:
    path.write_text(line("a"))
    files = find_sources([path]).files
    path.unlink()
    (finding,) = FileFollower(threads, Plan()).update(files).findings
    assert "cannot be read" in finding.reason


def test_facts_that_come_later_are_added_to_the_thread(threads: Threads, path: Path) -> None:
    """Such as the costs of a session, which stand on its last line."""

    def read(items: Any) -> Iterator[History]:
        yield History([{"type": "log", "text": item} for item in items], metadata={"n": len(items)})

    plan = Plan(Format("counted", "Counted", read, is_item=lambda value: isinstance(value, str)))
    follower = FileFollower(threads, plan)
    path.write_text('"a"\n')
    updated(follower, path)
    path.write_text('"a"\n"b"\n')
    assert updated(follower, path).failures == []
    assert threads.head("session").read_facts()["metadata"] == {"n": 2}
    assert updated(FileFollower(threads, plan), path).appended == 0
