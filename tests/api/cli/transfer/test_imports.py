"""The commands import and export, and what may happen in the midst of them."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from agentlog.infrastructure.postgres.database import Database
from tests.command_line import (
    AGENTLOG,
    Outcome,
    agentlog,
    as_words,
    environment,
    figures_of,
    started,
)
from tests.databases import name_of, new_database
from tests.waiting import WAIT_SECONDS

USER = {"role": "user", "content": "hi"}
RUNS = [{"id": name, "reward": 0.5, "traj": [USER]} for name in "abc"]


@pytest.fixture
def database_url(database: Database, shared_database_url: str) -> str:
    """The URL of a log with nothing in it."""
    del database  # which has emptied it
    return shared_database_url


def lines_of(*values: Any) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def import_runs(*arguments: str | Path, url: str, stdin: bytes = b"") -> Outcome:
    """Import OpenAI histories, each under the id of its record."""
    options = ("--format", "openai", "--messages", "$.traj", "--thread-id", "{id}")
    return agentlog("import", *options, *arguments, url=url, stdin=stdin)


def thread_ids(url: str) -> list[str]:
    return sorted(line["threadId"] for line in agentlog("threads", "--json", url=url).lines)


# --- import -------------------------------------------------------------------------------------


def test_an_import_says_what_it_came_to(database_url: str, tmp_path: Path) -> None:
    path = written(tmp_path, "runs.jsonl", lines_of(*RUNS))
    outcome = import_runs(
        path, "--metadata", "reward={reward}", "--goal", "run {id}", url=database_url
    )
    assert (outcome.code, outcome.out) == (0, "")
    *table, undone = outcome.err.splitlines()
    assert undone.startswith("`agentlog imports undo ")
    assert table == [
        "OpenAI chat messages, 1 file, a thread per record",
        "threads             3",
        "events              6  0 there already",
        "kept whole          0",
        "kept aside          0",
        "anomalies           0",
        "masked              0",
        "mended              0",
        "refused             0",
        "passed over         0",
    ]
    lines = agentlog("threads", "--json", url=database_url).lines
    assert [(thread["metadata"], thread["goal"]) for thread in lines] == [
        ({"reward": 0.5}, f"run {name}") for name in "cba"
    ]
    again = import_runs(
        path, "--metadata", "reward={reward}", "--goal", "run {id}", url=database_url
    )
    assert again.code == 0
    assert again.counted == {"threads": 3, "there already": 6}


def test_a_dry_run_prints_the_table_of_the_import_word_for_word(
    database_url: str, tmp_path: Path
) -> None:
    import_runs(written(tmp_path, "first.jsonl", lines_of(RUNS[0])), url=database_url)
    orphan = {"role": "tool", "tool_call_id": "x", "content": "ok"}
    odd = {"role": "user", "content": [{"type": "odd", "value": "hi"}]}
    more = [
        RUNS[0],
        {"id": "a", "reward": 1, "traj": [USER, odd, orphan]},
        {"id": "a", "traj": [USER, USER]},
        {"id": "d", "traj": [odd]},
        {"id": "e", "traj": 7},
    ]
    for number, record in enumerate(more):
        path = written(tmp_path, f"{number}.jsonl", lines_of(record))
        before = events_in(database_url)
        dry = import_runs(path, "--dry-run", url=database_url)
        assert events_in(database_url) == before
        real = import_runs(path, url=database_url)
        told = [line for line in real.err.splitlines() if "imports undo" not in line]
        assert (dry.code, dry.err.splitlines()) == (real.code, told)
    assert agentlog("imports", "--json", url=database_url).lines != []


def test_standard_input_and_files_and_folders_may_be_mixed(
    database_url: str, tmp_path: Path
) -> None:
    (tmp_path / "folder").mkdir()
    written(tmp_path / "folder", "b.json", json.dumps([RUNS[1]]).encode())
    file = written(tmp_path, "c.jsonl", lines_of(RUNS[2]))
    outcome = import_runs("-", tmp_path / "folder", file, url=database_url, stdin=lines_of(RUNS[0]))
    assert outcome.code == 0, outcome.err
    assert thread_ids(database_url) == ["a", "b", "c"]


def test_a_bad_record_ends_the_import_with_1_after_all_others(
    database_url: str, tmp_path: Path
) -> None:
    bad = {"id": "bad", "traj": [USER, {"role": "nobody"}]}
    path = written(tmp_path, "runs.jsonl", lines_of(RUNS[0], bad) + b"{oops\n" + lines_of(RUNS[2]))
    outcome = import_runs(path, url=database_url)
    assert outcome.code == 1
    first, second, *_ = outcome.err.splitlines()
    assert first.startswith(f"{path}:2: messages[1].role: ")
    assert second.startswith(f"{path}:3: not JSON: ")
    kept = {"kept whole": 2, "kept aside": 2}  # a field beside the messages of each run
    assert outcome.counted == {"threads": 2, "events": 6, "refused": 2, **kept}
    assert thread_ids(database_url) == ["a", "c"]


def test_of_many_failures_alike_the_first_is_told(database_url: str, tmp_path: Path) -> None:
    path = written(tmp_path, "runs.jsonl", b"{oops\n" * 103)
    outcome = import_runs(path, url=database_url)
    assert outcome.code == 1
    lines = outcome.err.splitlines()
    assert sum("not JSON" in line for line in lines) == 1
    assert lines[1] == f"… and 102 more for the same reason, to {path}:103"
    assert outcome.counted == {"refused": 103}


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("empty.json", b"", "it is empty"),
        ("cut.json", b'{"id": "a"', "not JSON"),
        ("binary.json", bytes(range(256)), "not UTF-8 at byte 128"),
        ("scalar.json", b"7", "$.traj leads to nothing in this record"),
        ("other.json", b'{"id": "a", "name": "x"}', "$.traj leads to nothing in this record"),
        ("id.json", b'{"id": "", "traj": []}', "'{id}' is empty for this record"),
        ("nan.json", b'{"id": "a", "traj": [nan]}', "not JSON"),
        ("deep.json", b"[" * 10_000 + b"]" * 10_000, "nested deeper than 128 levels"),
    ],
)
def test_a_file_that_is_off_is_named_with_what_is_wrong(
    database_url: str, tmp_path: Path, name: str, content: bytes, reason: str
) -> None:
    outcome = import_runs(written(tmp_path, name, content), url=database_url)
    assert outcome.code == 1
    assert outcome.err.startswith(f"{tmp_path / name}: ")
    assert reason in outcome.err.splitlines()[0]
    assert thread_ids(database_url) == []


def test_the_name_of_a_file_makes_no_line_of_its_own(database_url: str, tmp_path: Path) -> None:
    name = "a\nrefused 0\u202e\x1b[31m.json"
    for dry in ([], ["--dry-run"]):
        outcome = import_runs(written(tmp_path, name, b"{oops"), *dry, url=database_url)
        first, *table = outcome.err.splitlines()
        assert first.startswith(f"{tmp_path}/a\\nrefused 0\\u202e\\x1b[31m.json: not JSON")
        assert [row.split()[:2] for row in table if "refused" in row] == [["refused", "1"]]


def test_lone_surrogates_are_reported(database_url: str, tmp_path: Path) -> None:
    path = written(
        tmp_path, "a.json", rb'{"id": "a", "traj": [{"role": "user", "content": "\ud800"}]}'
    )
    outcome = import_runs(path, url=database_url)
    assert outcome.code == 0
    assert "mended              1  lone surrogate replaced by U+FFFD\n" in outcome.err
    (item,) = agentlog("view", "a", "openai", url=database_url).lines
    assert item["content"] == "\ufffd"


def test_strict_refuses_what_record_keeps(database_url: str, tmp_path: Path) -> None:
    orphan = {"role": "tool", "tool_call_id": "x", "content": "ok"}
    path = written(tmp_path, "runs.jsonl", lines_of({"id": "a", "traj": [orphan]}))
    refused = import_runs(path, "--policy", "strict", url=database_url)
    assert refused.code == 1
    assert "refuses this (orphan_result): messages[0].results[0].callId: " in refused.err
    kept = import_runs(path, url=database_url)
    assert kept.code == 0
    assert kept.counted == {"threads": 1, "events": 2, "anomalies": 1}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nope.json"], "nope.json: no such file or folder"),
        (["."], "no file in it ends in ."),
        (["-", "--format", "opanai"], "there is no format 'opanai': choose one of "),
        (["-", "--messages", "$["], "'$[' is no JSONPath"),
        (["-", "--messages", "$.a | $.b"], "use a single path"),
        (["-", "--policy", "lax"], "use one of strict, record"),
        (["-", "--thread-id", "{stem"], "a field in it has no end: '{stem}'"),
        (["-", "--metadata", "reward"], "give KEY=TEMPLATE"),
        (["-", "--metadata", "=x"], "give KEY=TEMPLATE"),
        ([], "Missing argument"),
    ],
    ids=as_words,
)
def test_an_import_that_cannot_begin_ends_with_2(
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    reason: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = agentlog("import", *arguments, url=database_url, stdin=lines_of([USER]))
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err
    assert thread_ids(database_url) == []
    assert agentlog("imports", url=database_url).out == ""


# --- stopped in the midst, and side by side -----------------------------------------------------

FILES, PER_FILE = 150, 10
EVENTS = FILES * (PER_FILE + 1)


@pytest.fixture(scope="module")
def many_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of histories: each file is a transaction of its own."""
    folder = tmp_path_factory.mktemp("many")
    for number in range(FILES):
        history = [{"type": "log", "text": f"{number}.{n}"} for n in range(PER_FILE)]
        (folder / f"run-{number:04d}.json").write_text(json.dumps(history))
    return folder


