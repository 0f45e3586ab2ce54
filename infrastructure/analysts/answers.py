"""What analysts are told: answers to their queries, and the catalogue of their tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column of an answer; the type is PostgreSQL's word for it."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query came to.

    Each row is a JSON array as text, with every digit that the database has. `truncated`: there are
    more rows, which were beyond a bound. `as_of` says how much of the log is in each table.
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
    """A table that analysts may read: in truth a view, of their own rows."""

    name: str
    comment: str | None
    columns: Sequence[CatalogueColumn]
