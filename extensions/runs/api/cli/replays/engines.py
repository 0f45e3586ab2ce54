"""The command replay-engine: a cognitive engine over recorded threads."""

import os
from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

from agentlog.api.cli.progress import progress_shown
from agentlog.api.cli.session import (
    AsJson,
    DataDir,
    IndexedFilter,
    InvalidOption,
    print_line,
    print_lines,
    service_in,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.composition import Service
from agentlog.api.filters import indexed_filter
from agentlog.extensions.runs.api.shapes.engine_replay_lines import replayed_json, replays_lines
from agentlog.extensions.runs.infrastructure.engine_replay import (
    EngineReplay,
    load_engine,
    replay_threads,
)
from agentlog.extensions.runs.projections.cognition.replay import Replayed, StateSource
from agentlog.infrastructure.transfer.exporter import threads_matching

app = typer.Typer()

_DIVERGES, _FAILED = 1, 2


@app.command("replay-engine")
def replay_engine(  # noqa: PLR0913, PLR0917 - one parameter an option
    engine: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:NAME", help="A class or function in a module of the current directory."
        ),
    ],
    thread: Annotated[str | None, typer.Argument(help="Id of the thread.")] = None,
    where: IndexedFilter = None,
    begin: Annotated[
        int, typer.Option("--from", metavar="VERSION", min=1, help="First step at or after it.")
    ] = 1,
    state: Annotated[
        StateSource,
        typer.Option(
            help="What each step begins with: the recorded state, or the engine's own, carried on."
        ),
    ] = "recorded",
    jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes; default one a processor.")
    ] = None,
    *,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Run a cognitive engine over recorded threads, and see where it decides otherwise.

    It is given the recorded inputs. Exit code 0 says that it decides as recorded, 1 that it
    diverges, 2 that a replay failed.
    """
    load_engine(engine)
    with service_in(data_dir) as service:
        order = EngineReplay(
            engine, url=service.url, tenant=service.own.name, begin=begin, states=state
        )
        ids = _threads_of(service, thread, where)
        replays = _replay_by_engine(order, ids, jobs=jobs or os.cpu_count() or 1)
    _print_replays(order, replays, as_json=json)
    raise typer.Exit(_exit_code(replays))


def _threads_of(service: Service, thread: str | None, where: str | None) -> list[str]:
    """Return the ids of a thread, or of those that a filter selects; raises `AgentlogError`."""
    if (thread is None) == (where is None):
        raise InvalidOption("name a THREAD, or threads by --filter, all by an empty one")
    if thread is not None:
        return [service.threads.head(thread).thread_id]
    which = indexed_filter(where or "")
    ids = sorted(head.thread_id for head in threads_matching(service.threads, which))
    if not ids:
        raise InvalidOption("no thread matches the filter")
    return ids


def _replay_by_engine(
    order: EngineReplay, thread_ids: Sequence[str], *, jobs: int
) -> dict[str, Replayed]:
    """Return what the engine makes of each thread, while a bar shows how many are done."""
    replays: dict[str, Replayed] = {}
    with progress_shown() as show:
        for thread_id, replayed in replay_threads(order, thread_ids, jobs=jobs):
            replays[thread_id] = replayed
            show("threads", len(replays), len(thread_ids))
    return replays


def _print_replays(order: EngineReplay, replays: Mapping[str, Replayed], *, as_json: bool) -> None:
    """Print the threads, and what the log lacks for all of them."""
    if as_json:
        for thread_id, replayed in replays.items():
            print_line(replayed_json(order, thread_id, replayed))
        return
    print_lines(map(printable, replays_lines(order, replays)))


def _exit_code(replays: Mapping[str, Replayed]) -> int:
    """Return 0 where all is as recorded, 1 where steps diverge, 2 where a replay failed."""
    if any(replayed.failure is not None for replayed in replays.values()):
        return _FAILED
    return _DIVERGES if any(replayed.divergent for replayed in replays.values()) else 0