def events_in(url: str) -> int:
    with psycopg.connect(url, autocommit=True) as connection:
        return events_by(connection)


def events_by(connection: psycopg.Connection) -> int:
    row = connection.execute("SELECT count(*), max(position) FROM agentlog.events").fetchone()
    assert row is not None
    assert row[0] == (row[1] or 0)
    return int(row[0])


def stop_in_the_midst(url: str, folder: Path, number: signal.Signals) -> Outcome:
    """Import in a process, and signal it once some of the files are in the log."""
    hasty = make_conninfo(url, options="-c lock_timeout=2s")
    with (
        psycopg.connect(url, autocommit=True) as connection,
        started("import", folder, url=hasty) as process,
    ):
        wait_until(lambda: process.poll() is not None or events_by(connection) > 0)
        # whoever holds the counter holds up every writer: the import stops here, wherever it is
        with connection.transaction():
            connection.execute("SELECT FROM agentlog.counter FOR UPDATE")
            process.send_signal(number)
            out, err = process.communicate(timeout=WAIT_SECONDS)
            return Outcome(process.returncode, out, err)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, signal.SIGKILL, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)],
)
def test_an_import_that_was_stopped_goes_on_where_it_was(
    database_url: str, many_files: Path, number: signal.Signals
) -> None:
    stopped = stop_in_the_midst(database_url, many_files, number)
    before = events_in(database_url)
    assert 0 < before < EVENTS
    assert before % (PER_FILE + 1) == 0
    assert "Traceback" not in stopped.err
    if number != signal.SIGKILL:
        assert stopped.code == 130
        threads = before // (PER_FILE + 1)
        assert stopped.counted == {"threads": threads, "events": before}
        assert "interrupted: what is counted is written; run it again to go on" in stopped.err
    else:
        assert stopped.code == -signal.SIGKILL
    again = agentlog("import", many_files, url=database_url)
    assert again.code == 0
    counted = {"threads": FILES, "events": EVENTS - before, "there already": before}
    assert again.counted == counted
    assert events_in(database_url) == EVENTS


