"""The replay of a thread by a cognitive engine, as JSON."""

import shlex
from dataclasses import asdict

from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.infrastructure.engine_replay import EngineReplay
from agentlog.extensions.runs.projections.cognition.replay import (
    Divergence,
    Failure,
    Place,
    Replayed,
)


def replayed_json(asked: EngineReplay, thread_id: str, replayed: Replayed) -> JsonObject:
    """Return the counts of a thread, its first divergence, and why it failed."""
    first, failure = replayed.first, replayed.failure
    return {
        "threadId": thread_id,
        "steps": replayed.steps,
        "equal": replayed.equal,
        "divergent": replayed.divergent,
        "leftOut": replayed.left_out,
        "lacks": [{"what": lack.value, "steps": steps} for lack, steps in replayed.lacks],
        "first": None if first is None else _divergence(asked, thread_id, first),
        "failure": None if failure is None else _failure(asked, thread_id, failure),
    }


def command_of(asked: EngineReplay, thread_id: str, place: Place | None) -> str:
    """Return the command that repeats a step; a state that is carried comes from the beginning."""
    words = ["agentlog", "replay-engine", asked.engine, thread_id]
    begin = asked.begin if asked.states == "carried" or place is None else place.version
    if begin > 1:
        words += ["--from", str(begin)]
    if asked.states != "recorded":
        words += ["--state", asked.states]
    return shlex.join(words)


def _divergence(asked: EngineReplay, thread_id: str, first: Divergence) -> JsonObject:
    return {
        **asdict(first.place),
        "differs": list(first.differs),
        "state": first.state,
        "recorded": {"decision": first.recorded, "state": first.recorded_state},
        "engine": {"decision": first.decided, "state": first.decided_state},
        "command": command_of(asked, thread_id, first.place),
    }


def _failure(asked: EngineReplay, thread_id: str, failure: Failure) -> JsonObject:
    place = failure.place
    return {
        **({} if place is None else asdict(place)),
        "reason": failure.reason,
        "traceback": failure.traceback,
        "command": command_of(asked, thread_id, place),
    }
