"""Files of agents that are imported: again, unclear, and several histories of one record."""

import json
from pathlib import Path
from typing import Any

import pytest

from agentlog.extensions.formats.workers import Workers
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.files.source_file import UnreadableSource
from agentlog.infrastructure.transfer.files.sources import find_sources
from tests.extensions.laws.test_parts import check_a_second_file
from tests.infrastructure.transfer.importing import USER, run, written
from tests.infrastructure.transfer.parts import SESSION, members_of
from tests.infrastructure.transfer.test_remedies import options_of
from tests.test_golden import GOLDEN


def test_a_folder_without_a_file_of_any_format_says_how_these_end(tmp_path: Path) -> None:
    with pytest.raises(
        UnreadableSource, match=r"ends in \.af, \.aider\.chat\.history\.md, \.eval, \.json"
    ):
        list(find_sources([tmp_path]))


def test_histories_of_one_record_have_numbers_of_their_own(threads: Threads) -> None:
    source = GOLDEN / "readers" / "letta-agent" / "second-version.af"
    report = run(threads, source, wire=None, thread_id="{stem}-{record}")
    assert report.failures == []
    assert threads.thread_ids(limit=9) == ["second-version-0", "second-version-0-1"]


@pytest.mark.parametrize("wire", ["claude-code", "codex", "openhands"])
def test_a_file_of_another_format_is_refused_in_one_line(
    threads: Threads, tmp_path: Path, wire: str
) -> None:
    (failure,) = run(threads, written(tmp_path, "other.json", [USER] * 9), wire=wire).failures
    assert "knows nothing in it" in failure.reason


def test_a_file_that_may_be_of_several_formats_is_imported_by_the_one_that_is_named(
    threads: Threads, tmp_path: Path
) -> None:
    """Made of the documents of two formats."""
    both: dict[str, Any] = {}
    for wire, name in (("atif", "task"), ("mini-swe-agent", "chat.traj")):
        both |= json.loads((GOLDEN / "readers" / wire / f"{name}.json").read_text())
    path = written(tmp_path, "both.json", both)
    (failure,) = run(threads, path, wire=None).failures
    assert "may be any of" in failure.reason
    assert run(threads, path, **options_of(failure)).failures == []


def test_a_log_is_imported_while_its_run_goes_on_and_again_at_its_end(
    threads: Threads, tmp_path: Path
) -> None:
    whole = json.loads((GOLDEN / "readers" / "inspect" / "tools.json").read_text())
    begun = {key: whole[key] for key in ("version", "eval", "plan", "samples")}
    path = written(tmp_path, "log.json", {**begun, "samples": begun["samples"][:1]})
    assert run(threads, path, wire=None).failures == []
    written(tmp_path, "log.json", whole)
    report = run(threads, path, wire=None)
    assert (report.failures, report.anomalies) == ([], 0)
    (added,) = threads.messages("bakery-rye-1-SampleRye01")[-1:]
    assert added.type == "log"
    assert added.metadata["wire"]["inspect"][0]["set"]["status"] == "success"


def test_an_agent_that_is_exported_again_adds_what_is_new(threads: Threads, tmp_path: Path) -> None:
    whole = json.loads((GOLDEN / "readers" / "letta-agent" / "first-version.af").read_text())
    path = written(tmp_path, "agent.af", {**whole, "messages": whole["messages"][:-2]})
    assert run(threads, path, wire=None).failures == []
    written(tmp_path, "agent.af", whole)
    report = run(threads, path, wire=None)
    assert (report.failures, report.anomalies) == ([], 0)
    assert report.appended > 0
    assert run(threads, path, wire=None).appended == 0


@pytest.mark.parametrize("name", ["zipped", "unfinished"])
def test_a_log_as_an_archive_and_as_json_is_one(
    threads: Threads, tmp_path: Path, name: str
) -> None:
    archive = GOLDEN / "readers" / "inspect" / f"{name}.eval"
    members = members_of(archive)
    header = members.get("header.json", members["_journal/start.json"])
    samples = [json.loads(data) for inner, data in members.items() if inner.startswith("samples/")]
    path = written(tmp_path, f"{name}.json", {**json.loads(header), "samples": samples})
    assert run(threads, archive, wire=None).failures == []
    again = run(threads, path, wire=None)
    assert (again.failures, again.appended) == ([], 0)


@pytest.mark.parametrize("wire", ["claude-code", "codex"])
def test_what_an_older_reader_left_out_is_added(
    threads: Threads, monkeypatch: pytest.MonkeyPatch, wire: str
) -> None:
    folder = GOLDEN / "readers" / wire / "with-agent"
    with monkeypatch.context() as older:
        older.setattr(Workers, "come_back", lambda *_: None)
        assert run(threads, folder, wire=None).failures == []
    report = run(threads, folder, wire=None)
    assert (report.appended, report.failures) == (1, [])
    assert run(threads, folder, wire=None).appended == 0


def line(number: int, text: str) -> dict[str, Any]:
    """Return a line of Claude Code with a uuid of its own."""
    return {
        "type": "user",
        "sessionId": SESSION,
        "uuid": f"{SESSION[:-4]}{number:04x}",
        "timestamp": f"2026-01-01T00:00:{number:02d}Z",
        "message": {"role": "user", "content": text},
    }


TWO_FILES = {
    "agents of one session": [
        [line(n, f"to the {name} agent, {n}") for n in range(place, place + 4)]
        for place, name in ((0, "first"), (4, "second"))
    ],
    "a session that was cut": [[line(n, f"line {n}") for n in part] for part in ((0, 1), (2, 3))],
}


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("files", TWO_FILES.values(), ids=TWO_FILES)
def test_a_second_file_of_a_session_loses_no_message(
    threads: Threads, tmp_path: Path, files: list[list[Any]], *, together: bool
) -> None:
    check_a_second_file(threads, tmp_path, files, together=together)
