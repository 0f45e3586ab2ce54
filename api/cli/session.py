"""What every command does first and last: settings in, clear failures out."""

import logging
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import typer
from pydantic import ValidationError

from domain.errors import AgentlogError
from domain.json.text import JsonValue, print_text
from infrastructure.runtime.secret_redaction import ConcealingFormatter, without_secrets
from infrastructure.settings import Settings
from projections.registry import AnyView, choose_view

_REFUSED = 2
_INTERRUPTED = 130

_DRIVES_TERMINAL = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
"""What JSON need not escape, and a terminal obeys: controls, and turns of the direction of text."""


class InvalidOption(AgentlogError):
    """An option on the command line is off."""


def settings_with(
    *,
    data_dir: Path | None = None,
    host: str | None = None,
    port: int | None = None,
    anonymous: str | None = None,
) -> Settings:
    """Return the settings, with what the command line gives over what the environment says."""
    given = {"data_dir": data_dir, "host": host, "port": port, "anonymous": anonymous}
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type] # validated by the model
    except ValidationError as error:
        first = error.errors()[0]
        name = f"AGENTLOG_{str(first['loc'][0]).upper()}"
        raise InvalidOption(f"{name}: {first['msg'].lower()}") from error


def demo_settings(*, data_dir: Path | None, host: str | None, port: int | None) -> Settings:
    """Return the settings of the demo, which keeps its data apart from yours."""
    settings = settings_with(data_dir=data_dir, host=host, port=port)
    if data_dir is not None:
        return settings
    beside = settings.data_dir.with_name(f"{settings.data_dir.name}-demo")
    return settings.model_copy(update={"data_dir": beside})


@contextmanager
def failing_clearly() -> Iterator[None]:
    """Turn our errors into a line on standard error and an exit code, and Ctrl-C into 130."""
    if logging.lastResort is not None:  # what writes where nobody has said how, as `serve` does
        logging.lastResort.setFormatter(ConcealingFormatter())
    try:
        yield
        typer.echo(nl=False)  # only to flush: a reader of our output that has gone shows here
    except AgentlogError as error:
        fail(str(error))
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    except BrokenPipeError:  # the reader of our output has gone: `agentlog export | head`
        # what is left over goes nowhere, so that Python's last flush finds nothing to complain of
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None


def fail(reason: str) -> NoReturn:
    """Say why on standard error and exit with 2."""
    typer.echo(f"agentlog: {printable(without_secrets(reason))}", err=True)
    raise typer.Exit(_REFUSED)


def chosen_view(name: str, options: list[str]) -> AnyView:
    """Return the view with options given as NAME=VALUE."""
    pairs = [option.partition("=") for option in options]
    for text, (_, equals, _) in zip(options, pairs, strict=True):
        if not equals:
            raise InvalidOption(f"--option {text}: give NAME=VALUE")
    return choose_view(name, {key: value for key, _, value in pairs})


def json_line(value: JsonValue) -> str:
    """Return JSON on one line, as it may stand in a terminal: its control characters escaped."""
    return _DRIVES_TERMINAL.sub(lambda found: f"\\u{ord(found[0]):04x}", print_text(value))


def printable(text: str) -> str:
    """Return `text` with control characters made visible: a message cannot drive the terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)
