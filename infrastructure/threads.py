"""One tenant's threads: appends through the writer, heads and events; synchronous, thread-safe."""

from collections.abc import Iterator, Sequence

from agentlog.domain.catalogue import FACT_TYPES, REMARK_TYPES
from agentlog.domain.drafts import NO_ORIGIN, Origin
from agentlog.domain.errors import Flaw, InvalidMessage
from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadNoted
from agentlog.domain.identifiers import check_thread_id
from agentlog.domain.json.values import JsonValue, integer_at, texts_of
from agentlog.domain.points_in_time import Moment
from agentlog.infrastructure.appending.append_request import (
    Appended,
    AppendRequest,
    Deliver,
    Outcome,
)
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.eventlog.blob_store import Blobs
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.projections.masking import mask as masks

_MOST_REMARKS = 100
"""Labels of a thread, and criteria that it is judged by."""

_PAGE, _BEGINNING = 100, 1024
"""Events read at once for their ids, and the most bytes of each one's long contents."""


class Threads:
    """One tenant's threads; a read knows of hidden ones if it is `hidden`."""

    def __init__(self, *, reader: LogReader, writer: Writer, blobs: Blobs, tenant: str) -> None:
        self.blobs = blobs
        self.writer = writer
        self._reader = reader
        self._tenant = tenant

    def append(
        self,
        thread_id: str,
        drafts: Sequence[JsonValue],
        *,
        expected_version: int | None = None,
        origin: Origin = NO_ORIGIN,
    ) -> Appended:
        """Append messages to a thread, all or none; a thread starts with its first append."""
        return self.writer.append(
            self.request(thread_id, drafts, expected_version=expected_version, origin=origin)
        )

    def append_many(self, requests: Sequence[AppendRequest]) -> Sequence[Outcome]:
        """Append to many threads at once; each request succeeds or fails by itself."""
        return self.writer.append_many(requests)

    def submit(self, requests: Sequence[AppendRequest], deliver: Deliver) -> None:
        """Append as `append_many` does, without waiting: the outcomes are delivered."""
        self.writer.submit(requests, deliver)

    @property
    def mask(self) -> "masks.Mask | None":
        """What the tenant masks; raises `DatabaseUnavailable`."""
        return self.writer.masks.look(self._tenant)

    @property
    def is_quick(self) -> bool:
        """Whether an append is handed over without asking the database."""
        return self.writer.masks.is_recent(self._tenant)

    def request(  # noqa: PLR0913 - the parts of a request
        self,
        thread_id: str,
        drafts: Sequence[JsonValue] = (),
        *,
        facts: Sequence[dict[str, JsonValue]] = (),
        expected_version: int | None = None,
        closing: Sequence[dict[str, JsonValue]] = (),
        origin: Origin = NO_ORIGIN,
        times: Sequence[int] = (),
    ) -> AppendRequest:
        """Return the request that `append_many` takes; files may be given as `sha256` of blobs.

        `times` are those of the drafts that give none, in ms since the epoch; else the clock's.

        Raises:
            InvalidMessage: a blob is missing, or the files are too large together.
        """
        if any(isinstance(draft, dict) and "files" in draft for draft in drafts):
            drafts = self.blobs.with_data(drafts)
        return AppendRequest(
            self._tenant,
            thread_id,
            drafts,
            facts,
            expected_version,
            closing,
            origin,
            times,
        )

    def start(
        self,
        thread_id: str,
        facts: dict[str, JsonValue],
        *,
        origin: Origin = NO_ORIGIN,
    ) -> Appended:
        """Start a thread with its goal, parent, limits, policy and metadata.

        Starting it again with the same facts answers as the first time; raises `ThreadExists` with
        others.
        """
        kind = {"type": "thread.started"}
        return self._record(thread_id, {**kind, **facts, **kind}, origin)

    def close(
        self, thread_id: str, reason: str | None = None, *, origin: Origin = NO_ORIGIN
    ) -> Appended:
        """Close a thread: nothing follows; raises `UnknownThread`."""
        self.head(thread_id)
        given = {} if reason is None else {"reason": reason}
        fact: dict[str, JsonValue] = {"type": "thread.closed", **given}
        return self._record(thread_id, fact, origin)

    def annotate(
        self,
        thread_id: str,
        metadata: dict[str, JsonValue],
        *,
        origin: Origin = NO_ORIGIN,
    ) -> Appended:
        """Merge metadata into a thread's; null removes a key; raises `UnknownThread`."""
        self.head(thread_id)
        fact: dict[str, JsonValue] = {"type": "thread.annotated", "metadata": metadata}
        return self._record(thread_id, fact, origin)

    def remark(
        self, thread_id: str, remark: dict[str, JsonValue], *, origin: Origin = NO_ORIGIN
    ) -> Appended:
        """Append a note, labels or a judgement; what the thread did stays as it is.

        Raises:
            UnknownThread: there is no such thread.
            InvalidMessage: it is no remark, or is about what the thread does not have.
        """
        head = self.head(thread_id)
        if flaw := next(self._flaws_of(remark, head), None):
            raise InvalidMessage([flaw])
        return self._record(thread_id, remark, origin)

    def _flaws_of(self, remark: dict[str, JsonValue], head: Head) -> Iterator[Flaw]:
        kind = remark.get("type")
        if kind not in REMARK_TYPES:
            yield Flaw("type", f"use one of {', '.join(sorted(REMARK_TYPES))}")
        for name in ("on", "replaces"):
            if (integer_at(remark, name) or 0) > head.version:
                yield Flaw(name, f"the thread ends with version {head.version}")
        if (replaces := integer_at(remark, "replaces") or 0) > 0:
            (event,) = self._reader.events(head.thread_id, after=replaces - 1, upto=replaces)
            if not isinstance(event.message, ThreadNoted):
                yield Flaw("replaces", f"version {replaces} is no note")
            elif (changed := event.message.replaces) is not None:
                yield Flaw("replaces", f"version {replaces} changes a note: name that, {changed}")
        if len({*head.labels, *texts_of(remark.get("add"))}) > _MOST_REMARKS:
            yield Flaw("add", f"a thread has {_MOST_REMARKS} labels at most: remove some")
        criteria = [judgement.get("criterion") for judgement in head.judgements]
        is_new = kind == "thread.judged" and remark.get("criterion") not in criteria
        if is_new and len(criteria) >= _MOST_REMARKS:
            yield Flaw("criterion", f"a thread is judged by {_MOST_REMARKS} criteria at most")

    def _record(self, thread_id: str, fact: dict[str, JsonValue], origin: Origin) -> Appended:
        request = self.request(thread_id, facts=[fact], origin=origin)
        return self.writer.append(request)

    def head(self, thread_id: str, *, hidden: bool = False) -> Head:
        """Return the head of a thread; raises `UnknownThread`."""
        return self._reader.head(check_thread_id(thread_id), hidden=hidden)

    def heads(
        self, which: ThreadFilter, *, before: int | None, limit: int, hidden: bool = False
    ) -> list[Head]:
        """Return threads by recency, newest first, below the position `before`."""
        return self._reader.heads(which, before=before, limit=limit, hidden=hidden)

    def thread_ids(self, *, after: str = "", limit: int, hidden: bool = False) -> list[str]:
        """Return ids of threads in their own order, after `after`."""
        return self._reader.thread_ids(after=after, limit=limit, hidden=hidden)

    def version_at(self, thread_id: str, moment: Moment | None, *, hidden: bool = False) -> int:
        """Return a thread's version at a moment; raises `NotThere` if the moment is not there."""
        return self._reader.version_at(self.head(thread_id, hidden=hidden), moment)

    def messages(  # noqa: PLR0913 - one parameter a choice
        self,
        thread_id: str,
        *,
        after: int = 0,
        at: Moment | None = None,
        types: Sequence[str] | None = None,
        limit: int | None = None,
        most_bytes: int | None = None,
        hidden: bool = False,
    ) -> list[Event]:
        """Return a thread's events up to the moment `at`, as `LogReader.events` does."""
        upto = self.version_at(thread_id, at, hidden=hidden)
        return self._reader.events(
            thread_id, after=after, upto=upto, types=types, limit=limit, most_bytes=most_bytes
        )

    def message_ids(self, thread_id: str, *, hidden: bool = False) -> Iterator[str]:
        """Yield the ids of a thread's messages in their order, without those of its facts."""
        after = 0
        while page := self.messages(
            thread_id, after=after, limit=_PAGE, most_bytes=_BEGINNING, hidden=hidden
        ):
            yield from (event.message_id for event in page if event.type not in FACT_TYPES)
            after = page[-1].originator_version

    def message(self, thread_id: str, message_id: str, *, hidden: bool = False) -> Event:
        """Return one event; raises `NotThere`."""
        return self._reader.message(check_thread_id(thread_id), message_id, hidden=hidden)

    def log(
        self, *, after: int = 0, types: Sequence[str] | None = None, limit: int | None = None
    ) -> list[Event]:
        """Return events of all threads by position, after `after`."""
        return self._reader.log(after=after, types=types, limit=limit)
