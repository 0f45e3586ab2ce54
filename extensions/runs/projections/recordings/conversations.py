"""Conversations through a gateway: the thread of each exchange, and the messages that it adds.

An exchange belongs to the first thread of these: the one that the client asks for; the one of the
name that the client gives its conversation; the one that got the answer that the request goes on
from; the one whose last request is the longest beginning of this one; a new thread.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import accumulate
from typing import Literal, NamedTuple, TypeVar

from agentlog.domain.identifiers import is_thread_id, message_id_of
from agentlog.domain.json.values import object_of, text_at
from agentlog.extensions.runs.projections.recordings.recording import (
    Recording,
    Resumed,
    ThreadAppend,
)
from agentlog.projections.exchanges.exchange import Exchange
from agentlog.projections.exchanges.lanes import answer_drafts, answer_key, answered_key
from agentlog.projections.exchanges.requests import (
    Api,
    ModelRequest,
    is_assistants,
    is_system,
    item_key,
    request_of,
)

PREFIX = "gateway-"
"""What the ids of threads begin with that no client named."""
_WAIT_MS = 10_000
"""How long an exchange waits for the one that tells which lane is the thread's own."""
_MOST = 1000
"""Conversations in memory; of those not there, the ones with a name are read from the log."""
_MOST_KEYS = 100_000
"""Answers by which a request finds its thread."""

_Key = TypeVar("_Key", bound=Hashable)


Kind = Literal["named", "unnamed", "other"]
"""Whether the client names the conversation, and whether there is one: `other` ask no model."""


class Added(NamedTuple):
    """What an exchange adds; it `waits` where that comes with a later one, or by `settle`."""

    thread_id: str
    kind: Kind
    appends: list[ThreadAppend]
    waits: bool = False


@dataclass(slots=True)
class _Conversation:
    """A thread: its recording, and what it is known by."""

    recording: Recording
    kind: Kind
    heard_at: int = 0
    end: bytes | None = None
    """The digest of the last request's items; only of conversations without a name."""
    answer: bytes | None = None
    """What the model answered to them, None where it did not."""


