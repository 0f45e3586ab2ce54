"""Services on a standby of a real primary: reads that wait, and a promotion after a crash."""

import json
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass

import httpx2
import pytest

from tests.clients import TLS
from tests.command_line import agentlog
from tests.databases import short_folder
from tests.reliability.postgres import OwnPostgres, own_postgres, standby_of
from tests.reliability.service import ServiceProcess, own_service
from tests.waiting import WAIT_SECONDS

SETTINGS = {"fsync": "off"}
"""Nothing here loses its power."""


@dataclass(frozen=True)
class Pair:
    """A primary with the service that writes, and a standby with one that reads."""

    primary: OwnPostgres
    writer: ServiceProcess
    standby: OwnPostgres
    reader: ServiceProcess

    def append(self, text: str, *, thread: str) -> int:
        """Return the position of a reply."""
        message = {"type": "reply", "text": text}
        return int(self.writer.post(f"/v1/threads/{thread}/messages", message)["position"])


@pytest.fixture(scope="module")
def pair() -> Iterator[Pair]:
    """A primary and its standby, with a service each."""
    with (
        short_folder() as folder,
        own_postgres(folder / "primary", SETTINGS) as primary,
        own_service(primary.url) as writer,
        standby_of(primary, folder / "standby", SETTINGS) as standby,
        own_service(standby.url, AGENTLOG_WRITER_URL=writer.address) as reader,
    ):
        yield Pair(primary, writer, standby, reader)


@pytest.fixture
def http() -> Iterator[httpx2.Client]:
    """A client that asks no proxy for what is on loopback."""
    with httpx2.Client(trust_env=False, timeout=WAIT_SECONDS, verify=TLS) as client:
        yield client


def test_a_stream_at_a_standby_has_each_event(pair: Pair, http: httpx2.Client) -> None:
    position = pair.append("first", thread="followed")
    address = f"{pair.reader.address}/v1/log/events"
    query = {"after": position, "wait": position}
    with http.stream("GET", address, params=query) as stream:
        lines = stream.iter_lines()
        for number in range(10):
            pair.append(str(number), thread="followed")
            data = next(line for line in lines if line.startswith("data:"))
            assert json.loads(data.removeprefix("data:"))["message"]["text"] == str(number)


def test_a_client_reads_at_a_standby_what_it_appended_and_writes_there_after_a_promotion(
    pair: Pair, http: httpx2.Client
) -> None:
    reader = pair.reader
    for version in range(1, 301):
        position = pair.append(str(version), thread="t")
        path = "/v1/threads" if version % 2 else "/v1/threads/t"
        answer = http.get(reader.address + path, params={"wait": position})
        head = answer.json()["items"][0] if version % 2 else answer.json()
        assert (answer.status_code, head["version"]) == (200, version)
    assert reader.get("/v1/summaries", wait=position)["items"][0]["version"] == version
    assert len(reader.get("/v1/search", q="300", wait=position)["items"]) == 1
    ready = reader.get("/readyz")
    assert ready["kind"] == "standby"
    assert ready["lagSeconds"] is not None
    assert "\nagentlog_replay_lag_seconds 0" in http.get(f"{reader.address}/metrics").text

    refused = http.post(f"{reader.address}/v1/threads/t/messages", json={"type": "tick"}).json()
    assert (refused["status"], refused["writer"]) == (503, pair.writer.address)
    assert reader.said() == ""  # of nothing that a standby cannot do

    pair.primary.end(signal.SIGKILL)
    killed_at = time.monotonic()
    pair.standby.execute("SELECT pg_promote()")
    while True:
        message = {"type": "reply", "text": "after", "id": "01JD8Z3Q5N7V2M4K6H8G0F1E2D"}
        answer = http.post(f"{reader.address}/v1/threads/t/messages", json=message)
        if answer.is_success:
            break
        assert time.monotonic() < killed_at + WAIT_SECONDS, answer.text
        time.sleep(0.01)
    assert answer.json()["version"] == version + 1
    position = answer.json()["position"]
    assert reader.get("/v1/summaries", wait=position)["items"][0]["version"] == version + 1
    assert reader.get("/readyz")["kind"] == "writer"
    assert agentlog("verify", url=pair.standby.url).code == 0
