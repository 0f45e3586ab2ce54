"""Answers to queries and the catalogue of tables, as JSON, CSV and text."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Annotated

import orjson
from pydantic import WithJsonSchema
from typing_extensions import TypedDict

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.text import parse_stored, print_text
from agentlog.domain.json.values import JsonValue, array_of
from agentlog.infrastructure.analysts.answers import AnswerColumn, QueryResult
from agentlog.infrastructure.analysts.errors import InvalidQuery

_ROW = {"type": "array", "items": {}}


class QueryAnswer(TypedDict):
    r"""Rows in the order of the columns.

    Numbers keep every digit (NaN and infinities are strings), times are RFC 3339, bytes are
    hexadecimal after `\x`. `truncated`: there are more rows. `asOf`: for each table the position
    in the log up to which it is filled.
    """

    columns: Sequence[AnswerColumn]
    rows: Annotated[
        object, WithJsonSchema({"type": "array", "items": {"type": "array", "items": {}}})
    ]
    rowCount: int
    truncated: bool
    asOf: dict[str, int]


def query_json(answer: QueryResult) -> QueryAnswer:
    """Return an answer as JSON; its rows are JSON already."""
    return {
        "columns": answer.columns,
        "rows": orjson.Fragment(b"[" + b",".join(answer.rows) + b"]"),
        "rowCount": len(answer.rows),
        "truncated": answer.truncated,
        "asOf": dict(answer.as_of),
    }


def query_csv(answer: QueryResult) -> str:
    """Return an answer as CSV (RFC 4180), its column names first; raises `InvalidQuery`."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column.name for column in answer.columns])
    writer.writerows(rows_of_text(answer))
    return text.getvalue()


def rows_of_text(answer: QueryResult) -> Iterator[list[str]]:
    """Yield rows as text: empty for null, JSON for values other than texts and numbers.

    Raises:
        InvalidQuery: a value is nested too deep.
    """
    for row in answer.rows:
        try:
            yield [_text(value) for value in array_of(parse_stored(row))]
        except (RecursionError, InvalidJson) as error:
            raise InvalidQuery(
                "a JSON value is nested too deep for a table: select a part of it, or have the "
                "answer as JSON"
            ) from error


def _text(value: JsonValue) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case WrittenFloat():
            return value.text
        case _:
            return print_text(value)
