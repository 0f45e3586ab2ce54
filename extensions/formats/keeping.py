"""What compactions, rewinds and the like keep of what stands in a context."""

from collections.abc import Collection, Sequence

from agentlog.domain.json.values import JsonValue, object_of, objects_of
from agentlog.projections.context.drafts import event_of
from agentlog.projections.context.links import Keeps, Standing


def segment(first: str | None, last: str | None = None) -> Keeps:
    """Return what keeps the messages from one to another, or to the end; nothing without one."""

    def keeps(standing: Sequence[Standing]) -> Sequence[Standing]:
        begin = next((n for n, s in enumerate(standing) if first in s.keys), len(standing))
        ends = [n for n, s in enumerate(standing) if last in s.keys]
        return standing[begin : ends[-1] + 1 if ends else len(standing)]

    return keeps


def only(keys: Collection[str]) -> Keeps:
    """Return what keeps the messages of these keys."""
    return lambda standing: [s for s in standing if not s.keys.isdisjoint(keys)]


def all_but(keys: Collection[str]) -> Keeps:
    """Return what keeps the messages of other keys."""
    return lambda standing: [s for s in standing if s.keys.isdisjoint(keys)]


def through(key: str) -> Keeps:
    """Return what keeps the messages up to one; all where it does not stand."""

    def keeps(standing: Sequence[Standing]) -> Sequence[Standing]:
        places = [n for n, s in enumerate(standing) if key in s.keys]
        return standing[: places[-1] + 1] if places else standing

    return keeps


CLEARED = "[Old tool result content cleared]"
"""What Claude Code and opencode send in the place of a result that they cleared."""


def cleared(calls: Collection[str]) -> Keeps:
    """Return what keeps all messages, the results of these calls without what came back."""

    def keeps(standing: Sequence[Standing]) -> Sequence[Standing]:
        return [_without_output(s, calls) for s in standing]

    return keeps


def _without_output(standing: Standing, calls: Collection[str]) -> Standing:
    event = standing.event
    if event.type != "tool_results":
        return standing
    body = object_of(event.raw)
    results: list[JsonValue] = [
        {
            key: CLEARED if value and key in {"output", "error"} else value
            for key, value in r.items()
        }
        if r.get("callId") in calls
        else r
        for r in objects_of(body.get("results"))
    ]
    made = event_of(event, {**body, "metadata": event.metadata, "results": results})
    return standing if made is None else Standing(made, standing.keys)


def before(key: str, *, or_all: bool = True) -> Keeps:
    """Return what keeps the messages before one; where it does not stand, all or none."""

    def keeps(standing: Sequence[Standing]) -> Sequence[Standing]:
        otherwise = len(standing) if or_all else 0
        return standing[: next((n for n, s in enumerate(standing) if key in s.keys), otherwise)]

    return keeps


def before_turns(count: int) -> Keeps:
    """Return what keeps the messages before the last turns: of fewer, those before the first."""

    def keeps(standing: Sequence[Standing]) -> Sequence[Standing]:
        turns = [n for n, s in enumerate(standing) if s.begins_turn]
        return standing[: turns[-min(count, len(turns))]] if count > 0 and turns else standing

    return keeps
