"""Runs an agent's command as a part of ours."""

import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, NamedTuple

import typer

from agentlog.api.cli.session import InvalidOption
from agentlog.api.composition import Service
from agentlog.extensions.runs.infrastructure.exchanges.uploader import Uploader
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools

ToolsOption = Annotated[
    Tools,
    typer.Option(
        help="Of tools behind mcp-proxy or recorded_tool: run them, answer from the record, or "
        "refuse. All others run."
    ),
]

_MEANWHILE_SECONDS = 0.2
_SIGNALLED = 128
"""A shell's exit code of a command that a signal ended, less the signal's number."""


class Ended(NamedTuple):
    """The exit code of a command, and whether Ctrl-C came meanwhile."""

    code: int
    is_interrupted: bool


def run_command(
    command: Sequence[str],
    environment: Mapping[str, str],
    meanwhile: Callable[[], None] = lambda: None,
    *,
    output: int | None = None,
) -> Ended:
    """Run a command, which gets the signals that this process gets, until it ends.

    `meanwhile` is called now and then. `output` is the descriptor that it prints to, by default
    ours. Raises `InvalidOption` if there is no such command.
    """
    try:
        started = subprocess.Popen(command, env=environment, stdout=output)  # noqa: S603 - the user's own
    except OSError as error:
        raise InvalidOption(f"{command[0]}: {error.strerror}") from error
    interrupts: list[bool] = []
    with started as process:
        before = {
            # the terminal sends it to the command too
            signal.SIGINT: signal.signal(signal.SIGINT, lambda *_: interrupts.append(True)),
            signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: process.terminate()),
        }
        try:
            while True:
                try:
                    code = process.wait(_MEANWHILE_SECONDS)
                except subprocess.TimeoutExpired:
                    meanwhile()
                else:
                    return Ended(code if code >= 0 else _SIGNALLED - code, any(interrupts))
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def uploading(uploader: Uploader, service: Service | None) -> Callable[[], None]:
    """Return what uploads now and then, as far as it can: the rest comes later."""

    def upload() -> None:
        if service is None:
            return
        with suppress(Exception):  # the command goes on, and the end of it tries again
            uploader.upload(service.threads)

    return upload