class Conversations:
    """The conversations of one tenant; exchanges are added in the order in which they ended.

    `resume` returns what the log has of a thread's last run, None where it has none; `new_run`
    returns a name for a run. Times are in ms since the epoch.
    """

    def __init__(
        self, resume: Callable[[str], Resumed | None], *, new_run: Callable[[], str]
    ) -> None:
        self._resume = resume
        self._new_run = new_run
        self._known: OrderedDict[str, _Conversation] = OrderedDict()
        self._by_end: dict[bytes, dict[str, None]] = {}
        self._by_answer: OrderedDict[str, str] = OrderedDict()
        self._resumed: OrderedDict[Hashable, str] = OrderedDict()
        """Threads by exchanges that the log has, which may be read again after a crash."""

    def know(self, thread_id: str) -> None:
        """Read a conversation without a name from the log, so that it can go on."""
        self._conversation(thread_id, "unnamed")

    def add(self, exchange: Exchange, now: int) -> Added:
        """Return what an exchange adds to threads; one that the log has adds nothing."""
        thread_id, kind = self._thread_of(exchange)
        conversation = self._conversation(thread_id, kind)
        if _identity(exchange) in self._resumed:
            return Added(thread_id, kind, [])
        recording = conversation.recording
        numbered = replace(exchange, attempt=recording.exchanges + 1)
        appends = [*recording.add(numbered)]
        conversation.heard_at = now
        self._heard(thread_id, conversation, exchange)
        return Added(thread_id, kind, appends, recording.is_waiting)

    def is_waiting(self, thread_id: str) -> bool:
        """Return whether exchanges of a thread wait for a later one."""
        return thread_id in self._known and self._known[thread_id].recording.is_waiting

    def late(self, now: int | None) -> list[str]:
        """Return the threads that waited for so long that nothing tells more; None: all."""
        return [
            thread_id
            for thread_id, conversation in self._known.items()
            if self.is_waiting(thread_id)
            and (now is None or now - conversation.heard_at >= _WAIT_MS)
        ]

    def settle(self, thread_id: str) -> Added:
        """Return what waited in a thread."""
        conversation = self._known[thread_id]
        return Added(thread_id, conversation.kind, [*conversation.recording.finish()])

    def _conversation(self, thread_id: str, kind: Kind) -> _Conversation:
        known = self._known.get(thread_id)
        if known is None:
            resumed = self._resume(thread_id)
            recording = Recording(self._new_run(), thread_id, {}, waits=kind == "named")
            known = self._known[thread_id] = _Conversation(recording, kind)
            if resumed is not None:
                recording.resume(resumed)
                for _, exchange in resumed.last:
                    _remember(self._resumed, _identity(exchange), thread_id)
                    self._heard(thread_id, known, exchange)
            self._forget()
        self._known.move_to_end(thread_id)
        return known

    def _forget(self) -> None:
        """Forget the conversations that were silent the longest, but those that wait."""
        most = len(self._known) - _MOST
        silent = [
            name
            for name, conversation in self._known.items()
            if not conversation.recording.is_waiting
        ]
        for name in silent[: max(most, 0)]:
            self._unlink(name, self._known.pop(name))

    def _unlink(self, thread_id: str, conversation: _Conversation) -> None:
        if conversation.end is not None:
            same = self._by_end[conversation.end]
            del same[thread_id]
            if not same:
                del self._by_end[conversation.end]

    def _heard(self, thread_id: str, conversation: _Conversation, exchange: Exchange) -> None:
        """Note what a conversation is known by after an exchange."""
        answer = exchange.answer
        if answer is not None and isinstance(answer.get("id"), str):
            _remember(self._by_answer, str(answer["id"]), thread_id)
        if exchange.api is None or exchange.left_out or conversation.kind != "unnamed":
            return
        self._unlink(thread_id, conversation)
        conversation.end = _ends(exchange.api, request_of(exchange.api, exchange.body))[-1]
        conversation.answer = None if answer is None else answer_key(answer_drafts(exchange))
        self._by_end.setdefault(conversation.end, {})[thread_id] = None

    def _thread_of(self, exchange: Exchange) -> tuple[str, Kind]:
        name = _name_of(exchange)
        if name is not None:
            return name, "named"
        if exchange.api is None:
            day = datetime.fromtimestamp(exchange.started_at / 1000, UTC).date()
            return f"{PREFIX}other-{day}", "other"
        if "request" in exchange.left_out:
            return self._resumed.get(_identity(exchange)) or _new_thread(exchange), "named"
        request = request_of(exchange.api, exchange.body)
        before = self._by_answer.get(request.previous or "")
        before = self._resumed.get(_identity(exchange), before)
        if before is not None:
            return before, self._known[before].kind if before in self._known else "named"
        return self._going_on(exchange.api, request) or _new_thread(exchange), "unnamed"

    def _going_on(self, api: Api, request: ModelRequest) -> str | None:
        """Return the thread that a request goes on in: it has all of its last one, and more."""
        items = [item for item in request.items if not is_system(item)]
        for count, end in reversed([*enumerate(_ends(api, request))]):
            same = self._by_end.get(end, ())
            if count == len(items):  # asked again where nothing was answered
                going_on = [name for name in same if self._known[name].answer is None]
            elif is_assistants(items[count]):
                # of equal requests each has its own answer
                again = answered_key(api, items[count:])
                going_on = sorted(same, key=lambda name: self._known[name].answer != again)
            else:
                continue
            if going_on:
                return going_on[0]
        return None


def _name_of(exchange: Exchange) -> str | None:
    """Return the thread that a client names, by itself or by its conversation's name."""
    if exchange.thread is not None:
        return exchange.thread
    name = exchange.session
    if name is None and exchange.api == "responses":
        given = exchange.body.get("conversation")
        name = given if isinstance(given, str) else text_at(object_of(given), "id")
    if not name:
        return None
    thread_id = PREFIX + name
    digest = sha256(name.encode("utf-8", "replace")).hexdigest()
    return thread_id if is_thread_id(thread_id) else PREFIX + digest


def _new_thread(exchange: Exchange) -> str:
    """Return the id of the thread that begins with an exchange: the same if it is read again."""
    digest = int.from_bytes(sha256(exchange.kept_request).digest()[:10])
    return PREFIX + message_id_of(exchange.started_at << 80 | digest)


def _identity(exchange: Exchange) -> Hashable:
    """Return what tells an exchange from all others of its thread."""
    return exchange.started_at, exchange.duration_ms, sha256(exchange.kept_request).digest()


def _remember(threads: OrderedDict[_Key, str], key: _Key, thread_id: str) -> None:
    threads[key] = thread_id
    if len(threads) > _MOST_KEYS:
        threads.popitem(last=False)


def _ends(api: Api, request: ModelRequest) -> list[bytes]:
    """Return a digest for each beginning of a request's items, from none to all of them.

    System prompts are left out: they may have the time in them.
    """
    keys = (item_key(api, item) for item in request.items if not is_system(item))
    return [*accumulate(keys, lambda end, key: sha256(end + key).digest(), initial=api.encode())]
