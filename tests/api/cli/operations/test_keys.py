"""The commands keys and accesses, and what `serve` makes of keys, as real processes."""

import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from agentlog.api.cli.operations.service import NoKeyYet, anonymous_from
from agentlog.api.composition import open_service
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.settings import Settings
from tests.api.cli.operations.test_service import address_of
from tests.api.keyholders import bearing
from tests.clients import TLS
from tests.command_line import agentlog, started
from tests.waiting import WAIT_SECONDS

EVERYWHERE = "0.0.0.0"  # noqa: S104 - nobody is let in there
CREATE = ("keys", "create", "--name", "agents")


@pytest.fixture
def http() -> Iterator[httpx2.Client]:
    """A client that asks no proxy for what is on loopback."""
    with httpx2.Client(trust_env=False, timeout=WAIT_SECONDS, verify=TLS) as client:
        yield client


def make(url: str, *words: str) -> KeyText:
    """Return a key that the command line makes: all that stands on its standard output."""
    outcome = agentlog(*CREATE, *words, url=url)
    assert outcome.code == 0, outcome.err
    key = KeyText.parse(outcome.out.removesuffix("\n"))
    assert key is not None, outcome.out
    assert key.key_id in outcome.err
    assert key.secret not in outcome.err
    return key


def listed(url: str, *words: str) -> Any:
    """Return the keys that the command line lists."""
    return agentlog("keys", "list", "--json", *words, url=url).lines


def test_a_key_is_made_listed_and_revoked(database_url: str) -> None:
    key = make(database_url, "--scope", "append", "--scope", "read", "--expires", "90d")
    (shown,) = listed(database_url)
    assert (shown["id"], shown["name"], shown["tenant"]) == (key.key_id, "agents", "default")
    assert (shown["scopes"], shown["revokedAt"]) == (["read", "append"], None)
    assert shown["expiresAt"] > shown["createdAt"]
    outcome = agentlog("keys", "revoke", key.key_id, url=database_url)
    assert (outcome.code, outcome.out) == (0, "")
    assert f"key {key.key_id} is revoked since" in outcome.err
    (shown,) = listed(database_url)
    assert shown["revokedAt"] is not None
    table = agentlog("keys", "list", url=database_url, columns=80).out
    assert "revoked" in table
    assert key.key_id in table
    for output in (table, str(shown)):
        assert key.secret not in output


def test_a_cells_keys_begin_with_its_name(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENTLOG_CELL", "b2")
    assert make(database_url, "--scope", "read").reveal().startswith("agentlog_b2")


def test_each_tenant_has_its_own_keys(database_url: str) -> None:
    key = make(database_url, "--scope", "read", "--tenant", "other")
    assert listed(database_url) == []
    assert [key["id"] for key in listed(database_url, "--tenant", "other")] == [key.key_id]
    outcome = agentlog("keys", "revoke", key.key_id, url=database_url)
    assert outcome.code == 2
    assert "there is no key" in outcome.err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--scope", "all"], "choose from read, append, redact, admin"),
        (["--scope", "read", "--expires", "soon"], "90d"),
        (["--scope", "read", "--expires", "2020-01-01T00:00:00Z"], "has passed"),
    ],
)
def test_what_is_no_key_to_make_is_said(database_url: str, words: list[str], reason: str) -> None:
    outcome = agentlog(*CREATE, *words, url=database_url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err
    assert listed(database_url) == []


def until(asked: Callable[[], JsonValue], expected: JsonValue) -> None:
    """Ask again until that is the answer; the test's own time limit ends it."""
    while asked() != expected:
        pass


def test_keys_of_one_process_open_and_close_another(database_url: str, http: httpx2.Client) -> None:
    words = ("serve", "--port", "0", "--allow-anonymous")
    with started(
        *words, url=database_url, AGENTLOG_READ_AUDIT="on", AGENTLOG_ALLOWED_HOSTS="logs.example"
    ) as process:
        address = address_of(process)
        # by a name that is not this machine's: they said that everybody may
        headers = {"Host": "logs.example"}
        assert http.get(f"{address}/v1/threads", headers=headers).status_code == 200
        key = make(database_url, "--scope", "read", "--scope", "append")
        other = make(database_url, "--scope", "read", "--tenant", "other")
        until(lambda: http.get(f"{address}/v1/threads").status_code, 401)
        appended = http.post(
            f"{address}/v1/threads/t/messages", json={"type": "tick"}, headers=bearing(key)
        )
        assert appended.status_code == 201
        asked = f"{address}/v1/threads/t"
        assert http.get(asked, headers=bearing(key)).status_code == 200
        assert http.get(asked, headers=bearing(other)).status_code == 404
        assert agentlog("keys", "revoke", key.key_id, url=database_url).code == 0
        until(lambda: http.get(asked, headers=bearing(key)).status_code, 401)
        assert http.get(asked, headers=bearing(other)).status_code == 404
        out, err = _ended(process)
        for secret in (key.secret, other.secret):
            assert secret not in out + err
        assert f"refused key {key.key_id} of tenant default: it was revoked" in err
    on_record: Any = agentlog("accesses", "--json", "--thread", "t", url=database_url).lines
    assert {access["keyId"] for access in on_record if access["status"] == 200} == {key.key_id}
    theirs: Any = agentlog("accesses", "--json", "--tenant", "other", url=database_url).lines
    assert {(other["keyId"], other["status"]) for other in theirs} == {(other.key_id, 404)}
    table = agentlog("accesses", "--key", key.key_id, url=database_url).out
    assert "GET /v1/threads/{thread_id}" in table


def _ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    process.terminate()
    out, err = process.communicate(timeout=WAIT_SECONDS)
    return str(out), str(err)


@pytest.fixture
def signals() -> Iterator[None]:
    """Give this process its way to end back, which `serve` changes."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("signals")
def test_without_a_key_serve_does_not_open_itself_to_others(database_url: str) -> None:
    outcome = agentlog("serve", "--host", EVERYWHERE, "--port", "0", url=database_url)
    assert (outcome.code, outcome.out) == (2, "")
    assert "agentlog keys create --name NAME --scope admin" in outcome.err
    assert "--allow-anonymous" in outcome.err


def test_who_may_ask_without_a_key(database_url: str) -> None:
    settings = Settings(database_url=database_url)
    allowing = settings.model_copy(update={"anonymous": "allow"})
    with open_service(settings) as service:
        for host in ("127.0.0.1", "127.1.2.3", "::1"):
            assert anonymous_from(settings, service, host) == "this machine"
        for host in (EVERYWHERE, "192.0.2.7", "::", "fe80::1%eth0"):
            with pytest.raises(NoKeyYet):
                anonymous_from(settings, service, host)
            assert anonymous_from(allowing, service, host) == "anywhere"
        service.keys.keys.create("default", name="x", scopes=("read",))
    with open_service(settings) as service:
        assert anonymous_from(settings, service, EVERYWHERE) == "nowhere"
        assert anonymous_from(settings, service, "127.0.0.1") == "this machine"
