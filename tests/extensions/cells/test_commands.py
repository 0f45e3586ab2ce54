"""A tenant with all that it can have moves, by the commands, and is whole wherever it was."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import psycopg
import pytest

from agentlog.extensions.cells.tenant_copy import MADE_ANEW, TABLES
from agentlog.infrastructure.definitions.definitions import tenants_defining
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from tests.clients import TLS
from tests.command_line import agentlog
from tests.databases import name_of, new_database, subscribed
from tests.reliability.service import own_service

EXAMPLES = Path(__file__).parents[3] / "examples"
OTHER = "Zoë & sons/2"


@pytest.fixture(autouse=True)
def signing_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key to sign logs with, at both ends."""
    key = tmp_path / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True)
    monkeypatch.setenv("AGENTLOG_SIGNING_KEY", str(key))


@dataclass(frozen=True)
class Places:
    """Where the tenant is, where it goes, its key, and its checkpoint of before."""

    source: str
    target: str
    key: str
    checkpoint: Path

    def verified(self, url: str, *arguments: str | Path) -> int:
        """Return the exit code of a whole audit."""
        return agentlog("verify", "--derived", *arguments, url=url).code


@pytest.fixture
def places(server_url: str, template_database: str, tmp_path: Path) -> Iterator[Places]:
    """A tenant with files, a redaction, a key, a rule, a subscription and a checkpoint."""
    with (
        new_database(server_url, template=template_database) as source,
        new_database(server_url, template=template_database) as target,
    ):
        for url, tenant in ((source, "default"), (source, OTHER), (target, OTHER + "3")):
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("AGENTLOG_TENANT", tenant)
                assert agentlog("import", EXAMPLES, url=url).code == 0
                assert agentlog("report", "tools", "--json", url=url).code == 0
        done = ["redact", "deploy", "--reason", "asked for", "--yes"]
        assert agentlog(*done, url=source).code == 0
        made = agentlog("keys", "create", "--name", "k", "--scope", "read", url=source)
        assert agentlog("subscriptions", "create", "audit", url=source).code == 0
        signed = agentlog("checkpoint", url=source)
        checkpoint = tmp_path / "checkpoint"
        checkpoint.write_text(signed.out)
        yield Places(source, target, made.out.strip(), checkpoint)


def test_it_is_whole_at_both_ends_and_in_a_backup(
    places: Places, tmp_path: Path, empty_database_url: str
) -> None:
    shown = agentlog("show", "refund", "--json", url=places.source).out
    moved = agentlog("tenant", "move", "default", "--to", places.target, url=places.source)
    assert moved.code == 0, moved.err
    assert "is in its new database" in moved.err
    assert agentlog("show", "refund", "--json", url=places.target).out == shown
    held = ("--checkpoint", places.checkpoint)
    assert agentlog("backup", tmp_path / "before", url=places.source).code == 0
    assert places.verified(places.target, *held) == 0
    assert places.verified(places.source) == 0
    dropping = ("tenant", "drop", "default", "--to", places.target)
    assert agentlog(*dropping, url=places.source).code == 0
    assert agentlog("threads", "--json", url=places.source).out == ""
    assert places.verified(places.source) == 0
    for url in (places.source, places.target):
        steps = [
            json.loads(line)
            for line in agentlog("tenant", "moves", "--json", url=url).out.splitlines()
        ]
        assert [step["step"] for step in steps] in (["fenced", "left", "dropped"], ["arrived"])
    assert agentlog("backup", tmp_path / "kept", url=places.target).code == 0
    restored = agentlog("restore", tmp_path / "kept", *held, url=empty_database_url)
    assert restored.code == 0, restored.out
    assert places.verified(empty_database_url, *held) == 0
    assert agentlog("backup", tmp_path / "after", url=places.source).code == 0
    earlier = ("--check", "--earlier", tmp_path / "before")
    checked = agentlog("restore", tmp_path / "after", *earlier, url=places.source)
    assert checked.code == 0, checked.out


