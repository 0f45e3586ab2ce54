"""The command record."""

import os
import secrets
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from agentlog.api.cli.session import DataDir, InvalidOption, settings_with
from agentlog.api.composition import Service, open_service
from agentlog.domain.identifiers import Ulids, check_thread_id
from agentlog.extensions.runs.api.cli.recording.commands import run_command, uploading
from agentlog.extensions.runs.api.gateway.__main__ import SPOOL_FAILED
from agentlog.extensions.runs.api.gateway.recorder import recording
from agentlog.extensions.runs.api.gateway.upstreams import base_urls, environment_with, upstreams_of
from agentlog.extensions.runs.infrastructure.exchanges.machine import values_here
from agentlog.extensions.runs.infrastructure.exchanges.spool import Header, own_spool
from agentlog.extensions.runs.infrastructure.exchanges.spools_aside import reason_of
from agentlog.extensions.runs.infrastructure.exchanges.tool_calls import VARIABLE
from agentlog.extensions.runs.infrastructure.exchanges.uploader import Uploader, upload_left
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.settings import ProviderSettings, Settings

app = typer.Typer()


@app.command()
def record(
    command: Annotated[list[str], typer.Argument(help="The agent, unchanged; after --.")],
    thread: Annotated[
        str | None, typer.Option(help="Id of the thread; default record- and a new id.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="A name, kept as metadata.name.")] = None,
    *,
    data_dir: DataDir = None,
) -> None:
    """Run an agent, and put every exchange with its model providers on record.

    The command finds a proxy on loopback at OPENAI_BASE_URL, OPENAI_API_BASE, ANTHROPIC_BASE_URL
    and GOOGLE_GEMINI_BASE_URL. It passes all on, to where those variables led before, else to the
    provider. Keys are never stored. What the log cannot take meanwhile waits in a file, which the
    next `record` uploads. The exit code is the command's; 3 if not all could be recorded.
    """
    settings = settings_with(data_dir=data_dir)
    upstreams = upstreams_of(ProviderSettings())
    origins = {upstream.name: upstream.origin for upstream in upstreams}
    run = Ulids(wall_clock, secrets.randbits)()
    thread_id = check_thread_id(thread or f"record-{run}")
    with ExitStack() as stack:
        service = _service(stack, settings)
        header = Header(run, thread_id, name, values_here(), mask=_rule(service))
        try:
            spool = stack.enter_context(own_spool(settings.spool_dir, header))
        except OSError as error:
            _say(f"nothing is recorded: {settings.spool_dir} cannot be written: {error.strerror}")
            raise typer.Exit(run_command(command, os.environ).code or SPOOL_FAILED) from error
        uploader = Uploader(spool)
        try:
            with recording(spool, origins, most_bytes=settings.max_body_bytes) as recorder:
                urls = base_urls(recorder.url, upstreams)
                environment = environment_with({**urls, VARIABLE: str(spool)})
                code = run_command(command, environment, uploading(uploader, service)).code
        except InvalidOption:
            spool.unlink()
            raise
        service = service or _service(stack, settings)
        _finish(uploader, service, spool)
    if recorder.process.status == SPOOL_FAILED:
        _say(f"not all was recorded: {spool.parent} could not be written")
        code = code or SPOOL_FAILED
    raise typer.Exit(code)


def _service(stack: ExitStack, settings: Settings) -> Service | None:
    """Open the service, and upload what earlier recordings left; None if it cannot be."""
    try:
        service = stack.enter_context(open_service(settings, new=True))
    except Exception as error:  # noqa: BLE001 - the command runs all the same
        _say(f"{reason_of(error)}: exchanges wait in {settings.spool_dir}")
        return None
    try:
        for left, failure in upload_left(settings.spool_dir, service.threads):
            if failure is None:
                _say(
                    f"uploaded {left.exchanges} exchanges of an earlier recording: {left.thread_id}"
                )
            else:
                _say(f"an earlier recording, {left.thread_id}, waits: {reason_of(failure)}")
    except Exception as error:  # noqa: BLE001 - the command runs all the same
        _say(f"earlier recordings wait in {settings.spool_dir}: {reason_of(error)}")
    return service


def _rule(service: Service | None) -> str | None:
    """Return the rule for masking; None where there is none, or the log cannot be reached."""
    try:
        mask = None if service is None else service.threads.mask
    except DatabaseUnavailable:
        return None
    return None if mask is None else mask.source


def _finish(uploader: Uploader, service: Service | None, spool: Path) -> None:
    """Upload what is left, and say what is on record."""
    if service is None:
        _say(f"what was recorded waits in {spool}: the next `agentlog record` uploads it")
        return
    try:
        failure = uploader.finish(service.threads)
    except Exception as error:  # noqa: BLE001 - the exit code is the command's
        failure = error
    if failure is not None:
        _say(f"{reason_of(failure)}; what was recorded waits in {spool.parent}")
        return
    for reason in uploader.bare:
        _say(f"an exchange is on record without its messages: {reason}")
    calls = f" and {uploader.mcp_exchanges} with MCP servers" if uploader.mcp_exchanges else ""
    if not uploader.exchanges and not calls:
        _say("nothing recorded: does the command read a base URL from its environment?")
        return
    _say(
        f"recorded {uploader.exchanges} exchanges{calls} in {uploader.threads} threads: "
        f"{uploader.thread_id}"
    )


def _say(text: str) -> None:
    typer.echo(f"agentlog: {text}", err=True)
