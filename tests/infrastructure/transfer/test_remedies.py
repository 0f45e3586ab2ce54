"""Files that are refused, and the remedy that the refusal names: it works on the file."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infrastructure.views.store import Store
from projections.readers.registry import FORMATS
from tests.infrastructure.transfer.importing import USER, run, written
from tests.projections.readers.test_golden_readers import SOURCES

FOREIGN = [{"type": "pi.said", "content": "hi"}, {"type": "pi.heard", "content": "ho"}]
REMEDY = re.compile(r"--(?:records|messages) .+ --format [a-z0-9-]+\Z")


def remedy_in(reason: str) -> dict[str, Any]:
    """Return the options that a refusal names, as fields of a plan."""
    options = REMEDY.search(reason)
    assert options is not None, reason
    option, path, _, wire = shlex.split(options[0])
    return {option.strip("-"): path, "wire": wire}


documents = [path for path in SOURCES if path.suffix in {".json", ".traj", ".af"}]
any_document = pytest.mark.parametrize(
    "source", documents, ids=lambda path: f"{path.parent.name}/{path.name}"
)


@any_document
@settings(max_examples=2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(keys=st.lists(st.sampled_from(["run", "a b", "sänd", "x'y"]), min_size=1, max_size=3))
def test_histories_inside_a_document_are_imported_by_the_options_that_are_named(
    store: Store, tmp_path: Path, source: Path, keys: list[str]
) -> None:
    value = json.loads(source.read_text())
    for key in keys:
        value = {key: value, "beside": 1}
    path = written(tmp_path, f"inside-{len(keys)}.json", value)
    (failure,) = run(store, path, wire=None).failures
    remedy = remedy_in(failure.reason)
    assert run(store, path, **remedy, thread_id=f"{source.parent.name}-{{record}}").failures == []


def test_a_place_of_messages_that_no_format_knows_is_refused(store: Store, tmp_path: Path) -> None:
    path = written(tmp_path, "g.json", {"s": [{"type": "user", "content": "hi"}]})
    (failure,) = run(store, path, wire=None, messages="$.s").failures
    assert "of no format that is known" in failure.reason
    lines = written(tmp_path, "g.jsonl", [{"s": [{"odd": 1}]}, {"s": [USER]}, {"s": [{"odd": 1}]}])
    report = run(store, lines, wire=None, messages="$.s")
    assert [Path(each.place).name for each in report.failures] == ["g.jsonl:1", "g.jsonl:3"]
    assert report.threads == 1


@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
@pytest.mark.parametrize("wire", [name for name in FORMATS if name != "kernel"])
def test_a_file_of_which_nothing_is_known_is_refused(
    store: Store, tmp_path: Path, wire: str, suffix: str
) -> None:
    report = run(store, written(tmp_path, f"foreign{suffix}", FOREIGN), wire=wire)
    assert report.failures
    assert (store.thread_ids(limit=9), report.appended) == ([], 0)


@pytest.mark.parametrize("wire", ["claude-code", "codex", "openhands"])
def test_a_file_of_another_format_is_refused_in_one_line(
    store: Store, tmp_path: Path, wire: str
) -> None:
    (failure,) = run(store, written(tmp_path, "other.json", [USER] * 9), wire=wire).failures
    assert "knows nothing in it" in failure.reason


def test_files_of_one_name_in_two_folders_are_told_apart_by_what_is_named(
    store: Store, tmp_path: Path
) -> None:
    """Each refusal names the next thing to do, until all is in."""
    paths = [tmp_path / name / "run.json" for name in "abc"]
    for path in paths:
        path.parent.mkdir()
        path.write_text(json.dumps([{**USER, "content": path.parent.name}]))
    waiting, template = paths, None
    for _ in range(9):
        report = run(store, *waiting, wire=None, thread_id=template)
        if not report.failures:
            break
        waiting = [Path(failure.place) for failure in report.failures[:1]]
        template = report.failures[0].reason.rpartition("--thread-id ")[2].strip("'")
        others = [Path(failure.place) for failure in report.failures[1:]]
        assert run(store, *waiting, wire=None, thread_id=template).failures == []
        waiting = others
    said = {store.messages(thread_id)[-1].raw["text"] for thread_id in store.thread_ids(limit=9)}
    assert said == {"a", "b", "c"}
