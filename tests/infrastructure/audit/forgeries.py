# ruff: noqa: S608 - our own words
"""What an owner of the database without triggers may do to a log, drawn by hypothesis.

A forgery is a function of a connection. One that the database refuses, by a constraint, comes to
nothing. Forged facts are linked as an append links them, and heads are set to what the events come
to, by our own code: only what was on record before cannot be had.
"""

from collections.abc import Callable
from dataclasses import dataclass

import psycopg
from hypothesis import strategies as st
from typing_extensions import override

from agentlog.domain.json.text import parse, print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.domain.redaction import left_digest, redacted_body, redacted_metadata
from tests.infrastructure.appends import NOON
from tests.infrastructure.audit.forged_appends import append, settle

THREADS = ("t", "strict", "files", "redacted", "gone", "single", "copied", "many")
LOG_TABLES = ("events", "threads", "ledger", "erasures")
TABLES = (*LOG_TABLES, "blobs", "thread_search", "checkpoints", "tiles", "tracking")
Columns = dict[str, dict[str, str]]
"""Types of the columns of tables, by their names."""

LOWEST = -(2**63)

_EQUAL = tuple(
    f"replace(convert_from({{}}, 'UTF8'), '{was}', '{other}')::bytea"
    for was, other in ((":true", ":1"), (":1", ":true"), (":1", ":1.0"), ("{{", '{{"team":"y",'))
)
"""JSON with other values that Python calls equal, or with a key twice."""

SENTINELS = {
    "text": ("''", "'other'", "'ghost'", "'t'", "'closed'", "{} || 'x'", "NULL"),
    "bigint": (str(LOWEST), str(2**63 - 1), "-1", "0", "1", "{} + 1", "{} - 1", "NULL"),
    "integer": ("-1", "0", "1", "{} + 1"),
    "bytea": (
        *_EQUAL,
        "''",
        "'{{}}'",
        "sha256('')",
        "set_byte({}, 0, 33)",
        "substr({}, 2)",
        "NULL",
    ),
    "timestamp with time zone": ("'infinity'", "'-infinity'", "{} + interval '1 us'"),
    "boolean": ("NOT {}",),
    "jsonb": ("'{{}}'",),
    "tsvector": ("''",),
}
"""Values of each type that may be put in a column."""

_FIGURES = frozenset({"bigint", "double precision"})


@dataclass(frozen=True)
class Forgery:
    """A change, and what it is called."""

    name: str
    do: Callable[[psycopg.Connection], object]

    @override
    def __repr__(self) -> str:
        return self.name


def _sql(query: str) -> Forgery:
    return Forgery(query, lambda connection: connection.execute(query.encode()))


def _nth(table: str, row: int) -> str:
    rows = f"SELECT ctid FROM {table} AS counted ORDER BY counted::text"
    return f"({rows} OFFSET (SELECT {row} % greatest(count(*), 1) FROM {table}) LIMIT 1)"


@st.composite
def cells(draw: st.DrawFn, tables: Columns) -> Forgery:
    """A row that is changed in a column, copied with another value there, or deleted."""
    table = draw(st.sampled_from(sorted(tables)))
    columns = tables[table]
    column = draw(st.sampled_from(sorted(columns)))
    nth, other = _nth(table, draw(st.integers(0, 99))), _nth(table, draw(st.integers(0, 99)))
    of_other = f"(SELECT {column} FROM {table} WHERE ctid = {other})"
    values = [value.format(column) for value in SENTINELS.get(columns[column], ("NULL",))]
    value = draw(st.sampled_from([*values, of_other]))
    copied = ", ".join(value if name == column else name for name in columns)
    copy = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {copied} FROM {table}"
    update = f"UPDATE {table} SET {column} = {value}"
    change = draw(st.sampled_from((update, copy, f"DELETE FROM {table}")))
    return _sql(f"{change} WHERE ctid = {nth}")


