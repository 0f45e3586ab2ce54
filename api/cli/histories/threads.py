"""The commands threads, show and annotate."""

from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from agentlog.api.cli.session import (
    AsJson,
    At,
    DataDir,
    Hidden,
    InvalidOption,
    ThreadArgument,
    bring_up_to_now,
    note_nothing,
    pairs_of,
    print_line,
    print_listing,
    service_in,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.filters import metadata_value
from agentlog.api.shapes.shape import shape_of
from agentlog.domain.events import Event
from agentlog.domain.json.answers import time_text
from agentlog.domain.json.text import print_text
from agentlog.domain.points_in_time import parse_moment
from agentlog.lazy import lazy_imports

with lazy_imports():
    from agentlog.api.shapes import threads as shapes
    from agentlog.infrastructure.eventlog import thread_heads
    from agentlog.infrastructure.reports import summaries, summary
    from agentlog.projections.filters import expression, grammar

app = typer.Typer()

_LINES = 4
_LINE_WIDTH = 200


@app.command("threads")
def threads_(  # noqa: PLR0913 - one parameter an option
    limit: Annotated[int, typer.Option(min=1, help="At most so many.")] = 50,
    after: Annotated[
        int | None, typer.Option(min=0, help="Go on there, as the list before said.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            "--filter",
            metavar="FILTER",
            help="Terms as in 'failed loops>0 tool:book* metadata.team:red'; lists what threads "
            "came to.",
        ),
    ] = None,
    *,
    hidden: Hidden = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List threads, most recently changed first."""
    if where is not None:
        if after is not None:
            raise InvalidOption("--after does not go with --filter: raise --limit")
        query = summaries.SummaryQuery(
            grammar.parse_filter(where, "list"), hidden=hidden, limit=limit
        )
        with service_in(data_dir) as service:
            bring_up_to_now(service, summaries.models_of(query))
            page_of_rows = service.own.summaries.page(query)
        if not page_of_rows.items:
            note_nothing("thread that matches", service)
        _print_summaries(page_of_rows, as_json=json)
        return
    with service_in(data_dir) as service:
        page = service.threads.heads(
            thread_heads.ThreadFilter(), before=after, limit=limit + 1, hidden=hidden
        )
    heads = page[:limit]
    if not heads:
        note_nothing("thread", service)
    if len(page) > limit:
        typer.echo(f"there are more: go on with --after {heads[-1].position}", err=True)
    print_listing(
        {"thread": 0, "status": 6, "version": 7, "anomalies": 9, "updated": 10, "goal": 10},
        [
            (
                head.thread_id,
                head.status,
                str(head.version),
                str(head.anomalies),
                time_text(head.updated_at),
                head.goal,
            )
            for head in heads
        ],
        answers=map(shapes.thread_json, heads) if json else None,
    )


def _print_summaries(page: "summary.ThreadSummaries", *, as_json: bool) -> None:
    if page.total > len(page.items):
        typer.echo(f"there are {page.total}: raise --limit", err=True)
    print_listing(
        {
            "thread": 0,
            "verdict": 9,
            "score": 5,
            "failed": 6,
            "told": 5,
            "suspected": 9,
            "loops": 5,
            "steps": 5,
            "goal": 10,
        },
        [
            (
                row.thread_id,
                row.verdict or row.status,
                "" if row.score is None else f"{row.score:g}",
                str(row.failures or ""),
                str(row.told or ""),
                str(row.suspected or ""),
                str(row.loops or ""),
                str(row.steps),
                row.goal,
            )
            for row in page.items
        ],
        answers=map(shape_of, page.items) if as_json else None,
    )


@app.command()
def show(  # noqa: PLR0913 - one parameter an option
    thread: ThreadArgument,
    at: At = None,
    *,
    where: Annotated[
        str, typer.Option("--filter", help="Only messages that match, as 'tool:pay* failed'.")
    ] = "",
    full: Annotated[bool, typer.Option("--full", help="All of each message.")] = False,
    hidden: Hidden = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show a thread and its messages as the log has them."""
    wanted = grammar.parse_filter(where, "thread")
    with service_in(data_dir) as service:
        head = service.threads.head(thread, hidden=hidden)
        moment = None if at is None else parse_moment(at)
        if wanted == expression.ALL:
            events = service.threads.messages(thread, at=moment, hidden=hidden)
        else:
            events = [*service.own.matches.events(thread, wanted, at=moment, hidden=hidden)]
    if json:
        print_line(shapes.thread_json(head))
        for event in events:
            print_line(shapes.event_json(event))
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


@app.command()
def annotate(
    thread: ThreadArgument,
    pairs: Annotated[
        list[str] | None,
        typer.Argument(metavar="KEY=VALUE", help="A JSON value, or else a text: reward=0.5."),
    ] = None,
    remove: Annotated[
        list[str] | None, typer.Option(metavar="KEY", help="A key to take away.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Add to a thread's metadata, and print all of it."""
    given = pairs_of("annotate", pairs, form="KEY=VALUE", named=True)
    changes = {
        **{key: metadata_value(text) for key, text in given},
        **dict.fromkeys(remove or ()),
    }
    if not changes:
        raise InvalidOption("give KEY=VALUE or --remove KEY")
    if len(changes) < len(given) + len(remove or ()):
        raise InvalidOption("a key is given twice")
    with service_in(data_dir) as service:
        service.threads.annotate(thread, changes)
        head = service.threads.head(thread)
    print_line(head.read_facts()["metadata"])


def print_event(console: Console, event: Event, *, full: bool) -> None:
    """Print an event of a thread: its places and content, shortened unless `full`."""
    place = f"{event.version:>6}  @{event.position}  {time_text(event.recorded_at)}  "
    console.print(Text(place, style="dim") + Text(printable(event.type), style="bold"))
    console.print(_indented(content_of(event), full=full))


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
