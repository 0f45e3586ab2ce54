"""Files that are imported again: as they were, grown, and otherwise."""

from pathlib import Path
from typing import Any

import pytest

from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readmodels.model_calls import ModelCalls
from agentlog.projections.readmodels.threads import Threads as ThreadRows
from tests.infrastructure.appends import reply
from tests.infrastructure.transfer.importing import (
    HISTORIES,
    every_format,
    position,
    run,
    texts,
    written,
)
from tests.projections.readmodels.folding import rows_of


@every_format
def test_a_second_run_adds_nothing(threads: Threads, tmp_path: Path, wire: str) -> None:
    path = written(tmp_path, "runs.jsonl", [HISTORIES[wire], HISTORIES[wire]])
    first = run(threads, path, wire=wire, goal="g", metadata={"a": "b"})
    before = position(threads)
    second = run(threads, path, wire=wire, goal="g", metadata={"a": "b"})
    assert (first.replayed, first.appended) == (0, before)
    assert (second.appended, second.replayed, second.failures) == (0, before, [])
    assert position(threads) == before


def test_a_run_over_a_history_that_has_grown_appends_what_is_new(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    run(threads, written(tmp_path, "run.json", [reply("one"), reply("two")]))
    report = run(
        threads, written(tmp_path, "run.json", [reply("one"), reply("two"), reply("three")])
    )
    assert (report.appended, report.replayed, report.failures) == (1, 3, [])
    assert texts(views, "run") == ["one", "two", "three"]


def test_a_history_that_was_rewritten_is_refused_whole(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    run(threads, written(tmp_path, "run.json", [reply("one"), reply("two")]))
    report = run(threads, written(tmp_path, "run.json", [reply("one"), reply("2"), reply("three")]))
    (failure,) = report.failures
    assert "already, with other content" in failure.reason
    assert texts(views, "run") == ["one", "two"]


def test_a_later_run_adds_the_metadata_that_its_thread_lacks(
    threads: Threads, tmp_path: Path
) -> None:
    runs = [{"id": n, "reward": n / 2, "messages": HISTORIES["openai"]} for n in range(3)]
    path = written(tmp_path, "runs.json", runs)
    named: dict[str, Any] = {"wire": "openai", "thread_id": "r{id}"}
    assert run(threads, path, **named).failures == []
    first = position(threads)
    report = run(threads, path, **named, metadata={"reward": "{reward}", "note": "{note?}"})
    assert (report.failures, report.appended) == ([], 3)
    assert threads.head("r1").read_facts()["metadata"] == {"reward": 0.5}
    assert [event.type for event in threads.messages("r1")][-1] == "thread.annotated"
    for metadata in ({"reward": "{reward}"}, {"reward": "{reward}", "note": "{note?}"}, {}):
        assert run(threads, path, **named, metadata=metadata).failures == []
    assert position(threads) == first + 3
    runs[1] |= {"reward": 1, "note": {"by": "ann"}}
    path = written(tmp_path, "runs.json", runs)
    report = run(threads, path, **named, metadata={"reward": "{reward}", "note": "{note?}"})
    assert (report.failures, report.appended) == ([], 1)
    assert threads.head("r1").read_facts()["metadata"] == {"reward": 1, "note": {"by": "ann"}}


def test_a_later_run_does_not_change_other_facts(threads: Threads, tmp_path: Path) -> None:
    path = written(tmp_path, "t.json", HISTORIES["openai"])
    run(threads, path, wire="openai", goal="one")
    before = position(threads)
    for other in ({"goal": "two"}, {"goal": "one", "policy": "strict"}):
        report = run(threads, path, wire="openai", metadata={"a": "b"}, **other)
        assert "exists already" in report.failures[0].reason
    assert position(threads) == before


def test_metadata_alone_is_a_record_too(threads: Threads, tmp_path: Path) -> None:
    first = {"threadId": "t", "messages": HISTORIES["openai"]}
    run(threads, written(tmp_path, "t.json", first), wire="openai")
    more = {"threadId": "t", "metadata": {"reward": 1}, "messages": []}
    for appended in (1, 0):
        report = run(threads, written(tmp_path, "more.json", more))
        assert (report.threads, report.failures, report.appended) == (1, [], appended)
    assert threads.head("t").read_facts()["metadata"] == {"reward": 1}


def test_a_closed_thread_is_imported_twice_as_well(threads: Threads, tmp_path: Path) -> None:
    own = {"threadId": "t", "goal": "g", "messages": [reply("x")], "closed": {"reason": "done"}}
    path = written(tmp_path, "own.json", own)
    for appended in (3, 0):
        report = run(threads, path)
        assert (report.appended, report.failures) == (appended, [])
    assert threads.head("t").status == "closed"


def _session(*outputs: int) -> dict[str, Any]:
    """Return an export of opencode whose answers wrote so many tokens."""
    answers: list[Any] = [
        {
            "info": {
                "id": f"msg_{n}",
                "role": "assistant",
                "modelID": "m",
                "time": {"created": 1_780_000_000_000 + n},
                "tokens": {"input": 10, "output": output, "reasoning": 0},
                "cost": output / 100,
            },
            "parts": [{"id": f"prt_{n}", "type": "text", "text": f"answer {n}"}],
        }
        for n, output in enumerate(outputs)
    ]
    return {"info": {"id": "ses_1"}, "messages": answers}


def test_figures_of_a_message_that_was_written_anew_take_the_place_of_the_old(
    threads: Threads, tmp_path: Path
) -> None:
    for outputs in ((0, 5), (7, 5, 9), (7, 5, 9)):
        report = run(threads, written(tmp_path, "s.json", _session(*outputs)), wire="opencode")
        assert [failure.reason for failure in report.failures] == []
    assert report.appended == 0
    rows = rows_of(ModelCalls(), threads.messages("ses_1"))
    assert [(row.output_tokens, row.cost_usd) for row in rows] == [(7, 0.07), (5, 0.05), (9, 0.09)]
    (thread,) = rows_of(ThreadRows(), threads.messages("ses_1"))
    assert (thread.model_calls, thread.output_tokens) == (3, 21)
    assert thread.cost_usd == pytest.approx(0.21)


def test_another_message_under_the_id_of_an_answer_is_none_of_its_figures(
    threads: Threads, tmp_path: Path
) -> None:
    """Amp names no messages: their ids are those of their places in the file."""
    messages: list[Any] = [
        {"role": "user", "messageId": 0, "content": [{"type": "text", "text": "Which one?"}]},
        {"role": "assistant", "messageId": 1, "content": [{"type": "text", "text": "That one."}]},
    ]
    usage = {"inputTokens": 10, "outputTokens": 5}
    messages[1]["usage"] = {"model": "m", **usage}
    title = {"id": "e", "model": "m", "tokens": {"input": 30}, "operationType": "title-generation"}
    parts = [
        {"v": 4, "id": "T-1", "messages": [message], "usageLedger": {"events": [title]}}
        for message in reversed(messages)
    ]
    later, earlier = (written(tmp_path, f"{n}.json", part) for n, part in enumerate(parts))
    assert run(threads, later, wire="amp").failures == []
    there = [event.type for event in threads.messages("T-1")]
    (failure,) = run(threads, earlier, wire="amp").failures
    assert "--thread-id" in failure.reason
    assert [event.type for event in threads.messages("T-1")] == there
