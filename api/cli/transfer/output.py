"""Where exports go: a file, or standard output."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from agentlog.domain.errors import AgentlogError

Output = Annotated[
    Path | None, typer.Option("--output", "-O", help="File, default standard output.")
]


class UnwritableOutput(AgentlogError):
    """The file to export to cannot be written."""


@contextmanager
def output_file(output: Path | None, *, mode: int = 0o666) -> Iterator[BinaryIO]:
    """Yield a file to write to, new with this mode, or standard output.

    Raises:
        UnwritableOutput: it cannot be written.
    """
    if output is None:
        yield sys.stdout.buffer
        return
    try:
        with open(output, "wb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
            yield file
    except OSError as error:
        raise UnwritableOutput(f"{output} cannot be written: {error.strerror}") from error
