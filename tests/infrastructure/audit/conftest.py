"""What tests of proofs share: a signed log, and an owner of the database who changes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from agentlog.infrastructure.audit.auditor import Auditor
from agentlog.infrastructure.audit.checkpoints import Checkpoints
from agentlog.infrastructure.audit.evidence import Evidence
from agentlog.infrastructure.audit.notes import Checkpoint
from agentlog.infrastructure.audit.proofs import Proofs
from agentlog.infrastructure.audit.signing import SigningKey
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.databases import name_of, new_database
from tests.infrastructure.appends import STORY, TENANT, reply
from tests.infrastructure.audit.forged_log import TILE, Log, fill


class Owner:
    """Who may do anything with the database: the triggers only keep him from mistakes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @contextmanager
    def unhindered(self) -> Iterator[psycopg.Connection]:
        with self._database.connection() as connection, connection.transaction():
            # triggers fire for origin and local, not for a replica
            connection.execute("SET LOCAL session_replication_role = replica")
            yield connection

    def do(self, query: str, *parameters: object) -> None:
        with self.unhindered() as connection:
            done = connection.execute(query.encode(), parameters)
            assert done.rowcount > 0, query


@pytest.fixture
def database(database: Database) -> Iterator[Database]:
    """The shared one, without what proofs keep."""
    _discard(database)
    yield database
    _discard(database)


def _discard(database: Database) -> None:
    with Owner(database).unhindered() as connection:
        connection.execute("DELETE FROM agentlog.checkpoints")
        connection.execute("DELETE FROM agentlog.tiles")


@pytest.fixture
def owner(database: Database) -> Owner:
    """The owner of the database."""
    return Owner(database)


@pytest.fixture
def key(tmp_path: Path) -> SigningKey:
    """A key that is made on first use."""
    return SigningKey(tmp_path / "key.pem", made=True)


@pytest.fixture
def proofs(database: Database, key: SigningKey) -> Proofs:
    """The proofs of the tests' tenant."""
    return Proofs.over(database, tenant=TENANT, key=key)


@pytest.fixture
def auditor(proofs: Proofs) -> Auditor:
    """Its auditor."""
    return proofs.auditor


@pytest.fixture
def checkpoints(proofs: Proofs) -> Checkpoints:
    """Its checkpoints."""
    return proofs.checkpoints


@pytest.fixture
def evidence(proofs: Proofs) -> Evidence:
    """Its bundles."""
    return proofs.evidence


@pytest.fixture
def told(threads: Threads) -> Threads:
    """A store with a story in the thread `t` and others around it."""
    threads.append("before", [reply("one")])
    threads.start("t", {"policy": "record", "goal": "Find the parcel"})
    for draft in STORY:
        threads.append("t", [draft])
        threads.append("beside", [reply("elsewhere", metadata={"actor": "b"})])
    return threads


@pytest.fixture(scope="module")
def small_tiles() -> Iterator[None]:
    """Tiles of a few leaves."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("agentlog.infrastructure.audit.tree.TILE", TILE)
        patched.setattr("agentlog.infrastructure.audit.tree_audit.TILE", TILE)
        yield


@pytest.fixture(scope="module")
def signing(tmp_path_factory: pytest.TempPathFactory) -> SigningKey:
    """A key that the forger has not."""
    return SigningKey(tmp_path_factory.mktemp("key") / "key.pem", made=True)


@pytest.fixture(scope="module")
def filled(
    server_url: str,
    template_database: str,
    signing: SigningKey,
    small_tiles: None,  # noqa: ARG001 - the log is filled with these
) -> Iterator[tuple[str, Checkpoint]]:
    """The name of a database with the log, and the checkpoint that was handed out."""
    with new_database(server_url, template=template_database) as url:
        with Database(url, pool_size=2) as database:
            log = Log.on(database, signing)
            fill(log)
            note = log.proofs.checkpoints.make().note
        yield name_of(url), Checkpoint.parse(note)
