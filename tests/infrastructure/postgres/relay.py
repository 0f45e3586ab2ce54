"""A way to the database over TCP on loopback that can be cut, as when its server stops."""

import socket
import threading
from contextlib import suppress
from types import TracebackType
from typing import Self

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class Relay:
    """Passes bytes on to the server of `url`, until it is cut."""

    def __init__(self, url: str) -> None:
        parameters = conninfo_to_dict(url)
        host, port = str(parameters.get("host") or "127.0.0.1"), int(parameters.get("port") or 5432)
        self._family = socket.AF_UNIX if host.startswith("/") else socket.AF_INET
        self._target = f"{host}/.s.PGSQL.{port}" if host.startswith("/") else (host, port)
        self._waiting = _listener(0)
        self._listener: socket.socket | None = None
        self._port: int = self._waiting.getsockname()[1]
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._flowing = threading.Event()
        self._flowing.set()
        self.url = make_conninfo(url, host="127.0.0.1", port=self._port)
        """For libpq, by way of this relay."""

    def __enter__(self) -> Self:
        self._serve(self._waiting)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.cut()

    def cut(self) -> None:
        """Break every connection, and refuse new ones."""
        self.refuse()
        self._flowing.set()
        with self._lock:
            ends, self._open = self._open, []
        for end in ends:
            _close(end)

    def refuse(self) -> None:
        """Refuse new connections."""
        with self._lock:
            listener, self._listener = self._listener, None
        if listener is not None:
            _close(listener)

    def swallow(self) -> None:
        """Pass nothing on, though every connection stays, and new ones are made."""
        self._flowing.clear()

    def flow(self) -> None:
        """Pass on what was swallowed, and what comes."""
        self._flowing.set()

    def mend(self) -> None:
        """Let connections through again, on the same port."""
        self._serve(_listener(self._port))

    def _serve(self, listener: socket.socket) -> None:
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):  # cut
            while True:
                near, _ = listener.accept()
                far = socket.socket(self._family)
                far.connect(self._target)
                with self._lock:
                    if listener is not self._listener:  # it was cut while this one came in
                        _close(near)
                        _close(far)
                        return
                    self._open += [near, far]
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while chunk := source.recv(2**16):
                self._flowing.wait()
                sink.sendall(chunk)
        _close(source)
        _close(sink)


def _listener(port: int) -> socket.socket:
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen()
    return listener


def _close(end: socket.socket) -> None:
    with suppress(OSError):  # it may not be connected any more
        end.shutdown(socket.SHUT_RDWR)
    end.close()
