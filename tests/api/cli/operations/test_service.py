"""The commands serve and demo, as real processes."""

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from agentlog.infrastructure.embedded.postmaster import Postmaster
from tests.clients import TLS
from tests.command_line import AGENTLOG, agentlog, as_words, environment, started
from tests.databases import short_folder
from tests.waiting import WAIT_SECONDS

EXAMPLES = {path.stem for path in (Path(__file__).parents[4] / "examples").glob("*.json")}


def address_of(process: subprocess.Popen[str]) -> str:
    """Return the address that a service prints first, once it listens."""
    assert process.stdout is not None
    line = process.stdout.readline()
    match = re.match(r"agentlog listens on (http://\S+:\d+), with \S", line)
    assert match is not None, line or process.communicate(timeout=WAIT_SECONDS)[1]
    return match[1]


def printed_after(process: subprocess.Popen[str], *, last: str) -> list[str]:
    """Return the lines that a service prints until one that begins with `last`."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if line.startswith(last):
            return lines
    raise AssertionError(lines)


def end(process: subprocess.Popen[str], number: signal.Signals) -> None:
    """Stop a service by a signal: it ends cleanly, and says nothing on standard error."""
    process.send_signal(number)
    _, err = process.communicate(timeout=WAIT_SECONDS)
    assert (process.returncode, err) == (0, "")


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command without a database in its environment."""
    return subprocess.run(
        [AGENTLOG, *arguments],
        capture_output=True,
        check=False,
        env=environment(),
        text=True,
        timeout=WAIT_SECONDS,
    )


@pytest.fixture
def http() -> Iterator[httpx2.Client]:
    """A client that asks no proxy for what is on loopback."""
    with httpx2.Client(trust_env=False, timeout=WAIT_SECONDS, verify=TLS) as client:
        yield client


@pytest.fixture
def signals() -> Iterator[None]:
    """Give this process its way to end back, which `serve` changes."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture(scope="module")
def data_dir() -> Iterator[Path]:
    """A data folder for the embedded server."""
    with short_folder() as folder:
        yield folder / "data"


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.slow)]
)
def test_serve_prints_its_address_and_serves_until_it_is_told_to_stop(
    database_url: str, http: httpx2.Client, number: signal.Signals
) -> None:
    with started("serve", "--port", "0", url=database_url) as process:
        address = address_of(process)
        assert address.startswith("http://127.0.0.1:")
        assert http.get(f"{address}/readyz").status_code == 200
        appended = http.post(
            f"{address}/v1/threads/t/messages", json={"type": "reply", "text": "hi"}
        )
        assert appended.status_code == 201
        end(process, number)
        with pytest.raises(httpx2.ConnectError):
            http.get(f"{address}/readyz")
    (thread,) = agentlog("threads", "--json", url=database_url).lines
    assert thread["threadId"] == "t"


@pytest.mark.parametrize(
    ("trusted", "statuses"),
    [({}, [200, 429, 429]), ({"FORWARDED_ALLOW_IPS": "127.0.0.1"}, [200, 200, 429])],
    ids=["nobody", "this machine"],
)
def test_forwarded_addresses_count_only_where_a_setting_trusts_the_proxy(
    database_url: str, http: httpx2.Client, trusted: dict[str, str], statuses: list[int]
) -> None:
    settings = {
        "AGENTLOG_ANONYMOUS": "allow",
        "AGENTLOG_RATE_PER_SECOND": "0.001",
        **trusted,
    }
    with started("serve", "--port", "0", url=database_url, **settings) as process:
        address = address_of(process)
        answered = [
            http.get(
                f"{address}/v1/threads", headers={"X-Forwarded-For": f"203.0.113.{number}"}
            ).status_code
            for number in (1, 2, 2)
        ]
        end(process, signal.SIGTERM)
    assert answered == statuses


def _has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.skipif(not _has_ipv6(), reason="this machine has no IPv6 loopback")
def test_serve_listens_where_it_is_told_to(database_url: str, http: httpx2.Client) -> None:
    with started("serve", "--host", "::1", "--port", "0", url=database_url) as process:
        address = address_of(process)
        assert address.startswith("http://[::1]:")
        assert http.get(f"{address}/healthz").status_code == 200
        end(process, signal.SIGTERM)


@pytest.mark.usefixtures("signals")
def test_a_port_that_is_taken_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = agentlog("serve", "--port", str(port), url="postgresql:///asked_for_later")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"agentlog: cannot listen on 127.0.0.1:{port}: Address already in use; "
        "choose another with --port (AGENTLOG_PORT), or --port 0 for any free one\n"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--host", "no.such.host.invalid"], "cannot listen on no.such.host.invalid:8080: "),
        (["--port", "65536"], "--port: "),
        (["--port", "eighty"], "Invalid value for '--port'"),
    ],
    ids=as_words,
)
@pytest.mark.usefixtures("signals")
def test_an_address_that_cannot_be_is_said(arguments: list[str], reason: str) -> None:
    outcome = agentlog("serve", *arguments, url="postgresql:///asked_for_later")
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err


def test_the_demo_answers_on_every_address_that_it_prints_and_runs_again(
    data_dir: Path, http: httpx2.Client
) -> None:
    for _ in range(2):
        with started("demo", "--port", "0", "--data-dir", data_dir) as process:
            address = address_of(process)
            tour = printed_after(process, last="Ctrl-C")
            printed = [line.split()[0] for line in tour if line.strip().startswith(address)]
            assert len(printed) >= 8
            for place in printed:
                answer = http.get(place)
                assert answer.status_code == 200, place
                assert answer.content
            listed = http.get(f"{address}/v1/threads").json()["items"]
            assert {thread["threadId"] for thread in listed} == EXAMPLES
            log = http.get(f"{address}/v1/log?limit=1000").json()["items"]
            assert [event["position"] for event in log] == list(range(1, 65))
            end(process, signal.SIGINT)
    assert Postmaster.read(data_dir / "postgresql") is None


def test_a_command_is_a_guest_of_the_service_on_the_same_data_folder(
    data_dir: Path, http: httpx2.Client
) -> None:
    with started("serve", "--port", "0", "--data-dir", data_dir) as process:
        address = address_of(process)
        made = http.post(f"{address}/v1/threads/guest/messages", json={"type": "tick"})
        assert made.status_code == 201
        listed = run("threads", "--json", "--filter", "guest", "--data-dir", data_dir)
        assert (listed.returncode, listed.stderr) == (0, "")
        assert '"threadId":"guest"' in listed.stdout
        # the guest has gone, and has not taken the server with it
        assert http.get(f"{address}/v1/threads/guest").status_code == 200
        end(process, signal.SIGTERM)
    assert Postmaster.read(data_dir / "postgresql") is None
    assert '"threadId":"guest"' in run("threads", "--json", "--data-dir", data_dir).stdout


def test_a_data_folder_that_is_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    refused = run("threads", "--data-dir", tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("agentlog: ")
    assert str(tmp_path) in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_service_takes_the_descriptors_that_it_may_have() -> None:
    program = """
