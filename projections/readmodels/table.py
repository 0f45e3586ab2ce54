"""Tables of read models, defined by their row classes.

One definition gives the table, the comments on its columns, the catalogue for analysts and the
schema of Parquet files.
"""

from dataclasses import dataclass, fields
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

SqlType = Literal["text", "bigint", "double precision", "timestamptz", "boolean", "tsvector"]


class Words(tuple[str, ...]):
    """Words to search for, each once, without NUL."""

    __slots__ = ()


_SQL_TYPES: dict[type, SqlType] = {
    str: "text",
    int: "bigint",
    float: "double precision",
    datetime: "timestamptz",
    bool: "boolean",
    Words: "tsvector",
}


RecordedAt = Annotated[datetime | None, "when the log took that message, by its own clock"]


@dataclass(slots=True)
class Row:
    """A row; the fold may change it while it is open.

    Each field is a column: `Annotated` with its comment, of one of the types above, and `| None`
    where it is nullable. Texts may have any characters and integers any size: values that a column
    cannot hold are adapted when written.
    """

    tenant: Annotated[str, "whose thread it is"]
    thread_id: Annotated[str, "the thread"]
    is_open: Annotated[bool, "whether a later message may still change this row"]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column, with its public comment."""

    name: str
    type: SqlType
    nullable: bool
    comment: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table; its key begins with the tenant, so that it can be distributed by that.

    `indexes` are for reports, created after the table is filled. `day` is the time column that
    partitions its files by day. Only a `public` one is shown to analysts and exported. `identity`
    is the column that rows of one thing share, in whatever thread: they are looked up by it.
    """

    name: str
    comment: str
    row_type: type[Row]
    columns: tuple[TableColumn, ...]
    key: tuple[str, ...]
    day: str
    indexes: tuple[tuple[str, ...], ...] = ()
    public: bool = True
    identity: str | None = None

    @property
    def unlooked_texts(self) -> tuple[str, ...]:
        """The text columns in no key and no index, which include contents of messages."""
        looked = {*self.key, self.identity, *(name for index in self.indexes for name in index)}
        return tuple(
            column.name
            for column in self.columns
            if column.type in {"text", "tsvector"} and column.name not in looked
        )


def table_of(  # noqa: PLR0913 - what a table has
    row_type: type[Row],
    *,
    name: str,
    comment: str,
    key: tuple[str, ...],
    day: str,
    indexes: tuple[tuple[str, ...], ...] = (),
    public: bool = True,
    identity: str | None = None,
) -> Table:
    """Return the table for rows of `row_type`."""
    hints = get_type_hints(row_type, include_extras=True)
    columns = tuple(_column(field.name, hints[field.name]) for field in fields(row_type))
    return Table(name, comment, row_type, columns, key, day, indexes, public, identity)


def _column(name: str, hint: Any) -> TableColumn:  # noqa: ANN401 - an annotation has no narrower type
    annotation, comment = get_args(hint)
    options = (annotation,)
    if get_origin(annotation) in {UnionType, Union}:  # `X | None` is either, depending on X
        options = get_args(annotation)
    kinds = [_plain(option) for option in options if option is not NoneType]
    (kind,) = set(kinds)
    return TableColumn(name, _SQL_TYPES[kind], NoneType in options, comment)


def _plain(annotation: Any) -> type:  # noqa: ANN401 - as above
    """Return the type of an annotation's values; a Literal's are texts."""
    return str if get_origin(annotation) is Literal else annotation
