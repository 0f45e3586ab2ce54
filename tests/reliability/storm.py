"""A way to a server on loopback that delays, cuts connections at any byte, or lets them hang."""

import random
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from psycopg.conninfo import conninfo_to_dict, make_conninfo

Connect = Callable[[], socket.socket]

_RESET = struct.pack("ii", 1, 0)  # close without a farewell: the other side gets a reset


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of a connection: `to_server` bytes go through, or `to_client` bytes come back.

    Then it hangs for some seconds, neither end told, and is cut.
    """

    to_server: int | None = None
    to_client: int | None = None
    hangs: float = 0.0
    delay: float = 0.0


CALM = Fate()


class Storm:
    """Passes bytes on; while it is `raging`, each connection has a fate, drawn as it begins."""

    def __init__(self, connect: Connect, drawn: Callable[[random.Random], Fate], seed: int) -> None:
        self._connect, self._drawn = connect, drawn
        self._rng = random.Random(seed)  # noqa: S311 - where to cut is no secret
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._live: set[tuple[socket.socket, socket.socket]] = set()
        self.raging = False
        self.did: Counter[str] = Counter()
        """How many connections were cut, and where."""
        self.port: int = self._listener.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut_all()

    def cut_all(self) -> None:
        """Cut every connection."""
        with self._lock:
            pairs = list(self._live)
        for pair in pairs:
            self._cut(pair, reset=True)

    def calm(self) -> None:
        """Let all that comes through from now on; connections that have a fate end now."""
        self.raging = False
        self.cut_all()

    @property
    def cuts(self) -> int:
        """How many connections met their fate."""
        return self.did.total()

    def _accept(self) -> None:
        with suppress(OSError):  # over
            while True:
                near, _ = self._listener.accept()
                with self._lock:
                    fate = self._drawn(self._rng) if self.raging else CALM
                    reset = self._rng.random() < 0.5
                try:
                    far = self._connect()
                except OSError:
                    near.close()
                    continue
                with self._lock:
                    self._live.add((near, far))
                for which in ("to_server", "to_client"):
                    threading.Thread(
                        target=self._pass_on,
                        args=((near, far), fate, which),
                        kwargs={"reset": reset},
                        daemon=True,
                    ).start()

    def _pass_on(
        self, pair: tuple[socket.socket, socket.socket], fate: Fate, which: str, *, reset: bool
    ) -> None:
        source, sink = pair if which == "to_server" else pair[::-1]
        left: int | None = getattr(fate, which)
        with suppress(OSError):  # cut, here or there
            while chunk := source.recv(2**16):
                if fate.delay:
                    self._over.wait(fate.delay)
                if left is not None and len(chunk) > left:
                    sink.sendall(chunk[:left])
                    self._over.wait(fate.hangs)
                    self._count(f"{which}{' after a hang' if fate.hangs else ''}")
                    break
                left = None if left is None else left - len(chunk)
                sink.sendall(chunk)
            else:
                reset = False  # whoever sent has closed
        self._cut(pair, reset=reset)

    def _count(self, what: str) -> None:
        with self._lock:
            self.did[what] += 1

    def _cut(self, pair: tuple[socket.socket, socket.socket], *, reset: bool) -> None:
        with self._lock:
            if pair not in self._live:
                return
            self._live.remove(pair)
        for end in pair:
            with suppress(OSError):  # it may not be connected any more
                if reset:
                    end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                end.shutdown(socket.SHUT_RDWR)
            end.close()


def to_postgres(url: str) -> Connect:
    """Return what connects to the server of a URL, by its Unix socket or by TCP."""
    parameters = conninfo_to_dict(url)
    host, port = str(parameters["host"]), int(parameters.get("port") or 5432)

    def connect() -> socket.socket:
        if not host.startswith("/"):
            return socket.create_connection((host, port))
        made = socket.socket(socket.AF_UNIX)
        made.connect(f"{host}/.s.PGSQL.{port}")
        return made

    return connect


def by_way_of(url: str, storm: Storm) -> str:
    """Return the URL of a database by way of a storm."""
    return make_conninfo(url, host="127.0.0.1", port=storm.port)


def to_service(port: int) -> Connect:
    """Return what connects to a service."""
    return lambda: socket.create_connection(("127.0.0.1", port))
