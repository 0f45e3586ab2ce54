"""How commands fail; a module of its own, as some commands start in a moment."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

import typer

from agentlog.api.cli import INTERRUPTED
from agentlog.api.cli.terminal import printable
from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.runtime.secret_redaction import ConcealingFormatter, without_secrets

_REFUSED = 2
_SIGNALLED = 128
"""Added to a signal's number: the exit code of shells."""
_ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Windows has no HUP."""


@contextmanager
def failing_clearly() -> Iterator[None]:
    """Turn our errors into a line on standard error and an exit code, Ctrl-C into 130.

    TERM, and HUP of a closed terminal, end the block too, so that it stops our own PostgreSQL.
    """
    if logging.lastResort is not None:  # the default logging; `serve` configures its own
        logging.lastResort.setFormatter(ConcealingFormatter())
    is_main = threading.current_thread() is threading.main_thread()  # no other takes signals
    taken = [number for number in _ENDING if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _leave)
    try:
        yield
        typer.echo(nl=False)  # flush: a closed reader of our output is detected here
    except AgentlogError as error:
        _fail(str(error))
    except UnicodeEncodeError as error:  # arguments that are not UTF-8 have lone surrogates
        _fail(f"{error.object[error.start : error.end]!a} in an argument is not UTF-8")
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:  # the reader of our output is closed: `agentlog export | head`
        # discard the rest, so that Python's last flush does not fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _leave(number: int, frame: FrameType | None) -> None:
    del frame
    for other in _ENDING:
        signal.signal(other, signal.SIG_IGN)  # until all is closed
    raise SystemExit(_SIGNALLED + number)


def print_failure(reason: str) -> None:
    """Print why a command fails, without secrets, on standard error."""
    typer.echo(f"agentlog: {printable(without_secrets(reason))}", err=True)


def _fail(reason: str) -> NoReturn:
    print_failure(reason)
    raise typer.Exit(_REFUSED)
