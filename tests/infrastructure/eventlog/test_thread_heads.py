"""Searches of threads: what words and metadata find, and that pages hold all of it in order."""

import random
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from agentlog.domain.json.text import print_bytes
from agentlog.domain.threads import Status
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.infrastructure.appends import TENANT, fetch, reply, unguarded


def _ids(threads: Threads, **which: Any) -> list[str]:
    heads = threads.heads(ThreadFilter(**which), before=None, limit=100)
    return [head.thread_id for head in heads]


# Words


@pytest.mark.parametrize(
    "text",
    [
        "find",
        "FIND the par",
        "cologne find",
        "parcel, for",
        "köln",
        "(KÖLN",
        "50%",
        "退款",
        "款",
        "support-42",
        "SUPPORT",
        "42",
        "  find  ",
        "x" * 200,
        "cologne support",
        "\u0130stanbul",
    ],
)
def test_beginnings_of_words_in_goal_and_id_are_found_in_any_order_and_case(
    threads: Threads, text: str
) -> None:
    goal = f"Find the PARCEL, for 50% to Cologne (Köln) 申请退款 {'x' * 200} \u0130stanbul"
    threads.start("Support-42", {"goal": goal})
    threads.start("another", {"goal": "Lose it"})
    assert _ids(threads, text=text) == ["Support-42"]


@pytest.mark.parametrize(
    "text", ["arcel", "the-parcel", "parcels", "parcel 43", "42-support", "parcel,for", "' | 'find"]
)
def test_other_words_ends_of_words_and_parts_that_do_not_stand_there_are_not_found(
    threads: Threads, text: str
) -> None:
    threads.start("support-42", {"goal": "Find the parcel, for 50% find"})
    assert _ids(threads, text=text) == []


def test_a_thread_that_was_never_started_is_found_by_the_beginning_of_its_id(
    threads: Threads,
) -> None:
    threads.append("Support-42", [reply("hello")])
    assert _ids(threads, text="Support-4") == ["Support-42"]
    assert _ids(threads, text="42") == []
    assert _ids(threads, text="Support-42", metadata={"team": "support"}) == []


def test_only_the_first_4000_characters_of_a_goal_are_looked_at(threads: Threads) -> None:
    threads.start("t", {"goal": f"begin {'word ' * 790} middle {'word ' * 100_000} end"})
    assert _ids(threads, text="begin middle") == ["t"]
    assert _ids(threads, text="end") == []


# Metadata


METADATA = {
    "team": "support",
    "reward": 0.0,
    "task": 12,
    "done": True,
    "none": None,
    "number-like": "12",
    "a.b c=d&ü": "odd",
    "nul\x00": "a\x00b",
    "escaped": "\\u0000",
    "quote": "\"'\\",
    "list": ["support"],
    "nested": {"team": "support"},
    "huge": 10**1200,
    "long": "x" * 5000,
}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("team", "support"),
        ("reward", 0),
        ("reward", 0.0),
        ("task", 12),
        ("task", 12.0),
        ("done", True),
        ("none", None),
        ("number-like", "12"),
        ("a.b c=d&ü", "odd"),
        ("nul\x00", "a\x00b"),
        ("escaped", "\\u0000"),
        ("quote", "\"'\\"),
    ],
)
def test_metadata_is_found_by_equal_values(threads: Threads, key: str, value: object) -> None:
    threads.start("t", {"metadata": METADATA})
    threads.start("other", {"metadata": {"team": "sales", "reward": 1}})
    assert _ids(threads, metadata={key: value}) == ["t"]
    assert _ids(threads, metadata={"team": "support", key: value}) == ["t"]
    expected = ["other"] if key == "team" else []
    assert _ids(threads, metadata={key: value, "team": "sales"}) == expected


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("team", "Support"),
        ("team", "suppor"),
        ("team", None),
        ("no.such", "support"),
        ("task", "12"),
        ("number-like", 12),
        ("done", "true"),
        ("list", "support"),
        ("nested", "support"),
        ("long", "x" * 5000),
        ("huge", 10**1200),
    ],
)
def test_other_values_types_and_what_is_too_large_are_not_found(
    threads: Threads, key: str, value: object
) -> None:
    threads.start("t", {"metadata": METADATA})
    assert _ids(threads, metadata={key: value}) == []


