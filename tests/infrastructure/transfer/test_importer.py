"""Files into the store: every shape and format, bad records, and second runs."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.json.text import JsonValue
from domain.threads import Status
from infrastructure.transfer.documents import Plan
from infrastructure.transfer.exporter import export_threads
from infrastructure.transfer.files.sources import find_sources
from infrastructure.transfer.importer import Importer
from infrastructure.transfer.report import ImportReport
from infrastructure.views.results import Page
from infrastructure.views.store import Store
from projections.readers.draft import Aside
from projections.readers.history import Format, History
from projections.readers.registry import choose_format
from projections.registry import choose_view
from tests.infrastructure.appends import calls, reply
from tests.test_golden import GOLDEN

EXAMPLES = Path(__file__).parents[3] / "examples"

USER = {"role": "user", "content": "hi"}
ASKED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x": 1.0 }'}}
    ],
}
TOLD = {"role": "tool", "tool_call_id": "a", "name": "f", "content": "ok"}

LETTA = {"id": "message-1", "date": "2026-01-02T03:04:05+00:00"}
HISTORIES: dict[str, list[dict[str, Any]]] = {
    "kernel": [
        {
            "id": f"{number:026d}",
            "timestamp": 5,
            "type": "reply",
            "text": "hi",
            "metadata": {"a": number},
        }
        for number in (1, 2)
    ],
    "openai": [USER, ASKED, TOLD, {"role": "assistant", "content": "done"}],
    "letta": [
        {**LETTA, "message_type": "user_message", "content": "hi"},
        {**LETTA, "message_type": "assistant_message", "content": "done", "otid": "x"},
    ],
    "openletta": [
        {"message_type": "user_message", "content": "hi", "timestamp": "2026-02-17T10:30:00Z"},
        {"message_type": "assistant_message", "content": "done"},
    ],
    "maria": [
        {"msg": "MessageAdded", "message": USER, "id": "5f0c1b1e-0000-4000-8000-000000000000"},
        {
            "msg": "RequestCompleted",
            "usage": None,
            "message": {"role": "assistant", "content": "done", "tool_calls": []},
        },
    ],
}
SAME_VIEW: dict[str, dict[str, object]] = {
    "kernel": {"metadata": True},
    "openai": {"foreign": True},
    "letta": {},
    "openletta": {},
    "maria": {},
}
every_format = pytest.mark.parametrize("wire", HISTORIES)


def run(
    store: Store | None, *paths: Path, wire: str | None = "kernel", **fields: Any
) -> ImportReport:
    """Import what is in `paths`; return the report."""
    plan = Plan(None if wire is None else choose_format(wire), **fields)
    importer = Importer(store, plan, progress=lambda _: None)
    importer.import_sources(find_sources(paths))
    return importer.report


def written(folder: Path, name: str, value: Any) -> Path:
    path = folder / name
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(each) + "\n" for each in value))
    else:
        path.write_text(json.dumps(value))
    return path


def shown(store: Store, thread_id: str, view: str, **options: object) -> list[Any]:
    found = store.view(thread_id, choose_view(view, options))
    assert isinstance(found, Page)
    return [placed.item for placed in found.items]


def texts(store: Store, thread_id: str) -> list[str]:
    return [item["text"] for item in shown(store, thread_id, "kernel")]


def position(store: Store) -> int:
    log = store.log()
    return (log[-1].position or 0) if log else 0


# --- formats and shapes -------------------------------------------------------------------------


@every_format
def test_the_view_of_a_format_gives_back_what_was_imported(
    store: Store, tmp_path: Path, wire: str
) -> None:
    report = run(store, written(tmp_path, "run.json", {"messages": HISTORIES[wire]}), wire=wire)
    assert report.failures == []
    assert shown(store, "run", wire, **SAME_VIEW[wire]) == HISTORIES[wire]


@every_format
def test_an_array_of_messages_is_one_history(store: Store, tmp_path: Path, wire: str) -> None:
    report = run(store, written(tmp_path, "run.json", HISTORIES[wire]), wire=wire)
    assert (report.threads, report.failures) == (1, [])
    assert shown(store, "run", wire, **SAME_VIEW[wire]) == HISTORIES[wire]


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
    store: Store, tmp_path: Path, wire: str, options: dict[str, object]
) -> None:
    run(store, EXAMPLES)
    threads = store.thread_ids(limit=100)
    records = list(export_threads(store, choose_view(wire, options), threads))
    assert len(records) == len(threads) == 6
    path = written(tmp_path, "all.jsonl", [json.loads(json.dumps(each)) for each in records])
    report = run(store, path, wire=wire, thread_id="copy-{threadId}", policy="record")
    assert report.failures == []
    for thread_id, record in zip(threads, records, strict=True):
        assert shown(store, f"copy-{thread_id}", wire, **options) == record["messages"]


def test_records_stand_in_an_array_in_lines_or_by_themselves(store: Store, tmp_path: Path) -> None:
    def record(name: str) -> dict[str, Any]:
        return {"name": name, "traj": [USER, {"role": "assistant", "content": name}]}

    (tmp_path / "deep").mkdir()
    written(tmp_path, "array.json", [record("a"), record("b")])
    written(tmp_path, "lines.jsonl", [record("c"), record("d")])
    written(tmp_path, "deep/one.json", record("e"))
    (tmp_path / "notes.txt").write_text("not for import")
    report = run(
        store, tmp_path, wire="openai", messages="$.traj", thread_id="t-{name}", goal="{name}!"
    )
    assert (report.threads, report.appended, report.failures) == (5, 15, [])
    for name in "abcde":
        assert [item["content"] for item in shown(store, f"t-{name}", "openai")] == ["hi", name]
        assert store.thread(f"t-{name}").goal == f"{name}!"


def test_histories_without_names_are_named_after_their_file(store: Store, tmp_path: Path) -> None:
    run(store, written(tmp_path, "runs.jsonl", [[USER], [USER]]), wire="openai")
    run(store, written(tmp_path, "array.json", [[USER], [USER]]), wire="openai")
    assert store.thread_ids(limit=9) == ["array", "array-1", "runs-1", "runs-2"]


def test_metadata_keeps_the_kind_of_a_field(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text('{"reward": 0.50, "task": {"id": 7}, "messages": [{"type": "tick"}]}')
    run(store, path, metadata={"reward": "{reward}", "task": "task {task.id}"})
    facts = store.thread("run").read_facts()
    assert facts["metadata"] == {"reward": 0.5, "task": "task 7"}
    assert b'"reward":0.50' in store.messages("run")[0].body


# --- bad records --------------------------------------------------------------------------------


def test_a_bad_record_is_reported_in_its_place_and_the_others_are_imported(
    store: Store, tmp_path: Path
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
    report = run(store, path, wire="openai", thread_id="{id}", policy="strict")
    assert store.thread_ids(limit=9) == ["empty", "one", "three"]
    assert (report.threads, report.appended) == (3, 3)
    assert [Path(each.place).name for each in report.failures] == [
        f"runs.jsonl:{line}" for line in (2, 3, 4, 5, 7)
    ]
    reasons = [each.reason for each in report.failures]
    assert reasons[0].startswith("not JSON: ")
    assert reasons[1].startswith("messages[1].role: ")
    assert reasons[2].startswith("'{id}' is empty for this record")
    assert reasons[3].startswith("'{id}': the record has no field 'id'; it has messages.")
    assert reasons[4].startswith("has no messages: ")


def test_a_message_that_the_catalogue_refuses_takes_its_whole_record_with_it(
    store: Store, tmp_path: Path
) -> None:
    histories = [
        [reply("fine")],
        [reply("fine"), {"type": "replly", "text": "x"}, reply("x", extra=1)],
    ]
    report = run(store, written(tmp_path, "runs.jsonl", histories))
    assert store.thread_ids(limit=9) == ["runs-1"]
    (failure,) = report.failures
    assert failure.place.endswith("runs.jsonl:2")
    assert "messages[1].type: 'replly' is not in the catalogue" in failure.reason
    assert "messages[2].extra: no such field" in failure.reason


def test_facts_of_our_own_that_are_off_are_refused(store: Store, tmp_path: Path) -> None:
    own = {"threadId": "t", "messages": [reply("x")]}
    odd: list[dict[str, Any]] = [
        {"closed": {"type": "thread.started"}},
        {"metadata": "free text"},
        {"policy": "lax"},
        {"limits": {"maxSteps": -1}},
        {"parent": "a b"},
        {"closed": {"reason": 5}},
    ]
    report = run(store, written(tmp_path, "runs.jsonl", [{**own, **each} for each in odd]))
    assert len(report.failures) == len(odd)
    assert store.thread_ids(limit=9) == []
    reasons = [each.reason.partition(":")[0] for each in report.failures]
    assert reasons == ["closed.type", "metadata", "policy", "limits.maxSteps", "parent", "reason"]


def test_lone_surrogates_are_replaced_and_counted(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_text(r'[[{"type": "log", "text": "a\ud800b"}], [{"type": "log", "text": "\udc00"}]]')
    report = run(store, path)
    assert (len(report.of_kind("mended")), report.failures) == (2, [])
    assert texts(store, "runs") == ["a\ufffdb"]
    assert texts(store, "runs-1") == ["\ufffd"]


def test_the_history_that_a_whole_array_is_counts_its_surrogates_once(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    path.write_text(r'[{"type": "log", "text": "\ud800"}, {"type": "log", "text": "\udc00"}]')
    assert len(run(store, path).of_kind("mended")) == 2
    assert texts(store, "run") == ["\ufffd", "\ufffd"]


def test_what_is_no_number_in_json_becomes_a_string(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_text('[[{"type": "tick", "metadata": {"loss": NaN, "best": [-Infinity]}}]]')
    report = run(store, path)
    assert [each.reason for each in report.of_kind("mended")] == [
        "NaN as a string",
        "-Infinity as a string",
    ]
    (item,) = shown(store, "runs", "kernel", metadata="true")
    assert item["metadata"] == {"loss": "NaN", "best": ["-Infinity"]}


# --- formats found out --------------------------------------------------------------------------


def test_each_file_of_a_folder_is_read_by_its_own_format(store: Store, tmp_path: Path) -> None:
    for wire, items in HISTORIES.items():
        written(tmp_path, f"{wire}.json", items)
    written(tmp_path, "lines.jsonl", HISTORIES["openai"])  # a message a line: one history
    report = run(store, tmp_path, wire=None)
    assert report.failures == []
    found = {chosen.name: files for chosen, files in report.formats.items()}
    assert found == {**dict.fromkeys(HISTORIES, 1), "openai": 2}
    assert shown(store, "lines", "openai") == shown(store, "openai", "openai")


def test_what_is_of_no_format_says_what_stands_there(store: Store, tmp_path: Path) -> None:
    written(tmp_path, "odd.json", {"a": 1, "b": 2})
    written(tmp_path, "good.json", [USER])
    report = run(store, tmp_path, wire=None)
    (failure,) = report.failures
    assert failure.place.endswith("odd.json")
    assert failure.reason.startswith("of no format that is known: an object with 'a', 'b'.")
    assert "--messages '$.traj'" in failure.reason
    assert store.thread_ids(limit=9) == ["good"]


def test_records_in_a_document_are_found_by_a_path(store: Store, tmp_path: Path) -> None:
    document = {"runs": [{"name": "a", "messages": [USER]}, {"name": "b", "messages": [USER]}]}
    path = written(tmp_path, "all.json", document)
    report = run(store, path, wire=None, records="$.runs", thread_id="t-{name}")
    assert (report.threads, report.failures) == (2, [])
    assert store.thread_ids(limit=9) == ["t-a", "t-b"]
    (failure,) = run(store, path, wire=None, records="$.none").failures
    assert failure.reason == "$.none leads to nothing in this record"


def test_two_files_that_would_share_a_thread_say_how_to_name_them(
    store: Store, tmp_path: Path
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder, "run.json", [{**USER, "content": folder}])
    (failure,) = run(store, tmp_path, wire=None).failures
    assert failure.place.endswith("b/run.json")
    assert "its thread run is that of" in failure.reason
    assert "--thread-id '{path}-{record}'" in failure.reason
    report = run(store, tmp_path, wire=None, thread_id="{path}")
    assert report.failures == []
    assert store.thread_ids(limit=9) == ["a:run", "b:run", "run"]
    own = {"threadId": "same", "messages": [reply("x")]}  # who names his thread means it
    written(tmp_path, "own.jsonl", [own, own])
    assert run(store, tmp_path / "own.jsonl").failures == []


def test_what_stands_beside_the_messages_is_kept_unless_a_template_names_it(
    store: Store, tmp_path: Path
) -> None:
    record = {"id": "a", "reward": 0.5, "label": "bread", "messages": [USER]}
    path = written(tmp_path, "runs.json", record)
    given = {"thread_id": "{id}", "metadata": {"reward": "{reward?}"}}
    report = run(store, path, wire="openai", **given)
    assert [each.reason for each in report.of_kind("aside")] == ["field 'label' is not known"]
    written(tmp_path, "runs.json", {**record, "messages": [USER, USER]})  # it has grown since
    assert run(store, path, wire="openai", **given).failures == []
    kept = [each for each in shown(store, "a", "kernel") if each["type"] == "openai.record"]
    assert [each["payload"] for each in kept] == [{"label": "bread"}]
    assert len(store.messages("a")) == 4
    assert len(shown(store, "a", "openai")) == 2
    (failure,) = run(store, path, wire="openai", strict=True, **given).failures
    assert failure.reason.endswith("field 'label' is not known")


def test_histories_of_one_record_have_numbers_of_their_own(store: Store) -> None:
    source = GOLDEN / "readers" / "letta-agent" / "second-version.af"
    report = run(store, source, wire=None, thread_id="{stem}-{record}")
    assert report.failures == []
    assert store.thread_ids(limit=9) == ["second-version-0", "second-version-0-1"]


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


def test_a_name_that_is_no_thread_id_becomes_one_like_it(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / ("run " + "x" * 100) / ("y" * 100)
    folder.mkdir(parents=True)
    for name in ("a/b", "a b"):
        written(folder, f"{name[1:2] == '/'}.json", {"id": name, "messages": [USER]})
    by_id = run(store, tmp_path, wire="openai", messages="$.messages", thread_id="{id}")
    by_path = run(store, tmp_path, wire="openai", messages="$.messages", thread_id="{path}")
    assert (by_id.failures, by_path.failures) == ([], [])
    found = {each: store.thread(each).read_facts() for each in store.thread_ids(limit=9)}
    assert {name[:4] for name in found} == {"a-b-", "run-"}
    names = {each["metadata"]["source"] for each in found.values()}
    assert names >= {"a/b", "a b"}
    assert len(names) == len(found) == 4


def test_a_file_with_nothing_in_it_is_named(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n")
    (tmp_path / "b.json").write_text("[]")
    (tmp_path / "c.png").write_text("")
    report = run(store, tmp_path, wire=None)
    found = {Path(each.place).name: each.reason for each in report.of_kind("passed over")}
    by_name = "by its name it has no histories"
    assert found == {"a.jsonl": "it is empty", "b.json": "it is empty", "c.png": by_name}


# --- what is kept aside -------------------------------------------------------------------------


def noted(items: JsonValue) -> Iterator[History]:
    """Read a history of which something is not known."""
    assert items == ["a", "b"]
    yield History([reply("x")], asides=[Aside("[1].foo", "field 'foo'")])


NOTED = Format("noted", "Noted", noted, is_item=lambda value: value in ("a", "b"))


def test_what_no_reader_knows_is_counted_by_its_place(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "run.jsonl", ["a", "b"])
    importer = Importer(store, Plan(NOTED), progress=lambda _: None)
    importer.import_sources(find_sources([path]))
    (aside,) = importer.report.of_kind("aside")
    assert (aside.place, aside.reason) == (f"{path}:2: foo", "field 'foo' is not known")
    assert importer.report.threads == 1
    strict = Importer(store, Plan(NOTED, strict=True), progress=lambda _: None)
    strict.import_sources(find_sources([path]))
    (failure,) = strict.report.failures
    assert failure.reason == "[1].foo: field 'foo' is not known"
    assert (strict.report.threads, strict.report.of_kind("aside")) == (0, [])


def test_without_a_store_all_is_read_and_counted(tmp_path: Path) -> None:
    report = run(None, written(tmp_path, "runs.jsonl", [[USER], [USER, USER]]), wire=None)
    assert (report.threads, report.appended, report.replayed) == (2, 3, 0)


# --- second runs --------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("policy", "status", "anomalies"),
    [("strict", None, 0), ("record", "open", 1), (None, "open", 1)],
)
def test_strict_refuses_what_record_keeps_and_counts(
    store: Store, tmp_path: Path, policy: str | None, status: Status | None, anomalies: int
) -> None:
    histories = [[calls("a"), calls("a")], [reply("fine")]]
    report = run(store, written(tmp_path, "runs.jsonl", histories), policy=policy)
    assert report.anomalies == anomalies
    if status is None:
        (failure,) = report.failures
        assert failure.place.endswith("runs.jsonl:1")
        assert "(duplicate_call): messages[1].calls[0].id" in failure.reason
        assert store.thread_ids(limit=9) == ["runs-2"]
    else:
        assert report.failures == []
        assert store.thread("runs-1").anomalies == 1
        assert store.thread("runs-1").status == status


def test_many_records_go_in_batches_and_progress_comes_to_the_whole_file(
    store: Store, tmp_path: Path
) -> None:
    histories = [[reply(f"{number}")] * 7 for number in range(700)]
    histories[350] = [calls("a"), calls("a")]
    path = written(tmp_path, "runs.jsonl", histories)
    told: list[int] = []
    plan = Plan(choose_format("kernel"), policy="strict")
    importer = Importer(store, plan, progress=told.append)
    importer.import_sources(find_sources([path]))
    assert importer.report.threads == 699
    assert [each.place for each in importer.report.failures] == [f"{path}:351"]
    assert importer.report.appended == position(store) == 699 * 7
    assert sum(told) == path.stat().st_size - 700  # but for the line ends
