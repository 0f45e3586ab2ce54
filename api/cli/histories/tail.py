"""The command tail: follows a thread or the whole log."""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import typer
from rich.console import Console
from rich.highlighter import JSONHighlighter
from rich.text import Text

from agentlog.api.cli.histories.threads import content_of, print_event
from agentlog.api.cli.session import (
    DataDir,
    InvalidOption,
    json_line,
    pairs_of,
    print_line,
    service_in,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.cli.view_options import OptionList
from agentlog.api.composition import Service
from agentlog.api.shapes.threads import event_json
from agentlog.api.tails import (
    FollowRequest,
    LogFilter,
    Pace,
    Tail,
    log_place,
    tail_of,
    view_to_tell,
)
from agentlog.domain.events import Event
from agentlog.domain.json.answers import time_text
from agentlog.domain.json.values import array_of
from agentlog.domain.points_in_time import BIGGEST, number_of
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.subscriptions.hub import Hub, HubEntry
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.followed_view import FollowUpdate
from agentlog.projections.registry import AnyView, choose_view

app = typer.Typer()

_LIMIT = 200
_QUIET_SECONDS = 0.3
_RETRY_SECONDS = 1.0
_LATEST = 10
_SHORT = 100


@dataclass(frozen=True, slots=True)
class Tailing:
    """How to follow: start, whether beyond the present, and format."""

    after: str | None = None
    follow: bool = True
    speed: float | None = None
    as_json: bool = False
    console: Console = field(default_factory=lambda: Console(soft_wrap=True, highlight=False))

    @property
    def pace(self) -> Pace | None:
        """The pace of past events, None for no pauses."""
        return None if self.speed is None else Pace(self.speed)

    @property
    def plain(self) -> bool:
        """Whether to print raw JSON, for programs."""
        return self.as_json or not self.console.is_terminal


Read = Callable[[], Sequence[Event]]


@app.command()
def tail(  # noqa: PLR0913, PLR0917 - one parameter a choice
    thread: Annotated[
        str | None, typer.Argument(help="Id of the thread; the whole log where none is given.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--view", help="Follow the thread in this view, an item a line.")
    ] = None,
    option: OptionList = None,
    after: Annotated[
        str | None,
        typer.Option(
            help="Go on after this version, or place of a view; of the log a position, or latest "
            "(default: a thread's beginning, the log's last ten)."
        ),
    ] = None,
    where: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="FILTER",
            help="Terms of events, as 'type:reply thread:run-* metadata.actor:agent-7'.",
        ),
    ] = "",
    speed: Annotated[
        float | None,
        typer.Option(min=0.001, help="Replay with the pauses that there were, divided by this."),
    ] = None,
    *,
    follow: Annotated[bool, typer.Option(help="Go on beyond the present.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Plain JSON lines, for programs.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Follow a thread, or the whole log, as it grows."""
    how = Tailing(after, follow=follow, speed=speed, as_json=json)
    which = LogFilter(parse_filter(where, "log"))
    options = dict(pairs_of("--option", option))
    if name is None and options:
        raise InvalidOption("--option: name the view whose option it is, by --view")
    view = None if name is None else view_to_tell(name, options)
    if thread is not None and view is not None and not which.all:
        raise InvalidOption("--filter chooses events: leave out --view")
    with service_in(data_dir) as service:
        service.own.hub.start()
        if thread is None:
            _tail_log(service.own.hub, which, how)
        elif view is None:
            _tail_events(service, thread, which, how)
        else:
            _tail_view(service, thread, view, how)


def _tail_log(hub: Hub, which: LogFilter, how: Tailing) -> None:
    present = hub.reader.position()
    latest = max(0, present - _LATEST) if how.follow and how.speed is None else 0
    position = latest if how.after is None else log_place(hub.reader, how.after)

    def recent() -> Sequence[Event]:
        nonlocal position
        entries = hub.log_after(position, limit=_LIMIT) if how.follow else None
        if entries is None:
            upto = hub.position if how.follow else present
            events = hub.reader.log(after=position, upto=upto, limit=_LIMIT)
        else:
            events = [entry.event for entry in entries]
        if events:
            position = events[-1].position or 0
        return events

    for event in _as_they_come(hub, recent, None, how, present):
        if event is not None and which.takes(event):
            _print_log_line(event, how)


def _tail_events(service: Service, thread_id: str, which: LogFilter, how: Tailing) -> None:
    begin = 0 if how.after is None else number_of(how.after)
    thread_tail = tail_of(service.views, thread_id, FollowRequest(choose_view("kernel")))
    for event in _of_thread(service.own.hub, thread_tail, begin, how):
        if event is not None and which.takes(event):
            _print_event(event, how)


def _tail_view(service: Service, thread_id: str, view: AnyView, how: Tailing) -> None:
    asked = FollowRequest(view, after=how.after, whole=how.speed is not None)
    thread_tail = tail_of(service.views, thread_id, asked)
    for event in _of_thread(service.own.hub, thread_tail, thread_tail.version, how):
        updates = thread_tail.live.present() if event is None else thread_tail.live.fold(event)
        _print_told(updates, how)
    _print_told(thread_tail.live.end(), how, last=True)


def _of_thread(hub: Hub, tail: Tail, version: int, how: Tailing) -> Iterator[Event | None]:
    def recent() -> Sequence[Event]:
        nonlocal version
        entries = hub.thread_after(tail.thread_id, version, limit=_LIMIT) if how.follow else None
        if entries is None:
            upto = BIGGEST if how.follow else tail.present
            events = hub.reader.events(tail.thread_id, after=version, upto=upto, limit=_LIMIT)
        else:
            events = [entry.event for entry in entries]
        if events:
            version = events[-1].version
        return events

    yield from _as_they_come(hub, recent, tail.thread_id, how, tail.present)


def _as_they_come(
    hub: Hub, read: Read, thread_id: str | None, how: Tailing, present: int
) -> Iterator[Event | None]:
    """Yield events, and None after each quiet period.

    Endless if it follows. `present`: the thread's current version, or the log's position; up to
    there events are yielded at their pace.
    """
    woken = threading.Event()

    def on_entries(entries: Sequence[HubEntry]) -> None:
        if (
            thread_id is None
            or not entries
            or any(entry.event.thread_id == thread_id for entry in entries)
        ):
            woken.set()

    pace = how.pace
    detach = hub.attach(on_entries)
    try:
        while True:
            woken.clear()
            try:
                events = read()
            except DatabaseUnavailable:  # reported by the hub
                time.sleep(_RETRY_SECONDS)
                continue
            for event in events:
                place = event.position if thread_id is None else event.version
                if pace is not None and (place or 0) <= present:
                    sys.stdout.flush()
                    time.sleep(pace.pause(event))
                yield event
            sys.stdout.flush()
            if events:
                continue
            if not how.follow:
                return
            if not woken.wait(_QUIET_SECONDS):
                yield None
                sys.stdout.flush()
                woken.wait()
    finally:
        detach()


def _print_log_line(event: Event, how: Tailing) -> None:
    if how.plain:
        print_line(event_json(event, with_thread=True))
        return
    short = " ".join(content_of(event).split())
    cut = f"{short[:_SHORT]}…" if len(short) > _SHORT else short
    how.console.print(
        Text(f"@{event.position}  {time_text(event.recorded_at)}  ", style="dim"),
        Text(event.thread_id, style="cyan"),
        Text(printable(event.type), style="bold"),
        Text(printable(cut)),
    )


def _print_event(event: Event, how: Tailing) -> None:
    if how.plain:
        print_line(event_json(event))
    else:
        print_event(how.console, event, full=False)


def _print_told(updates: Sequence[FollowUpdate], how: Tailing, *, last: bool = False) -> None:
    for update in updates:
        values = array_of(update.data) if update.kind == "held" else [update.data]
        if how.plain:
            if update.kind != "held" or last:  # programs get held items only at the end
                for value in values:
                    print_line(value)
            continue
        for value in values:
            text = JSONHighlighter()(Text(json_line(value)))
            mark = {"held": "… ", "patch": "± "}.get(update.kind, "")
            how.console.print(Text(mark, style="dim") + text)