def test_annotations_change_what_is_found_and_words_stay(threads: Threads) -> None:
    threads.start("t", {"goal": "Find it", "metadata": {"team": "support", "kept": 1}})
    threads.annotate("t", {"team": "sales"})
    assert _ids(threads, metadata={"team": "support"}) == []
    assert _ids(threads, metadata={"team": "sales", "kept": 1}, text="find") == ["t"]
    threads.annotate("t", {"team": None})
    assert _ids(threads, metadata={"team": "sales"}) == []


def test_a_thread_may_be_started_after_its_first_message(threads: Threads) -> None:
    threads.append("t", [reply("hello")])
    threads.annotate("t", {"team": "support"})
    assert _ids(threads, metadata={"team": "support"}, text="t") == ["t"]


@pytest.mark.parametrize(
    "facts",
    [
        b"not JSON",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"metadata":5}',
        b'{"metadata":null}',
        b'{"metadata":{"a":"\\ud800"}}',
        b'{"metadata":{"a":1e999999999999,"b":-1E+99999,"c":0.%s1}}' % (b"0" * 2000),
        b'{"metadata":%s1%s}' % (b'{"a":' * 20_000, b"}" * 20_000),
    ],
    ids=lambda facts: facts[:24],
)
def test_facts_that_nobody_should_have_written_stop_no_append(
    database: Database, threads: Threads, facts: bytes
) -> None:
    threads.start("t", {"goal": "Find it"})
    with database.connection() as connection, unguarded(connection):
        connection.execute("UPDATE agentlog.threads SET facts = %s", (facts,))
    ((words, metadata),) = fetch(
        database, "SELECT words IS NOT NULL, metadata FROM agentlog.thread_search"
    )
    assert words
    assert isinstance(metadata, dict)


# Pages


@dataclass(frozen=True)
class Row:
    """A head as a test writes it."""

    position: int
    thread_id: str
    status: Status
    parent: str | None
    goal: str | None
    metadata: dict[str, Any] | None

    def matches(self, which: ThreadFilter) -> bool:
        """Say whether it is what the filter asks for; texts here are single words."""
        words = f"{self.thread_id} {self.goal or ''}".replace("-", " ").split()
        begins = which.text is None or any(word.startswith(which.text) for word in words)
        if self.goal is None and which.text is not None:
            begins = self.thread_id.startswith(which.text)
        return (
            begins
            and which.status in {None, self.status}
            and which.parent in {None, self.parent}
            and (not which.metadata or which.metadata.items() <= (self.metadata or {}).items())
        )


def _rows(count: int) -> list[Row]:
    chance = random.Random(count)  # noqa: S311 - the same rows at every run
    rows = []
    for position in range(1, count + 1):
        old = position <= count // 3
        started = chance.random() < 0.8
        statuses: list[Status] = ["closed", "exited"] if old else ["open", "exited"]
        rows.append(
            Row(
                position,
                f"{'old' if old else 'run'}-{position}",
                chance.choice(statuses),
                chance.choice([None, "boss", "giant", "giant"]) if started else None,
                f"find {chance.choice(['this', 'that'])} {position % 97}" if started else None,
                {"team": chance.choice("abc"), "old": old, "task": position % 97}
                if started
                else None,
            )
        )
    return rows


def _write(database: Database, rows: list[Row]) -> None:
    with database.connection() as connection, unguarded(connection):
        _insert(connection, rows)


