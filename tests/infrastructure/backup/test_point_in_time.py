"""The drill of docs/how-to/back-up.md: back to just before a disaster by PostgreSQL's own means."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from typer.testing import CliRunner, Result

from agentlog.api.cli.main import app
from agentlog.infrastructure.embedded import open_embedded
from agentlog.infrastructure.embedded.account import account_for
from agentlog.infrastructure.embedded.programs import find_programs
from tests.command_line import figures_of
from tests.databases import CARELESS, make_cluster, short_folder
from tests.waiting import WAIT_SECONDS

EXAMPLES = Path(__file__).parents[3] / "examples"


class Drill:
    """A server of its own in `data`, and what is kept of it elsewhere, in `kept`."""

    def __init__(self, folder: Path) -> None:
        self.data, self.kept = folder / "data", folder / "kept"
        self.kept.mkdir()
        (self.kept / "wal").mkdir()
        self.kept.chmod(0o755)  # the server's account reads the kept log there
        self.programs = find_programs(account_for(self.kept))

    def agentlog(self, *words: str | Path) -> Result:
        arguments = [*map(str, words), "--data-dir", str(self.data)]
        unset = {"AGENTLOG_DATABASE_URL": None, "AGENTLOG_SIGNING_KEY": None}
        return CliRunner().invoke(app, arguments, env=unset, catch_exceptions=False)

    def run(self, program: str, *arguments: str | Path) -> None:
        done = subprocess.run(
            [self.programs / program, *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    def copy(self, url: str, name: str = "base", *more: str) -> None:
        """Copy the cluster while it is at work."""
        options = ("--checkpoint=fast", "--manifest-checksums=SHA256", *more)
        self.run("pg_basebackup", "-D", self.kept / name, *options, f"--dbname={url}")

    def copy_is_whole(self, name: str = "base") -> bool:
        """Tell whether the copy's files are those of its manifest, as the document does it.

        The package's own pg_verifybackup 18.4 ends with a segmentation fault, whatever it is told.
        """
        base = self.kept / name
        files = json.loads((base / "backup_manifest").read_text())["Files"]
        # a combined copy has none of its WAL, whose records have their own
        known = [file for file in files if "Checksum" in file]
        assert all(file["Path"].startswith("pg_wal/") for file in files if file not in known)
        lines = "".join(f"{file['Checksum']}  {file['Path']}\n" for file in known)
        command = ["sha256sum", "--check", "--quiet", "--strict"]
        done = subprocess.run(command, cwd=base, input=lines, text=True, check=False)
        return done.returncode == 0

    @contextmanager
    def receiving(self, url: str) -> Iterator[None]:
        """Have the write-ahead log kept as it is written, from where the slot began."""
        with (self.kept.parent / "receiver.log").open("wb") as log:
            options = ["--slot=kept", "--no-loop", "--synchronous", f"--dbname={url}"]
            program = self.programs / "pg_receivewal"
            command: list[str | Path] = [program, "-D", self.kept / "wal", *options]
            with subprocess.Popen(command, stdout=log, stderr=log) as process:
                try:
                    yield
                    process.terminate()
                    assert process.wait(timeout=WAIT_SECONDS) == 0
                finally:
                    process.kill()

    def replace(self, name: str = "base") -> None:
        """Put a copy in the cluster's place."""
        assert self.copy_is_whole(name)
        cluster, broken, wal = (self.data / "postgresql", self.data / "broken", self.kept / "wal")
        cluster.rename(broken)
        shutil.copytree(self.kept / name, cluster)
        subprocess.run(["chown", "-R", f"--reference={broken}", cluster, wal], check=True)

    def recover(self, *target: str) -> None:
        """Put the copy in the cluster's place, and have it recover up to a target."""
        self.replace()
        cluster, wal = self.data / "postgresql", self.kept / "wal"
        settings = (
            f"restore_command = 'cp {wal}/%f %p || cp {wal}/%f.partial %p'",
            "recovery_target_action = 'promote'",
            *target,
        )
        with (cluster / "postgresql.auto.conf").open("a") as file:
            file.write("\n".join(settings) + "\n")
        (cluster / "recovery.signal").touch()


