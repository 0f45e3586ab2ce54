"""A PostgreSQL of a test's own, durable as in production, to be killed and started again."""

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, LiteralString

import psycopg

from agentlog.infrastructure.embedded.account import account_for
from agentlog.infrastructure.embedded.cluster import Cluster
from agentlog.infrastructure.embedded.postmaster import Postmaster
from agentlog.infrastructure.embedded.programs import find_programs
from tests.databases import make_cluster
from tests.waiting import WAIT_SECONDS

_NONE: Mapping[str, str] = MappingProxyType({})


class OwnPostgres:
    """The server on a data folder; `settings` are PostgreSQL's, beside its defaults."""

    def __init__(self, data_dir: Path, settings: Mapping[str, str] = _NONE) -> None:
        self.data_dir, self._settings = data_dir, settings
        self._account = account_for(data_dir)
        self._programs = find_programs(self._account)
        self.url = ""
        """Of the database, for libpq; the same after each start."""

    def start(self) -> None:
        """Start it, be it for the first time or after a crash, and wait until it answers."""
        cluster = Cluster(self.data_dir, self._account, self._programs)
        self.url = cluster.ensure_running(self._settings, seconds=WAIT_SECONDS)

    @property
    def runs(self) -> bool:
        """Whether there is a postmaster."""
        postmaster = self._postmaster()
        return postmaster is not None and postmaster.runs

    def end(self, order: signal.Signals) -> None:
        """Send the postmaster a signal, and wait until it is gone: SIGKILL takes it at once.

        SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one, which recovers at its next
        start as after a crash.
        """
        postmaster = self._postmaster()
        if postmaster is None or not postmaster.runs:
            return
        os.kill(postmaster.pid, order)
        until = time.monotonic() + WAIT_SECONDS
        while postmaster.runs:
            assert time.monotonic() < until, f"postmaster {postmaster.pid} outlived {order.name}"
            time.sleep(0.01)

    @property
    def pid(self) -> int:
        """The postmaster's process id."""
        postmaster = self._postmaster()
        assert postmaster is not None
        return postmaster.pid

    def backends(self) -> list[int]:
        """Return the process ids of those who serve a client, the one who asks left out."""
        rows = self.fetch(
            "SELECT pid FROM pg_stat_activity "
            "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return [row[0] for row in rows]

    def execute(self, query: LiteralString, **parameters: object) -> None:
        """Run a statement as the owner."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(query, parameters)

    def fetch(self, query: LiteralString, **parameters: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query, as its owner sees them."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(query, parameters).fetchall()

    def _postmaster(self) -> Postmaster | None:
        return Postmaster.read(self.data_dir / "postgresql")


@contextmanager
def own_postgres(data_dir: Path, settings: Mapping[str, str] = _NONE) -> Iterator[OwnPostgres]:
    """Yield a running server, and stop it at the end whatever became of it."""
    make_cluster(data_dir)
    with _running(OwnPostgres(data_dir, settings)) as server:
        yield server


@contextmanager
def standby_of(
    primary: OwnPostgres, data_dir: Path, settings: Mapping[str, str] = _NONE
) -> Iterator[OwnPostgres]:
    """Yield a running hot standby of a server, with a replication slot, and stop it at the end."""
    account = account_for(primary.data_dir)
    data_dir.mkdir(mode=0o755)
    account.take_over(data_dir)
    copy = ["--checkpoint=fast", "-R", "-C", "-S", data_dir.name, f"--dbname={primary.url}"]
    program = find_programs(account) / "pg_basebackup"
    done = account.run([program, "-D", data_dir / "postgresql", *copy])
    assert done.returncode == 0, done.stdout
    with _running(OwnPostgres(data_dir, settings)) as server:
        yield server


@contextmanager
def _running(server: OwnPostgres) -> Iterator[OwnPostgres]:
    try:
        server.start()
        yield server
    finally:
        server.end(signal.SIGQUIT)
