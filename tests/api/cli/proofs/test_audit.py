"""The commands that prove: verify, checkpoint, evidence."""

import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.conninfo import make_conninfo

from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.schema_audit import not_covered
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import VIEWS
from tests.command_line import Outcome, agentlog, agentlog_on, started
from tests.databases import make_cluster, name_of, new_database, short_folder
from tests.infrastructure.appends import fetch
from tests.infrastructure.audit.conftest import Owner
from tests.infrastructure.precomputed import precompute

EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture(scope="module", autouse=True)
def signing_key(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A key to sign logs with."""
    key = tmp_path_factory.mktemp("key") / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AGENTLOG_SIGNING_KEY", str(key))
        yield


@pytest.fixture(scope="module")
def template(server_url: str, template_database: str) -> Iterator[str]:
    """The name of a database with the examples."""
    with new_database(server_url, template=template_database) as made:
        assert agentlog("import", EXAMPLES, url=made).code == 0
        yield name_of(made)


@pytest.fixture
def url(server_url: str, template: str) -> Iterator[str]:
    """A database with the examples for one test."""
    with new_database(server_url, template=template) as made:
        yield made


@pytest.fixture
def owner(url: str) -> Iterator[Owner]:
    """The owner of the database."""
    with Database(url, pool_size=1) as database:
        yield Owner(database)


def _kept(outcome: Outcome, path: Path) -> Path:
    assert outcome.code == 0, outcome.err
    path.write_text(outcome.out)
    return path


def test_a_whole_log_is_said_to_be_whole(url: str) -> None:
    outcome = agentlog("verify", url=url)
    assert (outcome.code, outcome.out) == (0, f"{not_covered()}\nwhole: 6 threads, 64 events\n")
    assert "threads" in outcome.err
    one = agentlog("verify", "refund", "deploy", url=url)
    assert (one.code, one.out.split(",")[0]) == (0, "whole: 2 threads")


def test_since_a_checkpoint_what_has_grown_is_checked_and_no_more_is_called_whole(
    url: str, owner: Owner, tmp_path: Path
) -> None:
    note = _kept(agentlog("checkpoint", url=url), tmp_path / "kept.note")
    assert agentlog("label", "refund", "late", url=url).code == 0
    of_file, of_size = (agentlog("verify", "--since", name, url=url) for name in (note, "64"))
    unread, _, verdict = of_file.out.splitlines()
    assert unread.startswith("not checked: of the first 64 events, outside of the threads counted")
    assert (of_file.code, verdict) == (0, "whole since size 64: 1 thread, 1 events")
    assert of_size == of_file
    derived = agentlog("verify", "--since", note, "--derived", url=url)
    others = "heads and ledgers, snapshots and rows of read models of the other threads"
    assert (derived.code, derived.out.splitlines()[0].split("; ")[1]) == (0, others)
    owner.do("UPDATE agentlog.events SET chain = sha256('') WHERE thread_id = 'deploy'")
    broken = agentlog("verify", "--since", note, url=url)
    assert (broken.code, broken.out.splitlines()[-1][:20]) == (1, "BROKEN since size 64")


def test_since_what_is_no_checkpoint_is_refused(url: str, tmp_path: Path) -> None:
    (tmp_path / "no.note").write_text("hello")
    named = ["--since", "64", "refund"]
    for words, why in (
        (["--since", "7"], "there is no checkpoint of size 7"),
        (["--since", "9" * 5000], "File name too long"),
        (["--since", tmp_path / "nowhere"], "No such file"),
        (["--since", tmp_path / "no.note"], "this is no checkpoint"),
        (named, "--since is of the whole log: name no thread and no file"),
    ):
        outcome = agentlog("verify", *words, url=url)
        assert (outcome.code, outcome.out) == (2, "")
        assert why in outcome.err


def test_positions_without_events_and_what_is_derived_are_looked_at(url: str, owner: Owner) -> None:
    assert agentlog("verify", "--derived", url=url).code == 0
    owner.do("UPDATE agentlog.thread_search SET content = 'other' WHERE thread_id = 'refund'")
    assert agentlog("verify", url=url).code == 0
    derived = agentlog("verify", "--derived", url=url)
    assert (derived.code, derived.out.splitlines()[0][:31]) == (
        1,
        "thread 'refund' derived-differs",
    )
    owner.do("UPDATE agentlog.counter SET position = position + 2")
    gap = agentlog("verify", url=url)
    finding = "position-missing: no events stand at positions 65 to 66"
    assert (gap.code, gap.out.splitlines()[0]) == (1, finding)


def test_rows_of_threads_and_builds_that_the_log_does_not_know_are_not_whole(
    url: str, owner: Owner
) -> None:
    query = (
        "INSERT INTO agentlog.projections (name, build, version, state) "
        "VALUES ('invoices', 1, 1, 'live')"
    )
    owner.do(query)
    owner.do("UPDATE agentlog.thread_search SET thread_id = 'ghost' WHERE thread_id = 'refund'")
    broken = agentlog("verify", "--derived", url=url)
    assert broken.code == 1
    assert "the table agentlog_readmodels.invoices_1 is not there" in broken.out
    assert "thread 'ghost' derived-differs" in broken.out


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    """Two snapshot keys."""
    paths = tmp_path / "a", tmp_path / "b"
    for path in paths:
        path.write_bytes(path.name.encode() * 32)
    return paths


def test_snapshots_of_another_key_are_said_not_to_be_checked_and_not_to_be_broken(
    url: str, keys: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, other = keys
    monkeypatch.setenv("AGENTLOG_SNAPSHOT_KEY", str(ours))
    messages = [{"role": "user", "content": f"message {number}"} for number in range(300)]
    file = tmp_path / "long.json"
    file.write_bytes(print_bytes({"messages": messages}))
    assert agentlog("import", file, url=url).code == 0
    with Database(url, pool_size=1) as database:
        snapshots = Snapshots(database, tenant="default", key=ours.read_bytes())
        reader = LogReader(database, tenant="default")
        precompute(Views(reader, tenant="default", snapshots=snapshots), "long", VIEWS["openai"]())
    whole = agentlog("verify", "--derived", url=url)
    assert (whole.code, whole.out.splitlines()[-1][:5]) == (0, "whole")
    monkeypatch.setenv("AGENTLOG_SNAPSHOT_KEY", str(other))
    for threads in ([], ["long"]):
        unchecked = agentlog("verify", "--derived", *threads, url=url)
        assert unchecked.code == 2
        finding, *_, verdict = unchecked.out.splitlines()
        assert "cannot be checked: 1 snapshots are sealed by another key" in finding
        assert verdict.startswith("NOT ALL CHECKED: ")
    with started("serve", "--port", "0", url=url, AGENTLOG_SNAPSHOT_KEY=str(other)) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        assert "sealed by another key" in process.stderr.readline()


def test_a_redaction_that_waits_is_named_and_ends_with_2(url: str, owner: Owner) -> None:
    assert agentlog("redact", "refund", "--reason", "asked for", "--yes", url=url).code == 0
    owner.do("UPDATE agentlog.erasures SET number = NULL, done_at = NULL")
    outcome = agentlog("verify", url=url)
    assert outcome.code == 2
    *_, verdict = outcome.out.splitlines()
    assert verdict.startswith("NOT FINISHED: 6 threads, ")
    assert "redaction-unfinished: the redaction is not carried out yet" in outcome.out


def test_a_broken_thread_is_named_and_ends_with_1(url: str, owner: Owner) -> None:
    owner.do("UPDATE agentlog.events SET body = '\\x1b' WHERE thread_id='refund' AND version = 3")
    outcome = agentlog("verify", url=url)
    assert outcome.code == 1
    finding = (
        "thread 'refund' version 3 body-altered: its body is not the one that its SHA-256 is of"
    )
    assert outcome.out == f"{finding}\n{not_covered()}\nBROKEN: 6 threads, 64 events\n"
    assert agentlog("verify", "refund", url=url).code == 1
    assert agentlog("verify", "deploy", url=url).code == 0


def test_what_breaks_is_told_to_subscriptions(url: str, owner: Owner) -> None:
    agentlog("subscriptions", "create", "s", "--filter", "type:audit_broken", url=url)
    waiting = "SELECT convert_from(notice, 'UTF8') FROM agentlog.deliveries"
    assert agentlog("verify", url=url).code == 0
    assert agentlog("checkpoint", url=url).code == 0
    assert fetch(owner._database, waiting) == []
    owner.do("UPDATE agentlog.events SET body = '\\x1b' WHERE thread_id='refund' AND version = 3")
    assert agentlog("verify", url=url).code == 1
    ((notice,),) = fetch(owner._database, waiting)
    assert '"what":"body-altered"' in notice
    assert '"threadId":"refund","version":3' in notice
    owner.do("DELETE FROM agentlog.deliveries")
    owner.do("UPDATE agentlog.events SET chain = sha256('') WHERE position = 1")
    refused = agentlog("checkpoint", url=url)
    assert refused.code != 0
    ((notice,),) = fetch(owner._database, waiting)
    assert '"what":"checkpoint-differs"' in notice


def test_a_thread_whose_head_is_gone_is_found(url: str, owner: Owner) -> None:
    owner.do("DELETE FROM agentlog.threads WHERE thread_id = 'refund'")
    outcome = agentlog("verify", url=url)
    assert (outcome.code, outcome.out.splitlines()[0]) == (
        1,
        "thread 'refund' head-missing: the thread has events but no head",
    )


def test_a_thread_that_is_not_there_is_refused(url: str) -> None:
    outcome = agentlog("verify", "nowhere", url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert "there is no thread 'nowhere'" in outcome.err


def test_a_log_is_checked_against_a_checkpoint_that_was_kept(
    url: str, owner: Owner, tmp_path: Path
) -> None:
    note = _kept(agentlog("checkpoint", url=url), tmp_path / "note")
    assert note.read_text().startswith("agentlog/default\n64\n")
    assert agentlog("verify", "--checkpoint", note, url=url).code == 0
    owner.do("DELETE FROM agentlog.checkpoints")
    owner.do("UPDATE agentlog.events SET chain = sha256('') WHERE position = 1")
    outcome = agentlog("verify", "deploy", "--checkpoint", note, url=url)
    assert outcome.code == 1
    assert "tree-differs: the first 64 events are not those that the checkpoint that you hold" in (
        outcome.out
    )


@pytest.mark.parametrize("option", ["--checkpoint", "--since"])
def test_a_checkpoint_that_the_held_key_has_not_signed_is_refused(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    note = _kept(agentlog("checkpoint", url=url), tmp_path / "note")
    key = _kept(agentlog("checkpoint", "--public-key", url=url), tmp_path / "key")
    asked = ("verify", option, note, "--public-key", key)
    assert agentlog(*asked, url=url).code == 0
    text, _, signature = note.read_text().partition("\n\n")
    for forged, why in (
        (f"{text}\n", "it is not signed"),
        (f"{text}\n\n\u2014 agentlog/default AAAA\n", "another key has signed it"),
        (f"{text.replace('64', '63')}\n\n{signature}", "the signature is not of this text"),
    ):
        note.write_text(forged)
        outcome = agentlog(*asked, url=url)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"agentlog: {note}: this is no checkpoint of that log: {why}")
    monkeypatch.setenv("AGENTLOG_TENANT", "other")
    note.write_text(f"{text}\n\n{signature}")
    for words in (asked, asked[:3]):
        outcome = agentlog(*words, url=url)
        assert (outcome.code, outcome.out) == (2, "")
        assert "the checkpoint is of 'agentlog/default', the log of 'agentlog/other'" in outcome.err


def test_where_nothing_is_written_the_last_checkpoint_is_used_and_its_size_said(
    url: str, tmp_path: Path
) -> None:
    reading = make_conninfo(url, options="-c default_transaction_read_only=on")
    none = agentlog("checkpoint", url=reading)
    assert (none.code, "there is no checkpoint yet" in none.err) == (2, True)
    note = agentlog("checkpoint", url=url).out
    assert agentlog("note", "deploy", "later", url=url).code == 0
    last = agentlog("checkpoint", url=reading)
    assert (last.code, last.out) == (0, note)
    assert "the last one that was stored, of size 64" in last.err
    file = tmp_path / "refund.json"
    assert agentlog("evidence", "refund", "-O", file, url=reading).code == 0
    assert '"treeSize":64' in file.read_text()
    assert agentlog("verify", file, url=url).code == 0
    beyond = agentlog("evidence", "deploy", url=reading)
    assert beyond.code == 2
    assert "position 65 came after the checkpoint of size 64" in beyond.err
    assert agentlog("verify", url=reading).code == 0


def test_evidence_is_checked_without_a_database(url: str, tmp_path: Path) -> None:
    file = tmp_path / "refund.json"
    assert agentlog("evidence", "refund", "-O", file, url=url) == Outcome(0, "", "")
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []
    assert agentlog("evidence", "refund", url=url).out == file.read_text()
    nowhere = "postgresql:///none?host=/nowhere"
    outcome = agentlog("verify", file, url=nowhere)
    assert outcome.code == 0
    assert "whole. Thread 'refund' of tenant 'default' had these 16 events" in outcome.out
    assert "compare it by --public-key" in outcome.out
    key = agentlog("checkpoint", "--public-key", url=url)
    held = _kept(key, tmp_path / "public-key")
    for given in (held, key.out.strip()):
        outcome = agentlog("verify", "--bundle", file, "--public-key", given, url=nowhere)
        assert (outcome.code, "the key that you hold" in outcome.out) == (0, True)
    file.write_text(file.read_text().replace('"version":4,', '"version":5,', 1))
    outcome = agentlog("verify", file, url=nowhere)
    assert outcome.code == 1
    assert "thread 'refund' version 4 version-missing: version 4 is not there" in outcome.out
    assert outcome.out.endswith(f"{file}: BROKEN\n")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["verify", "/nowhere/x.json"], "No such file"),
        (["verify", "--bundle", EXAMPLES / "refund.json"], "no bundle of evidence"),
        (["verify", "--public-key", "a+b"], "no public key"),
        (["verify", "--checkpoint", EXAMPLES / "refund.json"], "no checkpoint"),
        (["evidence", "nowhere"], "there is no thread"),
        (["evidence", "refund", "-O", "/nowhere/x.json"], "No such file"),
    ],
)
def test_what_cannot_be_checked_says_why(url: str, words: list[str | Path], reason: str) -> None:
    outcome = agentlog(*words, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err


def test_without_a_key_nothing_is_signed_and_the_way_out_is_said(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AGENTLOG_SIGNING_KEY")
    for words in (["checkpoint"], ["evidence", "refund"], ["checkpoint", "--public-key"]):
        outcome = agentlog(*words, url=url)
        assert (outcome.code, outcome.out) == (2, "")
        assert "openssl genpkey" in outcome.err


def test_our_own_postgresql_has_a_key_made_beside_its_data() -> None:
    with short_folder() as folder:
        data = folder / "data"
        make_cluster(data)
        assert agentlog_on(data, "migrate").code == 0
        first, second = agentlog_on(data, "checkpoint"), agentlog_on(data, "checkpoint")
        assert first.code == 0, first.err
        assert first == second
        assert stat.S_IMODE((data / "signing-key.pem").stat().st_mode) == 0o600


def _new_key(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a key as operate.md does, have settings name it, and return its path."""
    command = ["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    monkeypatch.setenv("AGENTLOG_SIGNING_KEY", str(path))
    return str(path)


@pytest.mark.parametrize("grows", [False, True], ids=["quiet", "grown"])
def test_a_signing_key_is_rotated(
    url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    *,
    grows: bool,
) -> None:
    _new_key(tmp_path / "old.pem", monkeypatch)
    old_note = _kept(agentlog("checkpoint", url=url), tmp_path / "old.note")
    old_key = agentlog("checkpoint", "--public-key", url=url).out.strip()
    if grows:
        assert agentlog("label", "refund", "late", url=url).code == 0
    _new_key(tmp_path / "new.pem", monkeypatch)
    rotated = agentlog("checkpoint", url=url)
    new_note = _kept(rotated, tmp_path / "new.note")
    new_key = agentlog("checkpoint", "--public-key", url=url).out.strip()
    assert f"the checkpoint of size 64 was signed by {old_key}" in caplog.messages[0]
    assert new_key in caplog.messages[0]
    assert new_key != old_key
    by_new = agentlog("verify", "--checkpoint", new_note, "--public-key", new_key, url=url)
    assert (by_new.code, by_new.out.splitlines()[-1][:6]) == (0, "whole:")
    by_old = agentlog("verify", "--checkpoint", old_note, "--public-key", old_key, url=url)
    assert by_old.code == int(grows)  # who holds the old key learns that another has signed
    caplog.clear()
    assert agentlog("checkpoint", url=url).out == rotated.out
    assert bool(caplog.messages) is not grows  # until the log grows its stored note is the old's


def test_a_key_that_is_gone_is_not_replaced_without_a_word(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with short_folder() as folder:
        data_dir = folder / "data"
        make_cluster(data_dir)
        assert agentlog_on(data_dir, "migrate").code == 0
        assert agentlog_on(data_dir, "checkpoint").code == 0
        assert caplog.messages == []
        (data_dir / "signing-key.pem").unlink()
        assert agentlog_on(data_dir, "checkpoint", "--public-key").code == 0
    assert "was signed by agentlog/default+" in caplog.messages[0]
    assert "have AGENTLOG_SIGNING_KEY name the old file" in caplog.messages[0]
