"""Exports threads, a line each, as records that `import` reads; and the log as it is."""

from collections.abc import Iterable, Iterator

from agentlog.domain.events import Event
from agentlog.domain.facts import ThreadClosed
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.domain.points_in_time import Moment
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import Head, ThreadFilter
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.history import OWN_FACTS
from agentlog.projections.registry import AnyView
from agentlog.projections.view import StateView, render

_PAGE = 500


def all_thread_ids(threads: Threads) -> Iterator[str]:
    """Yield the id of every thread, a page at a time; new ones may or may not be included."""
    after = ""
    while page := threads.thread_ids(after=after, limit=_PAGE):
        yield from page
        after = page[-1]


def threads_matching(threads: Threads, which: ThreadFilter) -> Iterator[Head]:
    """Yield the heads of threads, a page at a time; those that grow meanwhile may be missed."""
    before: int | None = None
    while page := threads.heads(which, before=before, limit=_PAGE):
        yield from page
        before = page[-1].position


def export_threads(
    threads: Threads, view: AnyView, thread_ids: Iterable[str], *, at: Moment | None = None
) -> Iterator[dict[str, JsonValue]]:
    """Yield a record for each thread: its facts, and its messages in a view.

    Of a view that is a document it is that.
    """
    for thread_id in thread_ids:
        head = threads.head(thread_id)
        events = threads.messages(thread_id, at=at)
        rendering = render(view, events)
        if isinstance(view, StateView) and view.is_document:
            yield view.state(rendering.carry)
            continue
        content: JsonValue = (
            view.state(rendering.carry)
            if isinstance(view, StateView)
            else [placed.item for placed in rendering.items]
        )
        closing = [
            object_of(event.raw) for event in events if isinstance(event.message, ThreadClosed)
        ]
        yield {
            "threadId": thread_id,
            **_facts(head),
            "messages": content,
            **({"closed": _without_type(closing[0])} if closing else {}),
        }


def log_events(reader: LogReader, *, after: int, upto: int) -> Iterator[Event]:
    """Yield the events of all threads after a position, up to `upto`, a page at a time."""
    while page := reader.log(after=after, upto=upto, limit=_PAGE):
        yield from page
        after = page[-1].position or upto


def _facts(head: Head) -> dict[str, JsonValue]:
    facts = head.read_facts()
    return {**{key: facts[key] for key in OWN_FACTS if facts.get(key)}, "policy": head.policy}


def _without_type(fact: dict[str, JsonValue]) -> JsonValue:
    return {key: value for key, value in fact.items() if key == "reason"}
