"""Shared by all commands: settings, error messages and exit codes."""

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
"""Control and bidirectional characters that JSON need not escape but a terminal interprets."""


class InvalidOption(AgentlogError):
    """An option on the command line is off."""


def settings_with(
    *,
    data_dir: Path | None = None,
    host: str | None = None,
    port: int | None = None,
    anonymous: str | None = None,
) -> Settings:
    """Return the settings; options of the command line override the environment."""
    given = {"data_dir": data_dir, "host": host, "port": port, "anonymous": anonymous}
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type] # validated by the model
    except ValidationError as error:
        first = error.errors()[0]
        name = f"AGENTLOG_{str(first['loc'][0]).upper()}"
        raise InvalidOption(f"{name}: {first['msg'].lower()}") from error


def demo_settings(*, data_dir: Path | None, host: str | None, port: int | None) -> Settings:
    """Return the settings of the demo, with a data folder of its own."""
    settings = settings_with(data_dir=data_dir, host=host, port=port)
    if data_dir is not None:
        return settings
    beside = settings.data_dir.with_name(f"{settings.data_dir.name}-demo")
    return settings.model_copy(update={"data_dir": beside})


@contextmanager
def failing_clearly() -> Iterator[None]:
    """Turn our errors into a line on standard error and an exit code, and Ctrl-C into 130."""
    if logging.lastResort is not None:  # the default logging; `serve` configures its own
        logging.lastResort.setFormatter(ConcealingFormatter())
    try:
        yield
        typer.echo(nl=False)  # flush: a closed reader of our output is detected here
    except AgentlogError as error:
        fail(str(error))
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        raise typer.Exit(_INTERRUPTED) from None
    except BrokenPipeError:  # the reader of our output is closed: `agentlog export | head`
        # discard the rest, so that Python's last flush does not fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None


def fail(reason: str) -> NoReturn:
    """Print the reason on standard error and exit with 2."""
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
    """Return JSON on one line, safe for a terminal: control characters are escaped."""
    return _DRIVES_TERMINAL.sub(lambda found: f"\\u{ord(found[0]):04x}", print_text(value))


def printable(text: str) -> str:
    """Return `text` with control characters made visible, safe for a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)
