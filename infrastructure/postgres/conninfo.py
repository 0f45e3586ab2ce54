"""Connection strings; errors about them repeat no part of the string.

A password with characters that are special in a URL ends up in other fields, which errors of
psycopg, libpq and the resolver repeat.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

FORM = (
    "write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, and in the password all but letters and "
    "digits as %XX (an @ is %40)"
)


class InvalidConninfo(psycopg.ProgrammingError):
    """It does not say where a database is."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Statement and lock timeouts; options in the URL have precedence.

    `answer_seconds`: how soon the server has to answer a trivial statement while others run; if it
    does not, it hangs, and all of them end as broken off. None: however late.
    """

    statement_seconds: float = 60.0
    lock_seconds: float = 10.0
    answer_seconds: float | None = None

    @property
    def options(self) -> str:
        """The timeouts as libpq options."""
        return (
            f"-c lock_timeout={self.lock_seconds * 1000:.0f}ms "
            f"-c statement_timeout={self.statement_seconds * 1000:.0f}ms "
            # a stopped writer would hold the counter's lock and block every other writer
            "-c idle_in_transaction_session_timeout=30s"
        )


USUAL_TIMEOUTS = Timeouts()
WHOLE_LOG_TIMEOUTS = Timeouts(statement_seconds=86_400)
"""For commands with statements that read the whole log: 160 s for 100 million events."""


@contextmanager
def untimed(connection: psycopg.Connection) -> Iterator[None]:
    """Let statements on a connection in autocommit mode take any time, in the block."""
    for timeout in ("statement_timeout", "lock_timeout"):
        connection.execute("SELECT set_config(%s, '0', false)", (timeout,))
    try:
        yield
    finally:
        if not connection.closed:
            connection.execute("RESET statement_timeout")
            connection.execute("RESET lock_timeout")


def read_conninfo(text: str) -> Mapping[str, Any]:
    """Return the parameters of a connection URL or a keyword/value string.

    Raises:
        InvalidConninfo: it cannot be read, or its password strayed into host or port.
    """
    try:
        given = conninfo_to_dict(text)
    except psycopg.ProgrammingError:
        raise InvalidConninfo(FORM) from None
    host, port = str(given.get("host") or ""), str(given.get("port") or "")
    if "@" in host or (port and not port.replace(",", "0").isdecimal()):
        raise InvalidConninfo(FORM)
    return given


def session_conninfo(
    url: str,
    defaults: Mapping[str, int],
    *,
    timeouts: Timeouts,
    role: str | None,
    read_only: bool = False,
) -> str:
    """Return a URL's connection string with `defaults`, timeouts and a role, where it sets none.

    `read_only`: transactions are, whatever the URL sets.

    Raises:
        InvalidConninfo: it cannot be read.
    """
    given = {**defaults, **read_conninfo(url)}
    own = [timeouts.options, "-c timezone=UTC"]  # times of a named zone take longer to read
    if role is not None:
        own.append(f"-c role={role}")
    # later options have precedence
    last = ["-c default_transaction_read_only=on"] if read_only else []
    options = " ".join([*own, given.get("options") or "", *last]).strip()
    return make_conninfo(**{**given, "options": options})
