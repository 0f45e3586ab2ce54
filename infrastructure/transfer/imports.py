"""Imports on record: each with the threads that it made, which may be hidden and shown again."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Literal

from psycopg.rows import TupleRow

from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.errors import AgentlogError, NotThere
from agentlog.domain.json.values import JsonObject
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.appending.append_request import Appended
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.queries import fetch, run
from agentlog.infrastructure.threads import Threads

_PAGE = 500


class UnknownImport(NotThere):
    """There is no import of that id."""

    def __init__(self, import_id: str) -> None:
        super().__init__(f"there is no import {import_id!r}: `agentlog imports` lists them")


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
    """An import that runs: `count` adds what it appended to its figures.

    `made` and `grown` are the threads of its earlier runs.
    """

    def __init__(
        self,
        origin: Origin,
        add: Callable[..., None],
        *,
        made: Iterable[str] = (),
        grown: Iterable[str] = (),
    ) -> None:
        self.origin = origin
        self._add = add
        self._made = set(made)
        self._grown = set(grown)

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

    def __init__(self, database: Connections, threads: Threads, *, tenant: str) -> None:
        self._database = database
        self._threads = threads
        self._tenant = tenant

    def begin(
        self, import_id: str, paths: Sequence[str], *, key_id: str | None = None
    ) -> RunningImport:
        """Put an import on record, or go on with one that is; `key_id` is the caller's."""
        self.put(import_id, paths)
        before = self.one(import_id)
        made = chain.from_iterable(
            page
            for hidden in (False, True)
            if before.threads
            for page in self.made_by(import_id, hidden=hidden)
        )
        origin = Origin(import_id=import_id, appended_by=key_id)
        add = partial(self._run, "count_import", id=import_id)
        return RunningImport(origin, add, made=made, grown=before.grown)

    def put(self, import_id: str, paths: Sequence[str]) -> None:
        """Put on record that an import runs."""
        self._run("insert_import", id=import_id, paths=list(paths))

    def end(self, import_id: str) -> None:
        """Put the end of an import, or of its latest run, on record."""
        self._run("end_import", id=import_id)

    def page(self, *, before: str | None = None, limit: int | None = None) -> list[Import]:
        """Return imports, the latest first, of ids below `before`."""
        rows = self._rows("select_imports", id=None, before=before, limit=limit)
        return [Import(*row) for row in rows]

    def one(self, import_id: str) -> Import:
        """Return an import; raises `UnknownImport`."""
        for row in self._rows("select_imports", id=import_id, before=None, limit=1):
            return Import(*row)
        raise UnknownImport(import_id)

    def of_thread(self, thread_id: str, ids: Sequence[str]) -> set[str]:
        """Return which of some imports made a thread, or appended to it."""
        rows = self._rows("select_imports_of_thread", thread_id=thread_id, ids=[*ids])
        return {import_id for (import_id,) in rows}

    def keys_of(self, import_id: str) -> set[str | None]:
        """Return the ids of the keys by which an import made its threads; None is without."""
        return {key_id for (key_id,) in self._rows("select_import_keys", id=import_id)}

    def undo(self, import_id: str, *, origin: Origin = NO_ORIGIN) -> int:
        """Hide the threads that an import made, and return how many; raises `UnknownImport`.

        Threads that are hidden already are passed over, so it may be broken off and repeated.
        """
        return self._mark("thread.hidden", import_id, origin)

    def redo(self, import_id: str, *, origin: Origin = NO_ORIGIN) -> int:
        """Show the threads again that an import made, as `undo` hides them."""
        return self._mark("thread.shown", import_id, origin)

    def made_by(self, import_id: str, *, hidden: bool) -> Iterator[list[str]]:
        """Yield the threads that an import made and that are hidden or not, a page at a time."""
        undone = self.one(import_id)
        after, upto = undone.after, BIGGEST if undone.upto is None else undone.upto
        parameters = {"id": import_id, "upto": upto, "hidden": hidden, "limit": _PAGE}
        while rows := self._rows("select_imported", after=after, **parameters):
            yield [thread_id for _, thread_id in rows]
            after = rows[-1][0]

    def hidden(self, thread_ids: Collection[str]) -> int:
        """Return how many of some threads are hidden."""
        ((count,),) = self._rows("count_hidden", thread_ids=list(thread_ids))
        return int(count)

    def _mark(
        self, kind: Literal["thread.hidden", "thread.shown"], import_id: str, origin: Origin
    ) -> int:
        done = 0
        for thread_ids in self.made_by(import_id, hidden=kind == "thread.shown"):
            fact: JsonObject = {"type": kind, "importId": import_id}
            requests = [
                self._threads.request(thread_id, facts=[fact], origin=origin)
                for thread_id in thread_ids
            ]
            for outcome in self._threads.append_many(requests):
                if isinstance(outcome, AgentlogError):
                    raise outcome
                done += 1
        return done

    def _run(self, name: str, **parameters: object) -> None:
        run(self._database, name, tenant=self._tenant, **parameters)

    def _rows(self, name: str, **parameters: object) -> list[TupleRow]:
        return fetch(self._database, name, tenant=self._tenant, **parameters)
