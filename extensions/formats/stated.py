"""What runs state of the whole of themselves, to be held against the sums of their calls."""

from collections.abc import Sequence

from agentlog.projections.view import Item


def stated(figures: Sequence[Item], costs: Sequence[float | None]) -> Item:
    """Return what a run states of the whole of it, a part a model, as the metadata of its thread.

    A sum is left out where one of its parts is not known.
    """
    sums: Item = {}
    for key in ("inputTokens", "outputTokens", "totalTokens"):
        counts = [count for part in figures if type(count := part.get(key)) is int]
        if counts and len(counts) == len(figures):
            sums[key] = sum(counts)
    known = [cost for cost in costs if cost is not None]
    return {**sums, "costUsd": sum(known)} if known and len(known) == len(costs) else sums
