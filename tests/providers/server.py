"""The provider's server: listens on loopback, keeps what it is asked, and fails when told to."""

import json
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

from typing_extensions import override

from tests.providers.dialects import DIALECTS, STREAMED, array_of, dialect_of, sse
from tests.providers.script import Item, Script, ShellCalls, Turn, turn_of


@dataclass(slots=True)
class Request:
    """A request as it came; `client_left` if its client left before the answer's end."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    client_left: bool = False

    @property
    def json(self) -> Item:
        """The body as JSON."""
        value: Item = json.loads(self.body)
        return value

    @property
    def model(self) -> str:
        """The model that is asked for, which Gemini's requests have in the path."""
        of_path = self.path.rpartition("/")[2].partition(":")[0]
        return str(self.json.get("model", of_path))


@dataclass(frozen=True, slots=True)
class Fault:
    """How requests to a model fail: all, or the first `only` since the fault was set.

    `err` answers the status `value`. `slow` waits `value` seconds before the answer, `drip` before
    each event. After `value` events `cut` closes the connection, `short` ends the stream in order,
    and `stall` sends no more, if only the stream's end. A whole answer is cut in its middle.
    """

    kind: Literal["err", "slow", "drip", "cut", "short", "stall"]
    value: float
    only: int | None = None
    retry_after_ms: int | None = None


class ScriptedProvider:
    """Answers as the APIs of OpenAI, Anthropic and Gemini do, until the block ends.

    `url` has no path: OpenAI's base URL is `url` with `/v1`, Anthropic's is `url`. What stands
    before the API's own path may be anything. `requests` are in the order of their arrival.
    """

    def __init__(self, script: Script | None = None) -> None:
        self.script: Script = ShellCalls() if script is None else script
        self.requests: list[Request] = []
        self._turns: dict[str, Turn] = {}
        self._fault: Fault | None = None
        self._failed = 0
        self._lock = threading.Lock()
        self.ended = threading.Event()
        self._server = _Server(self)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}
        )

    def fail(self, fault: Fault | None) -> None:
        """Let requests fail from here on, or none."""
        with self._lock:
            self._fault, self._failed = fault, 0

    def next_fault(self) -> Fault | None:
        """Return the fault of the next request to a model, which it counts for."""
        with self._lock:
            fault = self._fault
            self._failed += 1
            spent = fault is not None and fault.only is not None and self._failed > fault.only
            return None if spent else fault

    def keep(self, request: Request) -> None:
        """Keep a request."""
        with self._lock:
            self.requests.append(request)

    def answer(self, path: str, body: Item) -> tuple[Item, list[bytes] | None]:
        """Return the answer to a request, and its pieces where it asks for a stream."""
        path, _, query = path.partition("?")
        dialect = dialect_of(path)
        with self._lock:
            turn = turn_of(body, self._turns.get(str(body.get("previous_response_id"))))
            whole = dialect.whole(turn, self.script(turn))
            self._turns[whole.get("id", "")] = turn
        if not (body.get("stream") or path.endswith(STREAMED)):
            return whole, None
        events = list(dialect.events(turn, whole))
        is_array = path.endswith(STREAMED) and "alt=sse" not in query
        return whole, array_of(events) if is_array else list(map(sse, events))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Close all connections and the port; what comes after it is refused."""
        if self.ended.is_set():
            return
        self.ended.set()
        self._server.shutdown()
        self._thread.join()
        self._server.close_connections()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = False
    request_queue_size = 1024  # a full queue drops what connects, which tries again seconds later

    def __init__(self, provider: ScriptedProvider) -> None:
        self.provider = provider
        self._connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), _Handler)

    @override
    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.add(connection)
        return connection, address

    @override
    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    @override
    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a client may leave
            super().handle_error(request, client_address)

    def close_connections(self) -> None:
        for connection in list(self._connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:  # its client was faster
                continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _answer(self) -> None:
        provider = self.server.provider
        if self.headers["Transfer-Encoding"]:
            body = b"".join(self._chunks())
        else:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path, headers, body)
        provider.keep(request)
        try:
            self._route(provider, request)
        except (BrokenPipeError, ConnectionResetError):
            request.client_left = True
            self.close_connection = True

    def _chunks(self) -> Iterator[bytes]:
        while size := int(self.rfile.readline(), 16):
            yield self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()

    do_GET = do_HEAD = do_POST = _answer  # noqa: N815 - names of the standard library

    def _route(self, provider: ScriptedProvider, request: Request) -> None:
        path = request.path.partition("?")[0]
        if request.method == "POST" and path.endswith(tuple(DIALECTS)):
            self._model(provider, request)
        elif request.method == "POST" and path.endswith("/count_tokens"):
            self._whole({"input_tokens": 10})
        elif request.method == "HEAD":
            self._whole({})
        elif path.endswith("/models"):
            model = {"id": "scripted", "object": "model", "created": 1, "owned_by": "tests"}
            self._whole({"object": "list", "data": [model]})
        else:
            self._whole(_error(f"no route {path}"), status=404)

    def _model(self, provider: ScriptedProvider, request: Request) -> None:
        fault = provider.next_fault()
        if fault is not None and fault.kind == "err":
            wait = fault.retry_after_ms
            headers = {} if wait is None else {"retry-after-ms": str(wait)}
            self._whole(_error("scripted failure"), status=int(fault.value), headers=headers)
            return
        if fault is not None and fault.kind == "slow":
            provider.ended.wait(fault.value)
        whole, events = provider.answer(request.path, request.json)
        if events is not None:
            self._stream(events, fault)
        else:
            self._whole(whole, is_cut=fault is not None and fault.kind == "cut")

    def _stream(self, events: list[bytes], fault: Fault | None) -> None:
        ended = self.server.provider.ended
        self.send_response(200)
        is_array = events[0].startswith(b"[")
        kind = "application/json" if is_array else "text/event-stream; charset=utf-8"
        self.send_header("content-type", kind)
        self.send_header("transfer-encoding", "chunked")
        self.send_header("x-request-id", "req_scripted")
        self.end_headers()
        for n, event in enumerate(events):
            if fault is not None and fault.kind == "drip":
                ended.wait(fault.value)
            elif fault is not None and n >= fault.value:
                if fault.kind == "short":
                    break
                if fault.kind == "stall":
                    ended.wait()
                if fault.kind in {"cut", "stall"}:
                    self._hang_up()
                    return
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self.wfile.flush()
        if fault is not None and fault.kind == "stall":
            ended.wait()
        self.wfile.write(b"0\r\n\r\n")

    def _whole(
        self,
        answer: Item,
        *,
        status: int = 200,
        headers: dict[str, str] | None = None,
        is_cut: bool = False,
    ) -> None:
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.send_header("x-request-id", "req_scripted")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: len(body) // 2] if is_cut else body)
        if is_cut:
            self._hang_up()

    def _hang_up(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    @override
    def log_message(self, format: str, *args: Any) -> None:
        pass


def _error(message: str) -> Item:
    """Return an error that OpenAI's and Anthropic's clients both read."""
    error = {"type": "scripted", "message": message, "code": None, "param": None}
    return {"type": "error", "error": error}
