"""The commands backup and restore: real archives, real processes, and what can go wrong."""

import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.sql import SQL, Identifier

from agentlog.infrastructure.backup.programs import Address, Programs
from agentlog.infrastructure.embedded import open_embedded
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.migration import migrate
from agentlog.infrastructure.postgres.roles import LOGIN, make_login
from tests.command_line import agentlog, agentlog_on, environment, started
from tests.databases import CARELESS, make_cluster, new_database, short_folder
from tests.infrastructure.audit.conftest import Owner
from tests.waiting import WAIT_SECONDS

EXAMPLES = Path(__file__).parents[4] / "examples"
COMES_AGAIN = {"snapshots", "tiles", "projections", "tracking"}
OTHER = "Zoë & sons/2"
FILE = {"bytes": 0, "sha256": ""}
BEYOND = 10**9


@pytest.fixture(scope="module", autouse=True)
def signing_key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A key to sign logs with."""
    key = tmp_path_factory.mktemp("key") / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTLOG_SIGNING_KEY", str(key))
        yield


@pytest.fixture(scope="module")
def source(server_url: str, template_database: str) -> Iterator[str]:
    """A database with two tenants, checkpoints, and read models; no test changes it."""
    with new_database(server_url, template=template_database) as url:
        assert agentlog("import", EXAMPLES, url=url).code == 0
        append(url, OTHER)
        assert agentlog("redact", "deploy", "--reason", "asked for", "--yes", url=url).code == 0
        assert agentlog("keys", "create", "--name", "k", "--scope", "read", url=url).code == 0
        assert agentlog("checkpoint", url=url).code == 0
        assert agentlog("report", "tools", "--json", url=url).code == 0
        yield url


@pytest.fixture(scope="module")
def kept(source: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of it; no test changes it."""
    path = tmp_path_factory.mktemp("kept") / "backup"
    outcome = agentlog("backup", path, url=source)
    assert outcome.code == 0, outcome.err
    return path


@pytest.fixture
def copy(kept: Path, tmp_path: Path) -> Path:
    """A copy of it to spoil."""
    path = tmp_path / "copy"
    path.mkdir()
    for file in kept.iterdir():
        (path / file.name).write_bytes(file.read_bytes())
    return path


def append(url: str, tenant: str) -> None:
    """Append 16 events of a tenant's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTLOG_TENANT", tenant)
        assert agentlog("import", EXAMPLES / "refund.json", url=url).code == 0


def rewrite(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    manifest = json.loads((path / "manifest.json").read_text())
    change(manifest)
    (path / "manifest.json").write_text(json.dumps(manifest))


def rows(url: str) -> dict[str, list[Any]]:
    """Everything that the log holds but for what comes again from it."""
    query = "SELECT relname FROM pg_class WHERE relnamespace = 'agentlog'::regnamespace"
    with psycopg.connect(url) as connection:
        tables = connection.execute(f"{query} AND relkind = 'r'".encode()).fetchall()
        return {
            table: connection.execute(
                SQL("SELECT to_jsonb(found) FROM {} AS found ORDER BY found::text").format(
                    Identifier("agentlog", table)
                )
            ).fetchall()
            for (table,) in tables
            if table not in COMES_AGAIN
        }


def schema(url: str) -> list[str]:
    """Everything that makes up the schema but for the tables of read models, grants included."""
    with psycopg.connect(url) as connection:
        programs = Programs.at_least(connection.info.server_version // 10000)
    command = ["--schema-only", "--schema=agentlog*", "--exclude-table=agentlog_readmodels.*"]
    done = subprocess.run(
        [programs.folder / "pg_dump", *command, f"--dbname={Address.of(url).conninfo}"],
        check=True,
        capture_output=True,
        text=True,
    )
    of_the_server = ("restrict ", "pg_attver=")
    return sorted(
        line
        for line in done.stdout.splitlines()
        if not any(words in line for words in of_the_server)
    )


def key() -> dict[str, str]:
    """The setting of the key, which a process of its own does not inherit."""
    return {"AGENTLOG_SIGNING_KEY": os.environ["AGENTLOG_SIGNING_KEY"]}


@contextmanager
def held(url: str, lock: str) -> Iterator[None]:
    """Hold a lock that somebody will wait for."""
    with psycopg.connect(url) as connection:
        connection.execute(f"LOCK TABLE {lock} MODE".encode())
        yield


def wait_for_waiting(url: str) -> None:
    """Return once a backup or a restore waits for a lock in that database."""
    query = (
        "SELECT FROM pg_stat_activity WHERE datname = current_database() "
        "AND application_name LIKE 'agentlog%' AND wait_event_type = 'Lock'"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(query).fetchone() is None:
            connection.execute("SELECT pg_sleep(0.01)")


def wait_for_nobody(url: str) -> None:
    """Return once none of PostgreSQL's programs is at that database."""
    query = (
        "SELECT FROM pg_stat_activity WHERE datname = current_database() "
        "AND application_name = 'agentlog backup'"
    )
    with psycopg.connect(url, autocommit=True) as connection:
        while connection.execute(query).fetchone() is not None:
            connection.execute("SELECT pg_sleep(0.01)")


