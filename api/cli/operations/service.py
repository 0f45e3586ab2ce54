"""The commands serve, demo and migrate."""

import errno
import os
import resource
import signal
import socket
import ssl
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import cache, partial
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryFile
from types import FrameType
from typing import Annotated
from urllib.parse import urlsplit

import typer
import uvicorn
from fastapi import FastAPI
from rich.console import Console
from rich.text import Text

from agentlog.api.cli.session import DataDir, InvalidOption, settings_with
from agentlog.api.composition import (
    Service,
    open_service,
    ready_database,
    write_access_of,
)
from agentlog.api.http.app import create_app, openapi_document
from agentlog.api.http.middleware.authentication import AnonymousFrom, Entrance
from agentlog.api.http.middleware.proxies import behind_proxies
from agentlog.api.http.request.limits import limits_from
from agentlog.api.http.server.connection import IDLE_SECONDS, bounded_connections
from agentlog.api.http.server.server import Server
from agentlog.api.tracing import open_traces
from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.audit.signing import signing_key
from agentlog.infrastructure.erasure.watch import ErasureWatch
from agentlog.infrastructure.postgres.write_access import WhileWritable
from agentlog.infrastructure.readmodels.projector_process import projector_process
from agentlog.infrastructure.runtime.garbage import MemoryReturn, collect_rarely, map_large_blocks
from agentlog.infrastructure.runtime.logging import access_logger, logs_on_stderr
from agentlog.infrastructure.settings import Settings, TraceSettings
from agentlog.infrastructure.view_precomputation import Precomputation
from agentlog.infrastructure.views.snapshots.table import warn_of_other_keys
from agentlog.infrastructure.webhooks.addresses import Addresses
from agentlog.infrastructure.webhooks.courier import Courier
from agentlog.infrastructure.webhooks.poster import Poster
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.api.cli.operations import demo as examples

app = typer.Typer()
Host = Annotated[str | None, typer.Option(help="Address to listen on.")]
Port = Annotated[int | None, typer.Option(help="Port; 0 for any free one.")]

_GRACE_SECONDS = 10
_BACKLOG = 2048
_DESCRIPTORS = 65_536
_RESOLVERS = 64
_WEBHOOK_SECONDS = 15
"""Timeout of a request to a webhook, from the name to the answer."""
"""Names of webhooks that are looked up at once: one that hangs keeps others out no sooner."""


class AddressTaken(AgentlogError):
    """The service cannot listen where it was told to."""


