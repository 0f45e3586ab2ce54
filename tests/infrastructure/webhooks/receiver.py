"""A receiver of webhooks on loopback, which verifies what it gets as any receiver would."""

import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from standardwebhooks import Webhook
from typing_extensions import override

from agentlog.domain.json.text import parse


@dataclass(frozen=True, slots=True)
class Posted:
    """A request that came."""

    path: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def id(self) -> str:
        """The id of the webhook, the same in every attempt."""
        return self.headers["webhook-id"]

    @property
    def body(self) -> Any:
        """The payload."""
        return parse(self.content)

    @property
    def position(self) -> int:
        """Where the event stands in the log."""
        position: int = self.body["data"]["position"]
        return position

    def verify(self, secret: str) -> None:
        """Raise unless the signature is the secret's, and of now."""
        Webhook(secret).verify(self.content, {**self.headers})


Respond = Callable[[Posted, BaseHTTPRequestHandler], int | None]
"""Returns the status to answer with; None where it has answered itself."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # a connection that does not fit is tried again after a second


class Receiver:
    """Answers each request as `respond` says, 204 by default; notes all of them."""

    def __init__(
        self,
        respond: Respond = lambda _posted, _handler: 204,
        *,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.respond = respond
        self.posted: list[Posted] = []
        self._server = _Server(("127.0.0.1", 0), self._handler())
        if tls is not None:
            self._server.socket = tls.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return self._server.server_port

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def positions(self) -> list[int]:
        """The places of what came, in order."""
        return [posted.position for posted in [*self.posted]]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers["content-length"])
                content = self.rfile.read(size)
                if len(content) < size:  # its sender was killed amid it
                    return
                headers = {name.lower(): value for name, value in self.headers.items()}
                posted = Posted(self.path, headers, content)
                receiver.posted.append(posted)
                status = receiver.respond(posted, self)
                if status is not None:
                    self.send_response(status)
                    self.send_header("content-length", "0")
                    self.end_headers()

            @override
            def log_message(self, format: str, *args: object) -> None:
                """Stay silent."""

        return Handler
