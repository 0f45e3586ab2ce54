"""A database connection for one analyst's query, so that queries share no session state.

It is driven at the level of libpq. A query is prepared before it runs, which admits only one
statement; rows are received one by one, up to the limit; and waiting ends at a deadline, whatever
the server does.
"""

import logging
import selectors
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import LiteralString

import psycopg
from psycopg.abc import Params
from psycopg.conninfo import make_conninfo
from psycopg.pq import DiagnosticField, ExecStatus
from psycopg.pq.abc import PGresult
from psycopg.rows import DictRow, dict_row
from typing_extensions import override

from agentlog.infrastructure.postgres.conninfo import read_conninfo
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.runtime.closeable import Closing

logger = logging.getLogger("agentlog")

_GRACE_SECONDS = 2.0
_CANCEL_SECONDS = 2.0
_BOUNDS = (
    "-c default_transaction_read_only=on -c search_path=agentlog_analytics "
    "-c lock_timeout=5s -c idle_in_transaction_session_timeout=60s -c statement_timeout={}ms "
    "-c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=iso_8601 -c bytea_output=hex "
    "-c extra_float_digits=1 -c standard_conforming_strings=on"
)


class StatementRefused(Exception):
    """PostgreSQL refused a statement; `position` counts its characters from 1."""

    def __init__(self, result: PGresult) -> None:
        def field(name: DiagnosticField) -> str | None:
            field = result.error_field(name)
            return None if field is None else field.decode("utf-8", "replace")

        self.sqlstate = field(DiagnosticField.SQLSTATE) or ""
        self.message = field(DiagnosticField.MESSAGE_PRIMARY) or "PostgreSQL gave no reason"
        self.detail = field(DiagnosticField.MESSAGE_DETAIL)
        self.hint = field(DiagnosticField.MESSAGE_HINT)
        position = field(DiagnosticField.STATEMENT_POSITION)
        self.position = None if position is None else int(position)
        super().__init__(self.message)


class DeadlinePassed(Exception):
    """The server has not answered in time."""


class Session(Closing):
    """An analyst's connection, in one read-only transaction that is never committed."""

    def __init__(self, conninfo: str, *, seconds: float) -> None:
        """Log in; `seconds` limits each statement, and nearly all of them together.

        Raises:
            DatabaseUnavailable: the login failed; the service's log has the reason.
            DeadlinePassed: the time is over already.
        """
        self.deadline = time.monotonic() + seconds + _GRACE_SECONDS
        try:
            given = read_conninfo(conninfo).get("options") or ""
            bounds = _BOUNDS.format(max(1, round(seconds * 1000)))
            self._connection = psycopg.connect(
                make_conninfo(conninfo, options=f"{given} {bounds}".strip()),
                autocommit=True,
                client_encoding="UTF8",
                connect_timeout=10,
                application_name="agentlog analyst",
            )
        except psycopg.ProgrammingError:  # its text may contain the password
            logger.warning("analysts cannot log in: their URL does not parse")
            raise DatabaseUnavailable("the URL of the analysts' login does not parse") from None
        except psycopg.Error as error:
            logger.warning("analysts cannot log in: %s", str(error).strip())
            raise DatabaseUnavailable("analysts cannot log in; the log says why") from error
        self._pgconn = self._connection.pgconn
        try:
            self.ask("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        except BaseException:
            self.close()
            raise

    def ask(self, query: LiteralString, parameters: Params | None = None) -> list[DictRow]:
        """Return the rows of an internal query; raises `DeadlinePassed`, `DatabaseUnavailable`."""
        try:
            with self._connection.cursor(row_factory=dict_row) as cursor:
                cursor.execute(query, parameters)
                return cursor.fetchall() if cursor.description else []
        except psycopg.errors.QueryCanceled as error:
            raise DeadlinePassed from error
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(str(error).strip()) from error

    def describe(self, query: str) -> tuple[list[tuple[str, int, int]], list[int]]:
        """Return a query's columns (name, type, modifier) and the types of its parameters.

        Nothing is run. Raises `StatementRefused`, also for more than one statement.
        """
        self._pgconn.send_prepare(b"", query.encode())
        for _ in self._results():
            pass
        self._pgconn.send_describe_prepared(b"")
        (result,) = self._results()
        columns = [
            ((result.fname(i) or b"").decode("utf-8", "replace"), result.ftype(i), result.fmod(i))
            for i in range(result.nfields)
        ]
        return columns, [result.param_type(i) for i in range(result.nparams)]

    def run(
        self, query: str, values: Sequence[bytes | None], types: Sequence[int]
    ) -> Iterator[bytes | None]:
        """Yield the first column of each row as text, as they come."""
        self._pgconn.send_query_params(query.encode(), values, types)
        self._pgconn.set_single_row_mode()
        for result in self._results():
            if result.status == ExecStatus.SINGLE_TUPLE:
                yield result.get_value(0, 0)

    @override
    def close(self) -> None:
        """Log out; a running query is cancelled."""
        with suppress(psycopg.Error):
            if self._connection.info.transaction_status == psycopg.pq.TransactionStatus.ACTIVE:
                self._connection.cancel_safe(timeout=_CANCEL_SECONDS)
        self._connection.close()

    def _results(self) -> Iterator[PGresult]:
        with selectors.DefaultSelector() as selector:
            selector.register(self._pgconn.socket, selectors.EVENT_READ)
            while (result := self._next(selector)) is not None:
                if result.status == ExecStatus.FATAL_ERROR:
                    raise StatementRefused(result)
                yield result

    def _next(self, selector: selectors.BaseSelector) -> PGresult | None:
        """Return the next result of the statement sent, None at its end."""
        try:
            while (unsent := self._pgconn.flush()) or self._pgconn.is_busy():
                events = selectors.EVENT_READ | (selectors.EVENT_WRITE if unsent else 0)
                selector.modify(self._pgconn.socket, events)
                left = self.deadline - time.monotonic()
                if left <= 0:
                    raise DeadlinePassed
                ready = selector.select(left)
                if any(mask & selectors.EVENT_READ for _, mask in ready):
                    self._pgconn.consume_input()
            return self._pgconn.get_result()
        except psycopg.OperationalError as error:
            raise DatabaseUnavailable(str(error).strip()) from error
