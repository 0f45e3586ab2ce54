"""The MCP proxy as a process: what passes it, what is on record of that, and how it ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.extensions.runs.api.gateway.mcp_proxy import pass_lines
from agentlog.extensions.runs.api.gateway.replayer import replaying
from agentlog.extensions.runs.infrastructure.exchanges.mcp_recorder import McpRecorder
from agentlog.extensions.runs.infrastructure.exchanges.mcp_spool import SpoolAppender
from agentlog.extensions.runs.infrastructure.exchanges.spool import (
    Header,
    SpoolReader,
    create_spool,
)
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange
from agentlog.extensions.runs.projections.tapes.tape import Tape
from agentlog.extensions.runs.projections.tapes.tool_tape import ToolTape
from tests.command_line import AGENTLOG, environment
from tests.extensions.runs.projections.tapes.test_tape import run_of
from tests.waiting import WAIT_SECONDS, until

SERVER = [sys.executable, str(Path(__file__).parents[4] / "providers" / "json_rpc_server.py")]


class Client:
    """Talks to a proxy in lines."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.sink: IO[bytes] = process.stdin
        self.source: IO[bytes] = process.stdout

    def send(self, *messages: Any) -> None:
        for message in messages:
            self.sink.write(json.dumps(message).encode() + b"\n")
        self.sink.flush()

    def receive(self) -> Any:
        return json.loads(self.source.readline())

    def call(self, identity: Any, name: str, **arguments: Any) -> None:
        params = {"name": name, "arguments": arguments}
        self.send({"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params})

    def close(self) -> tuple[int, str]:
        """Leave, and return how the proxy ended and what it said."""
        _, err = self.process.communicate(timeout=WAIT_SECONDS)
        return self.process.returncode, err.decode()


@contextmanager
def proxy(place: Path | str = "", server: Sequence[str] = SERVER) -> Iterator[Client]:
    process = subprocess.Popen(
        [AGENTLOG, "mcp-proxy", "tools", "--", *server],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**environment(), "AGENTLOG_TOOLS": str(place)},
    )
    with process:
        try:
            yield Client(process)
        finally:
            process.kill()


@pytest.fixture(name="spool")
def _spool(tmp_path: Path) -> Path:
    return create_spool(tmp_path, Header("run", "thread"))


def recorded(spool: Path) -> list[McpExchange]:
    reader = SpoolReader(spool)
    entries = [*reader.read(), *reader.unfinished()]
    return [entry for entry in entries if isinstance(entry, McpExchange)]


@given(st.lists(st.binary(max_size=9) | st.sampled_from([b"\n", b'{"id":1}\n', b"\r\n"])))
def test_bytes_pass_as_they_are_and_lines_are_taken_before_their_end(chunks: list[bytes]) -> None:
    source, fill = os.pipe()
    drain, sink = os.pipe()
    lines: list[bytes] = []
    for chunk in chunks:
        os.write(fill, chunk)
    os.close(fill)
    try:
        assert pass_lines(source, sink, lines.append)
        os.close(sink)
        with open(drain, "rb", closefd=False) as file:
            passed = file.read()
    finally:
        os.close(source)
        os.close(drain)
    sent = b"".join(chunks)
    assert passed == sent
    assert b"\n".join(lines) == (sent if not sent.endswith(b"\n") else sent[:-1])


@given(st.lists(st.binary() | st.from_regex(rb'\{"id":.*,"(method|result)":.*\}')))
def test_no_line_stops_a_recorder(spool_folder: Path, lines: list[bytes]) -> None:
    spool = create_spool(spool_folder, Header(os.urandom(8).hex(), "thread"))
    recorder = McpRecorder(SpoolAppender(spool), "tools")
    for line in lines:
        recorder.from_client(line)
        recorder.from_server(line)
    recorder.finish("client_left")
    for exchange in recorded(spool):
        assert exchange.server == "tools"
        assert exchange.end in {"complete", "cancelled", "client_left"}


@pytest.fixture(name="spool_folder", scope="module")
def _spool_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("spools")


@pytest.mark.parametrize("is_recorded", [True, False])
def test_a_huge_line_and_what_is_no_json_come_out_byte_for_byte(
    spool: Path, *, is_recorded: bool
) -> None:
    sent = b'\xff\x00\n\r\n{"id":1,"result":"' + b"x" * 20_000_000 + b'"}\nhalf a line'
    with proxy(spool if is_recorded else "", ["cat"]) as client:
        received: list[bytes] = []
        reading = Thread(target=lambda: received.append(client.source.read()))
        reading.start()
        client.sink.write(sent)
        client.sink.close()
        reading.join(WAIT_SECONDS)
        assert received == [sent]
        assert client.process.wait(WAIT_SECONDS) == 0


def test_thirty_calls_at_once_each_have_their_own_answer_on_record(spool: Path) -> None:
    with proxy(spool) as client:
        for number in range(15):
            client.call(number, "last", n=number)
            client.call(str(number), "last", n=str(number))
        client.call("the end", "echo")
        answers = [client.receive() for _ in range(31)]
        assert client.close() == (0, "")
    assert len({json.dumps(answer["id"]) for answer in answers}) == 31
    for exchange in recorded(spool):
        assert exchange.end == "complete"
        asked = exchange.answer["result"]["asked"]
        assert asked == exchange.params
    assert len(recorded(spool)) == 31


def test_a_batch_and_a_cancelled_call_are_on_record(spool: Path) -> None:
    request = {"jsonrpc": "2.0", "method": "tools/list"}
    with proxy(spool) as client:
        client.call(1, "wait")
        cancelled = {"requestId": 1, "reason": "too slow"}
        client.send({"method": "notifications/cancelled", "params": cancelled})
        client.send([{**request, "id": 2}, {"method": "notifications/x"}, {**request, "id": 3}])
        assert [client.receive()["id"] for _ in range(2)] == [2, 3]
        client.call(4, "wait")
        assert client.close() == (0, "")
    ends = [(exchange.method, exchange.end) for exchange in recorded(spool)]
    assert ends == [
        ("tools/call", "cancelled"),
        ("tools/list", "complete"),
        ("tools/list", "complete"),
        ("tools/call", "client_left"),
    ]


def test_a_server_that_dies_ends_the_proxy_as_it_ended(spool: Path) -> None:
    with proxy(spool) as client:
        client.call(1, "noise")
        assert client.source.readline() == "\x00 starting…\n".encode()
        assert client.source.readline() == b"\n"
        assert client.receive()["id"] == 1
        client.call(2, "die")
        assert client.source.readline() == b""
        code, err = client.close()
    assert (code, err) == (
        7,
        "agentlog: tools: 1 lines were no JSON-RPC: passed on, not recorded\n",
    )
    assert [exchange.end for exchange in recorded(spool)] == ["complete", "server_ended"]


def test_a_call_under_way_when_the_proxy_is_killed_is_on_record(spool: Path) -> None:
    with proxy(spool) as client:
        client.call(1, "echo")
        client.receive()
        client.call(2, "wait")
        until(lambda: len(recorded(spool)) == 2)
        client.process.send_signal(signal.SIGKILL)
        assert client.source.read() == b""
    with spool.open("ab") as file:
        file.write(b'{"type":"mcp-begun","na')  # as it was killed amid a line
    with proxy(spool) as client:
        client.call(1, "echo")
        client.receive()
        client.close()
    ends = sorted(exchange.end for exchange in recorded(spool))
    assert ends == ["complete", "complete", "recorder_died"]


def test_ctrl_c_is_for_the_server_and_a_spool_that_is_gone_stops_nothing(tmp_path: Path) -> None:
    with proxy(tmp_path / "none" / "spool") as client:
        client.call(1, "echo")
        assert client.receive()["id"] == 1
        client.process.send_signal(signal.SIGINT)  # not to the server: it goes on
        client.call(2, "echo")
        assert client.receive()["id"] == 2
        code, err = client.close()
    assert code == 0
    assert err.startswith("agentlog: what passes is not recorded: ")


def test_a_server_that_does_not_exist_is_named() -> None:
    with proxy(server=["no-such-server"]) as client:
        code, err = client.close()
    assert (code, err) == (2, "agentlog: no-such-server: No such file or directory\n")


def test_answers_come_from_the_record_without_a_server(spool: Path) -> None:
    with proxy(spool) as client:
        for number, name in enumerate(("echo", "echo", "last", "echo", "wait")):
            client.call(number, name, city="Lisbon")
        client.send({"id": "list", "method": "tools/list", "params": {"_meta": {"token": 1}}})
        for _ in range(5):
            client.receive()
        client.close()
    tape = ToolTape("recorded", (), recorded(spool))
    with (
        replaying(Tape(run_of([])), tape, {}, names=()) as replay,
        proxy(replay.tools, ["no-such-server"]) as client,
    ):
        client.send([{"id": "a", "method": "tools/list"}, {"method": "notifications/initialized"}])
        ((listed),) = client.receive()
        assert listed["id"] == "a"
        assert listed["result"] == {"asked": {"_meta": {"token": 1}}}
        client.call(9, "echo", city="Lisbon")
        echoed = {"asked": {"name": "echo", "arguments": {"city": "Lisbon"}}}
        assert client.receive() == {"jsonrpc": "2.0", "id": 9, "result": echoed}
        client.call(10, "echo", city="Porto")
        result = client.receive()["result"]
        assert result["isError"]
        assert 'city is "Lisbon" there, "Porto" here' in result["content"][0]["text"]
        client.call(11, "wait", city="Lisbon")
        assert "not answered when recorded: client_left" in client.receive()["error"]["message"]
        client.send({"id": 12, "method": "ping"}, {"id": 13, "method": "resources/list"})
        assert client.receive()["result"] == {}
        assert client.receive()["error"]["code"] == -32601
        client.sink.write(b"no JSON\n")
        client.sink.flush()
        assert client.receive()["error"]["code"] == -32700
        assert client.close() == (0, "")
    assert [call.name for _, call in tape.unused] == ["echo", "echo", "last"]
    assert len([*tape.missed]) == 1


def test_a_replay_that_is_gone_is_named() -> None:
    with proxy("http://127.0.0.1:9/token/tools") as client:
        client.call(1, "echo")
        assert "cannot be reached" in client.receive()["error"]["message"]
        client.close()
