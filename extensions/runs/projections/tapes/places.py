"""Places: the next recorded request of a conversation, in the place of one that is not on the tape.

For what a changed prompt, changed tools or a compaction do to all requests that follow. Only the
order and the last input say which request it is, so conversations that ask in parallel have none.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from itertools import pairwise

from agentlog.domain.json.values import JsonValue, array_of
from agentlog.extensions.runs.projections.tapes.request_keys import KeyedRequest, renumbered
from agentlog.projections.exchanges.exchange import Exchange

_PREFIX = frozenset({"items", "prompt", "tools"})
_CLOCK_MS = 1
"""By how much an attempt may seem to begin before the end of the one that it came after."""

Recorded = tuple[Exchange, KeyedRequest]


def lane_of(exchange: Exchange, request: KeyedRequest) -> Hashable:
    """Return what requests share that could be of one conversation."""
    api, stream, tools = (request.parts.get(name) for name in ("api", "stream", "tools"))
    return api, str(stream), bool(tools), exchange.agent is not None


def next_place(
    recorded: Sequence[Recorded],
    numbers: Iterable[int],
    used: Collection[int],
    asked: Recorded,
) -> int | None:
    """Return the next of these numbers in the lane of a request, if its last input is the same.

    None if a later one is used already, or the lane has parallel requests.
    """
    lane = [number for number in numbers if lane_of(*recorded[number]) == lane_of(*asked)]
    following = next((number for number in lane if number not in used), None)
    if following is None or any(number > following for number in lane if number in used):
        return None
    if _overlap([recorded[number][0] for number in lane]):
        return None
    return following if _is_asked_again(recorded[following][1], asked[1]) else None


def _overlap(exchanges: Sequence[Exchange]) -> bool:
    return any(
        after.started_at + _CLOCK_MS < before.started_at + (before.duration_ms or 0)
        for before, after in pairwise(exchanges)
    )


def _is_asked_again(recorded: KeyedRequest, asked: KeyedRequest) -> bool:
    """Return whether two requests have the same last input, and differ only in what is before."""
    if _last(recorded) is None or _last(recorded) != _last(asked):
        return False
    names = {*recorded.parts, *asked.parts} - _PREFIX
    return all(recorded.parts.get(name) == asked.parts.get(name) for name in names)


def _last(request: KeyedRequest) -> JsonValue:
    items = array_of(request.parts.get("items"))
    return renumbered(items[-1]) if items else None
