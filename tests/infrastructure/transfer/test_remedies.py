"""Files that are refused, and the remedy that the refusal names: it works on the file."""

import io
import json
import re
import shlex
from ast import literal_eval
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from agentlog.api.cli.main import app
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.files.sources import STANDARD_INPUT
from agentlog.infrastructure.transfer.report import ImportFinding
from agentlog.infrastructure.transfer.template import UnfinishedField
from agentlog.projections.readers.registry import FORMATS
from tests.infrastructure.transfer.importing import USER, run, written
from tests.projections.readers.test_golden_readers import SOURCES

FOREIGN = [{"type": "pi.said", "content": "hi"}, {"type": "pi.heard", "content": "ho"}]
NUMBERS = count()
FIELDS = {"format": "wire", "thread-id": "thread_id"}


def options_of(finding: ImportFinding) -> dict[str, Any]:
    """Return the options that a refusal names, as fields of a plan."""
    assert finding.remedy is not None, finding.reason
    assert finding.reason.endswith(str(finding.remedy))
    return {FIELDS.get(name, name): value for name, value in finding.remedy.options.items()}


documents = [path for path in SOURCES if path.suffix in {".json", ".traj", ".af"}]
any_document = pytest.mark.parametrize(
    "source", documents, ids=lambda path: f"{path.parent.name}/{path.name}"
)


@any_document
@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(keys=st.lists(st.sampled_from(["run", "a b", "sänd", "x'y"]), min_size=1, max_size=3))
def test_histories_inside_a_document_are_imported_by_the_options_that_are_named(
    threads: Threads, tmp_path: Path, source: Path, keys: list[str]
) -> None:
    value = json.loads(source.read_text())
    for key in keys:
        value = {key: value, "beside": 1}
    path = written(tmp_path, f"inside-{len(keys)}.json", value)
    (failure,) = run(threads, path, wire=None).failures
    name = f"{source.parent.name}-{next(NUMBERS)}-{{record}}"  # what is beside differs each time
    options = {"thread_id": name, **options_of(failure)}
    assert run(threads, path, **options).failures == []


def test_a_place_of_messages_that_no_format_knows_is_refused(
    threads: Threads, tmp_path: Path
) -> None:
    path = written(tmp_path, "g.json", {"s": [{"type": "user", "content": "hi"}]})
    (failure,) = run(threads, path, wire=None, messages="$.s").failures
    assert "of no format that is known" in failure.reason
    lines = written(tmp_path, "g.jsonl", [{"s": [{"odd": 1}]}, {"s": [USER]}, {"s": [{"odd": 1}]}])
    report = run(threads, lines, wire=None, messages="$.s")
    assert [Path(failure.place).name for failure in report.failures] == ["g.jsonl:1", "g.jsonl:3"]
    assert report.threads == 1


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@pytest.mark.parametrize("wire", [name for name in FORMATS if name != "kernel"])
def test_a_file_of_which_nothing_is_known_is_refused(
    threads: Threads, tmp_path: Path, wire: str, suffix: str
) -> None:
    report = run(threads, written(tmp_path, f"foreign{suffix}", FOREIGN), wire=wire)
    assert report.failures
    assert (threads.thread_ids(limit=9), report.appended) == ([], 0)


def test_files_of_one_name_in_two_folders_are_told_apart_by_what_is_named(
    threads: Threads, tmp_path: Path
) -> None:
    """Each refusal names the next thing to do, until all is in."""
    paths = [tmp_path / name / "run.json" for name in "abc"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(json.dumps([{**USER, "content": path.parent.name}]))
    waiting, template = paths, None
    for _ in range(9):
        report = run(threads, *waiting, wire=None, thread_id=template)
        if not report.failures:
            break
        waiting = [Path(failure.place) for failure in report.failures[:1]]
        template = options_of(report.failures[0])["thread_id"]
        others = [Path(failure.place) for failure in report.failures[1:]]
        assert run(threads, *waiting, wire=None, thread_id=template).failures == []
        waiting = others
    said = {
        threads.messages(thread_id)[-1].raw["text"] for thread_id in threads.thread_ids(limit=9)
    }
    assert said == {"a", "b", "c"}


PIECES = ["{stem}", "{none}", "{none?}", "{stem", "{", "x"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=4))
def test_each_refusal_of_a_template_names_the_next_until_one_is_taken(
    threads: Threads, tmp_path: Path, pieces: list[str]
) -> None:
    path, template = written(tmp_path, "run.json", [USER]), "".join(pieces)
    for _ in range(8):
        try:
            failures = run(threads, path, wire=None, thread_id=template).failures
        except UnfinishedField as error:
            template = literal_eval(str(error).rpartition(": ")[2])
            continue
        if not failures:
            break
        (failure,) = failures
        if failure.remedy is None:
            template = literal_eval(failure.reason.rpartition(": ")[2])
        else:
            template = options_of(failure)["thread_id"]
    assert run(threads, path, wire=None, thread_id=template).failures == []


def test_standard_input_without_a_name_is_imported_by_the_template_that_is_named(
    threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    def given_text() -> None:
        text = json.dumps([USER]).encode()
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))

    given_text()
    (failure,) = run(threads, STANDARD_INPUT, wire=None).failures
    given_text()
    assert run(threads, STANDARD_INPUT, wire=None, **options_of(failure)).failures == []


def test_the_command_that_lists_the_formats_lists_them_all(
    threads: Threads, tmp_path: Path
) -> None:
    (failure,) = run(threads, written(tmp_path, "odd.json", {"a": 1}), wire=None).failures
    command = re.search("`agentlog (.+)`", failure.reason)
    assert command is not None
    listed = CliRunner().invoke(app, shlex.split(command[1]))
    assert [line.split()[0] for line in listed.stdout.splitlines()] == list(FORMATS)
