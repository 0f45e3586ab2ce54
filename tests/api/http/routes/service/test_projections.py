"""Projections over HTTP and on the command line."""

import re
import signal
import threading
import time

import httpx2
import pytest
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projector import Projector
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.api.refusals import problem_in
from tests.clients import TLS
from tests.command_line import agentlog, started
from tests.infrastructure.appends import fetch, reply
from tests.infrastructure.readmodels.tables import Talk, catch_up
from tests.waiting import WAIT_SECONDS


@pytest.fixture
def database(own_database: Database) -> Database:
    """Tables of projections are made in it."""
    return own_database


def test_where_they_stand(client: TestClient, database: Database, threads: Threads) -> None:
    assert client.get("/v1/projections").json() == {"items": [], "next": None}
    threads.append("a", [reply("one"), reply("two")])
    catch_up(database, READ_MODELS["messages"])
    (item,) = client.get("/v1/projections").json()["items"]
    assert item["name"] == "messages"
    assert (item["state"], item["position"], item["logPosition"], item["lag"]) == (
        "live",
        2,
        2,
        0,
    )
    threads.append("a", [reply("three")])
    (item,) = client.get("/v1/projections/messages").json()["items"]
    assert (item["position"], item["lag"]) == (2, 1)


def test_waiting_for_a_position_reads_what_was_written(
    client: TestClient, database: Database, threads: Threads
) -> None:
    with Listener(database) as listener, Projector(database, listener, READ_MODELS.values()):
        for number in range(5):
            position = threads.append("a", [reply(f"{number}")]).position
            while True:
                answer = client.get("/v1/projections", params={"wait": position})
                if answer.status_code == 200:
                    break
                assert answer.json()["type"].endswith(":not-yet-built")  # they only just started
            assert {item["position"] for item in answer.json()["items"]} == {position}


def test_waiting_for_what_stands_still_is_refused_at_once(
    client: TestClient, database: Database, threads: Threads
) -> None:
    threads.append("a", [reply("one")])
    answer = client.get("/v1/projections/messages", params={"wait": 1})
    problem_in(answer, 503, "not-yet-built")
    catch_up(database, READ_MODELS["messages"])
    assert client.post("/v1/projections/messages/pause").json()["items"][0]["paused"] is True
    threads.append("a", [reply("two")])
    answer = client.get("/v1/projections/messages", params={"wait": 2})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["detail"] == (
        "projection messages stands at 1, not at 2 yet: it is paused: "
        "`agentlog projections resume messages`"
    )
    assert client.post("/v1/projections/messages/resume").json()["items"][0]["paused"] is False


def test_reads_of_read_models_wait_for_those_that_they_read(
    client: TestClient, database: Database, threads: Threads
) -> None:
    threads.append("a", [reply("one")])
    for model in READ_MODELS.values():
        catch_up(database, model)
    assert client.post("/v1/projections/threads/pause").status_code == 200
    threads.append("a", [reply("two")])
    for name in READ_MODELS.keys() - {"threads"}:
        catch_up(database, READ_MODELS[name])
    for method, path, body in (
        ("GET", "/v1/summaries", None),
        ("GET", "/v1/threads/a/workers", None),
        ("GET", "/v1/search?q=one&filter=failed", None),
        ("GET", "/v1/analytics/threads", None),
        ("POST", "/v1/analytics/sql", {"sql": "SELECT 1"}),
    ):
        wait = f"{path}{'&' if '?' in path else '?'}wait="
        assert client.request(method, f"{wait}1", json=body).status_code == 200, path
        answer = client.request(method, f"{wait}2", json=body)
        problem_in(answer, 503, "projection-behind", "projection threads stands at 1, not at 2")
    for path in ("/v1/threads", "/v1/log", "/v1/search?q=two", "/v1/threads/a/views/kernel"):
        wait = f"{path}{'&' if '?' in path else '?'}wait="
        assert client.get(f"{wait}2").status_code == 200, path


def test_waiting_for_what_the_log_has_not_is_refused_at_once(
    client: TestClient, database: Database, threads: Threads
) -> None:
    threads.append("a", [reply("one")])
    for model in READ_MODELS.values():
        catch_up(database, model)
    began = time.monotonic()
    for path in ("/v1/projections", "/v1/projections/messages", "/v1/analytics/tools"):
        answer = client.get(path, params={"wait": 2})
        problem_in(answer, 404, "future-moment", "position 2 is not there yet")
        assert client.get(path, params={"wait": 1}).status_code == 200
    assert time.monotonic() - began < 9  # no wait has ended


def test_a_rebuild_is_begun_once(client: TestClient, database: Database, threads: Threads) -> None:
    threads.append("a", [reply("one")])
    catch_up(database, READ_MODELS["messages"])
    answer = client.post("/v1/projections/messages/rebuild")
    assert answer.status_code == 202
    assert [item["state"] for item in answer.json()["items"]] == ["live", "building"]
    assert client.post("/v1/projections/messages/rebuild").status_code == 409