def positions(url: str) -> list[int]:
    with psycopg.connect(url) as connection:
        stored = connection.execute("SELECT position FROM agentlog.events ORDER BY 1").fetchall()
        return [position for (position,) in stored]


def test_what_was_backed_up_comes_back_whole(
    source: str, kept: Path, empty_database_url: str, database_url: str
) -> None:
    with psycopg.connect(empty_database_url) as connection:  # somebody looked at it before
        migrate(connection)
    outcome = agentlog("restore", kept, url=empty_database_url)
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith(f"{kept}: whole: 2 tenants, 7 threads, 81 events as of ")
    assert "14 contents erased before" in outcome.err
    kept_rows = rows(source)
    assert rows(empty_database_url) == kept_rows
    assert {"events", "ledger", "erasures", "keys", "checkpoints"} <= kept_rows.keys()
    assert schema(empty_database_url) == schema(database_url)
    reports = [
        agentlog("report", "tools", "--json", url=url).out for url in (source, empty_database_url)
    ]
    assert reports[0] == reports[1] != ""
    assert agentlog("verify", url=empty_database_url).code == 0
    again = agentlog("restore", kept, url=empty_database_url)
    assert (again.code, "holds a log already" in again.err) == (2, True)
    append(empty_database_url, "a third")
    assert positions(empty_database_url) == list(range(1, 98))