def kept_up_to(connection: psycopg.Connection) -> None:
    """Return once all that was written is kept elsewhere."""
    lacking = (
        "SELECT NOT EXISTS (SELECT FROM pg_stat_replication WHERE application_name = "
        "'pg_receivewal' AND flush_lsn >= %s::pg_lsn)"
    )
    row = connection.execute("SELECT pg_current_wal_flush_lsn()::text").fetchone()
    while connection.execute(lacking, row).fetchone() == (True,):
        connection.execute("SELECT pg_sleep(0.01)")


def test_a_log_comes_back_as_it_was_just_before_a_disaster() -> None:
    with short_folder() as folder:
        drill = Drill(folder)
        make_cluster(drill.data)
        with (
            open_embedded(drill.data, settings=CARELESS) as server,
            psycopg.connect(server.url, autocommit=True) as connection,
        ):
            assert drill.agentlog("import", EXAMPLES / "deploy.json").exit_code == 0
            connection.execute("SELECT pg_create_physical_replication_slot('kept', true)")
            drill.copy(server.url)
            with drill.receiving(server.url):
                assert drill.agentlog("import", EXAMPLES).exit_code == 0
                note = drill.agentlog("checkpoint").stdout
                (folder / "note").write_text(note)
                row = connection.execute("SELECT clock_timestamp()::text").fetchone()
                assert row is not None
                # the disaster: by the owner, whom no trigger holds back
                connection.execute("SET session_replication_role = replica")
                connection.execute("DELETE FROM agentlog.events WHERE thread_id = 'refund'")
                connection.execute("DROP TABLE agentlog.accesses")
                kept_up_to(connection)
            broken = drill.agentlog("verify", "--checkpoint", folder / "note")
            assert (broken.exit_code, "tree-differs" in broken.stdout) == (1, True)
            position = connection.execute("SELECT position FROM agentlog.counter").fetchone()
        drill.recover(f"recovery_target_time = '{row[0]}'")
        with (
            open_embedded(drill.data, settings=CARELESS) as server,
            psycopg.connect(server.url, autocommit=True) as connection,
        ):
            positions = connection.execute(
                "SELECT array_agg(position ORDER BY position) FROM agentlog.events"
            ).fetchone()
            assert position is not None
            assert positions == (list(range(1, position[0] + 1)),)
            whole = drill.agentlog("verify", "--checkpoint", folder / "note")
            assert whole.exit_code == 0, whole.stdout
            assert drill.agentlog("checkpoint").stdout == note
            again = drill.agentlog("import", *sorted(EXAMPLES.glob("*.json")))
            assert figures_of(again.stderr) == {"threads": 6, "there already": 64, "kept whole": 1}


def test_a_log_comes_back_from_a_copy_and_what_changed_since() -> None:
    with short_folder() as folder:
        drill = Drill(folder)
        make_cluster(drill.data)
        with (
            open_embedded(drill.data, settings=CARELESS) as server,
            psycopg.connect(server.url, autocommit=True) as connection,
        ):
            connection.execute("ALTER SYSTEM SET summarize_wal = on")
            connection.execute("SELECT pg_reload_conf()")
            assert drill.agentlog("import", EXAMPLES / "deploy.json").exit_code == 0
            drill.copy(server.url)
            before = drill.kept / "base"
            for day in ("monday", "tuesday"):
                assert drill.agentlog("import", EXAMPLES / f"{_OF_DAY[day]}.json").exit_code == 0
                note = drill.agentlog("checkpoint").stdout
                drill.copy(server.url, day, f"--incremental={before / 'backup_manifest'}")
                before = drill.kept / day
                assert drill.copy_is_whole(day)
                assert _bytes_in(before) < _bytes_in(drill.kept / "base") / 2
            (folder / "note").write_text(note)
        chain = [drill.kept / name for name in ("base", "monday", "tuesday")]
        combined = ["-o", drill.kept / "whole", "--manifest-checksums=SHA256"]
        drill.run("pg_combinebackup", *chain, *combined)
        drill.replace("whole")
        with open_embedded(drill.data, settings=CARELESS):
            whole = drill.agentlog("verify", "--checkpoint", folder / "note")
            assert whole.exit_code == 0, whole.stdout
            assert drill.agentlog("checkpoint").stdout == note


_OF_DAY = {"monday": "refund", "tuesday": "invoice"}


def _bytes_in(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
