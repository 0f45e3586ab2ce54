"""Tables of read models: created from definitions, written in binary; open rows are read back.

Statements are composed from the definitions, with every name quoted: the class of a table's rows is
the only place that lists its columns.
"""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from struct import Struct
from typing import Any, Generic, LiteralString

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format
from psycopg.rows import tuple_row
from psycopg.sql import SQL, Composable, Composed, Identifier, Literal
from typing_extensions import override

from agentlog.infrastructure.postgres.binary_arrays import IntegerArray, TextArray, integers, texts
from agentlog.infrastructure.postgres.roles import SERVICE, TENANT
from agentlog.projections.readmodels.model import RowT
from agentlog.projections.readmodels.table import SqlType, Table, Words

SCHEMA = "agentlog_readmodels"
VIEWS = "agentlog_analytics"
TEMPORARY = "pg_temp"

ThreadKey = tuple[str, str]


class BuildTable(Generic[RowT]):
    """The table of one build of a read model.

    `audited`: a temporary table in its place, for the rows of this thread alone; those of other
    threads are read in the build's.
    """

    def __init__(self, table: Table, build: int, *, audited: str | None = None) -> None:
        self._table = table
        self._bare_name = f"{table.name}_{build}"
        self._schema, self._view = SCHEMA, (VIEWS, table.name)
        if audited is not None:
            self._schema, self._view = TEMPORARY, (TEMPORARY, f"{VIEWS}__{table.name}")
        self._name = Identifier(self._schema, self._bare_name)
        self._columns = SQL(", ").join(Identifier(column.name) for column in table.columns)
        self._values = attrgetter(*(column.name for column in table.columns))
        types = [column.type for column in table.columns]
        self._copied_as = [_COPIED_AS[kind] for kind in types]
        self._texts = [index for index, kind in enumerate(types) if kind == "text"]
        self._integers = [index for index, kind in enumerate(types) if kind == "bigint"]
        self._open = SQL(
            "SELECT {columns} FROM {name} WHERE is_open AND (tenant, thread_id) IN "
            "(SELECT * FROM unnest(%s, %s)) ORDER BY {key}"
        ).format(columns=self._columns, name=self._name, key=_names(table.key))
        known: Composable = self._name
        if audited is not None:
            known = SQL(
                "(SELECT {columns} FROM {own} UNION ALL SELECT {columns} FROM {kept} "
                "WHERE thread_id <> {audited})"
            ).format(
                columns=self._columns,
                own=self._name,
                kept=Identifier(SCHEMA, self._bare_name),
                audited=Literal(audited),
            )
        self._known = SQL(
            "SELECT row.* FROM unnest(%s, %s) AS wanted (tenant, identity) CROSS JOIN LATERAL ("
            "SELECT {columns} FROM {name} AS known WHERE known.tenant = wanted.tenant "
            "AND known.{identity} = wanted.identity ORDER BY position LIMIT {most}) AS row"
        ).format(
            columns=self._columns,
            name=known,
            identity=Identifier(table.identity or "tenant"),
            most=Literal(_MOST_KNOWN),
        )
        self.key_of = attrgetter(*table.key)
        self._delete = SQL(
            "DELETE FROM {name} USING unnest({arrays}) AS old ({key}) WHERE {same}"
        ).format(
            name=self._name,
            arrays=SQL(", ").join([SQL("%s")] * len(table.key)),
            key=_names(table.key),
            same=SQL(" AND ").join(
                SQL("{name}.{column} = old.{column}").format(
                    name=Identifier(self._bare_name), column=Identifier(column)
                )
                for column in table.key
            ),
        )
        self._copy = SQL("COPY {name} ({columns}) FROM STDIN (FORMAT binary)").format(
            name=self._name, columns=self._columns
        )

        self._indexes = {
            f"{self._bare_name}_{'_'.join(columns)}_idx": SQL("({})").format(_names(columns))
            for columns in table.indexes
        } | {
            f"{self._bare_name}_{column.name}_idx": SQL("USING gin ({}) WITH ({})").format(
                Identifier(column.name), SQL(_PENDING)
            )
            for column in table.columns
            if column.type == "tsvector"
        }

    def create(self, connection: psycopg.Connection) -> None:
        """Create the table, with the indexes that filling needs; those for reports come later."""
        columns = SQL(", ").join(
            SQL("{name} {type}{collate}{null}").format(
                name=Identifier(column.name),
                type=SQL(column.type),
                collate=SQL(' COLLATE "C"' if column.type == "text" else ""),
                null=SQL("" if column.nullable else " NOT NULL"),
            )
            for column in self._table.columns
        )
        connection.execute(
            SQL("CREATE TABLE {name} ({columns}, PRIMARY KEY ({key}))").format(
                name=self._name, columns=columns, key=_names(self._table.key)
            )
        )
        connection.execute(
            SQL("CREATE INDEX ON {name} (tenant, thread_id) WHERE is_open").format(name=self._name)
        )
        if self._table.identity is not None:
            connection.execute(
                SQL("CREATE INDEX ON {name} (tenant, {identity}, position)").format(
                    name=self._name, identity=Identifier(self._table.identity)
                )
            )
        # no planner statistics on these: they hold values that an erasure would not reach
        for text in self._table.unlooked_texts:
            connection.execute(
                SQL("ALTER TABLE {name} ALTER COLUMN {text} SET STATISTICS 0").format(
                    name=self._name, text=Identifier(text)
                )
            )
        roles = {"tenant": Identifier(TENANT), "service": Identifier(SERVICE)}
        for confine in _CONFINE:
            connection.execute(SQL(confine).format(name=self._name, **roles))

    def index(self, connection: psycopg.Connection, *, concurrently: bool = False) -> None:
        """Create the indexes that reports need, where they are not there; analyse the table.

        `concurrently`, in autocommit mode: others read and write the table meanwhile.
        """
        beside = SQL("CONCURRENTLY") if concurrently else SQL("")
        there = self._valid_indexes(connection)
        for name, definition in self._indexes.items():
            if there.get(name):
                continue
            if name in there:  # its creation was broken off
                connection.execute(SQL("DROP INDEX {}").format(Identifier(self._schema, name)))
            connection.execute(
                SQL("CREATE INDEX {beside} {index} ON {name} {definition}").format(
                    beside=beside, index=Identifier(name), name=self._name, definition=definition
                )
            )
        connection.execute(SQL("ANALYZE {name}").format(name=self._name))

    def is_indexed(self, connection: psycopg.Connection) -> bool:
        """Return whether the table has all indexes that reports need."""
        there = self._valid_indexes(connection)
        return all(there.get(name) for name in self._indexes)

    def _valid_indexes(self, connection: psycopg.Connection) -> dict[str, bool]:
        """Return the names of the table's indexes, and whether each is complete."""
        return dict(
            connection.execute(
                "SELECT relname, indisvalid FROM pg_index JOIN pg_class ON oid = indexrelid "
                "WHERE indrelid = to_regclass(%s)",
                (f"{self._schema}.{self._bare_name}",),
            ).fetchall()
        )

    @property
    def name(self) -> Identifier:
        """Its name in statements."""
        return self._name

    def show(self, connection: psycopg.Connection, rows: Composable) -> None:
        """Create the analysts' view of a public table, with its comments, over its rows.

        A view shows the rows of the tenant that `agentlog_analytics.tenant()` returns, but for
        those of hidden threads, which no list or report has either.
        """
        if not self._table.public:
            return
        view = Identifier(*self._view)
        connection.execute(SQL("DROP VIEW IF EXISTS {view}").format(view=view))
        connection.execute(
            SQL(
                "CREATE VIEW {view} WITH (security_barrier) AS "
                "SELECT {columns} FROM {rows} AS item "
                "WHERE tenant = (SELECT agentlog_analytics.tenant()) AND NOT EXISTS (SELECT "
                "FROM agentlog.threads AS head WHERE head.tenant = item.tenant "
                "AND head.thread_id = item.thread_id AND head.hidden)"
            ).format(view=view, columns=self._columns, rows=rows)
        )
        connection.execute(SQL("GRANT SELECT ON {view} TO PUBLIC").format(view=view))
        owner = SQL("ALTER VIEW {view} OWNER TO {service}")
        connection.execute(owner.format(view=view, service=Identifier(SERVICE)))
        comment = SQL("COMMENT ON VIEW {view} IS {text}")
        connection.execute(comment.format(view=view, text=Literal(self._table.comment)))
        for column in self._table.columns:
            connection.execute(
                SQL("COMMENT ON COLUMN {column} IS {text}").format(
                    column=Identifier(*self._view, column.name),
                    text=Literal(column.comment),
                )
            )

    def drop(self, connection: psycopg.Connection) -> None:
        """Drop the table."""
        connection.execute(SQL("DROP TABLE IF EXISTS {name}").format(name=self._name))

    def open_rows(self, connection: psycopg.Connection, threads: Sequence[ThreadKey]) -> list[RowT]:
        """Return the rows of some threads that later events may still change."""
        tenants, thread_ids = (
            texts([thread[0] for thread in threads]),
            texts([t[1] for t in threads]),
        )
        with connection.cursor(binary=True, row_factory=tuple_row) as cursor:
            # unprepared: a plan made while the table was small would read all of it for ever
            rows = cursor.execute(self._open, (tenants, thread_ids), prepare=False).fetchall()
        make: Any = self._table.row_type
        return [make(*row) for row in rows]

    def rows_known_by(
        self, connection: psycopg.Connection, identities: Sequence[tuple[str, str]]
    ) -> list[tuple[str, RowT]]:
        """Return the first rows of some identities of tenants, with these, by position."""
        tenants, names = texts([pair[0] for pair in identities]), texts([p[1] for p in identities])
        with connection.cursor(binary=True, row_factory=tuple_row) as cursor:
            rows = cursor.execute(self._known, (tenants, names), prepare=False).fetchall()
        make: Any = self._table.row_type
        return [(getattr(row := make(*values), str(self._table.identity)), row) for values in rows]

    def write(
        self, connection: psycopg.Connection, *, changed: Sequence[RowT], added: Iterable[RowT]
    ) -> None:
        """Write rows; `changed` ones exist already."""
        if changed:
            keys = ([getattr(row, column) for row in changed] for column in self._table.key)
            connection.execute(self._delete, [_array(values) for values in keys], prepare=False)
        rows = [*changed, *added]
        if rows:
            cursor = connection.cursor()
            cursor.adapters.register_dumper(Words, WordsDumper)
            with cursor, cursor.copy(self._copy) as copy:
                copy.set_types(self._copied_as)
                for row in rows:
                    copy.write_row(self._fitted(row))

    def _fitted(self, row: RowT) -> tuple[Any, ...]:
        """Return a row's values as its columns can hold them."""
        values: tuple[Any, ...] = self._values(row)
        for index in self._texts:
            text = values[index]
            if text and "\x00" in text:
                return tuple(map(_fit, values))
        for index in self._integers:
            number = values[index]
            if number is not None and not -_BIGGEST <= number < _BIGGEST:
                return tuple(map(_fit, values))
        return values