@pytest.mark.parametrize("wait", ["-1", "x", str(2**63)])
def test_a_position_that_is_none_is_refused(client: TestClient, wait: str) -> None:
    answer = client.get("/v1/projections", params={"wait": wait})
    problem_in(answer, 422, "invalid-wait", f"wait={wait} is no position")


def test_unknown_ones_are_named(client: TestClient) -> None:
    for answer in (
        client.get("/v1/projections/none"),
        client.post("/v1/projections/none/pause"),
        client.post("/v1/projections/none/resume"),
        client.post("/v1/projections/none/rebuild"),
    ):
        assert answer.status_code == 404
        assert "there are" in answer.json()["detail"]


def test_the_command_line_rebuilds_and_says_where_they_stand(
    database_url: str, threads: Threads
) -> None:
    none = agentlog("projections", "--json", url=database_url)
    assert (none.code, none.out) == (0, "")
    threads.append("a", [reply("one"), reply("two")])
    done = agentlog("projections", "rebuild", url=database_url)
    assert done.code == 0
    lines = agentlog("projections", "--json", url=database_url).lines
    assert {build["name"]: (build["state"], build["position"]) for build in lines} == dict.fromkeys(
        READ_MODELS, ("live", 2)
    )
    again = agentlog("projections", "rebuild", "messages", url=database_url)
    assert again.code == 0
    (messages,) = (
        line
        for line in agentlog("projections", "--json", url=database_url).lines
        if line["name"] == "messages"
    )
    assert messages["build"] == 2


def test_a_rebuild_that_was_broken_off_is_gone_on_with(
    database: Database, database_url: str, threads: Threads
) -> None:
    threads.append("a", [reply("one")])
    catch_up(database, READ_MODELS["messages"])
    with database.connect() as connection:
        builds.begin(connection, READ_MODELS["messages"])
    done = agentlog("projections", "rebuild", "messages", url=database_url)
    assert done.code == 0
    assert "going on with it" in done.err
    (line,) = agentlog("projections", "--json", url=database_url).lines
    assert (line["build"], line["state"]) == (2, "live")


def test_pause_and_resume_on_the_command_line(
    database: Database, database_url: str, threads: Threads
) -> None:
    threads.append("a", [reply("one")])
    catch_up(database, READ_MODELS["messages"])
    assert "paused" in agentlog("projections", "pause", "messages", url=database_url).out
    assert "paused" not in agentlog("projections", "resume", "messages", url=database_url).out
    refused = agentlog("projections", "pause", "none", url=database_url)
    assert (refused.code, refused.err) == (
        2,
        f"agentlog: no projection 'none': there are {', '.join(READ_MODELS)}\n",
    )


def test_the_reason_why_one_stopped_cannot_drive_a_terminal(
    database: Database, database_url: str, threads: Threads
) -> None:
    threads.append("a", [reply("\x1b[2J")])
    catch_up(database, Talk(fails_on="\x1b[2J"))
    shown = agentlog("projections", url=database_url)
    assert "stopped" in shown.out
    assert "\x1b[2J" not in shown.out


def test_waiting_holds_no_thread(client: TestClient, database: Database, threads: Threads) -> None:
    """More wait than there are threads to answer with; somebody else is answered meanwhile."""
    threads.append("a", [reply("one")])
    for model in READ_MODELS.values():
        catch_up(database, model)
    threads.append("a", [reply("two")])
    statuses: list[int] = []

    def wait() -> None:
        statuses.append(client.get("/v1/projections", params={"wait": 2}).status_code)

    waiting = [threading.Thread(target=wait) for _ in range(60)]
    for thread in waiting:
        thread.start()
    assert client.get("/v1/threads/a").status_code == 200
    for model in READ_MODELS.values():
        catch_up(database, model)
    for thread in waiting:
        thread.join()
    assert statuses == [200] * 60


def test_a_service_keeps_them_up_and_leaves_nobody_behind(
    database: Database, database_url: str, threads: Threads
) -> None:
    position = threads.append("a", [reply("one")]).position
    others = backends(database)
    with started("serve", "--port", "0", url=database_url, AGENTLOG_PROJECTIONS="on") as service:
        assert service.stdout is not None
        address = re.findall(r"http://\S+?(?=,)", service.stdout.readline())[0]
        until = time.monotonic() + WAIT_SECONDS
        while (
            httpx2.get(f"{address}/v1/projections?wait={position}", verify=TLS).status_code != 200
        ):
            assert time.monotonic() < until
        assert len(backends(database) - others) > len(READ_MODELS)  # one each, and the service's
        service.send_signal(signal.SIGTERM)
        assert service.wait(WAIT_SECONDS) == 0
        while backends(database) - others:
            assert time.monotonic() < until


def backends(database: Database) -> set[int]:
    """Return who is connected to the database."""
    rows = fetch(
        database,
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() "
        "AND backend_type = 'client backend'",
    )
    return {pid for (pid,) in rows}