def test_what_reads_the_log_elsewhere_starts_anew_and_webhooks_wait(
    database_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    webhook = ("--webhook", "https://93.184.215.14/")
    assert agentlog("subscriptions", "create", "posted", *webhook, url=database_url).code == 0
    assert agentlog("subscriptions", "create", "pulled", url=database_url).code == 0
    append(database_url, "a tenant")
    with psycopg.connect(database_url) as connection:
        connection.execute("INSERT INTO agentlog.tracking VALUES ('CountTokens.Agents@default', 1)")
    assert agentlog("backup", tmp_path / "kept", url=database_url).code == 0
    assert agentlog("restore", tmp_path / "kept", url=empty_database_url).code == 0
    listed = agentlog("subscriptions", "list", "--json", url=empty_database_url).lines
    assert [(item["name"], item["state"], item["reason"]) for item in listed] == [
        ("posted", "paused", "it was restored from a backup"),
        ("pulled", "active", None),
    ]
    with psycopg.connect(empty_database_url) as connection:
        assert connection.execute("SELECT * FROM agentlog.tracking").fetchall() == []


def test_a_backup_of_a_server_that_numbers_its_columns_is_restored_by_any_other(
    database_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    append(database_url, OTHER)
    with psycopg.connect(database_url) as connection:  # as PostgreSQL 15.20 does by itself
        connection.execute(
            "UPDATE pg_attribute SET attoptions = '{pg_attver=22159008}' "
            "FROM pg_class WHERE pg_class.oid = attrelid AND relkind = 'r' AND attnum > 0 "
            "AND relnamespace = 'agentlog'::regnamespace"
        )
    assert agentlog("backup", tmp_path / "b", url=database_url).code == 0
    outcome = agentlog("restore", tmp_path / "b", url=empty_database_url)
    assert (outcome.code, "whole: 1 tenant" in outcome.out) == (0, True), outcome.err
    assert rows(empty_database_url) == rows(database_url)


def test_a_backup_says_what_is_in_it_and_is_closed_to_others(kept: Path, source: str) -> None:
    manifest = json.loads((kept / "manifest.json").read_text())
    tenants = [(tenant["tenant"], tenant["events"]) for tenant in manifest["tenants"]]
    assert sorted(tenants) == [(OTHER, 16), ("default", 65)]
    assert manifest["position"] == 81
    assert all(tenant["checkpoint"].startswith("agentlog/") for tenant in manifest["tenants"])
    digest = hashlib.sha256((kept / "log.dump").read_bytes()).hexdigest()
    assert manifest["files"]["log.dump"]["sha256"] == digest
    assert sorted(path.name for path in kept.iterdir()) == ["log.dump", "manifest.json"]
    for path in (kept, *kept.iterdir()):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    outcome = agentlog("backup", kept, url=source)
    assert (outcome.code, "no backup is overwritten" in outcome.err) == (2, True)


def test_it_is_of_one_moment_while_the_log_grows(
    source: str, empty_database_url: str, tmp_path: Path
) -> None:
    with new_database(source) as url:
        assert agentlog("import", EXAMPLES, url=url).code == 0
        with started("backup", str(tmp_path / "b"), url=url, **key()) as process:
            with held(url, "agentlog.projections IN ACCESS EXCLUSIVE"):
                wait_for_waiting(url)  # what is there has been counted, and is yet to be dumped
                append(url, OTHER)
            out, err = process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 0, err
        assert out.startswith("agentlog/default\n64\n")
        assert positions(url) == list(range(1, 81))
    outcome = agentlog("restore", tmp_path / "b", url=empty_database_url)
    assert (outcome.code, "whole: 1 tenant, 6 threads, 64 events" in outcome.out) == (0, True)
    assert positions(empty_database_url) == list(range(1, 65))


@pytest.mark.parametrize("order", [signal.SIGINT, signal.SIGKILL])
def test_a_backup_that_is_ended_leaves_nothing_that_counts_and_never_shows_a_password(
    source: str, tmp_path: Path, order: signal.Signals
) -> None:
    url = make_conninfo(source, password="hunter 2")  # noqa: S106 - is none
    with held(source, "agentlog.analysts IN ACCESS EXCLUSIVE"):
        with started("backup", str(tmp_path / "b"), url=url, **key()) as process:
            wait_for_waiting(source)
            assert [path.name for path in tmp_path.iterdir()] == ["b.part"]
            busy = agentlog("backup", tmp_path / "b", url=source)
            assert (busy.code, "is under way" in busy.err) == (2, True)
            line = command_line_of_child(process.pid)
            assert (b"pg_dump" in line, b"hunter" in line) == (True, False)
            process.send_signal(order)
            _, err = process.communicate(timeout=WAIT_SECONDS)
        left = [path.name for path in tmp_path.iterdir()]
    assert "hunter" not in err
    ended = (130, []) if order == signal.SIGINT else (-9, ["b.part"])
    assert (process.returncode, left) == ended
    outcome = agentlog("backup", tmp_path / "b", url=source)
    assert outcome.code == 0, outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == ["log.dump", "manifest.json"]


def command_line_of_child(pid: int) -> bytes:
    """Return what the one program that a process has started was told."""
    (child,) = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return Path(f"/proc/{child}/cmdline").read_bytes()


def test_a_restore_that_is_killed_anywhere_leaves_the_database_as_it_was(
    kept: Path, empty_database_url: str, database_url: str
) -> None:
    def restored(url: str, *, most: int) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tests.infrastructure.backup.killed", url, str(kept)]
        return subprocess.run(
            [*command, str(most)], env=environment(), capture_output=True, text=True, check=False
        )

    whole = restored(empty_database_url, most=BEYOND)
    assert whole.returncode == 0, whole.stderr
    size = BEYOND - int(whole.stdout)
    for most in (size - 1, size // 2):  # all but COMMIT; in the midst of it
        assert restored(database_url, most=most).returncode == -signal.SIGKILL
        wait_for_nobody(database_url)
        assert positions(database_url) == []
    assert agentlog("restore", kept, url=database_url).code == 0
    assert positions(database_url) == positions(empty_database_url) == list(range(1, 82))


def test_a_restore_that_is_interrupted_leaves_the_database_as_it_was(
    kept: Path, database_url: str
) -> None:
    with (
        held(database_url, "agentlog.blobs IN ACCESS SHARE"),
        started("restore", str(kept), url=database_url) as process,
    ):
        wait_for_waiting(database_url)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, "interrupted" in err) == (130, True)
    assert positions(database_url) == []
    assert agentlog("verify", url=database_url).code == 0


def _flip(path: Path) -> None:
    content = bytearray((path / "log.dump").read_bytes())
    content[len(content) // 2] ^= 1
    (path / "log.dump").write_bytes(content)


def _truncate(path: Path) -> None:
    """As somebody would who also knows to write the manifest."""
    content = (path / "log.dump").read_bytes()[:-5000]
    (path / "log.dump").write_bytes(content)
    file = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    rewrite(path, lambda manifest: manifest["files"].update({"log.dump": file}))


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (_flip, "log.dump is not the file that was written"),
        (_truncate, "the database holds nothing, as before"),
        (lambda path: (path / "log.dump").unlink(), "log.dump: No such file"),
        (lambda path: (path / "manifest.json").unlink(), "is it a folder that `agentlog backup`"),
        (lambda path: (path / "manifest.json").write_text("{"), "is not one that this agentlog"),
        (
            lambda path: rewrite(
                path, lambda manifest: manifest.update(format="agentlog-backup-2")
            ),
            "it is of format 'agentlog-backup-2'",
        ),
        (
            lambda path: rewrite(path, lambda manifest: manifest["files"].update({"../x": FILE})),
            "names other files",
        ),
        (
            lambda path: rewrite(path, lambda manifest: manifest["schema"].update({"9999": "00"})),
            "migration 9999, which this agentlog does not know",
        ),
        (
            lambda path: rewrite(path, lambda manifest: manifest["schema"].update({"1": "00"})),
            "migration 1, which this agentlog does not know in that form",
        ),
        (
            lambda path: rewrite(path, lambda manifest: manifest.update(pg_dump=99)),
            "no pg_dump of PostgreSQL 99 or newer",
        ),
    ],
)
def test_what_cannot_be_restored_is_refused_and_nothing_is_written(
    copy: Path, database_url: str, spoil: Callable[[Path], object], reason: str
) -> None:
    spoil(copy)
    outcome = agentlog("restore", copy, url=database_url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err
    assert positions(database_url) == []
    assert agentlog("verify", url=database_url).code == 0


def _other_root(manifest: dict[str, Any]) -> None:
    manifest["tenants"][0]["root"] = manifest["tenants"][1]["root"]


def _other_note(manifest: dict[str, Any]) -> None:
    one, two = manifest["tenants"]
    one["checkpoint"], two["checkpoint"] = two["checkpoint"], one["checkpoint"]


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        (lambda manifest: manifest.update(position=80), "the log is at position 81, not 80"),
        (lambda manifest: manifest["tenants"][1].update(events=9), "has 65 events, not 9"),
        (lambda manifest: manifest["tenants"][1].update(threads=9), "has 6 threads, not 9"),
        (lambda manifest: manifest["tenants"].pop(), "is not in the backup"),
        (_other_root, "the tree over all events is not the one of the backup"),
        (_other_note, "it is of 'agentlog/"),
    ],
)
def test_what_came_back_is_held_against_the_manifest(
    copy: Path, database_url: str, change: Callable[[dict[str, Any]], None], finding: str
) -> None:
    rewrite(copy, change)
    outcome = agentlog("restore", copy, url=database_url)
    assert (outcome.code, "BROKEN" in outcome.out) == (1, True)
    assert finding in outcome.out