def test_a_restored_record_of_moves_that_lacks_a_step_is_told(
    places: Places, tmp_path: Path, empty_database_url: str
) -> None:
    assert agentlog("tenant", "move", "default", "--to", places.target, url=places.source).code == 0
    assert agentlog("backup", tmp_path / "kept", url=places.target).code == 0
    file = tmp_path / "kept" / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["moves"] *= 2
    file.write_text(json.dumps(manifest))
    restored = agentlog("restore", tmp_path / "kept", url=empty_database_url)
    assert restored.code == 1
    assert "the record of moved tenants is not the one of the backup" in restored.out


def test_its_key_opens_the_new_place_and_is_sent_away_from_the_old(places: Places) -> None:
    assert agentlog("tenant", "move", "default", "--to", places.target, url=places.source).code == 0
    headers = {"Authorization": f"Bearer {places.key}"}
    environment = {"AGENTLOG_SIGNING_KEY": os.environ["AGENTLOG_SIGNING_KEY"]}
    for url, status in ((places.source, 421), (places.target, 200)):
        with own_service(url, **environment) as service:
            address = f"{service.address}/v1/threads/refund"
            answer = httpx2.get(address, headers=headers, verify=TLS)
            assert answer.status_code == status, answer.text
            assert name_of(places.target) not in answer.text  # where a database is, is not told
            wrong = KeyText.made_of(bytes(40)).reveal()
            stranger = httpx2.get(address, headers={"Authorization": f"Bearer {wrong}"}, verify=TLS)
            assert stranger.status_code == 401


def test_every_table_with_a_tenant_is_copied_made_anew_or_stays(places: Places) -> None:
    query = (
        "SELECT relname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid "
        "WHERE relnamespace = 'agentlog'::regnamespace AND relkind = 'r' AND attname = 'tenant'"
    )
    with psycopg.connect(places.source) as connection:
        tables = {name for (name,) in connection.execute(query)}
    assert tables == {*TABLES, *MADE_ANEW, "analysts", "moves"}


def test_retention_of_a_tenant_that_moved_is_of_its_new_place_alone(places: Places) -> None:
    rule = '{"rules": [{"older_than": "90d", "reason": "kept for 90 days"}]}'
    assert agentlog("rules", "set", "retention", rule, url=places.source).code == 0
    assert agentlog("tenant", "move", "default", "--to", places.target, url=places.source).code == 0
    defining = []
    for url in (places.source, places.target):
        assert agentlog("retention", "--apply", url=url).code == 0
        with Database(url, pool_size=1, in_role=True) as database:
            defining.append(tenants_defining(database, "rule", "retention"))
    assert defining == [[], ["default"]]


def _steps(url: str) -> list[tuple[str]]:
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT step FROM agentlog.moves").fetchall()


@pytest.mark.parametrize(
    "command",
    [
        ("tenant", "move", "default"),
        ("tenant", "release", "default"),
        ("tenant", "drop", "default"),
        ("restore", "backup"),
    ],
    ids=" ".join,
)
def test_what_writes_as_the_owner_is_refused_where_the_log_is_a_copy(
    server_url: str,
    template_database: str,
    command: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        new_database(server_url, template=template_database) as copy,
        new_database(server_url, template=template_database) as other,
    ):
        assert agentlog("backup", "backup", url=other).code == 0
        to = ("--to", other) if command[0] == "tenant" else ()
        with subscribed(copy, other):
            refused = agentlog(*command, *to, url=copy)
            assert (refused.code, refused.out) == (2, "")
            assert "agentlog.events is filled by a logical subscription" in refused.err
            if to:
                refused = agentlog(*command, "--to", copy, url=other)
                assert (refused.code, refused.out) == (2, "")
                assert "agentlog.events is filled by a logical subscription" in refused.err
        monkeypatch.setenv("AGENTLOG_READ_ONLY", "on")
        refused = agentlog(*command, *to, url=copy)
        assert (refused.code, refused.out) == (2, "")
        assert "AGENTLOG_READ_ONLY" in refused.err
        assert _steps(copy) == _steps(other) == []