@app.command()
def serve(
    host: Host = None,
    port: Port = None,
    *,
    allow_anonymous: Annotated[
        bool,
        typer.Option(
            "--allow-anonymous",
            help="Let every client do everything, until a first key is made.",
        ),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Serve HTTP, on a PostgreSQL of its own unless AGENTLOG_DATABASE_URL names one."""
    anonymous = "allow" if allow_anonymous else None
    _run(settings_with(data_dir=data_dir, host=host, port=port, anonymous=anonymous))


@app.command()
def demo(host: Host = None, port: Port = None, data_dir: DataDir = None) -> None:
    """Serve with example threads, in a data folder of their own, and say what to open."""
    settings = settings_with(data_dir=data_dir, host=host, port=port)
    if data_dir is None:
        beside = settings.data_dir.with_name(f"{settings.data_dir.name}-demo")
        settings = settings.model_copy(update={"data_dir": beside})
    _run(settings, with_examples=True)


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Bring the database's schema up to date (serve does it too)."""
    settings = settings_with(data_dir=data_dir)
    with ready_database(settings, new=True, access=write_access_of(settings)) as database:
        Console(soft_wrap=True).print(Text(f"{database.where}: {database.schema}"))


@app.command()
def openapi() -> None:
    """Print the OpenAPI document of the HTTP API, to make clients from."""
    typer.echo(print_bytes(openapi_document()))


def _run(settings: Settings, *, with_examples: bool = False) -> None:
    """Serve until a signal; then end requests, connections and our PostgreSQL."""
    signal.signal(signal.SIGTERM, _leave)
    if settings.signing_key is not None:
        signing_key(settings).read()  # not at the first checkpoint
    if settings.import_dir is not None:
        _try_folder(settings.import_dir, "AGENTLOG_IMPORT_DIR")
    take_descriptors()
    map_large_blocks()
    console = Console(soft_wrap=True, highlight=False)
    with (
        logs_on_stderr(form=settings.log_format, level=settings.log_level),
        open_traces(TraceSettings()) as traces,
        bound(settings.host, settings.port) as listening,
        open_service(settings, new=True, on_commit=traces.on_commit) as service,
        ExitStack() as beside,
    ):
        access = service.database.write_access
        if settings.read_audit == "on":
            service.accesses.check_writable()
        host, port = listening.getsockname()[:2]
        anonymous = anonymous_from(settings, service, host)
        warn_of_other_keys(service.database, service.tenants.snapshot_key)
        listening.listen(_BACKLOG)
        if settings.gateway_url is not None and leads_to(settings.gateway_url, host, port):
            raise InvalidOption("AGENTLOG_GATEWAY_URL leads to this service: set the gateway's")
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        beside.enter_context(
            ErasureWatch(
                service.database, service.listener, service.tenants.eraser, service.tenants.forget
            )
        )
        beside.enter_context(
            WhileWritable(access, partial(Precomputation, service.tenants, service.listener))
        )
        if with_examples:
            examples.load_examples(service, console)
        application = application_over(settings, service, anonymous)
        config = uvicorn.Config(
            behind_proxies(
                traces.around(application),
                trusted=settings.forwarded_allow_ips,
                user_header=settings.user_header,
            ),
            http=bounded_connections(),
            ws="none",
            proxy_headers=False,
            log_config=None,  # uvicorn's loggers use our handlers
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        console.print(f"agentlog listens on {address}, with {service.where}: {service.schema}")
        if not access.is_given:
            console.print(f"it takes no writes: {access.kind}", markup=False)
        if traces.notice:
            console.print(traces.notice, markup=False)
        if with_examples:
            console.print(examples.tour(address, settings), markup=False)
        if settings.projections == "on":
            process = partial(projector_process, service.url, settings.data_dir)
            beside.enter_context(WhileWritable(access, process))
        beside.enter_context(WhileWritable(access, partial(_courier, settings, service)))
        collect_rarely()
        beside.enter_context(MemoryReturn())
        with suppress(KeyboardInterrupt):  # uvicorn re-raises Ctrl-C
            Server(config, application.state.followings).run(sockets=[listening])


def _try_folder(folder: Path, variable: str) -> None:
    """Raise `InvalidOption` for a folder that cannot be made, or takes no files."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except OSError as error:
        reason = f"no files can be made in {folder} ({error.strerror})"
        raise InvalidOption(f"{variable}: {reason}: name another folder, or unset it") from error


def application_over(settings: Settings, service: Service, anonymous: AnonymousFrom) -> FastAPI:
    """Return the application over an open service."""
    return create_app(
        service.tenants,
        service.database,
        own=service.own.name,
        entrance=Entrance(
            service.keys,
            service.accesses,
            anonymous=anonymous,
            allowed_hosts=settings.hosts,
            audited=settings.read_audit == "on",
        ),
        projection_status=service.projection_status,
        writer=service.writer,
        max_body_bytes=settings.max_body_bytes,
        max_blob_bytes=settings.max_blob_bytes,
        limits=limits_from(settings),
        addresses=Addresses.of(settings.webhook_networks),
        gateway_url=settings.gateway_url,
        access_log=(
            access_logger(form=settings.log_format, level=settings.log_level)
            if settings.access_log == "on"
            else None
        ),
    )


def _courier(settings: Settings, service: Service) -> Courier:
    poster = Poster(
        Addresses.of(settings.webhook_networks),
        cache(ssl.create_default_context),
        ThreadPoolExecutor(_RESOLVERS, thread_name_prefix="webhook names"),
        _WEBHOOK_SECONDS,
    )
    return Courier(service.database, service.listener, service.tenants, poster)


def take_descriptors() -> None:
    """Raise the limit of open files, for connections and streams, within reason."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if hard == resource.RLIM_INFINITY else min(hard, _DESCRIPTORS)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    with suppress(OSError, ValueError):  # some systems report more than they allow
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


class NoKeyYet(AgentlogError):
    """The service would answer strangers without a key."""

    def __init__(self, host: str) -> None:
        super().__init__(
            f"there is no key yet, and every client of {host} could read and change everything: "
            "make one by `agentlog keys create --name NAME --scope admin`, after which every "
            "request needs one; or allow all requests by --allow-anonymous or "
            "AGENTLOG_ANONYMOUS=allow"
        )


def anonymous_from(settings: Settings, service: Service, host: str) -> AnonymousFrom:
    """Return where callers without a key may come from until the first key is made.

    Raises:
        NoKeyYet: from anywhere, without the setting that allows it.
    """
    made = service.keys.look_made()
    if settings.anonymous == "allow":
        return "anywhere"
    if ip_address(host.partition("%")[0]).is_loopback:
        return "this machine"
    if not made:
        raise NoKeyYet(host)
    return "nowhere"


def _leave(number: int, frame: FrameType | None) -> None:
    """Exit cleanly: uvicorn raises the signal again after its own shutdown."""
    del number, frame
    sys.exit(0)


def leads_to(url: str, host: str, port: int) -> bool:
    """Return whether a URL leads to what listens at an address of this machine."""
    there = urlsplit(url).netloc.rpartition("@")[2]
    return there in {f"{name}:{port}" for name in (host, "localhost", "127.0.0.1")}


def bound(host: str, port: int) -> socket.socket:
    """Return a socket bound to that address, not yet listening."""
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        if os.name == "posix":  # as `socket.create_server` does, which would listen at once
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if bound.family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        reason = str(error.strerror).partition(" (while")[0]  # Python's message repeats the address
        way = "with --host (AGENTLOG_HOST)"
        if error.errno in {errno.EADDRINUSE, errno.EACCES}:
            way = "with --port (AGENTLOG_PORT), or --port 0 for any free one"
        raise AddressTaken(f"cannot listen on {host}:{port}: {reason}; choose another {way}") from (
            error
        )
    # send small responses at once; the event loop sets this only on its own sockets
    bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return bound