@st.composite
def snapshots(draw: st.DrawFn, table: Columns) -> Forgery:
    """A change of the table of snapshots, or contents of one put in place of another's."""
    if draw(st.booleans()):
        return draw(cells(table))
    columns = draw(st.sets(st.sampled_from(("carry", "grown", "items", "chain")), min_size=1))
    thread, other = draw(st.tuples(*[st.sampled_from(("t", "many"))] * 2))
    version, of_other = draw(st.tuples(*[st.sampled_from(range(5, 35, 5))] * 2))
    return _sql(
        f"UPDATE agentlog.snapshots AS a SET {', '.join(f'{c} = b.{c}' for c in sorted(columns))} "
        "FROM agentlog.snapshots AS b WHERE a.view = b.view AND a.options = b.options "
        f"AND a.thread_id = '{thread}' AND a.version = {version} "
        f"AND b.thread_id = '{other}' AND b.version = {of_other}"
    )


@st.composite
def _strays(draw: st.DrawFn, derived: Columns) -> Forgery:
    """Rows of what is derived that are of a thread which is not there, or of an unknown build."""
    table = draw(st.sampled_from(sorted(name for name in derived if "readmodels" in name)))
    columns, thread_id = derived[table], draw(st.sampled_from(("''", "'ghost'")))
    copied = ", ".join(thread_id if name == "thread_id" else name for name in columns)
    stray = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {copied} FROM {table} LIMIT 1"
    name, _, build = table.removeprefix("agentlog_readmodels.").rpartition("_")
    unknown = (
        f"UPDATE {table} SET {{0}} = {{0}} + 1; UPDATE agentlog.projections "
        f"SET version = version + {draw(st.sampled_from((-1, 1)))} "
        f"WHERE name = '{name}' AND build = {build}"
    )
    figures = sorted(
        name for name, kind in columns.items() if kind in {"double precision", "bigint"}
    )
    return _sql(stray if draw(st.booleans()) else unknown.format(draw(st.sampled_from(figures))))


@st.composite
def _moved_threads(draw: st.DrawFn) -> Forgery:
    """A thread that is given another id or another tenant."""
    thread = draw(st.sampled_from(THREADS))
    change = draw(st.sampled_from(("thread_id = ''", "thread_id = 'a/b'", "tenant = ''")))
    tables = draw(st.sampled_from((LOG_TABLES, ("events", "threads"))))
    return _sql(
        "; ".join(
            f"UPDATE agentlog.{table} SET {change} WHERE thread_id = '{thread}'" for table in tables
        )
    )


@st.composite
def _moved_ends(draw: st.DrawFn) -> Forgery:
    """The last events of a thread, moved to where an audit may not look; its head is set back."""
    thread = draw(st.sampled_from(THREADS))
    count = draw(st.integers(1, 2))
    target = draw(st.sampled_from(("", thread)))
    first = draw(st.sampled_from((LOWEST, LOWEST + 1, -1, 0, 1)))
    with_head = draw(st.booleans())

    def do(connection: psycopg.Connection) -> None:
        connection.execute(
            "UPDATE agentlog.events AS moved SET thread_id = %s, version = %s + place "
            "FROM (SELECT version, row_number() OVER (ORDER BY version) - 1 AS place FROM ("
            "SELECT version FROM agentlog.events WHERE thread_id = %s "
            "ORDER BY version DESC LIMIT %s) AS last) AS last "
            "WHERE thread_id = %s AND moved.version = last.version",
            (target, first, thread, count, thread),
        )
        settle(connection, thread)
        if target != thread and with_head:
            settle(connection, target)

    return Forgery(f"last {count} of {thread} moved to {target!r} from version {first}", do)


