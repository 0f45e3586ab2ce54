"""Replays of cognitive engines: which threads, their progress, and what is printed."""

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from agentlog.api.cli.session import (
    InvalidOption,
    filter_of,
    pairs_of,
    print_line,
    progress_shown,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.composition import Service
from agentlog.extensions.runs.api.shapes.engine_replay import replayed_json
from agentlog.extensions.runs.api.shapes.engine_replay_lines import replays_lines
from agentlog.extensions.runs.infrastructure.engine_replay import EngineReplay, replay_threads
from agentlog.extensions.runs.projections.cognition.replay import Replayed
from agentlog.infrastructure.transfer.finetuning import threads_matching

_METADATA = "metadata."
_FILTERS = ("status", "parent", "q")
_DIVERGES, _FAILED = 1, 2


def threads_of(service: Service, thread: str | None, only: Sequence[str]) -> list[str]:
    """Return the ids of a thread, or of those that a filter selects; raises `AgentlogError`."""
    if (thread is None) == (not only):
        raise InvalidOption("name a THREAD, or threads by --only metadata.KEY=VALUE")
    if thread is not None:
        return [service.threads.head(thread).thread_id]
    metadata: list[str] = []
    filters: dict[str, str] = {}
    for name, value in pairs_of("--only", only, named=True):
        if name.startswith(_METADATA):
            metadata.append(f"{name.removeprefix(_METADATA)}={value}")
        elif name in _FILTERS and name not in filters:
            filters[name] = value
        else:
            reason = (
                "is given twice" if name in filters else "use metadata.KEY, status, parent or q"
            )
            raise InvalidOption(f"--only {name[:64]}: {reason}")
    which = filter_of(
        status=filters.get("status"),
        q=filters.get("q"),
        parent=filters.get("parent"),
        metadata=metadata,
    )
    ids = sorted(head.thread_id for head in threads_matching(service.threads, which))
    if not ids:
        raise InvalidOption("no thread is as --only says")
    return ids


def replay_by_engine(
    asked: EngineReplay, thread_ids: Sequence[str], *, jobs: int
) -> dict[str, Replayed]:
    """Return what the engine makes of each thread, while a bar shows how many are done."""
    replays: dict[str, Replayed] = {}
    with progress_shown() as show:
        for thread_id, replayed in replay_threads(asked, thread_ids, jobs=jobs):
            replays[thread_id] = replayed
            show("threads", len(replays), len(thread_ids))
    return replays


def print_replays(asked: EngineReplay, replays: Mapping[str, Replayed], *, as_json: bool) -> None:
    """Print the threads, and what the log lacks for all of them."""
    if as_json:
        for thread_id, replayed in replays.items():
            print_line(replayed_json(asked, thread_id, replayed))
        return
    console = Console(soft_wrap=True, highlight=False)
    for line in replays_lines(asked, replays):
        console.print(Text(printable(line)))


def exit_code(replays: Mapping[str, Replayed]) -> int:
    """Return 0 where all is as recorded, 1 where steps diverge, 2 where a replay failed."""
    if any(replayed.failure is not None for replayed in replays.values()):
        return _FAILED
    return _DIVERGES if any(replayed.divergent for replayed in replays.values()) else 0
