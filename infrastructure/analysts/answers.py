"""Results for analysts: answers to queries, and the catalogue of tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of an answer; the type has PostgreSQL's name."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class QueryResult:
    """The result of a query.

    Each row is a JSON array as text, with every digit that the database has. `truncated`: more rows
    were left out by a limit. `as_of` is the position of the log that each table has reached.
    """

    columns: Sequence[AnswerColumn]
    rows: Sequence[bytes]
    truncated: bool
    as_of: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CatalogueColumn:
    """A column of a table that analysts may read."""

    name: str
    type: str
    comment: str | None


@dataclass(frozen=True, slots=True)
class CatalogueTable:
    """A table that analysts may read: a view of their tenant's rows."""

    name: str
    comment: str | None
    columns: Sequence[CatalogueColumn]
