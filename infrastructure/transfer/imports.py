"""Imports on record: each with the threads that it made, which may be hidden and shown again."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal

from psycopg.rows import TupleRow, tuple_row

from agentlog.domain.drafts import Origin
from agentlog.domain.errors import AgentlogError, NotThere
from agentlog.domain.json.values import JsonObject
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.appending.append_request import Appended
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.threads import Threads

_PAGE = 500


class UnknownImport(NotThere):
    """There is no import of that id."""

    def __init__(self, import_id: str) -> None:
        super().__init__(f"there is no import {import_id!r}: `agentlog imports` lists them")
        self.import_id = import_id


@dataclass(frozen=True, slots=True)
class Import:
    """An import; `ended_at` and `upto` are None while it runs, and where it was killed.

    It appended its events after the position `after` and up to `upto`. `threads` counts those that
    it made; `grown` are the ids of threads that were there before, and that it appended to.
    """

    id: str
    at: datetime
    ended_at: datetime | None
    after: int
    upto: int | None
    paths: Sequence[str]
    threads: int
    events: int
    grown: Sequence[str]


class RunningImport:
    """An import that runs: `count` adds what it appended to its figures."""

    def __init__(self, import_id: str, add: Callable[..., None]) -> None:
        self.origin = Origin(import_id=import_id)
        self._add = add
        self._made: set[str] = set()
        self._grown: set[str] = set()

    def count(self, appended: Sequence[Appended]) -> None:
        """Add threads and events to the import's figures."""
        new = [
            (thread.thread_id, message.version)
            for thread in appended
            for message in thread.messages
            if not message.replayed
        ]
        made = {thread_id for thread_id, version in new if version == 1}
        self._made |= made
        grown = {thread_id for thread_id, _ in new} - self._made - self._grown
        self._grown |= grown
        if new:
            self._add(threads=len(made), events=len(new), grown=sorted(grown))


class Imports:
    """The imports of one tenant."""

    def __init__(self, database: Database, threads: Threads, *, tenant: str) -> None:
        self._database = database
        self._threads = threads
        self._tenant = tenant

    @contextmanager
    def running(self, import_id: str, paths: Sequence[str]) -> Iterator["RunningImport"]:
        """Put an import on record, and at the end of the block its end; not if that raises."""
        self._run("insert_import", id=import_id, paths=list(paths))
        yield RunningImport(import_id, partial(self._run, "count_import", id=import_id))
        self._run("end_import", id=import_id)

    def all(self) -> list[Import]:
        """Return all imports, the latest first."""
        return [Import(*row) for row in self._rows("select_imports", id=None)]

    def one(self, import_id: str) -> Import:
        """Return an import; raises `UnknownImport`."""
        for row in self._rows("select_imports", id=import_id):
            return Import(*row)
        raise UnknownImport(import_id)

    def undo(self, import_id: str) -> int:
        """Hide the threads that an import made, and return how many; raises `UnknownImport`.

        Threads that are hidden already are passed over, so it may be broken off and repeated.
        """
        return self._mark("thread.hidden", import_id)

    def redo(self, import_id: str) -> int:
        """Show the threads again that an import made, as `undo` hides them."""
        return self._mark("thread.shown", import_id)

    def made_by(self, import_id: str, *, hidden: bool) -> Iterator[list[str]]:
        """Yield the threads that an import made and that are hidden or not, a page at a time."""
        undone = self.one(import_id)
        after, upto = undone.after, BIGGEST if undone.upto is None else undone.upto
        asked = {"id": import_id, "upto": upto, "hidden": hidden, "limit": _PAGE}
        while rows := self._rows("select_imported", after=after, **asked):
            yield [thread_id for _, thread_id in rows]
            after = rows[-1][0]

    def hidden(self, thread_ids: Collection[str]) -> int:
        """Return how many of some threads are hidden."""
        ((count,),) = self._rows("count_hidden", thread_ids=list(thread_ids))
        return int(count)

    def _mark(self, kind: Literal["thread.hidden", "thread.shown"], import_id: str) -> int:
        done = 0
        for thread_ids in self.made_by(import_id, hidden=kind == "thread.shown"):
            fact: JsonObject = {"type": kind, "importId": import_id}
            requests = [self._threads.request(thread_id, facts=[fact]) for thread_id in thread_ids]
            for outcome in self._threads.append_many(requests):
                if isinstance(outcome, AgentlogError):
                    raise outcome
                done += 1
        return done

    def _run(self, name: str, **asked: object) -> None:
        with self._database.connection() as connection:
            connection.execute(statement(name), {"tenant": self._tenant, **asked})

    def _rows(self, name: str, **asked: object) -> list[TupleRow]:
        with (
            self._database.connection() as connection,
            connection.cursor(row_factory=tuple_row) as cursor,
        ):
            return cursor.execute(statement(name), {"tenant": self._tenant, **asked}).fetchall()
