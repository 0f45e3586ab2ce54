"""Tables of read models, told by the class of their rows.

From one definition come the table itself, the comments on its columns, the catalogue for analysts
and the schema of Parquet files.
"""

from dataclasses import dataclass, fields
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

SqlType = Literal["text", "bigint", "double precision", "timestamptz", "boolean"]

_SQL_TYPES: dict[type, SqlType] = {
    str: "text",
    int: "bigint",
    float: "double precision",
    datetime: "timestamptz",
    bool: "boolean",
}


@dataclass(slots=True)
class Row:
    """A row, which the fold that made it may change while it is open.

    Each field is a column: `Annotated` with the comment on it, of one of the types above, and
    `| None` where it may be missing. A text may hold anything, and an integer be of any size: what
    a column cannot hold is made to fit where it is written.
    """

    tenant: Annotated[str, "whose thread it is"]
    thread_id: Annotated[str, "the thread"]
    is_open: Annotated[bool, "whether a later message may still change this row"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column, with the comment that everybody sees."""

    name: str
    type: SqlType
    nullable: bool
    comment: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its key begins with tenant and thread, so that it can be distributed by them.

    `indexes` are for reports, and are made once the table is filled. `day` is the time by whose day
    files of it are partitioned.
    """

    name: str
    comment: str
    row_type: type[Row]
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    day: str
    indexes: tuple[tuple[str, ...], ...] = ()

    @property
    def unlooked_texts(self) -> tuple[str, ...]:
        """The texts that no key and no index is over: what was said is among them."""
        looked = {*self.key, *(name for each in self.indexes for name in each)}
        return tuple(
            each.name for each in self.columns if each.type == "text" and each.name not in looked
        )


def table_of(  # noqa: PLR0913 - what a table has
    row_type: type[Row],
    *,
    name: str,
    comment: str,
    key: tuple[str, ...],
    day: str,
    indexes: tuple[tuple[str, ...], ...] = (),
) -> Table:
    """Return the table whose rows `row_type` is; `key` is what follows tenant and thread in it."""
    hints = get_type_hints(row_type, include_extras=True)
    columns = tuple(_column(each.name, hints[each.name]) for each in fields(row_type))
    whole_key = ("tenant", "thread_id", *key)
    return Table(name, comment, row_type, columns, whole_key, day, indexes)


def _column(name: str, hint: Any) -> Column:  # noqa: ANN401 - an annotation has no narrower type
    annotation, comment = get_args(hint)
    options = (annotation,)
    if get_origin(annotation) in {UnionType, Union}:  # either, by what stands before the bar
        options = get_args(annotation)
    kinds = [_plain(each) for each in options if each is not NoneType]
    (kind,) = set(kinds)
    return Column(name, _SQL_TYPES[kind], NoneType in options, comment)


def _plain(annotation: Any) -> type:  # noqa: ANN401 - as above
    """Return the type of an annotation's values; a Literal's are texts."""
    return str if get_origin(annotation) is Literal else annotation
