"""An MCP proxy: stands between a client and its server, or answers in the server's place."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.extensions.runs.infrastructure.exchanges.mcp_recorder import McpRecorder
from agentlog.extensions.runs.infrastructure.exchanges.mcp_spool import SpoolAppender
from agentlog.extensions.runs.infrastructure.exchanges.tool_calls import ReplayGone, ToolCalls
from agentlog.extensions.runs.projections.json_rpc import JsonRpcMessage, messages_in
from agentlog.extensions.runs.projections.mcp_exchange import End

_CHUNK = 65_536
_SIGNALLED = 128
"""A shell's exit code of a command that a signal ended, less the signal's number."""
_UNREADABLE: JsonObject = {"code": -32700, "message": "agentlog: not JSON-RPC"}
_GONE = -32603

Take = Callable[[bytes], None]
"""Takes a line, without its break, before its end is passed on."""


class NoServer(InvalidInput):
    """A server cannot be started."""


def run_server(command: Sequence[str], name: str, spool: Path | None) -> int:
    """Run a server, pass all on between it and our client, and return its exit code.

    Bytes pass as they come. With a spool, requests and answers are written there first; that they
    cannot be stops nothing. Raises `NoServer`.
    """
    try:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # noqa: S603 - the user's own
    except OSError as error:
        raise NoServer(f"{command[0]}: {error.strerror}") from error
    if server.stdin is None or server.stdout is None:
        raise NoServer(f"{command[0]}: it has no pipes")
    signal.signal(signal.SIGINT, _ignore)  # the terminal sends it to the server too
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    recorder = _recorder(name, spool)
    client_left = threading.Event()
    requests = (server.stdin, recorder, client_left)
    threading.Thread(target=_pass_requests, args=requests, daemon=True).start()
    answers = None if recorder is None else recorder.from_server
    if not pass_lines(server.stdout.fileno(), sys.stdout.fileno(), answers):
        client_left.set()
        server.terminate()
    end: End = "client_left" if client_left.is_set() else "server_ended"
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the client sees the end
    code = server.wait()
    if recorder is not None:
        recorder.finish(end)
        for problem in recorder.problems():
            _say(problem)
    return code if code >= 0 else _SIGNALLED - code


def _recorder(name: str, spool: Path | None) -> McpRecorder | None:
    if spool is None:
        return None
    try:
        return McpRecorder(SpoolAppender(spool), name)
    except OSError as error:
        _say(f"what passes is not recorded: {spool}: {error.strerror}")
        return None


def _pass_requests(
    server: IO[bytes], recorder: McpRecorder | None, client_left: threading.Event
) -> None:
    requests = None if recorder is None else recorder.from_client
    if pass_lines(sys.stdin.fileno(), server.fileno(), requests):
        client_left.set()
    server.close()


def pass_lines(source: int, sink: int, take: Take | None) -> bool:
    """Pass bytes on until their source ends; return False where the sink does first."""
    begun: list[bytes] = []
    while chunk := os.read(source, _CHUNK):
        if take is not None:
            ended, line_break, rest = chunk.rpartition(b"\n")
            if line_break:
                for line in b"".join([*begun, ended]).split(b"\n"):
                    take(line)
                begun = []
            if rest:
                begun.append(rest)
        try:
            _write(sink, chunk)
        except OSError:
            return False
    if take is not None and begun:
        take(b"".join(begun))
    return True


def _write(sink: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(sink, rest) :]


def answer_client(name: str, calls: ToolCalls) -> int:
    """Answer a client from a replay, without a server, until it leaves; return the exit code."""
    signal.signal(signal.SIGINT, _ignore)  # it is for the client, which then leaves
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        messages = messages_in(line)
        if messages is None:
            answers = [_answer(None, {"error": _UNREADABLE})]
        else:
            requests = [message for message in messages if message.is_request]
            answers = [_answered(name, calls, request) for request in requests]
        if answers:
            is_batch = line.lstrip().startswith(b"[")
            printed = print_bytes([*answers] if is_batch else answers[0])
            try:
                _write(sys.stdout.fileno(), printed + b"\n")
            except OSError:
                break
    return 0


def _answered(name: str, calls: ToolCalls, message: JsonRpcMessage) -> JsonObject:
    identity = parse(bytes(message.id))
    try:
        params = parse(bytes(message.params)) if bytes(message.params) else None
        question: JsonObject = {"server": name, "method": message.method, "params": params}
        return _answer(identity, calls.ask(question))
    except (InvalidInput, ReplayGone) as error:
        return _answer(identity, {"error": {"code": _GONE, "message": f"agentlog: {error}"}})


def _answer(identity: JsonValue, answer: JsonObject) -> JsonObject:
    return {"jsonrpc": "2.0", "id": identity, **answer}


def _ignore(*_: object) -> None:
    """Take a signal; unlike one that is ignored, a server of ours gets it as usual."""


def _say(text: str) -> None:
    sys.stderr.write(f"agentlog: {text}\n")
