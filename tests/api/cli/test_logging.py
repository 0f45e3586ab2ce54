"""What a service and its commands write on standard error, as real processes."""

import re
import signal
import socket
import subprocess
from pathlib import Path

import httpx2
import pytest

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from tests.api.cli.operations.test_service import address_of
from tests.clients import TLS
from tests.command_line import agentlog, agentlog_process, started
from tests.waiting import WAIT_SECONDS

SECRET = "hunter2"  # noqa: S105 - to be looked for
KEY = "agentlog_abcdefghijkl_" + "0f" * 32


def lines_after(process: subprocess.Popen[str]) -> list[JsonValue]:
    """End a service; return the lines of its log."""
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 0
    return [parse(line) for line in err.splitlines()]


def test_each_request_is_a_line_where_that_is_asked_for(database_url: str) -> None:
    with (
        started("serve", "--port", "0", url=database_url, AGENTLOG_ACCESS_LOG="on") as process,
        httpx2.Client(trust_env=False, timeout=WAIT_SECONDS, verify=TLS) as client,
    ):
        address = address_of(process)
        client.post(f"{address}/v1/threads/t-1/messages", json={"type": "log", "text": SECRET})
        client.get(
            f"{address}/v1/threads?filter={SECRET}",
            headers={"Authorization": f"Bearer {SECRET}", "X-Request-Id": "mine"},
        )
        client.get(f"{address}/no/{SECRET}")
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=WAIT_SECONDS) as connection:
            connection.sendall(b"nonsense\r\n\r\n")
            while connection.recv(2**16):
                pass
        lines = lines_after(process)
    assert SECRET not in str(lines)
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("POST", "/v1/threads/{thread_id}/messages", 201),
        ("GET", "/v1/threads", 200),
        ("GET", "none", 404),
        ("?", "none", 400),
    ]
    assert [line["tenant"] for line in lines] == ["default", "default", "default", None]
    assert {line["key"] for line in lines} == {None}
    assert lines[1]["request_id"] == "mine"
    assert all(line["milliseconds"] > 0 and line["timestamp"].endswith("Z") for line in lines)


def test_the_log_is_text_where_that_is_asked_for(database_url: str) -> None:
    settings = {"AGENTLOG_ACCESS_LOG": "on", "AGENTLOG_LOG_FORMAT": "text"}
    with started("serve", "--port", "0", url=database_url, **settings) as process:
        httpx2.get(f"{address_of(process)}/healthz", trust_env=False, verify=TLS)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=WAIT_SECONDS)
    assert "route=/healthz" in err
    assert "status=200" in err


def test_a_service_whose_database_cannot_be_had_does_not_tell_its_password() -> None:
    url = f"postgresql://me:{SECRET}/x@127.0.0.1:1/none"
    told = agentlog_process("serve", "--port", "0", url=url)
    assert told.code == 2
    assert SECRET not in told.out + told.err
    assert re.search("database is not available|the URL does not parse", told.err)


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{SECRET}@127.0.0.1:1/none",
        f"postgresql://me:p@{SECRET}@127.0.0.1:1/none",
        f"postgresql://me:{SECRET}@host:port:port/x y z",
        f"host=127.0.0.1 port=1 password {SECRET}",
    ],
)
def test_a_database_that_cannot_be_had_is_told_without_its_password(url: str) -> None:
    told = agentlog("threads", url=url)
    assert told.code == 2
    assert SECRET not in told.out + told.err
    assert re.search("database is not available|the URL does not parse", told.err)


@pytest.mark.parametrize("name", ["PORT", "ACCESS_LOG", "RATE_PER_SECOND", "MAX_BODY_BYTES"])
def test_a_setting_that_is_off_is_named_and_not_repeated(
    database_url: str, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(f"AGENTLOG_{name}", SECRET)
    told = agentlog("threads", url=database_url)
    assert told.code == 2
    assert SECRET not in told.out + told.err
    assert f"AGENTLOG_{name}" in told.err


def test_a_key_where_something_else_belongs_is_not_repeated(tmp_path: Path) -> None:
    told = agentlog("verify", tmp_path / KEY, url="")
    assert told.code == 2
    assert KEY not in told.out + told.err
