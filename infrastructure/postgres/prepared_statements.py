"""Server-side prepared statements with binary parameters, called through libpq.

psycopg's cursors inspect each value for its format, and each statement for whether to prepare it:
nearly a tenth of a millisecond an append, and more with cold caches.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from struct import Struct
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg.adapt import Transformer
from psycopg.errors import InvalidSqlStatementName, error_from_result
from psycopg.generators import execute, fetch_many
from psycopg.generators import send as flush
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult
from psycopg.rows import TupleRow

from infrastructure.postgres.binary_arrays import BooleanArray, BytesArray, IntegerArray, TextArray
from infrastructure.postgres.statements import statement

Parameter = str | int | bytes | datetime | None
"""The types of parameters; a `bool` is an `int`."""


class Prepared:
    """Named statements, each prepared on a connection when it is first run there.

    Parameters have the types that the statement casts them to: a number is a `bigint`.
    """

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[psycopg.Connection, dict[str, list[str]]]
        self._known = WeakKeyDictionary()

    def execute(
        self, connection: psycopg.Connection, name: str, parameters: Mapping[str, Parameter]
    ) -> PGresult:
        """Return the binary result of a statement, outside of a transaction and a pipeline.

        Raises:
            psycopg.Error: as psycopg's own `execute`.
        """
        known = self._known.setdefault(connection, {})
        if name in known:
            try:
                return _execute(connection, name, known[name], parameters)
            except InvalidSqlStatementName:
                pass  # after a rollback psycopg may have deallocated all prepared statements
        known[name] = _prepare(connection, name)
        return _execute(connection, name, known[name], parameters)


def send(connection: psycopg.Connection, name: str, parameters: Mapping[str, Parameter]) -> None:
    """Send a named statement within a transaction; `finish` waits for it.

    It is not prepared: a missing prepared statement would fail the transaction.
    """
    text, order = _numbered(name)
    values = _values(order, parameters)
    formats = [Format.BINARY] * len(values)
    connection.pgconn.send_query_params(text, values, None, formats, Format.BINARY)
    connection.wait(flush(connection.pgconn))


def finish(connection: psycopg.Connection) -> PGresult:
    """Return the result of the statement sent; raises as psycopg's own `execute`."""
    (result,) = connection.wait(fetch_many(connection.pgconn))  # which Ctrl-C may end
    return _checked(result)


def rows_in(connection: psycopg.Connection, result: PGresult) -> list[TupleRow]:
    """Return the rows of a result, as psycopg's cursors do."""
    transformer = Transformer(connection)
    transformer.set_pgresult(result)
    return transformer.load_rows(0, result.ntuples, tuple)


def bytes_in(result: PGresult, row: int, column: int) -> bytes:
    """Return a `bytea` of a result."""
    value = result.get_value(row, column)
    if value is None:
        raise TypeError("the value is NULL")
    return value


def _prepare(connection: psycopg.Connection, name: str) -> list[str]:
    """Prepare a statement by its name; return the names of its parameters, in their order."""
    text, order = _numbered(name)
    connection.pgconn.send_prepare(name.encode(), text)
    (result,) = connection.wait(execute(connection.pgconn))
    _checked(result)
    return order


@cache
def _numbered(name: str) -> tuple[bytes, list[str]]:
    """Return a statement with its parameters by number, and their names in that order."""
    text = statement(name)
    names = list(dict.fromkeys(_PLACEHOLDER.findall(text)))
    return _PLACEHOLDER.sub(lambda found: f"${names.index(found[1]) + 1}", text).encode(), names


def _execute(
    connection: psycopg.Connection,
    name: str,
    order: Sequence[str],
    parameters: Mapping[str, Parameter],
) -> PGresult:
    values = _values(order, parameters)
    formats = [Format.BINARY] * len(values)
    connection.pgconn.send_query_prepared(name.encode(), values, formats, Format.BINARY)
    (result,) = connection.wait(execute(connection.pgconn))  # which Ctrl-C may end
    return _checked(result)


def _values(order: Sequence[str], parameters: Mapping[str, Parameter]) -> list[bytes | None]:
    given = [parameters[each] for each in order]
    return [None if value is None else _BINARY[type(value)](value) for value in given]


def _checked(result: PGresult) -> PGresult:
    if result.status in {ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK}:
        return result
    raise error_from_result(result, "utf-8")


def _time(value: datetime) -> bytes:
    return _EIGHT_BYTES.pack((value - _EPOCH) // _MICROSECOND)


def _boolean(value: int) -> bytes:
    return b"\x01" if value else b"\x00"


_PLACEHOLDER = re.compile(r"%\((\w+)\)[sb]")
_EIGHT_BYTES = Struct("!q")
_EPOCH = datetime(2000, 1, 1, tzinfo=UTC)  # PostgreSQL's
_MICROSECOND = timedelta(microseconds=1)
_BINARY: dict[type, Callable[[Any], bytes]] = {
    str: str.encode,
    int: _EIGHT_BYTES.pack,
    bool: _boolean,
    datetime: _time,
    bytes: bytes,
    **dict.fromkeys((TextArray, BytesArray, IntegerArray, BooleanArray), bytes),
}
