"""The timeline over the store, which reads only the beginnings of long contents for it."""

from typing import Any

import pytest

from agentlog.domain.errors import UnknownThread
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.eventlog.body_deduplication import SHORTEST
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import choose_view
from agentlog.projections.view import print_items, render
from tests.infrastructure.appends import items_of

TEXTS = [
    "Error: " + "x" * 5000,
    '{"error": "' + "\u00e9\\n" * 900 + '"}',
    "\u00e9" * SHORTEST,
    "\U0001f600\n\x01" * 400,
    "short",
]


def _long_thread(threads: Threads) -> None:
    threads.append("t", [{"type": "system", "text": "policy " * 900}])
    files = [{"data": "QUJD" * 700, "mimeType": "text/plain"}]
    threads.append("t", [{"type": "input", "files": files}])
    for number, text in enumerate(TEXTS):
        calls = [{"id": f"c{number}", "name": "read", "args": {"n": number}}]
        results: list[dict[str, Any]] = [
            {"callId": f"c{number}", "output": text},
            {"callId": "nobody", "output": {"deep": [text, text]}},
        ]
        threads.append(
            "t",
            [{"type": "tool_calls", "calls": calls}, {"type": "tool_results", "results": results}],
        )


def test_it_shows_what_a_fold_over_the_whole_contents_shows(threads: Threads, views: Views) -> None:
    threads.start("t", {"policy": "record"})
    _long_thread(threads)
    view = choose_view("timeline")
    expected = print_items(render(view, threads.messages("t")).items)
    assert list(items_of(views.view("t", view))) == expected
    suspected = [item.item.get("suspected") for item in expected if item.item["kind"] == "call"]
    assert suspected[:3:2] == [["error_text"], ["error_field"]]


def test_sizes_are_those_of_the_whole_messages(threads: Threads, views: Views) -> None:
    threads.start("t", {"policy": "record"})
    _long_thread(threads)
    sizes = {event.version: len(event.body) for event in threads.messages("t")}
    for placed in items_of(views.view("t", choose_view("timeline"))):
        item = placed.item
        for place, size in (("version", "bytesIn"), ("endVersion", "bytesOut")):
            if item.get(place) is not None and size in item:
                assert item[size] == sizes[item[place]]


def test_an_outline_is_that_of_its_moment(threads: Threads, views: Views) -> None:
    call = {"type": "tool_calls", "calls": [{"id": "a", "name": "read"}]}
    threads.append("t", [{"type": "input", "text": "x"}, call])
    threads.append("t", [{"type": "tool_results", "results": [{"callId": "a", "output": "x"}]}])
    then, now = views.outline("t", at=AtVersion(2)), views.outline("t")
    assert (then.version, now.version) == (2, 3)
    assert [step.open for step in then.steps] == [False, True]
    assert [step.calls[0].open for step in (then.steps[1], now.steps[1])] == [1, 0]
    with pytest.raises(UnknownThread):
        views.outline("nobody")
