"""Sums of the figures of a thread's answers, each counted once, with the most that was told."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from agentlog.domain.json.values import JsonValue, number_at
from agentlog.domain.messages import LlmResponseMessage, TokenUsage
from agentlog.domain.usage import wholes_of
from agentlog.projections.outcomes.pairs import rank
from agentlog.projections.prices import cost_of
from agentlog.projections.values import count_held, count_sum, figure_held, figure_sum

_DIGITS = 12
"""Of a dollar: prices have no more, and sums of floats differ beyond."""


class Figures(NamedTuple):
    """What an answer counts in the sums of its thread, and these sums."""

    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: float | None
    computed_calls: int
    unpriced_calls: int

    def over(self, before: "Figures") -> "Figures":
        """Return what counts of an answer told again, with what was told before."""
        if rank(self.output_tokens, self.input_tokens) < rank(
            before.output_tokens, before.input_tokens
        ):
            return before
        money = before if self.cost_usd is None else self
        tokens = (old if new is None else new for new, old in zip(self[:3], before, strict=False))
        return Figures._make([*tokens, *money[3:]])


def sums_of(row: Any) -> Figures:  # noqa: ANN401 - a row of a table, a step of an outline
    """Return the sums that stand in the fields of an object."""
    return Figures(*_fields_of(row))


_fields_of = attrgetter(*Figures._fields)


def figures_of(message: LlmResponseMessage, model: str | None) -> Figures:
    """Return what a response of a model counts."""
    cost = cost_of(message, model)
    usd, usage = figure_held(cost.usd), message.usage or TokenUsage()
    whole, total = wholes_of(usage), usage.total_tokens
    if total is None:
        total = count_sum(count_held(whole.input), whole.output)
    return Figures(
        input_tokens=count_held(whole.input),
        output_tokens=count_held(whole.output),
        total_tokens=count_held(total),
        cost_usd=usd,
        computed_calls=int(cost.prices is not None),
        unpriced_calls=int(usd is None),
    )


def with_figures(sums: Figures, figures: Figures, before: Figures | None) -> Figures:
    """Return sums with an answer counted in, in the place of what was told of it before."""
    if before is not None:
        sums = Figures._make(map(_less, sums, before))
    return Figures(
        count_sum(sums.input_tokens, figures.input_tokens),
        count_sum(sums.output_tokens, figures.output_tokens),
        count_sum(sums.total_tokens, figures.total_tokens),
        figure_sum(sums.cost_usd, figures.cost_usd),
        sums.computed_calls + figures.computed_calls,
        sums.unpriced_calls + figures.unpriced_calls,
    )


class Stated(NamedTuple):
    """What a run itself states of the whole of it; None is what it does not."""

    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: float | None


def stated_in(metadata: Mapping[str, JsonValue]) -> Stated | None:
    """Return the figures of a whole run, as readers put them into the metadata of a thread."""
    read, written, total = (
        _stated(metadata.get(key)) for key in ("inputTokens", "outputTokens", "totalTokens")
    )
    cost = number_at(metadata, "costUsd")
    usd = None if cost is None or cost < 0 else figure_held(cost)
    total = count_sum(read, written) if total is None else total
    stated = Stated(read, written, total, usd)
    return None if stated == _NOTHING else stated


_NOTHING = Stated(None, None, None, None)


def settled(sums: Figures, stated: Stated | None) -> Figures:
    """Return the figures of a run by those of its answers, and by those that it states itself.

    Some agents state tokens and cost of a run alone: they stand where no answer has any. A cost
    that is stated stands above one that a list of prices gave, and one of some answers alone.
    `select_counted_threads.sql` has the same rule for lists and reports.
    """
    if stated is None:
        return sums
    if sums.input_tokens is sums.output_tokens is sums.total_tokens is None:
        sums = Figures(*stated[:3], *sums[3:])
    is_whole = sums.cost_usd is not None and not (sums.computed_calls or sums.unpriced_calls)
    if stated.cost_usd is not None and not is_whole:
        sums = sums._replace(cost_usd=stated.cost_usd, computed_calls=0, unpriced_calls=0)
    return sums


def _stated(count: JsonValue) -> int | None:
    return count_held(count) if type(count) is int and count >= 0 else None


def _less(total: Any, part: Any) -> Any:  # noqa: ANN401 - counts and a figure
    return total if total is None or part is None else round(total - part, _DIGITS)
