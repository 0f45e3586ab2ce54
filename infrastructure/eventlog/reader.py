"""Reads of the log: heads, events of one thread or all, and the version at a point in time."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from difflib import get_close_matches
from math import isqrt
from typing import LiteralString, get_args

from psycopg.rows import TupleRow, class_row, tuple_row

from agentlog.domain.errors import FutureMoment, UnknownMessage, UnknownThread
from agentlog.domain.events import Event
from agentlog.domain.json.beginning import BEGINNING_BYTES
from agentlog.domain.points_in_time import BIGGEST, AtMessage, AtPosition, AtTime, AtVersion, Moment
from agentlog.domain.threads import Status
from agentlog.infrastructure.eventlog.blob_store import Contents, contents_in
from agentlog.infrastructure.eventlog.body_deduplication import digests_in
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter, event_of
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.log_position import check_past, log_position
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.runtime.request_work import spend

_REACH = 500
"""Heads that a search scans by recency, each a lookup, before it estimates again."""

_FEW = 0.02
"""If fewer of them match, the search uses the index; if more do, the scan goes on."""

_NEIGHBOURS = 5
_SIMILAR = 0.8
"""How alike an unknown id and one that is proposed are, from 0 to 1."""


class LogReader:
    """Reads of one tenant's log.

    `searched`: the connections for word search, if other than `database`. Row-level security would
    prevent the use of their index; rows found there are read again in `database`.
    Hidden threads are in no list, and unknown by their ids, unless a read is `hidden`.
    """

    def __init__(
        self, database: Connections, *, tenant: str, searched: Connections | None = None
    ) -> None:
        self._database = database
        self._tenant = tenant
        self._searched = searched

    def head(self, thread_id: str, *, hidden: bool = False) -> Head:
        """Return the head of a thread; raises `UnknownThread`."""
        rows = self._heads("select_heads", tenants=[self._tenant], thread_ids=[thread_id])
        if not rows or (rows[0].hidden and not hidden):
            similar = () if rows else self._similar(thread_id, hidden=hidden)
            raise UnknownThread(thread_id, is_hidden=bool(rows), similar=similar)
        return rows[0]

    def _similar(self, thread_id: str, *, hidden: bool) -> list[str]:
        """Return ids like one that is unknown, of those beside it in their order."""
        parameters = {"thread_id": thread_id, "hidden": hidden, "limit": _NEIGHBOURS}
        neighbours = [row[0] for row in self._rows("select_neighbours", **parameters)]
        return get_close_matches(thread_id, neighbours, cutoff=_SIMILAR)

    def heads_of(self, thread_ids: Sequence[str]) -> list[Head]:
        """Return the heads of those threads that there are, hidden ones too."""
        tenants = [self._tenant] * len(thread_ids)
        return self._heads("select_heads", tenants=tenants, thread_ids=list(thread_ids))

    def heads(
        self, which: ThreadFilter, *, before: int | None, limit: int, hidden: bool = False
    ) -> list[Head]:
        """Return threads by recency, newest first, whose latest position is below `before`.

        A search scans the newest first: a filter that many threads match fills a page there, and
        one that few match is soon answered from the index. Cases between read little in either way.
        """
        parameters: dict[str, object] = {
            "status": which.status,
            "statuses": list(get_args(Status)) if which.status is None else [which.status],
            "parent": which.parent,
            "hidden": hidden,
            **which.searched,
        }
        before = BIGGEST if before is None else before
        searching = any(condition is not None for condition in which.searched.values())
        reach = max(_REACH, 4 * limit) if searching else limit
        heads, ended = self._walk(which, reach=reach, before=before, limit=limit, **parameters)
        missing = limit - len(heads)
        if searching and missing and not ended and len(heads) > reach * _FEW:
            enough = missing + 3 * isqrt(missing)  # a margin of three standard deviations
            reach = reach * enough // len(heads)
            last = heads[-1].position
            more, ended = self._walk(which, reach=reach, before=last, limit=missing, **parameters)
            heads += more
        if len(heads) == limit or ended or not searching:
            return heads
        return self._matching({**parameters, "before": before, "limit": limit})

    def _matching(self, asked: dict[str, object]) -> list[Head]:
        """Return the newest matching heads, however far back."""
        metadata: LiteralString = "true"
        if asked["facts"] is not None:
            metadata = "metadata @> (SELECT agentlog.scalars_of(%(facts)s, 2147483647))"
        gaps = {"metadata": metadata}
        rows = self._planned_rows("select_threads_matching", gaps, **asked)
        heads = [Head(*row) for row in rows]
        if self._searched is None:
            return heads
        ids = [head.thread_id for head in heads]
        ours = self._heads("select_heads", tenants=[self._tenant] * len(ids), thread_ids=ids)
        return sorted(ours, key=lambda head: -head.position)

    def _walk(self, which: ThreadFilter, **parameters: object) -> tuple[list[Head], bool]:
        """Return the matches among the next `reach` heads, and whether there are no more heads."""
        of: LiteralString = "true"
        if which.parent is not None:
            of = "parent = %(parent)s AND status = scanned_status"
        elif which.status is not None:
            of = "status = scanned_status"
        scans = ["any"] if of == "true" else parameters["statuses"]
        rows = self._planned_rows("select_threads", {"of": of}, scans=scans, **parameters)
        ended = any(oldest for *_, oldest in rows)
        return [Head(*row) for *row, matches, _ in rows if matches], ended

    def thread_ids(self, *, after: str, limit: int, hidden: bool = False) -> list[str]:
        """Return ids of threads in the order of the ids, after `after`."""
        parameters = {"after": after, "limit": limit, "hidden": hidden}
        return [row[0] for row in self._rows("select_thread_ids", **parameters)]

    def grown(self, *, after: int, limit: int) -> list[tuple[str, int, int]]:
        """Return threads that have grown since a position: id, version and position of each."""
        rows = self._rows("select_grown", after=after, limit=limit)
        return [(row[0], row[1], row[2]) for row in rows]

    def events(  # noqa: PLR0913 - one parameter a choice
        self,
        thread_id: str,
        *,
        after: int = 0,
        upto: int = BIGGEST,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        most_bytes: int | None = None,
        descending: bool = False,
    ) -> list[Event]:
        """Return events of a thread by version, after `after` and up to `upto` inclusive.

        With `most_bytes` only beginnings of that length are read of long contents, and not checked.
        `descending` puts the latest first, without `types`.
        """
        whole = "select_events_descending" if descending else "select_events"
        return self._events(
            "select_events_of_types" if types else whole,
            most_bytes,
            thread_id=thread_id,
            after=after or -1,
            upto=upto,
            types=sorted(set(types or ())),
            limit=limit,
        )

    def last_events(self, thread_id: str, *, upto: int, types: Sequence[str]) -> list[Event]:
        """Return the last event of each of some types up to `upto`, without its long contents."""
        if not types:
            return []
        parameters = {"thread_id": thread_id, "upto": upto, "types": list(types)}
        return self._events("select_last_events", **parameters)

    def each_event(
        self,
        thread_id: str,
        *,
        after: int,
        upto: int,
        limit: int | None = None,
        long_texts: bool = True,
    ) -> Iterator[Event]:
        """Yield what `events` returns without position and time, for a fold.

        All rows are read at once; each event is made when it is requested. Without `long_texts`
        only the beginnings of contents are read, and not checked.
        """
        wanted = {"thread_id": thread_id, "after": after or -1, "upto": upto, "limit": limit}
        most_bytes = None if long_texts else BEGINNING_BYTES
        rows, contents = self._whole_rows("select_events_to_fold", wanted, most_bytes)
        return (event_of(row, contents, thread_id=thread_id) for row in rows)

    def log(
        self,
        *,
        after: int = 0,
        upto: int = BIGGEST,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        most_bytes: int | None = None,
    ) -> list[Event]:
        """Return events of all threads by position, after `after` and up to `upto` inclusive.

        `most_bytes` is as that of `events`.
        """
        return self._events(
            "select_log",
            most_bytes,
            after=after,
            upto=upto,
            types=list(types) if types else None,
            limit=limit,
        )

    def events_at(self, positions: Sequence[int]) -> list[Event]:
        """Return the events at some positions, in the order of the log."""
        return self._events("select_events_at", positions=list(positions))

    def position(self) -> int:
        """Return the log's position, over all tenants."""
        return log_position(self._database)

    def message(self, thread_id: str, message_id: str, *, hidden: bool = False) -> Event:
        """Return one event; raises `UnknownThread` or `UnknownMessage`."""
        parameters = {"thread_id": thread_id, "message_id": message_id, "hidden": hidden}
        events = self._events("select_message", **parameters)
        if not events:
            self.head(thread_id, hidden=hidden)
            raise UnknownMessage(thread_id, message_id)
        return events[0]

    def version_at(self, head: Head, moment: Moment | None) -> int:
        """Return a thread's version at a moment, 0 before its first event.

        Raises:
            FutureMoment: the moment is not there yet.
            UnknownMessage: the thread has no such message.
        """
        match moment:
            case None:
                return head.version
            case AtVersion(version):
                if version > head.version:
                    present = f"thread {head.thread_id!r} is at version {head.version}"
                    raise FutureMoment(f"version {version}", present=present)
                return version
            case AtMessage(message_id):
                return self.message(head.thread_id, message_id, hidden=head.hidden).version
            case AtPosition(position):
                last = self.position()
                if position > last:
                    present = f"the log is at position {last}"
                    raise FutureMoment(f"position {position}", present=present)
                return self._version(head, "position", position)
            case AtTime(time):
                check_past(self._database, time)
                return self._version(head, "recorded_at", time)

    def position_of(self, head: Head, version: int) -> int | None:
        """Return the position of a thread's event, None before the first."""
        if version in (0, head.version):
            return head.position if version else None
        rows = self._rows("select_position", thread_id=head.thread_id, version=version)
        return int(rows[0][0]) if rows else None

    def chain_of(self, head: Head, version: int) -> bytes | None:
        """Return the link of the hash chain at a thread's event, None where there is none."""
        if version == head.version:
            return head.chain
        rows = self._rows("select_chain", thread_id=head.thread_id, version=version)
        return bytes(rows[0][0]) if rows else None

    def _version(self, head: Head, place: LiteralString, moment: int | datetime) -> int:
        # a plan made while the log was short would read all of it at each step
        parameters = {"thread_id": head.thread_id, "moment": moment}
        (row,) = self._planned_rows("version_at", {"place": place}, **parameters)
        return int(row[0])

    def _heads(self, name: str, **parameters: object) -> list[Head]:
        with (
            self._database.connection() as connection,
            connection.cursor(binary=True, row_factory=class_row(Head)) as cursor,
        ):
            return cursor.execute(statement(name), parameters).fetchall()

    def _events(
        self, name: str, most_bytes: int | None = None, /, **parameters: object
    ) -> list[Event]:
        rows, contents = self._whole_rows(name, parameters, most_bytes)
        return [event_of(row, contents) for row in rows]

    def _whole_rows(
        self, name: str, parameters: Mapping[str, object], most_bytes: int | None
    ) -> tuple[list[TupleRow], Contents]:
        """Return rows of events, and the contents cut out of their bodies, or their beginnings."""
        for _ in range(2):
            rows = self._rows(name, **parameters)
            cuts = [row[8] for row in rows if row[8] is not None]
            contents = contents_in(self._database, self._tenant, cuts, most_bytes)
            spend(size=sum(len(row[3]) for row in rows) + sum(map(len, contents.texts.values())))
            if digests_in(cuts) <= contents.texts.keys():
                break  # else some may have been erased in between
        return rows, contents

    def _rows(self, name: str, **parameters: object) -> list[TupleRow]:
        return self._fetch(name, {}, parameters, prepare=None)

    def _planned_rows(
        self, name: str, gaps: Mapping[str, LiteralString], /, **parameters: object
    ) -> list[TupleRow]:
        # a generic plan knows neither the limit nor which filters are set, and may sort
        # the whole list for a page; planning for these values costs a tenth of a millisecond
        return self._fetch(name, gaps, parameters, prepare=False)

    def _fetch(
        self,
        name: str,
        gaps: Mapping[str, LiteralString],
        parameters: dict[str, object],
        *,
        prepare: bool | None,
    ) -> list[TupleRow]:
        parameters["tenant"] = self._tenant
        with (
            self._place(name).connection() as connection,
            connection.cursor(binary=True, row_factory=tuple_row) as cursor,
        ):
            text = statement(name, **gaps)
            rows = cursor.execute(text, parameters, prepare=prepare).fetchall()
        spend(rows=len(rows))
        return rows

    def _place(self, name: str) -> Connections:
        if name == "select_threads_matching" and self._searched is not None:
            return self._searched
        return self._database
