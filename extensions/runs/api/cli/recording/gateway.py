"""The command gateway."""

import logging
import secrets
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from agentlog.api.cli.operations.service import Host, anonymous_from, bound, leads_to
from agentlog.api.cli.session import DataDir, InvalidOption, settings_with
from agentlog.api.composition import Service, open_service
from agentlog.domain.identifiers import Ulids
from agentlog.extensions.runs.api.gateway.recorder import proxy_process
from agentlog.extensions.runs.api.gateway.team import TeamOrder
from agentlog.extensions.runs.api.gateway.upstreams import Upstream, base_urls, upstreams_of
from agentlog.extensions.runs.infrastructure.exchanges.gateway_files import FOLDER
from agentlog.extensions.runs.infrastructure.exchanges.gateway_uploader import GatewayUploader
from agentlog.extensions.runs.infrastructure.exchanges.spools_aside import reason_of
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.runtime.file_lock import FileLock
from agentlog.infrastructure.runtime.logging import logs_on_stderr
from agentlog.infrastructure.settings import ProviderSettings

logger = logging.getLogger("agentlog")

app = typer.Typer()

_PORT = 8090
_BACKLOG = 2048
_MEANWHILE_SECONDS = 0.05
_OF_BODIES = 4
"""Times the limit of a body that a file may have: two bodies, in base64, and more."""
_GRACE_SECONDS = 10.0
"""How long the end waits for what is left; the next start uploads the rest."""
_AWAY_SECONDS = 2.0
"""How long to wait before the log is tried again."""


@app.command()
def gateway(
    host: Host = None,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 for any free one.")] = _PORT,
    *,
    allow_anonymous: Annotated[
        bool,
        typer.Option("--allow-anonymous", help="Let every client in, until a first key is made."),
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Pass on what many agents ask their providers, until Ctrl-C, and put it on record.

    Clients find it at the addresses that it prints, with a key of the scope append in the path once
    there are keys. Each conversation is a thread: the one that the path or x-agentlog-thread names,
    else the client's own session, else the one that a request goes on from. What the log cannot
    take meanwhile waits in files.
    """
    anonymous = "allow" if allow_anonymous else None
    settings = settings_with(data_dir=data_dir, host=host, anonymous=anonymous)
    upstreams = upstreams_of(ProviderSettings())
    stop = threading.Event()
    with (
        logs_on_stderr(form=settings.log_format, level=settings.log_level),
        bound(settings.host, port) as listener,
        _own_folder(settings.spool_dir / FOLDER) as folder,
        open_service(settings, new=True) as service,
        _stopping(stop),
    ):
        address = listener.getsockname()
        for upstream in upstreams:
            if leads_to(upstream.origin, address[0], address[1]):
                raise InvalidOption(
                    f"{upstream.variable} leads to this gateway: set the provider's"
                )
        order = TeamOrder(
            listener.fileno(),
            str(folder),
            {upstream.name: upstream.origin for upstream in upstreams},
            database=service.url,
            anonymous=anonymous_from(settings, service, address[0]),
            hosts=sorted(settings.hosts),
            own=service.own.name,
            log_format=settings.log_format,
            max_body_bytes=settings.max_body_bytes,
        )
        listener.listen(_BACKLOG)
        uploader = GatewayUploader(
            folder,
            lambda tenant: service.tenants[tenant].threads,
            new_run=Ulids(wall_clock, secrets.randbits),
            clock=wall_clock,
            most_bytes=_OF_BODIES * settings.max_body_bytes + 2**20,
        )
        typer.echo(_tour(address[0], address[1], service, upstreams))
        with proxy_process("agentlog.extensions.runs.api.gateway.team", order, listener):
            _upload(uploader, stop)
        _finish(uploader, folder)


def _upload(uploader: GatewayUploader, stop: threading.Event) -> None:
    """Upload until told to stop, whether or not the log can be reached."""
    is_away = False
    while not stop.wait(_AWAY_SECONDS if is_away else _MEANWHILE_SECONDS):
        try:
            uploader.upload()
        except Exception as error:  # noqa: BLE001 - agents go on
            if not is_away:
                logger.warning("exchanges wait in files: %s", reason_of(error))
            is_away = True
        else:
            is_away = False


def _finish(uploader: GatewayUploader, folder: Path) -> None:
    try:
        uploader.upload(is_over=True, seconds=_GRACE_SECONDS)
    except Exception as error:  # noqa: BLE001 - it ends in order
        typer.echo(f"agentlog: {reason_of(error)}; exchanges wait in {folder}", err=True)


@contextmanager
def _own_folder(folder: Path) -> Iterator[Path]:
    """Make the folder of the files, which one gateway at a time uploads."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = FileLock(folder / "lock")
    except OSError as error:
        raise InvalidOption(
            f"{folder} cannot be written ({error.strerror}): set AGENTLOG_SPOOL_DIR"
        ) from error
    with closing(lock):
        if not lock.try_exclusive():
            raise InvalidOption(f"another gateway uploads {folder}: set AGENTLOG_SPOOL_DIR")
        yield folder


@contextmanager
def _stopping(stop: threading.Event) -> Iterator[None]:
    """Have Ctrl-C and SIGTERM set an event until the block ends."""

    def ask(number: int, frame: FrameType | None) -> None:
        del number, frame
        stop.set()

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _tour(host: str, port: int, service: Service, upstreams: list[Upstream]) -> str:
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    key = "/KEY" if service.keys.look_made() else ""
    urls = base_urls(address + key, upstreams)
    first = upstreams[0]
    lines = [
        f"agentlog gateway listens on {address}, with {service.where}; for agents:",
        *(f"  {variable}={url}" for variable, url in urls.items()),
        f"To name the thread: {address}{key}/t/THREAD/{first.name}{first.path}, and so on.",
    ]
    if key:
        lines.append("KEY: agentlog keys create --name NAME --scope append")
    return "\n".join(lines)
