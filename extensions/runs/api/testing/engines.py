"""Cognitive engines in tests: driven over recorded threads."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout

from agentlog.domain.cognition.engine import CognitiveEngine
from agentlog.extensions.runs.api.shapes.engine_replay_lines import replay_lines
from agentlog.extensions.runs.api.testing.sources import Source, histories_of
from agentlog.extensions.runs.projections.cognition.replay import StateSource, replay
from agentlog.extensions.runs.projections.cognition.steps import steps_of


def assert_replays(
    source: Source,
    engine: Callable[[], CognitiveEngine],
    *,
    begin: int = 1,
    state: StateSource = "recorded",
) -> None:
    """Assert that an engine takes each step of a thread, or of all threads of a file, as recorded.

    `source` is a thread's id, or a file that `agentlog export threads` or `cassette` wrote.
    `engine` is a class, or a function that makes an engine; each thread gets a new one. `begin` is
    the version of the first step, `state` what each step begins with.

    Raises:
        AssertionError: with the first step of each thread that differs, in both forms.
        AgentlogError: there is no such source.
    """
    lines: list[str] = []
    steps = 0
    for thread_id, events in histories_of(source).items():
        with redirect_stdout(sys.stderr):
            replayed = replay(engine, steps_of(events), begin=begin, states=state)
        steps += replayed.steps
        if replayed.divergent or replayed.failure is not None:
            lines += replay_lines(thread_id, replayed)
    if not lines and not steps:
        raise AssertionError(f"{source} has no step of an engine")
    if lines:
        raise AssertionError("\n".join(lines))