def test_an_import_that_the_database_breaks_off_says_what_was_written(
    server_url: str, template_database: str, many_files: Path
) -> None:
    """As a full disk does."""
    with new_database(server_url, template=template_database) as url:
        err, written = _import_that_is_broken_off(url, many_files)
    assert 0 < written < EVENTS
    assert figures_of(err)["events"] == written
    assert "interrupted: what is counted is written; run it again to go on" in err
    assert "the database is not available" in err


def _import_that_is_broken_off(url: str, folder: Path) -> tuple[str, int]:
    """Return what an import says when nothing can be written any more, and how much was."""
    name = Identifier(name_of(url))
    with (
        started("import", folder, url=url) as process,
        psycopg.connect(url, autocommit=True) as connection,
    ):
        wait_until(lambda: events_by(connection) > 0)
        with connection.transaction():
            connection.execute("SELECT FROM agentlog.counter FOR UPDATE")
            alter = SQL("ALTER DATABASE {} SET default_transaction_read_only = on")
            connection.execute(alter.format(name))
        connection.execute(
            "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        _, err = process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 2
        return err, events_by(connection)


def test_two_imports_of_the_same_files_write_nothing_twice(
    database_url: str, many_files: Path
) -> None:
    with (
        started("import", many_files, url=database_url) as one,
        started("import", many_files, url=database_url) as other,
    ):
        reports = [process.communicate(timeout=WAIT_SECONDS)[1] for process in (one, other)]
        assert (one.returncode, other.returncode) == (0, 0), reports
    assert (
        sum(figures_of(report).get("events", 0) for report in reports)
        == events_in(database_url)
        == EVENTS
    )


def test_an_import_is_listed_undone_and_redone(database_url: str, tmp_path: Path) -> None:
    path = written(tmp_path, "runs.jsonl", lines_of(*RUNS))
    import_runs(written(tmp_path, "b.jsonl", lines_of(RUNS[1])), url=database_url)
    more = [{**run, "traj": [USER, {"role": "assistant", "content": "yes"}]} for run in RUNS]
    path.write_bytes(lines_of(*more))
    assert import_runs(path, url=database_url).code == 0
    latest, first = agentlog("imports", "--json", url=database_url).lines
    assert (first["threads"], first["events"], first["grown"]) == (1, 3, [])
    assert (latest["threads"], latest["events"], latest["grown"]) == (2, 9, ["b"])
    assert latest["paths"] == [str(path)]
    assert path.name in agentlog("imports", url=database_url).out
    undone = agentlog("imports", "undo", latest["id"], url=database_url)
    assert undone.out.splitlines() == [
        f"threads hidden: 2; `agentlog imports redo {latest['id']}` shows them again",
        "b was there before, and keeps what was added",
    ]
    assert thread_ids(database_url) == ["b"]
    for read in (["show", "a"], ["outline", "a"], ["why", "a"], ["view", "a"], ["diff", "a"]):
        assert agentlog(*read, url=database_url).code == 2
        assert agentlog(*read, "--hidden", url=database_url).code == 0
    listed = agentlog("threads", "--hidden", "--json", url=database_url).lines
    assert sorted(head["threadId"] for head in listed) == ["a", "b", "c"]
    again = import_runs(path, url=database_url)
    kept = {"kept whole": 3, "kept aside": 3}
    assert again.counted == {"threads": 3, "there already": 12, "hidden": 2, **kept}
    redone = agentlog("imports", "redo", latest["id"], url=database_url)
    assert (redone.out, thread_ids(database_url)) == (
        "threads shown again: 2\n",
        ["a", "b", "c"],
    )
    unknown = agentlog("imports", "undo", "x", url=database_url)
    assert (unknown.code, "there is no import 'x'" in unknown.err) == (2, True)


# --- export -------------------------------------------------------------------------------------


def test_export_writes_what_import_reads(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_runs(written(tmp_path, "runs.jsonl", lines_of(*RUNS)), url=database_url)
    whole = agentlog("export", "threads", url=database_url)
    assert [line["threadId"] for line in whole.lines] == ["a", "b", "c"]
    some = agentlog("export", "threads", "c", "a", "--format", "openai", url=database_url)
    assert [line["threadId"] for line in some.lines] == ["c", "a"]
    assert some.lines[0]["messages"] == [USER]
    monkeypatch.chdir(tmp_path)
    filed = agentlog("export", "threads", "--output", "all.jsonl", url=database_url)
    assert (filed.code, filed.out) == (0, "")
    assert (tmp_path / "all.jsonl").read_text(encoding="utf-8") == whole.out
    assert agentlog("import", "all.jsonl", url=database_url).code == 0


def test_an_export_takes_options_and_a_moment(database_url: str, tmp_path: Path) -> None:
    import_runs(written(tmp_path, "runs.jsonl", lines_of(*RUNS)), url=database_url)
    bare = agentlog(
        "export", "threads", "a", "--option", "metadata=false", "--at", "2", url=database_url
    )
    (record,) = bare.lines
    assert [message["type"] for message in record["messages"]] == ["input"]
    early = agentlog("export", "threads", "a", "--at", "1", url=database_url)
    assert early.lines[0]["messages"] == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--format", "opanai"], "there is no view 'opanai'"),
        (["--option", "x=y"], "does not take the option 'x'"),
        (["--at", "soon"], "'soon' is no point of a history"),
        (["--output", "/nowhere/all.jsonl"], "all.jsonl cannot be written: No such file"),
        (["--output", "/"], "/ cannot be written: Is a directory"),
        (["nope"], "there is no thread 'nope'"),
    ],
    ids=as_words,
)
def test_an_export_that_cannot_be_says_why(
    database_url: str, arguments: list[str], reason: str
) -> None:
    outcome = agentlog("export", "threads", *arguments, url=database_url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err


@pytest.mark.parametrize("size", [1, 100_000])
def test_an_export_whose_reader_has_gone_ends_quietly(
    database_url: str, tmp_path: Path, size: int
) -> None:
    long = [{"id": name, "traj": [{**USER, "content": "x" * size}]} for name in "abcdef"]
    import_runs(written(tmp_path, "runs.jsonl", lines_of(*long)), url=database_url)
    reading, writing = os.pipe()
    with subprocess.Popen(
        [AGENTLOG, "export", "threads"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(database_url),
    ) as export:
        os.close(writing)
        if size > 1:
            assert os.read(reading, 20) == b'{"threadId":"a","pol'
        os.close(reading)
        _, err = export.communicate(timeout=WAIT_SECONDS)
    assert (export.returncode, err) == (0, "")
