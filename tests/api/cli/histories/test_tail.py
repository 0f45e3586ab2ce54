"""`agentlog tail`: readable, safe to print, in any view, to the present or on as it grows."""

import re
import signal
import threading
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from typing import Any

import pytest

from agentlog.api.composition import open_service
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.threads import Threads
from agentlog.projections.registry import choose_view
from tests.command_line import agentlog, started
from tests.infrastructure.appends import STORY, calls, items_of, reply
from tests.waiting import WAIT_SECONDS

VIEWS = ("kernel", "openai", "openletta", "anomalies")


@pytest.fixture
def told(database_url: str) -> Iterator[Threads]:
    """A store over the database that the command opens, with a thread `t` in it."""
    with open_service(Settings(database_url=database_url)) as service:
        service.threads.start("t", {"policy": "record"})
        for draft in STORY:
            service.threads.append("t", [draft])
        yield service.threads


def run(url: str, *arguments: str) -> Any:
    """Run the command up to the present."""
    return agentlog("tail", *arguments, "--no-follow", url=url)


def test_the_log_is_told_in_its_order(told: Threads, database_url: str) -> None:
    told.append("other", [reply("elsewhere")])
    outcome = run(database_url, "--json")
    assert outcome.code == 0, outcome.err
    assert [line["position"] for line in outcome.lines] == list(range(1, len(STORY) + 3))
    assert [line["threadId"] for line in outcome.lines][-1] == "other"
    assert [line["position"] for line in run(database_url, "--after", "20").lines] == [21, 22, 23]


def test_filters_choose_events(told: Threads, database_url: str) -> None:
    told.append("other", [reply("elsewhere", metadata={"actor": "ada"})])
    by_type = run(database_url, "--filter", "type:reply or type:exit").lines
    assert [line["type"] for line in by_type] == ["reply", "reply", "exit", "reply"]
    by_thread = run(database_url, "--filter", "thread:oth*").lines
    assert [line["threadId"] for line in by_thread] == ["other"]
    by_metadata = run(database_url, "--filter", "metadata.actor:ada").lines
    assert [line["message"]["text"] for line in by_metadata] == ["elsewhere"]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_of_a_thread_is_what_a_read_of_it_shows(
    told: Threads, database_url: str, view: str
) -> None:
    told.append("t", [calls("open")])
    with open_service(Settings(database_url=database_url)) as service:
        read = service.views.view("t", choose_view(view))
    shown = [placed.item for placed in items_of(read)]
    assert run(database_url, "t", "--view", view).lines == shown


def test_what_is_told_cannot_drive_a_terminal(told: Threads, database_url: str) -> None:
    told.append("t", [reply("\x1b[2J\u202e\u2028 and \x00 more")])
    for arguments in (("t",), ("t", "--view", "openai"), ()):
        out = run(database_url, *arguments).out
        assert not {"\x1b", "\u202e", "\u2028", "\x00"} & set(out)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "there is no thread 'nowhere'"),
        (["t", "--view", "nothing"], "there is no view 'nothing'"),
        (["t", "--view", "openai", "--after", "x"], "no cursor"),
        (["t", "--after", "1.0"], "no cursor"),
        (["t", "--view", "openai", "--filter", "type:reply"], "leave out --view"),
        (["t", "--option", "a=b"], "by --view"),
        (["--type", "x", "--thread-prefix", "t"], "--filter 'type:x thread:t*'"),
    ],
)
def test_what_cannot_be_followed_says_why(
    told: Threads, database_url: str, arguments: list[str], words: str
) -> None:
    del told
    outcome = run(database_url, *arguments)
    assert outcome.code == 2
    assert words in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["t", "--view", "openai"],
        pytest.param(["--after", "latest"], marks=pytest.mark.slow),
    ],
)
def test_it_goes_on_until_it_is_interrupted(
    told: Threads, database_url: str, arguments: list[str]
) -> None:
    with started("tail", *arguments, "--json", url=database_url) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        lines: SimpleQueue[str] = SimpleQueue()
        reading = threading.Thread(target=lambda out: [*map(lines.put, out)], args=[process.stdout])
        reading.start()
        while "ready?" not in _line(lines, seconds=0.1):  # it begins whenever it has begun
            told.append("t", [reply("ready?")])
        told.append("t", [*(reply(f"sure {number}") for number in range(3)), STORY[1]])
        heard: list[str] = []
        while len(heard) < 3:
            heard += re.findall("sure .", lines.get(timeout=WAIT_SECONDS))
        assert heard == ["sure 0", "sure 1", "sure 2"]
        process.send_signal(signal.SIGINT)
        assert process.wait(WAIT_SECONDS) == 130
        assert process.stderr.read() == "interrupted\n"
        reading.join()


def _line(lines: "SimpleQueue[str]", *, seconds: float) -> str:
    try:
        return lines.get(timeout=seconds)
    except Empty:
        return ""
