"""Logging: all loggers' records in one format on standard error.

Loggers are the standard library's, so that no module depends on this one; structlog formats the
lines. Values that a request binds to its context (its id) are in every line that it causes.
"""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TextIO

import orjson
import structlog
from structlog.typing import EventDict, FilteringBoundLogger, Processor
from typing_extensions import override

from agentlog.infrastructure.runtime.secret_redaction import hints_at_secret, without_secrets

LogFormat = Literal["auto", "json", "text"]
Level = Literal["debug", "info", "warning", "error"]

_OURS = "agentlog"


@contextmanager
def logs_on_stderr(*, form: LogFormat, level: Level) -> Iterator[None]:
    """Write logs until the block ends: our own from `level`, others at least from warnings.

    `auto` is text on a terminal and JSON elsewhere.
    """
    root, ours = logging.getLogger(), logging.getLogger(_OURS)
    before = root.level, ours.level
    handler = _StandardError()
    handler.setFormatter(formatter(form))
    handler.setLevel(level.upper())  # some libraries' loggers have a lower level of their own
    root.addHandler(handler)
    ours.setLevel(level.upper())
    root.setLevel(max(ours.level, logging.WARNING))
    try:
        yield
    finally:
        root.removeHandler(handler)
        root.setLevel(before[0])
        ours.setLevel(before[1])


def access_logger(*, form: LogFormat, level: Level) -> FilteringBoundLogger:
    """Return the logger of requests, which bypasses the standard library's slower one.

    Its fields are few, and only the id, which is checked, comes from a client.
    """
    logger: FilteringBoundLogger = structlog.wrap_logger(
        structlog.WriteLogger(sys.stderr),
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *_printing(form),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
    ).bind(logger="agentlog.access")
    return logger


def formatter(form: LogFormat) -> logging.Formatter:
    """Return the formatter of log records."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.stdlib.ExtraAdder(),
            _leave_out,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,  # plain: without values of variables
            *_printing(form),
        ],
    )


def _printing(form: LogFormat) -> list[Processor]:
    terminal = sys.stderr.isatty()
    if form == "json" or (form == "auto" and not terminal):
        return [_conceal, structlog.processors.JSONRenderer(serializer=_json_line)]
    return [_conceal, structlog.dev.ConsoleRenderer(colors=terminal)]


class _StandardError(logging.StreamHandler[TextIO]):
    """Handler that writes to the current `sys.stderr`."""

    @override
    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        self.stream = sys.stderr
        super().emit(record)

    @override
    def handleError(self, record: logging.LogRecord) -> None:
        """Drop a line that cannot be written, as there is nowhere to report it."""


def _leave_out(_: object, __: str, line: EventDict) -> EventDict:
    """Drop the formatted line that another handler's formatter left in the record."""
    line.pop("message", None)
    line.pop("asctime", None)
    return line


def _conceal(_: object, __: str, line: EventDict) -> EventDict:
    """Redact secrets in all values of a line."""
    texts = {
        key: value if isinstance(value, str) else str(value)
        for key, value in line.items()
        if not isinstance(value, int | float | None)
    }
    if hints_at_secret("\n".join(texts.values())):
        texts = {key: without_secrets(text) for key, text in texts.items()}
    return {**line, **texts}


def _json_line(line: EventDict, **_: object) -> str:
    try:
        return orjson.dumps(line).decode()
    except TypeError:  # a lone surrogate, or a number of more than 64 bits
        texts = {key: str(value).encode(errors="replace").decode() for key, value in line.items()}
        return orjson.dumps(texts).decode()