def test_an_altered_log_is_backed_up_only_as_such_and_comes_back_broken(
    source: str, empty_database_url: str, server_url: str, tmp_path: Path
) -> None:
    note = tmp_path / "note"
    note.write_text(agentlog("checkpoint", url=source).out)
    with new_database(server_url) as url:
        assert agentlog("import", EXAMPLES, url=url).code == 0
        assert agentlog("checkpoint", url=url).code == 0
        with Database(url, pool_size=1) as database:
            change = "UPDATE agentlog.events SET chain = sha256('x') WHERE position = 3"
            Owner(database).do(change)
        outcome = agentlog("backup", tmp_path / "b", url=url)
        assert (outcome.code, "the checkpoint of size 64" in outcome.err) == (2, True)
        assert not (tmp_path / "b").exists()
        assert agentlog("backup", tmp_path / "b", "--unsigned", url=url).code == 0
    outcome = agentlog("restore", tmp_path / "b", "--checkpoint", note, url=empty_database_url)
    assert (outcome.code, outcome.out.splitlines()[-1].split(":")[1]) == (1, " BROKEN")
    assert "version 3 link-broken" in outcome.out
    assert outcome.out.count("tree-differs") == 2  # the one that is kept, and the one that is held


def test_definitions_that_a_backup_brings_along_are_held_against_those_of_the_migrations(
    empty_database_url: str, server_url: str, template_database: str, tmp_path: Path
) -> None:
    with new_database(server_url, template=template_database) as url:
        assert agentlog("import", EXAMPLES, url=url).code == 0
        with psycopg.connect(url) as owner:
            owner.execute("ALTER FUNCTION agentlog.words_query(text, text) RENAME TO kept")
            owner.execute("ALTER POLICY own_tenant ON agentlog.threads USING (thread_id <> 't1')")
        assert agentlog("backup", tmp_path / "b", url=url).code == 0
    outcome = agentlog("restore", tmp_path / "b", url=empty_database_url)
    assert (outcome.code, outcome.out.splitlines()[-1].split(":")[1]) == (1, " BROKEN")
    for name in (
        "function agentlog.words_query(tenant text, search text): it is missing",
        "policy agentlog.threads.own_tenant: it is not as agentlog makes it",
    ):
        assert f"definition-differs: {name}" in outcome.out


