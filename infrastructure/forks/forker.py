"""Forks threads: a copy of a thread's messages up to a point, as the beginning of a new thread.

A fork is appended in one transaction, so that it is there whole or not at all. All that can be
known before is read before the log is locked; then bodies are copied inside the database. Facts of
the origin are its own and are not copied, nor are its goal and metadata. What was erased in the
origin is erased in the fork by redactions of its own; what is erased later follows
(`erasure.eraser`).
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import psycopg

from agentlog.domain.drafts import NO_ORIGIN, Origin, Prepared
from agentlog.domain.errors import (
    FutureMoment,
    InvalidMessage,
    MessageConflict,
    ThreadExists,
    UnknownThread,
)
from agentlog.domain.facts import ForkedFrom
from agentlog.domain.identifiers import check_thread_id, derived_message_id
from agentlog.domain.json.beginning import BEGINNING_BYTES
from agentlog.domain.json.values import JsonObject, JsonValue, object_of
from agentlog.domain.points_in_time import Moment
from agentlog.domain.redaction import left_digest
from agentlog.infrastructure.appending.append_request import Preparer
from agentlog.infrastructure.appending.masks import TenantMasks
from agentlog.infrastructure.audit.records import log_snapshot, stored_events
from agentlog.infrastructure.erasure.eraser import Eraser
from agentlog.infrastructure.erasure.following import MOST_MESSAGES
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_trees import ThreadInTree, tree_of
from agentlog.infrastructure.forks.append_fork import append_fork, log_locked
from agentlog.infrastructure.forks.edits import Edit, check_edits
from agentlog.infrastructure.forks.errors import ForkTooLong
from agentlog.infrastructure.forks.plan import RULED, ForkPlan, Original
from agentlog.infrastructure.postgres.database import Connections, Database
from agentlog.infrastructure.postgres.statements import statement

MOST_COPIED = 200_000
"""Most messages of a fork: it is planned in memory, and appends wait while it is appended."""

_MOST_IN_TREE = 1000
_KEPT = ("type", "blob", "reason")
"""What a fork's redaction has of the origin's."""

_Redactions = Sequence[tuple[int, int | None]]
"""The redactions of a thread by version, each with its number once it is carried out."""


@dataclass(frozen=True, slots=True)
class Forked:
    """A fork: where it stands, and where it comes from; `replayed` if it was made before."""

    thread_id: str
    version: int
    position: int
    origin: ForkedFrom
    replayed: bool = False


class Forker:
    """Forks threads of one tenant: reads by `confined`, appends by the service's `database`."""

    def __init__(  # noqa: PLR0913 - what it works with
        self,
        database: Database,
        confined: Connections,
        reader: LogReader,
        eraser: Eraser,
        *,
        tenant: str,
        clock: Callable[[], int],
        new_id: Callable[[], str],
        masks: TenantMasks | None = None,
    ) -> None:
        self._database = database
        self._confined = confined
        self._reader = reader
        self._eraser = eraser
        self._tenant = tenant
        self._preparer = Preparer(clock=clock, new_id=new_id, masks=masks)
        self._new_id = new_id

    def fork(  # noqa: PLR0913 - what a fork may be asked for
        self,
        thread_id: str,
        moment: Moment | None = None,
        *,
        as_thread: str | None = None,
        edits: Sequence[Edit] = (),
        facts: Mapping[str, JsonValue] | None = None,
        origin: Origin = NO_ORIGIN,
    ) -> Forked:
        """Fork a thread as it was at a moment; `facts` are goal and metadata of the fork.

        The same fork under the same id again is answered as the first time.

        Raises:
            UnknownThread, UnknownMessage, FutureMoment: there is no such point of a thread.
            ForkTooLong: it has more than `MOST_COPIED` messages up to there.
            InvalidMessage: an edit or a fact is off.
            MessageConflict: an edit puts in a message whose id is copied too.
            RuleBroken: under policy strict, the edits leave out what a message answers.
            ThreadExists: there is another thread of that id.
            DatabaseUnavailable: it is not known whether the fork was made: ask again.
        """
        fork_id = check_thread_id(self._new_id() if as_thread is None else as_thread)
        head = self._reader.head(thread_id)
        version = self._reader.version_at(head, moment)
        link = self._reader.chain_of(head, version)
        if link is None:
            raise FutureMoment("version 0", present="a fork begins at the first event or later")
        source = ForkedFrom(
            thread=thread_id,
            version=version,
            link=link.hex(),
            edits=tuple(edit.recorded for edit in edits),
        )
        start: JsonObject = {
            "type": "thread.forked",
            **(facts or {}),
            "policy": head.policy,
            **{key: value for key, value in head.read_facts().items() if key == "limits"},
            "forkedFrom": source.model_dump(mode="json", exclude_none=True),
        }
        fact_id = derived_message_id(self._tenant, fork_id, "thread.forked")
        fact = self._fact(start, fact_id, origin)
        before = self._earlier_fork(fork_id, fact, source)
        return before or self._fork(fork_id, fact, source, edits, origin)

    def tree(self, thread_id: str, *, hidden: bool = False) -> tuple[list[ThreadInTree], bool]:
        """Return the tree of forks that a thread stands in, and whether there is more of it."""
        return tree_of(
            self._confined, self._tenant, thread_id, "origin", most=_MOST_IN_TREE, hidden=hidden
        )

    def _fork(
        self,
        fork_id: str,
        fact: Prepared,
        source: ForkedFrom,
        edits: Sequence[Edit],
        origin: Origin,
    ) -> Forked:
        """Plan the fork and append it; again if a redaction of the origin came between."""
        added = [self._prepare(edit, index, origin) for index, edit in enumerate(edits)]
        while True:
            self._eraser.finish(self._tenant, source.thread)
            with self._database.connection() as connection:
                redactions = self._redactions(connection, source)
            plan = self._plan(fork_id, fact, source, edits, added, origin)
            with self._database.connection() as connection:
                log = log_locked(connection, erases=any(event.redacted for event in plan.events))
                with log as (position, recorded_at):
                    if self._redactions(connection, source) != redactions:
                        continue
                    if self._exists(connection, fork_id):
                        break
                    last = append_fork(
                        connection,
                        plan,
                        tenant=self._tenant,
                        origin=source.thread,
                        position=position,
                        recorded_at=recorded_at,
                    )
            return Forked(fork_id, len(plan.events), last, source)
        before = self._earlier_fork(fork_id, fact, source)
        if before is None:
            raise ThreadExists(fork_id)
        return before

    def _plan(  # noqa: PLR0913, PLR0917 - what a plan is of
        self,
        fork_id: str,
        fact: Prepared,
        source: ForkedFrom,
        edits: Sequence[Edit],
        added: Sequence[Prepared | None],
        origin: Origin,
    ) -> ForkPlan:
        originals = self._originals(source)
        check_edits(edits, originals, origin=source.thread)
        ruled = self._reader.events(
            source.thread, upto=source.version, types=sorted(RULED), most_bytes=BEGINNING_BYTES
        )
        plan = ForkPlan(fork_id)
        plan.add(fact)
        plan.lay_out(source, originals, {event.version: event for event in ruled}, added)
        taken: dict[str, int] = {}
        for event in plan.events:
            if taken.setdefault(event.message_id, event.version) != event.version:
                known = taken[event.message_id]
                raise MessageConflict(fork_id, event.message_id, version=known)
        self._redact(plan, source, origin)
        return plan

    def _redact(self, plan: ForkPlan, source: ForkedFrom, origin: Origin) -> None:
        """Add the redactions of what is erased in the origin, and mark it by them."""
        erased = {event.origin_version for event in plan.events if event.redacted is not None}
        if not erased:
            return
        left: defaultdict[int, list[tuple[int, str, str]]] = defaultdict(list)
        with log_snapshot(self._confined) as cursor:
            for event in stored_events(cursor, self._tenant, source.thread):
                if event.redacted is not None and event.version in erased:
                    digest = left_digest(event.body, event.metadata)
                    left[event.redacted].append((event.version, event.message_id, digest.hex()))
        facts = self._reader.events(source.thread, types=["thread.redacted"])
        marks: dict[int, int] = {}
        for redaction in facts:
            kept = {k: v for k, v in object_of(redaction.raw).items() if k in _KEPT}
            messages = left.get(redaction.version, ())
            for begin in range(0, len(messages), MOST_MESSAGES):
                versions, ids, digests = zip(*messages[begin : begin + MOST_MESSAGES], strict=True)
                fact: JsonObject = {
                    **kept,
                    "messages": list(ids),
                    "left": list(digests),
                }
                plan.add(self._fact(fact, self._new_id(), origin))
                marks |= dict.fromkeys(versions, len(plan.events))
        plan.mark(marks)

    def _prepare(self, edit: Edit, index: int, origin: Origin) -> Prepared | None:
        """Return the message that an edit puts in, None for one that drops."""
        if edit.kind == "drop":
            return None
        try:
            return self._preparer.message(self._tenant, edit.message, origin)
        except InvalidMessage as error:
            raise error.within(f"edits[{index}].message") from error

    def _fact(self, fact: JsonObject, message_id: str, origin: Origin) -> Prepared:
        return self._preparer.fact(self._tenant, fact, message_id, origin)

    def _originals(self, source: ForkedFrom) -> dict[int, Original]:
        parameters = {
            "tenant": self._tenant,
            "thread_id": source.thread,
            "upto": source.version,
            "limit": MOST_COPIED + 1,
        }
        with self._confined.connection() as connection, connection.cursor(binary=True) as cursor:
            rows = cursor.execute(statement("select_fork_messages"), parameters)
            originals = {row[0]: Original(*row) for row in rows}
        if len(originals) > MOST_COPIED:
            raise ForkTooLong(source.thread, most=MOST_COPIED)
        return originals

    def _redactions(self, connection: psycopg.Connection, source: ForkedFrom) -> _Redactions:
        parameters = {"tenant": self._tenant, "thread_id": source.thread}
        return connection.execute(statement("select_redactions_done"), parameters).fetchall()

    def _exists(self, connection: psycopg.Connection, thread_id: str) -> bool:
        parameters = {"tenants": [self._tenant], "thread_ids": [thread_id]}
        return connection.execute(statement("select_heads"), parameters).fetchone() is not None

    def _earlier_fork(self, fork_id: str, fact: Prepared, source: ForkedFrom) -> Forked | None:
        """Return the same fork if it is there; raises `ThreadExists` if another thread is."""
        try:
            head = self._reader.head(fork_id)
        except UnknownThread:
            return None
        first = self._reader.events(fork_id, limit=1)
        if not first or not fact.same_content(first[0].body):
            raise ThreadExists(fork_id)
        return Forked(fork_id, head.version, head.position, source, replayed=True)
