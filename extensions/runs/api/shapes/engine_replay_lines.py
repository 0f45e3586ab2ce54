"""Replays by a cognitive engine as lines for a terminal."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import zip_longest

from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject, JsonValue, array_of
from agentlog.extensions.runs.infrastructure.engine_replay import EngineReplay
from agentlog.extensions.runs.projections.cognition.replay import (
    FLAGS,
    Divergence,
    Failure,
    Place,
    Replayed,
)
from agentlog.extensions.runs.projections.cognition.steps import Lack

_WIDTH = 1000


def replays_lines(asked: EngineReplay, replays: Mapping[str, Replayed]) -> Iterator[str]:
    """Yield each thread with its first divergence, then the sums."""
    lacks: Counter[Lack] = Counter()
    for thread_id, replayed in replays.items():
        lacks.update(dict(replayed.lacks))
        yield from replay_lines(thread_id, replayed, asked)
    if len(replays) > 1:
        yield _sums(list(replays.values()))
    for lack in Lack:
        if lack in lacks:
            yield f"not in the log, in {_steps(lacks[lack])}: {lack.value}"


def replay_lines(
    thread_id: str, replayed: Replayed, asked: EngineReplay | None = None
) -> Iterator[str]:
    """Yield a thread with its first divergence, and the commands that repeat what was `asked`."""
    yield f"{thread_id}: {_counts(replayed)}"
    if replayed.first is not None:
        yield from _divergence_lines(replayed.first)
        if asked is not None:
            yield f"  again     {command_of(asked, thread_id, replayed.first.place)}"
    if replayed.failure is not None:
        yield from _failure_lines(replayed.failure)
        if asked is not None:
            yield f"  again     {command_of(asked, thread_id, replayed.failure.place)}"


def _counts(replayed: Replayed) -> str:
    counts = [f"{_steps(replayed.equal)} equal"]
    if replayed.divergent:
        counts.append(_divergent(replayed.divergent))
    if replayed.left_out:
        counts.append(f"{replayed.left_out:,} left out")
    if replayed.failure is not None:
        counts.append("then failed")
    return ", ".join(counts)


def _sums(replays: list[Replayed]) -> str:
    divergent = sum(replayed.divergent > 0 for replayed in replays)
    failed = sum(replayed.failure is not None for replayed in replays)
    steps = _steps(sum(replayed.steps for replayed in replays))
    return f"{len(replays):,} threads, {steps}: {_divergent(divergent)}, {failed:,} failed"


def _divergence_lines(first: Divergence) -> Iterator[str]:
    yield f"  first     {_place(first.place)}: another {' and another '.join(first.differs)}"
    yield f"  input     {_short(first.place.input)}"
    yield f"  recorded  {_short(first.recorded)}"
    yield f"  engine    {_short(first.decided)}"
    if "state" in first.differs:
        yield from _state_lines(first.recorded_state, first.decided_state)


def _state_lines(recorded: JsonObject, decided: JsonObject) -> Iterator[str]:
    for name in recorded:
        if name in FLAGS or recorded[name] == decided[name]:
            continue
        if name == "history":
            yield _history_line(array_of(recorded[name]), array_of(decided[name]))
        else:
            yield _state_line(name, recorded[name], decided[name])


def _history_line(recorded: list[JsonValue], decided: list[JsonValue]) -> str:
    """Return the first message that differs."""
    pairs = enumerate(zip_longest(recorded, decided))
    index, (ours, theirs) = next(pair for pair in pairs if pair[1][0] != pair[1][1])
    return _state_line(f"history[{index}]", ours, theirs)


def _state_line(name: str, recorded: JsonValue, decided: JsonValue) -> str:
    return f"  state     {name}: recorded {_short(recorded)}, engine {_short(decided)}"


def _failure_lines(failure: Failure) -> Iterator[str]:
    place = failure.place
    yield f"  failed    {'' if place is None else f'{_place(place)}: '}{failure.reason}"
    if place is not None:
        yield f"  input     {_short(place.input)}"
    if failure.traceback is not None:
        yield from (f"    {line}" for line in failure.traceback.splitlines())


def _place(place: Place) -> str:
    return f"version {place.version}" + (f", result {place.result + 1}" if place.result else "")


def _short(value: JsonValue) -> str:
    text = print_text(value)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]} …"


def _divergent(count: int) -> str:
    return f"{count:,} diverge{'s' * (count == 1)}"


def _steps(count: int) -> str:
    return f"{count:,} step{'s' * (count != 1)}"


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