def _insert(connection: psycopg.Connection, rows: list[Row]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO agentlog.threads (tenant, thread_id, version, position, chain, policy, "
            "status, anomalies, parent, goal, facts, started_at, updated_at) "
            "VALUES (%s, %s, 1, %s, '', 'record', %s, 0, %s, %s, %s, now(), now())",
            [
                (
                    TENANT,
                    row.thread_id,
                    row.position,
                    row.status,
                    row.parent,
                    row.goal,
                    print_bytes({"goal": row.goal, "metadata": row.metadata}) if row.goal else None,
                )
                for row in rows
            ],
        )


FILTERS = [
    ThreadFilter(status, parent, text, metadata)
    for status in (None, "closed", "open")
    for parent in (None, "boss", "giant", "nobody")
    for text in (None, "find", "this", "42", "old", "nothing")
    for metadata in (None, {"team": "a"}, {"task": 42}, {"old": True, "team": "b"}, {"no": 1})
]


def test_pages_of_every_filter_hold_all_that_match_in_order_and_nothing_else(
    database: Database, reader: LogReader
) -> None:
    rows = _rows(2000)
    _write(database, rows)
    for which in FILTERS:
        expected = [row.thread_id for row in reversed(rows) if row.matches(which)]
        listed: list[str] = []
        before: int | None = None
        limit = 400 if len(expected) > 100 else 30
        while page := reader.heads(which, before=before, limit=limit):
            listed += [head.thread_id for head in page]
            before = page[-1].position
            assert len(page) <= limit
        assert listed == expected, which


def test_children_of_one_status_do_not_overtake_newer_ones_of_another(
    database: Database, reader: LogReader
) -> None:
    rows = [
        Row(
            position,
            f"r-{position}",
            "closed" if position <= 60 else "open",
            "giant",
            "needle" if position <= 600 else "hay",
            {},
        )
        for position in range(1, 1201)
    ]
    _write(database, rows)
    heads = reader.heads(ThreadFilter(parent="giant", text="needle"), before=None, limit=30)
    assert [head.position for head in heads] == list(range(600, 570, -1))


def test_a_search_follows_threads_as_they_move_and_change_their_status(threads: Threads) -> None:
    for thread_id in ("a", "b", "c"):
        threads.start(thread_id, {"goal": "Find it", "parent": "boss", "metadata": {"team": "x"}})
    threads.append("a", [reply("one")])
    which: dict[str, Any] = {"text": "find", "metadata": {"team": "x"}, "parent": "boss"}
    assert _ids(threads, **which) == ["a", "c", "b"]
    threads.close("b")
    assert _ids(threads, **which) == ["b", "a", "c"]
    assert _ids(threads, status="open", **which) == ["a", "c"]
    assert _ids(threads, status="closed", **which) == ["b"]


def test_what_is_looked_up_has_moved_with_its_thread(database: Database, reader: LogReader) -> None:
    _write(database, [Row(n, f"r-{n}", "open", None, f"goal {n}", {}) for n in range(1, 1202)])
    with database.connection() as connection, unguarded(connection):
        connection.execute(
            "UPDATE agentlog.threads SET position = 1300, status = 'exited' "
            "WHERE thread_id IN ('r-1', 'r-3')"
        )
        connection.execute(
            "UPDATE agentlog.threads SET position = position + 1500 WHERE thread_id > 'r-4'"
        )
    rows = fetch(
        database,
        "SELECT count(*) FROM agentlog.thread_search JOIN agentlog.threads AS head "
        "USING (tenant, thread_id, position, status)",
    )
    assert rows == [(1201,)]
    (head,) = reader.heads(ThreadFilter(text="r-3", status="exited"), before=None, limit=10)
    assert head.position == 1300


def test_a_search_never_shows_another_tenants_threads(threads: Threads, database: Database) -> None:
    threads.start("t", {"goal": "Find it", "metadata": {"team": "x"}})
    theirs = LogReader(database, tenant="another")
    for which in (ThreadFilter(text="find"), ThreadFilter(metadata={"team": "x"})):
        assert len(threads.heads(which, before=None, limit=10)) == 1
        assert theirs.heads(which, before=None, limit=10) == []


# The schema


def test_a_head_that_is_taken_away_is_found_no_more(threads: Threads, database: Database) -> None:
    threads.start("t", {"goal": "Find it"})
    with database.connection() as connection:
        connection.execute("DELETE FROM agentlog.threads")
    assert fetch(database, "SELECT * FROM agentlog.thread_search") == []
