"""Implements the commands migrate, threads, show, view and diff."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import get_args

from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.cli.session import InvalidOption, chosen_view, json_line, printable
from api.composition import open_service
from api.filters import metadata_filter
from api.shapes.shape import time_text
from api.shapes.threads import difference_json, event_json, thread_json
from domain.events import Event
from domain.json.text import JsonValue, print_text
from domain.points_in_time import parse_moment
from domain.threads import Status
from infrastructure.eventlog.thread_heads import ThreadFilter
from infrastructure.settings import Settings
from infrastructure.views.results import State
from infrastructure.views.store import Store

_LINES = 4
_LINE_WIDTH = 200
_PIPED_WIDTH = 200
_OTHER_COLUMNS = 50
"""Minimum width in characters of all columns but the ids, wrapped."""


def migrate(settings: Settings) -> None:
    """Migrate the database, and print which one."""
    with open_service(settings) as service:
        Console().print(Text(f"up to date: {service.where}"))


def filter_of(
    *, status: str | None, q: str | None, parent: str | None, metadata: list[str]
) -> ThreadFilter:
    """Return the filter of threads from the command's options."""
    known: tuple[Status, ...] = get_args(Status)
    chosen = next((each for each in known if each == status), None)
    if status is not None and chosen is None:
        raise InvalidOption(f"--status {status}: use one of {', '.join(known)}")
    pairs = [option.partition("=") for option in metadata]
    for text, (_, equals, _) in zip(metadata, pairs, strict=True):
        if not equals:
            raise InvalidOption(f"--metadata {text}: give KEY=VALUE")
    found = metadata_filter((key, value) for key, _, value in pairs)
    return ThreadFilter(status=chosen, parent=parent, text=q, metadata=found)


def list_threads(settings: Settings, which: ThreadFilter, *, limit: int, as_json: bool) -> None:
    """Print threads, latest changes first."""
    with _store(settings) as store:
        heads = store.threads(which, before=None, limit=limit)
    if as_json:
        for head in heads:
            print_line(thread_json(head))
        return
    table = Table()
    longest = max((len(head.thread_id) for head in heads), default=0)
    table.add_column("thread", no_wrap=True, min_width=longest)
    for name in ("status", "version", "anomalies", "updated", "goal"):
        table.add_column(name)
    for head in heads:
        table.add_row(
            head.thread_id,
            head.status,
            str(head.version),
            str(head.anomalies),
            time_text(head.updated_at),
            _cell(head.goal or ""),
        )
    console = Console()
    if not console.is_terminal:
        console.width = _PIPED_WIDTH
    console.width = max(console.width, longest + _OTHER_COLUMNS)  # whole ids, to be copied
    console.print(table)


def show_thread(
    settings: Settings, thread_id: str, *, at: str | None, as_json: bool, full: bool
) -> None:
    """Print a thread's head and its events."""
    with _store(settings) as store:
        head = store.thread(thread_id)
        events = store.messages(thread_id, at=None if at is None else parse_moment(at))
    if as_json:
        print_line(thread_json(head))
        for event in events:
            print_line(event_json(event))
        return
    console = Console(soft_wrap=True, highlight=False)
    about = (
        f"{head.status}, version {head.version}, policy {head.policy}, {head.anomalies} anomalies"
    )
    console.print(Text(head.thread_id, style="bold"), Text(about))
    if head.goal:
        console.print(_cell(head.goal))
    for event in events:
        print_event(console, event, full=full)


def print_event(console: Console, event: Event, *, full: bool) -> None:
    """Print an event of a thread: its places and content, shortened unless `full`."""
    place = f"{event.version:>6}  @{event.position}  {time_text(event.recorded_at)}  "
    console.print(Text(place, style="dim") + Text(printable(event.type), style="bold"))
    console.print(_indented(content_of(event), full=full))


def print_view(
    settings: Settings, thread_id: str, name: str, options: list[str], *, at: str | None
) -> None:
    """Print a view, one item per line; a state is one line."""
    view = chosen_view(name, options)
    moment = None if at is None else parse_moment(at)
    with _store(settings) as store:
        found = store.view(thread_id, view, at=moment)
    if isinstance(found, State):
        print_line(found.printable)
        return
    for item in found.items:
        print_line(item.item)


def print_difference(  # noqa: PLR0913 - one parameter a choice
    settings: Settings,
    thread_id: str,
    name: str,
    options: list[str],
    *,
    begin: str | None,
    end: str | None,
) -> None:
    """Print the difference of a view between two moments."""
    view = chosen_view(name, options)
    with _store(settings) as store:
        found = store.difference(
            thread_id,
            view,
            begin=None if begin is None else parse_moment(begin),
            end=None if end is None else parse_moment(end),
        )
    print_line(difference_json(found))


def print_line(value: JsonValue) -> None:
    """Print JSON on one line."""
    print(json_line(value))  # noqa: T201 - the command's output


@contextmanager
def _store(settings: Settings) -> Iterator[Store]:
    with open_service(settings) as service:
        yield service.store


def content_of(event: Event) -> str:
    """Return an event's content: its text if that is all, else its fields as JSON."""
    raw = event.raw
    if not isinstance(raw, dict):
        return event.body.hex()
    rest = {key: value for key, value in raw.items() if key not in {"id", "timestamp", "type"}}
    text = rest.get("text") if set(rest) == {"text"} else None
    return text if isinstance(text, str) else print_text(rest)


def _indented(content: str, *, full: bool) -> Text:
    lines = content.splitlines() or [""]
    shown = lines if full else [line[:_LINE_WIDTH] for line in lines[:_LINES]]
    cut = not full and (len(lines) > _LINES or any(len(line) > _LINE_WIDTH for line in lines))
    return Text(printable("\n".join(f"        {line}" for line in shown) + (" …" if cut else "")))


def _cell(text: str) -> Text:
    return Text(printable(text))