@st.composite
def _redactions(draw: st.DrawFn) -> Forgery:
    """A redaction that is linked rightly, and something else in place of what it names."""
    thread = draw(st.sampled_from(("t", "strict", "many", "files")))
    number = draw(st.integers(0, 20))
    scope = draw(st.sampled_from(("messages", "blob", "all")))
    has_left = draw(st.booleans())
    pending = draw(st.booleans())

    def do(connection: psycopg.Connection) -> None:
        rows = connection.execute(
            "SELECT version, message_id, type, agentlog.body_of(tenant, body, cuts), metadata "
            "FROM agentlog.events WHERE thread_id = %s AND type NOT LIKE 'thread.%%' "
            "ORDER BY version",
            (thread,),
        ).fetchall()
        if not rows:
            raise psycopg.DataError("the thread is elsewhere already")
        version, message_id, kind, body, metadata = rows[number % len(rows)]
        forged, kept = print_bytes(_other(parse(body))), metadata
        if scope != "blob":
            forged = redacted_body(kind, message_id, forged)
            kept = redacted_metadata(metadata)
            if forged == redacted_body(kind, message_id, body):  # as true redactions leave it
                forged = print_bytes({**parse(forged), "timestamp": NOON + 1})
        left = [left_digest(forged, kept).hex()] if has_left else None
        facts: dict[str, dict[str, JsonValue]] = {
            "all": {"all": True},
            "messages": {"messages": [message_id]},
            "blob": {"messages": [message_id], "blob": "0" * 64},
        }
        stated: dict[str, JsonValue] = {"left": left} if left else {}
        by = append(connection, thread, {**facts[scope], **stated}, pending=pending)
        connection.execute(
            "UPDATE agentlog.events SET redacted = %s, body = %b, cuts = NULL, metadata = %b, "
            "metadata_sha256 = sha256(coalesce(metadata, '')) "
            "WHERE thread_id = %s AND version = %s",
            (by, forged, kept, thread, version),
        )
        settle(connection, thread)

    return Forgery(f"redaction of {scope} of {thread}[{number}] left={has_left} {pending=}", do)


@st.composite
def _restored(draw: st.DrawFn) -> Forgery:
    """A redacted content, put back, and something done to its redaction."""
    thread, version = draw(st.sampled_from((("redacted", 3), ("gone", 1), ("single", 1))))
    cover = draw(st.sampled_from(sorted(_COVERS)))
    query = (
        "UPDATE agentlog.events SET redacted = NULL, metadata = NULL, metadata_sha256 = NULL, "
        'body = convert_to(\'{"id":"\' || message_id || '
        f'\'","timestamp":{NOON},"type":"reply","text":"a secret"}}\', \'UTF8\') '
        f"WHERE thread_id = '{thread}' AND version = {version}"
    )

    def do(connection: psycopg.Connection) -> None:
        connection.execute(query.encode())
        connection.execute(_COVERS[cover].format(thread).encode())
        settle(connection, thread)

    return Forgery(f"{thread} {version} put back, {cover}", do)


_COVERS = {
    "nothing else": "SELECT",
    "pending": "UPDATE agentlog.erasures SET number = NULL, done_at = NULL WHERE thread_id = '{0}'",
    "deleted": "DELETE FROM agentlog.erasures WHERE thread_id = '{0}'",
    "fact below all versions": f"UPDATE agentlog.events SET version = {LOWEST} "
    "WHERE thread_id = '{0}' AND type = 'thread.redacted'",
    "fact in part apart": "WITH piece AS (SELECT version, convert_from(body, 'UTF8') AS body, "
    'substring(convert_from(body, \'UTF8\') FROM \'"reason":"[^"]*"\') AS text '
    "FROM agentlog.events WHERE thread_id = '{0}' AND type = 'thread.redacted'), "
    "kept AS (INSERT INTO agentlog.blobs SELECT 'tests', sha256(text::bytea), 0, text::bytea "
    "FROM piece) UPDATE agentlog.events AS fact SET body = replace(piece.body, text, '')::bytea, "
    "cuts = int4send(strpos(piece.body, text) - 1) || sha256(text::bytea) "
    "FROM piece WHERE thread_id = '{0}' AND fact.version = piece.version",
}
"""What hides that a redacted content is there."""


def forgeries(log: Columns, derived: Columns) -> st.SearchStrategy[list[Forgery]]:
    """Return one change or two; half of them are of the known kinds."""
    known = st.one_of(_moved_threads(), _moved_ends(), _redactions(), _restored(), _strays(derived))
    drawn = st.one_of(cells(log), cells(derived))
    return st.lists(st.one_of(drawn, known), min_size=1, max_size=2)


def _other(value: JsonValue, *, name: str = "") -> JsonValue:
    """Return a message that says something else, of the same type and id."""
    match value:
        case dict(fields):
            return {key: _other(field, name=key) for key, field in fields.items()}
        case list(items):
            return [_other(item, name=name) for item in items]
        case bool():
            return not value
        case int() | float() if name != "timestamp":
            return value + 1
        case str() if name not in {"id", "type", "callId", "workerId", "mode", "reason"}:
            return f"{value} forged"
        case _:
            return value
