"""The commands serve and demo."""

import gc
import signal
import socket
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from types import FrameType

import uvicorn
from rich.console import Console

from api.cli.session import printable
from api.composition import Service, open_service
from api.http.app import create_app
from api.http.server import Server
from api.tracing import open_traces
from domain.errors import AgentlogError
from infrastructure.readmodels.process import ProjectorProcess
from infrastructure.settings import Settings, TraceSettings
from infrastructure.transfer.importer import Importer
from infrastructure.transfer.records import Plan
from infrastructure.transfer.sources import find_files
from projections.readers.registry import choose_reader

_GRACE_SECONDS = 10


class AddressTaken(AgentlogError):
    """The service cannot listen where it was told to."""


def serve(settings: Settings, *, examples: bool) -> None:
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
        if examples:
            _load_examples(service, console)
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
        if examples:
            console.print(_tour(address))
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


def _load_examples(service: Service, console: Console) -> None:
    importer = Importer(
        service.store, Plan(reader=choose_reader("kernel")), progress=lambda _: None
    )
    for path in find_files([_examples_dir()]):
        importer.import_file(path)
    for failure in importer.report.failures:  # left by another version's demo: show what is there
        console.print(printable(f"example not loaded: {failure.place}: {failure.reason}"))


def _examples_dir() -> Path:
    """Beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).parents[1]
    inside = package / "examples"
    return inside if inside.is_dir() else package.parent / "examples"


def _tour(address: str) -> str:
    return "\n".join(
        (
            "",
            "Open, or curl:",
            f"  {address}/docs                                      every route, to try",
            f"  {address}/v1/threads                                the example threads",
            f"  {address}/v1/threads/refund/views/openai            as a model reads it",
            f"  {address}/v1/threads/refund/views/letta             as a Letta client reads it",
            f"  {address}/v1/threads/refund/views/maria             as Maria's envelopes",
            f"  {address}/v1/threads/refund/views/agent-state?at=5  the state after version 5",
            f"  {address}/v1/threads/refund/diff?from=5&to=9        what changed from 5 to 9",
            f"  {address}/v1/log                                    all that happened, in order",
            f"  {address}/v1/log/events?follow=false                the same as a stream",
            "",
            "Ctrl-C stops it; the data stays.",
        )
    )
