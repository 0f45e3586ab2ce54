"""Batches of the log for projections: together they are the log, wherever they end."""

from base64 import b64encode
from typing import Any

import pytest

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import batch
from agentlog.infrastructure.readmodels.batch import read_batch
from tests.infrastructure.appends import TENANT, Clock, Ids, reply, request

OTHERS = ("a tenant", "z tenant")
EVENTS = 23
COPY_THREADS = """
INSERT INTO agentlog.threads
SELECT (jsonb_populate_record(each, jsonb_build_object('tenant', %s::text))).*
FROM agentlog.threads AS each WHERE tenant = %s
"""
COPY_EVENTS = """
INSERT INTO agentlog.events
SELECT (jsonb_populate_record(each, jsonb_build_object('tenant', %s::text))).*
FROM agentlog.events AS each WHERE tenant = %s
"""


@pytest.fixture
def shared(own_database: Database) -> Database:
    """A log in which three tenants have an event at each position."""
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    writer.append(request("t", *(reply("x" * number) for number in range(EVENTS))))
    with own_database.connection() as connection:
        for tenant in OTHERS:
            connection.execute(COPY_EVENTS, (tenant, TENANT))
            connection.execute(COPY_THREADS, (tenant, TENANT))
    return own_database


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
@pytest.mark.parametrize("most_bytes", [1, 100, 2**20])
def test_tenants_whose_events_share_positions_lose_none(
    shared: Database, limit: int, most_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST_BYTES", most_bytes)
    places, after = [], 0
    with shared.connection() as connection:
        while after < EVENTS:
            read = read_batch(
                connection, after=after, upto=EVENTS, types=None, limit=limit, sizes=[0]
            )
            places += [(event.event.position, event.tenant) for event in read.events[0]]
            assert read.position > after
            after = read.position
    tenants = sorted((TENANT, *OTHERS))
    assert sorted(places) == [
        (position, tenant) for position in range(1, EVENTS + 1) for tenant in tenants
    ]


CUT = "é" * 400 + "\n" + "end" * 400
FILE = b"file" * 300


@pytest.fixture
def long(own_database: Database) -> Database:
    """A log with contents apart from bodies."""
    writer = Writer(own_database, clock=Clock(), new_id=Ids())
    same = CUT + "same"
    writer.append(request("t", *({"type": "system", "text": f"{CUT}{n}"} for n in range(9))))
    writer.append(request("t", reply("short"), {"type": "system", "text": same}))
    file = {"data": b64encode(FILE).decode(), "filename": "f"}
    writer.append(request("t", {"type": "input", "files": [file]}))
    writer.append(request("t", {"type": "system", "text": same}))
    return own_database


@pytest.mark.parametrize("most_bytes", [1, 5000, 2**20])
def test_each_size_has_so_many_bytes_of_long_texts_and_none_of_files(
    long: Database, most_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MOST_BYTES", most_bytes)
    texts: dict[int, list[Any]] = {0: [], 100: [], 2**20: []}
    after = 0
    with long.connection() as connection:
        while after < 13:
            read = read_batch(
                connection, after=after, upto=13, types=None, limit=100, sizes=texts.keys()
            )
            for size, events in read.events.items():
                texts[size] += [event.event.raw.get("text") for event in events]
                assert all(event.event.raw.get("files", NO_FILES) == NO_FILES for event in events)
            assert read.position > after
            after = read.position
    whole = [*(f"{CUT}{number}" for number in range(9)), "short", f"{CUT}same", None, f"{CUT}same"]
    if most_bytes > len(CUT) * 2:
        assert texts[2**20] == whole
    assert [text and text[:40] for text in texts[100]] == [text and text[:40] for text in whole]
    assert {text for text in texts[100] if text} == {"é" * 50, "short"}
    assert texts[0] == ["" if text and len(text) > 9 else text for text in whole]


NO_FILES = [{"data": "", "filename": "f"}]
