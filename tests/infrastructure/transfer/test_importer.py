"""Files into the store: every shape and format, bad records."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.json.values import JsonValue
from agentlog.domain.threads import Status
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.exporter import export_threads
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readers.draft import Unmapped
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.registry import choose_format
from agentlog.projections.registry import choose_view
from tests.infrastructure.appends import calls, reply
from tests.infrastructure.transfer.importing import (
    EXAMPLES,
    HISTORIES,
    SAME_VIEW,
    USER,
    every_format,
    position,
    run,
    shown,
    texts,
    written,
)

# --- formats and shapes ---------------------------------------------------------------------------


@every_format
def test_the_view_of_a_format_gives_back_what_was_imported(
    threads: Threads, views: Views, tmp_path: Path, wire: str
) -> None:
    report = run(threads, written(tmp_path, "run.json", {"messages": HISTORIES[wire]}), wire=wire)
    assert report.failures == []
    assert shown(views, "run", wire, **SAME_VIEW[wire]) == HISTORIES[wire]


@every_format
def test_an_array_of_messages_is_one_history(
    threads: Threads, views: Views, tmp_path: Path, wire: str
) -> None:
    report = run(threads, written(tmp_path, "run.json", HISTORIES[wire]), wire=wire)
    assert (report.threads, report.failures) == (1, [])
    assert shown(views, "run", wire, **SAME_VIEW[wire]) == HISTORIES[wire]


@pytest.mark.parametrize(
    ("wire", "options"),
    [
        ("kernel", {"metadata": True}),
        ("kernel", {"metadata": True, "spelling": "hyphen"}),
        ("openai", {}),
        ("openai", {"foreign": True, "repair": False}),
        ("letta", {}),
        ("letta", {"stream": True}),
        ("openletta", {}),
        ("maria", {"dialect": "2025-12"}),
        ("maria", {"dialect": "2026-03"}),
    ],
    ids=str,
)
def test_every_example_exported_in_a_format_imports_to_the_same_view(
    threads: Threads, views: Views, tmp_path: Path, wire: str, options: dict[str, object]
) -> None:
    run(threads, EXAMPLES)
    thread_ids = threads.thread_ids(limit=100)
    records = list(export_threads(threads, choose_view(wire, options), thread_ids))
    assert len(records) == len(thread_ids) == 6
    path = written(tmp_path, "all.jsonl", [json.loads(json.dumps(record)) for record in records])
    report = run(threads, path, wire=wire, thread_id="copy-{threadId}", policy="record")
    assert report.failures == []
    for thread_id, record in zip(thread_ids, records, strict=True):
        assert shown(views, f"copy-{thread_id}", wire, **options) == record["messages"]


def test_records_stand_in_an_array_in_lines_or_by_themselves(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    def record(name: str) -> dict[str, Any]:
        return {"name": name, "traj": [USER, {"role": "assistant", "content": name}]}

    (tmp_path / "deep").mkdir()
    written(tmp_path, "array.json", [record("a"), record("b")])
    written(tmp_path, "lines.jsonl", [record("c"), record("d")])
    written(tmp_path, "deep/one.json", record("e"))
    (tmp_path / "notes.txt").write_text("not for import")
    report = run(
        threads, tmp_path, wire="openai", messages="$.traj", thread_id="t-{name}", goal="{name}!"
    )
    assert (report.threads, report.appended, report.failures) == (5, 15, [])
    for name in "abcde":
        assert [item["content"] for item in shown(views, f"t-{name}", "openai")] == ["hi", name]
        assert threads.head(f"t-{name}").goal == f"{name}!"


def test_histories_without_names_are_named_after_their_file(
    threads: Threads, tmp_path: Path
) -> None:
    run(threads, written(tmp_path, "runs.jsonl", [[USER], [USER]]), wire="openai")
    run(threads, written(tmp_path, "array.json", [[USER], [USER]]), wire="openai")
    assert threads.thread_ids(limit=9) == ["array", "array-1", "runs-1", "runs-2"]


def test_metadata_keeps_the_kind_of_a_field(threads: Threads, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"reward": 0.50, "task": {"id": 7}, "messages": [{"type": "tick"}]}')
    run(threads, path, metadata={"reward": "{reward}", "task": "task {task.id}"})
    facts = threads.head("run").read_facts()
    assert facts["metadata"] == {"reward": 0.5, "task": "task 7"}
    assert b'"reward":0.50' in threads.messages("run")[0].body


def test_messages_without_a_time_get_that_of_the_one_before(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    times = [None, 5_000, None, 9_000, None]
    history = [
        {"type": "log", "text": f"{n}", **({} if time is None else {"timestamp": time})}
        for n, time in enumerate(times)
    ]
    path = written(tmp_path, "run.json", history[:3])
    run(threads, path)
    written(tmp_path, "run.json", history)
    assert run(threads, path).failures == []
    timestamps = [item["timestamp"] for item in shown(views, "run", "kernel")]
    assert timestamps == [5_000, 5_000, 5_000, 9_000, 9_000]


# --- bad records ----------------------------------------------------------------------------------


def test_a_bad_record_is_reported_in_its_place_and_the_others_are_imported(
    threads: Threads, tmp_path: Path
) -> None:
    path = tmp_path / "runs.jsonl"
    good = {"messages": [USER]}
    path.write_text(
        "\n".join(
            [
                json.dumps({**good, "id": "one"}),
                "{oops",
                json.dumps({"id": "two", "messages": [USER, {"role": "nobody"}]}),
                json.dumps({"id": "", "messages": [USER]}),
                json.dumps(good),
                json.dumps({"id": "empty", "messages": []}),
                "7",
                json.dumps({**good, "id": "three"}),
            ]
        )
    )
    report = run(threads, path, wire="openai", thread_id="{id}", policy="strict")
    assert threads.thread_ids(limit=9) == ["empty", "one", "three"]
    assert (report.threads, report.appended) == (3, 3)
    assert [Path(failure.place).name for failure in report.failures] == [
        f"runs.jsonl:{line}" for line in (2, 3, 4, 5, 7)
    ]
    reasons = [failure.reason for failure in report.failures]
    assert reasons[0].startswith("not JSON: ")
    assert reasons[1].startswith("messages[1].role: ")
    assert reasons[2].startswith("'{id}' is empty for this record")
    assert reasons[3].startswith("'{id}': the record has no field 'id'; it has messages; ")
    assert reasons[4].startswith("has no messages")


def test_a_message_that_the_catalogue_refuses_takes_its_whole_record_with_it(
    threads: Threads, tmp_path: Path
) -> None:
    histories = [
        [reply("fine")],
        [
            reply("fine"),
            {"type": "replly", "text": "x"},
            reply("x", txt="y", extra=1),
            {"type": "reply", "txt": 1},
        ],
    ]
    report = run(threads, written(tmp_path, "runs.jsonl", histories))
    assert threads.thread_ids(limit=9) == ["runs-1"]
    (failure,) = report.failures
    assert failure.place.endswith("runs.jsonl:2")
    assert "messages[1].type: 'replly' is not in the catalogue" in failure.reason
    assert "messages[2]" not in failure.reason  # a property of its own
    assert "messages[3].txt: no such field" in failure.reason


def test_facts_of_our_own_that_are_off_are_refused(threads: Threads, tmp_path: Path) -> None:
    own = {"threadId": "t", "messages": [reply("x")]}
    odd: list[dict[str, Any]] = [
        {"closed": {"type": "thread.started"}},
        {"metadata": "free text"},
        {"policy": "lax"},
        {"limits": {"maxSteps": -1}},
        {"parent": "a b"},
        {"closed": {"reason": 5}},
    ]
    report = run(
        threads, written(tmp_path, "runs.jsonl", [{**own, **run_facts} for run_facts in odd])
    )
    assert len(report.failures) == len(odd)
    assert threads.thread_ids(limit=9) == []
    reasons = [failure.reason.partition(":")[0] for failure in report.failures]
    assert reasons == ["closed.type", "metadata", "policy", "limits.maxSteps", "parent", "reason"]


def test_lone_surrogates_are_replaced_and_counted(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    path = tmp_path / "runs.json"
    path.write_text(r'[[{"type": "log", "text": "a\ud800b"}], [{"type": "log", "text": "\udc00"}]]')
    report = run(threads, path)
    assert (len(report.of_kind("mended")), report.failures) == (2, [])
    assert texts(views, "runs") == ["a\ufffdb"]
    assert texts(views, "runs-1") == ["\ufffd"]


def test_the_history_that_a_whole_array_is_counts_its_surrogates_once(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    path.write_text(r'[{"type": "log", "text": "\ud800"}, {"type": "log", "text": "\udc00"}]')
    assert len(run(threads, path).of_kind("mended")) == 2
    assert texts(views, "run") == ["\ufffd", "\ufffd"]


def test_what_is_no_number_in_json_becomes_a_string(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    path = tmp_path / "runs.json"
    path.write_text('[[{"type": "tick", "metadata": {"loss": NaN, "best": [-Infinity]}}]]')
    report = run(threads, path)
    assert [finding.reason for finding in report.of_kind("mended")] == [
        "NaN as a string",
        "-Infinity as a string",
    ]
    (item,) = shown(views, "runs", "kernel", metadata="true")
    assert item["metadata"] == {"loss": "NaN", "best": ["-Infinity"]}


# --- what is kept aside ---------------------------------------------------------------------------


def noted(items: JsonValue) -> Iterator[History]:
    """Read a history of which something is not known."""
    assert items == ["a", "b"]
    yield History([reply("x")], unmapped=[Unmapped("[1].foo", "field 'foo'")])


NOTED = Format("noted", "Noted", noted, is_item=lambda value: value in ("a", "b"))


def test_what_no_reader_knows_is_counted_by_its_place(threads: Threads, tmp_path: Path) -> None:
    path = written(tmp_path, "run.jsonl", ["a", "b"])
    importer = Importer(threads, Plan(NOTED), progress=lambda _: None)
    importer.import_sources(find_sources([path]))
    (aside,) = importer.report.of_kind("aside")
    assert (aside.place, aside.reason) == (f"{path}:2: foo", "field 'foo' is not known")
    assert importer.report.threads == 1
    strict = Importer(threads, Plan(NOTED, strict=True), progress=lambda _: None)
    strict.import_sources(find_sources([path]))
    (failure,) = strict.report.failures
    assert failure.reason == "[1].foo: field 'foo' is not known"
    assert (strict.report.threads, strict.report.of_kind("aside")) == (0, [])


@pytest.mark.parametrize(
    ("policy", "status", "anomalies"),
    [("strict", None, 0), ("record", "open", 1), (None, "open", 1)],
)
def test_strict_refuses_what_record_keeps_and_counts(
    threads: Threads, tmp_path: Path, policy: str | None, status: Status | None, anomalies: int
) -> None:
    histories = [[calls("a"), calls("a")], [reply("fine")]]
    report = run(threads, written(tmp_path, "runs.jsonl", histories), policy=policy)
    assert report.anomalies == anomalies
    if status is None:
        (failure,) = report.failures
        assert failure.place.endswith("runs.jsonl:1")
        assert "(duplicate_call): messages[1].calls[0].id" in failure.reason
        assert threads.thread_ids(limit=9) == ["runs-2"]
    else:
        assert report.failures == []
        assert threads.head("runs-1").anomalies == 1
        assert threads.head("runs-1").status == status


def test_many_records_go_in_batches_and_progress_comes_to_the_whole_file(
    threads: Threads, tmp_path: Path
) -> None:
    histories = [[reply(f"{number}")] * 7 for number in range(700)]
    histories[350] = [calls("a"), calls("a")]
    path = written(tmp_path, "runs.jsonl", histories)
    told: list[int] = []
    plan = Plan(choose_format("kernel"), policy="strict")
    importer = Importer(threads, plan, progress=told.append)
    importer.import_sources(find_sources([path]))
    assert importer.report.threads == 699
    assert [failure.place for failure in importer.report.failures] == [f"{path}:351"]
    assert importer.report.appended == position(threads) == 699 * 7
    assert sum(told) == path.stat().st_size - 700  # but for the line ends
