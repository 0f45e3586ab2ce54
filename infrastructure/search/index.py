"""Index of words: the live table of the read model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from psycopg.errors import UndefinedTable
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composed, Identifier

from agentlog.domain.json.text import print_bytes
from agentlog.domain.points_in_time import BIGGEST
from agentlog.infrastructure.postgres.database import Connections
from agentlog.infrastructure.postgres.statements import statement
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.builds import Build
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.readmodels.tables import SCHEMA
from agentlog.infrastructure.search.query import Query
from agentlog.projections.readmodels.message_words import MessageWords

MODEL = MessageWords()

_MANY_THREADS = 1000
_NO_THREAD = ""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Positions of the rows in a query's times, from `since` and before `upto`.

    `as_of` is the position up to which there are rows; those beyond it do not count.
    """

    since: int
    upto: int
    as_of: int


@dataclass(frozen=True, slots=True)
class Candidates:
    """Positions of rows that match, newest first; all rows from `down_to` on were looked at.

    `share` is how many of the rows walked match.
    """

    positions: Sequence[int]
    down_to: int
    share: float


class Index:
    """The rows of one tenant, on connections that row-level security does not restrict.

    Raises:
        NotYetBuilt: there is no live table of this code.
        psycopg.errors.UndefinedTable: rebuilds replaced it again and again.
    """

    def __init__(self, searched: Connections, tenant: str) -> None:
        self._searched = searched
        self._tenant = tenant
        build = self._live_build()
        self._as_of = build.position
        self._read_from(build)

    def bounds(self, query: Query) -> Bounds:
        """Return the positions that a query is about."""
        since, upto = 0, BIGGEST
        if query.begin is not None or query.end is not None:
            parameters = {"begin": query.begin, "end": query.end}
            ((begin, end),) = self._rows("positions_of_times", parameters)
            since = 0 if query.begin is None else begin
            upto = BIGGEST if query.end is None else end
        since = max(since, self._left_out + 1)
        return Bounds(since, min(upto, self._as_of + 1), self._as_of)

    def searched_after(self) -> datetime | None:
        """Return the time of the last event that is left out as too old, None if none is."""
        if self._left_out == 0:
            return None
        rows = self._rows("select_last_left_out", {"left_out": self._left_out})
        return rows[0][0] if rows else None

    def narrowed(self, query: Query) -> Query:
        """Return the query with the threads of its metadata, where these are few."""
        if not query.metadata:
            return query
        parameters = {"facts": _facts(query), "limit": _MANY_THREADS}
        thread_ids = [row[0] for row in self._rows("threads_of_metadata", parameters)]
        if len(thread_ids) == _MANY_THREADS:
            return query
        threads = [
            thread_id for thread_id in thread_ids if not query.threads or thread_id in query.threads
        ]
        return replace(query, threads=threads or [_NO_THREAD], metadata={})

    def walk(self, query: Query, since: int, before: int, reach: int) -> Candidates:
        """Return the candidates among the next `reach` rows before a position."""
        parameters = self._filters(query, since, before) | {"reach": reach}
        ((positions, last, count),) = self._rows("walk_words", parameters)
        down_to = last if count == reach else since
        return Candidates(positions, down_to, len(positions) / reach)

    def look_up(self, query: Query, since: int, before: int, limit: int) -> Candidates:
        """Return the next candidates before a position, at most `limit`, however far back."""
        parameters = self._filters(query, since, before) | {"limit": limit}
        positions = [row[0] for row in self._rows("look_up_words", parameters)]
        down_to = positions[-1] if len(positions) == limit else since
        return Candidates(positions, down_to, 0.0)

    def _filters(self, query: Query, since: int, before: int) -> dict[str, Any]:
        return {
            "words": query.tsquery(self._tenant),
            "threads": list(query.threads) or None,
            "facts": _facts(query),
            "since": since,
            "before": before,
        }

    def _rows(self, name: str, parameters: dict[str, Any], *, tries: int = 3) -> list[TupleRow]:
        try:
            return self._run(SQL(statement(name)).format(table=self._table), parameters)
        except UndefinedTable:  # a rebuild replaced it
            if tries == 1:
                raise
            self._read_from(self._live_build())
            return self._rows(name, parameters, tries=tries - 1)

    def _run(self, text: Composed, parameters: dict[str, Any]) -> list[TupleRow]:
        with self._searched.connection() as connection:
            # unprepared: a generic plan knows neither the words nor which filters are set
            return connection.execute(
                text, {**parameters, "tenant": self._tenant}, prepare=False
            ).fetchall()

    def _read_from(self, build: Build) -> None:
        self._table = Identifier(SCHEMA, f"{build.name}_{build.build}")
        self._left_out = build.left_out

    def _live_build(self) -> Build:
        with self._searched.connection() as connection:
            for build in builds.builds(connection):
                if (build.name, build.version, build.state) == (MODEL.name, MODEL.version, "live"):
                    return build
        raise NotYetBuilt(MODEL.name)


def _facts(query: Query) -> bytes | None:
    return print_bytes({"metadata": dict(query.metadata)}) if query.metadata else None
