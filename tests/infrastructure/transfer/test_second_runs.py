"""Files that are imported again: as they were, grown, and otherwise."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentlog.infrastructure.views.store import Store
from tests.infrastructure.appends import reply
from tests.infrastructure.transfer.importing import (
    HISTORIES,
    every_format,
    position,
    run,
    texts,
    written,
)
from tests.infrastructure.transfer.parts import members_of
from tests.test_golden import GOLDEN


@every_format
def test_a_second_run_adds_nothing(store: Store, tmp_path: Path, wire: str) -> None:
    path = written(tmp_path, "runs.jsonl", [HISTORIES[wire], HISTORIES[wire]])
    first = run(store, path, wire=wire, goal="g", metadata={"a": "b"})
    before = position(store)
    second = run(store, path, wire=wire, goal="g", metadata={"a": "b"})
    assert (first.replayed, first.appended) == (0, before)
    assert (second.appended, second.replayed, second.failures) == (0, before, [])
    assert position(store) == before


def test_a_run_over_a_history_that_has_grown_appends_what_is_new(
    store: Store, tmp_path: Path
) -> None:
    run(store, written(tmp_path, "run.json", [reply("one"), reply("two")]))
    report = run(store, written(tmp_path, "run.json", [reply("one"), reply("two"), reply("three")]))
    assert (report.appended, report.replayed, report.failures) == (1, 3, [])
    assert texts(store, "run") == ["one", "two", "three"]


def test_a_history_that_was_rewritten_is_refused_whole(store: Store, tmp_path: Path) -> None:
    run(store, written(tmp_path, "run.json", [reply("one"), reply("two")]))
    report = run(store, written(tmp_path, "run.json", [reply("one"), reply("2"), reply("three")]))
    (failure,) = report.failures
    assert "already, with other content" in failure.reason
    assert texts(store, "run") == ["one", "two"]


def test_a_later_run_adds_the_metadata_that_its_thread_lacks(store: Store, tmp_path: Path) -> None:
    runs = [{"id": n, "reward": n / 2, "messages": HISTORIES["openai"]} for n in range(3)]
    path = written(tmp_path, "runs.json", runs)
    named: dict[str, Any] = {"wire": "openai", "thread_id": "r{id}"}
    assert run(store, path, **named).failures == []
    first = position(store)
    report = run(store, path, **named, metadata={"reward": "{reward}", "note": "{note?}"})
    assert (report.failures, report.appended) == ([], 3)
    assert store.thread("r1").read_facts()["metadata"] == {"reward": 0.5}
    assert [event.type for event in store.messages("r1")][-1] == "thread.annotated"
    for metadata in ({"reward": "{reward}"}, {"reward": "{reward}", "note": "{note?}"}, {}):
        assert run(store, path, **named, metadata=metadata).failures == []
    assert position(store) == first + 3
    runs[1] |= {"reward": 1, "note": {"by": "ann"}}
    path = written(tmp_path, "runs.json", runs)
    report = run(store, path, **named, metadata={"reward": "{reward}", "note": "{note?}"})
    assert (report.failures, report.appended) == ([], 1)
    assert store.thread("r1").read_facts()["metadata"] == {"reward": 1, "note": {"by": "ann"}}


def test_a_later_run_does_not_change_other_facts(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "t.json", HISTORIES["openai"])
    run(store, path, wire="openai", goal="one")
    before = position(store)
    for other in ({"goal": "two"}, {"goal": "one", "policy": "strict"}):
        report = run(store, path, wire="openai", metadata={"a": "b"}, **other)
        assert "exists already" in report.failures[0].reason
    assert position(store) == before


def test_metadata_alone_is_a_record_too(store: Store, tmp_path: Path) -> None:
    first = {"threadId": "t", "messages": HISTORIES["openai"]}
    run(store, written(tmp_path, "t.json", first), wire="openai")
    more = {"threadId": "t", "metadata": {"reward": 1}, "messages": []}
    for appended in (1, 0):
        report = run(store, written(tmp_path, "more.json", more))
        assert (report.threads, report.failures, report.appended) == (1, [], appended)
    assert store.thread("t").read_facts()["metadata"] == {"reward": 1}


def test_a_closed_thread_is_imported_twice_as_well(store: Store, tmp_path: Path) -> None:
    own = {"threadId": "t", "goal": "g", "messages": [reply("x")], "closed": {"reason": "done"}}
    path = written(tmp_path, "own.json", own)
    for appended in (3, 0):
        report = run(store, path)
        assert (report.appended, report.failures) == (appended, [])
    assert store.thread("t").status == "closed"


def test_a_log_is_imported_while_its_run_goes_on_and_again_at_its_end(
    store: Store, tmp_path: Path
) -> None:
    whole = json.loads((GOLDEN / "readers" / "inspect" / "tools.json").read_text())
    begun = {key: whole[key] for key in ("version", "eval", "plan", "samples")}
    path = written(tmp_path, "log.json", {**begun, "samples": begun["samples"][:1]})
    assert run(store, path, wire=None).failures == []
    written(tmp_path, "log.json", whole)
    report = run(store, path, wire=None)
    assert (report.failures, report.anomalies) == ([], 0)
    (added,) = store.messages("bakery-rye-1-SampleRye01")[-1:]
    assert added.type == "log"
    assert added.metadata["wire"]["inspect"][0]["set"]["status"] == "success"


def test_an_agent_that_is_exported_again_adds_what_is_new(store: Store, tmp_path: Path) -> None:
    whole = json.loads((GOLDEN / "readers" / "letta-agent" / "first-version.af").read_text())
    path = written(tmp_path, "agent.af", {**whole, "messages": whole["messages"][:-2]})
    assert run(store, path, wire=None).failures == []
    written(tmp_path, "agent.af", whole)
    report = run(store, path, wire=None)
    assert (report.failures, report.anomalies) == ([], 0)
    assert report.appended > 0
    assert run(store, path, wire=None).appended == 0


@pytest.mark.parametrize("name", ["zipped", "unfinished"])
def test_a_log_as_an_archive_and_as_json_is_one(store: Store, tmp_path: Path, name: str) -> None:
    archive = GOLDEN / "readers" / "inspect" / f"{name}.eval"
    members = members_of(archive)
    header = members.get("header.json", members["_journal/start.json"])
    samples = [json.loads(data) for inner, data in members.items() if inner.startswith("samples/")]
    path = written(tmp_path, f"{name}.json", {**json.loads(header), "samples": samples})
    assert run(store, archive, wire=None).failures == []
    again = run(store, path, wire=None)
    assert (again.failures, again.appended) == ([], 0)
