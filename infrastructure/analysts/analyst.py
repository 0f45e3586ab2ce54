"""Runs queries of analysts, and reads the catalogue of their tables."""

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby

import psycopg

from agentlog.infrastructure.analysts.answers import (
    AnswerColumn,
    CatalogueColumn,
    CatalogueTable,
    QueryResult,
)
from agentlog.infrastructure.analysts.errors import (
    AnalystNotConfined,
    Complaint,
    InvalidQuery,
    NotAQuery,
    QueryForbidden,
    QueryRejected,
    QueryTooSlow,
    RowTooLarge,
)
from agentlog.infrastructure.analysts.login import Login
from agentlog.infrastructure.analysts.parameters import Parameters, SqlQuery, query_of
from agentlog.infrastructure.analysts.session import DeadlinePassed, Session, StatementRefused
from agentlog.infrastructure.analysts.slots import Slots
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.postgres.statements import statement

MOST_ROWS = 100_000
USUAL_ROWS = 1000
MOST_BYTES = 16 * 2**20
"""Most bytes of the rows of an answer as JSON."""
USUAL_SECONDS = 30.0

_ON_ONE_LINE = bytes.maketrans(b"\n\r\t", b"   ")  # between tokens of JSON


class Analyst:
    """Runs queries by the analysts' login of a tenant.

    Each takes at most `most_seconds` and returns at most `most_bytes`; `slots` limits concurrent
    queries of all tenants.
    """

    def __init__(
        self,
        login: Login,
        *,
        tenant: str,
        slots: Slots,
        most_seconds: float = USUAL_SECONDS,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._login = login
        self._tenant = tenant
        self._slots = slots
        self._most_seconds = most_seconds
        self._most_bytes = most_bytes

    def slot(self) -> AbstractContextManager[None]:
        """Return a context manager that holds a slot.

        Raises:
            TooManyQueries: the tenant has as many as it may.
            QueriesExhausted: none is free.
        """
        return self._slots.taken(self._tenant)

    def query(
        self,
        written: str,
        parameters: Parameters = (),
        *,
        limit: int = USUAL_ROWS,
        seconds: float | None = None,
    ) -> QueryResult:
        """Return the answer to a query, in one read-only transaction that is never committed.

        Args:
            written: one SELECT, VALUES, TABLE or WITH … SELECT.
            parameters: values for `:name`, or in order for `$1`.
            limit: of rows, up to `MOST_ROWS`.
            seconds: its timeout; by default, and at most, the analyst's own.

        Raises:
            InvalidQuery: the query, its parameters or its limits are invalid; see its subclasses.
            NoAnalystLogin: analysts cannot log in yet.
            AnalystNotConfined: their login has other rights than an analyst's.
            DatabaseUnavailable: the database does not answer.
        """
        if not 1 <= limit <= MOST_ROWS:
            raise InvalidQuery(f"limit: from 1 to {MOST_ROWS} rows")
        seconds = self._most_seconds if seconds is None else seconds
        if not 0 < seconds <= self._most_seconds:
            raise InvalidQuery(f"seconds: more than 0, up to {self._most_seconds:g}")
        query = query_of(written, parameters)
        began = time.monotonic()
        with self._session(seconds) as session:
            try:
                return self._answer(session, query, limit)
            except StatementRefused as refused:
                late = time.monotonic() - began >= seconds
                raise _error_of(refused, query, seconds=seconds if late else None) from refused

    def tables(self) -> list[CatalogueTable]:
        """Return the tables that queries may read, by name; raises as `query`."""
        with self._session(self._most_seconds) as session:
            rows = session.ask(statement("select_catalogue"))
        return [
            CatalogueTable(
                name,
                comment,
                [CatalogueColumn(row["name"], row["type"], row["comment"]) for row in columns],
            )
            for (name, comment), columns in groupby(
                rows, lambda row: (row["table_name"], row["table_comment"])
            )
        ]

    @contextmanager
    def _session(self, seconds: float) -> Iterator[Session]:
        try:
            with Session(self._login(), seconds=seconds) as session:
                _check_confined(session, self._tenant)
                yield session
        except DeadlinePassed as error:
            raise QueryTooSlow(seconds=seconds) from error

    def _answer(self, session: Session, query: SqlQuery, limit: int) -> QueryResult:
        progress = session.ask("SELECT name, position FROM progress ORDER BY name")
        columns, types = session.describe(query.text)
        if len(types) != len(query.values):
            raise InvalidQuery(
                f"parameters: the query takes {len(types)} parameters, "
                f"and {len(query.values)} are given"
            )
        described = [
            AnswerColumn(column[0], type_name)
            for column, type_name in zip(columns, _types(session, columns), strict=True)
        ]
        head, tail = _around(len(columns), limit=limit, most_bytes=self._most_bytes)
        rows: list[bytes] = []
        size = 0
        truncated = False
        try:
            for row in session.run(f"{head}{query.text}{tail}", query.values, types):
                if row is None:
                    raise RowTooLarge(most_bytes=self._most_bytes)
                size += len(row) + 1
                truncated = len(rows) == limit or size > self._most_bytes
                if truncated:
                    break
                rows.append(row.translate(_ON_ONE_LINE))
        except StatementRefused as refused:
            if refused.sqlstate == psycopg.errors.SyntaxError.sqlstate:  # by itself it had none
                raise NotAQuery from refused
            if refused.position is not None:
                refused.position -= len(head)
            raise
        return QueryResult(
            described, rows, truncated, {row["name"]: row["position"] for row in progress}
        )


def _around(columns: int, *, limit: int, most_bytes: int) -> tuple[str, str]:
    """Return the SQL around a query, which only a query fits into.

    In a FROM, anything but a query is a syntax error, and a WITH there cannot change data. The
    database turns rows into JSON: it knows all its types, keeps every digit, and finds rows that
    are too large before they are sent.
    """
    names = [f"c{number}" for number in range(1, columns + 1)]
    values = ", ".join(f"to_json(q.{name})::text" for name in names)
    head = (
        f"SELECT CASE WHEN octet_length(j) < {most_bytes} THEN j END FROM ("  # noqa: S608 - numbers
        f"SELECT '[' || array_to_string(ARRAY[{values}]::text[], ',', 'null') || ']' AS j FROM (\n"
    )
    alias = f"q ({', '.join(names)})" if names else "q"
    return head, f"\n) AS {alias} OFFSET 0) AS rows LIMIT {limit + 1}"  # 0: evaluated once a row


def _types(session: Session, columns: Sequence[tuple[str, int, int]]) -> list[str]:
    rows = session.ask(
        "SELECT format_type(type, modifier) AS type "
        "FROM unnest(%s::oid[], %s::integer[]) WITH ORDINALITY AS _ (type, modifier, place) "
        "ORDER BY place",
        ([column[1] for column in columns], [column[2] for column in columns]),
    )
    return [row["type"] for row in rows]


def _check_confined(session: Session, tenant: str) -> None:
    try:
        (analyst,) = session.ask(statement("select_analyst"))
    except psycopg.ProgrammingError as error:
        raise AnalystNotConfined("agentlog's views are not where it leads") from error
    if analyst["mighty"] or analyst["privileged"]:
        raise AnalystNotConfined("it has rights beyond reading")
    if analyst["insider"]:
        raise AnalystNotConfined("it has rights on agentlog's own tables")
    if analyst["tenant"] != tenant:
        raise AnalystNotConfined("it is not bound to the tenant of this service")


def _error_of(
    refused: StatementRefused, query: SqlQuery, *, seconds: float | None
) -> InvalidQuery | Exception:
    """Return the error for PostgreSQL's; `seconds` if the query used up its time."""
    errors = psycopg.errors
    match refused.sqlstate:
        case errors.SyntaxError.sqlstate if refused.position is None:  # more than one statement
            return NotAQuery()
        case errors.QueryCanceled.sqlstate if seconds is not None:
            return QueryTooSlow(seconds=seconds)
        case state if state.startswith(("57P", "08")):
            return DatabaseUnavailable(refused.message)
        case errors.InsufficientPrivilege.sqlstate | errors.ReadOnlySqlTransaction.sqlstate:
            return QueryForbidden(_complaint(refused, query))
        case _:
            return QueryRejected(_complaint(refused, query))


def _complaint(refused: StatementRefused, query: SqlQuery) -> Complaint:
    place = (
        query.place(refused.position)
        if refused.position is not None and refused.position > 0
        else (None, None, None)
    )
    return Complaint(refused.sqlstate, refused.message, refused.detail, refused.hint, *place)