import resource
from agentlog.api.cli.operations.service import take_descriptors

resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096))
take_descriptors()
print(*resource.getrlimit(resource.RLIMIT_NOFILE))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["4096", "4096"]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("AGENTLOG_READ_AUDITT", "on", "the nearest is AGENTLOG_READ_AUDIT"),
        ("AGENTLOG_SIGNING_KEY", "/nowhere/key.pem", "/nowhere/key.pem is not there"),
        ("FORWARDED_ALLOW_IPS", "foo", "FORWARDED_ALLOW_IPS: 'foo' is no address"),
        ("AGENTLOG_POOL_SIZE", "x", "AGENTLOG_POOL_SIZE: input should be a valid integer"),
    ],
)
@pytest.mark.usefixtures("signals")
def test_a_setting_that_would_do_nothing_ends_the_start(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, reason: str
) -> None:
    monkeypatch.setenv(name, value)
    outcome = agentlog("serve", "--port", "0", url="postgresql:///none")
    assert outcome.code == 2
    assert reason in outcome.err


@pytest.mark.usefixtures("signals")
def test_reads_that_cannot_be_recorded_are_not_served(
    monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    monkeypatch.setenv("AGENTLOG_READ_AUDIT", "on")
    monkeypatch.setenv("AGENTLOG_READ_ONLY", "on")
    outcome = agentlog("serve", "--port", "0", url=database_url)
    assert outcome.code == 2
    assert "have audited clients read at the writer, or set AGENTLOG_READ_AUDIT=off" in outcome.err


def test_a_dry_run_makes_no_database_and_prints_what_the_import_will(tmp_path: Path) -> None:
    history = tmp_path / "one.json"
    history.write_text('[{"role": "user", "content": "hi"}]')
    with short_folder() as folder:
        dry = run("import", history, "--dry-run", "--data-dir", folder / "data")
        assert dry.returncode == 0, dry.stderr
        assert not (folder / "data").exists()
        real = run("import", history, "--data-dir", folder / "data")
    table = [line for line in real.stderr.splitlines() if "imports undo" not in line]
    assert dry.stderr.splitlines() == table
    assert "threads             1" in dry.stderr
