"""Sums of the figures of a thread's answers, each counted once, with the most that was told."""

from typing import NamedTuple, Protocol

from agentlog.domain.json.values import integer_at, number_at
from agentlog.domain.messages import LlmResponseMessage, TokenUsage
from agentlog.domain.usage import wholes_of
from agentlog.projections.outcomes.pairs import rank
from agentlog.projections.prices import cost_of
from agentlog.projections.values import count_held, count_sum, figure_held, figure_sum
from agentlog.projections.view import Item

_DIGITS = 12
"""Of a dollar: prices have no more, and sums of floats differ beyond."""


class Sums(Protocol):
    """The sums of a thread."""

    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: float | None
    computed_calls: int
    unpriced_calls: int


class Figures(NamedTuple):
    """What an answer counts in the sums of its thread."""

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
        return Figures(
            before.input_tokens if self.input_tokens is None else self.input_tokens,
            before.output_tokens if self.output_tokens is None else self.output_tokens,
            before.total_tokens if self.total_tokens is None else self.total_tokens,
            *money[3:],
        )


def figures_of(message: LlmResponseMessage, model: str | None) -> Figures:
    """Return what a response counts; `model` was asked, if it names none."""
    cost = cost_of(message, model if message.model is None else message.model)
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


def count_figures(sums: Sums, figures: Figures, before: Figures | None) -> None:
    """Count an answer in, in the place of what was told of it before."""
    if before is not None:
        sums.input_tokens = _less(sums.input_tokens, before.input_tokens)
        sums.output_tokens = _less(sums.output_tokens, before.output_tokens)
        sums.total_tokens = _less(sums.total_tokens, before.total_tokens)
        if sums.cost_usd is not None and before.cost_usd is not None:
            sums.cost_usd = round(sums.cost_usd - before.cost_usd, _DIGITS)
        sums.computed_calls -= before.computed_calls
        sums.unpriced_calls -= before.unpriced_calls
    sums.input_tokens = count_sum(sums.input_tokens, figures.input_tokens)
    sums.output_tokens = count_sum(sums.output_tokens, figures.output_tokens)
    sums.total_tokens = count_sum(sums.total_tokens, figures.total_tokens)
    sums.cost_usd = figure_sum(sums.cost_usd, figures.cost_usd)
    sums.computed_calls += figures.computed_calls
    sums.unpriced_calls += figures.unpriced_calls


_OF_RUNS = ("inputTokens", "outputTokens", "totalTokens", "costUsd")
"""Figures of a whole run, as readers put them into the metadata of a thread."""


def states_run(metadata: str) -> bool:
    """Return whether metadata may state figures of the whole run."""
    return any(f'"{key}"' in metadata for key in _OF_RUNS)


def stand_in(sums: Sums, metadata: Item) -> Figures | None:
    """Put a run's own figures in the place of sums that are not told; return those sums, if so.

    Some agents state tokens and cost of a run alone. A cost that is stated stands above one that a
    list of prices gave, and one of some answers alone.
    """
    known = Figures(*(getattr(sums, name) for name in Figures._fields))
    tokens = [integer_at(metadata, key) for key in _OF_RUNS[:-1]]
    cost = number_at(metadata, "costUsd")
    usd = None if cost is None or cost < 0 else figure_held(cost)
    if known.input_tokens is known.output_tokens is known.total_tokens is None:
        sums.input_tokens, sums.output_tokens, sums.total_tokens = map(_stated, tokens)
        if sums.total_tokens is None:
            sums.total_tokens = count_sum(sums.input_tokens, sums.output_tokens)
    if usd is not None and (known.computed_calls or known.unpriced_calls):
        sums.cost_usd, sums.computed_calls, sums.unpriced_calls = usd, 0, 0
    shown = Figures(*(getattr(sums, name) for name in Figures._fields))
    return None if shown == known else known


def restore(sums: Sums, figures: Figures) -> None:
    """Set sums to what they were."""
    for name, figure in figures._asdict().items():
        setattr(sums, name, figure)


def _stated(count: int | None) -> int | None:
    return count_held(count) if count is not None and count >= 0 else None


def _less(total: int | None, part: int | None) -> int | None:
    return total if total is None or part is None else total - part
