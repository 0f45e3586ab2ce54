"""Health, and what everyone is told while the database does not answer."""

import time
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from tests.api.conftest import app_over, threads_over
from tests.api.refusals import problem_in
from tests.infrastructure.appends import check_log, fetch, given, last_position
from tests.infrastructure.postgres.relay import Relay
from tests.waiting import WAIT_SECONDS


@pytest.fixture
def database(own_database: Database) -> Database:
    """It is cut off here, and its schema changes."""
    return own_database


@pytest.fixture
def relay(database_url: str) -> Iterator[Relay]:
    """The way to the database."""
    with Relay(database_url) as opened:
        yield opened


@pytest.fixture
def remote(relay: Relay) -> Iterator[TestClient]:
    """A client of a service whose database can be cut off."""
    with Database(relay.url, pool_size=2, wait_seconds=0.2) as database:
        yield TestClient(app_over(database, threads_over(database)))


def test_a_service_with_its_database_lives_and_is_ready(client: TestClient) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    ready = {"status": "ready", "kind": "writer", "lagSeconds": None}
    assert client.get("/readyz").json() == ready


REQUESTS = [
    ("GET", "/readyz", None),
    ("POST", "/v1/threads", {"goal": "g"}),
    ("GET", "/v1/threads", None),
    ("GET", "/v1/threads/t", None),
    ("POST", "/v1/threads/t/messages", {"type": "tick"}),
    ("GET", "/v1/threads/t/messages", None),
    ("GET", f"/v1/threads/t/messages/{given(1)}", None),
    ("GET", "/v1/threads/t/views/openai?at=2026-01-01T00:00:00Z", None),
    ("GET", "/v1/threads/t/diff?from=@1", None),
    ("POST", "/v1/threads/t/close", {}),
    ("POST", "/v1/threads/t/annotate", {"metadata": {"a": 1}}),
    ("GET", "/v1/log", None),
]


def test_without_its_database_a_service_lives_and_answers_503_until_it_is_back(
    remote: TestClient, relay: Relay, database: Database
) -> None:
    message = {"type": "tick", "id": given(1)}
    assert remote.post("/v1/threads/t/messages", json=message).status_code == 201
    relay.cut()
    for method, path, body in REQUESTS:
        answer = remote.request(method, path, json=body)
        problem_in(answer, 503, "database-unavailable", "the database is not available")
        assert answer.headers["retry-after"] == "1"
    line = {"threadId": "t", "messages": [{"type": "tick"}]}
    told = remote.post("/v1/log", json=line).json()  # answers stream: each line is told for itself
    assert (told["line"], told["problem"]["status"]) == (1, 503)
    assert remote.get("/healthz").status_code == 200
    assert last_position(database) == 1
    relay.mend()
    deadline = time.monotonic() + WAIT_SECONDS
    while remote.get("/readyz").status_code != 200:
        assert time.monotonic() < deadline
    again = remote.post("/v1/threads/t/messages", json=message)
    assert (again.status_code, again.json()["messages"][0]["replayed"]) == (200, True)
    check_log(database)


def test_a_refusal_that_needs_no_database_is_told_without_one(
    remote: TestClient, relay: Relay
) -> None:
    relay.cut()
    problem_in(remote.post("/v1/threads/t/messages", content=b"nope"), 400, "invalid-json")
    flawed = remote.post("/v1/threads/t/messages", json={"type": "reply"})
    problem_in(flawed, 422, "invalid-message", "messages[0].text")


def test_a_defect_is_told_as_one_and_gives_nothing_away(
    database: Database, client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    with database.connection() as connection:
        connection.execute("ALTER TABLE agentlog.counter RENAME TO secret")
    quiet = TestClient(client.app, raise_server_exceptions=False)
    answer = quiet.post("/v1/threads/t/messages", json={"type": "tick"})
    problem = problem_in(answer, 500, "internal-error", "its log says more")
    assert "counter" not in str(problem)
    assert "POST /v1/threads/t/messages failed" in caplog.text
    assert 'relation "agentlog.counter" does not exist' in caplog.text


FULL = """
CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
END
$$;
CREATE TRIGGER full_disk BEFORE INSERT ON agentlog.events FOR EACH ROW EXECUTE FUNCTION refuse();
CREATE TRIGGER full_disk BEFORE UPDATE ON agentlog.counter FOR EACH ROW EXECUTE FUNCTION refuse()
"""
ROOM = (
    "DROP TRIGGER full_disk ON agentlog.events; DROP TRIGGER full_disk ON agentlog.counter; "
    "DROP FUNCTION public.refuse"
)


def test_a_service_whose_appends_fail_is_not_ready_until_the_log_can_be_written(
    client: TestClient, database: Database
) -> None:
    path, message = "/v1/threads/t/messages", {"type": "tick"}
    assert client.post(path, json=message).status_code == 201
    before = written_by(database)
    assert client.get("/readyz").status_code == 200
    assert written_by(database) == before  # nothing is written without need
    with database.connection() as connection:
        connection.execute(FULL)
    assert client.get("/readyz").status_code == 200  # not known yet
    assert client.post(path, json=message).status_code == 503
    for _ in range(2):
        answer = client.get("/readyz")
        problem_in(answer, 503, "database-unavailable", "cannot be written", "No space left")
    assert client.get(path).status_code == 200
    with database.connection() as connection:
        connection.execute(ROOM)
    assert client.get("/readyz").status_code == 200
    assert written_by(database) != before
    assert client.post(path, json=message).status_code == 201


def written_by(database: Database) -> str:
    """Return the transaction that wrote the log's counter."""
    row: str = fetch(database, "SELECT xmin::text FROM agentlog.counter")[0][0]
    return row