def test_a_log_whose_redaction_waits_comes_back_as_not_finished(
    server_url: str, empty_database_url: str, tmp_path: Path
) -> None:
    with new_database(server_url) as url:
        assert agentlog("import", EXAMPLES, url=url).code == 0
        assert agentlog("redact", "deploy", "--reason", "asked for", "--yes", url=url).code == 0
        with Database(url, pool_size=1) as database:
            Owner(database).do("UPDATE agentlog.erasures SET number = NULL, done_at = NULL")
        assert agentlog("backup", tmp_path / "b", url=url).code == 0
    outcome = agentlog("restore", tmp_path / "b", url=empty_database_url)
    assert outcome.code == 2, outcome
    assert "redaction-unfinished: the redaction is not carried out yet" in outcome.out


def test_a_checkpoint_that_is_held_says_whether_it_is_the_log_that_is_known(
    source: str, kept: Path, copy: Path, tmp_path: Path, server_url: str
) -> None:
    note, key = tmp_path / "note", tmp_path / "key"
    note.write_text(agentlog("checkpoint", url=source).out)
    key.write_text(agentlog("checkpoint", "--public-key", url=source).out)
    with new_database(server_url) as url:
        asked = ("--checkpoint", note, "--public-key", key)
        assert agentlog("restore", kept, *asked, url=url).code == 0
    longer = note.read_text().replace("\n65\n", "\n66\n")
    note.write_text(longer)
    with new_database(server_url) as url:
        forged = agentlog("restore", kept, *asked, url=url)
        assert (forged.code, forged.out) == (2, "")
        assert "the signature is not of this text" in forged.err
        outcome = agentlog("restore", kept, "--checkpoint", note, url=url)
        assert outcome.code == 1
        assert "the checkpoint that you hold is over 66 events; the log has 65" in outcome.out
    rewrite(copy, lambda manifest: manifest["tenants"][1].update(checkpoint=longer))
    with new_database(server_url) as url:
        outcome = agentlog("restore", copy, url=url)
        assert (outcome.code, "the signature is not of this text" in outcome.out) == (1, True)


