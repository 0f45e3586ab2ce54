"""Files whose formats are found out, and the names of their threads."""

from pathlib import Path

from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from tests.infrastructure.appends import reply
from tests.infrastructure.transfer.importing import HISTORIES, USER, run, shown, written


def test_each_file_of_a_folder_is_read_by_its_own_format(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    for wire, items in HISTORIES.items():
        written(tmp_path, f"{wire}.json", items)
    written(tmp_path, "lines.jsonl", HISTORIES["openai"])  # a message a line: one history
    report = run(threads, tmp_path, wire=None)
    assert report.failures == []
    counts = {chosen.name: files for chosen, files in report.formats.items()}
    assert counts == {**dict.fromkeys(HISTORIES, 1), "openai": 2}
    assert shown(views, "lines", "openai") == shown(views, "openai", "openai")


def test_what_is_of_no_format_says_what_stands_there(threads: Threads, tmp_path: Path) -> None:
    written(tmp_path, "odd.json", {"a": 1, "b": 2})
    written(tmp_path, "good.json", [USER])
    report = run(threads, tmp_path, wire=None)
    (failure,) = report.failures
    assert failure.place.endswith("odd.json")
    assert failure.reason.startswith("of no format that is known, an object with 'a', 'b': ")
    assert "`agentlog formats`" in failure.reason
    assert threads.thread_ids(limit=9) == ["good"]


def test_records_in_a_document_are_found_by_a_path(threads: Threads, tmp_path: Path) -> None:
    document = {"runs": [{"name": "a", "messages": [USER]}, {"name": "b", "messages": [USER]}]}
    path = written(tmp_path, "all.json", document)
    report = run(threads, path, wire=None, records="$.runs", thread_id="t-{name}")
    assert (report.threads, report.failures) == (2, [])
    assert threads.thread_ids(limit=9) == ["t-a", "t-b"]
    (failure,) = run(threads, path, wire=None, records="$.none").failures
    assert failure.reason == "$.none leads to nothing in this record"


def test_two_files_that_would_share_a_thread_say_how_to_name_them(
    threads: Threads, tmp_path: Path
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder, "run.json", [{**USER, "content": folder}])
    (failure,) = run(threads, tmp_path, wire=None).failures
    assert failure.place.endswith("b/run.json")
    assert "its thread run is that of" in failure.reason
    assert "--thread-id '{path}-{record}'" in failure.reason
    report = run(threads, tmp_path, wire=None, thread_id="{path}")
    assert report.failures == []
    assert threads.thread_ids(limit=9) == ["a:run", "b:run", "run"]
    own = {"threadId": "same", "messages": [reply("x")]}  # who names his thread means it
    written(tmp_path, "own.jsonl", [own, own])
    assert run(threads, tmp_path / "own.jsonl").failures == []


def test_what_stands_beside_the_messages_is_kept_unless_a_template_names_it(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    record = {"id": "a", "reward": 0.5, "label": "bread", "messages": [USER]}
    path = written(tmp_path, "runs.json", record)
    given = {"thread_id": "{id}", "metadata": {"reward": "{reward?}"}}
    report = run(threads, path, wire="openai", **given)
    assert [finding.reason for finding in report.of_kind("aside")] == ["field 'label' is not known"]
    written(tmp_path, "runs.json", {**record, "messages": [USER, USER]})  # it has grown since
    assert run(threads, path, wire="openai", **given).failures == []
    kept = [
        message for message in shown(views, "a", "kernel") if message["type"] == "openai.record"
    ]
    assert [message["payload"] for message in kept] == [{"label": "bread"}]
    assert len(threads.messages("a")) == 4
    assert len(shown(views, "a", "openai")) == 2
    (failure,) = run(threads, path, wire="openai", strict=True, **given).failures
    assert failure.reason.endswith("field 'label' is not known")


def test_a_name_that_is_no_thread_id_becomes_one_like_it(threads: Threads, tmp_path: Path) -> None:
    folder = tmp_path / ("run " + "x" * 100) / ("y" * 100)
    folder.mkdir(parents=True)
    for name in ("a/b", "a b"):
        written(folder, f"{name[1:2] == '/'}.json", {"id": name, "messages": [USER]})
    by_id = run(threads, tmp_path, wire="openai", messages="$.messages", thread_id="{id}")
    by_path = run(threads, tmp_path, wire="openai", messages="$.messages", thread_id="{path}")
    assert (by_id.failures, by_path.failures) == ([], [])
    facts = {
        thread_id: threads.head(thread_id).read_facts() for thread_id in threads.thread_ids(limit=9)
    }
    assert {name[:4] for name in facts} == {"a-b-", "run-"}
    names = {started["metadata"]["source"] for started in facts.values()}
    assert names >= {"a/b", "a b"}
    assert len(names) == len(facts) == 4


def test_a_file_with_nothing_in_it_is_named(threads: Threads, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("\n")
    (tmp_path / "b.json").write_text("[]")
    (tmp_path / "c.png").write_text("")
    report = run(threads, tmp_path, wire=None)
    reasons = {
        Path(finding.place).name: finding.reason for finding in report.of_kind("passed over")
    }
    by_name = "by its name it has no histories"
    assert reasons == {"a.jsonl": "it is empty", "b.json": "it is empty", "c.png": by_name}
