"""Cognitive engines of other people's modules, driven over threads in processes of their own."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import cast

from agentlog.domain.cognition.engine import CognitiveEngine
from agentlog.domain.errors import AgentlogError, InvalidInput, Refused
from agentlog.extensions.runs.projections.cognition.replay import (
    Failure,
    Replayed,
    StateSource,
    replay,
)
from agentlog.extensions.runs.projections.cognition.steps import steps_of
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.runtime.worker_processes import WorkerEnded, map_in_processes

_BATCH = 16
"""Threads for which a process opens a connection."""


class InvalidEngine(InvalidInput):
    """What is named as an engine is none, or cannot be imported."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name[:200]}: {reason}")
        self.name, self.reason = name, reason


class ReplayProcessEnded(Refused):
    """A process of a replay ended by itself."""

    def __init__(self) -> None:
        super().__init__(
            "a process of the replay ended by itself, as by os._exit or for want of memory: "
            "--jobs 1 shows at which thread"
        )


@dataclass(frozen=True, slots=True)
class EngineReplay:
    """What to replay: an engine, `module:Engine`, over threads of a tenant in a database."""

    engine: str
    url: str = field(repr=False)
    tenant: str
    begin: int = 0
    states: StateSource = "recorded"


def load_engine(name: str) -> Callable[[], CognitiveEngine]:
    """Return what makes an engine: a class or a function, by `package.module:Name`.

    The module is looked for in the current directory first.

    Raises:
        InvalidEngine: there is none by this name, or its module cannot be imported.
    """
    module_name, colon, path = name.partition(":")
    if not (colon and path and all(part.isidentifier() for part in module_name.split("."))):
        raise InvalidEngine(name, "name an engine as package.module:Engine")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        with redirect_stdout(sys.stderr):
            made: object = import_module(module_name)
    except (Exception, SystemExit) as error:
        reason = f"cannot be imported: {type(error).__name__}: {error}"
        raise InvalidEngine(name, reason) from error
    for part in path.split("."):
        if not hasattr(made, part):
            raise InvalidEngine(name, f"{module_name} has no {path}")
        made = getattr(made, part)
    if not callable(made):
        raise InvalidEngine(name, f"a {type(made).__name__} is no class or function")
    if isinstance(made, type) and not callable(getattr(made, "step", None)):
        raise InvalidEngine(name, "no engine: the class has no method step")
    return cast("Callable[[], CognitiveEngine]", made)


def replay_threads(
    asked: EngineReplay, thread_ids: Sequence[str], *, jobs: int
) -> Iterator[tuple[str, Replayed]]:
    """Yield each thread with what the engine makes of it, in the order of the ids.

    With several jobs, each is a process with a connection of its own.

    Raises:
        InvalidEngine: before anything is replayed.
        ReplayProcessEnded: a process ended by itself.
    """
    load_engine(asked.engine)
    jobs = min(jobs, len(thread_ids))
    size = max(1, min(_BATCH, len(thread_ids) // jobs)) if jobs else 1
    batches = [thread_ids[at : at + size] for at in range(0, len(thread_ids), size)]
    run = partial(_replay_batch, asked)
    outcomes = map(run, batches) if jobs <= 1 else map_in_processes(run, batches, processes=jobs)
    try:
        for batch, replayed in zip(batches, outcomes, strict=True):
            yield from zip(batch, replayed, strict=True)
    except WorkerEnded as error:
        raise ReplayProcessEnded from error


def _replay_batch(asked: EngineReplay, thread_ids: Sequence[str]) -> list[Replayed]:
    make = load_engine(asked.engine)
    with Database(asked.url, pool_size=1, in_role=True) as database:
        reader = LogReader(database.confined(asked.tenant), tenant=asked.tenant)
        return [_replay_thread(make, reader, asked, thread_id) for thread_id in thread_ids]


def _replay_thread(
    make: Callable[[], CognitiveEngine], reader: LogReader, asked: EngineReplay, thread_id: str
) -> Replayed:
    try:
        events = reader.events(thread_id)
    except AgentlogError as error:
        return Replayed(failure=Failure(str(error)))
    with redirect_stdout(sys.stderr):  # an engine that prints
        return replay(make, steps_of(events), begin=asked.begin, states=asked.states)