def test_an_earlier_backup_says_what_was_lost_of_any_tenant(
    kept: Path, copy: Path, tmp_path: Path, server_url: str
) -> None:
    later = tmp_path / "later"
    with new_database(server_url) as url:
        assert agentlog("restore", kept, "--earlier", kept, url=url).code == 0
        append(url, "third")
        assert agentlog("backup", later, url=url).code == 0
    rewrite(copy, lambda manifest: manifest["tenants"][1].update(root="AAAA"))
    lost = {
        (later, kept): [],
        (kept, later): [
            "there is no log of 'agentlog/third', of which you hold a checkpoint",
            "the log went back: from position 97 to 81",
        ],
        (later, copy): ["the first 65 events are not those"],
    }
    for (path, earlier), texts in lost.items():
        with new_database(server_url) as url:
            outcome = agentlog("restore", path, "--earlier", earlier, url=url)
        assert outcome.code == bool(texts), outcome.out
        for text in texts:
            assert text in outcome.out
    outcome = agentlog("restore", kept, "--check", "--earlier", tmp_path, url="")
    assert (outcome.code, "manifest.json" in outcome.err) == (2, True)


def test_what_cannot_be_backed_up_is_refused(
    empty_database_url: str, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        make_login(connection)
    (tmp_path / "file").touch()
    refused: list[tuple[list[str | Path], str, str]] = [
        ([tmp_path / "b"], empty_database_url, "there is no log in this database"),
        ([tmp_path / "file" / "b"], database_url, "cannot be written: Not a directory"),
        ([tmp_path / "b", "--unsigned", "--with-signing-key"], database_url, "no key is read"),
        ([tmp_path / "b"], make_conninfo(database_url, sslpassword="x"), "without a passphrase"),
        (
            [tmp_path / "b"],
            make_conninfo(database_url, user=LOGIN),
            "may not read all of agentlog.",
        ),
    ]
    for words, url, reason in refused:
        outcome = agentlog("backup", *words, url=url)
        assert (outcome.code, outcome.out) == (2, "")
        assert reason in outcome.err
    with psycopg.connect(database_url) as connection:
        connection.execute("INSERT INTO agentlog.migrations VALUES (9999, 'later', '00')")
    outcome = agentlog("backup", tmp_path / "b", url=database_url)
    assert (outcome.code, "migration 9999" in outcome.err) == (2, True)
    monkeypatch.delenv("AGENTLOG_SIGNING_KEY")
    outcome = agentlog("backup", tmp_path / "b", "--with-signing-key", url=database_url)
    assert (outcome.code, "openssl genpkey" in outcome.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_our_own_postgresql_moves_to_another_folder_with_its_key() -> None:
    with short_folder() as folder:
        old, new, path = folder / "old", folder / "new", folder / "b"
        for data in (old, new):
            make_cluster(data)
        with open_embedded(old, settings=CARELESS), open_embedded(new, settings=CARELESS):
            assert agentlog_on(old, "import", EXAMPLES).code == 0
            made = agentlog_on(old, "backup", path, "--with-signing-key")
            assert made.code == 0, made.err
            outcome = agentlog_on(new, "restore", path)
            assert outcome.code == 0, outcome.err
            assert "whole: 1 tenant, 6 threads, 64 events" in outcome.out
            assert agentlog_on(new, "checkpoint").out == made.out
        assert stat.S_IMODE((new / "signing-key.pem").stat().st_mode) == 0o600


def test_a_backup_can_be_tried_without_a_place_for_it(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with short_folder() as folder:
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        outcome = agentlog("restore", kept, "--check", url="postgresql:///none?host=/nowhere")
        assert list(folder.iterdir()) == []
    assert (outcome.code, "whole: 2 tenants, 7 threads, 81 events" in outcome.out) == (0, True)