def _array(values: list[Any]) -> TextArray | IntegerArray:
    return texts(values) if isinstance(values[0], str) else integers(values)


def _names(columns: Iterable[str]) -> Composed:
    return SQL(", ").join(Identifier(column) for column in columns)


_CONFINE: tuple[LiteralString, ...] = (
    "GRANT SELECT ON {name} TO {tenant}",
    "ALTER TABLE {name} ENABLE ROW LEVEL SECURITY",
    (
        "CREATE POLICY own_tenant ON {name} TO {tenant} "
        "USING (tenant = (SELECT current_setting('agentlog.tenant', true)))"
    ),
    "ALTER TABLE {name} OWNER TO {service}",  # the service owns it, whichever role creates it
)

_PENDING: LiteralString = "gin_pending_list_limit = 512"
"""Kilobytes of words that wait to be put into an index: each search reads them all, and the file
keeps their room. The server's default is 4096; less than 256 doubles the cost of a row."""
_MOST_KNOWN = 100
"""Rows of one identity: those of a provider come a few times, `test-1` in every thread."""
_BIGGEST = 2**63

_COPIED_AS: dict[SqlType, str] = {
    "text": "text",
    "bigint": "int8",
    "double precision": "float8",
    "boolean": "bool",
    "timestamptz": "timestamptz",
    "tsvector": "tsvector",
}
"""Their names in psycopg."""


def _fit(value: Any) -> Any:  # noqa: ANN401 - what a column holds
    """Return U+FFFD for each NUL, and None for an integer that 64 bits cannot hold."""
    match value:
        case str():
            return value.replace("\x00", "\ufffd")
        case int() if not -_BIGGEST <= value < _BIGGEST:
            return None
        case _:
            return value


_COUNT = Struct("!I").pack
_END = "\0" + "\0\0"
"""Ends a word, and says that it has no positions."""


class WordsDumper(Dumper):
    """Writes the format of `tsvectorrecv` in PostgreSQL's `tsvector.c`."""

    format = Format.BINARY
    oid = 3614  # from pg_type.dat

    @override
    def dump(self, obj: Words) -> bytes:
        return _COUNT(len(obj)) + _END.join((*obj, "")).encode()
