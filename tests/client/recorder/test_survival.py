"""Agents are killed, the service and its database are away: nothing is lost, nothing is twice."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentlog_client import Client, Recorder, Trouble
from tests.client.conftest import client_of
from tests.client.recorder.conftest import NOWHERE, Recorders, agent, kept_ids, texts
from tests.databases import short_folder
from tests.reliability.postgres import OwnPostgres, own_postgres
from tests.reliability.service import ServiceProcess, own_service
from tests.waiting import WAIT_SECONDS, until


def _ids(client: Client, thread: str) -> list[str]:
    events = client.messages(thread, limit=1000)
    return [event.message["id"] for event in events if event.kind == "message"]


@pytest.mark.parametrize("kept", [1, 100, 3000])
def test_an_agent_that_is_killed_in_mid_run_has_lost_nothing(
    client: Client, url: str, folder: Path, recorders: Recorders, kept: int
) -> None:
    with agent(url, folder, "killed", 100_000, "killed") as process:
        ids = kept_ids(process, kept)
        process.kill()
        assert process.stdout is not None
        ids += [line[:-1] for line in process.stdout if line.endswith("\n")]
    assert recorders("next").flush(WAIT_SECONDS)
    logged = _ids(client, "killed")
    assert logged[: len(ids)] == ids
    assert len(logged) - len(ids) <= 1  # it was killed before it could print it


def test_an_agent_that_is_killed_while_the_service_is_away_has_lost_nothing(
    client: Client, folder: Path, recorders: Recorders
) -> None:
    with agent(NOWHERE, folder, "killed", 300, "killed") as process:
        ids = kept_ids(process, 300)
        process.kill()
        process.wait(WAIT_SECONDS)
    recorder = recorders("killed")
    ids.append(recorder.reply("goes on"))
    assert recorder.flush(WAIT_SECONDS)
    assert _ids(client, "killed") == ids
    recorder.close()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("ending", ["ended", "worker"])
def test_a_process_that_ends_has_sent_everything(
    client: Client, url: str, folder: Path, ending: str
) -> None:
    with agent(url, folder, "ended", 200, ending) as process:
        ids = kept_ids(process, 200)
        assert process.wait(WAIT_SECONDS) == 0
    assert _ids(client, "ended") == ids
    assert list(folder.iterdir()) == []


def test_a_full_disk_is_told_and_the_agent_goes_on(client: Client, url: str, folder: Path) -> None:
    with agent(url, folder, "full", 300, "full") as process:
        out, told = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 0, told
    assert told.count("cannot be written") == 1
    assert _ids(client, "full") == out.split()


def test_a_process_that_ends_while_the_service_is_away_says_what_waits(folder: Path) -> None:
    with agent(NOWHERE, folder, "ended", 5, "ended") as process:
        _, told = process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 0
    assert "could not send" in told
    assert str(folder) in told
    assert "Traceback" not in told


def test_a_child_records_on_its_own_and_the_parent_goes_on(
    client: Client, url: str, folder: Path
) -> None:
    with agent(url, folder, "forked", 50, "forked") as process:
        out, told = process.communicate(timeout=WAIT_SECONDS)
        assert process.returncode == 0, told
        assert told == ""
    ids = _ids(client, "forked")
    assert sorted(ids) == sorted(set(out.split()))
    recorded = texts(client, "forked")
    for who in ("forked", "child", "parent"):
        own = [text for text in recorded if text.startswith(who)]
        assert own == [f"{who} {number}" for number in range(50)]


def test_two_recorders_of_one_thread_keep_the_order_of_either(
    client: Client, url: str, folder: Path, recorders: Recorders
) -> None:
    recorder = recorders("shared")
    with agent(url, folder, "shared", 300, "ended") as process:
        ours = [recorder.reply(f"ours {number}") for number in range(300)]
        theirs = kept_ids(process, 300)
        assert process.wait(WAIT_SECONDS) == 0
    assert recorder.flush(WAIT_SECONDS)
    ids = _ids(client, "shared")
    assert [message for message in ids if message in set(ours)] == ours
    assert [message for message in ids if message not in set(ours)] == theirs


def test_what_a_living_process_leaves_is_sent_by_another_that_lives(
    client: Client, folder: Path, recorders: Recorders
) -> None:
    recorder = recorders("alive")
    assert recorder.flush(WAIT_SECONDS)
    with agent(NOWHERE, folder, "left", 5, "killed") as process:
        ids = kept_ids(process, 5)
        process.kill()
        process.wait(WAIT_SECONDS)
    until(lambda: "left" in {thread.thread_id for thread in client.threads()})
    until(lambda: _ids(client, "left") == ids)  # a thread is there before its messages


def test_a_torn_last_line_and_lines_that_say_nothing_harm_no_other(
    client: Client, folder: Path, recorders: Recorders, troubles: list[Trouble]
) -> None:
    with agent(NOWHERE, folder, "torn", 3, "killed") as process:
        ids = kept_ids(process, 3)
        process.kill()
        process.wait(WAIT_SECONDS)
    (file,) = folder.glob("*.spool")
    with file.open("ab") as end:
        end.write(b'\x00\x00\ntorn\titems\t{"for\n\tmessage\t{}\ntorn\tmessage\t{"type": "repl')
    recorder = recorders("other")
    assert recorder.flush(WAIT_SECONDS)
    recorder.close()
    assert _ids(client, "torn") == ids
    assert [trouble.kind for trouble in troubles] == ["refused"] * 3
    assert [path.name for path in folder.iterdir()] == ["refused.jsonl"]


@pytest.fixture(scope="module")
def postgres() -> Iterator[OwnPostgres]:
    """A PostgreSQL to be stopped and started."""
    with short_folder() as folder, own_postgres(folder / "data") as server:
        yield server


@pytest.fixture
def service(postgres: OwnPostgres) -> Iterator[ServiceProcess]:
    """A service of it."""
    with own_service(postgres.url, AGENTLOG_PROJECTIONS="off") as service:
        yield service


def test_service_and_database_are_killed_in_mid_run(
    postgres: OwnPostgres, service: ServiceProcess, folder: Path, troubles: list[Trouble]
) -> None:
    recorder = Recorder("away", url=service.address, spool=folder, on_trouble=troubles.append)
    ids = [recorder.reply("before")]
    assert recorder.flush(WAIT_SECONDS)
    service.end(signal.SIGKILL)
    ids += [recorder.reply(f"service away {number}") for number in range(700)]
    until(lambda: troubles)
    service.start()
    assert recorder.flush(WAIT_SECONDS)
    postgres.end(signal.SIGQUIT)
    ids += [recorder.reply(f"database away {number}") for number in range(700)]
    until(lambda: len(troubles) > 1)
    postgres.start()
    ids.append(recorder.reply("after"))
    assert recorder.flush(WAIT_SECONDS)
    recorder.close()
    assert [trouble.kind for trouble in troubles] == ["away", "away"]
    with client_of(service.address) as client:
        assert _ids(client, "away") == ids
    assert list(folder.iterdir()) == []
