"""The commands serve and demo."""

import gc
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from types import FrameType

import uvicorn
from rich.console import Console

from api.composition import Service, open_service
from api.http.app import create_app
from api.http.server import Server
from api.tracing import open_traces
from domain.errors import AgentlogError
from infrastructure.readmodels.process import ProjectorProcess
from infrastructure.settings import Settings, TraceSettings

_GRACE_SECONDS = 10


class AddressTaken(AgentlogError):
    """The service cannot listen where it was told to."""


@dataclass(frozen=True, slots=True)
class Showing:
    """What a service shows to begin with: loaded before it serves, and printed once it does."""

    load: Callable[[Service, Console], None]
    tour: Callable[[str], str]


def serve(settings: Settings, *, showing: Showing | None = None) -> None:
    """Serve until a signal says stop; then end requests, connections and our PostgreSQL."""
    signal.signal(signal.SIGTERM, _leave)
    console = Console(soft_wrap=True, highlight=False)
    with (
        open_traces(TraceSettings()) as traces,
        _listen(settings.host, settings.port) as listening,
        open_service(settings, on_commit=traces.on_commit) as service,
        ExitStack() as beside,
    ):
        host, port = listening.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        if showing is not None:
            showing.load(service, console)
        app = create_app(
            service.store,
            service.database,
            hub=service.hub,
            standings=service.standings,
            analyst=service.analyst,
            reports=service.reports,
            proofs=service.proofs,
            max_body_bytes=settings.max_body_bytes,
            max_blob_bytes=settings.max_blob_bytes,
        )
        config = uvicorn.Config(
            traces.around(app),
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        console.print(f"agentlog listens on {address}, with {service.where}")
        if traces.notice:
            console.print(traces.notice, markup=False)
        if showing is not None:
            console.print(showing.tour(address))
        if settings.projections == "on":
            beside.enter_context(ProjectorProcess(service.url))
        gc.collect()
        gc.freeze()  # what is imported by now stays: no collection need look at it again
        with suppress(KeyboardInterrupt):  # how uvicorn says that Ctrl-C ended it
            Server(config, app.state.following).run(sockets=[listening])


def _leave(number: int, frame: FrameType | None) -> None:
    """Leave as if it were done: uvicorn raises the signal again after its own shutdown."""
    del number, frame
    sys.exit(0)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        reason = str(error.strerror).partition(" (while")[0]  # Python repeats the address
        raise AddressTaken(
            f"cannot listen on {host}:{port}: {reason}; "
            "choose another with --port, or --port 0 for any free one"
        ) from error
    # small answers leave at once; the event loop would set this on sockets of its own only
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
